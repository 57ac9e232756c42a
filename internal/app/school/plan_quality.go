package school

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// PlanMetrics are the figures of a plan.
type PlanMetrics struct {
	Actions    int     `json:"totalActions"`
	Evidence   float64 `json:"evidenceCoverageRatioPct"`
	Deviation  int     `json:"budgetDeviationActions"`
	Target     int     `json:"targetActions"`
	Recovery   float64 `json:"recoverySharePct"`
	Divergence float64 `json:"divergenceSharePct"`
	Gain       float64 `json:"pathGain"`                 // concepts recalled at the horizon, beyond doing nothing
	RandomGain float64 `json:"randomPathGain"`           // of a path drawn at random on the same state
	Lift       float64 `json:"pathEffectivenessLiftPct"` // the difference per action
}

// QualityGate is one thing that is asked of a plan or of the quality of learning.
type QualityGate struct {
	ID         string  `json:"gateId"`
	Passed     bool    `json:"passed"`
	Comparator string  `json:"comparator"`
	Observed   float64 `json:"observedValue"`
	Threshold  float64 `json:"threshold"`
	Unit       string  `json:"unit"`
	Message    string  `json:"message"`
}

// PlanEvaluationSummary is the verdict on a plan.
type PlanEvaluationSummary struct {
	Passed     bool    `json:"overallPassed"`
	Status     string  `json:"status"`
	Score      float64 `json:"score"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
	Trend      string  `json:"trendContextStatus"`
}

// PlanQualityRecord is what is kept of a verdict.
type PlanQualityRecord struct {
	ID          string      `json:"id"`
	UserID      string      `json:"userId"`
	EvaluatedAt string      `json:"evaluatedAt"`
	Source      string      `json:"source"`
	PassRate    float64     `json:"passRatePct"`
	Passed      bool        `json:"overallPassed"`
	Status      string      `json:"status"`
	Score       float64     `json:"score"`
	Confidence  float64     `json:"confidence"`
	Trend       string      `json:"trendContextStatus"`
	Metrics     PlanMetrics `json:"metrics"`
	Failed      []string    `json:"failedGates"`
}

// PlanEvaluation is a plan judged.
type PlanEvaluation struct {
	Evaluated   bool                  `json:"evaluated"`
	EvaluatedAt string                `json:"evaluatedAt"`
	UserID      string                `json:"userId"`
	Thresholds  path.Thresholds       `json:"thresholds"`
	Metrics     PlanMetrics           `json:"metrics"`
	Summary     PlanEvaluationSummary `json:"summary"`
	Gates       []QualityGate         `json:"gates"`
	Record      *PlanQualityRecord    `json:"record"`
}

// EvaluatePlanInput is a plan to judge, or what to make one from.
type EvaluatePlanInput struct {
	PlanWishes
	Strategy   string          `json:"pathStrategy"`
	Limit      int             `json:"pathRecommendedActionLimit"`
	Plan       json.RawMessage `json:"sessionPlan"`
	Adaptive   *bool           `json:"adaptiveThresholdsEnabled"`
	Budget     int             `json:"expectedActionBudget"`
	ActionsMax int             `json:"actionLimit"`
	Trend      string          `json:"trendContextStatus"`
	Persist    *bool           `json:"persistRecord"`
	Thresholds json.RawMessage `json:"thresholds"`
}

// EvaluateSessionPlan judges a plan.
func (a *School) EvaluateSessionPlan(ctx context.Context, c core.Caller, in EvaluatePlanInput) (PlanEvaluation, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return PlanEvaluation{}, err
	}
	now := a.Clock()
	session, asked, err := a.planToJudge(ctx, userID, in, now)
	if err != nil {
		return PlanEvaluation{}, err
	}
	thresholds := path.DefaultThresholds()
	if in.Adaptive != nil && *in.Adaptive {
		if thresholds, _, err = a.adaptedThresholds(ctx, userID, usualPlanConfig.History); err != nil {
			return PlanEvaluation{}, err
		}
	}
	if len(in.Thresholds) > 0 {
		if err := json.Unmarshal(in.Thresholds, &thresholds); err != nil {
			return PlanEvaluation{}, errs.Wrap(errs.InvalidRequest, "A threshold is not a number.", err)
		}
	}
	trend := in.Trend
	if trend == "" {
		context, err := a.contextNow(ctx, userID)
		if err != nil {
			return PlanEvaluation{}, err
		}
		trend = string(context)
	}
	metrics, err := a.planMetrics(ctx, userID, session, cmp.Or(in.Budget, in.ActionsMax, in.MaxActions, asked, len(session.Actions)), now)
	if err != nil {
		return PlanEvaluation{}, err
	}
	out := judgePlan(session, metrics, thresholds, path.Context(trend), "plan_evaluation", now)
	if in.Persist != nil && !*in.Persist {
		out.Record = nil
		return out, nil
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := a.UseQuota(tx, userID, core.QuotaPlanChecks, 1); err != nil {
			return err
		}
		return keepPlanQuality(tx, out.Record)
	})
	return out, err
}

// planToJudge reads the plan that was sent, or makes one; asked is the number of actions it was asked for.
func (a *School) planToJudge(ctx context.Context, userID string, in EvaluatePlanInput, now time.Time) (session StudySession, asked int, err error) {
	if len(in.Plan) == 0 || string(in.Plan) == "null" {
		session, err = a.planSession(ctx, userID, SessionPlanInput{PlanWishes: in.PlanWishes, Strategy: in.Strategy, Limit: in.Limit})
		if err == nil && len(session.Actions) == 0 {
			err = errs.New(errs.PlanRequired, "There is no plan to judge: send sessionPlan, or take notes in first.")
		}
		return session, session.Summary.Limit, err
	}
	if err := json.Unmarshal(in.Plan, &session); err != nil {
		return session, 0, errs.Invalid("sessionPlan", "must be a plan as session/plan answers it")
	}
	if session.UserID != "" && session.UserID != userID {
		return session, 0, core.ErrNotYours
	}
	asked = session.Summary.Limit
	if len(session.Actions) == 0 {
		return session, 0, errs.New(errs.PlanRequired, "The plan has no actions to judge.")
	}
	return session, asked, session.fit(userID, now)
}

// planMetrics works out the figures of a plan. What it brings is set against a path drawn at random on the same state.
func (a *School) planMetrics(ctx context.Context, userID string, s StudySession, target int, now time.Time) (PlanMetrics, error) {
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return PlanMetrics{}, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return PlanMetrics{}, err
	}
	return metrics(g, known, s, target, now), nil
}

// metrics compares a plan with a random one. A plan cannot be asked for more than there is to learn, and one that was
// asked for minutes only has no number to keep to.
func metrics(g *notebook.Curriculum, known *learner.Snapshot, s StudySession, target int, now time.Time) PlanMetrics {
	if target == path.LargestLimit {
		target = len(s.Actions)
	}
	m := PlanMetrics{Target: min(target, max(len(g.Units), len(s.Actions)))}
	var concepts []int
	for _, x := range s.Actions {
		if i, ok := g.Number[x.AtomID]; ok {
			concepts = append(concepts, i)
		}
	}
	view, err := learner.View(g, known, now)
	if err != nil {
		return m // nothing is known to compare with
	}
	defer learner.Done(g, view)
	e := path.Effective(view, concepts, 0)
	m.Gain, m.RandomGain, m.Lift = core.Rounded(e.Plan, 6), core.Rounded(e.Random, 6), core.Rounded(e.LiftPct, 4)
	return m
}

// gateWords say what a gate asks for, and in what unit.
var gateWords = map[string][2]string{
	"total_actions": {"Actions", "actions"}, "evidence_coverage": {"Actions with evidence", "pct"}, "budget_deviation": {"Distance from what was asked", "actions"},
	"recovery_share_regressing": {"Share of recovery", "pct"}, "divergence_share_regressing": {"Share of exploration", "pct"},
	"divergence_share_improving": {"Share of exploration", "pct"},
}

// judgePlan holds a plan to its gates.
func judgePlan(s StudySession, m PlanMetrics, t path.Thresholds, trend path.Context, source string, now time.Time) PlanEvaluation {
	entries := make([]path.Entry, len(s.Actions))
	for i, x := range s.Actions {
		entries[i] = path.Entry{Source: path.Source(x.Source), Evidence: len(x.Evidence) > 0}
	}
	e := path.Evaluate(entries, m.Target, trend, t)
	m.Actions, m.Evidence, m.Deviation = e.TotalActions, core.Rounded(e.EvidencePct, 4), int(e.BudgetDeviation)
	m.Recovery, m.Divergence = core.Rounded(e.RecoveryPct, 4), core.Rounded(e.DivergencePct, 4)
	failed := []string{}
	gates := make([]QualityGate, len(e.Gates))
	for i, g := range e.Gates {
		words := gateWords[g.ID]
		gates[i] = QualityGate{ID: g.ID, Passed: g.Passed, Comparator: "<=", Observed: core.Rounded(g.Observed, 4), Threshold: core.Rounded(g.Threshold, 4), Unit: words[1]}
		if g.AtLeast {
			gates[i].Comparator = ">="
		}
		gates[i].Message = fmt.Sprintf("%s: %.4g, wanted %s %.4g.", words[0], g.Observed, gates[i].Comparator, g.Threshold)
		if !g.Passed {
			failed = append(failed, g.ID)
		}
	}
	r := PlanQualityRecord{
		ID: core.NewID(), UserID: s.UserID, EvaluatedAt: clock.Text(now), Source: source, PassRate: core.Percent(int64(len(gates)-len(failed)), int64(len(gates))), Passed: e.Passed,
		Status: e.Status, Score: core.Rounded(e.Score, 6), Confidence: core.Rounded(e.Confidence, 6), Trend: string(trend), Metrics: m, Failed: failed,
	}
	summary := PlanEvaluationSummary{Passed: e.Passed, Status: e.Status, Score: r.Score, Confidence: r.Confidence, Reason: e.Reason, Trend: r.Trend}
	return PlanEvaluation{true, r.EvaluatedAt, s.UserID, t, m, summary, gates, &r}
}

func keepPlanQuality(tx *store.Tx, r *PlanQualityRecord) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return tx.AddPlanQuality(schooldb.PlanQuality{UserID: r.UserID, ID: r.ID, EvaluatedAt: clock.Micros(tx.Now), Passed: r.Passed, Deviation: int64(r.Metrics.Deviation), Record: text})
}

// PlanHistoryInput asks for verdicts on plans.
type PlanHistoryInput struct {
	UserID     string `json:"user_id"`
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
	Window     int    `json:"windowSize"`
	MinSamples int    `json:"minSamples"`
}

// GateCount counts how often a gate was not passed.
type GateCount struct {
	ID    string `json:"gateId"`
	Count int    `json:"count"`
}

// PlanQualitySummary sums up verdicts.
type PlanQualitySummary struct {
	Total     int64       `json:"totalRecords"`
	Returned  int         `json:"returnedRecords"`
	PassRate  float64     `json:"overallPassRatePct"`
	Of        float64     `json:"returnedPassRatePct"`
	Failures  int64       `json:"consecutiveFailureCount"`
	Deviation float64     `json:"averageBudgetDeviationActions"`
	Common    []GateCount `json:"commonFailedGates"`
	LatestAt  string      `json:"latestEvaluatedAt"`
}

// PlanQualityHistory is a page of verdicts, newest first.
type PlanQualityHistory struct {
	GeneratedAt string              `json:"generatedAt"`
	UserID      string              `json:"userId"`
	Records     []PlanQualityRecord `json:"records"`
	Summary     PlanQualitySummary  `json:"summary"`
	NextCursor  string              `json:"next_cursor"`
}

// GetPlanQualityHistory answers past verdicts on plans.
func (a *School) GetPlanQualityHistory(ctx context.Context, c core.Caller, in PlanHistoryInput) (PlanQualityHistory, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return PlanQualityHistory{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return PlanQualityHistory{}, err
	}
	limit := cmp.Or(in.Limit, tutors.UsualHistory)
	records, err := a.planRecords(ctx, userID, before, limit+1)
	if err != nil {
		return PlanQualityHistory{}, err
	}
	sum, err := a.Store.PlanQualitySum(ctx, userID)
	out := PlanQualityHistory{GeneratedAt: clock.Text(a.Clock()), UserID: userID, Records: records}
	if len(records) > limit {
		out.Records = records[:limit]
		out.NextCursor = records[limit-1].ID
	}
	s := &out.Summary
	s.Total, s.Returned, s.PassRate, s.Failures, s.Common = sum.Records, len(out.Records), core.Percent(sum.Passed, sum.Records), sum.Failing, []GateCount{}
	if sum.Records > 0 {
		s.Deviation = core.Rounded(float64(sum.Deviation)/float64(sum.Records), 4)
	}
	var passed int64
	for i, r := range out.Records {
		if r.Passed {
			passed++
		}
		if i == 0 && in.Cursor == "" {
			s.LatestAt = r.EvaluatedAt
		}
		for _, id := range r.Failed {
			at := slices.IndexFunc(s.Common, func(g GateCount) bool { return g.ID == id })
			if at < 0 {
				at = len(s.Common)
				s.Common = append(s.Common, GateCount{ID: id})
			}
			s.Common[at].Count++
		}
	}
	slices.SortFunc(s.Common, func(a, b GateCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID)) })
	s.Of = core.Percent(passed, int64(len(out.Records)))
	return out, err
}

func (a *School) planRecords(ctx context.Context, userID, before string, limit int) ([]PlanQualityRecord, error) {
	rows, err := a.Store.PlanQualities(ctx, userID, before, limit)
	out := []PlanQualityRecord{}
	for _, row := range rows {
		var r PlanQualityRecord
		if err := json.Unmarshal(row.Record, &r); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, err
}

// PlanWindow is the mean over some verdicts.
type PlanWindow struct {
	PassRate   float64 `json:"passRatePct"`
	Evidence   float64 `json:"evidenceCoverageRatioPct"`
	Deviation  float64 `json:"averageBudgetDeviationActions"`
	Recovery   float64 `json:"recoverySharePct"`
	Divergence float64 `json:"divergenceSharePct"`
	Actions    float64 `json:"averageTotalActions"`
}

// TrendSummary says what a trend was read from.
type TrendSummary struct {
	Total      int64  `json:"totalRecords"`
	Evaluated  int    `json:"evaluatedRecords"`
	Window     int    `json:"windowSize"`
	MinSamples int    `json:"minSamples"`
	LatestAt   string `json:"latestEvaluatedAt"`
	OldestAt   string `json:"oldestEvaluatedAt"`
	Reason     string `json:"reason"`
}

// PlanDeltas is how the recent window differs from the one before.
type PlanDeltas struct {
	PassRate   float64 `json:"passRateDeltaPct"`
	Evidence   float64 `json:"evidenceCoverageDeltaPct"`
	Deviation  float64 `json:"budgetDeviationDeltaActions"`
	Recovery   float64 `json:"recoveryShareDeltaPct"`
	Divergence float64 `json:"divergenceShareDeltaPct"`
}

// PlanQualityTrend says whether plans get better.
type PlanQualityTrend struct {
	GeneratedAt string       `json:"generatedAt"`
	UserID      string       `json:"userId"`
	Status      string       `json:"status"`
	Score       float64      `json:"score"`
	Confidence  float64      `json:"confidence"`
	Summary     TrendSummary `json:"summary"`
	Deltas      PlanDeltas   `json:"deltas"`
	Windows     struct {
		Recent   PlanWindow `json:"recent"`
		Previous PlanWindow `json:"previous"`
	} `json:"windows"`
}

// GetPlanQualityTrend answers whether plans get better (field facts 3.8).
func (a *School) GetPlanQualityTrend(ctx context.Context, c core.Caller, in PlanHistoryInput) (PlanQualityTrend, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return PlanQualityTrend{}, err
	}
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil {
		return PlanQualityTrend{}, err
	}
	return a.PlanTrend(ctx, userID, cmp.Or(in.Limit, config.Trend.PlanLimit), cmp.Or(in.Window, config.Trend.PlanWindow), cmp.Or(in.MinSamples, config.Trend.PlanMinSamples))
}

// PlanTrend compares the newest window of judged plans with the one before.
func (a *School) PlanTrend(ctx context.Context, userID string, limit, window, least int) (PlanQualityTrend, error) {
	out := PlanQualityTrend{GeneratedAt: clock.Text(a.Clock()), UserID: userID, Status: string(path.Unknown)}
	records, err := a.planRecords(ctx, userID, "", limit)
	if err != nil {
		return out, err
	}
	sum, err := a.Store.PlanQualitySum(ctx, userID)
	out.Summary = TrendSummary{Total: sum.Records, Evaluated: len(records), Window: window, MinSamples: least}
	if len(records) > 0 {
		out.Summary.LatestAt, out.Summary.OldestAt = records[0].EvaluatedAt, records[len(records)-1].EvaluatedAt
	}
	recent := records[:min(window, len(records))]
	previous := records[len(recent):min(2*window, len(records))]
	out.Windows.Recent, out.Windows.Previous = planWindow(recent), planWindow(previous)
	w := out.Windows.Recent
	if len(recent) > 0 {
		out.Score = core.Rounded(.55*w.PassRate/100+.25*w.Evidence/100+.10*(1-min(w.Deviation, 6)/6)+.05*w.Recovery/100+.05*(1-w.Divergence/100), 6)
	}
	few := min(len(recent), len(previous))
	if few < least {
		out.Confidence = core.Rounded(min(1, float64(len(records))/float64(2*least)), 6)
		out.Summary.Reason = fmt.Sprintf("insufficient_data: %d and %d of %d records", len(recent), len(previous), least)
		return out, err
	}
	p := out.Windows.Previous
	d := PlanDeltas{
		core.Rounded(w.PassRate-p.PassRate, 4), core.Rounded(w.Evidence-p.Evidence, 4), core.Rounded(w.Deviation-p.Deviation, 4), core.Rounded(w.Recovery-p.Recovery, 4), core.Rounded(w.Divergence-p.Divergence, 4),
	}
	out.Deltas, out.Status = d, string(path.Stable)
	switch {
	case d.PassRate >= 10 && d.Evidence >= 0 && d.Deviation <= 0:
		out.Status = string(path.Improving)
	case d.PassRate <= -10 || d.Evidence <= -10 || d.Deviation >= 1:
		out.Status = string(path.Regressing)
	}
	out.Confidence = core.Rounded(min(1, float64(few)/float64(2*least)), 6)
	out.Summary.Reason = fmt.Sprintf("%s: pass rate %+.4g points, evidence %+.4g points, budget %+.4g actions", out.Status, d.PassRate, d.Evidence, d.Deviation)
	return out, err
}

func planWindow(records []PlanQualityRecord) PlanWindow {
	var w PlanWindow
	n := float64(max(1, len(records)))
	for _, r := range records {
		if r.Passed {
			w.PassRate += 100 / n
		}
		w.Evidence += r.Metrics.Evidence / n
		w.Deviation += float64(r.Metrics.Deviation) / n
		w.Recovery += r.Metrics.Recovery / n
		w.Divergence += r.Metrics.Divergence / n
		w.Actions += float64(r.Metrics.Actions) / n
	}
	for _, x := range []*float64{&w.PassRate, &w.Evidence, &w.Deviation, &w.Recovery, &w.Divergence, &w.Actions} {
		*x = core.Rounded(*x, 4)
	}
	return w
}

// RuntimePlanInput asks what a plan is held to now.
type RuntimePlanInput struct {
	UserID     string `json:"user_id"`
	Adaptive   *bool  `json:"adaptiveEnabled"`
	History    int    `json:"historyLimit"`
	Trend      int    `json:"trendLimit"`
	Window     int    `json:"trendWindowSize"`
	MinSamples int    `json:"trendMinSamples"`
}

// RuntimePlanConfig is how the thresholds are adapted.
type RuntimePlanConfig struct {
	History    int `json:"historyLimit"`
	Trend      int `json:"trendLimit"`
	Window     int `json:"trendWindowSize"`
	MinSamples int `json:"trendMinSamples"`
}

var usualPlanConfig = RuntimePlanConfig{12, 12, 2, 2}

// RuntimePlanThresholds are what a plan is held to now.
type RuntimePlanThresholds struct {
	Adaptive    bool               `json:"adaptiveThresholdsEnabled"`
	Base        path.Thresholds    `json:"baseThresholds"`
	Thresholds  path.Thresholds    `json:"thresholds"`
	Adjustments map[string]float64 `json:"adaptiveAdjustments"`
	Config      RuntimePlanConfig  `json:"runtimeConfig"`
	Summary     struct {
		Total    int64  `json:"totalRecords"`
		LatestAt string `json:"latestEvaluatedAt"`
		Trend    string `json:"trendStatus"`
		Reason   string `json:"reason"`
	} `json:"summary"`
}

// GetRuntimePlanThresholds answers what a plan is held to now.
func (a *School) GetRuntimePlanThresholds(ctx context.Context, c core.Caller, in RuntimePlanInput) (RuntimePlanThresholds, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RuntimePlanThresholds{}, err
	}
	u := usualPlanConfig
	out := RuntimePlanThresholds{
		Adaptive: in.Adaptive == nil || *in.Adaptive, Base: path.DefaultThresholds(), Thresholds: path.DefaultThresholds(), Adjustments: map[string]float64{},
		Config: RuntimePlanConfig{cmp.Or(in.History, u.History), cmp.Or(in.Trend, u.Trend), cmp.Or(in.Window, u.Window), cmp.Or(in.MinSamples, u.MinSamples)},
	}
	if out.Adaptive {
		if out.Thresholds, out.Adjustments, err = a.adaptedThresholds(ctx, userID, out.Config.History); err != nil {
			return out, err
		}
	}
	trend, err := a.PlanTrend(ctx, userID, out.Config.Trend, out.Config.Window, out.Config.MinSamples)
	out.Summary.Total, out.Summary.LatestAt, out.Summary.Trend, out.Summary.Reason = trend.Summary.Total, trend.Summary.LatestAt, trend.Status, trend.Summary.Reason
	return out, err
}

// adaptedThresholds are the usual ones moved towards what the learner's plans reach (field facts 3.8).
func (a *School) adaptedThresholds(ctx context.Context, userID string, history int) (path.Thresholds, map[string]float64, error) {
	t, changed := path.DefaultThresholds(), map[string]float64{}
	records, err := a.planRecords(ctx, userID, "", history)
	if err != nil || len(records) == 0 {
		return t, changed, err
	}
	w, usual := planWindow(records), t
	t = t.Adapt(w.Actions, w.Evidence, w.Deviation)
	t.MinEvidenceCoverageRatioPct = core.Rounded(t.MinEvidenceCoverageRatioPct, 4)
	for name, pair := range map[string][2]float64{
		"minTotalActions":             {float64(usual.MinTotalActions), float64(t.MinTotalActions)},
		"minEvidenceCoverageRatioPct": {usual.MinEvidenceCoverageRatioPct, t.MinEvidenceCoverageRatioPct},
		"maxBudgetDeviationActions":   {usual.MaxBudgetDeviationActions, t.MaxBudgetDeviationActions},
	} {
		if d := core.Rounded(pair[1]-pair[0], 4); d != 0 {
			changed[name] = d
		}
	}
	return t, changed, nil
}
