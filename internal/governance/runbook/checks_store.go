package runbook

import (
	"cmp"
	"fmt"
	"strings"
)

// worstClock is by how many seconds the time of day may be off before it counts as having jumped.
const worstClock = 60

var storeChecks = []Definition{
	{
		ID: "store_health", Sentence: "The database can be written and answers quickly.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			switch {
			case !s.StoreWritable:
				return failed(cmp.Or(s.StoreProblem, "The database cannot be written."), "writable=false", "writable=true")
			case len(s.Unread) > 0:
				return failed("Some of the database could not be read in time: "+strings.Join(s.Unread, ", ")+".", "unread="+strings.Join(s.Unread, " "), "unread=none")
			}
			return level("latency", s.StoreLatencyMs, t.StoreLatencyWarnMs, t.StoreLatencyFailMs, "ms")
		},
		Actions: []string{"Look whether another program or a long write holds the database, and at the disk and its free space.", "Run `stoa doctor`."},
		Hint:    TraceHint{PathPrefix: knowledge, StatusAtLeast: 500}, Targets: []string{healthPath, statePath},
	},
	{
		ID: ClockHealth, Sentence: "The server's clock runs evenly.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed, expected := fmt.Sprintf("jump=%ds, ahead_of_now=%ds", s.ClockJumpS, s.RecordsAheadS), fmt.Sprintf("ahead_of_now<%ds", worstClock)
			switch {
			case s.RecordsAheadS >= worstClock:
				return failed(fmt.Sprintf("The newest record is %s in the future: the clock was set back.", span(s.RecordsAheadS)), observed, expected)
			case s.ClockJumpS >= worstClock:
				return warned(fmt.Sprintf("The clock was set forward by %s.", span(s.ClockJumpS)), observed, expected)
			case s.ClockJumpS <= -worstClock:
				return warned(fmt.Sprintf("The clock was set back by %s.", span(-s.ClockJumpS)), observed, expected)
			}
			return passed("The clock runs evenly.", observed)
		},
		Actions: []string{"Look at the time service of the server's machine (`timedatectl`, chrony) and set the clock right.", "Until then, due dates and windows of hours are off by as much."},
		Hint:    TraceHint{PathPrefix: knowledge, StatusAtLeast: 500}, Targets: []string{healthPath},
	},
}
