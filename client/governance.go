package client

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// PolicyKey names how a read of the runtime's governance is tried again.
type PolicyKey string

// The keys of the contract.
const (
	RunbookGet            PolicyKey = "runtime_runbook_get"
	RunbookVerifyGet      PolicyKey = "runtime_runbook_verify_get"
	RunbookHistoryGet     PolicyKey = "runtime_runbook_history_get"
	RunbookChecksGet      PolicyKey = "runtime_runbook_history_checks_get"
	ActionQueueGet        PolicyKey = "runtime_runbook_action_queue_get"
	RemediationHistoryGet PolicyKey = "runtime_runbook_remediation_history_get"
)

// Policy is how often a call is tried and how long each attempt may take.
type Policy struct {
	Timeout    time.Duration // of one attempt
	MaxRetries int           // beyond the first attempt
	Retryable  bool
}

const runbookRoot = "/api/knowledge/runtime-capability-runbook"

// governed is a policy and where it leads.
type governed struct {
	Policy
	path string
}

var runbookPolicy = Policy{Timeout: 12 * time.Second, MaxRetries: 2, Retryable: true}

var policies = map[PolicyKey]governed{
	RunbookGet:            {runbookPolicy, runbookRoot},
	RunbookVerifyGet:      {runbookPolicy, runbookRoot + "/verify"},
	RunbookHistoryGet:     {runbookPolicy, runbookRoot + "/history"},
	RunbookChecksGet:      {runbookPolicy, runbookRoot + "/history/checks"},
	ActionQueueGet:        {runbookPolicy, runbookRoot + "/history/action-queue"},
	RemediationHistoryGet: {runbookPolicy, runbookRoot + "/history/remediation-events"},
}

// PolicyOf gives the policy of a key.
func PolicyOf(key PolicyKey) (Policy, bool) {
	g, ok := policies[key]
	return g.Policy, ok
}

// patience is that of a call under the policy.
func (p Policy) patience() *patience {
	out := &patience{attempt: p.Timeout, hangs: p.MaxRetries + 1, policy: true}
	if p.Retryable {
		out.retries = p.MaxRetries
	}
	return out
}

// Governance reads a route of the runtime's governance by its policy. Every attempt carries the same X-Request-Id, so a
// verification that arrived although its answer did not is kept once.
func (c *Client) Governance(ctx context.Context, key PolicyKey, query url.Values, into any) error {
	g, ok := policies[key]
	if !ok {
		return errors.New("there is no policy " + string(key))
	}
	q := &call{method: http.MethodGet, path: g.path, query: query, limit: maxLong, patience: g.patience(), header: http.Header{"X-Request-Id": {rand.Text()}}}
	return c.data(ctx, q, into)
}

// RemediationEvent is what became of an attempt to fix something.
type RemediationEvent struct {
	Source        string `json:"source"`
	Status        string `json:"status"` // applied, not_applied, cooldown, error or ignored
	CheckID       string `json:"checkId,omitempty"`
	TriggerReason string `json:"triggerReason"`
	Detail        string `json:"detail,omitempty"`
	Degraded      int    `json:"degradedStreakCount"`
}

// RecordRemediation tells the server what became of an attempt. The server keeps one event for each request id, so the
// call is tried again like a read, by the policy of the reads.
func (c *Client) RecordRemediation(ctx context.Context, e RemediationEvent) error {
	body, err := jsonBody(e)
	if err != nil {
		return err
	}
	id := rand.Text()
	q := &call{method: http.MethodPost, path: runbookRoot + "/remediation-event", key: id, header: http.Header{"X-Request-Id": {id}}, body: body, patience: runbookPolicy.patience()}
	return c.data(ctx, q, nil)
}

// degradedLimit is how many degraded refreshes in a row close the gate and call for remediation.
const degradedLimit = 3

// Gate is the refresh degradation gate. The zero value has seen nothing.
type Gate struct{ degraded int }

// Refreshed tells the gate how a refresh went; a clean one opens it.
func (g *Gate) Refreshed(degraded bool) {
	if degraded {
		g.degraded++
	} else {
		g.degraded = 0
	}
}

// Degraded is how many refreshes in a row were degraded.
func (g *Gate) Degraded() int { return g.degraded }

// State is "warn" from the third degraded refresh in a row on, else "ok".
func (g *Gate) State() string {
	if g.degraded >= degradedLimit {
		return "warn"
	}
	return "ok"
}

// remediationCooldown is how long after an attempt no other is made.
const remediationCooldown = 120 * time.Second

// Remediation is what auto remediation did.
type Remediation struct {
	Status string // idle, attempted or applied
	// Skipped is why nothing was tried: below_threshold, or cooldown_active:<n>s with the seconds that are left.
	Skipped string
	CheckID string // that the focus went to
	Err     error  // of the attempt
}

// AutoRemediation looks at what the server recommends once refreshes keep being degraded. The zero value with a Client is
// usable; it is for one goroutine.
type AutoRemediation struct {
	Client *Client
	Now    func() time.Time // nil for the machine's clock
	last   time.Time
}

// Run tries to remediate when enough refreshes in a row were degraded, at most once in 120 s. Each attempt, and each that
// is skipped for the cooldown, is told to the server.
func (a *AutoRemediation) Run(ctx context.Context, g *Gate) Remediation {
	if g.Degraded() < degradedLimit {
		return Remediation{Status: "idle", Skipped: "below_threshold"}
	}
	now := time.Now()
	if a.Now != nil {
		now = a.Now()
	}
	event := RemediationEvent{Source: "learning_workbench_refresh", Degraded: g.Degraded(), TriggerReason: "degraded_streak"}
	if left := remediationCooldown - now.Sub(a.last); !a.last.IsZero() && left > 0 {
		seconds := int((left + time.Second - 1) / time.Second)
		r := Remediation{Status: "idle", Skipped: "cooldown_active:" + strconv.Itoa(seconds) + "s"}
		event.Status, event.TriggerReason = "cooldown", r.Skipped
		r.Err = a.Client.RecordRemediation(ctx, event)
		return r
	}
	a.last = now
	var verified struct {
		Applied bool   `json:"autoFocusApplied"`
		CheckID string `json:"effectiveCheckId"`
		Reason  string `json:"autoFocusReason"`
	}
	err := a.Client.Governance(ctx, RunbookVerifyGet, url.Values{"checkId": {"auto"}, "focus": {"recommended"}}, &verified)
	r := Remediation{Status: "attempted", CheckID: verified.CheckID, Err: err}
	event.CheckID, event.Detail = verified.CheckID, verified.Reason
	switch {
	case err != nil:
		event.Status, event.TriggerReason, event.Detail = "error", "auto_focus_error", err.Error()
	case verified.Applied:
		r.Status, event.Status = "applied", "applied"
	default:
		event.Status = "not_applied"
	}
	r.Err = errors.Join(err, a.Client.RecordRemediation(ctx, event))
	return r
}
