package school

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/path"
	"stoa/internal/learning/tutor"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// ActionTrace says what one action touched.
type ActionTrace struct {
	Tutor     string  `json:"tutorActionKind"`
	Persisted bool    `json:"persistedMemory"`
	Updated   bool    `json:"updatedMastery"`
	Analyzed  bool    `json:"analyzedAnswer"`
	Source    string  `json:"masterySource"`
	Outcome   *string `json:"effectiveOutcome"`
	ErrorTag  *string `json:"effectiveErrorTag"`
}

// ActionResult is what came of one action.
type ActionResult struct {
	ExecutedAt string                `json:"executedAt"`
	Tutor      TutorReply            `json:"tutor"`
	Analysis   *AnswerAnalysis       `json:"answerAnalysis"`
	Memory     *MemoryEntry          `json:"memory"`
	Mastery    *learner.ConceptState `json:"mastery"`
	Trace      ActionTrace           `json:"trace"`
}

// run works through the session in a transaction.
func (e *execution) run(ctx context.Context, tx *store.Tx) (SessionExecution, error) {
	id := core.NewID()
	e.answered = nil // of a try that was rolled back
	tx.BeginJournal()
	o, err := e.app.Observe(ctx, tx, e.known, id, e.ground)
	if err != nil {
		return SessionExecution{}, err
	}
	o.By = e.plan.Summary.Strategy
	out := SessionExecution{UserID: e.userID, ExecutedAt: clock.Text(e.at), Plan: e.plan, Items: []ExecutedItem{}}
	s := &out.Summary
	s.Planned = len(e.plan.Actions)
	t := tally{before: map[string]float64{}}
	for _, x := range e.plan.Actions[:e.attempted()] {
		if _, known := t.before[x.AtomID]; known || e.ground.Atom(x.AtomID) == nil {
			continue
		}
		if t.before[x.AtomID], err = o.Begin(x.AtomID, e.at); err != nil {
			return out, err
		}
	}
	for i := 0; i < e.attempted() && !s.StoppedEarly; i++ {
		if err := e.attempt(tx, o, i, &out, &t); err != nil {
			return out, err
		}
	}
	if n := s.Executed + s.Skipped; n > 0 {
		s.Confidence = core.Rounded(t.confidence/float64(n), 6)
	}
	o.Settle(e.at)
	for i := range out.Items { // what the answers taught together
		if r := out.Items[i].Result; r != nil && r.Mastery != nil {
			state := o.Shown(r.Mastery.AtomID, e.at)
			r.Mastery = &state
		}
	}
	out.Delta = e.compare(o, t.order, t.before)
	d := out.Delta
	s.Before, s.After, s.Delta, s.Improved, s.Regressed, s.Unchanged = d.Before, d.After, d.Delta, d.Improved, d.Regressed, d.Unchanged
	s.Minutes = core.Rounded(s.Minutes, 2)
	if out.Retest, err = e.retest(out.Items, o.PathTraits); err != nil {
		return out, err
	}
	out.Record = e.record(id, &out, t.promoted)
	out.Record.Timed, out.Record.Taken = e.timed(out.Items)
	if err := o.End(); err != nil {
		return out, err
	}
	if err := e.answered.Count(tx, e.userID); err != nil {
		return out, err
	}
	if err := e.keep(ctx, tx, o, &out); err != nil {
		return out, err
	}
	if err := e.judge(tx); err != nil {
		return out, err
	}
	if err := e.weigh(tx, o, &out, t.before); err != nil {
		return out, err
	}
	return out, e.keepUndo(tx, o, id)
}

// tally is what the actions of a session add up to beside its summary.
type tally struct {
	before     map[string]float64 // mastery by atom
	order      []string           // the atoms, as they came
	confidence float64
	promoted   int
}

