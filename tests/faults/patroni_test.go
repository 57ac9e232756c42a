//go:build linux

package faults

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
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

	"stoa/tests/faults/checker"
)

var (
	failovers = flag.Int("failovers", 0, "faults of TestPatroni, which needs etcd, Patroni and HAProxy; 0 leaves it out")
	histories = flag.String("histories", "", "folder in which TestPatroni keeps what clients saw")
)

// patroni is three PostgreSQL servers under Patroni, one etcd and HAProxy before them, with the files of deploy/ha.
type patroni struct {
	dir     string
	as      *syscall.Credential
	members []*member3
	balance int // port of HAProxy
}

// member3 is one of the three: Patroni, which starts its PostgreSQL.
type member3 struct {
	name     string
	pg, rest int
	data     string
	cmd      *exec.Cmd
}

// findAll skips, naming them, when packages are missing.
func findAll(t *testing.T) (etcd, patroni, haproxy string) {
	t.Helper()
	var missing []string
	find := func(name, in string) string {
		for _, path := range []string{name, filepath.Join("/usr/sbin", name)} {
			if found, err := exec.LookPath(path); err == nil {
				return found
			}
		}
		missing = append(missing, in)
		return ""
	}
	etcd, patroni, haproxy = find("etcd", "etcd-server"), find("patroni", "patroni"), find("haproxy", "haproxy")
	if len(missing) > 0 {
		t.Skipf("these Debian packages are missing: %s", strings.Join(missing, " "))
	}
	return etcd, patroni, haproxy
}

func deployed(t *testing.T, name string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../deploy/ha", name))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(string(text), replace[i]) {
			t.Fatalf("deploy/ha/%s has no %q", name, replace[i])
		}
	}
	return strings.NewReplacer(replace...).Replace(string(text))
}

func startPatroni(t *testing.T, synchronous bool) *patroni {
	t.Helper()
	etcd, python, haproxy := findAll(t)
	p := &patroni{balance: freePort(t)}
	var err error
	if p.dir, err = os.MkdirTemp("", "stoa-patroni-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(p.dir) })
	if os.Getuid() == 0 {
		who, err := user.Lookup("postgres")
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
	client, peer := freePort(t), freePort(t)
	etcdFile := p.file(t, "etcd.yml", deployed(t, "etcd.yml", "/var/lib/etcd/stoa", filepath.Join(p.dir, "etcd"), "10.0.0.21:2379", fmt.Sprintf("127.0.0.1:%d", client),
		"10.0.0.21:2380", fmt.Sprintf("127.0.0.1:%d", peer), ",etcd2=http://10.0.0.22:2380,etcd3=http://10.0.0.23:2380", ""))
	p.run(t, etcd, "--config-file", etcdFile)
	balance := []string{"127.0.0.1:5000", fmt.Sprintf("127.0.0.1:%d", p.balance)}
	for i := range 3 {
		m := &member3{name: fmt.Sprintf("pg%d", i+1), pg: freePort(t), rest: freePort(t)}
		m.data = filepath.Join(p.dir, m.name)
		text := deployed(t, "patroni.yml", "name: pg1", "name: "+m.name, "10.0.0.11:8008", fmt.Sprintf("127.0.0.1:%d", m.rest), "10.0.0.11:5432", fmt.Sprintf("127.0.0.1:%d", m.pg),
			"10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379", fmt.Sprintf("127.0.0.1:%d", client), "10.0.0.0/24 scram-sha-256", "127.0.0.1/32 trust", "local all all peer", "local all all trust",
			"/var/lib/postgresql/15/stoa", m.data, "/var/lib/postgresql/.pgpass", filepath.Join(p.dir, m.name+".pgpass"), "/var/run/postgresql", p.dir, "mode: automatic", "mode: \"off\"")
		if !synchronous {
			text = strings.NewReplacer("synchronous_mode: true", "synchronous_mode: false", "synchronous_mode_strict: true", "synchronous_mode_strict: false").Replace(text)
		}
		p.file(t, m.name+".yml", text)
		p.members = append(p.members, m)
		m.cmd = p.run(t, python, filepath.Join(p.dir, m.name+".yml"))
		balance = append(balance, fmt.Sprintf("10.0.0.1%d:5432 check port 8008", i+1), fmt.Sprintf("127.0.0.1:%d check port %d", m.pg, m.rest))
	}
	t.Cleanup(p.killAll)
	p.run(t, haproxy, "-db", "-f", p.file(t, "haproxy.cfg", deployed(t, "haproxy.cfg", balance...)))
	eventually(t, 2*time.Minute, "Patroni has a leader and a standby that follows", func() error { return p.settled(t, synchronous) })
	return p
}

func (p *patroni) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (p *patroni) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// run starts a program that ends with the test.
func (p *patroni) run(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := p.command(name, args...)
	log, err := os.Create(filepath.Join(p.dir, fmt.Sprintf("%s-%d.log", filepath.Base(name), time.Now().UnixNano())))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(name), text[max(0, len(text)-3000):])
		}
	})
	return cmd
}

