package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/client"
	"stoa/internal/apitest"
)

// faulty is a server that answers as it is told, and remembers what it was asked.
type faulty struct {
	answers []func(w http.ResponseWriter, r *http.Request) // one for each request; the last one for all others

	mu     sync.Mutex // a connection that is hung up orders nothing
	asked  []string
	ids    []string
	events []client.RemediationEvent
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var e client.RemediationEvent
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &e); err != nil {
			panic(err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, e)
		fmt.Fprint(w, `{"ok":true,"data":{}}`)
		return
	}
	f.mu.Lock()
	f.asked, f.ids = append(f.asked, r.URL.Path), append(f.ids, r.Header.Get("X-Request-Id"))
	answer := f.answers[min(len(f.asked), len(f.answers))-1]
	f.mu.Unlock()
	answer(w, r)
}

func status(code int, header ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, `{"ok":false,"data":{},"error":{"code":"x","message":"no"}}`)
	}
}

func fine(data string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"ok":true,"data":%s}`, data) }
}

func hangUp(w http.ResponseWriter, _ *http.Request) {
	panic(http.ErrAbortHandler)
}

// fakeTime is a clock that moves when somebody waits, and the pauses and timeouts that were asked for.
type fakeTime struct {
	now      time.Time
	waits    []time.Duration
	timeouts []time.Duration
	expired  bool // every attempt runs out of time
}

func (c *fakeTime) client(t *testing.T, f *faulty) *client.Client {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	c.now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	api, err := client.New(s.URL, client.Options{
		Wait: func(_ context.Context, d time.Duration) error {
			c.waits, c.now = append(c.waits, d), c.now.Add(d)
			return nil
		},
		Timeout: func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			c.timeouts = append(c.timeouts, d)
			ctx, cancel := context.WithCancel(ctx)
			if c.expired {
				c.now = c.now.Add(d)
				cancel()
			}
			return ctx, cancel
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

var keys = map[client.PolicyKey]string{
	client.RunbookGet: "", client.RunbookVerifyGet: "/verify", client.RunbookHistoryGet: "/history", client.RunbookChecksGet: "/history/checks",
	client.ActionQueueGet: "/history/action-queue", client.RemediationHistoryGet: "/history/remediation-events",
}

func TestPoliciesOfTheContract(t *testing.T) {
	for key, path := range keys {
		p, ok := client.PolicyOf(key)
		if !ok || p != (client.Policy{Timeout: 12 * time.Second, MaxRetries: 2, Retryable: true}) {
			t.Errorf("%s is %+v", key, p)
		}
		clock, f := &fakeTime{}, &faulty{answers: []func(http.ResponseWriter, *http.Request){status(503, "Connection", "close"), hangUp, fine(`{"n":7}`)}}
		var got struct{ N int }
		if err := clock.client(t, f).Governance(t.Context(), key, nil, &got); err != nil || got.N != 7 {
			t.Errorf("%s: %v %v", key, got, err)
		}
		if len(f.ids) != 3 || f.ids[0] == "" || f.ids[0] != f.ids[1] || f.ids[0] != f.ids[2] {
			t.Errorf("%s: request ids %q", key, f.ids)
		}
		if f.asked[0] != "/api/knowledge/runtime-capability-runbook"+path {
			t.Errorf("%s asks %s", key, f.asked[0])
		}
		if want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}; !slices.Equal(clock.waits, want) {
			t.Errorf("%s waits %v", key, clock.waits)
		}
		if want := []time.Duration{12 * time.Second, 12 * time.Second, 12 * time.Second}; !slices.Equal(clock.timeouts, want) {
			t.Errorf("%s: timeouts %v", key, clock.timeouts)
		}
	}
	if err := (&fakeTime{}).client(t, &faulty{}).Governance(t.Context(), "other", nil, nil); err == nil {
		t.Error("a key without a policy is taken")
	}
}

func TestPolicyGivesUp(t *testing.T) {
	for _, tc := range []struct {
		answer func(http.ResponseWriter, *http.Request)
		asked  int
		waits  []time.Duration
	}{
		{status(429, "Retry-After", "7"), 3, []time.Duration{7 * time.Second, 7 * time.Second}},
		{status(504), 3, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		{status(500), 1, nil},
		{status(422), 1, nil},
		{status(403), 1, nil},
	} {
		clock, f := &fakeTime{}, &faulty{answers: []func(http.ResponseWriter, *http.Request){tc.answer}}
		err := clock.client(t, f).Governance(t.Context(), client.RunbookGet, nil, nil)
		if err == nil || len(f.asked) != tc.asked || !slices.Equal(clock.waits, tc.waits) {
			t.Errorf("asked %d times, waited %v: %v", len(f.asked), clock.waits, err)
		}
	}
	clock, f := &fakeTime{expired: true}, &faulty{answers: []func(http.ResponseWriter, *http.Request){fine(`{}`)}}
	if err := clock.client(t, f).Governance(t.Context(), client.RunbookGet, nil, nil); err == nil || len(clock.timeouts) != 3 {
		t.Errorf("a server that does not answer in time: %d attempts, %v", len(clock.timeouts), err)
	}
}

func TestGateWarnsAtTheThirdDegradedRefresh(t *testing.T) {
	var g client.Gate
	for i, want := range []string{"ok", "ok", "warn", "warn"} {
		if g.Refreshed(true); g.State() != want {
			t.Errorf("after %d degraded refreshes the gate is %s", i+1, g.State())
		}
	}
	if g.Refreshed(false); g.State() != "ok" || g.Degraded() != 0 {
		t.Errorf("after a clean refresh the gate is %s", g.State())
	}
}

func TestAutoRemediation(t *testing.T) {
	clock, f := &fakeTime{}, &faulty{answers: []func(http.ResponseWriter, *http.Request){fine(`{"autoFocusApplied":true,"effectiveCheckId":"c"}`), fine(`{"autoFocusReason":"no_recommended_focus"}`), status(500)}}
	a := client.AutoRemediation{Client: clock.client(t, f), Now: func() time.Time { return clock.now }}
	var g client.Gate
	step := func(after time.Duration, want client.Remediation, event string) {
		t.Helper()
		clock.now = clock.now.Add(after)
		g.Refreshed(true)
		before := len(f.events)
		got := a.Run(t.Context(), &g)
		failed := got.Err != nil
		if got.Err = nil; got != want || failed != (event == "error") {
			t.Errorf("got %+v (failed: %t), want %+v", got, failed, want)
		}
		switch {
		case event == "" && len(f.events) != before:
			t.Errorf("told the server %+v", f.events[before:])
		case event != "" && (len(f.events) != before+1 || f.events[before].Status != event || f.events[before].Source != "learning_workbench_refresh"):
			t.Errorf("told the server %+v, want %s", f.events[before:], event)
		}
	}
	step(0, client.Remediation{Status: "idle", Skipped: "below_threshold"}, "")
	step(0, client.Remediation{Status: "idle", Skipped: "below_threshold"}, "")
	step(0, client.Remediation{Status: "applied", CheckID: "c"}, "applied")
	step(time.Second, client.Remediation{Status: "idle", Skipped: "cooldown_active:119s"}, "cooldown")
	step(118500*time.Millisecond, client.Remediation{Status: "idle", Skipped: "cooldown_active:1s"}, "cooldown")
	step(500*time.Millisecond, client.Remediation{Status: "attempted"}, "not_applied")
	step(120*time.Second, client.Remediation{Status: "attempted"}, "error")
	g.Refreshed(false)
	step(time.Hour, client.Remediation{Status: "idle", Skipped: "below_threshold"}, "")
}

func TestGovernanceOfARealServer(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	c := signedIn(t, s, "eve")
	for key := range keys {
		if err := c.Governance(t.Context(), key, nil, nil); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	var g client.Gate
	for range 3 {
		g.Refreshed(true)
	}
	// Questions about a time before the notes find nothing that was valid then, which is the incident of this test.
	eve := s.As(t, "eve")
	for range 6 {
		eve.Post("/api/knowledge/query", map[string]any{"query": "what is a limit", "asOf": "1999-01-01T00:00:00Z"}).OK(t)
	}
	for range 3 {
		if err := c.Governance(t.Context(), client.RunbookVerifyGet, url.Values{"checkId": {"query_temporal_validity_ratio"}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	a := client.AutoRemediation{Client: c}
	if r := a.Run(t.Context(), &g); r.Err != nil || r.Status != "applied" || r.CheckID == "" {
		t.Errorf("%+v", r)
	}
	if r := a.Run(t.Context(), &g); r.Err != nil || r.Skipped != "cooldown_active:120s" {
		t.Errorf("%+v", r)
	}
	var history struct {
		Summary struct {
			Total  int            `json:"totalRecords"`
			Counts map[string]int `json:"statusCounts"`
		} `json:"summary"`
	}
	if err := c.Governance(t.Context(), client.RemediationHistoryGet, nil, &history); err != nil || history.Summary.Total != 2 || history.Summary.Counts["cooldown"] != 1 {
		t.Errorf("%+v %v", history, err)
	}
}
