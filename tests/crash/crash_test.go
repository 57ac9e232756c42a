package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	clients   = 16   // members, each installing on its own
	templates = 1500 // what there is to install
	published = 8    // templates that are published while the server is killed, each round
	password  = "a password for crashing"
)

// world is what the test knows must be true.
type world struct {
	house
	tokens [clients]string
	// acknowledged counts each member's installs that were answered: templates 0 to acknowledged-1.
	acknowledged [clients]int
	publishers   [publishers]publisher
}

// TestKill kills the server again and again in the middle of installs, and an import with it, and looks
// each time at what is left.
func TestKill(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("STOA_CRASH_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("STOA_CRASH_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w := settle(t)
	// A busy machine does little before it is killed: then there are more rounds, up to twice as many.
	done := 0
	for ; done < rounds || done < 2*rounds && !w.enough(rounds); done++ {
		round := done
		s := w.start(t)
		w.checkServing(t, s)
		w.work(t, s, round, 20*time.Millisecond+time.Duration(r.Int64N(int64(180*time.Millisecond))))
		w.checkStored(t)
		if round%10 == 9 {
			w.run(t, "", "doctor")
		}
		if t.Failed() {
			t.Fatalf("round %d, server's log:\n%s", round, s.log)
		}
	}
	s := w.start(t)
	w.checkServing(t, s)
	w.checkAll(t, s)
	s.kill()
	w.checkStored(t)
	w.checkSwept(t)
	w.checkStored(t)
	t.Log(w.run(t, "", "doctor"))
	total, wishes := w.answered()
	t.Logf("%d rounds, %d installs and %d imports and submits acknowledged, all there", done, total, wishes)
	if !w.enough(rounds) {
		t.Errorf("only %d installs, %d imports and submits in %d rounds: the test did not test much", total, wishes, done)
	}
}

// answered counts the installs, and the imports and submits, that were acknowledged.
func (w *world) answered() (installs, wishes int) {
	for _, n := range w.acknowledged {
		installs += n
	}
	for _, p := range w.publishers {
		wishes += len(p.wishes)
	}
	return installs, wishes
}

// enough reports whether what was acknowledged makes so many rounds a test.
func (w *world) enough(rounds int) bool {
	installs, wishes := w.answered()
	return installs >= rounds*clients && wishes >= rounds*publishers/2
}

// settle makes the templates and the members and signs these in; sessions outlive the server.
func settle(t *testing.T) *world {
	t.Helper()
	w := &world{house: build(t)}
	w.run(t, lines("base", templates), "import", "-")
	s := w.start(t)
	defer s.kill()
	for i := range clients {
		w.run(t, password+"\n", "member", "add", member(i), "--password-stdin")
		var session struct {
			Token string `json:"token"`
		}
		if err := s.call(t.Context(), "POST", "/api/login", "", map[string]any{"user_id": member(i), "password": password}, &session); err != nil {
			t.Fatal(err)
		}
		w.tokens[i] = session.Token
	}
	return w
}

func member(i int) string { return fmt.Sprintf("member-%02d", i) }

func template(i int) string { return fmt.Sprintf("base/%d", i) }

// lines makes a catalog file of n templates.
func lines(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"%s/%d","category":"general","tags":["crash"],"locales":{"en-US":{"title":"Template %s %d","description":"For crashing.","prompt":"Say %d."}}}`+"\n",
			prefix, i, prefix, i, i)
	}
	return b.String()
}

// work lets everybody install and an import publish, and kills both after a while.
func (w *world) work(t *testing.T, s *server, round int, after time.Duration) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	file := filepath.Join(filepath.Dir(w.data), "more.jsonl")
	if err := os.WriteFile(file, []byte(lines(fmt.Sprintf("round-%d", round), published)), 0o600); err != nil {
		t.Fatal(err)
	}
	importing := exec.Command(w.binary, "import", file, "--data", w.data)
	if err := importing.Start(); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			if err := w.install(ctx, s, i); err != nil {
				t.Errorf("%s: %v", member(i), err)
			}
		})
	}
	going, warm := make(chan struct{}), sync.Once{}
	for i := range publishers {
		wait.Go(func() {
			if err := w.publish(ctx, s, i, func() { warm.Do(func() { close(going) }) }); err != nil {
				t.Errorf("%s: %v", member(i), err)
			}
		})
	}
	if round%3 != 0 { // a server that has just begun first makes its rules; mostly it is killed after that
		select {
		case <-going:
		case <-ctx.Done():
		}
	}
	time.Sleep(after)
	_ = importing.Process.Kill()
	s.kill()
	wait.Wait()
	_ = importing.Wait()
}

// install installs one template after another until the server is gone. A template whose install was
// not answered is tried again in the next round.
func (w *world) install(ctx context.Context, s *server, i int) error {
	for w.acknowledged[i] < templates {
		id := template(w.acknowledged[i])
		var done struct {
			Status     string `json:"status"`
			TemplateID string `json:"template_id"`
		}
		failed := s.call(ctx, "POST", "/api/templates/install", w.tokens[i], map[string]any{"template_id": id}, &done)
		var wrong *refused
		if errors.As(failed, &wrong) {
			return wrong
		}
		if failed != nil {
			return nil //nolint:nilerr // killed, as it should be
		}
		if done.TemplateID != id || done.Status != "installed" && done.Status != "already_installed" {
			return fmt.Errorf("install of %s answered %+v", id, done)
		}
		w.acknowledged[i]++
	}
	return nil
}
