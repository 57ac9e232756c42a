package school

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/cards"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// ExecuteInput is a session that a learner works through: a plan, or what to make one from, and the answers.
type ExecuteInput struct {
	PlanWishes
	Strategy          string             `json:"pathStrategy"`
	Limit             int                `json:"pathRecommendedActionLimit"`
	Plan              json.RawMessage    `json:"sessionPlan"`
	Kind              string             `json:"executionKind"`
	ActionLimit       int                `json:"actionLimit"`
	AnswersByAction   map[string]string  `json:"answersByActionId"`
	AnswersByAtom     map[string]string  `json:"answersByAtomId"`
	OutcomesByAction  map[string]string  `json:"outcomesByActionId"`
	OutcomesByAtom    map[string]string  `json:"outcomesByAtomId"`
	TimesByAction     map[string]float64 `json:"responseTimesByActionId"` // ms
	Analyze           *bool              `json:"autoAnalyzeAnswer"`
	UpdateFromAnswer  *bool              `json:"autoUpdateMasteryFromAnswer"`
	Retest            *bool              `json:"includeRetestPlan"`
	RetestLimit       int                `json:"retestActionLimit"`
	Persist           bool               `json:"persistMemory"`
	Layer             string             `json:"memoryLayer"`
	StopOnError       bool               `json:"stopOnError"`
	Promote           bool               `json:"autoPromoteMemory"`
	PromoteTo         string             `json:"promoteMemoryTargetLayer"`
	PromoteConfidence *float64           `json:"promoteMemoryMinConfidence"`
	PromoteMove       bool               `json:"promoteMemoryRemoveFromSource"`
	ExecutedAt        string             `json:"executedAt"`
	TutorAdapterID    string             `json:"tutorAdapterId"`
	TutorProvider     string             `json:"tutorProviderName"`
	TutorMode         string             `json:"tutorProviderMode"`
	HeaderKey         string             `json:"-"` // Idempotency-Key
}

