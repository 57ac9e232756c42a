//go:build linux

package faults

import (
	"bytes"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
)

// postgres is a database server of a test's own, which may be stopped and started.
type postgres struct {
	bin, dir string
	port     int
	as       *syscall.Credential
	cmd      *exec.Cmd
	log      *bytes.Buffer
}

// startPostgres makes and starts a server that ends with the test. Where none is installed the test is skipped, in CI
// that is a failure.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	all, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(all) == 0 || err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("PostgreSQL is not installed")
		}
		t.Skip("PostgreSQL is not installed")
	}
	slices.Sort(all)
	p := &postgres{bin: filepath.Dir(all[len(all)-1]), port: freePort(t), log: &bytes.Buffer{}}
	if p.dir, err = os.MkdirTemp("", "stoa-faults-pg-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(p.dir) })
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		who, err := user.Lookup("postgres")
		if err != nil {
			who, err = user.Lookup("nobody")
		}
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		p.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(p.dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	// fsync off: what ends here are processes, not the machine. Commits still wait for their place in the log.
	init := p.command("initdb", "-D", p.data(), "-U", "stoa", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	p.start(t)
	t.Cleanup(p.kill)
	return p
}

func (p *postgres) data() string { return filepath.Join(p.dir, "data") }

func (p *postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, name), args...)
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	return cmd
}

// start starts the server and waits until it answers.
func (p *postgres) start(t *testing.T) {
	t.Helper()
	p.cmd = p.command("postgres", "-D", p.data(), "-p", strconv.Itoa(p.port), "-k", p.dir, "-c", "listen_addresses=127.0.0.1",
		"-c", "max_connections=200", "-c", "fsync=off", "-c", "full_page_writes=off")
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", p.address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	eventually(t, 30*time.Second, "PostgreSQL answers", func() error { return db.PingContext(t.Context()) })
}

// kill ends the server as pg_ctl -m immediate does: nobody is told, and the next start recovers from the log.
func (p *postgres) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	_ = p.cmd.Wait()
}

func (p *postgres) address(database string) string {
	return fmt.Sprintf("postgres://stoa@127.0.0.1:%d/%s?sslmode=disable", p.port, database)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
