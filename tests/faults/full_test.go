//go:build linux

package faults

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"stoa/internal/apitest"
)

// small runs a node whose data is on a disk of its own of so many MiB: a tmpfs in a mount namespace, which needs no root
// where namespaces are open to all. inside is the data folder as this process sees it.
func small(t *testing.T, mib int) (s *node, inside string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("unshare", "-r", "-m", "mount", "-t", "tmpfs", "tmpfs", dir).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no small disk can be made here: %v %s", err, out)
		}
		t.Skipf("no small disk can be made here: %v %s", err, out)
	}
	catalog := filepath.Join(t.TempDir(), "base.jsonl")
	if err := os.WriteFile(catalog, []byte(lines("base", templates)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = newStopped(0, filepath.Join(dir, "data"), "")
	script := fmt.Sprintf(`mount -t tmpfs -o size=%dm tmpfs "$1" && "$2" import "$3" --data "$4" >/dev/null && shift 4 && exec "$@"`, mib)
	args := append([]string{"-r", "-m", "sh", "-c", script, "sh", dir, binary, catalog, s.data, binary}, s.args()...)
	s.run(t, exec.Command("unshare", args...))
	t.Cleanup(s.kill)
	return s, filepath.Join(fmt.Sprintf("/proc/%d/root", s.cmd.Process.Pid), s.data)
}

// fill takes all the room there is.
func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		block := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

// A full disk refuses what has to be stored, and says so; what is there can be read; with room it goes on by itself.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s, inside := small(t, 48)
	token := member(t, t.Context(), s, "ada")
	post := func(path string, in m) reply { return s.call(t.Context(), "POST", path, token, "", in) }
	l := startLoad(t, []*node{s}, 4, 5)
	l.progress(t, 60, time.Minute)
	ballast := filepath.Join(inside, "ballast")
	zip := apitest.StoredTemplatePackage(t, "ada/large", "1.0.0", "You are large.", map[string]string{"notes.txt": strings.Repeat("All work and no play. ", 40_000)})
	for round := range 2 {
		fill(t, ballast)
		l.refusals(t, 30, time.Minute)
		fill(t, ballast) // what was freed meanwhile
		for path, in := range map[string]m{
			"/api/templates/install": {"template_id": fmt.Sprintf("base/%d", 100+round)},
			"/api/templates/submit":  {"template_id": "ada/large", "package_name": "large.zip", "package_base64": apitest.Base64(zip), "upload_options": m{"idempotency_key": "large"}},
		} {
			r := post(path, in)
			if r.status() == 200 && path == "/api/templates/install" {
				continue // the database had room in a file it has already
			}
			if err := expect(r, 503); err != nil || r.problem != "" || !strings.Contains(r.Str("message"), "no room") {
				t.Errorf("%s: %v %s %.300s", path, err, r.problem, r.Body)
			}
		}
		for _, path := range []string{"/api/templates?limit=5", "/api/templates?query=fault", "/api/member/installations", "/api/member/tasks", "/api/knowledge/session/history"} {
			r := s.call(t.Context(), "GET", path, token, "", nil)
			if err := expect(r, 200); err != nil || r.problem != "" {
				t.Errorf("%s: %v %s", path, err, r.problem)
			}
		}
		eventually(t, 5*time.Second, "health says what fails", func() error {
			r := s.call(t.Context(), "GET", "/api/health", "", "", nil)
			return errors.Join(expect(r, 503), is("failed", r.Str("data.checks.blobs.state")))
		})
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		l.progress(t, 60, time.Minute)
		r := post("/api/templates/submit", m{"template_id": "ada/large", "package_name": "large.zip", "package_base64": apitest.Base64(zip), "upload_options": m{"idempotency_key": "large"}})
		if err := expect(r, 200); err != nil {
			t.Errorf("submit: %v", err)
		}
	}
	l.settle(t)
	// SQLite does not find its way into another namespace, so it gets a copy, taken while nobody writes.
	copied := t.TempDir()
	s.pause()
	for _, name := range []string{"stoa.db", "stoa.db-wal"} {
		b, err := os.ReadFile(filepath.Join(inside, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.resume()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(copied, "stoa.db")+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var integrity string
	if err := db.QueryRowContext(t.Context(), `PRAGMA quick_check`).Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("quick_check: %s, %v", integrity, err)
	}
	if err := agree(t, db); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		s.kill()
		t.Log(s.said())
	}
}
