package school

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/governance/runbook"
	"stoa/internal/learning/path"
	"stoa/internal/learning/strategy"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// Where the strategy of a session came from.
const (
	sourceExplicit = string(strategy.Explicit)
	sourceTrend    = string(strategy.Trend)
	sourceFallback = string(strategy.Fallback)
	sourceUnknown  = string(strategy.Unknown)
)

// Selection says which strategy was chosen and why.
type Selection struct {
	Source     string   `json:"pathStrategySelectionSource"`
	Reason     string   `json:"pathStrategySelectionReason"`
	Status     string   `json:"pathStrategyTrendStatus,omitempty"`
	Score      *float64 `json:"pathStrategyTrendScore,omitempty"`
	Confidence *float64 `json:"pathStrategyTrendConfidence,omitempty"`
}

// Orchestration is the part of a session's signals that says which strategy was chosen.
type Orchestration struct {
	Recommended string `json:"recommendedPathStrategy"`
	Selection
	Propensity *float64 `json:"propensity,omitempty"` // the probability with which it was drawn, when it was
	Block      string   `json:"block,omitempty"`      // of the draw
}

// choice is a strategy chosen for a plan.
type choice struct {
	Orchestration
	Strategy path.Strategy
	context  path.Context
}

// evidence is what the choice of a learner's strategies rests on, as it is kept.
type evidence struct {
	Running     strategy.Running     `json:"running"`
	Person      strategy.Evidence    `json:"person"`
	Expectation strategy.Expectation `json:"expectation"`
	Sessions    uint64               `json:"sessions"` // whose strategy was not asked for
	Held        path.Strategy        `json:"held,omitempty"`
	HeldFor     int                  `json:"heldFor,omitempty"`
	LastAt      time.Time            `json:"lastAt,omitzero"`
}

// firstBlock is how many sessions of a new learner are not drawn: nothing is known of them yet.
const firstBlock = strategy.BlockLength

// block is the block that the learner's next session belongs to, and its place there.
func (e *evidence) block() (number uint64, place int) {
	return e.Sessions / strategy.BlockLength, int(e.Sessions % strategy.BlockLength)
}

func readEvidence(text []byte) (e evidence, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &e)
	}
	return e, err
}

// recentSessions is how many past sessions say how a learner has been doing.
const recentSessions = 4

// choose picks the strategy of a plan: the one asked for, else the one that evidence speaks for, else the fallback. That is
// balanced, the best that is known, or, for a learner who agreed to experiments, what was drawn for their block.
func (a *School) choose(ctx context.Context, userID, asked string, kept learner.Orchestration, now time.Time) (choice, error) {
	config := kept.Trend
	var c choice
	var err error
	if c.context, err = a.contextOf(ctx, userID, kept); err != nil {
		return c, err
	}
	own, everyone, err := a.evidence(ctx, userID)
	if err != nil {
		return c, err
	}
	failing, err := a.failingAlignment(ctx, userID, now)
	if err != nil {
		return c, err
	}
	scope, pooled := strategy.Scope(&everyone, &own.Person)
	person := &own.Person
	if !pooled {
		person = nil // it is in the scope
	}
	s := strategy.Select(strategy.Inputs{
		Explicit: path.Strategy(asked), Auto: config.AutoPath, MinConfidence: config.MinConfidence, Everyone: scope, Pooled: pooled, Person: person, FailingCheck: failing,
		Fallback: path.Balanced, Held: own.Held, HeldFor: own.HeldFor, Now: now,
	})
	c.Strategy, c.Source, c.Reason = s.Strategy, string(s.Source), s.Reason
	switch s.Source {
	case strategy.Trend:
		confidence, score := core.Rounded(s.Confidence, 6), core.Rounded(min(1, max(0, ((s.Low+s.High)/2+chosenSpan)/(2*chosenSpan))), 6)
		c.Confidence, c.Score, c.Status = &confidence, &score, string(path.Stable)
		if s.Low > 0 {
			c.Status = string(path.Improving)
		}
	case strategy.Fallback:
		if number, _ := own.block(); config.AutoPath && kept.Study.Experiments && own.Sessions >= firstBlock {
			d := strategy.Assign(userID, number, blockSeed, &everyone, "")
			p := core.Rounded(d.Propensity, 6)
			c.Strategy, c.Propensity, c.Block = d.Strategy, &p, fmt.Sprint(number)
		}
	}
	c.Recommended = string(c.Strategy)
	return c, nil
}

// chosenSpan is how many points a strategy must be ahead of balanced for a score of 1; none is a half.
const chosenSpan = 10

// failingAlignment names the alignment check while the sessions of the last week whose strategy was chosen by trend fail it.
func (a *School) failingAlignment(ctx context.Context, userID string, now time.Time) (string, error) {
	var s runbook.Signals
	thresholds := runbook.DefaultThresholds()
	err := a.StrategySignals(ctx, userID, now, &s)
	if err == nil && runbook.StrategyAlignment(&s, &thresholds) == runbook.Fail {
		return runbook.StrategyAlign, nil
	}
	return "", err
}