// settled asks every Patroni who leads, and whether as many commits as wanted can be confirmed.
func (p *patroni) settled(t *testing.T, synchronous bool) error {
	leaders, standbys, confirming := 0, 0, 0
	for _, m := range p.members {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://127.0.0.1:%d/patroni", m.rest), nil)
		if err != nil {
			cancel()
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			cancel()
			return err
		}
		var said struct {
			State string `json:"state"`
			Role  string `json:"role"`
			Sync  bool   `json:"sync_standby"`
		}
		err = json.NewDecoder(res.Body).Decode(&said)
		res.Body.Close()
		cancel()
		if err != nil {
			return err
		}
		switch {
		case said.State != "running":
		case said.Role == "master" || said.Role == "primary":
			leaders++
		default:
			standbys++
		}
		if said.Sync {
			confirming++
		}
	}
	if leaders != 1 || standbys != 2 || synchronous && confirming == 0 {
		return fmt.Errorf("%d leaders, %d standbys, %d confirm", leaders, standbys, confirming)
	}
	return nil
}

// leader is the member whose server takes writes now; nil for none.
func (p *patroni) leader(t *testing.T) *member3 {
	for _, m := range p.members {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://127.0.0.1:%d/primary", m.rest), nil)
		if err == nil {
			var res *http.Response
			if res, err = http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
				if res.StatusCode == http.StatusOK {
					cancel()
					return m
				}
			}
		}
		cancel()
	}
	return nil
}

