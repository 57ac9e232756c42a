package main

import (
	"context"
	"database/sql"
	"errors"
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
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"stoa/tests/load/stores"
)

// cluster is a PostgreSQL server that this programme started, with its settings as shipped (so with fsync) but for the
// memory for pages and the number of connections.
type cluster struct {
	cmd      *exec.Cmd
	port     string
	address  string // of the database that is measured
	packages string // folder to copy: the packages of the kept store
}

// kept is the database that stays in the cluster between runs.
const kept = "kept"

// cluster starts the server over the kept cluster with the made store, which is made when it is not there.
func (p *programme) cluster() (*cluster, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return nil, errors.New("PostgreSQL is not installed below /usr/lib/postgresql")
	}
	bin := filepath.Dir(slices.Max(found))
	dir := filepath.Join(p.cache, fmt.Sprintf("postgres-%s-%d", filepath.Base(filepath.Dir(bin)), p.templates))
	complete := filepath.Join(dir, "complete")
	owner, err := postgresOwner()
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(complete)
	if missing != nil {
		if err := p.initCluster(bin, dir, owner); err != nil {
			return nil, err
		}
	}
	c := &cluster{packages: filepath.Join(dir, "store")}
	if err := c.start(p.Ctx, bin, dir, owner); err != nil {
		return nil, err
	}
	if missing != nil {
		err := c.fill(p, complete)
		if err != nil {
			c.stop()
			return nil, err
		}
	}
	return c, nil
}

// initCluster makes an empty cluster. Its folder belongs to the server's user, who must be able to get there.
func (p *programme) initCluster(bin, dir string, owner *syscall.Credential) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Chmod(p.cache, 0o755); err != nil {
		return err
	}
	for _, d := range []string{dir, filepath.Join(dir, "data"), filepath.Join(dir, "run")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
		if owner != nil && d != dir {
			if err := os.Chown(d, int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
	}
	cmd := exec.CommandContext(p.Ctx, filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "stoa", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// postgresOwner is the user for the server when this programme runs as root, which PostgreSQL refuses to.
func postgresOwner() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (c *cluster) start(ctx context.Context, bin, dir string, owner *syscall.Credential) error {
	free, err := freeAddress()
	if err != nil {
		return err
	}
	_, c.port, _ = net.SplitHostPort(free)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	c.cmd = exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"), "-p", c.port, "-k", filepath.Join(dir, "run"),
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "max_connections=300", "-c", "shared_buffers=512MB")
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = "/", log, log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGINT) }
	c.cmd.WaitDelay = time.Minute
	if err := c.cmd.Start(); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if err = c.execute(ctx, "SELECT 1"); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		c.stop()
		return fmt.Errorf("PostgreSQL does not answer: %w; see %s", err, log.Name())
	}
	return nil
}

// fill makes the store that is kept.
func (c *cluster) fill(p *programme, complete string) error {
	if err := c.execute(p.Ctx, `DROP DATABASE IF EXISTS `+kept, `CREATE DATABASE `+kept); err != nil {
		return err
	}
	if err := stores.Fill(p.Ctx, c.url(kept), filepath.Join(c.packages, "blobs"), p.templates, p.making("PostgreSQL")); err != nil {
		return err
	}
	return os.WriteFile(complete, nil, 0o600)
}

// fresh is the address of a copy of the kept database, without what earlier runs left behind.
func (c *cluster) fresh(ctx context.Context, name string) (string, error) {
	err := c.execute(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`, `CREATE DATABASE `+name+` TEMPLATE `+kept+` STRATEGY file_copy`)
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", c.url(name))
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `ANALYZE`) // as autovacuum would have long since
	return c.url(name), err
}

func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://stoa@127.0.0.1:%s/%s?sslmode=disable", c.port, database)
}

func (c *cluster) execute(ctx context.Context, statements ...string) error {
	db, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the server with its connections and waits for its end.
func (c *cluster) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	_ = c.cmd.Wait()
}

// stat gives the fields of /proc/PID/stat from the third on.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil // it has ended
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}

// processes are the server and the processes it has started.
func (c *cluster) processes() []int {
	parent := c.cmd.Process.Pid
	list := []int{parent}
	found, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range found {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if fields := stat(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			list = append(list, pid)
		}
	}
	return list
}

// cpu is the processor time of all of them, with those that have ended.
func (c *cluster) cpu() (used time.Duration) {
	for i, pid := range c.processes() {
		fields := stat(pid)
		if len(fields) < 15 {
			continue
		}
		last := 13
		if i == 0 {
			last = 15 // the server has waited for those that ended
		}
		for _, text := range fields[11:last] {
			ticks, _ := strconv.Atoi(text)
			used += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return used
}

// memory is what they hold together in MiB, pages that several share counted once.
func (c *cluster) memory() (mib float64) {
	for _, pid := range c.processes() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				mib += kib / 1024
			}
		}
	}
	return mib
}