// attempt works through one action of the plan.
func (e *execution) attempt(tx *store.Tx, o *learner.ObservationRecorder, i int, out *SessionExecution, t *tally) error {
	x, s := e.plan.Actions[i], &out.Summary
	s.Attempted++
	s.Minutes += x.Minutes
	item := ExecutedItem{Action: x, Status: "executed"}
	if e.ground.Atom(x.AtomID) == nil {
		item.Status, item.Error = "failed", "unknown_atom"
		s.Failed++
		out.Items = append(out.Items, item)
		s.StoppedEarly = e.in.StopOnError
		return nil
	}
	if !slices.Contains(t.order, x.AtomID) {
		t.order = append(t.order, x.AtomID)
	}
	step, err := e.step(tx, o, i, x)
	if err != nil {
		return err
	}
	item.Result = &step.ActionResult
	t.confidence += step.Tutor.Trace.Confidence
	if step.Trace.Outcome != nil && *step.Trace.Outcome == string(mastery.Skipped) {
		item.Status, item.Reason = "skipped", "skipped_by_learner"
		s.Skipped++
	} else {
		s.Executed++
	}
	for n, yes := range map[*int]bool{
		&s.Updated: step.Trace.Updated, &s.Inferred: step.Trace.Source == "inferred", &s.Explicit: step.Trace.Source == "explicit",
		&s.Analyzed: step.Trace.Analyzed, &s.Persisted: step.Trace.Persisted, &t.promoted: step.promoted,
	} {
		if yes {
			*n++
		}
	}
	out.Items = append(out.Items, item)
	return nil
}

// attempted is how many of the planned actions are worked through: six, or all that are answered, unless said.
func (e *execution) attempted() int {
	n := e.in.ActionLimit
	if n == 0 {
		n = cmp.Or(min(e.in.MaxActions, usualActions), usualActions)
		for i, x := range e.plan.Actions {
			if _, _, answered := e.answer(x); answered {
				n = max(n, i+1)
			}
		}
	}
	return min(n, mostActions, len(e.plan.Actions))
}

// answer gives what the learner said of an action, and the outcome if they or a person judged it.
func (e *execution) answer(x LearningAction) (answer, outcome string, given bool) {
	answer, byAction := e.in.AnswersByAction[x.ID]
	if !byAction {
		answer, byAction = e.in.AnswersByAtom[x.AtomID]
	}
	outcome, judged := e.in.OutcomesByAction[x.ID]
	if !judged {
		outcome, judged = e.in.OutcomesByAtom[x.AtomID]
	}
	return answer, outcome, byAction || judged
}

// question is what the tutor is asked at an action: to judge the answer when there is one.
func (e *execution) question(x LearningAction) notebook.Question {
	q := notebook.Question{AtomID: x.AtomID, Relation: x.Relation, Action: tutor.ForKind(x.Kind), Locale: e.caller.Locale, QuestionID: x.QuestionID, Turn: e.known.Turn(x.AtomID)}
	if q.Answer, _, _ = e.answer(x); q.Answer != "" && (e.in.Analyze == nil || *e.in.Analyze) {
		q.Action = tutor.AnalyzeAnswer
	}
	return q
}

const (
	askedAtOnce = 4                // language models, for one session
	askingTime  = 40 * time.Second // for all replies of a session; what is not there by then comes from the rule engine
)

// askAhead asks the language models, if there are any, before the session's transaction begins.
func (e *execution) askAhead(ctx context.Context) error {
	route, err := e.app.RouteTutor(ctx, e.userID, tutors.TutorWish{AdapterID: e.in.TutorAdapterID, Provider: e.in.TutorProvider, Mode: e.in.TutorMode})
	if err != nil || len(route.Order) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askingTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(askedAtOnce)
	replies := make([]*reply, e.attempted())
	for i := range replies {
		if x := e.plan.Actions[i]; e.ground.Atom(x.AtomID) != nil {
			group.Go(func() error {
				said := e.app.ask(ctx, route, e.ground, e.userID, e.question(x), e.at)
				replies[i] = &said
				return nil
			})
		}
	}
	err = group.Wait()
	e.replies = map[int]reply{}
	for i, r := range replies {
		if r != nil {
			e.replies[i] = *r
		}
	}
	return err
}

// stepped is what came of one action, and what of it is not shown.
type stepped struct {
	ActionResult
	promoted bool
}

