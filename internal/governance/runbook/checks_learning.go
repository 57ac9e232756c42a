package runbook

import "fmt"

var (
	qualityHint = TraceHint{PathPrefix: knowledge + "/quality", StatusAtLeast: 400}
	planHint    = TraceHint{PathPrefix: knowledge + "/session/plan", StatusAtLeast: 400}
	memoryHint  = TraceHint{PathPrefix: knowledge + "/session", StatusAtLeast: 400}
)

var learningChecks = []Definition{
	{
		ID: "quality_trend_direction", Sentence: "Learning does not get worse.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			return direction(s.QualityStatus, s.QualityScore, s.QualityConfidence)
		},
		Actions: []string{"Ask for sessions with mastery_recovery until answers are right again.", "Compare the two windows of quality/trend.", "If the new level is right, set a new baseline."}, Hint: qualityHint,
		Targets: []string{trendPath, knowledge + "/quality/history"},
	},
	{
		ID: "session_plan_quality_gate", Sentence: "Plans pass their gates.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			if s.PlanRecords == 0 {
				return waiting("plans judged", 0, 1)
			}
			observed, expected := fmt.Sprintf("records=%d, failure_streak=%d", s.PlanRecords, s.PlanFailures), fmt.Sprintf("failure_streak<%d", t.PlanStreakWarn)
			message := fmt.Sprintf("The last %d plans did not pass.", s.PlanFailures)
			switch {
			case s.PlanFailures >= t.PlanStreakFail:
				return failed(message, observed, expected)
			case s.PlanFailures >= t.PlanStreakWarn:
				return warned("The last plan did not pass.", observed, expected)
			}
			return passed("The last plan passed.", observed)
		},
		Actions: []string{"Look which gates fail in session/plan/quality/history.", "Ingest notes, or ask for more actions."}, Hint: planHint,
		Targets: []string{knowledge + "/session/plan/quality/history", planTrendPath},
	},
	{
		ID: "session_plan_quality_trend", Sentence: "Plans do not get worse.",
		Rule:    func(s *Signals, _ *Thresholds) Verdict { return direction(s.PlanStatus, s.PlanScore, s.PlanConfidence) },
		Actions: []string{"Compare the two windows of session/plan/quality/trend."}, Hint: planHint, Targets: []string{planTrendPath},
	},
	{
		ID: StrategyAlign, Sentence: "Strategies that were chosen by their trend bring what the trend promised.",
		Rule: strategyRule,
		Actions: []string{
			"Ask for a strategy by name, or set strategyAutoPathEnabled to false for a while.", "Look at the sessions whose strategy was chosen by trend.", "Raise strategyMinConfidence.",
		},
		Hint: TraceHint{PathPrefix: knowledge + "/session/history", StatusAtLeast: 400}, Targets: []string{historyPath, trendPath, configPath},
	},
	{
		ID: "memory_policy_health", Sentence: "What the tutor keeps in mind is fresh and sure.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("status=%s, entries=%d, expired=%d, stale=%d, unsure=%d", s.MemoryStatus, s.MemoryEntries, s.MemoryExpired, s.MemoryStale, s.MemoryUnsure)
			switch s.MemoryStatus {
			case "healthy":
				return passed("The memory is healthy.", observed)
			case "risk":
				return failed("Much of what the tutor keeps in mind is out of date or unsure.", observed, "status=healthy")
			case "watch":
				return warned("Some of what the tutor keeps in mind is out of date or unsure.", observed, "status=healthy")
			}
			return unseen("Not enough data, and nothing is wrong: the tutor keeps nothing in mind yet.", observed, "status=healthy")
		},
		Actions: []string{"Run sessions with persistMemory, so that entries are renewed."}, Hint: memoryHint, Targets: []string{statePath},
	},
	{
		ID: "memory_policy_trend", Sentence: "What the tutor keeps in mind does not get worse.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			return direction(s.MemoryTrendStatus, s.MemoryTrendScore, s.MemoryTrendConfidence)
		},
		Actions: []string{"Run sessions with persistMemory, so that entries are renewed."}, Hint: memoryHint, Targets: []string{statePath},
	},
	{
		ID: "session_memory_promotion_coverage", Sentence: "What proves itself is kept for longer.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			observed := fmt.Sprintf("persisted=%d, promoted=%d, coverage=%s%%", s.MemoryPersisted, s.MemoryPromoted, figure(s.MemoryPromotionsPct))
			switch {
			case s.SessionActions == 0:
				return waiting("actions in sessions", 0, 1)
			case s.MemoryPersisted == 0:
				return unseen("No session keeps anything in mind, and nothing is wrong: persistMemory was not asked for.", observed, "persisted>0")
			case s.MemoryPromoted == 0:
				return unseen("Nothing was kept for longer, and nothing is wrong: autoPromoteMemory was not asked for.", observed, "promoted>0")
			case s.MemoryPromotionsPct < t.PromotionWarnPct:
				return warned("Little of what is kept in mind proves itself.", observed, "coverage>="+figure(t.PromotionWarnPct)+"%")
			}
			return passed("What proves itself is kept for longer.", observed)
		},
		Actions: []string{"Send persistMemory and autoPromoteMemory with session/execute."}, Hint: memoryHint, Targets: []string{statePath},
	},
	{
		ID: "knowledge_staleness_data", Sentence: "There are notes to learn from.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			if s.Documents == 0 {
				return waiting("notes", 0, 1)
			}
			return passed(fmt.Sprintf("There are %d notes.", s.Documents), fmt.Sprintf("documents=%d", s.Documents))
		},
		Actions: []string{"Take notes in with knowledge/ingest or `stoa ingest DIR`."}, Hint: TraceHint{PathPrefix: knowledge + "/ingest", Method: "POST", StatusAtLeast: 400}, Targets: []string{documentsPath},
	},
	{
		ID: "knowledge_staleness_health", Sentence: "What is searched is what the notes say now.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("documents=%d, stale=%d, freshness=%s%%", s.Documents, s.StaleDocuments, figure(s.FreshnessPct))
			switch {
			case s.Documents == 0:
				return waiting("notes", 0, 1)
			case s.IndexStatus == "unknown":
				return unseen("Nothing was searched since the server started, and nothing is wrong.", observed, "stale=0")
			case s.StaleDocuments >= max(3, (4*s.Documents+9)/10) && s.IndexStatus == "stale" && s.QueryBackendLastError != "":
				return failed("Most notes cannot be searched as they are now.", observed, "stale=0")
			case s.StaleDocuments > 0 && s.IndexStatus == "stale":
				return warned("Some notes have changed since the index was built; the next question brings it in step.", observed, "stale=0")
			}
			return passed("The notes are fresh.", observed)
		},
		Actions: resync, Hint: searchHint, Targets: []string{documentsPath, diagnosticsPath},
	},
}

