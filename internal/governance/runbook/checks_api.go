package runbook

import "fmt"

var (
	invalidHint   = TraceHint{PathPrefix: knowledge, StatusAtLeast: 400, ErrorCode: "invalid_request"}
	transientHint = TraceHint{PathPrefix: knowledge, StatusAtLeast: 429}
)

var serverHint = TraceHint{PathPrefix: knowledge, StatusAtLeast: 500}

// apiRatio is a share of the requests, when there are enough of them.
func apiRatio(s *Signals, t *Thresholds, name string, value, warn, fail float64) Verdict {
	if s.APIRequests < t.APIMinRequests {
		return waiting("requests in the last hour", s.APIRequests, t.APIMinRequests)
	}
	return level(name, value, warn, fail, "%")
}

var apiChecks = []Definition{
	{
		// The field facts take the share of the errors: three mistyped requests among ten thousand would fail. The share of
		// all requests is what says that a client and the server do not understand each other.
		ID: "api_invalid_request_ratio", Sentence: "Few requests are refused as invalid.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			switch {
			case s.APIRequests == 0:
				return waiting("requests in the last hour", 0, 1)
			case s.APIInvalid == 0:
				return passed("No request was refused as invalid.", "invalid=0")
			case s.APIInvalid < t.APIInvalidMin:
				return passed(fmt.Sprintf("%d of %d requests were refused as invalid.", s.APIInvalid, s.APIRequests), "invalid="+figure(float64(s.APIInvalid)))
			}
			return level("invalid_ratio", s.APIInvalidOfAll, t.APIInvalidWarnPct, t.APIInvalidFailPct, "%")
		},
		Actions: []string{"Read error.details of the refused requests: they name the field.", "Update the client that sends them."}, Hint: invalidHint, Targets: []string{tracePath + "?statusAtLeast=400"},
	},
	{
		ID: "api_invalid_request_hotspots", Sentence: "No single route refuses many requests.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return hotspots(s.APIRequests, s.APIInvalidPaths, float64(t.APIInvalidHotWarn), float64(t.APIInvalidHotFail))
		},
		Actions: []string{"Look at the requests to the route that stands out: error.code and error.details say why."}, Hint: invalidHint, Targets: []string{tracePath + "?statusAtLeast=400"},
	},
	{
		ID: "api_server_error_ratio", Sentence: "The server rarely fails to answer.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return apiRatio(s, t, "server_error_ratio", s.APIServerPct, t.APIServerWarnPct, t.APIServerFailPct)
		},
		Actions: []string{"Give the request ids to the operator: the log has the cause.", "Run `stoa doctor`."}, Hint: serverHint, Targets: []string{tracePath + "?statusAtLeast=500"},
	},
	{
		ID: "api_server_error_hotspots", Sentence: "No single route fails again and again.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return hotspots(s.APIRequests, s.APIServerPaths, float64(t.APIServerHotWarn), float64(t.APIServerHotFail))
		},
		Actions: []string{"Look at the requests to the route that stands out: error.code and error.details say why."}, Hint: serverHint, Targets: []string{tracePath + "?statusAtLeast=500"},
	},
	{
		ID: "api_transient_error_ratio", Sentence: "Few requests have to be made again.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return apiRatio(s, t, "transient_ratio", s.APITransientPct, t.APITransientWarnPct, t.APITransientFailPct)
		},
		Actions: []string{"Slow the client down: it asks more often than it may.", "Look whether the server is overloaded."}, Hint: transientHint, Targets: []string{tracePath + "?statusAtLeast=400"},
	},
	{
		ID: "api_transient_error_hotspots", Sentence: "No single route is refused for the moment again and again.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return hotspots(s.APIRequests, s.APITransientPaths, float64(t.APITransientHotWarn), float64(t.APITransientHotFail))
		},
		Actions: []string{"Look at the requests to the route that stands out: error.code and error.details say why."}, Hint: transientHint, Targets: []string{tracePath + "?statusAtLeast=400"},
	},
	{
		ID: "api_latency_p95", Sentence: "Nineteen of twenty requests are answered quickly.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			if n := s.APIRequests - s.APIWarmUp; n < t.APIMinRequests {
				return waiting("requests in the last hour, beside the first to each route", n, t.APIMinRequests)
			}
			return level("p95", s.APIP95Ms, t.APILatencyWarnMs, t.APILatencyFailMs, "ms")
		},
		Actions: []string{"Look at the slowest paths of the request trace, and at the database and the models behind them."}, Hint: TraceHint{PathPrefix: knowledge}, Targets: []string{tracePath},
	},
	{
		ID: "api_latency_hotspots", Sentence: "No single route is slow.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return hotspots(s.APIRequests-s.APIWarmUp, s.APISlowPaths, t.APILatencyHotWarnMs, t.APILatencyHotFailMs)
		},
		Actions: []string{"Look at the requests to the route that is slow: whether the database, the embedder or the tutor takes the time."}, Hint: TraceHint{PathPrefix: knowledge}, Targets: []string{tracePath},
	},
}
