package runbook

import "fmt"

var storeChecks = []Definition{
	{
		ID: "store_backend_type", Sentence: "The database in use is the one that was configured.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("configured=%s, actual=%s", s.ConfiguredStoreBackend, s.StoreType)
			if s.ConfiguredStoreBackend != s.StoreType {
				return warned("Another database is in use than the one configured.", observed, "actual="+s.ConfiguredStoreBackend)
			}
			return passed("The configured database is in use.", observed)
		},
		Actions: []string{"Compare the database setting with what `stoa doctor` reports."}, Hint: TraceHint{PathPrefix: knowledge, StatusAtLeast: 500}, Targets: []string{statePath},
	},
	{
		ID: "store_health", Sentence: "The database can be written and answers quickly.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			if !s.StoreWritable {
				return failed("The database cannot be written. "+s.StoreProblem, "writable=false", "writable=true")
			}
			return level("latency", s.StoreLatencyMs, t.StoreLatencyWarnMs, t.StoreLatencyFailMs, "ms")
		},
		Actions: []string{"Look at the disk and its free space.", "Run `stoa doctor`.", "Look for a long write, such as a large ingest or a backup."},
		Hint:    TraceHint{PathPrefix: knowledge, StatusAtLeast: 500}, Targets: []string{healthPath, statePath},
	},
}
