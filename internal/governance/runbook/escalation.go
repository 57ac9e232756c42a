package runbook

import (
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

// Escalate says how urgent a check is (field facts 4.8). Failures of the vector index's sync escalate sooner: every
// question suffers from them.
func Escalate(checkID string, latest Status, riskStreak, failStreak int) Escalation {
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
	Endpoint    string `json:"endpointHint"` // "METHOD path", or "" when there is no request for it
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
	verify := "GET " + verifyPath + "?checkId=" + s.CheckID
	history := "GET " + historiesPath + "?checkId=" + s.CheckID
	urgent := "p1"
	if s.Escalation == Critical || s.Escalation == High {
		urgent = "p0"
	}
	var list []Action
	add := func(id, priority, category, instruction, endpoint, automation string) {
		a := Action{Cut(id, 64), priority, category, Cut(instruction, 280), Cut(endpoint, 160), Cut(automation, 64)}
		if !slices.ContainsFunc(list, func(b Action) bool { return a.ID == b.ID && a.Instruction == b.Instruction }) {
			list = append(list, a)
		}
	}
	switch s.Escalation {
	case Critical:
		add("mitigate_immediately", "p0", "stabilize", "Mend this now, then verify.", verify, "verify")
	case High:
		add("prioritize_remediation", "p0", "governance", "Mend this before anything else, then verify.", verify, "verify")
	case Watch:
		add("elevated_monitoring", "p1", "monitor", "Verify more often until it passes.", verify, "verify")
	default:
		add("standard_verification_cadence", "p2", "monitor", "Nothing to do; verify as usual.", verify, "verify")
	}
	for _, a := range specific(s, urgent, verify) {
		add(a.ID, a.Priority, a.Category, a.Instruction, a.Endpoint, a.Automation)
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
		add("collect_runtime_trace_evidence", "p1", "evidence", "Collect the requests that went wrong.", "GET "+tracePath+"?statusAtLeast=400", "trace")
	case strings.HasPrefix(s.CheckID, "query_"):
		add("rerun_query_backend_comparison", "p1", "verify", "Ask a question and look how it was answered.", "GET "+diagnosticsPath, "diagnostics")
	case strings.HasPrefix(s.CheckID, "session_plan_"):
		add("rerun_session_plan_quality_trend", "p1", "verify", "Read the trend of plans again.", "GET "+planTrendPath, "trend")
	}
	if s.Focus != "" && s.Focus != s.CheckID {
		add("align_to_recommended_focus", "p2", "governance", "Look at "+s.Focus+" first.", "GET "+verifyPath+"?checkId="+s.Focus, "verify")
	}
	for _, target := range s.Targets {
		if strings.HasPrefix(target, "/api/") {
			add("execute_primary_verification_target", "p1", "verify", "Run the first verification target.", "GET "+target, "verification_target")
			break
		}
	}
	if s.Latest == Unknown {
		add("revalidate_unknown_status", "p1", "verify", "Verify: its status is not known.", verify, "verify")
	}
	return list[:min(len(list), mostActions)]
}

// specific are the actions of one check.
func specific(s Situation, urgent, verify string) []Action {
	if !s.Latest.AtRisk() && s.RiskStreak == 0 {
		return nil
	}
	persistent := s.RiskStreak >= persistentStreak
	var list []Action
	switch s.CheckID {
	case DynamicMode:
		list = []Action{
			{"align_tutor_preferred_mode", urgent, "routing", "Set preferredMode to auto or to the recommended side.", "POST " + configPath, "orchestration_config"},
			{"verify_tutor_mode_conflict_convergence", "p1", "routing", "Look whether the providers agree again.", "GET " + providersPath, "provider_history"},
		}
		if persistent {
			list = append(list, Action{"keep_preferred_mode_auto_during_stabilization", "p0", "routing", "Leave preferredMode at auto until it passes.", "POST " + configPath, "orchestration_config"})
		}
	case StrategyAlign:
		list = []Action{
			{"review_strategy_alignment_outcomes", urgent, "trend", "Look at what the sessions chosen by trend brought.", "GET " + historyPath, "session_history"},
			{"verify_strategy_breakdown_convergence", "p1", "verify", "Look at each strategy in the quality trend.", "GET " + trendPath, "quality_trend"},
			{"tighten_strategy_auto_path_confidence", "p1", "governance", "Raise strategyMinConfidence.", "POST " + configPath, "orchestration_config"},
		}
		if persistent {
			list = append(list, Action{
				"prefer_explicit_path_strategy_during_stabilization", urgent, "routing", "Ask for a strategy by name until it passes.", "POST " + knowledge + "/session/execute", "session_execute",
			})
		}
	case IndexSync:
		resyncing := "p1"
		if s.Escalation == Critical {
			resyncing = "p0"
		}
		list = []Action{
			{"inspect_ann_index_sync_telemetry", urgent, "evidence", "Look at indexSyncStatus and indexSyncMessage.", "GET " + diagnosticsPath, "diagnostics"},
			{"drive_ann_index_resync", resyncing, "stabilize", "Bring the index in step: ingest again, or ask a question.", "POST " + knowledge + "/ingest", "ingest"},
			{"verify_ann_index_sync_recovery", "p1", "verify", "Verify that it passes again.", verify, "verify"},
		}
	}
	return list
}

// TargetsOf are the requests that show whether a check was mended.
func TargetsOf(checkID string) []string {
	for i := range Definitions {
		if Definitions[i].ID == checkID {
			return Definitions[i].Targets
		}
	}
	return nil
}