// step works through one action.
func (e *execution) step(tx *store.Tx, o *learner.ObservationRecorder, i int, x LearningAction) (stepped, error) {
	answer, judged, _ := e.answer(x)
	q := e.question(x)
	r := stepped{ActionResult: ActionResult{ExecutedAt: clock.Text(e.at), Trace: ActionTrace{Tutor: string(q.Action), Source: "none"}}}
	var outcome mastery.Outcome
	var grade fsrs.Grade
	tag, named := x.ErrorTag, ""
	if judged != "" {
		var err error
		if outcome, grade, err = learner.OutcomeOf(judged, "outcomesByActionId"); err != nil {
			return r, err
		}
		r.Trace.Source = "explicit"
	}
	r.Trace.Analyzed = q.Action == tutor.AnalyzeAnswer
	said, asked := e.replies[i]
	if !asked {
		said = reply{TutorReply: replyTo(e.ground, e.userID, q, e.at)}
	}
	analysis := said.Analysis
	r.Tutor, r.Analysis = said.TutorReply, analysis
	if analysis != nil && !analysis.Doubtful && outcome == "" && (e.in.UpdateFromAnswer == nil || *e.in.UpdateFromAnswer) {
		outcome, r.Trace.Source = mastery.Outcome(analysis.Outcome), "inferred"
	}
	if outcome != "" {
		obs := mastery.Observation{AtomID: x.AtomID, Outcome: outcome, Grade: grade, At: e.at, ResponseTime: time.Duration(e.in.TimesByAction[x.ID] * float64(time.Millisecond))}
		if outcome != mastery.Correct {
			if analysis != nil && analysis.ErrorTag != "" {
				tag, named = analysis.ErrorTag, analysis.ErrorTag
			}
			if named != "" { // what the action was for says nothing of what went wrong now
				obs.Tags = []string{named}
			}
		}
		asked := e.ground.Asked(&q)
		if asked != nil {
			obs.QuestionID = asked.ID
			if !e.ground.Bank.Card(x.AtomID) { // a card is all of its concept, whose difficulty the models have
				obs.ItemID = asked.ID
			}
		}
		update, err := o.Take(obs)
		if err != nil {
			return r, err
		}
		if asked != nil && outcome != mastery.Skipped {
			if err := tx.CountAnswer(e.userID, asked.ID, outcome == mastery.Correct, outcome == mastery.Partial, clock.Micros(e.at)); err != nil {
				return r, err
			}
			e.answered.Add(x.AtomID, asked.ID, outcome, update.Before.MasteryProbability)
		}
		if i, ok := e.ground.Number[x.AtomID]; ok {
			o.PathTraits.Pace.Took(path.Kind(x.Kind), e.ground.Unmet[i].Letters, obs.ResponseTime.Minutes())
		}
		state := o.Shown(x.AtomID, e.at)
		r.Mastery, r.Trace.Updated = &state, true
		text := string(outcome)
		r.Trace.Outcome = &text
		if outcome != mastery.Correct && tag != "" {
			r.Trace.ErrorTag = &tag
		}
	}
	if err := e.app.keepReply(tx, &said, e.at); err != nil {
		return r, err
	}
	if !e.in.Persist {
		return r, nil
	}
	return r, e.remember(tx, &r, x, answer, outcome)
}

// deadBand is the change of mastery that says nothing: half of what the model's probabilities are off by on the logs of
// answers (an ECE of about 0.01).
const deadBand = 0.005

// compare says how the session's answers changed mastery; what time did before the session is told apart.
func (e *execution) compare(o *learner.ObservationRecorder, order []string, before map[string]float64) MasteryDelta {
	d := MasteryDelta{Compared: len(order), Items: []MasteryDeltaItem{}}
	studied := 0.0
	for _, id := range order {
		after := o.Estimated(id, e.at).MasteryProbability
		was := e.known.Atom(id)
		item := MasteryDeltaItem{AtomID: id, Title: e.ground.Atom(id).Title, Before: core.Rounded(before[id], 6), After: core.Rounded(after, 6), Delta: core.Rounded(after-before[id], 6)}
		if t := o.Touched[id]; t != nil {
			last := string(t.LastOutcome)
			item.Updated, item.LastOutcome = true, &last
		}
		if item.Studied = was != nil && was.Attempts() > 0; item.Studied {
			item.Time = core.Rounded(before[id]-learner.Covered(e.ground, id, &was.Practice, was.Shown), 6)
			d.Time, studied = d.Time+item.Time, studied+1
		}
		switch {
		case item.Delta > deadBand:
			d.Improved++
		case item.Delta < -deadBand:
			d.Regressed++
		default:
			d.Unchanged++
		}
		d.Before, d.After = d.Before+before[id], d.After+after
		d.Items = append(d.Items, item)
	}
	d.Time = core.Rounded(d.Time/max(1, studied), 6)
	if n := float64(len(order)); n > 0 {
		d.Before, d.After = core.Rounded(d.Before/n, 6), core.Rounded(d.After/n, 6)
		if d.Delta = core.Rounded(d.After-d.Before, 6); math.Abs(d.Delta) <= deadBand {
			d.Delta = 0
		}
	}
	return d
}

