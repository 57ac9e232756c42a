//go:build linux

package faults

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// node is one stoa serve, which may be killed, paused and started again.
type node struct {
	n        int
	data     string
	database string
	replica  string // of the database, "" for none
	metrics  string // address of its metrics, "" for none
	wire     *proxy // between it and the database; nil on SQLite
	base     atomic.Pointer[string]
	client   *http.Client

	mu     sync.Mutex
	cmd    *exec.Cmd
	log    *bytes.Buffer
	logged sync.WaitGroup
	pauses []span
}

// span is a time in which a node was stopped; to is 0 while it is.
type span struct{ from, to time.Time }

func newStopped(n int, data, database string) *node {
	return &node{n: n, data: data, database: database, log: &bytes.Buffer{}, client: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

func newNode(t *testing.T, n int, data, database string) *node {
	t.Helper()
	s := newStopped(n, data, database)
	s.start(t)
	t.Cleanup(func() {
		health := ""
		if t.Failed() {
			health = s.health()
		}
		if s.kill(); t.Failed() {
			t.Logf("node %d said:\n%s\nits health:\n%s", n, s.said(), health)
		}
	})
	return s
}

// health is what the node says of itself, for people.
func (s *node) health() string {
	res, err := s.client.Get(*s.base.Load() + "/api/health")
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return string(body)
}

func (s *node) start(t *testing.T) {
	t.Helper()
	s.run(t, exec.Command(binary, s.args()...))
}

func (s *node) args() []string {
	args := []string{
		"serve", "--data", s.data, "--listen", "127.0.0.1:0", "--metrics-listen", cmp.Or(s.metrics, "off"), "--limits.requests-per-second=0", "--quota.enforce=off", "--auth.signup=open", "--limits.signups-per-hour=1000000", "--log-level=error",
	}
	if s.database != "" {
		args = append(args, "--database", s.database)
	}
	if s.replica != "" {
		args = append(args, "--database-replica", s.replica)
	}
	return args
}

// run starts a command that is or becomes stoa serve, and waits until it says where it is.
func (s *node) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd.Stderr, cmd.SysProcAttr = s.log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // nothing outlives a test that is killed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.cmd = cmd
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "Stoa is at "); ok {
			base, _, _ := strings.Cut(rest, " ")
			s.base.Store(&base)
			s.logged.Go(func() { _, _ = io.Copy(io.Discard, out) })
			return
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Fatalf("node %d did not start:\n%s", s.n, s.log)
}

// kill ends the node as a power cut would. Calling it again does nothing.
func (s *node) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Kill()
	s.logged.Wait()
	_ = s.cmd.Wait()
	s.client.CloseIdleConnections()
}

// said is the end of the node's log, and before it what it says of its own faults. Only of one that has been killed.
func (s *node) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.log.String()
	var faults strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, `"status":500`) && faults.Len() < 8000 {
			faults.WriteString(line)
		}
	}
	return faults.String() + text[max(0, len(text)-4000):]
}

func (s *node) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pauses = append(s.pauses, span{from: time.Now()})
	_ = s.cmd.Process.Signal(syscall.SIGSTOP)
}

func (s *node) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
	s.pauses[len(s.pauses)-1].to = time.Now()
}

// paused tells whether the node was stopped at some time between two moments.
func (s *node) paused(from, to time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pauses {
		if p.from.Before(to) && (p.to.IsZero() || p.to.After(from)) {
			return true
		}
	}
	return false
}

// stoa runs one command to its end.
func stoa(t *testing.T, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("stoa %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// lines makes a catalog file of n templates.
func lines(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"%s/%d","category":"general","tags":["fault"],"locales":{"en-US":{"title":"Template %s %d","description":"For faults.","prompt":"Say %d."}}}`+"\n",
			prefix, i, prefix, i, i)
	}
	return b.String()
}
