package school

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
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/knowledge"
	"stoa/internal/learning/path"
	"stoa/internal/learning/placement"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// atomState is what is known of a learner and an atom. The models' parts stay bytes until somebody asks.
type atomState struct {
	path.Practice
	state, shared []byte
	memory        mastery.Memory
	updatedAt     int64
}

// learners keep the states of those who learned lately in memory, in step with the store.
type learners struct {
	store *store.Store
	banks *banks
	mu    sync.Mutex
	kept  *otter.Cache[string, *learner]
}

// keptLearners bounds how many learners are in memory at a time.
const keptLearners = 1024

func newLearners(s *store.Store, b *banks) *learners {
	return &learners{store: s, banks: b, kept: otter.Must(&otter.Options[string, *learner]{MaximumSize: keptLearners})}
}

// learner is one learner's place in memory.
type learner struct {
	mu    sync.Mutex
	at    *learnerSnapshot
	decks *deckRules
}

// learnerSnapshot is where a learner stands at one version. It never changes.
type learnerSnapshot struct {
	store.Learner
	retention float64    // that the learner wants
	decks     *deckRules // what imported decks ask for; nil when nothing, or when the learner does not follow them
	traits    path.Traits
	// atoms are all but those that changed lately, so that a change need not copy them all.
	atoms, lately map[string]*atomState

	mu     sync.Mutex
	opened *models // for those who only look

	planning *recollection
}

// recollection is what plans ask of a learner's memory: by atom when it is due.
type recollection struct {
	person *mastery.Person
	due    map[string]time.Time

	mu      sync.Mutex
	signsOf *curriculum
	signs   map[int]placement.Sign
}

// implied is what of a curriculum follows from the learner's answers, worked out once.
func (r *recollection) implied(g *curriculum, v *path.View) map[int]placement.Sign {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.signsOf != g {
		r.signsOf, r.signs = g, placement.Implied(v)
	}
	return r.signs
}

// recollect works the recollection out, once for each version of the learner.
func (s *learnerSnapshot) recollect() (*recollection, error) {
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
	for id, a := range s.each {
		r.due[id] = r.person.DueAt(a.memory, cmp.Or(s.decks.retention(id), s.retention))
	}
	s.planning = r
	return r, nil
}