// timed is how many minutes were planned for, and taken by, the actions whose time was measured.
func (e *execution) timed(items []ExecutedItem) (planned, taken float64) {
	for i := range items {
		if ms := e.in.TimesByAction[items[i].Action.ID]; ms > 0 && items[i].Result != nil {
			planned, taken = planned+items[i].Action.Minutes, taken+ms/60_000
		}
	}
	return core.Rounded(planned, 2), core.Rounded(taken, 2)
}

// retest plans what to ask again.
func (e *execution) retest(items []ExecutedItem, traits path.Traits) (RetestPlan, error) {
	plan := RetestPlan{GeneratedAt: clock.Text(e.at), Actions: []LearningAction{}}
	plan.Summary.Targets = []string{}
	if e.in.Retest != nil && !*e.in.Retest {
		return plan, nil
	}
	var answered []path.Answered
	for _, item := range items {
		if item.Result != nil && item.Result.Trace.Outcome != nil {
			tag := item.Action.ErrorTag
			if named := item.Result.Trace.ErrorTag; named != nil {
				tag = *named
			}
			answered = append(answered, path.Answered{Concept: e.ground.Number[item.Action.AtomID], Outcome: path.Outcome(*item.Result.Trace.Outcome), ErrorTag: tag})
		}
	}
	p := planned{ground: e.ground, known: e.known, later: 1}
	var err error
	if plan.Actions, err = p.actions(path.Retest(&path.View{Concepts: e.ground.Unmet, Traits: traits}, answered, cmp.Or(e.in.RetestLimit, usualRetests))); err != nil {
		return plan, err
	}
	for i := range plan.Actions {
		x := &plan.Actions[i]
		x.Rationale, x.Reason.Strategy, x.Reason.Numbers = x.Title+" was not answered right in this session.", e.plan.Signals.Orchestration.Recommended, map[string]float64{}
		if !slices.Contains(plan.Summary.Targets, x.AtomID) {
			plan.Summary.Targets = append(plan.Summary.Targets, x.AtomID)
		}
	}
	plan.Summary.Actions = len(plan.Actions)
	return plan, nil
}

func (e *execution) record(id string, out *SessionExecution, promoted int) ExecutionRecord {
	s := out.Summary
	focus := core.NonNil([]string(e.in.Focus))
	return ExecutionRecord{
		ID: id, UserID: e.userID, Kind: e.kind, ExecutedAt: clock.Text(e.at), Focus: focus[:min(len(focus), mostFocus)],
		Planned: s.Planned, Attempted: s.Attempted, Executed: s.Executed, Updated: s.Updated, Inferred: s.Inferred, Explicit: s.Explicit, Analyzed: s.Analyzed,
		Persisted: s.Persisted, Promoted: promoted, Promotions: promoted, Confidence: s.Confidence, Delta: s.Delta, Improved: s.Improved, Regressed: s.Regressed,
		Unchanged: s.Unchanged, Retests: len(out.Retest.Actions), Stopped: s.StoppedEarly, StudySessionSummary: e.plan.Summary, Selection: e.plan.Signals.Orchestration.Selection,
	}
}

// keep writes the session, its part in the sums, a snapshot of where it has left the learner, and its line in the audit log.
func (e *execution) keep(ctx context.Context, tx *store.Tx, o *learner.ObservationRecorder, out *SessionExecution) error {
	r := &out.Record
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := tx.AddStudy(schooldb.Study{
		UserID: e.userID, ID: r.ID, ExecutedAt: clock.Micros(e.at), StudyKey: schooldb.StudyKey{Kind: r.Kind, Strategy: r.Strategy, Source: r.Source},
		Delta: core.Millionths(r.Delta), Confidence: core.Millionths(r.Confidence), Actions: int64(r.Executed), Updated: int64(r.Updated),
		Promoted: int64(r.Promoted), Promotions: int64(r.Promotions), Record: text,
	}); err != nil {
		return err
	}
	if err := e.captureSession(ctx, tx, o, r); err != nil {
		return err
	}
	return tx.AddEvent(core.NewAuditEvent(tx, e.caller, core.AuditEntry{
		Owner: e.userID, Action: "learning.session_executed", Target: r.ID, Status: "done", Detail: map[string]any{"strategy": r.Strategy, "source": r.Source, "actions": r.Executed},
	}))
}

// judge keeps a verdict on the session's plan, as it stood when it was made.
func (e *execution) judge(tx *store.Tx) error {
	if len(e.plan.Actions) == 0 {
		return nil
	}
	return keepPlanQuality(tx, judgePlan(e.plan, e.metrics, path.DefaultThresholds(), e.context, "session_execution", e.at).Record)
}
