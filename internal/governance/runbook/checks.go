package runbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ids of the checks of the contract.
const (
	DynamicMode      = "tutor_routing_dynamic_mode_alignment"
	StrategyAlign    = "orchestration_path_strategy_alignment"
	IndexSync        = "query_vector_acceleration_index_sync_health"
	ClockHealth      = "clock_health"
	knowledge        = "/api/knowledge"
	configPath       = knowledge + "/session/orchestration/config"
	historyPath      = knowledge + "/session/history?userId=<user_id>&pathStrategySelectionSource=strategy_trend&sinceMinutes=10080"
	trendPath        = knowledge + "/quality/trend"
	providersPath    = knowledge + "/tutor/trace-diagnostics/providers/history?source=llm-adapter"
	diagnosticsPath  = knowledge + "/query-backend-diagnostics"
	tracePath        = "/api/runtime-request-trace"
	planTrendPath    = knowledge + "/session/plan/quality/trend"
	statePath        = knowledge + "/state"
	telemetryPath    = knowledge + "/tutor/telemetry"
	verifyPath       = knowledge + "/runtime-capability-runbook/verify"
	historiesPath    = knowledge + "/runtime-capability-runbook/history"
	documentsPath    = knowledge + "/documents"
	healthPath       = "/api/health"
	adaptiveRouting  = "adaptive_health_routing"
	insufficientData = "insufficient_data"
)

// Definitions are the checks, in the order of their parts.
var Definitions = slices.Concat(
	of(PartStore, storeChecks), of(PartSearch, queryChecks), of(PartAPI, apiChecks), of(PartLearning, learningChecks), of(PartTutor, tutorChecks),
)

func of(p Part, list []Definition) []Definition {
	for i := range list {
		list[i].Part = p
	}
	return list
}

func passed(message, observed string) Verdict {
	return Verdict{Status: Pass, Message: message, Observed: observed}
}

func warned(message, observed, expected string) Verdict {
	return Verdict{Status: Warn, Message: message, Observed: observed, Expected: expected}
}

func failed(message, observed, expected string) Verdict {
	return Verdict{Status: Fail, Message: message, Observed: observed, Expected: expected}
}

// unseen is the verdict where there is nothing to judge by.
func unseen(message, observed, expected string) Verdict {
	return Verdict{Status: Warn, Message: message, Observed: observed, Expected: expected, Evidence: Unseen}
}

// waiting is the verdict on too few samples: nothing is wrong.
func waiting(what string, have, want any) Verdict {
	return unseen(fmt.Sprintf("Not enough data, and nothing is wrong: %v of %v %s so far.", have, want, what), fmt.Sprintf("samples=%v", have), fmt.Sprintf("samples>=%v", want))
}

// level turns a figure that should stay low into a verdict.
func level(name string, value, warn, fail float64, unit string) Verdict {
	observed := fmt.Sprintf("%s=%s%s", name, figure(value), unit)
	expected := fmt.Sprintf("%s<=%s%s", name, figure(warn), unit)
	switch {
	case value > fail:
		return failed(fmt.Sprintf("It is %s%s, above %s%s.", figure(value), unit, figure(fail), unit), observed, expected)
	case value > warn:
		return warned(fmt.Sprintf("It is %s%s, above %s%s.", figure(value), unit, figure(warn), unit), observed, expected)
	}
	return passed(fmt.Sprintf("It is %s%s.", figure(value), unit), observed)
}

// share turns a figure that should stay high into a verdict.
func share(name string, value, warn, fail float64) Verdict {
	observed, expected := fmt.Sprintf("%s=%s%%", name, figure(value)), fmt.Sprintf("%s>=%s%%", name, figure(warn))
	switch {
	case value < fail:
		return failed(fmt.Sprintf("It is %s %%, below %s %%.", figure(value), figure(fail)), observed, expected)
	case value < warn:
		return warned(fmt.Sprintf("It is %s %%, below %s %%.", figure(value), figure(warn)), observed, expected)
	}
	return passed(fmt.Sprintf("It is %s %%.", figure(value)), observed)
}

func figure(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// hotspots turns the paths where something gathers among so many requests into a verdict.
func hotspots(requests int, paths []string, warn, fail float64) Verdict {
	if requests == 0 {
		return waiting("requests in the last hour", 0, 1)
	}
	if len(paths) == 0 {
		return passed("No path stands out.", "hotspots=none")
	}
	_, number, _ := strings.Cut(paths[0], ":")
	peak, err := strconv.ParseFloat(number, 64)
	if err != nil {
		peak = 0
	}
	observed, expected := "hotspots="+strings.Join(paths, ", "), fmt.Sprintf("peak<%s", figure(warn))
	switch {
	case peak >= fail:
		return failed(fmt.Sprintf("%s stands out.", paths[0]), observed, expected)
	case peak >= warn:
		return warned(fmt.Sprintf("%s stands out.", paths[0]), observed, expected)
	}
	return passed("No path stands out.", observed)
}

// direction turns a trend into a verdict.
func direction(status string, score, confidence float64) Verdict {
	observed := fmt.Sprintf("status=%s, score=%s, confidence=%s", status, figure(score), figure(confidence))
	switch status {
	case "regressing":
		return failed("It is getting worse.", observed, "status is stable or improving")
	case "stable", "improving":
		return passed("It is "+status+".", observed)
	}
	return unseen("Not enough data, and nothing is wrong: there are not enough records for a trend yet.", observed, "enough records for a trend")
}
