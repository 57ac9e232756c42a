package learner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/knowledge"
	"stoa/internal/learning/path"
	"stoa/internal/learning/placement"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// AtomState is what is known of a learner and an atom. The models' parts stay bytes until somebody asks.
type AtomState struct {
	path.Practice
	state, shared []byte
	memory        mastery.Memory
	updatedAt     int64
}

// learners keep the states of those who learned lately in memory, in step with the store.
type learners struct {
	store *store.Store
	Banks *notebook.Banks
	mu    sync.Mutex
	kept  *otter.Cache[string, *learner]
}

// keptLearners bounds how many learners are in memory at a time.
const keptLearners = 1024

func newLearners(s *store.Store, b *notebook.Banks) *learners {
	return &learners{store: s, Banks: b, kept: otter.Must(&otter.Options[string, *learner]{MaximumSize: keptLearners})}
}

// learner is one learner's place in memory.
type learner struct {
	mu    sync.Mutex
	at    *Snapshot
	decks *deckRules
}

// Snapshot is where a learner stands at one version. It never changes.
type Snapshot struct {
	store.Learner
	Retention  float64    // that the learner wants
	Decks      *deckRules // what imported decks ask for; nil when nothing, or when the learner does not follow them
	PathTraits path.Traits
	// atoms are all but those that changed lately, so that a change need not copy them all.
	atoms, lately map[string]*AtomState

	mu     sync.Mutex
	opened *models // for those who only look

	planning *recollection
}

// recollection is what plans ask of a learner's memory: by atom when it is due.
type recollection struct {
	person *mastery.Person
	due    map[string]time.Time

	mu      sync.Mutex
	signsOf *notebook.Curriculum
	signs   map[int]placement.Sign
}

// implied is what of a curriculum follows from the learner's answers, worked out once.
func (r *recollection) implied(g *notebook.Curriculum, v *path.View) map[int]placement.Sign {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.signsOf != g {
		r.signsOf, r.signs = g, placement.Implied(v)
	}
	return r.signs
}

// recollect works the recollection out, once for each version of the learner.
func (s *Snapshot) recollect() (*recollection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.planning != nil {
		return s.planning, nil
	}
	r := &recollection{person: mastery.NewPerson(), due: map[string]time.Time{}}
	if len(s.Person) > 0 {
		var err error
		if r.person, err = mastery.DecodePerson(s.Person); err != nil {
			return nil, err
		}
	}
	for id, a := range s.Each {
		r.due[id] = r.person.DueAt(a.memory, cmp.Or(s.Decks.retention(id), s.Retention))
	}
	s.planning = r
	return r, nil
}

// look lets somebody look at the models' states. They are opened once and kept for the next.
func (s *Snapshot) look(f func(m *models) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil {
		m, err := s.models()
		if err != nil {
			return err
		}
		s.opened = m
	}
	return f(s.opened)
}

// mostLately bounds learnerAt.lately.
const mostLately = 512

// Atom gives what is known of an atom, or nil.
func (s *Snapshot) Atom(id string) *AtomState {
	if a := s.lately[id]; a != nil {
		return a
	}
	return s.atoms[id]
}

// Each gives every atom of which something is known.
func (s *Snapshot) Each(yield func(id string, a *AtomState) bool) {
	for id, a := range s.lately {
		if !yield(id, a) {
			return
		}
	}
	for id, a := range s.atoms {
		if s.lately[id] == nil && !yield(id, a) {
			return
		}
	}
}

// Of gives where a learner stands now.
func (l *learners) Of(ctx context.Context, userID string) (*Snapshot, error) {
	l.mu.Lock()
	one, ok := l.kept.GetIfPresent(userID)
	if !ok {
		one = &learner{}
		l.kept.Set(userID, one)
	}
	l.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	row, err := l.store.Learner(ctx, userID)
	if err != nil {
		return nil, err
	}
	config, _, err := OrchestrationOf(ctx, l.store.Queries, userID)
	if err != nil {
		return nil, err
	}
	retention := config.Study.DesiredRetention
	if one.decks, err = l.Rules(ctx, userID, one.decks); err != nil {
		return nil, err
	}
	decks := one.decks
	if !config.Study.FollowDecks {
		decks = nil
	}
	if one.at != nil && one.at.Version == row.Version && one.at.Retention == retention && one.at.Decks == decks {
		return one.at, nil
	}
	before := one.at
	if before == nil || before.Version > row.Version || before.Version < row.Rewound { // erased or taken back since
		before = &Snapshot{}
	}
	changed, err := l.store.LearnerAtoms(ctx, userID, before.Version)
	if err != nil {
		return nil, err
	}
	next, err := before.next(row, changed)
	if err == nil {
		next.Retention, next.Decks = retention, decks
		one.at = next
	}
	return next, err
}

