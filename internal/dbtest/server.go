//go:build linux

package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a PostgreSQL of a test's own, which may be killed, started, copied and promoted.
type Server struct {
	Port int
	Data string // its folder

	bin, dir string
	as       *syscall.Credential
	cmd      *exec.Cmd
	log      bytes.Buffer
	settings []string
}

// NewServer makes and starts a server that ends with the test. Where none is installed the test is skipped, in CI that is a failure.
// Each setting is name=value.
func NewServer(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := newServer(t)
	s.settings = append([]string{"fsync=off", "full_page_writes=off", "max_connections=200"}, settings...) // what ends here are processes, not the machine
	s.must(t, "initdb", "-D", s.Data, "-U", "stoa", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	s.Start(t)
	return s
}

func newServer(t testing.TB) *Server {
	t.Helper()
	all, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(all) == 0 || err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("PostgreSQL is not installed")
		}
		t.Skip("PostgreSQL is not installed")
	}
	slices.Sort(all)
	s := &Server{bin: filepath.Dir(all[len(all)-1]), Port: FreePort(t)}
	if s.dir, err = os.MkdirTemp("", "stoa-pg-"); err != nil {
		t.Fatal(err)
	}
	s.Data = filepath.Join(s.dir, "data")
	t.Cleanup(func() { os.RemoveAll(s.dir) })
	s.as = unprivileged(t, s.dir)
	return s
}

// unprivileged is the user to run a server as that refuses to run as root, and gives a folder to it; nil for the user of the test.
func unprivileged(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// Standby copies the server and starts the copy, which follows it under a name.
func (s *Server) Standby(t testing.TB, name string) *Server {
	t.Helper()
	copied := newServer(t)
	copied.settings = slices.Clone(s.settings)
	copied.Follow(t, s, name)
	return copied
}

// Follow throws away what a server has and makes it a standby of another, at its old port.
func (s *Server) Follow(t testing.TB, primary *Server, name string) {
	t.Helper()
	if s.cmd != nil {
		s.Kill()
	}
	if err := os.RemoveAll(s.Data); err != nil {
		t.Fatal(err)
	}
	s.settings = slices.DeleteFunc(s.settings, func(line string) bool { return strings.HasPrefix(line, "primary_conninfo=") })
	s.settings = append(s.settings, fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=stoa application_name=%s", primary.Port, name))
	s.must(t, "pg_basebackup", "-D", s.Data, "-h", "127.0.0.1", "-p", strconv.Itoa(primary.Port), "-U", "stoa", "-R", "-X", "stream", "-c", "fast", "--no-sync")
	s.Start(t)
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	return cmd
}

func (s *Server) must(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := s.command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Start starts the server and waits until it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	args := []string{"-D", s.Data, "-p", strconv.Itoa(s.Port), "-k", s.dir, "-c", "listen_addresses=127.0.0.1"}
	for _, line := range s.settings {
		args = append(args, "-c", line)
	}
	s.cmd = s.command("postgres", args...)
	s.cmd.Stderr = &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	db, err := sql.Open("pgx", s.Address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	answers(t, db, 30*time.Second, func() string {
		s.Kill()
		return s.log.String()
	})
}

// answers waits until a database answers.
func answers(t testing.TB, db *sql.DB, patience time.Duration, log func() string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) { // until it answers
		err := db.PingContext(context.Background())
		if err == nil {
			return
		}
		if time.Since(began) > patience {
			t.Fatalf("no answer: %v\n%s", err, log())
		}
	}
}

// Kill ends the server and all its processes with SIGKILL. Calling it again does nothing.
func (s *Server) Kill() {
	if s.cmd.ProcessState == nil {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		_ = s.cmd.Wait()
	}
}

// Crash ends the server as pg_ctl -m immediate does: no client is told, and the next Start recovers from the log.
func (s *Server) Crash() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		_ = s.cmd.Wait()
	}
}

// Pause and Resume stop and continue all processes of the server.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume continues what Pause stopped.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(what syscall.Signal) {
	for _, pid := range Processes(s.cmd.Process.Pid) {
		_ = syscall.Kill(pid, what)
	}
}

// Processes are a process and its children. PostgreSQL makes each backend the leader of a process group of its own, so
// a signal to the group of the server does not reach them.
func Processes(parent int) []int {
	all := []int{parent}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(text, []byte(") "))
		if fields := bytes.Fields(rest); len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// Promote makes a standby the primary.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.must(t, "pg_ctl", "-D", s.Data, "promote", "-w")
}

// Set changes a setting while the server runs.
func (s *Server) Set(t testing.TB, name, value string) {
	t.Helper()
	s.Exec(t, "postgres", fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", name, value))
	s.Exec(t, "postgres", "SELECT pg_reload_conf()")
}

// Exec runs a statement.
func (s *Server) Exec(t testing.TB, database, statement string) {
	t.Helper()
	if err := run(s.Address(database), statement); err != nil {
		t.Fatal(err)
	}
}

// Address is where a database of the server is.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://stoa@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// FreePort is a port of the loopback address that nothing listens on now.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