// look lets somebody look at the models' states. They are opened once and kept for the next.
func (s *learnerSnapshot) look(f func(m *models) error) error {
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

// atom gives what is known of an atom, or nil.
func (s *learnerSnapshot) atom(id string) *atomState {
	if a := s.lately[id]; a != nil {
		return a
	}
	return s.atoms[id]
}

// each gives every atom of which something is known.
func (s *learnerSnapshot) each(yield func(id string, a *atomState) bool) {
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

// of gives where a learner stands now.
func (l *learners) of(ctx context.Context, userID string) (*learnerSnapshot, error) {
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
	if one.decks, err = l.rules(ctx, userID, one.decks); err != nil {
		return nil, err
	}
	decks := one.decks
	if !config.Study.FollowDecks {
		decks = nil
	}
	if one.at != nil && one.at.Version == row.Version && one.at.retention == retention && one.at.decks == decks {
		return one.at, nil
	}
	before := one.at
	if before == nil || before.Version > row.Version || before.Version < row.Rewound { // erased or taken back since
		before = &learnerSnapshot{}
	}
	changed, err := l.store.LearnerAtoms(ctx, userID, before.Version)
	if err != nil {
		return nil, err
	}
	next, err := before.next(row, changed)
	if err == nil {
		next.retention, next.decks = retention, decks
		one.at = next
	}
	return next, err
}

// next is where the learner stands after changes.
func (s *learnerSnapshot) next(row store.Learner, changed []store.LearnerAtom) (*learnerSnapshot, error) {
	n := &learnerSnapshot{Learner: row, retention: s.retention, decks: s.decks, atoms: s.atoms, lately: maps.Clone(s.lately)}
	if len(row.Traits) > 0 {
		if err := json.Unmarshal(row.Traits, &n.traits); err != nil {
			return nil, err
		}
	}
	if n.lately == nil {
		n.lately = map[string]*atomState{}
	}
	for _, c := range changed {
		a := &atomState{state: c.State, shared: c.Shared, updatedAt: c.UpdatedAt}
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
		all := make(map[string]*atomState, len(n.atoms)+len(n.lately))
		for id, a := range n.each {
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
	known      *learnerSnapshot
}

// models opens the models' states. What is known of all learners together is each learner's own here: nobody's answers
// say anything of another, and what is erased is gone.
func (s *learnerSnapshot) models() (*models, error) {
	m := &models{engine: mastery.NewEngine(s.retention), learner: mastery.NewLearner(), population: mastery.NewPopulation(), known: s}
	m.engine.Want(s.decks.retention)
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
	a := m.known.atom(atomID)
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

// observationRecorder takes observations of one learner in, inside a transaction that holds the learner.
type observationRecorder struct {
	*models
	tx      *store.Tx
	row     store.Learner
	began   int64 // observations ahead of these
	traits  path.Traits
	ground  *curriculum
	session string
	by      string // the session's strategy
	touched map[string]*atomState
	batch   together
	sharing *sharing // nil for a learner who does not share
	app     *School
}

// observe begins to take observations in. Nobody else changes the learner until the transaction ends. known is where the
// learner stood before it began.
func (a *School) observe(ctx context.Context, tx *store.Tx, known *learnerSnapshot, session string, g *curriculum) (*observationRecorder, error) {
	row, err := tx.LockLearner(known.UserID)
	if err != nil {
		return nil, err
	}
	var changed []store.LearnerAtom
	if row.Version != known.Version+1 { // somebody was faster
		since := known.Version
		if row.Version < known.Version || known.Version < row.Rewound {
			known, since = &learnerSnapshot{retention: known.retention, decks: known.decks}, 0
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
	o := &observationRecorder{models: m, tx: tx, row: row, began: row.Observations, traits: known.traits, ground: g, session: session, touched: map[string]*atomState{}, batch: together{}, app: a}
	o.sharing, err = newSharing(ctx, tx, row.UserID)
	return o, err
}

// take takes one observation in and tells the estimates before and after.
func (o *observationRecorder) take(obs mastery.Observation) (mastery.Update, error) {
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
	readiness := o.readiness(obs.AtomID, o.traits.Model(), obs.At)
	t := o.at(obs.AtomID)
	t.Take(&o.traits, obs, readiness)
	t.Shown = core.Rounded(update.After.MasteryProbability, 6)
	o.batch.answered(&obs)
	t.Strategy = o.by
	tags, err := json.Marshal(obs.Tags)
	if err != nil {
		return update, err
	}
	o.row.Observations++
	given := fsrs.State{}
	if obs.Given != nil {
		given = *obs.Given
	}
	return update, o.tx.AddObservation(o.row.UserID, store.Observation{
		GivenStability: given.Stability, GivenDifficulty: given.Difficulty, QuestionID: obs.QuestionID, ByQuestion: obs.ItemID != "", PriorEase: prior.Mean, PriorVariance: prior.Var,
		QuestionPriorEase: obs.ItemEase.Mean, QuestionPriorVariance: obs.ItemEase.Var,
		Seq: o.row.Observations, AtomID: obs.AtomID, Outcome: string(obs.Outcome), Grade: int64(obs.Grade), Tags: tags, Confidence: obs.Confidence,
		ResponseUS: obs.ResponseTime.Microseconds(), SessionID: o.session, Readiness: readiness, ObservedAt: clock.Micros(obs.At), RecordedAt: clock.Micros(o.tx.Now),
	})
}

// at gives an atom's tally, to change.
func (o *observationRecorder) at(atomID string) *atomState {
	if t := o.touched[atomID]; t != nil {
		return t
	}
	t := &atomState{}
	if known := o.known.atom(atomID); known != nil {
		t.Practice = known.Practice
	}
	o.touched[atomID] = t
	return t
}

// readiness is how far what an atom needs is known and recalled.
func (o *observationRecorder) readiness(atomID string, m *path.Model, at time.Time) float64 {
	i, ok := o.ground.number[atomID]
	if !ok {
		return 1
	}
	return path.Readiness(o.ground.needs[i], func(need int) float64 {
		id := o.ground.units[need].ID
		if t := o.touched[id]; t != nil {
			return t.Held(m, at)
		}
		if t := o.known.atom(id); t != nil {
			return t.Held(m, at)
		}
		return 0
	})
}

// begin gives the mastery that is shown of an atom ahead of the answers that come together. Call it before they are taken.
func (o *observationRecorder) begin(atomID string, at time.Time) (float64, error) {
	if err := o.meet(atomID); err != nil {
		return 0, err
	}
	o.batch.begin(o.models, atomID, at)
	return o.estimated(atomID, at).MasteryProbability, nil
}

// estimated is what is shown of an atom now. Of one that was never answered it is what is shown ahead of the first answer.
func (o *observationRecorder) estimated(atomID string, at time.Time) mastery.Estimate {
	t := &path.Practice{}
	if now := o.touched[atomID]; now != nil {
		t = &now.Practice
	} else if before := o.known.atom(atomID); before != nil {
		t = &before.Practice
	}
	return o.ground.covering(atomID, t, o.engine.Estimate(o.population, o.learner, atomID, at, 0))
}

// settle ends the answers that came together, at their time.
func (o *observationRecorder) settle(at time.Time) {
	o.batch.settle(o.models, at, func(id string, shown float64) { o.touched[id].Shown = shown })
}

// end writes what the observations changed.
func (o *observationRecorder) end() error {
	if len(o.touched) == 0 {
		return nil
	}
	o.row.Person, o.row.Core = o.learner.Person.Encode(), mastery.EncodeCore(o.population.Core)
	traits, err := json.Marshal(o.traits)
	if err != nil {
		return err
	}
	o.row.Traits = traits
	if err := o.tx.PutLearner(o.row); err != nil {
		return err
	}
	for id, t := range o.touched {
		text, err := json.Marshal(t.Practice)
		if err != nil {
			return err
		}
		shared := o.population.Atoms[id]
		if shared == nil {
			shared = knowledge.NewAtom()
		}
		if err := o.tx.PutLearnerAtom(o.row.UserID, store.LearnerAtom{
			AtomID: id, Version: o.row.Version, State: o.learner.Atoms[id].Encode(), Shared: mastery.EncodeSharedAtom(shared), Tally: text, UpdatedAt: clock.Micros(o.tx.Now),
		}); err != nil {
			return err
		}
	}
	return nil
}

// turn counts a learner's answers on a unit: it chooses the next question.
func (l *learnerSnapshot) turn(atomID string) int {
	if l == nil {
		return 0
	}
	if t := l.atom(atomID); t != nil {
		return t.Attempts()
	}
	return 0
}
