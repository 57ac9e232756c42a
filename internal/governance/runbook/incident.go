package runbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Incident is what is wrong before all else: the fault behind the checks that turned, in one sentence.
type Incident struct {
	Code     string            `json:"code"`
	CheckID  string            `json:"checkId"` // the check that passes once the fault is gone
	Sentence string            `json:"sentence"`
	Params   map[string]string `json:"params"` // what the sentence is made of, for other languages
	Steps    []string          `json:"steps"`
	Also     []string          `json:"alsoAffected"` // other checks that have turned
}

// fault is a kind of fault: the checks it turns, and how it is told. tell gives no code when the signals do not show it.
type fault struct {
	checks []string
	tell   func(s *Signals, t *Thresholds) told
}

type told struct {
	code, sentence string
	params         map[string]string
	steps          []string
}

// faults come in the order of causes: what stands further up makes what stands below go wrong too.
var faults = []fault{
	{[]string{"store_health"}, storeFault},
	{[]string{ClockHealth}, clockFault},
	{[]string{IndexSync, "query_vector_acceleration_representation_consistency", "query_vector_index_status", "query_backend_runtime_health", "query_backend_last_error", "query_fallback_ratio", "knowledge_staleness_health"}, searchFault},
	{[]string{"tutor_adapter_inventory", "tutor_routing_health_budget", "tutor_provider_concentration", "tutor_provider_trend_regression", DynamicMode}, tutorFault},
	{[]string{"api_latency_hotspots", "api_latency_p95"}, slowTutorFault},
	{[]string{StrategyAlign}, strategyFault},
	{[]string{"quality_trend_direction"}, qualityFault},
	{[]string{"api_server_error_ratio", "api_server_error_hotspots"}, serverFault},
	{[]string{"api_latency_hotspots", "api_latency_p95"}, latencyFault},
}

// incident names the first fault that shows among the checks that turned; nil when none has turned.
func (m *Matrix) incident() *Incident {
	var risks []string
	for i := range m.Checks {
		if m.Checks[i].atRisk() {
			risks = append(risks, m.Checks[i].ID)
		}
	}
	if len(risks) == 0 {
		return nil
	}
	for _, f := range faults {
		at := slices.IndexFunc(f.checks, func(id string) bool { return slices.Contains(risks, id) })
		if at < 0 {
			continue
		}
		if x := f.tell(&m.Signals, &m.Thresholds); x.code != "" {
			return x.incident(f.checks[at], risks)
		}
	}
	top := m.topRisk()
	return told{"check", top.Message, map[string]string{"message": top.Message}, top.Actions}.incident(top.ID, risks)
}

func (x told) incident(checkID string, risks []string) *Incident {
	also := slices.DeleteFunc(slices.Clone(risks), func(id string) bool { return id == checkID })
	if x.params == nil {
		x.params = map[string]string{}
	}
	return &Incident{Code: x.code, CheckID: checkID, Sentence: x.sentence, Params: x.params, Steps: slices.Clone(x.steps), Also: append([]string{}, also...)}
}

func storeFault(s *Signals, t *Thresholds) told {
	waited := strconv.FormatInt(s.StoreWaitedMs, 10)
	switch {
	case s.StoreWhy == "full":
		return told{"store_full", "The disk of the database is full: nothing can be stored.", nil, []string{"Make room on the database's disk; nothing else has to be done.", "`stoa doctor` tells what takes the room."}}
	case s.StoreWhy == "locked":
		return told{
			"store_locked", "The database is locked: a write waited " + waited + " ms and got no turn.",
			map[string]string{"waited": waited},
			[]string{"Find who holds the database: another program with the file open, an open transaction (on PostgreSQL: pg_stat_activity), or a long command of stoa. End it or let it finish.", "Nothing is lost: records of requests are stored once the lock is gone."},
		}
	case s.StoreWhy == "read_only":
		return told{"store_read_only", "The database takes no writes: it is read-only.", nil, []string{"Look whether the file or the disk is read-only, or whether PostgreSQL has become a standby."}}
	case !s.StoreWritable:
		return told{"store_away", "The database does not answer. " + s.StoreProblem, map[string]string{"problem": s.StoreProblem}, []string{"Start the database, or look at its disk and at the server's log."}}
	case len(s.Unread) > 0:
		parts := strings.Join(s.Unread, ", ")
		return told{"store_unread", "The database did not answer in time about: " + parts + ".", map[string]string{"parts": parts}, []string{"Find what holds the database's tables (on PostgreSQL: pg_locks and pg_stat_activity) or keeps its disk busy."}}
	}
	took, limit := figure(s.StoreLatencyMs), figure(t.StoreLatencyWarnMs)
	return told{
		"store_slow", "The database is slow: a write took " + took + " ms, and " + limit + " ms is the limit.",
		map[string]string{"took": took, "limit": limit},
		[]string{"Look for a long write, such as a large ingest or a backup, and at how busy the disk is."},
	}
}

