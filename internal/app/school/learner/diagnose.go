package learner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// ObservationInput is one answer.
type ObservationInput struct {
	AtomID       string   `json:"atomId"`
	Outcome      string   `json:"outcome"`
	ErrorTag     string   `json:"errorTag"`
	ErrorTags    []string `json:"errorTags"`
	ResponseTime float64  `json:"responseTimeMs"`
	Confidence   *float64 `json:"confidence"`
}

// DiagnoseInput is what a learner answered.
type DiagnoseInput struct {
	UserID       string             `json:"user_id"`
	Observations []ObservationInput `json:"observations"`
	ObservedAt   string             `json:"observedAt"`
	HeaderKey    string             `json:"-"` // Idempotency-Key
}

// ErrorTagStat counts a kind of error on an atom.
type ErrorTagStat struct {
	Tag        string `json:"tag"`
	Count      uint64 `json:"count"`
	LastSeenAt string `json:"lastSeenAt"`
}

// ConceptState is what is known of a learner and an atom.
type ConceptState struct {
	UserID         string         `json:"userId"`
	AtomID         string         `json:"atomId"`
	Title          string         `json:"title"`
	Mastery        float64        `json:"masteryProbability"`
	Interval       []float64      `json:"interval90"`
	Retrievability *float64       `json:"retrievability"`
	StabilityDays  *float64       `json:"stabilityDays"`
	Reviews        int            `json:"reviewCount"`
	Correct        int            `json:"correctCount"`
	Incorrect      int            `json:"incorrectCount"`
	Partial        int            `json:"partialCount"`
	Skipped        int            `json:"skippedCount"`
	LastOutcome    *string        `json:"lastOutcome"`
	LastUpdatedAt  string         `json:"lastUpdatedAt"`
	NextReviewAt   string         `json:"nextReviewAt"`
	ErrorTags      []string       `json:"errorTags"`
	RecentTags     []string       `json:"recentErrorTags"`
	ErrorTagStats  []ErrorTagStat `json:"errorTagStats"`
}

// DiagnoseSummary says how mastery changed on average over the atoms.
type DiagnoseSummary struct {
	Updated int     `json:"updatedCount"`
	Before  float64 `json:"averageMasteryBefore"`
	After   float64 `json:"averageMasteryAfter"`
}

// DiagnoseResult is where the learner stands after the answers.
type DiagnoseResult struct {
	UserID  string          `json:"userId"`
	States  []ConceptState  `json:"updatedStates"`
	Summary DiagnoseSummary `json:"summary"`
}

// outcomes are the words for an outcome that clients use.
var outcomes = map[string]mastery.Outcome{
	"correct": mastery.Correct, "pass": mastery.Correct, "passed": mastery.Correct, "success": mastery.Correct,
	"incorrect": mastery.Incorrect, "wrong": mastery.Incorrect, "failed": mastery.Incorrect, "fail": mastery.Incorrect,
	"partial": mastery.Partial, "partially_correct": mastery.Partial, "half_correct": mastery.Partial,
	"again": mastery.Incorrect, "hard": mastery.Partial, "good": mastery.Correct, "easy": mastery.Correct,
	"skipped": mastery.Skipped, "skip": mastery.Skipped, "": mastery.Skipped,
}

// buttons are the outcomes that say which of Anki's four buttons was pressed.
var buttons = map[string]fsrs.Grade{"again": fsrs.Again, "hard": fsrs.Hard, "good": fsrs.Good, "easy": fsrs.Easy}

// OutcomeOf reads an outcome, and the button if it is one; field names it in the error.
func OutcomeOf(text, field string) (mastery.Outcome, fsrs.Grade, error) {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "-", "_")
	o, ok := outcomes[word]
	if !ok {
		return "", 0, errs.Invalid(field, "must be one of correct, partial, incorrect, skipped, or again, hard, good, easy")
	}
	return o, buttons[word], nil
}

// ErrNoAtom says that an atom is not among what a learner can learn.
func ErrNoAtom(field, id string) error {
	return errs.Invalid(field, "names no atom of your notes or of those shared with you: "+id)
}

