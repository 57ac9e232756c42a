package tutors

import (
	"cmp"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
)

// recentTutor is how many of the newest calls of language models say how they are doing now.
const recentTutor = 20

// routedSince gives the traces of language models, not those of the rule engine, within routingSpan of now.
func routedSince(traces []TutorTrace, now time.Time) []TutorTrace {
	oldest := clock.Text(now.Add(-routingSpan))
	return slices.DeleteFunc(slices.Clone(traces), func(t TutorTrace) bool { return t.Source == RuleEngine || t.CreatedAt < oldest })
}

// recentCalls gives the newest calls, newest first. Once as many of them in a row were accepted as are enough to judge
// by, those before do not count any more: what works again is well at once.
func recentCalls(routed []TutorTrace, least int) []TutorTrace {
	n := 0
	for n < len(routed) && routed[n].outcome() == "accepted" {
		n++
	}
	if n < max(1, least) {
		n = len(routed)
	}
	return routed[:min(n, recentTutor)]
}

// tutorFigures sums up calls of language models.
func tutorFigures(calls []TutorTrace) runbook.TutorFigures {
	f := runbook.TutorFigures{Calls: len(calls)}
	if len(calls) == 0 {
		return f
	}
	failed, worse, attempts := 0, 0, 0
	fallbacks, took, answers := map[string]int{}, map[string]float64{}, map[string]int{}
	for i := range calls {
		t := &calls[i]
		f.Confidence += t.Confidence
		attempts += t.Attempts
		switch t.outcome() {
		case "failed":
			failed++
			worse++
		case "downgraded":
			worse++
		}
		if t.Fallback {
			f.Fallbacks++
			fallbacks[providerOf(*t)]++
		}
		took[providerOf(*t)] += t.LatencyMs
		answers[providerOf(*t)]++
	}
	n := int64(len(calls))
	f.FailedPct, f.DowngradedPct, f.FallbackPct = core.Percent(int64(failed), n), core.Percent(int64(worse), n), core.Percent(int64(f.Fallbacks), n)
	f.Attempts, f.Confidence = core.Rounded(float64(attempts)/float64(n), 4), core.Rounded(f.Confidence/float64(n), 4)
	if top := core.TopPaths(fallbacks); len(top) > 0 {
		f.DominantFallback, f.DominantFallbackPct = top[0].Path, core.Percent(int64(top[0].Count), int64(f.Fallbacks))
	}
	for name, ms := range took {
		if mean := ms / float64(answers[name]); mean > f.SlowestMs || mean == f.SlowestMs && name < f.SlowestProvider {
			f.SlowestProvider, f.SlowestMs = name, mean
		}
	}
	return f
}

// tutorFault is the provider that is at fault now: whose newest call did not go well, and of several the one with the most
// such calls. down reports whether the newest call of every provider failed.
func tutorFault(routed []TutorTrace) (f runbook.TutorFault, down bool) {
	calls, failed := map[string]int{}, map[string]int{}
	var newest []*TutorTrace // one of each provider
	for i := range routed {
		t := &routed[i]
		name := providerOf(*t)
		if calls[name] == 0 {
			newest = append(newest, t)
		}
		calls[name]++
		if t.outcome() != "accepted" {
			failed[name]++
		}
	}
	down = len(newest) > 0
	for _, t := range newest {
		down = down && t.Failed
		name := providerOf(*t)
		if t.outcome() == "accepted" || failed[name] <= f.Failed {
			continue
		}
		f = runbook.TutorFault{Provider: name, Code: cmp.Or(t.ErrorCode, "bad_reply"), Error: t.Error, Failed: failed[name], Calls: calls[name]}
		if !t.Failed {
			f.Code, f.Error = "downgraded", cmp.Or(t.Reason, "it was not verified")
		}
	}
	return f, down
}

// routingScore is the health of the adapter that was asked last, over its newest calls. The matrix and the tutor's
// telemetry both tell it.
func routingScore(routed []TutorTrace, last *TutorTrace) float64 {
	own := slices.DeleteFunc(slices.Clone(routed), func(t TutorTrace) bool { return t.AdapterID != last.AdapterID })
	return windowOf(own[:min(recentTutor, len(own))]).Score
}