func clockFault(s *Signals, _ *Thresholds) told {
	steps := []string{"Look at the time service of the server's machine (`timedatectl`, chrony) and set the clock right.", "Due dates and windows of hours and days are off by as much until then."}
	switch {
	case s.RecordsAheadS >= worstClock:
		by := span(s.RecordsAheadS)
		return told{"clock_back", "The server's clock was set back: the newest record is " + by + " in the future.", map[string]string{"by": by}, steps}
	case s.ClockJumpS >= worstClock:
		by := span(s.ClockJumpS)
		return told{"clock_forward", "The server's clock jumped forward by " + by + ".", map[string]string{"by": by}, steps}
	}
	by := span(-s.ClockJumpS)
	return told{"clock_back", "The server's clock was set back by " + by + ".", map[string]string{"by": by}, steps}
}

func searchFault(s *Signals, _ *Thresholds) told {
	words := fmt.Sprintf("%d of %d", s.QueryFallbackCount, s.QueryCount)
	switch {
	case s.AccelError != "" && strings.HasPrefix(s.AccelAdapter, "external:"):
		params := map[string]string{"error": s.AccelError, "model": s.EmbeddingModel, "calls": words}
		return told{
			"embedder_failing", fmt.Sprintf("%s (embedder %s), %s questions answered by keywords alone.", sentenceCase(s.AccelError), s.EmbeddingModel, words), params,
			[]string{"Start the embedder at that address, or correct --embedder.url, --embedder.model and --embedder.dimensions and restart.", "Then ask a question; the check passes with the first answer."},
		}
	case s.IndexFull:
		atoms, limit := strconv.Itoa(s.Notes), strconv.Itoa(s.IndexLimit)
		return told{
			"index_full", "The index over notes is full: " + atoms + " atoms are to be indexed for you and the limit of all is " + limit + ".",
			map[string]string{"atoms": atoms, "limit": limit},
			[]string{"Raise --limits.indexed-atoms and restart; a million atoms take about a gigabyte of memory.", "Then send POST /api/knowledge/ingest with an empty list of documents."},
		}
	case s.SyncStatus == "stale":
		notes, of := strconv.FormatInt(s.StaleDocuments, 10), strconv.FormatInt(s.Documents, 10)
		return told{
			"index_behind", "The index over notes is behind: " + notes + " of " + of + " notes are not in it as they are now.",
			map[string]string{"notes": notes, "of": of},
			[]string{"Send POST /api/knowledge/ingest with an empty list of documents, or ask a question: either brings it in step."},
		}
	case s.SyncMessage != "":
		return told{"index_failing", "The index over notes cannot be brought in step: " + s.SyncMessage + ".", map[string]string{"error": s.SyncMessage}, resync}
	case s.QueryFallbackCount > 0:
		reason := s.QueryReason
		if reason == "" {
			reason = "the newest question was answered in full again"
		}
		return told{"questions_by_words", words + " questions were answered by keywords alone: " + reason + ".", map[string]string{"calls": words, "error": reason}, resync}
	}
	return told{}
}

func tutorFault(s *Signals, _ *Thresholds) told {
	f := s.Failing
	calls := fmt.Sprintf("%d of %d", f.Failed, f.Calls)
	params := map[string]string{"error": f.Error, "provider": f.Provider, "calls": calls}
	again := "Then ask the tutor once: POST /api/knowledge/tutor/action."
	switch f.Code {
	case "":
		if s.Recent.FailedPct == 0 {
			return told{}
		}
		return told{
			"tutor_recovering", "The newest call of the tutor went well again after others had failed; " + strconv.Itoa(s.RoutingMinSamples) + " in a row are enough to be sure.",
			map[string]string{"needed": strconv.Itoa(s.RoutingMinSamples)},
			[]string{"Ask the tutor once or twice more: POST /api/knowledge/tutor/action."},
		}
	case "downgraded":
		return told{
			"tutor_unsound", fmt.Sprintf("What tutor %s says is not accepted: %s, %s calls.", f.Provider, f.Error, calls), params,
			[]string{"Use a model that keeps to the passages it is given, or set preferredMode to the other side.", again},
		}
	case "timeout":
		return told{
			"tutor_slow", fmt.Sprintf("%s (tutor %s), %s calls failed.", sentenceCase(f.Error), f.Provider, calls), params,
			[]string{"Use a smaller model or a faster machine, or raise tutorRoutingConfig.adapterTimeoutMs (POST " + configPath + ").", again},
		}
	case "refused":
		return told{
			"tutor_refused", fmt.Sprintf("%s (tutor %s), %s calls failed.", sentenceCase(f.Error), f.Provider, calls), params,
			[]string{"Correct the model's name, address or key (--tutor.local.model, --tutor.local.url, or --tutor.cloud), or load the model on that server, and restart.", again},
		}
	case "unreachable":
		return told{
			"tutor_unreachable", fmt.Sprintf("%s (tutor %s), %s calls failed.", sentenceCase(f.Error), f.Provider, calls), params,
			[]string{"Start the model's server at that address, or correct --tutor.local.url or --tutor.cloud.url and restart.", again},
		}
	}
	return told{
		"tutor_failing", fmt.Sprintf("%s (tutor %s), %s calls failed.", sentenceCase(f.Error), f.Provider, calls), params,
		[]string{"Look at what that server answers; it has to speak OpenAI's chat interface.", again},
	}
}