// next is where the learner stands after changes.
func (s *Snapshot) next(row store.Learner, changed []store.LearnerAtom) (*Snapshot, error) {
	n := &Snapshot{Learner: row, Retention: s.Retention, Decks: s.Decks, atoms: s.atoms, lately: maps.Clone(s.lately)}
	if len(row.Traits) > 0 {
		if err := json.Unmarshal(row.Traits, &n.PathTraits); err != nil {
			return nil, err
		}
	}
	if n.lately == nil {
		n.lately = map[string]*AtomState{}
	}
	for _, c := range changed {
		a := &AtomState{state: c.State, shared: c.Shared, updatedAt: c.UpdatedAt}
		if err := json.Unmarshal(c.Tally, &a.Practice); err != nil {
			return nil, err
		}
		own, err := mastery.DecodeAtom(c.State)
		if err != nil {
			return nil, err
		}
		a.memory = own.Memory()
		n.lately[c.AtomID] = a
	}
	if len(n.lately) > mostLately {
		all := make(map[string]*AtomState, len(n.atoms)+len(n.lately))
		for id, a := range n.Each {
			all[id] = a
		}
		n.atoms, n.lately = all, nil
	}
	return n, nil
}

// models are the models' states of a learner and of the atoms that are looked at.
type models struct {
	engine     *mastery.Engine
	learner    *mastery.Learner
	population *mastery.Population
	known      *Snapshot
}

// models opens the models' states. What is known of all learners together is each learner's own here: nobody's answers
// say anything of another, and what is erased is gone.
func (s *Snapshot) models() (*models, error) {
	m := &models{engine: mastery.NewEngine(s.Retention), learner: mastery.NewLearner(), population: mastery.NewPopulation(), known: s}
	m.engine.Want(s.Decks.retention)
	if len(s.Person) == 0 {
		return m, nil
	}
	var errPerson, errCore error
	m.learner.Person, errPerson = mastery.DecodePerson(s.Person)
	m.population.Core, errCore = mastery.DecodeCore(s.Core)
	return m, errors.Join(errPerson, errCore)
}

// open brings an atom's states in.
func (m *models) open(atomID string) error {
	a := m.known.Atom(atomID)
	if a == nil || m.learner.Atoms[atomID] != nil {
		return nil
	}
	own, errOwn := mastery.DecodeAtom(a.state)
	shared, errShared := mastery.DecodeSharedAtom(a.shared)
	if err := errors.Join(errOwn, errShared); err != nil {
		return err
	}
	m.learner.Atoms[atomID], m.population.Atoms[atomID] = own, shared
	return nil
}

// estimate says what is known of an atom now.
func (m *models) estimate(atomID string, now time.Time) (mastery.Estimate, error) {
	if err := m.open(atomID); err != nil {
		return mastery.Estimate{}, err
	}
	return m.engine.Estimate(m.population, m.learner, atomID, now, 0), nil
}

// ObservationRecorder takes observations of one learner in, inside a transaction that holds the learner.
type ObservationRecorder struct {
	*models
	tx         *store.Tx
	Row        store.Learner
	Began      int64 // observations ahead of these
	PathTraits path.Traits
	ground     *notebook.Curriculum
	session    string
	By         string // the session's strategy
	Touched    map[string]*AtomState
	batch      together
	sharing    *sharing // nil for a learner who does not share
	app        *Service
}

// Observe begins to take observations in. Nobody else changes the learner until the transaction ends. known is where the
// learner stood before it began.
func (a *Service) Observe(ctx context.Context, tx *store.Tx, known *Snapshot, session string, g *notebook.Curriculum) (*ObservationRecorder, error) {
	row, err := tx.LockLearner(known.UserID)
	if err != nil {
		return nil, err
	}
	var changed []store.LearnerAtom
	if row.Version != known.Version+1 { // somebody was faster
		since := known.Version
		if row.Version < known.Version || known.Version < row.Rewound {
			known, since = &Snapshot{Retention: known.Retention, Decks: known.Decks}, 0
		}
		if changed, err = tx.LearnerAtoms(ctx, row.UserID, since); err != nil {
			return nil, err
		}
	}
	if known, err = known.next(row, changed); err != nil {
		return nil, err
	}
	m, err := known.models()
	if err != nil {
		return nil, err
	}
	o := &ObservationRecorder{models: m, tx: tx, Row: row, Began: row.Observations, PathTraits: known.PathTraits, ground: g, session: session, Touched: map[string]*AtomState{}, batch: together{}, app: a}
	o.sharing, err = newSharing(ctx, tx, row.UserID)
	return o, err
}