// DiagnoseMastery records answers.
func (a *Service) DiagnoseMastery(ctx context.Context, c core.Caller, in DiagnoseInput) (DiagnoseResult, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return DiagnoseResult{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return DiagnoseResult{}, err
	}
	at := a.Past(in.ObservedAt)
	list, err := in.observed(g, at)
	if err != nil {
		return DiagnoseResult{}, err
	}
	key := a.IdempotencyKey(userID, in.HeaderKey, "mastery.diagnose", core.RequestDigest(in.Observations, in.ObservedAt))
	out := DiagnoseResult{UserID: userID}
	if found, err := a.Replay(ctx, key, &out); found || err != nil {
		return out, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return out, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := key.Reserve(tx, ""); err != nil {
			return err
		}
		if err := a.UseQuota(tx, userID, core.QuotaObservations, int64(len(list))); err != nil {
			return err
		}
		o, err := a.Observe(ctx, tx, known, core.NewID(), g)
		if err != nil {
			return err
		}
		out = DiagnoseResult{UserID: userID, States: []ConceptState{}}
		var touched []string
		for _, obs := range list {
			if !slices.Contains(touched, obs.AtomID) {
				touched = append(touched, obs.AtomID)
				before, err := o.Begin(obs.AtomID, at)
				if err != nil {
					return err
				}
				out.Summary.Before += before
			}
		}
		for _, obs := range list {
			if _, err := o.Take(obs); err != nil {
				return err
			}
		}
		o.Settle(at)
		for _, id := range touched {
			s := o.Shown(id, at)
			out.Summary.After += s.Mastery
			out.States = append(out.States, s)
		}
		n := float64(len(touched))
		out.Summary.Updated, out.Summary.Before, out.Summary.After = len(touched), core.Rounded(out.Summary.Before/n, 6), core.Rounded(out.Summary.After/n, 6)
		if err := o.End(); err != nil {
			return err
		}
		if err := tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: "learning.observed", Status: "done", Detail: map[string]any{"observations": len(list)}})); err != nil {
			return err
		}
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) {
		return out, core.RequireReplay(a.Replay(ctx, key, &out))
	}
	return out, err
}

// observed are the observations as the models take them.
func (in *DiagnoseInput) observed(g *notebook.Curriculum, at time.Time) ([]mastery.Observation, error) {
	list := make([]mastery.Observation, len(in.Observations))
	for i, o := range in.Observations {
		if g.Atom(o.AtomID) == nil {
			return nil, ErrNoAtom(notebook.FieldAt("observations", i)+".atomId", o.AtomID)
		}
		outcome, grade, err := OutcomeOf(o.Outcome, notebook.FieldAt("observations", i)+".outcome")
		if err != nil {
			return nil, err
		}
		tags := o.ErrorTags
		if o.ErrorTag != "" {
			tags = append([]string{o.ErrorTag}, tags...)
		}
		list[i] = mastery.Observation{
			AtomID: o.AtomID, Outcome: outcome, Grade: grade, At: at, ResponseTime: time.Duration(o.ResponseTime * float64(time.Millisecond)), Confidence: o.Confidence, Tags: tags,
		}
	}
	return list, nil
}

// Past reads a time that cannot be later than now; without one it is now.
func (a *Service) Past(text string) time.Time {
	now := a.Clock()
	if t := notebook.TimeOr(text, now); t.Before(now) {
		return t
	}
	return now
}

// Shown is what is known of an atom after the observations.
func (o *ObservationRecorder) Shown(atomID string, now time.Time) ConceptState {
	title := atomID
	if a := o.ground.Atom(atomID); a != nil {
		title = a.Title
	}
	e := o.Estimated(atomID, now)
	return conceptView(o.Row.UserID, atomID, title, o.at(atomID).Practice, o.learner.Atoms[atomID], e, o.tx.Now)
}

