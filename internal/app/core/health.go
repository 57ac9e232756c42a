package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"stoa/internal/platform/store"
	"stoa/internal/platform/store/fulltext"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// HealthPart is the state of one part: ok, loading, behind or failed, and what to do about it.
type HealthPart struct {
	OK      bool      `json:"ok"`
	State   string    `json:"state"`
	Problem string    `json:"problem,omitempty"`
	Why     sqldb.Why `json:"-"`
}

// Health is the state of the service.
type Health struct {
	Status         string                `json:"status"`
	Version        string                `json:"version"`
	Running        bool                  `json:"running"`
	AuthRequired   bool                  `json:"auth_required"`
	AvailableRoles []string              `json:"available_roles"`
	InvalidRoles   []string              `json:"invalid_roles"`
	WebURL         string                `json:"webui_url"`
	Checks         map[string]HealthPart `json:"checks"`
}

// healthFor is how long a health answer is good for: anybody may ask as often as they like, and each
// true answer costs a write.
const healthFor = time.Second

type healthMemory struct {
	mu   sync.Mutex
	at   time.Time
	last Health
	took time.Duration // that the database took to write
}

// StoreTook is how long the database took to write when health was looked at last.
func (a *Core) StoreTook() time.Duration {
	a.health.mu.Lock()
	defer a.health.mu.Unlock()
	return a.health.took
}

// AddCheck makes what a part says of itself a part of GetHealth; not for use once requests are served.
func (a *Core) AddCheck(name string, check func(context.Context) HealthPart) {
	if a.checks == nil {
		a.checks = map[string]func(context.Context) HealthPart{}
	}
	a.checks[name] = check
}

// StoreLoad tells how busy the database's side of this process is.
func (a *Core) StoreLoad() store.Load { return a.Store.Load() }

// ReplicaStates tells how the replicas of the database do, and how many reads of the catalog the primary answered beside them.
func (a *Core) ReplicaStates() ([]store.ReplicaState, uint64) { return a.Store.ReplicaStates() }

// GetHealth looks at every part: it writes to the database and to the blob store, and compares the
// search index and the catalog in memory with the store. The answer may be a second old.
func (a *Core) GetHealth(ctx context.Context) Health {
	m := &a.health
	m.mu.Lock()
	defer m.mu.Unlock()
	// The machine's clock, not the application's: this is about load, not about the data's time.
	if !m.at.IsZero() && time.Since(m.at) < healthFor {
		return m.last
	}
	ctx, cancel := context.WithTimeout(store.ForNobody(context.WithoutCancel(ctx)), a.HealthPatience)
	defer cancel()
	m.last, m.at = a.checkParts(ctx), time.Now()
	return m.last
}

func (a *Core) checkParts(ctx context.Context) Health {
	h := Health{
		Status: "ok", Version: a.Version, Running: true, AuthRequired: a.AuthRequired, AvailableRoles: a.Roles(), InvalidRoles: []string{}, WebURL: a.WebURL,
		Checks: map[string]HealthPart{
			"database":     a.checkDatabase(ctx),
			"blobs":        a.checkBlobs(ctx),
			"search_index": a.checkSearch(ctx),
			"audit":        a.checkAudit(ctx),
		},
	}
	for name, check := range a.checks {
		h.Checks[name] = check(ctx)
	}
	if part, ok := a.checkReplicas(); ok {
		h.Checks["replicas"] = part
	}
	for _, part := range h.Checks {
		if !part.OK {
			h.Status = "failed"
		}
	}
	return h
}

// OfNode is the health as a balancer wants it: whether this node should be asked at all. What all nodes share and only some
// requests need, the packages and the search index, says nothing about that.
func (h Health) OfNode() Health {
	h.Status = "failed"
	if h.Checks["database"].OK && h.Checks["catalog"].OK {
		h.Status = "ok"
	}
	return h
}

// Healthy is a part that works.
var Healthy = HealthPart{OK: true, State: "ok"}

// Unhealthy is a part that does not work, with what to do about it.
func Unhealthy(problem string) HealthPart { return HealthPart{State: "failed", Problem: problem} }

func (a *Core) checkDatabase(ctx context.Context) HealthPart {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 2*a.HealthPatience/3) // the other parts have their share
	defer cancel()
	err := a.Store.Check(ctx)
	a.health.took = time.Since(began) // its lock is held
	if err != nil {
		a.Log.Error("health: the database cannot be written", "error", err)
		part := Unhealthy("The database cannot be written. Look at the disk and at the server's log.")
		var away *sqldb.Unreachable
		if errors.As(err, &away) {
			part.Why = away.Why()
		}
		if refused := (*store.Refusal)(nil); errors.As(err, &refused) {
			part.Problem = "The database is refused: " + refused.Text
		}
		return part
	}
	return Healthy
}

// checkReplicas tells how the replicas do; false when there are none. Reads go to the primary instead of one that cannot be used, so that
// is no failure.
func (a *Core) checkReplicas() (part HealthPart, ok bool) {
	states, _ := a.Store.ReplicaStates()
	part = Healthy
	var said []string
	for i, r := range states { // their addresses are nobody's business here; `stoa doctor --ha` has them
		switch {
		case r.Primary:
		case r.Problem != "":
			said = append(said, fmt.Sprintf("Replica %d is not read from: %s.", i+1, r.Problem))
		case r.Delay >= store.MostReplicaDelay:
			said = append(said, fmt.Sprintf("What replica %d has may be %d s old, and %d changes of items are missing there.", i+1, int(r.Delay.Seconds()), r.Changes))
		}
	}
	if len(said) > 0 {
		part = HealthPart{OK: true, State: "behind", Problem: strings.Join(said, " ")}
	}
	return part, len(states) > 0
}

func (a *Core) checkBlobs(ctx context.Context) HealthPart {
	if err := a.Blobs.Check(ctx); err != nil {
		a.Log.Error("health: the blobs cannot be written", "error", err)
		return Unhealthy("Packages cannot be stored. Look at the disk or the object store, and at the server's log.")
	}
	return Healthy
}

func (a *Core) checkSearch(ctx context.Context) HealthPart {
	inStep, err := a.SearchInStep(ctx)
	switch {
	case err != nil:
		a.Log.Error("health: the search index cannot be read", "error", err)
		return Unhealthy("The search index cannot be read. `stoa doctor` says more.")
	case !inStep:
		return HealthPart{State: "behind", Problem: "The search index does not agree with the catalog. `stoa doctor --repair` rebuilds it."}
	}
	return Healthy
}

// SearchInStep compares the search index with the items, in one read transaction's worth of time.
func (a *Core) SearchInStep(ctx context.Context) (bool, error) {
	// An item may be published between the two reads; then they are read once more.
	for range 3 {
		var totals marketdb.ItemTotals
		var status fulltext.SearchStatus
		err := a.Store.Catalog(ctx, func(q store.Queries) (err error) {
			if totals, err = q.ItemTotals(ctx); err == nil {
				status, err = a.Store.Search().Status(ctx, q.Querier())
			}
			return err
		})
		if err != nil {
			return false, err
		}
		if status == (fulltext.SearchStatus{Documents: totals.Items, MaxSeq: totals.MaxSeq, Revisions: totals.Revisions}) {
			return true, nil
		}
	}
	return false, nil
}
