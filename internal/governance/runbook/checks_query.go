package runbook

import "fmt"

var (
	searchHint = TraceHint{PathPrefix: diagnosticsPath, StatusAtLeast: 400}
	queryHint  = TraceHint{PathPrefix: knowledge + "/query", StatusAtLeast: 400}
	resync     = []string{"Send POST /api/knowledge/ingest with an empty list of documents, or ask a question: either brings the index in step.", "If the index is full, an operator raises --limits.indexed-atoms and restarts.", "If an embedder fails, an operator starts it, or corrects --embedder.url and --embedder.model."}
)

var queryChecks = []Definition{
	{
		ID: "query_backend_runtime_health", Sentence: "The search over notes is ready and is the configured one.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("ready=%t, backend=%s, runtime=%s", s.QueryBackendRuntimeReady, s.QueryBackendID, s.QueryBackendRuntimeID)
			switch {
			case s.SyncRequests == 0 && s.QueryCount == 0:
				return unseen("Nobody has asked yet, and nothing is wrong.", observed, "ready=true")
			case !s.QueryBackendRuntimeReady:
				return failed("The search is not ready: "+s.QueryBackendLastError, observed, "ready=true")
			case s.QueryBackendRuntimeID != s.QueryBackendID:
				return warned("Another search answers than the configured one.", observed, "runtime="+s.QueryBackendID)
			}
			return passed("The search is ready.", observed)
		},
		Actions: resync, Hint: searchHint, Targets: []string{diagnosticsPath},
	},
	{
		ID: "query_vector_index_status", Sentence: "The vector index can be used.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("status=%s, atoms=%d", s.IndexStatus, s.IndexAtoms)
			switch {
			case s.IndexStatus == "unavailable":
				return failed("The vector index cannot be used.", observed, "status=ready")
			case s.Notes == 0:
				return unseen("There are no notes to index yet, and nothing is wrong.", observed, "notes>0")
			case s.IndexStatus == "unknown":
				return unseen("The index was not needed since the server started, and nothing is wrong: the next question or ingest builds it.", observed, "status=ready")
			case s.IndexStatus != "ready":
				return warned("The vector index is behind the notes.", observed, "status=ready")
			}
			return passed("The vector index is ready.", observed)
		},
		Actions: resync, Hint: searchHint, Targets: []string{diagnosticsPath},
	},
	{
		ID: IndexSync, Sentence: "The vector index holds what the notes say now.",
		Rule:    syncRule,
		Actions: append([]string{"Look at indexSyncStatus and indexSyncMessage of the query-backend diagnostics."}, resync...), Hint: searchHint,
		Targets: []string{diagnosticsPath},
	},
	{
		ID: "query_vector_acceleration_representation_consistency", Sentence: "Questions and notes are embedded by the same model.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("representation=%s, model=%s", s.Representation, s.EmbeddingModel)
			switch s.Representation {
			case "mismatch":
				return failed("Questions and notes are embedded by different models.", observed, "representation=aligned")
			case "unknown":
				return unseen("The embedder was not asked yet, and nothing is wrong.", observed, "representation=aligned")
			}
			return passed("The model is the same.", observed)
		},
		Actions: resync, Hint: searchHint, Targets: []string{diagnosticsPath},
	},
	{
		ID: "query_fallback_ratio", Sentence: "Questions are rarely answered by keywords alone for want of the index.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			if s.QueryCount < t.QueryMinSamples {
				return waiting("questions", s.QueryCount, t.QueryMinSamples)
			}
			return level("fallback_ratio", s.QueryFallbackRatioPct, t.QueryFallbackWarnPct, t.QueryFallbackFailPct, "%")
		},
		Actions: resync, Hint: queryHint, Targets: []string{diagnosticsPath},
	},
	{
		ID: "query_evidence_coverage_ratio", Sentence: "Passages that answer come with evidence.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			return coverage(s, t, "evidence_coverage", s.QueryEvidencePct)
		},
		Actions: []string{"Look which notes have no evidence spans, and ingest them again."}, Hint: queryHint, Targets: []string{diagnosticsPath},
	},
	{
		ID: "query_temporal_validity_ratio", Sentence: "Passages that answer hold at the time asked for.",
		Rule:    func(s *Signals, t *Thresholds) Verdict { return coverage(s, t, "temporal_validity", s.QueryValidPct) },
		Actions: []string{"Ingest the notes again, so that what was replaced is known."}, Hint: queryHint, Targets: []string{diagnosticsPath},
	},
	{
		ID: "query_backend_last_error", Sentence: "The search over notes reports no error.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			switch {
			case s.QueryBackendLastError != "":
				return warned(s.QueryBackendLastError, "last_error=present", "no error")
			case s.SyncRequests == 0 && s.QueryCount == 0:
				return unseen("Nobody has asked yet, and nothing is wrong.", "last_error=none", "no error")
			}
			return passed("No error.", "last_error=none")
		},
		Actions: resync, Hint: searchHint, Targets: []string{diagnosticsPath},
	},
}

func coverage(s *Signals, t *Thresholds, name string, value float64) Verdict {
	if s.QuerySamples < t.QueryMinSamples {
		return waiting("questions that found something", s.QuerySamples, t.QueryMinSamples)
	}
	return share(name, value, t.CoverageWarnPct, t.CoverageFailPct)
}

// syncRule looks at the index as it stands. The field facts let every index that is not a remote one pass; this one is
// embedded and can still fall behind or be full, so it is held to the same (decisions, part 4). A failure counts until a
// sync succeeds, not for ever.
func syncRule(s *Signals, _ *Thresholds) Verdict {
	observed := fmt.Sprintf("sync=%s, requests=%d, successes=%d, failures=%d, atoms=%d", s.SyncStatus, s.SyncRequests, s.SyncSuccesses, s.SyncFailures, s.SyncAtoms)
	const expected = "sync=ready"
	switch {
	case s.SyncStatus == "unavailable":
		return failed("The index could not be brought in step: "+s.SyncMessage, observed, expected)
	case s.Notes == 0:
		return unseen("There are no notes to index yet, and nothing is wrong.", observed, "notes>0")
	case s.SyncStatus == "unknown":
		return unseen("The index was not needed since the server started, and nothing is wrong: the next question or ingest builds it.", observed, expected)
	case s.SyncStatus != "ready":
		return warned("The index is behind the notes. "+s.SyncMessage, observed, expected)
	case s.SyncSuccesses == 0 || s.SyncAtoms == 0 || s.SyncSignature == "":
		return warned("The index has never been brought in step.", observed, expected)
	}
	return passed("The index is in step with the notes.", observed)
}