// StrategyAlignment is the verdict on the sessions whose strategy was chosen by trend.
func StrategyAlignment(s *Signals, t *Thresholds) Status { return strategyRule(s, t).Status }

// strategyRule holds the sessions of the last week whose strategy was chosen by trend to what they brought.
func strategyRule(s *Signals, t *Thresholds) Verdict {
	observed := fmt.Sprintf("sessions=%d, with_strategy=%d, by_trend=%d, average_delta=%s, negative=%s%%", s.StrategySessions, s.StrategyRecords, s.TrendCount, figure(s.TrendDeltaPct), figure(s.TrendNegativePct))
	expected := fmt.Sprintf("average_delta>=%s, negative<%s%%", figure(t.StrategyWarnDelta), figure(t.StrategyWarnNegative))
	switch {
	case s.StrategySessions == 0:
		return unseen("Not enough data, and nothing is wrong: there were no sessions this week.", observed, expected)
	case s.StrategyRecords == 0:
		return unseen("Not enough data, and nothing is wrong: no session says which strategy it followed.", observed, expected)
	case s.TrendCount < t.StrategyMinSamples:
		v := waiting("sessions whose strategy was chosen by trend", s.TrendCount, t.StrategyMinSamples)
		v.Observed = observed
		return v
	case s.TrendDeltaPct < t.StrategyFailDelta || s.TrendNegativePct >= t.StrategyFailNegative:
		return failed("Strategies chosen by trend cost mastery instead of bringing it.", observed, expected)
	case s.TrendDeltaPct < t.StrategyWarnDelta || s.TrendNegativePct >= t.StrategyWarnNegative:
		return warned("Strategies chosen by trend bring less than they should.", observed, expected)
	}
	return passed("Strategies chosen by trend bring mastery.", observed)
}
