package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/platform/store/sqldb"
)

// history is what a node knows of the past of its database: which server it was, and what was acknowledged there. A server that
// is another, or that lacks any of it, is refused until an operator says that it counts.
type history struct {
	path string // of the mark; "" keeps it in memory
	node string
	told atomic.Pointer[func(Refusal)]

	refused atomic.Pointer[Refusal]
	current atomic.Pointer[string] // the incarnation that was found good last
	forget  func()                 // called when an operator accepts another history; nil for nothing

	meeting sync.Mutex // one server is looked at, at a time
	mu      sync.Mutex // guards what follows
	turn    int64      // grows when another incarnation is found good
	mark    mark
	recent  []acknowledged // the newest last
	saved   time.Time
}

// mark is what is kept in the data folder.
type mark struct {
	Identity string    `json:"identity"`
	Timeline int64     `json:"timeline"`
	Head     AuditHead `json:"audit_head"`
	Recent   []string  `json:"recent_events"` // acknowledged last
	Accepted []string  `json:"accepted"`      // acceptances of losses that were followed
}

type acknowledged struct {
	id string
	at time.Time
}

// What is remembered of acknowledged changes. The oldest are with every standby that can be promoted.
const (
	keptEvents  = 50_000
	keptOnDisk  = 64
	keptFor     = 30 * time.Minute
	saveEvery   = time.Second
	keptAccepts = 64
)

// Refusal says why a database is not used.
type Refusal struct {
	// Kind is identity (another cluster), timeline (an older history), lost (acknowledged changes are missing) or replaced
	// (another file stands in the place of a SQLite database).
	Kind  string
	Text  string // for operators
	Since time.Time

	server string // its incarnation
}

func (r *Refusal) Error() string { return "store: the database is refused: " + r.Text }

// RefusesDatabase marks the error as one that says that the database is out of reach.
func (r *Refusal) RefusesDatabase() {}

// The kinds of refusals.
const (
	refusedIdentity = "identity"
	refusedTimeline = "timeline"
	refusedLost     = "lost"
	refusedReplaced = "replaced"
)

// Option changes how a store is opened.
type Option func(*Store)

// Guarded lets the store refuse a database whose history is not the one that it knows. What it knows is kept in a file, so that it
// also holds for the next process; node is this one's name in what others are told.
func Guarded(path, node string) Option {
	return func(s *Store) { s.history = &history{path: path, node: node} }
}

// load reads the mark. One that cannot be read is an error: going on without it would be going on unguarded.
func (h *history) load() error {
	text, err := os.ReadFile(h.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &h.mark)
	}
	if err != nil {
		return fmt.Errorf("store: what this node remembers of its database (%s): %w", h.path, err)
	}
	for _, id := range h.mark.Recent {
		h.recent = append(h.recent, acknowledged{id: id, at: time.Now()})
	}
	return nil
}

// save writes the mark; h.mu is held.
func (h *history) save(always bool) error {
	now := time.Now()
	if h.path == "" || !always && now.Sub(h.saved) < saveEvery {
		return nil
	}
	h.mark.Recent = nil
	for _, a := range h.recent[max(0, len(h.recent)-keptOnDisk):] {
		h.mark.Recent = append(h.mark.Recent, a.id)
	}
	text, err := json.MarshalIndent(h.mark, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(h.path), ".history-") // two processes may share the name
	if err != nil {
		return err
	}
	defer os.Remove(next.Name())
	_, err = next.Write(text)
	if err = errors.Join(err, next.Close()); err != nil {
		return err
	}
	h.saved = now
	return os.Rename(next.Name(), h.path)
}

type beyondKey struct{}

// beyond marks a context that may use a refused database: to look at it and to accept it.
func beyond(ctx context.Context) context.Context { return context.WithValue(ctx, beyondKey{}, true) }

// admit refuses the use of a refused database.
func (h *history) admit(ctx context.Context) error {
	if h == nil {
		return nil
	}
	r := h.refused.Load()
	if r == nil || ctx.Value(beyondKey{}) != nil {
		return nil
	}
	return &sqldb.Unreachable{Cause: r}
}

// now tells which turn it is, for acknowledge.
func (h *history) now() int64 {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.turn
}

// acknowledge remembers a committed event before its request is answered. False says that another server was found good meanwhile,
// or this one refused: whether the event counts must be looked up.
func (h *history) acknowledge(id string, turn int64) bool {
	if h == nil {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.turn != turn || h.refused.Load() != nil {
		return false
	}
	if id != "" {
		h.recent = append(h.recent, acknowledged{id, time.Now()})
		if len(h.recent) >= 2*keptEvents || len(h.recent) > keptEvents && time.Since(h.recent[0].at) > keptFor {
			h.recent = slices.Clone(h.recent[len(h.recent)-keptEvents:])
		}
	}
	return true
}

// refuse refuses the database from now on.
func (h *history) refuse(r Refusal) *Refusal {
	if before := h.refused.Load(); before != nil && before.Text == r.Text {
		return before
	}
	r.Since = time.Now()
	h.refused.Store(&r)
	if tell := h.told.Load(); tell != nil {
		(*tell)(r)
	}
	return &r
}

// Refused gives why the database is not used; nil when it is.
func (s *Store) Refused() *Refusal {
	if s.history == nil {
		return nil
	}
	return s.history.refused.Load()
}
