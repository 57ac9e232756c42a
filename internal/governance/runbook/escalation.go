package runbook

import (
	"fmt"
	"slices"
	"strings"
)

// Escalation says how urgent a check is.
type Escalation string

// The levels.
const (
	Normal   Escalation = "normal"
	Watch    Escalation = "watch"
	High     Escalation = "high"
	Critical Escalation = "critical"
)

func (e Escalation) rank() int {
	switch e {
	case Critical:
		return 4
	case High:
		return 3
	case Watch:
		return 2
	}
	return 1
}

// escalate says how urgent a check is (field facts 4.8). Failures of the vector index's sync escalate sooner: every
// question suffers from them.
func escalate(checkID string, latest Status, riskStreak, failStreak int) Escalation {
	failsToCritical, risksToHigh := 2, 3
	if checkID == IndexSync {
		failsToCritical, risksToHigh = 1, 2
	}
	switch {
	case latest == Fail && failStreak >= failsToCritical:
		return Critical
	case latest == Fail || riskStreak >= risksToHigh:
		return High
	case latest == Warn || riskStreak >= 1:
		return Watch
	}
	return Normal
}

// Action is something to do.
type Action struct {
	ID          string `json:"actionId"`
	Priority    string `json:"priority"` // p0, p1, p2
	Category    string `json:"category"` // stabilize, governance, trend, routing, evidence, verify, monitor
	Instruction string `json:"instruction"`
	Endpoint    string `json:"endpointHint"` // a path with its query
	Method      string `json:"endpointMethod"`
	Automation  string `json:"automationHint"`
}

// Situation is what actions are chosen by.
type Situation struct {
	CheckID    string
	Latest     Status
	Escalation Escalation
	RiskStreak int
	FailStreak int
	Trend      Trend
	Focus      string // the recommended focus
	Targets    []string
}

const mostActions = 8

// ActionsFor lists what to do about a check, in order (field facts 4.8).
func ActionsFor(s Situation) []Action {
	verify, history := get(verifyPath+"?checkId="+s.CheckID), get(historiesPath+"?checkId="+s.CheckID)
	urgent := "p1"
	if s.Escalation == Critical || s.Escalation == High {
		urgent = "p0"
	}
	var list []Action
	add := func(id, priority, category, instruction string, to request, automation string) {
		a := Action{ID: Cut(id, 64), Priority: priority, Category: category, Instruction: Cut(instruction, 280), Endpoint: Cut(to.path, 160), Method: to.method, Automation: Cut(automation, 64)}
		if !slices.ContainsFunc(list, func(b Action) bool { return a.ID == b.ID && a.Instruction == b.Instruction }) {
			list = append(list, a)
		}
	}
	remedy := remedyOf(s.CheckID)
	switch s.Escalation {
	case Critical:
		add("mitigate_immediately", "p0", "stabilize", "Now: "+remedy+" Then verify.", verify, "verify")
	case High:
		add("prioritize_remediation", "p0", "governance", "Before anything else: "+remedy+" Then verify.", verify, "verify")
	case Watch:
		add("elevated_monitoring", "p1", "monitor", remedy+" Verify until it passes.", verify, "verify")
	default:
		add("standard_verification_cadence", "p2", "monitor", "Nothing to do; verify as usual.", verify, "verify")
	}
	for _, a := range specific(s, urgent, verify) {
		add(a.ID, a.Priority, a.Category, a.Instruction, request{a.Method, a.Endpoint}, a.Automation)
	}
	if s.RiskStreak >= 3 || s.FailStreak >= 2 {
		add("open_governance_incident_note", "p0", "governance", "Write down what is known: since when, how often, what was tried.", history, "history")
	} else if s.RiskStreak >= 1 {
		add("track_streak_drift", "p1", "monitor", "Watch whether the streak grows.", history, "history")
	}
	if s.Trend == Regressing {
		add("compare_regressing_windows", "p1", "trend", "Compare the recent verifications with those before.", history, "history")
	}
	switch {
	case strings.HasPrefix(s.CheckID, "api_"):
		add("collect_runtime_trace_evidence", "p1", "evidence", evidenceWords(s.CheckID), get(tracePath+"?"+hintOf(s.CheckID).query()), "trace")
	case strings.HasPrefix(s.CheckID, "query_"):
		add("rerun_query_backend_comparison", "p1", "verify", "Ask a question and look how it was answered.", get(diagnosticsPath), "diagnostics")
	case strings.HasPrefix(s.CheckID, "session_plan_"):
		add("rerun_session_plan_quality_trend", "p1", "verify", "Read the trend of plans again.", get(planTrendPath), "trend")
	}
	if s.Focus != "" && s.Focus != s.CheckID {
		add("align_to_recommended_focus", "p2", "governance", "Look at "+s.Focus+" first.", get(verifyPath+"?checkId="+s.Focus), "verify")
	}
	for _, target := range s.Targets {
		if strings.HasPrefix(target, "/api/") {
			add("execute_primary_verification_target", "p1", "verify", "Run the first verification target.", get(target), "verification_target")
			break
		}
	}
	if s.Latest == Unknown {
		add("revalidate_unknown_status", "p1", "verify", "Verify: its status is not known.", verify, "verify")
	}
	return list[:min(len(list), mostActions)]
}

