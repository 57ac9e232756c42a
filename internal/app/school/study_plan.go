package school

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
)

// PlanWishes are what every request for a plan may say.
type PlanWishes struct {
	UserID            string     `json:"user_id"`
	Focus             core.Words `json:"focusAtomIds"`
	MaxActions        int        `json:"maxActions"`
	Minutes           int        `json:"minutes"`
	Mode              string     `json:"mode"`
	DeadlineAt        string     `json:"deadlineAt"`
	IncludeDivergence *bool      `json:"includeDivergence"`
	IncludeRetrain    *bool      `json:"includeRetrain"`
	GeneratedAt       string     `json:"generatedAt"`
}

// SessionPlanInput asks for a study session.
type SessionPlanInput struct {
	PlanWishes
	Strategy string `json:"pathStrategy"`
	Limit    int    `json:"pathRecommendedActionLimit"`
}

// PathInput asks what to learn next.
type PathInput struct {
	PlanWishes
	Strategy      string `json:"strategy"`
	Limit         int    `json:"recommendedActionLimit"`
	MaxMastery    *int   `json:"maxMasteryPaths"`
	MaxDivergence *int   `json:"maxDivergencePaths"`
}

// ActionReason is why an action stands in a plan.
type ActionReason struct {
	Rule         string             `json:"rule"`
	Strategy     string             `json:"strategy"`
	Numbers      map[string]float64 `json:"numbers"`
	RunnerUp     *ActionRunnerUp    `json:"runnerUp,omitempty"`
	Changes      []path.Change      `json:"changes,omitempty"`
	Gate         string             `json:"gate,omitempty"`
	Because      string             `json:"because,omitempty"`
	BecauseTitle string             `json:"becauseTitle,omitempty"`
}

// ActionRunnerUp is the best candidate that was not taken.
type ActionRunnerUp struct {
	AtomID string  `json:"atomId"`
	Title  string  `json:"title"`
	Rule   string  `json:"rule"`
	Source string  `json:"source"`
	Score  float64 `json:"score"`
	Rank   int     `json:"rank"`
}

// LearningAction is one step of a plan.
type LearningAction struct {
	ID        string       `json:"id"`
	Kind      string       `json:"kind"`
	AtomID    string       `json:"atomId"`
	Title     string       `json:"title"`
	Priority  float64      `json:"priority"`
	Gain      float64      `json:"expectedGain"`
	Rationale string       `json:"rationale"`
	Reason    ActionReason `json:"reason"`
	Evidence  []string     `json:"evidenceSpanIds"`
	Relation  []string     `json:"relationPathAtomIds"`
	// After are the atoms that must be answered rightly before this one.
	After    []string `json:"afterAtomIds,omitempty"`
	Minutes  float64  `json:"estimatedMinutes"`
	Source   string   `json:"source"`
	ErrorTag string   `json:"errorTag,omitempty"`
	Probe    bool     `json:"probe,omitempty"`
	// QuestionID names the question that the action asks.
	QuestionID string `json:"questionId,omitempty"`
}

// PathFigures sum up what was recommended.
type PathFigures struct {
	Strategy   string  `json:"pathStrategy"`
	Limit      int     `json:"pathRecommendedActionLimit"`
	Count      int     `json:"pathRecommendedActionCount"`
	Mastery    int     `json:"pathRecommendedMasteryActionCount"`
	Divergence int     `json:"pathRecommendedDivergenceActionCount"`
	Evidence   float64 `json:"pathRecommendedEvidenceCoverageRatioPct"`
}

// StudySessionSummary sums up a session that is planned.
type StudySessionSummary struct {
	Actions  int     `json:"totalActions"`
	Minutes  float64 `json:"totalEstimatedMinutes"`
	Evidence float64 `json:"evidenceCoverageRatio"`
	PathFigures
}

// StudySessionSignals are what a session was planned from.
type StudySessionSignals struct {
	Misconceptions []learner.Misconception `json:"misconceptions"`
	Due            []string                `json:"dueRetrainAtoms"`
	Mastery        []string                `json:"masteryPathTargets"`
	Divergence     []string                `json:"divergenceTargets"`
	Orchestration  Orchestration           `json:"orchestration"`
}

// StudySession is a session that is planned.
type StudySession struct {
	UserID      string              `json:"userId"`
	GeneratedAt string              `json:"generatedAt"`
	Actions     []LearningAction    `json:"actions"`
	Signals     StudySessionSignals `json:"signals"`
	Summary     StudySessionSummary `json:"summary"`
}

// MasteryPath leads to an atom.
type MasteryPath struct {
	ID       string           `json:"id"`
	Target   string           `json:"targetAtomId"`
	Priority float64          `json:"priority"`
	Gain     float64          `json:"expectedMasteryGain"`
	Actions  []LearningAction `json:"actions"`
}

