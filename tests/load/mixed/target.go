package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"stoa/tests/load/rig"
)

// target is what the mix goes to.
type target struct {
	name    string
	nodes   []*rig.Process
	metrics []string // the nodes' addresses of /metrics
	cluster *cluster // nil on SQLite
	traffic *traffic
}

// start starts nodes over one store, after notes to learn from were put there. The nodes share the folder of packages, as they
// would an object store.
func (p *programme) start(name, data string, nodes int, c *cluster) (*target, error) {
	var where []string
	if c != nil {
		where = []string{"--database", c.address}
	}
	notes := filepath.Join(p.Dir, "notes")
	if err := writeNotes(notes); err != nil {
		return nil, err
	}
	if err := p.Command("", p.Binary, append([]string{"ingest", "--shared", notes, "--data", data}, where...)...); err != nil {
		return nil, err
	}
	t := &target{name: name, cluster: c}
	for range nodes {
		metrics, err := freeAddress()
		if err != nil {
			return nil, err
		}
		p.servers++
		log := filepath.Join(p.Dir, fmt.Sprintf("stoa-%d.log", p.servers))
		node, err := rig.Start(p.Ctx, log, p.Binary, append([]string{
			"serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", metrics, "--limits.requests-per-second=0", "--quota.enforce=off",
		}, where...)...)
		if err != nil {
			t.stop()
			return nil, err
		}
		t.nodes, t.metrics = append(t.nodes, node), append(t.metrics, metrics)
		if _, err := node.Healthy(2 * time.Minute); err != nil {
			t.stop()
			return nil, err
		}
		if err := node.Loaded(); err != nil {
			t.stop()
			return nil, err
		}
	}
	p.Progress("%s: started", name)
	var err error
	if t.traffic, err = newTraffic(t.nodes[0].Address, p.templates); err != nil {
		t.stop()
		return nil, err
	}
	return t, nil
}

func (t *target) stop() {
	for _, n := range t.nodes {
		n.Stop()
	}
}

// used is the processor time of the nodes and of their database until now.
func (t *target) used() (nodes, database time.Duration) {
	for _, n := range t.nodes {
		nodes += n.CPU()
	}
	if t.cluster != nil {
		database = t.cluster.cpu()
	}
	return nodes, database
}

// memory is what the nodes and their database hold, in MiB.
func (t *target) memory() (nodes, database float64) {
	for _, n := range t.nodes {
		nodes += n.Memory("VmRSS")
	}
	if t.cluster != nil {
		database = t.cluster.memory()
	}
	return nodes, database
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// concepts is how many notes there are to learn from.
const concepts = 40

// writeNotes writes them: each requires the one before.
func writeNotes(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range concepts {
		text := fmt.Sprintf("# Concept %d\n\nIt builds on what came before. Requires [[c%d]].\n", i, max(0, i-1))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("c%d.md", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
