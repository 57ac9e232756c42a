//go:build linux

package faults

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa/internal/dbtest"
)

var (
	failovers = flag.Int("failovers", 0, "faults of TestPatroni, which needs etcd, Patroni and HAProxy; 0 leaves it out")
	servers   = flag.Int("servers", 3, "PostgreSQL servers of TestPatroni; with four or more two standbys confirm each commit")
	histories = flag.String("histories", "", "folder in which TestPatroni keeps what clients saw")
)

// patroni is PostgreSQL servers under Patroni, one etcd and HAProxy before them, with the files of deploy/ha.
type patroni struct {
	dir     string
	as      *syscall.Credential
	members []*member3
	balance int // port of HAProxy
	keys    int // port of etcd
	logs    map[*exec.Cmd]string
}

// member3 is one of the servers: Patroni, which starts its PostgreSQL.
type member3 struct {
	name     string
	pg, rest int
	data     string
	cmd      *exec.Cmd
	disk     string   // where its own file system is mounted; "" for none
	clock    string   // the file that its clock is set by; "" for none
	env      []string // of its Patroni; nil for this process's
	// The network from its Patroni to etcd, from the other servers to its own, and from HAProxy to it.
	keys, peers, clients *proxy
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
	p := &patroni{balance: dbtest.FreePort(t), keys: dbtest.FreePort(t)}
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
	peer := dbtest.FreePort(t)
	etcdFile := p.file(t, "etcd.yml", deployed(t, "etcd.yml", "/var/lib/etcd/stoa", filepath.Join(p.dir, "etcd"), "10.0.0.21:2379", fmt.Sprintf("127.0.0.1:%d", p.keys),
		"10.0.0.21:2380", fmt.Sprintf("127.0.0.1:%d", peer), ",etcd2=http://10.0.0.22:2380,etcd3=http://10.0.0.23:2380", ""))
	p.run(t, etcd, "--config-file", etcdFile)
	eventually(t, time.Minute, "etcd answers", func() error { // a Patroni that finds none at its start ends
		res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/health", p.keys))
		if err == nil {
			res.Body.Close()
		}
		return err
	})
	more, balance := "", []string{"127.0.0.1:5000", fmt.Sprintf("127.0.0.1:%d", p.balance)}
	for i := range *servers {
		m := &member3{name: fmt.Sprintf("pg%d", i+1), pg: dbtest.FreePort(t), rest: dbtest.FreePort(t)}
		m.data = filepath.Join(p.dir, m.name)
		p.giveDisk(t, m)
		p.giveClock(t, m)
		m.keys, m.peers, m.clients = startProxy(t, p.keys), startProxy(t, m.pg), startProxy(t, m.pg)
		text := deployed(t, "patroni.yml", "name: pg1", "name: "+m.name, "10.0.0.11:8008", fmt.Sprintf("127.0.0.1:%d", m.rest),
			"connect_address: 10.0.0.11:5432", "connect_address: "+m.peers.listener.Addr().String(), "10.0.0.11:5432", fmt.Sprintf("127.0.0.1:%d", m.pg),
			"10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379", m.keys.listener.Addr().String()+"\n  use_proxies: true", // else it asks etcd for its address, and goes there
			"10.0.0.0/24 scram-sha-256", "127.0.0.1/32 trust", "local all all peer", "local all all trust",
			"/var/lib/postgresql/15/stoa", m.data, "/var/lib/postgresql/.pgpass", filepath.Join(p.dir, m.name+".pgpass"), "/var/run/postgresql", p.dir, "mode: automatic", "mode: \"off\"")
		if !synchronous {
			text = strings.NewReplacer("synchronous_mode: true", "synchronous_mode: false", "synchronous_mode_strict: true", "synchronous_mode_strict: false").Replace(text)
		}
		text = strings.Replace(text, "synchronous_node_count: 1", fmt.Sprintf("synchronous_node_count: %d", confirming()), 1)
		p.file(t, m.name+".yml", text)
		p.members = append(p.members, m)
		m.cmd = p.runWith(t, m.env, python, filepath.Join(p.dir, m.name+".yml"))
		if i < 3 {
			balance = append(balance, fmt.Sprintf("10.0.0.1%d:5432 check port 8008", i+1), fmt.Sprintf("%s check addr 127.0.0.1 port %d", m.clients.listener.Addr(), m.rest))
		} else {
			more += fmt.Sprintf("    server %s %s check addr 127.0.0.1 port %d\n", m.name, m.clients.listener.Addr(), m.rest)
		}
	}
	t.Cleanup(p.killAll)
	p.run(t, haproxy, "-db", "-f", p.file(t, "haproxy.cfg", deployed(t, "haproxy.cfg", balance...)+more))
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
	return p.runWith(t, nil, name, args...)
}