// DivergencePath leads from an atom to a neighbour of its kind.
type DivergencePath struct {
	ID       string           `json:"id"`
	Source   string           `json:"sourceAtomId"`
	Target   string           `json:"targetAtomId"`
	Priority float64          `json:"priority"`
	Gain     float64          `json:"expectedExplorationGain"`
	Actions  []LearningAction `json:"actions"`
}

// LearningPathSummary sums up a learning path.
type LearningPathSummary struct {
	Strategy   string  `json:"strategy"`
	Limit      int     `json:"recommendedActionLimit"`
	Mastery    int     `json:"recommendedMasteryActionCount"`
	Divergence int     `json:"recommendedDivergenceActionCount"`
	Evidence   float64 `json:"recommendedEvidenceCoverageRatioPct"`
}

// LearningPath is what to learn next. Nothing is stored of it.
type LearningPath struct {
	UserID      string              `json:"userId"`
	GeneratedAt string              `json:"generatedAt"`
	Mastery     []MasteryPath       `json:"masteryPaths"`
	Divergence  []DivergencePath    `json:"divergencePaths"`
	Recommended []LearningAction    `json:"recommendedActions"`
	Summary     LearningPathSummary `json:"summary"`
}

const (
	usualPathActions = 24
	usualPaths       = 3
)

// planned is a plan with what it was made from.
type planned struct {
	userID string
	ground *notebook.Curriculum
	known  *learner.Snapshot
	plan   path.Plan
	choice choice
	probe  string // the atom that is asked by chance
	limit  int
	now    time.Time
	later  int // answers that are not counted in known yet
}

// makePlan makes a plan for a learner.
func (a *School) makePlan(ctx context.Context, userID string, in PlanWishes, strategy string, limit int) (*planned, error) {
	p, request, err := a.wanted(ctx, userID, in, strategy, limit)
	if err == nil {
		var view *path.View
		if view, err = a.view(ctx, p); err != nil {
			return nil, err
		}
		p.plan = path.Make(view, request)
		learner.Done(p.ground, view)
	}
	return p, err
}

// wanted reads what a plan is made from and says what plan is wanted.
func (a *School) wanted(ctx context.Context, userID string, in PlanWishes, strategy string, limit int) (*planned, path.Request, error) {
	p := &planned{userID: userID, now: notebook.TimeOr(in.GeneratedAt, a.Clock()), limit: min(limit, path.LargestLimit)}
	var request path.Request
	var err error
	if p.ground, err = a.Curriculum(ctx, userID); err != nil {
		return nil, request, err
	}
	if p.known, err = a.States.Of(ctx, userID); err != nil {
		return nil, request, err
	}
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil {
		return nil, request, err
	}
	if p.choice, err = a.choose(ctx, userID, strategy, config, p.now); err != nil {
		return nil, request, err
	}
	request = path.Request{
		Strategy: p.choice.Strategy, Context: p.choice.context, Limit: p.limit, Minutes: float64(in.Minutes),
		NoDivergence: in.IncludeDivergence != nil && !*in.IncludeDivergence, NoRetrain: in.IncludeRetrain != nil && !*in.IncludeRetrain,
		Backlog:   in.Mode == "backlog",
		Questions: func(concept int) int { return len(p.ground.Questions(p.ground.Units[concept].ID)) },
	}
	if in.Mode == "deadline" || in.DeadlineAt != "" {
		if request.Deadline = notebook.TimeOr(in.DeadlineAt, time.Time{}); !request.Deadline.After(p.now) {
			return nil, request, errs.Invalid("deadlineAt", "must be a time after now, such as 2026-06-30T09:00:00Z")
		}
	}
	for _, id := range in.Focus {
		if i, ok := p.ground.Number[id]; ok {
			request.Focus = append(request.Focus, i)
		}
	}
	return p, request, nil
}

// view is what a plan is made from, with what the learner's decks allow today.
func (a *School) view(ctx context.Context, p *planned) (*path.View, error) {
	v, err := learner.View(p.ground, p.known, p.now)
	if d := p.known.Decks; err == nil && d != nil {
		var day learner.DeckDay
		if day, err = d.Today(ctx, a.Store.Queries, p.known, p.now); err == nil {
			d.Bind(v, p.ground, &day)
		}
	}
	return v, err
}

// PlanStudySession plans a session. Nothing is stored of it.
func (a *School) PlanStudySession(ctx context.Context, c core.Caller, in SessionPlanInput) (StudySession, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return StudySession{}, err
	}
	return a.planSession(ctx, userID, in)
}

