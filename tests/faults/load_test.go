//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/tests/faults/checker"
)

const (
	templates  = 120 // what there is to install
	generation = 60  // rounds after which a client makes room for another, so that lists stay one page
	recovery   = 40 * time.Second
	password   = "a password for faults"
)

// load is clients at work on several nodes, and what they have seen.
type load struct {
	nodes []*node
	began time.Time
	stop  chan struct{}
	wait  sync.WaitGroup

	mu      sync.Mutex
	history []checker.Op
	retired []*client
	stuck   []string
	acked   atomic.Int64
	refused atomic.Int64
}

// startLoad lets clients work until end.
func startLoad(t *testing.T, nodes []*node, clients int, seed uint64) *load {
	t.Helper()
	l := &load{nodes: nodes, began: time.Now(), stop: make(chan struct{})}
	for i := range clients {
		l.wait.Go(func() {
			for g := 0; !l.stopping(); g++ {
				c := &client{load: l, name: fmt.Sprintf("client-%d-%d", i, g), rand: rand.New(rand.NewPCG(seed, uint64(i)<<20|uint64(g))), state: map[string]int{}}
				if c.signUp(t.Context()) {
					c.work(t.Context())
				}
				l.mu.Lock()
				l.retired = append(l.retired, c)
				l.mu.Unlock()
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) stopping() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// end lets every client finish what it has begun, and waits for them.
func (l *load) end() {
	l.mu.Lock()
	if !l.stopping() {
		close(l.stop)
	}
	l.mu.Unlock()
	l.wait.Wait()
}

// progress waits until so many more operations were acknowledged.
func (l *load) progress(t *testing.T, more int64, most time.Duration) {
	t.Helper()
	from := l.acked.Load()
	eventually(t, most, "clients get on", func() error {
		if n := l.acked.Load() - from; n < more {
			return fmt.Errorf("%d of %d acknowledged", n, more)
		}
		return nil
	})
}

// stalls reports whether fewer than so many more are acknowledged within a time.
func (l *load) stalls(more int64, most time.Duration) bool {
	from := l.acked.Load()
	for began := time.Now(); l.acked.Load()-from < more; time.Sleep(25 * time.Millisecond) {
		if time.Since(began) > most {
			return true
		}
	}
	return false
}

// refusals waits until so many more were refused.
func (l *load) refusals(t *testing.T, more int64, most time.Duration) {
	t.Helper()
	from := l.refused.Load()
	eventually(t, most, "requests are refused", func() error {
		if n := l.refused.Load() - from; n < more {
			return fmt.Errorf("%d of %d refused", n, more)
		}
		return nil
	})
}

// settle ends the load, reads everything from every node, and judges the history.
func (l *load) settle(t *testing.T) {
	t.Helper()
	l.end()
	for _, s := range l.nodes {
		eventually(t, recovery, "the node recovers by itself", func() error { return s.healthy(t.Context()) })
	}
	for _, c := range l.retired {
		if c.token == "" {
			continue
		}
		for n := range l.nodes {
			c.only = &n
			for _, list := range []func(context.Context){c.listInstalled, c.listSubmissions, c.listSessions} {
				list(t.Context())
			}
		}
	}
	for _, text := range l.stuck {
		t.Errorf("stuck: %s", text)
	}
	violations := checker.Check(l.history, checker.Bounds{Session: 2*time.Second + 500*time.Millisecond, Answer: answerBound, Paused: func(n int, from, to time.Duration) bool {
		return l.nodes[n].paused(l.began.Add(from), l.began.Add(to))
	}})
	for i, v := range violations {
		if i == 10 {
			t.Errorf("and %d more", len(violations)-i)
			break
		}
		op := v.Op
		op.Seen = nil
		t.Errorf("%s: %s\n    %+v", v.Rule, v.Text, op)
	}
	outcomes, slowest := map[checker.Outcome]int{}, time.Duration(0)
	for _, op := range l.history {
		outcomes[op.Outcome]++
		if op.Outcome == checker.Refused || op.Outcome == checker.OK {
			slowest = max(slowest, op.End-op.Start)
		}
	}
	t.Logf("%d operations of %d clients: %v; the slowest answer took %s", len(l.history), len(l.retired), outcomes, slowest.Round(time.Millisecond))
}

// client is one member at work: one thing after another, except that what has a key is sometimes sent twice at once.
type client struct {
	load  *load
	name  string
	token string
	rand  *rand.Rand
	only  *int // the one node to ask; nil for any

	next      int
	state     map[string]int // of items: installed by one clean answer
	submitted []string
	keys      []checker.Op // acknowledged submits and executes, to be sent again
}

const (
	installed = iota + 1
	gone
)

func (c *client) node() *node {
	if c.only != nil {
		return c.load.nodes[*c.only]
	}
	return c.load.nodes[c.rand.IntN(len(c.load.nodes))]
}

// do makes one call, and writes down what became of it. read takes what it needs from a successful answer; an error of
// it is a wrong answer.
func (c *client) do(ctx context.Context, s *node, op checker.Op, method, path string, in any, read func(r reply, op *checker.Op) error) checker.Op {
	op.Client, op.Node, op.Start = c.name, s.n, time.Since(c.load.began)
	token := c.token
	if op.Kind == checker.Use || op.Kind == checker.Logout {
		token = op.Item
	}
	r := s.call(ctx, method, path, token, op.Key, in)
	op.End, op.Status, op.Problem = time.Since(c.load.began), r.status(), r.problem
	switch {
	case r.Reply == nil:
		op.Outcome = checker.Lost
	case r.Status == http.StatusOK:
		op.Outcome = checker.OK
		if err := read(r, &op); err != nil && op.Problem == "" {
			op.Problem = fmt.Sprintf("%v: %.300s", err, r.Body)
		}
		c.load.acked.Add(1)
	case r.refused():
		op.Outcome = checker.Refused
		c.load.refused.Add(1)
	case r.Status == http.StatusUnauthorized && op.Kind == checker.Use:
		op.Outcome = checker.Denied
	default:
		op.Outcome = checker.Refused
		if read(r, &op) != nil && op.Problem == "" {
			op.Problem = fmt.Sprintf("%s %s: %d: %.300s", method, path, r.Status, r.Body)
		}
	}
	c.load.mu.Lock()
	c.load.history = append(c.load.history, op)
	c.load.mu.Unlock()
	return op
}

// until makes a call again and again, on any node, until it is acknowledged. It tells whether the first one was.
func (c *client) until(ctx context.Context, op checker.Op, method, path string, in any, read func(reply, *checker.Op) error) (last checker.Op, clean bool) {
	var stopped time.Time
	for try := 0; ; try++ {
		again := c.key(op) && c.rand.IntN(4) == 0
		var twin sync.WaitGroup
		if again { // the same thing at another node at the same moment
			other := c.node()
			twin.Go(func() { c.do(ctx, other, op, method, path, in, read) })
		}
		last = c.do(ctx, c.node(), op, method, path, in, read)
		twin.Wait()
		if last.Outcome == checker.OK || last.Problem != "" || ctx.Err() != nil {
			return last, try == 0 && !again
		}
		if stopped.IsZero() && c.load.stopping() {
			stopped = time.Now()
		}
		if !stopped.IsZero() && time.Since(stopped) > recovery {
			c.load.mu.Lock()
			c.load.stuck = append(c.load.stuck, fmt.Sprintf("%s %s is still answered %d", op.Kind, op.Item, last.Status))
			c.load.mu.Unlock()
			return last, false
		}
		time.Sleep(time.Duration(50+c.rand.IntN(150)) * time.Millisecond)
	}
}

func (c *client) key(op checker.Op) bool { return op.Key != "" }

func (c *client) signUp(ctx context.Context) bool {
	for !c.load.stopping() && ctx.Err() == nil {
		r := c.node().call(ctx, "POST", "/api/signup", "", "", m{"user_id": c.name, "password": password})
		if r.status() == http.StatusConflict { // the answer to the first try got lost
			r = c.node().call(ctx, "POST", "/api/login", "", "", m{"user_id": c.name, "password": password})
		}
		if r.status() == http.StatusOK {
			c.token = r.Str("data.token")
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

// work is one thing after another at random, behind one of each, so that the shortest load has done everything.
func (c *client) work(ctx context.Context) {
	for _, do := range []func(context.Context){c.install, c.submit, c.execute, c.uninstall, c.withdraw} {
		do(ctx)
	}
	for round := 0; round < generation && !c.load.stopping() && ctx.Err() == nil; round++ {
		switch n := c.rand.IntN(100); {
		case n < 25:
			c.install(ctx)
		case n < 35:
			c.uninstall(ctx)
		case n < 50:
			c.submit(ctx)
		case n < 58:
			c.withdraw(ctx)
		case n < 70:
			c.execute(ctx)
		case n < 76:
			c.again(ctx)
		case n < 84:
			c.listInstalled(ctx)
		case n < 91:
			c.listSubmissions(ctx)
		case n < 97:
			c.listSessions(ctx)
		default:
			c.logout(ctx)
		}
	}
}

func is(want, got string) error {
	if want != got {
		return fmt.Errorf("%q instead of %q", got, want)
	}
	return nil
}

func (c *client) install(ctx context.Context) {
	item := fmt.Sprintf("base/%d", c.next)
	c.next++
	_, clean := c.until(ctx, checker.Op{Kind: checker.Install, Item: item}, "POST", "/api/templates/install", m{"template_id": item}, func(r reply, _ *checker.Op) error {
		return is(item, r.Str("data.template_id"))
	})
	if clean {
		c.state[item] = installed
	}
}

// uninstall takes an item whose install is beyond doubt. After an answer that got lost it may be gone already.
func (c *client) uninstall(ctx context.Context) {
	for i := range c.next {
		item := fmt.Sprintf("base/%d", i)
		if c.state[item] != installed {
			continue
		}
		c.state[item] = gone
		tried := false
		c.until(ctx, checker.Op{Kind: checker.Uninstall, Item: item}, "POST", "/api/member/installations/uninstall", m{"template_id": item}, func(r reply, op *checker.Op) error {
			return c.already(&tried, r, op, "member_installation_not_found")
		})
		return
	}
}

// already takes a refusal that says that it was done for an acknowledgement, when an earlier try may have done it.
func (c *client) already(tried *bool, r reply, op *checker.Op, code string) error {
	if r.Status == http.StatusOK {
		return nil
	}
	if r.Code() != code {
		return errors.New("a refusal that nobody can understand")
	}
	c.load.mu.Lock()
	for _, earlier := range c.load.history {
		*tried = *tried || earlier.Client == c.name && earlier.Kind == op.Kind && earlier.Item == op.Item && earlier.ID == op.ID
	}
	c.load.mu.Unlock()
	if !*tried {
		return errors.New("not there, and nobody took it away")
	}
	op.Outcome = checker.OK
	return nil
}

func (c *client) submit(ctx context.Context) {
	op := checker.Op{Kind: checker.Submit, Item: fmt.Sprintf("%s/%d", c.name, len(c.keys)), Key: fmt.Sprintf("submit-%d", len(c.keys))}
	c.made(c.until(ctx, op, "POST", "/api/templates/submit", submission(op), readSubmission))
}

func submission(op checker.Op) m {
	return m{"template_id": op.Item, "prompt": "You stay calm whatever fails.", "title": "Calm", "upload_options": m{"idempotency_key": op.Key}}
}

func readSubmission(r reply, op *checker.Op) error {
	op.ID = r.Str("data.submission_id")
	return is(op.Item, r.Str("data.template_id"))
}

func (c *client) execute(ctx context.Context) {
	op := checker.Op{Kind: checker.Execute, Key: fmt.Sprintf("execute-%d", len(c.keys))}
	c.made(c.until(ctx, op, "POST", "/api/knowledge/session/execute", execution, readExecution))
}

var execution = m{"actionLimit": 2, "maxActions": 2}

func readExecution(r reply, op *checker.Op) error {
	op.ID = r.Str("data.record.id")
	return nil
}

func (c *client) made(op checker.Op, _ bool) {
	c.keys = append(c.keys, op)
	if op.Kind == checker.Submit && op.Outcome == checker.OK {
		c.submitted = append(c.submitted, op.ID)
	}
}

// again sends something that was acknowledged once more: the answer must be the old one.
func (c *client) again(ctx context.Context) {
	if len(c.keys) == 0 {
		return
	}
	old := c.keys[c.rand.IntN(len(c.keys))]
	op := checker.Op{Kind: old.Kind, Item: old.Item, Key: old.Key}
	if op.Kind == checker.Submit {
		c.do(ctx, c.node(), op, "POST", "/api/templates/submit", submission(op), readSubmission)
	} else {
		c.do(ctx, c.node(), op, "POST", "/api/knowledge/session/execute", execution, readExecution)
	}
}

func (c *client) withdraw(ctx context.Context) {
	if len(c.submitted) == 0 {
		return
	}
	id := c.submitted[0]
	c.submitted = c.submitted[1:]
	tried := false
	c.until(ctx, checker.Op{Kind: checker.Withdraw, ID: id}, "POST", "/api/member/submissions/withdraw", m{"submission_id": id}, func(r reply, op *checker.Op) error {
		return c.already(&tried, r, op, "submission_state_invalid")
	})
}

// logout signs in once more, ends that session on one node and tries it on the others.
func (c *client) logout(ctx context.Context) {
	r := c.node().call(ctx, "POST", "/api/login", "", "", m{"user_id": c.name, "password": password})
	if r.status() != http.StatusOK {
		return
	}
	token := r.Str("data.token")
	use := func() {
		c.do(ctx, c.node(), checker.Op{Kind: checker.Use, Item: token}, "GET", "/api/member/tasks?limit=1", nil, func(reply, *checker.Op) error { return nil })
	}
	use()
	for range 20 {
		op := c.do(ctx, c.node(), checker.Op{Kind: checker.Logout, Item: token}, "POST", "/api/logout", m{}, func(r reply, op *checker.Op) error {
			if r.At("data.signed_out") != true && r.Status == http.StatusOK { // one that got lost did it, or another node still shows it
				op.Outcome = checker.Refused
			}
			return nil
		})
		if op.Outcome == checker.OK {
			break
		}
	}
	for range 4 {
		use()
		c.listInstalled(ctx)
	}
}

func (c *client) listInstalled(ctx context.Context) {
	c.do(ctx, c.node(), checker.Op{Kind: checker.ListInstalled}, "GET", "/api/member/installations?limit=200", nil, func(r reply, op *checker.Op) error {
		for _, id := range r.All("data.installations", "template_id") {
			op.Seen = append(op.Seen, checker.Seen{Owner: r.Str("data.user_id"), Item: id})
		}
		return is("", r.Str("data.next_cursor"))
	})
}

func (c *client) listSubmissions(ctx context.Context) {
	c.do(ctx, c.node(), checker.Op{Kind: checker.ListSubmissions}, "GET", "/api/member/submissions?limit=200", nil, func(r reply, op *checker.Op) error {
		ids, items, states := r.All("data.submissions", "submission_id"), r.All("data.submissions", "template_id"), r.All("data.submissions", "status")
		for i := range ids {
			owner, _, _ := strings.Cut(items[i], "/")
			op.Seen = append(op.Seen, checker.Seen{ID: ids[i], Owner: owner, Item: items[i], State: states[i]})
		}
		return is("", r.Str("data.next_cursor"))
	})
}

func (c *client) listSessions(ctx context.Context) {
	c.do(ctx, c.node(), checker.Op{Kind: checker.ListSessions}, "GET", "/api/knowledge/session/history?limit=100", nil, func(r reply, op *checker.Op) error {
		ids, owners := r.All("data.records", "id"), r.All("data.records", "userId")
		for i := range ids {
			op.Seen = append(op.Seen, checker.Seen{ID: ids[i], Owner: owners[i]})
		}
		return is("", r.Str("data.next_cursor"))
	})
}