// slowTutorFault tells whether it is the tutor that makes routes slow.
func slowTutorFault(s *Signals, t *Thresholds) told {
	r := s.Recent
	if r.SlowestMs <= t.APILatencyWarnMs || len(s.APISlowPaths) == 0 {
		return told{}
	}
	slowest, _, _ := strings.Cut(s.APISlowPaths[0], ":")
	if !strings.Contains(slowest, "/tutor/") && !strings.Contains(slowest, "/session/") {
		return told{}
	}
	took := seconds(r.SlowestMs)
	return told{
		"tutor_slow", fmt.Sprintf("Tutor %s takes %s s to answer.", r.SlowestProvider, took),
		map[string]string{"error": took + " s", "provider": r.SlowestProvider, "calls": strconv.Itoa(r.Calls)},
		[]string{"Use a smaller model or a faster machine, or lower tutorRoutingConfig.adapterTimeoutMs so that the rule engine answers sooner (POST " + configPath + ")."},
	}
}

func strategyFault(s *Signals, _ *Thresholds) told {
	delta, negative, sessions := signed(s.TrendDeltaPct), figure(s.TrendNegativePct), strconv.Itoa(s.TrendCount)
	return told{
		"strategy_regressing", fmt.Sprintf("Sessions whose strategy was chosen by trend bring %s points of mastery on average, and %s %% of %s lose some.", delta, negative, sessions),
		map[string]string{"delta": delta, "negative": negative, "sessions": sessions},
		[]string{"Nothing is chosen by trend while this fails. Study with a strategy named in the request, or set strategyAutoPathEnabled to false (POST " + configPath + ").", "Look at the sessions: GET " + historyPath},
	}
}

func qualityFault(s *Signals, _ *Thresholds) told {
	right := figure(s.QualityRecentRight)
	before := figure(s.QualityUsualRight)
	return told{
		"answers_worse", fmt.Sprintf("Answers have got worse: lately %s %% are right, %s %% were usual.", right, before),
		map[string]string{"now": right, "before": before},
		[]string{"Study with mastery_recovery until answers are right again: it repairs what is behind the errors.", "If this is a new subject, set a new baseline: POST " + knowledge + "/quality/baseline."},
	}
}

func serverFault(s *Signals, _ *Thresholds) told {
	path, count := s.APIScope, strconv.Itoa(s.APIServer)
	if len(s.APIServerPaths) > 0 {
		path, count, _ = strings.Cut(s.APIServerPaths[0], ":")
	}
	return told{
		"server_errors", path + " failed " + count + " times in the last hour.",
		map[string]string{"path": path, "count": count},
		[]string{"Give the request ids to the operator: the server's log has the cause. GET " + tracePath + "?statusAtLeast=500"},
	}
}

func latencyFault(s *Signals, _ *Thresholds) told {
	if len(s.APISlowPaths) == 0 {
		return told{}
	}
	path, ms, _ := strings.Cut(s.APISlowPaths[0], ":")
	n, err := strconv.ParseFloat(ms, 64)
	if err != nil {
		return told{}
	}
	took := seconds(n)
	return told{
		"slow_route", path + " takes " + took + " s.",
		map[string]string{"path": path, "took": took},
		[]string{"Look at its newest requests: GET " + tracePath + "?pathPrefix=" + path, "Look whether the machine or its disk is busy with something else."},
	}
}

func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 1, 64) }

func signed(x float64) string {
	if x > 0 {
		return "+" + figure(x)
	}
	return figure(x)
}

// span writes a number of seconds as people do, in its two largest units: 2h0m, 3d4h, 75s.
func span(s int64) string {
	d := time.Duration(s) * time.Second
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd%dh", int64(d.Hours())/24, int64(d.Hours())%24)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", int64(d.Hours()), int64(d.Minutes())%60)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%dm%ds", int64(d.Minutes()), s%60)
	}
	return fmt.Sprintf("%ds", s)
}

func sentenceCase(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