func (a *School) planSession(ctx context.Context, userID string, in SessionPlanInput) (StudySession, error) {
	limit := cmp.Or(in.MaxActions, in.Limit)
	if in.MaxActions > 0 && in.Limit > 0 {
		limit = min(in.MaxActions, in.Limit)
	}
	if limit == 0 && in.Minutes == 0 {
		limit = path.DefaultLimit
	}
	p, err := a.makePlan(ctx, userID, in.PlanWishes, in.Strategy, limit)
	if err != nil {
		return StudySession{}, err
	}
	if in.IncludeRetrain == nil || *in.IncludeRetrain {
		p.withProbe()
	}
	return p.session(limit)
}

// session shows a plan as a study session.
func (p *planned) session(limit int) (StudySession, error) {
	wrong, err := learner.Misconceptions(p.known, nil, learner.UsualMisconceptions, p.now)
	if err != nil {
		return StudySession{}, err
	}
	actions, err := p.actions(p.plan.Actions)
	if err != nil {
		return StudySession{}, err
	}
	if limit == 0 || limit > path.LargestLimit {
		limit = path.LargestLimit
	}
	s := StudySession{
		UserID: p.userID, GeneratedAt: clock.Text(p.now), Actions: actions,
		Signals: StudySessionSignals{Misconceptions: wrong.Items, Due: []string{}, Mastery: []string{}, Divergence: []string{}, Orchestration: p.choice.Orchestration},
		Summary: StudySessionSummary{
			Actions: len(actions), Minutes: core.Rounded(p.plan.TotalMinutes, 2), Evidence: core.Rounded(p.plan.EvidenceShare, 6),
			PathFigures: PathFigures{string(p.plan.Strategy), limit, len(actions), p.plan.MasteryCount, p.plan.DivergenceCount, core.Rounded(100*p.plan.EvidenceShare, 4)},
		},
	}
	for _, x := range p.plan.Actions {
		list := &s.Signals.Mastery
		switch {
		case x.Source == path.SourceDivergence:
			list = &s.Signals.Divergence
		case x.Reason.Rule == path.Due || x.Reason.Rule == path.Lapsed:
			list = &s.Signals.Due
		}
		if !slices.Contains(*list, x.AtomID) {
			*list = append(*list, x.AtomID)
		}
	}
	return s, nil
}

func (p *planned) actions(list []path.Action) ([]LearningAction, error) {
	out := make([]LearningAction, len(list))
	asked := map[string]bool{}
	for i := range list {
		var err error
		if out[i], err = p.action(&list[i]); err != nil {
			return nil, err
		}
		out[i].QuestionID = p.ground.Choose(out[i].AtomID, out[i].Kind, p.known.Turn(out[i].AtomID)+p.later, asked)
		asked[out[i].QuestionID] = true
	}
	return out, nil
}

func (p *planned) action(x *path.Action) (LearningAction, error) {
	unit := p.ground.Units[x.Concept]
	n := x.Reason.Numbers
	a := LearningAction{
		ID: x.ID, Kind: string(x.Kind), AtomID: x.AtomID, Title: unit.Title, Priority: core.Rounded(x.Priority, 4), Gain: core.Rounded(x.Gain, 6), Rationale: rationale(x, unit),
		Evidence: core.NonNil(x.Evidence), Relation: []string{}, Minutes: core.Rounded(x.Minutes, 2), Source: string(x.Source), ErrorTag: x.ErrorTag,
		Reason: ActionReason{
			Rule: string(x.Reason.Rule), Strategy: string(x.Reason.Strategy), Changes: x.Reason.Changes, Gate: x.Reason.Gate,
			Numbers: map[string]float64{
				"mastery": core.Rounded(n.Mastery, 4), "retrievability": core.Rounded(n.Retrievability, 4), "readiness": core.Rounded(n.Readiness, 4), "expectedSuccess": core.Rounded(n.Success, 4),
				"retainedWith": core.Rounded(n.RetainedWith, 4), "retainedWithout": core.Rounded(n.RetainedAlone, 4), "unlocks": core.Rounded(n.Unlocks, 4),
				"horizonDays": core.Rounded(n.HorizonDays, 2), "overdueDays": core.Rounded(n.OverdueDays, 2), "score": core.Rounded(n.Score, 6), "rank": float64(n.Rank),
			},
		},
	}
	if (x.Kind == path.Explain || x.Kind == path.Reflection) && p.ground.Bank.Card(a.AtomID) {
		a.Kind = string(path.Quiz) // a card is asked from the first time on; there is no note to read
	}
	if x.Reason.Rule == path.Unplaced {
		delete(a.Reason.Numbers, "readiness") // nothing is known of it
	}
	switch shown, studied, err := learner.ShownMastery(p.ground, p.known, a.AtomID, p.now); {
	case err != nil:
		return a, err
	case studied:
		a.Reason.Numbers["learned"], a.Reason.Numbers["mastery"] = core.Rounded(n.Mastery, 4), shown
	default:
		delete(a.Reason.Numbers, "mastery")
		delete(a.Reason.Numbers, "retrievability")
	}
	a.Probe = p.probe != "" && a.AtomID == p.probe && a.ID == "probe:quiz:"+p.probe
	if a.Probe {
		a.Rationale = "A look back at " + unit.Title + ", drawn by chance: it shows whether Stoa judges your memory right."
	}
	for _, i := range x.After {
		a.After = append(a.After, p.ground.Units[i].ID)
	}
	for _, i := range x.Relation {
		a.Relation = append(a.Relation, p.ground.Units[i].ID)
	}
	if r := x.Reason.RunnerUp; r != nil {
		a.Reason.RunnerUp = &ActionRunnerUp{r.AtomID, p.ground.Units[r.Concept].Title, string(r.Rule), string(r.Source), core.Rounded(r.Score, 6), r.Rank}
	}
	if b := x.Reason.Because; b >= 0 && b < len(p.ground.Units) {
		a.Reason.Because, a.Reason.BecauseTitle = p.ground.Units[b].ID, p.ground.Units[b].Title
	}
	return a, nil
}