// postmaster is the process id of a member's PostgreSQL; 0 for none.
func (m *member3) postmaster() int {
	text, err := os.ReadFile(filepath.Join(m.data, "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}

// family are a process and its children.
func family(pid int) []int {
	all := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(text, []byte(") "))
		if fields := bytes.Fields(rest); len(fields) > 1 && string(fields[1]) == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

func (m *member3) signal(what syscall.Signal) {
	if pid := m.postmaster(); pid > 0 {
		for _, one := range family(pid) {
			_ = syscall.Kill(one, what)
		}
	}
}

func (p *patroni) killAll() {
	for _, m := range p.members {
		_ = m.cmd.Process.Kill()
		m.signal(syscall.SIGKILL)
	}
}

// restart starts a killed Patroni again.
func (p *patroni) restart(t *testing.T, m *member3) {
	t.Helper()
	_ = m.cmd.Wait()
	python, err := exec.LookPath("patroni")
	if err != nil {
		t.Fatal(err)
	}
	m.cmd = p.run(t, python, filepath.Join(p.dir, m.name+".yml"))
}

// upset takes something away at random and gives it back.
func (p *patroni) upset(t *testing.T, r *rand.Rand, nodes []*node) string {
	t.Helper()
	m := p.leader(t)
	if m == nil {
		return "no leader"
	}
	moments := func(least, most int) { time.Sleep(time.Duration(least+r.IntN(most-least)) * time.Millisecond) } // how long is the fault itself
	switch r.IntN(6) {
	case 0:
		_ = m.cmd.Process.Kill()
		m.signal(syscall.SIGKILL)
		moments(500, 15_000)
		p.restart(t, m)
		return "kill the primary and its Patroni"
	case 1:
		m.signal(syscall.SIGKILL)
		return "kill the primary"
	case 2:
		_ = m.cmd.Process.Signal(syscall.SIGSTOP)
		moments(12_000, 25_000)
		_ = m.cmd.Process.Signal(syscall.SIGCONT)
		return "pause the primary's Patroni"
	case 3:
		m.signal(syscall.SIGSTOP)
		moments(1000, 20_000)
		m.signal(syscall.SIGCONT)
		return "pause the primary"
	case 4:
		s := nodes[r.IntN(len(nodes))]
		s.pause()
		_ = m.cmd.Process.Kill()
		m.signal(syscall.SIGKILL)
		moments(500, 10_000)
		p.restart(t, m)
		s.resume()
		return "pause a node, kill the primary and its Patroni"
	default:
		other := p.members[(slices.Index(p.members, m)+1)%len(p.members)]
		_ = other.cmd.Process.Kill()
		other.signal(syscall.SIGKILL)
		m.signal(syscall.SIGKILL)
		moments(500, 5000)
		p.restart(t, other)
		return "kill the primary and a standby with its Patroni"
	}
}

// TestPatroni takes parts of a cluster away under load, one after another, and judges what clients saw.
func TestPatroni(t *testing.T) {
	if *failovers == 0 {
		t.Skip("make failover runs this")
	}
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d -failovers %d", seed, *failovers)
	r := rand.New(rand.NewPCG(seed, 2))
	p := startPatroni(t, true)
	address := fmt.Sprintf("postgres://postgres:change-me-1@127.0.0.1:%d/stoa?sslmode=disable&connect_timeout=2", p.balance)
	p.query(t, `CREATE DATABASE stoa`)
	data := filepath.Join(t.TempDir(), "data")
	stoa(t, lines("base", templates), "import", "-", "--data", data, "--database", address)
	var all []*node
	for n := range nodes {
		all = append(all, newNode(t, n, data, address))
	}
	l := startLoad(t, all, 8, seed)
	did, outages := map[string]int{}, []time.Duration{}
	for range *failovers {
		l.progress(t, 40, 2*time.Minute)
		eventually(t, 2*time.Minute, "the cluster is whole", func() error { return p.settled(t, true) })
		from := time.Since(l.began)
		name := p.upset(t, r, all)
		l.progress(t, 20, 2*time.Minute)
		outage := l.silence(from)
		outages = append(outages, outage)
		did[name]++
		t.Logf("%6.1fs %s: nothing acknowledged for %.1f s", time.Since(l.began).Seconds(), name, outage.Seconds())
	}
	l.settle(t)
	l.keep(t, seed)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := agree(t, db); err != nil {
		t.Fatal(err)
	}
	slices.Sort(outages)
	t.Logf("faults %v, acknowledged %d, outages: median %.1f s, p95 %.1f s, longest %.1f s", did, l.acked.Load(), outages[len(outages)/2].Seconds(),
		outages[min(len(outages)-1, len(outages)*95/100)].Seconds(), outages[len(outages)-1].Seconds())
}

func (p *patroni) query(t *testing.T, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", fmt.Sprintf("postgres://postgres:change-me-1@127.0.0.1:%d/postgres?sslmode=disable&connect_timeout=2", p.balance))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	eventually(t, time.Minute, statement, func() error {
		_, err := db.ExecContext(t.Context(), statement)
		return err
	})
}

// silence is the longest time since a moment in which nothing was acknowledged.
func (l *load) silence(from time.Duration) (longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ends []time.Duration
	for _, op := range l.history {
		if op.Outcome == checker.OK && op.End >= from && writes(op.Kind) {
			ends = append(ends, op.End)
		}
	}
	slices.Sort(ends)
	for _, end := range ends {
		longest, from = max(longest, end-from), end
	}
	return longest
}

func writes(k checker.Kind) bool {
	return k == checker.Install || k == checker.Uninstall || k == checker.Submit || k == checker.Withdraw || k == checker.Execute
}

// keep writes the history down, one operation a line.
func (l *load) keep(t *testing.T, seed uint64) {
	t.Helper()
	if *histories == "" {
		return
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, op := range l.history {
		if err := lines.Encode(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(*histories, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*histories, fmt.Sprintf("failover-%d.jsonl", seed)), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