// runWith is run in an environment of its own.
func (p *patroni) runWith(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := p.command(name, args...)
	cmd.Env = env
	log, err := os.Create(filepath.Join(p.dir, fmt.Sprintf("%s-%d.log", filepath.Base(name), time.Now().UnixNano())))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if p.logs == nil {
		p.logs = map[*exec.Cmd]string{}
	}
	p.logs[cmd] = log.Name()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(name), text[max(0, len(text)-3000):])
		}
	})
	return cmd
}

// confirming is how many standbys confirm each commit.
func confirming() int { return min(2, *servers-2) }

// settled asks every Patroni who leads, and whether as many commits as wanted can be confirmed.
func (p *patroni) settled(t *testing.T, synchronous bool) error {
	leaders, standbys, confirm := 0, 0, 0
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
			confirm++
		}
	}
	if leaders != 1 || standbys != *servers-1 || synchronous && confirm < confirming() {
		return fmt.Errorf("%d leaders, %d standbys, %d confirm", leaders, standbys, confirm)
	}
	return nil
}

// whole waits until all servers are in the cluster. One that does not come back by itself in a minute is rebuilt from the leader, as an
// operator would (patronictl reinit); it answers how many were.
func (p *patroni) whole(t *testing.T) (rebuilt int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if p.settled(t, true) == nil {
			return 0
		}
	}
	for _, m := range p.members {
		if p.streams(t, m) {
			continue
		}
		rebuilt++
		t.Logf("%s is rebuilt", m.name)
		client := http.Client{Timeout: 10 * time.Second}
		res, err := client.Post(fmt.Sprintf("http://127.0.0.1:%d/reinitialize", m.rest), "application/json", strings.NewReader(`{"force": true}`))
		if err != nil {
			t.Logf("%s: %v", m.name, err)
			continue
		}
		res.Body.Close()
	}
	eventually(t, 2*time.Minute, "the cluster is whole", func() error { return p.settled(t, true) })
	return rebuilt
}

// streams reports whether a member leads or follows the one that does.
func (p *patroni) streams(t *testing.T, m *member3) bool {
	for _, path := range []string{"primary", "replica"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://127.0.0.1:%d/%s", m.rest, path), nil)
		if err == nil {
			var res *http.Response
			if res, err = http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
				if res.StatusCode == http.StatusOK {
					cancel()
					return true
				}
			}
		}
		cancel()
	}
	return false
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

func (m *member3) signal(what syscall.Signal) {
	if pid := m.postmaster(); pid > 0 {
		for _, one := range dbtest.Processes(pid) {
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

// removeStaleSync deletes the key that keeps a leader's Patroni from naming a synchronous standby, and reports whether it had to. Before 3.1.0 a
// Patroni whose lease ran out writes itself over its successor (github.com/patroni/patroni/issues/2779): the cluster goes back to the older
// timeline, and the key of the synchronous standbys stays the other's, which no leader overwrites.
func (p *patroni) removeStaleSync(t *testing.T) bool {
	t.Helper()
	var named struct{ Leader string }
	leader, state := p.etcd(t, "range", "leader"), p.etcd(t, "range", "sync")
	if leader == "" || state == "" || json.Unmarshal([]byte(state), &named) != nil || named.Leader == leader {
		return false
	}
	p.etcd(t, "deleterange", "sync")
	return true
}

// etcd does something with a key of the cluster and answers the value, "" for none.
func (p *patroni) etcd(t *testing.T, what, key string) string {
	t.Helper()
	body, _ := json.Marshal(map[string][]byte{"key": []byte("/service/stoa/" + key)})
	res, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/v3/kv/%s", p.keys, what), "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var found struct{ KVs []struct{ Value []byte } }
	if err := json.NewDecoder(res.Body).Decode(&found); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("etcd: %s %v", res.Status, err)
	}
	if len(found.KVs) == 0 {
		return ""
	}
	return string(found.KVs[0].Value)
}

// restart starts a killed Patroni again.
func (p *patroni) restart(t *testing.T, m *member3) {
	t.Helper()
	_ = m.cmd.Wait()
	python, err := exec.LookPath("patroni")
	if err != nil {
		t.Fatal(err)
	}
	m.cmd = p.runWith(t, m.env, python, filepath.Join(p.dir, m.name+".yml"))
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
