//go:build linux

package dbtest

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Pooler starts PgBouncer in transaction mode before a server, until the test ends, and answers the admin address behind
// it. Versions below 1.21 know no prepared statements in this mode, so the address asks for none. Where PgBouncer is not
// installed the test is skipped, in CI that is a failure.
func Pooler(t testing.TB, admin string) (address string) {
	t.Helper()
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("PgBouncer is not installed")
		}
		t.Skip("PgBouncer is not installed")
	}
	to, err := url.Parse(admin)
	if err != nil {
		t.Fatal("STOA_TEST_POSTGRES is not an address: ", err)
	}
	dir, err := os.MkdirTemp("", "stoa-pooler-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	port := FreePort(t)
	password, known := to.User.Password()
	if known {
		password = fmt.Sprintf(" password='%s'", password)
	}
	config := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(config, fmt.Appendf(nil, `[databases]
* = host=%s port=%s user=%s%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
`, to.Hostname(), to.Port(), to.User.Username(), password, port), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-q", config)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged(t, dir), Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	to.Host = fmt.Sprintf("127.0.0.1:%d", port)
	query := to.Query()
	query.Set("default_query_exec_mode", "exec")
	to.RawQuery = query.Encode()
	db, err := sql.Open("pgx", to.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	answers(t, db, 30*time.Second, func() string { return "PgBouncer" })
	return to.String()
}