// specific are the actions of one check.
func specific(s Situation, urgent string, verify request) []Action {
	if !s.Latest.atRisk() && s.RiskStreak == 0 {
		return nil
	}
	persistent := s.RiskStreak >= persistentStreak
	var list []Action
	switch s.CheckID {
	case DynamicMode:
		list = []Action{
			{ID: "align_tutor_preferred_mode", Priority: urgent, Category: "routing", Instruction: "Set preferredMode to auto or to the recommended side.", Endpoint: configPath, Method: "POST", Automation: "orchestration_config"},
			{ID: "verify_tutor_mode_conflict_convergence", Priority: "p1", Category: "routing", Instruction: "Look whether the providers agree again.", Endpoint: providersPath, Method: "GET", Automation: "provider_history"},
		}
		if persistent {
			list = append(list, Action{ID: "keep_preferred_mode_auto_during_stabilization", Priority: "p0", Category: "routing", Instruction: "Leave preferredMode at auto until it passes.", Endpoint: configPath, Method: "POST", Automation: "orchestration_config"})
		}
	case StrategyAlign:
		list = []Action{
			{ID: "review_strategy_alignment_outcomes", Priority: urgent, Category: "trend", Instruction: "Look at what the sessions chosen by trend brought.", Endpoint: historyPath, Method: "GET", Automation: "session_history"},
			{ID: "verify_strategy_breakdown_convergence", Priority: "p1", Category: "verify", Instruction: "Look at each strategy in the quality trend.", Endpoint: trendPath, Method: "GET", Automation: "quality_trend"},
			{ID: "tighten_strategy_auto_path_confidence", Priority: "p1", Category: "governance", Instruction: "Raise strategyMinConfidence.", Endpoint: configPath, Method: "POST", Automation: "orchestration_config"},
		}
		if persistent {
			list = append(list, Action{ID: "prefer_explicit_path_strategy_during_stabilization", Priority: urgent, Category: "routing", Instruction: "Ask for a strategy by name until it passes.", Endpoint: knowledge + "/session/execute", Method: "POST", Automation: "session_execute"})
		}
	case IndexSync:
		resyncing := "p1"
		if s.Escalation == Critical {
			resyncing = "p0"
		}
		list = []Action{
			{ID: "inspect_ann_index_sync_telemetry", Priority: urgent, Category: "evidence", Instruction: "Look at indexSyncStatus and indexSyncMessage.", Endpoint: diagnosticsPath, Method: "GET", Automation: "diagnostics"},
			{ID: "drive_ann_index_resync", Priority: resyncing, Category: "stabilize", Instruction: "Bring the index in step: send an empty list of documents, or ask a question.", Endpoint: knowledge + "/ingest", Method: "POST", Automation: "ingest"},
			{ID: "verify_ann_index_sync_recovery", Priority: "p1", Category: "verify", Instruction: "Verify that it passes again.", Endpoint: verify.path, Method: verify.method, Automation: "verify"},
		}
	}
	return list
}

// request is what an action asks for.
type request struct{ method, path string }

func get(path string) request { return request{"GET", path} }

func definitionOf(checkID string) *Definition {
	for i := range Definitions {
		if Definitions[i].ID == checkID {
			return &Definitions[i]
		}
	}
	return nil
}

// remedyOf is the first thing to do about a check.
func remedyOf(checkID string) string {
	if d := definitionOf(checkID); d != nil && len(d.Actions) > 0 {
		return d.Actions[0]
	}
	return "Look at the check's message and at its requests."
}

func hintOf(checkID string) TraceHint {
	if d := definitionOf(checkID); d != nil {
		return d.Hint
	}
	return TraceHint{PathPrefix: knowledge}
}

func evidenceWords(checkID string) string {
	if hintOf(checkID).StatusAtLeast == 0 {
		return "Look at the newest requests and how long each took."
	}
	return "Look at the requests that went wrong."
}

// query is the hint as parameters of the request trace.
func (h TraceHint) query() string {
	q := "pathPrefix=" + h.PathPrefix
	if h.StatusAtLeast > 0 {
		q += fmt.Sprintf("&statusAtLeast=%d", h.StatusAtLeast)
	}
	return q
}

// TargetsOf are the requests that show whether a check is well again; nil when there is no such check.
func TargetsOf(checkID string) []string {
	if d := definitionOf(checkID); d != nil {
		return d.Targets
	}
	return nil
}