func conceptView(userID, atomID, title string, t path.Practice, states *mastery.Atom, e mastery.Estimate, updated time.Time) ConceptState {
	s := ConceptState{
		UserID: userID, AtomID: atomID, Title: title, Mastery: core.Rounded(e.MasteryProbability, 6), Interval: []float64{core.Rounded(e.Interval90[0], 6), core.Rounded(e.Interval90[1], 6)},
		Reviews: t.Attempts() + t.Skipped, Correct: t.Correct, Incorrect: t.Incorrect, Partial: t.Partial, Skipped: t.Skipped,
		LastUpdatedAt: clock.Text(updated), NextReviewAt: clock.Text(e.NextReviewAt), ErrorTags: []string{}, RecentTags: core.NonNil(t.Recent), ErrorTagStats: []ErrorTagStat{},
	}
	if e.Stability > 0 {
		r, d := core.Rounded(e.Retrievability, 6), core.Rounded(e.Stability, 4)
		s.Retrievability, s.StabilityDays = &r, &d
	} else {
		s.NextReviewAt = clock.Text(updated)
	}
	if t.LastOutcome != "" {
		last := string(t.LastOutcome)
		s.LastOutcome = &last
	}
	if states != nil {
		for i, tag := range states.Tags.Ranked() {
			if i < 12 {
				s.ErrorTags = append(s.ErrorTags, tag.Name)
			}
			s.ErrorTagStats = append(s.ErrorTagStats, ErrorTagStat{tag.Name, tag.Count, clock.Text(clock.FromMicros(tag.At))})
		}
	}
	return s
}

// MisconceptionsInput asks what goes wrong again and again.
type MisconceptionsInput struct {
	UserID      string     `json:"user_id"`
	AtomIDs     core.Words `json:"atomIds"`
	TopK        int        `json:"topK"`
	GeneratedAt string     `json:"generatedAt"`
}

// Misconception is one kind of error over a learner's atoms.
type Misconception struct {
	Tag       string   `json:"tag"`
	Count     uint64   `json:"count"`
	AtomIDs   []string `json:"affectedAtomIds"`
	Mastery   float64  `json:"averageMasteryProbability"`
	LastSeen  string   `json:"lastSeenAt"`
	Kinds     []string `json:"recommendedActionKinds"`
	Severity  float64  `json:"severityScore"`
	Frequency float64  `json:"frequencyFactor"`
}

// MisconceptionList are the misconceptions of a learner, the most severe first.
type MisconceptionList struct {
	UserID      string          `json:"userId"`
	GeneratedAt string          `json:"generatedAt"`
	Items       []Misconception `json:"items"`
	Summary     struct {
		Tags         int    `json:"trackedTags"`
		Observations uint64 `json:"totalObservations"`
	} `json:"summary"`
}

// UsualMisconceptions is how many are listed unless asked.
const UsualMisconceptions = 8

// ListMisconceptions answers what goes wrong again and again.
func (a *Service) ListMisconceptions(ctx context.Context, c core.Caller, in MisconceptionsInput) (MisconceptionList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return MisconceptionList{}, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return MisconceptionList{}, err
	}
	return Misconceptions(known, in.AtomIDs, cmp.Or(in.TopK, UsualMisconceptions), notebook.TimeOr(in.GeneratedAt, a.Clock()))
}

// Misconceptions lists what a learner takes wrongly, the most frequent first.
func Misconceptions(known *Snapshot, only []string, top int, now time.Time) (MisconceptionList, error) {
	out := MisconceptionList{UserID: known.UserID, GeneratedAt: clock.Text(now), Items: []Misconception{}}
	err := known.look(func(m *models) error {
		atoms := map[string]*mastery.Atom{}
		for id, a := range known.Each {
			if len(a.Recent) == 0 || len(only) > 0 && !slices.Contains(only, id) {
				continue
			}
			if err := m.open(id); err != nil {
				return err
			}
			atoms[id] = m.learner.Atoms[id]
		}
		all := mastery.Misconceptions(atoms, func(id string) float64 {
			return m.engine.Estimate(m.population, m.learner, id, now, 0).MasteryProbability
		})
		out.Summary.Tags = len(all)
		for i, x := range all {
			out.Summary.Observations += x.Count
			if i < top {
				out.Items = append(out.Items, Misconception{
					x.Tag, x.Count, x.AtomIDs, core.Rounded(x.AverageMastery, 6), clock.Text(clock.FromMicros(x.LastSeenAt)), x.RecommendedActionKinds[:], core.Rounded(x.Severity, 6), core.Rounded(x.FrequencyFactor, 6),
				})
			}
		}
		return nil
	})
	return out, err
}