// contextOf says how a learner's last sessions went, and where the health of their memory goes, which counts as their
// settings say.
func (a *School) contextOf(ctx context.Context, userID string, kept learner.Orchestration) (path.Context, error) {
	recent, err := a.Store.Studies(ctx, schooldb.StudyFilter{UserID: userID}, 0, "", 0, recentSessions)
	if err != nil || len(recent) == 0 {
		return path.Unknown, err
	}
	memory, err := a.MemoryTrend(ctx, userID, kept.Trend)
	shift := shift(&kept.Memory, memory)
	deltas := make([]float64, len(recent))
	for i, s := range recent {
		deltas[i] = float64(s.Delta)/1e6 + shift
	}
	return path.ContextOf(deltas), err
}

// contextNow is contextOf with the settings as they are kept.
func (a *School) contextNow(ctx context.Context, userID string) (path.Context, error) {
	kept, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil {
		return path.Unknown, err
	}
	return a.contextOf(ctx, userID, kept)
}

// blockSeed keeps the draws of blocks apart from any others.
const blockSeed = 1

// evidence gives what is known of a learner, and of all learners together.
func (a *School) evidence(ctx context.Context, userID string) (own evidence, everyone strategy.Evidence, err error) {
	text, err := a.Store.StrategyEvidence(ctx, userID)
	if err == nil {
		own, err = readEvidence(text)
	}
	if err != nil {
		return own, everyone, err
	}
	if text, err = a.Store.StrategyEvidence(ctx, core.SharedOwner); err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &everyone)
	}
	a.AskPeers(ctx, func(ctx context.Context, q store.Queries) error {
		text, err := q.StrategyEvidence(ctx, core.SharedOwner)
		if err != nil || len(text) == 0 {
			return err
		}
		var others strategy.Evidence
		if err := json.Unmarshal(text, &others); err != nil {
			return err
		}
		everyone.Merge(&others)
		return nil
	})
	return own, everyone, err
}

// exposure is what is kept of a session for the choice of strategies.
type exposure struct {
	Source     string  `json:"source"`
	Propensity float64 `json:"propensity"`
	Block      uint64  `json:"block"`
	Place      int     `json:"place"`
	Gain       float64 `json:"gain"`    // of recall in thirty days, in points per action
	Outcome    float64 `json:"outcome"` // beyond what the state let expect
	Probe      *bool   `json:"probe,omitempty"`
}

// horizon is when a session must still show: thirty days on.
const horizon = 30 * 24 * time.Hour

// weigh takes the session into the evidence. Only a session that was planned as drawn is compared.
func (e *execution) weigh(tx *store.Tx, o *learner.ObservationRecorder, out *SessionExecution, before map[string]float64) error {
	text, err := tx.LockStrategyEvidence(e.userID)
	if err != nil {
		return err
	}
	own, err := readEvidence(text)
	if err != nil {
		return err
	}
	r := &out.Record
	chosen := e.plan.Signals.Orchestration
	number, place := own.block()
	x := exposure{Source: r.Source, Block: number, Place: place, Gain: e.gain(o, before, out.Summary.Attempted)}
	if e.drawn && chosen.Propensity != nil && chosen.Block == fmt.Sprint(number) {
		x.Propensity = *chosen.Propensity
	}
	state := strategy.State{Frontier: float64(len(e.plan.Signals.Mastery)), Due: float64(len(e.plan.Signals.Due)), Minutes: out.Summary.Minutes, MeanMastery: out.Summary.Before}
	if !own.LastAt.IsZero() {
		state.Gap = max(0, e.at.Sub(own.LastAt).Hours()/24)
	}
	x.Outcome = own.Expectation.ValueAdded(state, x.Gain)
	record := strategy.Record{
		Strategy: path.Strategy(r.Strategy), Source: strategy.Source(r.Source), At: e.at, Outcome: x.Outcome, Propensity: x.Propensity, InBlock: place,
		Actions: out.Summary.Attempted, Abandoned: float64(out.Summary.Skipped+out.Summary.Failed) / float64(max(1, out.Summary.Attempted)),
	}
	own.LastAt = e.at
	if r.Source == sourceFallback || r.Source == sourceTrend {
		own.Sessions++
	}
	switch {
	case r.Source == sourceTrend && string(own.Held) == r.Strategy:
		own.HeldFor++
	case r.Source == sourceTrend:
		own.Held, own.HeldFor = path.Strategy(r.Strategy), 1
	case r.Source == sourceFallback:
		own.Held, own.HeldFor = "", 0
	}
	probe, asked := e.probed(o, out)
	if asked {
		x.Probe = &probe.Right
	}
	ended, done := own.Running.Add(record)
	was := own.Person
	if done {
		own.Person.Add(ended)
	}
	if done || asked {
		if err := e.weighForAll(tx, ended, done, probe, asked, &was, &own.Person); err != nil {
			return err
		}
	}
	if text, err = json.Marshal(own); err != nil {
		return err
	}
	if err := tx.PutStrategyEvidence(e.userID, text); err != nil {
		return err
	}
	if text, err = json.Marshal(x); err != nil {
		return err
	}
	return tx.AddExposure(e.userID, r.ID, r.Strategy, clock.Micros(e.at), text)
}