// ExecutedItem is one action of a session and what came of it.
type ExecutedItem struct {
	Action LearningAction `json:"action"`
	Status string         `json:"status"`
	Reason string         `json:"reason,omitempty"`
	Result *ActionResult  `json:"result,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// ExecutionSummary counts what a session did.
type ExecutionSummary struct {
	Planned      int     `json:"plannedActions"`
	Attempted    int     `json:"attemptedActions"`
	Executed     int     `json:"executedCount"`
	Skipped      int     `json:"skippedCount"`
	Failed       int     `json:"failedCount"`
	Updated      int     `json:"updatedMasteryCount"`
	Inferred     int     `json:"inferredMasteryCount"`
	Explicit     int     `json:"explicitMasteryCount"`
	Analyzed     int     `json:"analyzedAnswerCount"`
	Persisted    int     `json:"memoryPersistedCount"`
	Minutes      float64 `json:"totalEstimatedMinutes"`
	Confidence   float64 `json:"averageTutorConfidence"`
	Before       float64 `json:"averageMasteryBefore"`
	After        float64 `json:"averageMasteryAfter"`
	Delta        float64 `json:"averageMasteryDelta"`
	Improved     int     `json:"improvedAtomCount"`
	Regressed    int     `json:"regressedAtomCount"`
	Unchanged    int     `json:"unchangedAtomCount"`
	StoppedEarly bool    `json:"stoppedEarly"`
}

// MasteryDeltaItem is how a session changed one atom.
type MasteryDeltaItem struct {
	AtomID      string  `json:"atomId"`
	Title       string  `json:"title"`
	Before      float64 `json:"beforeMastery"`
	After       float64 `json:"afterMastery"`
	Delta       float64 `json:"deltaMastery"`
	Updated     bool    `json:"updatedByExecution"`
	LastOutcome *string `json:"lastOutcome"`
	// Studied says whether it had been answered before this session; if not, there was nothing to show before it.
	Studied bool `json:"studiedBefore"`
	// Time is what time did to it between the last answer before the session and the session.
	Time float64 `json:"timeDelta"`
}

// MasteryDelta is how a session changed mastery.
type MasteryDelta struct {
	Compared  int                `json:"comparedAtoms"`
	Before    float64            `json:"averageBefore"`
	After     float64            `json:"averageAfter"`
	Delta     float64            `json:"averageDelta"`
	Improved  int                `json:"improvedCount"`
	Regressed int                `json:"regressedCount"`
	Unchanged int                `json:"unchangedCount"`
	Items     []MasteryDeltaItem `json:"items"`
	Time      float64            `json:"averageTimeDelta"` // over what had been studied before
}

// RetestPlan is what to ask again after a session.
type RetestPlan struct {
	GeneratedAt string           `json:"generatedAt"`
	Actions     []LearningAction `json:"actions"`
	Summary     struct {
		Actions int      `json:"totalActions"`
		Targets []string `json:"targetAtoms"`
	} `json:"summary"`
}

// ExecutionRecord is what is kept of a session.
type ExecutionRecord struct {
	ID         string   `json:"id"`
	UserID     string   `json:"userId"`
	Kind       string   `json:"executionKind"`
	ExecutedAt string   `json:"executedAt"`
	Focus      []string `json:"focusAtomIds"`
	Planned    int      `json:"plannedActions"`
	Attempted  int      `json:"attemptedActions"`
	Executed   int      `json:"executedCount"`
	Updated    int      `json:"updatedMasteryCount"`
	Inferred   int      `json:"inferredMasteryCount"`
	Explicit   int      `json:"explicitMasteryCount"`
	Analyzed   int      `json:"analyzedAnswerCount"`
	Persisted  int      `json:"memoryPersistedCount"`
	Promoted   int      `json:"memoryPromotionAppliedCount"`
	Promotions int      `json:"memoryPromotionCount"`
	Confidence float64  `json:"averageTutorConfidence"`
	Delta      float64  `json:"averageMasteryDelta"`
	Improved   int      `json:"improvedAtomCount"`
	Regressed  int      `json:"regressedAtomCount"`
	Unchanged  int      `json:"unchangedAtomCount"`
	Retests    int      `json:"retestActions"`
	Stopped    bool     `json:"stoppedEarly"`
	// Timed and Taken are the minutes that were planned for, and taken by, the actions whose time was measured.
	Timed float64 `json:"timedPlannedMinutes"`
	Taken float64 `json:"timedTakenMinutes"`
	StudySessionSummary
	Selection
}

// SessionExecution is what a session came to.
type SessionExecution struct {
	UserID     string           `json:"userId"`
	ExecutedAt string           `json:"executedAt"`
	Plan       StudySession     `json:"sessionPlan"`
	Items      []ExecutedItem   `json:"items"`
	Summary    ExecutionSummary `json:"summary"`
	Delta      MasteryDelta     `json:"masteryDelta"`
	Retest     RetestPlan       `json:"retestPlan"`
	Record     ExecutionRecord  `json:"record"`
	Replay     bool             `json:"idempotent_replay,omitempty"`
}

const (
	usualActions = 6
	mostActions  = 40
	usualRetests = 6
	mostFocus    = 120
	usualPromote = 0.75
)

var executionKinds = map[string]string{"": "session", "session": "session", "retest": "retest", "retry": "retest", "custom": "custom", "manual": "custom"}

// ExecuteStudySession works through a session: all of it is kept, or nothing.
func (a *School) ExecuteStudySession(ctx context.Context, c core.Caller, in ExecuteInput) (SessionExecution, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SessionExecution{}, err
	}
	kind, ok := executionKinds[strings.ToLower(in.Kind)]
	if !ok {
		return SessionExecution{}, errs.Invalid("executionKind", "must be one of session, retest, custom")
	}
	digested := in
	digested.HeaderKey, digested.UserID = "", ""
	key := a.IdempotencyKey(userID, in.HeaderKey, "session.execute", core.RequestDigest(digested))
	if key.Key == "" && c.RequestIDSent {
		key.Key, key.TTL = "request:"+c.RequestID, core.RequestIDKeep
	}
	var out SessionExecution
	if found, err := a.Replay(ctx, key, &out); found || err != nil {
		if err == nil {
			err = a.stillThere(ctx, userID, out.Record.ID)
		}
		out.Replay = found
		return out, err
	}
	e, err := a.execution(ctx, c.As(userID), userID, kind, in)
	if err != nil {
		return SessionExecution{}, err
	}
	if err := e.askAhead(ctx); err != nil {
		return SessionExecution{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := key.Reserve(tx, ""); err != nil {
			return err
		}
		if err := a.UseQuota(tx, userID, core.QuotaStudySessions, 1); err != nil {
			return err
		}
		if out, err = e.run(ctx, tx); err != nil {
			return err
		}
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) {
		err = core.RequireReplay(a.Replay(ctx, key, &out))
		out.Replay = err == nil
	}
	return out, err
}

// execution is a session about to be worked through.
type execution struct {
	app    *School
	caller core.Caller
	userID string
	kind   string
	in     ExecuteInput
	at     time.Time
	plan   StudySession
	ground *notebook.Curriculum
	known  *learner.Snapshot
	// context is how the learner has been doing of late.
	context path.Context
	metrics PlanMetrics
	replies map[int]reply // of language models, by action
	// answered are the questions that were answered, by their concepts.
	answered cards.SessionAnswers
	drawn    bool // the plan was made here, or is the one that would be made: its strategy was drawn
}

func (a *School) execution(ctx context.Context, c core.Caller, userID, kind string, in ExecuteInput) (*execution, error) {
	e := &execution{app: a, caller: c, userID: userID, kind: kind, in: in, at: a.Past(in.ExecutedAt)}
	var err error
	if len(in.Plan) > 0 && string(in.Plan) != "null" {
		if err := json.Unmarshal(in.Plan, &e.plan); err != nil {
			return nil, errs.Invalid("sessionPlan", "must be a plan as session/plan answers it")
		}
		if e.plan.UserID != "" && e.plan.UserID != userID {
			return nil, core.ErrNotYours
		}
		if err := e.plan.fit(userID, e.at); err != nil {
			return nil, err
		}
		if err := e.recognize(ctx); err != nil {
			return nil, err
		}
	} else if e.plan, err = a.planSession(ctx, userID, SessionPlanInput{PlanWishes: in.PlanWishes, Strategy: in.Strategy, Limit: in.Limit}); err != nil {
		return nil, err
	}
	o := &e.plan.Signals.Orchestration
	e.drawn = o.Propensity != nil
	if e.ground, err = a.Curriculum(ctx, userID); err != nil {
		return nil, err
	}
	if e.context, err = a.contextNow(ctx, userID); err != nil {
		return nil, err
	}
	if e.known, err = a.States.Of(ctx, userID); err != nil {
		return nil, err
	}
	e.metrics = metrics(e.ground, e.known, e.plan, e.plan.Summary.Limit, e.at)
	return e, nil
}

// recognize gives a plan that came back from the learner the probability with which its strategy was drawn, if it is the
// one that is drawn for their block. What a client says of it counts for nothing.
func (e *execution) recognize(ctx context.Context) error {
	o := &e.plan.Signals.Orchestration
	if o.Source != sourceFallback || o.Block == "" {
		o.Block = ""
		return nil
	}
	config, _, err := learner.OrchestrationOf(ctx, e.app.Store.Queries, e.userID)
	if err != nil {
		return err
	}
	c, err := e.app.choose(ctx, e.userID, "", config, e.at)
	if err == nil && c.Block == o.Block && c.Recommended == o.Recommended {
		o.Propensity = c.Propensity
	}
	return err
}

// rulesBySource stand for the reason of an action whose plan does not say.
var rulesBySource = map[string]path.Rule{
	string(path.SourceMastery): path.Fringe, string(path.SourceDivergence): path.Divergence, string(path.SourceRetrain): path.Due, string(path.SourceRemediation): path.Misconception,
}

var actionKinds = []path.Kind{path.Quiz, path.Explain, path.Review, path.Transfer, path.Counterexample, path.Reflection}

// fit accepts a plan that a client sent: what the contract requires is there, and what cannot be is refused.
func (s *StudySession) fit(userID string, at time.Time) error {
	if len(s.Actions) > path.LargestLimit {
		return errs.Invalid("sessionPlan.actions", "are more than a plan holds")
	}
	out := StudySession{UserID: userID, GeneratedAt: clock.Text(notebook.TimeOr(s.GeneratedAt, at)), Actions: []LearningAction{}}
	evidence, divergence := 0, 0
	for i, x := range s.Actions {
		field := "sessionPlan." + notebook.FieldAt("actions", i)
		x.Source = cmp.Or(x.Source, string(path.SourceMastery))
		rule, ok := rulesBySource[x.Source]
		switch {
		case x.AtomID == "" || len(x.AtomID) > 128:
			return errs.Invalid(field+".atomId", "is missing")
		case !slices.Contains(actionKinds, path.Kind(x.Kind)):
			return errs.Invalid(field+".kind", "must be one of quiz, explain, review, transfer, counterexample, reflection")
		case !ok:
			return errs.Invalid(field+".source", "must be one of mastery_path, divergence_path, retrain_plan, misconception_remediation")
		}
		if len(x.Evidence) > 0 {
			evidence++
		}
		if x.Source == string(path.SourceDivergence) {
			divergence++
		}
		out.Actions = append(out.Actions, LearningAction{
			ID: cmp.Or(core.Truncate(x.ID, 256), x.Source+":"+x.Kind+":"+x.AtomID), Kind: x.Kind, AtomID: x.AtomID, Title: core.Truncate(x.Title, 512), Priority: x.Priority, Gain: x.Gain,
			Rationale: core.Truncate(x.Rationale, 512), Evidence: core.NonNil(x.Evidence), Relation: core.NonNil(x.Relation), Minutes: min(max(x.Minutes, 0), 600), Source: x.Source,
			ErrorTag: core.Truncate(x.ErrorTag, 64), Probe: x.Probe, QuestionID: core.Truncate(x.QuestionID, 64), Reason: ActionReason{Rule: string(rule), Strategy: string(path.Balanced), Numbers: map[string]float64{}},
		})
		out.Summary.Minutes += out.Actions[i].Minutes
	}
	out.Signals = StudySessionSignals{Misconceptions: []learner.Misconception{}, Due: []string{}, Mastery: []string{}, Divergence: []string{}}
	n := len(out.Actions)
	share := 1.0
	if n > 0 {
		share = float64(evidence) / float64(n)
	}
	out.Summary.Actions, out.Summary.Evidence = n, core.Rounded(share, 6)
	o, figures := s.Signals.Orchestration, s.Summary.PathFigures
	strategy := path.Strategy(cmp.Or(figures.Strategy, o.Recommended))
	switch {
	case strategy != "" && !strategy.Valid():
		return errs.Invalid("sessionPlan.summary.pathStrategy", "must be one of balanced, mastery_recovery, exploration_boost")
	case !slices.Contains([]string{"", sourceExplicit, sourceTrend, sourceFallback, sourceUnknown}, o.Source):
		return errs.Invalid("sessionPlan.signals.orchestration.pathStrategySelectionSource", "must be one of explicit_request, strategy_trend, mode_fallback")
	}
	if strategy == "" {
		o = Orchestration{}
	}
	o.Recommended = cmp.Or(string(strategy), string(path.Balanced))
	o.Source, o.Reason, o.Propensity, o.Block = cmp.Or(o.Source, sourceUnknown), core.Truncate(o.Reason, 512), nil, core.Truncate(o.Block, 32)
	if !slices.Contains([]string{"improving", "stable", "regressing", "insufficient_data"}, o.Status) {
		o.Status = ""
	}
	for i := range out.Actions {
		out.Actions[i].Reason.Strategy = o.Recommended
	}
	out.Signals.Orchestration = o
	limit := figures.Limit
	if limit < n || limit > path.LargestLimit {
		limit = max(n, 1)
	}
	out.Summary.PathFigures = PathFigures{string(strategy), limit, n, n - divergence, divergence, core.Rounded(100*share, 4)}
	*s = out
	return nil
}