// rationale says in a sentence why an action stands in the plan. Pages put the reason into words themselves.
func rationale(x *path.Action, unit *graph.Atom) string {
	switch x.Reason.Rule {
	case path.WeakPrerequisite:
		return unit.Title + " is the weakest of what a recent failure rests on."
	case path.Lapsed:
		return unit.Title + " was known and the last answer was wrong."
	case path.Misconception:
		return "The same kind of error (" + x.ErrorTag + ") keeps coming back on " + unit.Title + "."
	case path.Due:
		return unit.Title + " is due: recall has fallen to what is wanted."
	case path.Strengthen:
		return unit.Title + " was tried and is probably not learned yet."
	case path.Fringe:
		return unit.Title + " is new and everything it needs is known."
	case path.Ahead:
		return unit.Title + " is known and not due yet."
	case path.Unplaced:
		return unit.Title + " is new; whether you are ready for it is not known."
	case path.Locked:
		return unit.Title + " is new; what it needs comes before it in this plan."
	}
	return unit.Title + " is a neighbour of what it is named with."
}

// BuildLearningPath answers what to learn next.
func (a *School) BuildLearningPath(ctx context.Context, c core.Caller, in PathInput) (LearningPath, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return LearningPath{}, err
	}
	limit := cmp.Or(in.Limit, usualPathActions)
	p, request, err := a.wanted(ctx, userID, in.PlanWishes, in.Strategy, limit)
	if err != nil {
		return LearningPath{}, err
	}
	view, err := a.view(ctx, p)
	if err != nil {
		return LearningPath{}, err
	}
	paths := path.Preview(view, path.PathsRequest{Request: request, Mastery: countOr(in.MaxMastery, usualPaths), Divergence: countOr(in.MaxDivergence, usualPaths)})
	learner.Done(p.ground, view)
	plan := &paths.Recommended
	recommended, err := p.actions(plan.Actions)
	if err != nil {
		return LearningPath{}, err
	}
	out := LearningPath{
		UserID: userID, GeneratedAt: clock.Text(p.now), Mastery: []MasteryPath{}, Divergence: []DivergencePath{}, Recommended: recommended,
		Summary: LearningPathSummary{string(plan.Strategy), min(limit, path.LargestLimit), plan.MasteryCount, plan.DivergenceCount, core.Rounded(100*plan.EvidenceShare, 4)},
	}
	for _, m := range paths.Mastery {
		target := p.ground.Units[m.Target].ID
		actions, err := p.actions(m.Actions)
		if err != nil {
			return LearningPath{}, err
		}
		out.Mastery = append(out.Mastery, MasteryPath{"mastery:" + target, target, core.Rounded(m.Priority, 4), core.Rounded(m.Gain, 6), actions})
	}
	for _, d := range paths.Divergence {
		from, to := p.ground.Units[d.From].ID, p.ground.Units[d.To].ID
		actions, err := p.actions(d.Actions)
		if err != nil {
			return LearningPath{}, err
		}
		out.Divergence = append(out.Divergence, DivergencePath{"divergence:" + from + ":" + to, from, to, core.Rounded(d.Priority, 4), core.Rounded(d.Gain, 6), actions})
	}
	return out, nil
}

func countOr(n *int, usual int) int {
	if n == nil {
		return usual
	}
	return *n
}