// weighForAll adds a block that ended, and a probe, to what is known of all learners together: once in five sessions.
func (e *execution) weighForAll(tx *store.Tx, ended strategy.Block, done bool, probe probe, asked bool, was, is *strategy.Evidence) error {
	text, err := tx.LockStrategyEvidence(core.SharedOwner)
	if err != nil {
		return err
	}
	var all strategy.Evidence
	if len(text) > 0 {
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
	}
	if done {
		all.Add(ended)
		all.Change(was, is)
	}
	if i := slices.Index(path.Strategies, path.Strategy(probe.strategy)); asked && i >= 0 {
		all.Arms[i].Probes.Add(probe.Probe)
	}
	if text, err = json.Marshal(all); err != nil {
		return err
	}
	return tx.PutStrategyEvidence(core.SharedOwner, text)
}

// gain is by how much the session raised the recall expected in thirty days, in points per action.
func (e *execution) gain(o *learner.ObservationRecorder, before map[string]float64, actions int) float64 {
	was, is, later, sum := e.known.PathTraits.Model(), o.PathTraits.Model(), e.at.Add(horizon), 0.0
	for id := range before {
		if t := o.Touched[id]; t != nil {
			sum += t.Held(is, later)
			if before := e.known.Atom(id); before != nil {
				sum -= before.Held(was, later)
			}
		}
	}
	return core.Rounded(100*sum/float64(max(1, actions)), 6)
}

// probe is something learned a while ago that is asked again by chance, to see whether the model is right.
type probe struct {
	strategy.Probe
	strategy string // of the session that it was learned in
}

const (
	probeFrom, probeTo = 5 * 24 * time.Hour, 10 * 24 * time.Hour
	probeActions       = 6 // the least actions of a plan that holds a probe
)

// probeFor draws one of the things that were learned and touched five to ten days ago. The draw follows from the learner and the day.
func (p *planned) probeFor() string {
	var list []string
	now := clock.Micros(p.now)
	for id, a := range p.known.Each {
		if age := time.Duration(now-a.Last) * time.Microsecond; a.Attempts() > 0 && a.Learned >= learner.LeastProbed && age >= probeFrom && age <= probeTo {
			if _, there := p.ground.Number[id]; there && !p.known.Decks.Bounds(id) {
				list = append(list, id)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	h := fnv.New64a()
	fmt.Fprint(h, p.userID, p.now.Unix()/86400, p.known.Observations)
	return list[h.Sum64()%uint64(len(list))]
}

// withProbe puts a probe into a plan, in the place of its last action when it is full.
func (p *planned) withProbe() {
	if len(p.plan.Actions) < probeActions {
		return
	}
	id := p.probeFor()
	i := p.ground.Number[id]
	if id == "" || slices.ContainsFunc(p.plan.Actions, func(a path.Action) bool { return a.AtomID == id }) {
		return
	}
	last := &p.plan.Actions[len(p.plan.Actions)-1]
	if last.Source == path.SourceDivergence {
		p.plan.DivergenceCount--
		p.plan.MasteryCount++
	}
	p.plan.TotalMinutes += probeMinutes - last.Minutes
	p.probe = id
	*last = path.Action{
		ID: "probe:quiz:" + id, Concept: i, AtomID: id, Kind: path.Quiz, Source: path.SourceRetrain, Priority: last.Priority, Minutes: probeMinutes,
		Evidence: p.ground.Units[i].EvidenceSpans, Relation: []int{i}, Reason: path.Reason{Rule: path.Due, Strategy: p.plan.Strategy, Because: -1},
	}
}

const probeMinutes = 1

// probed is what the session's probe showed, if it had one that was answered.
func (e *execution) probed(o *learner.ObservationRecorder, out *SessionExecution) (p probe, asked bool) {
	for _, item := range out.Items {
		known := e.known.Atom(item.Action.AtomID)
		if !item.Action.Probe || known == nil || item.Result == nil || item.Result.Trace.Outcome == nil || *item.Result.Trace.Outcome == string(path.Skipped) {
			continue
		}
		m := e.known.PathTraits.Model()
		predicted := known.Held(m, e.at)
		return probe{strategy.Probe{Predicted: predicted, Drawn: true, Right: *item.Result.Trace.Outcome == string(path.Correct)}, known.Strategy}, true
	}
	return p, false
}