// Take takes one observation in and tells the estimates before and after.
func (o *ObservationRecorder) Take(obs mastery.Observation) (mastery.Update, error) {
	if err := o.meet(obs.AtomID); err != nil {
		return mastery.Update{}, err
	}
	prior, err := o.share(&obs)
	if err == nil {
		err = o.shareQuestion(&obs)
	}
	if err != nil {
		return mastery.Update{}, err
	}
	update, err := o.engine.Observe(o.population, o.learner, obs)
	if err != nil {
		return update, err
	}
	readiness := o.readiness(obs.AtomID, o.PathTraits.Model(), obs.At)
	t := o.at(obs.AtomID)
	t.Take(&o.PathTraits, obs, readiness)
	t.Shown = core.Rounded(update.After.MasteryProbability, 6)
	o.batch.answered(&obs)
	t.Strategy = o.By
	tags, err := json.Marshal(obs.Tags)
	if err != nil {
		return update, err
	}
	o.Row.Observations++
	given := fsrs.State{}
	if obs.Given != nil {
		given = *obs.Given
	}
	return update, o.tx.AddObservation(o.Row.UserID, store.Observation{
		GivenStability: given.Stability, GivenDifficulty: given.Difficulty, QuestionID: obs.QuestionID, ByQuestion: obs.ItemID != "", PriorEase: prior.Mean, PriorVariance: prior.Var,
		QuestionPriorEase: obs.ItemEase.Mean, QuestionPriorVariance: obs.ItemEase.Var,
		Seq: o.Row.Observations, AtomID: obs.AtomID, Outcome: string(obs.Outcome), Grade: int64(obs.Grade), Tags: tags, Confidence: obs.Confidence,
		ResponseUS: obs.ResponseTime.Microseconds(), SessionID: o.session, Readiness: readiness, ObservedAt: clock.Micros(obs.At), RecordedAt: clock.Micros(o.tx.Now),
	})
}

// at gives an atom's tally, to change.
func (o *ObservationRecorder) at(atomID string) *AtomState {
	if t := o.Touched[atomID]; t != nil {
		return t
	}
	t := &AtomState{}
	if known := o.known.Atom(atomID); known != nil {
		t.Practice = known.Practice
	}
	o.Touched[atomID] = t
	return t
}

// readiness is how far what an atom needs is known and recalled.
func (o *ObservationRecorder) readiness(atomID string, m *path.Model, at time.Time) float64 {
	i, ok := o.ground.Number[atomID]
	if !ok {
		return 1
	}
	return path.Readiness(o.ground.Needs[i], func(need int) float64 {
		id := o.ground.Units[need].ID
		if t := o.Touched[id]; t != nil {
			return t.Held(m, at)
		}
		if t := o.known.Atom(id); t != nil {
			return t.Held(m, at)
		}
		return 0
	})
}

// Begin gives the mastery that is shown of an atom ahead of the answers that come together. Call it before they are taken.
func (o *ObservationRecorder) Begin(atomID string, at time.Time) (float64, error) {
	if err := o.meet(atomID); err != nil {
		return 0, err
	}
	o.batch.begin(o.models, atomID, at)
	return o.Estimated(atomID, at).MasteryProbability, nil
}

// Estimated is what is shown of an atom now. Of one that was never answered it is what is shown ahead of the first answer.
func (o *ObservationRecorder) Estimated(atomID string, at time.Time) mastery.Estimate {
	t := &path.Practice{}
	if now := o.Touched[atomID]; now != nil {
		t = &now.Practice
	} else if before := o.known.Atom(atomID); before != nil {
		t = &before.Practice
	}
	return covering(o.ground, atomID, t, o.engine.Estimate(o.population, o.learner, atomID, at, 0))
}

// Settle ends the answers that came together, at their time.
func (o *ObservationRecorder) Settle(at time.Time) {
	o.batch.settle(o.models, at, func(id string, shown float64) { o.Touched[id].Shown = shown })
}

// End writes what the observations changed.
func (o *ObservationRecorder) End() error {
	if len(o.Touched) == 0 {
		return nil
	}
	o.Row.Person, o.Row.Core = o.learner.Person.Encode(), mastery.EncodeCore(o.population.Core)
	traits, err := json.Marshal(o.PathTraits)
	if err != nil {
		return err
	}
	o.Row.Traits = traits
	if err := o.tx.PutLearner(o.Row); err != nil {
		return err
	}
	for id, t := range o.Touched {
		text, err := json.Marshal(t.Practice)
		if err != nil {
			return err
		}
		shared := o.population.Atoms[id]
		if shared == nil {
			shared = knowledge.NewAtom()
		}
		if err := o.tx.PutLearnerAtom(o.Row.UserID, store.LearnerAtom{
			AtomID: id, Version: o.Row.Version, State: o.learner.Atoms[id].Encode(), Shared: mastery.EncodeSharedAtom(shared), Tally: text, UpdatedAt: clock.Micros(o.tx.Now),
		}); err != nil {
			return err
		}
	}
	return nil
}

// Turn counts a learner's answers on a unit: it chooses the next question.
func (l *Snapshot) Turn(atomID string) int {
	if l == nil {
		return 0
	}
	if t := l.Atom(atomID); t != nil {
		return t.Attempts()
	}
	return 0
}
