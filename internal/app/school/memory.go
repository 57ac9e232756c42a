package school

import (
	"cmp"
	"encoding/json"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/mastery"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// MemoryEntry is something that a learner's tutor keeps in mind.
type MemoryEntry struct {
	Key        string   `json:"key"`
	Value      string   `json:"value"`
	Tags       []string `json:"tags"`
	Confidence float64  `json:"confidence"`
	References []string `json:"references"`
	Layer      string   `json:"layer"`
	CreatedAt  string   `json:"createdAt"`
	UpdatedAt  string   `json:"updatedAt"`
	ExpiresAt  string   `json:"expiresAt,omitempty"`
}

// layers are how many entries each layer of memory holds, and how long one is kept after it was last written; 0 is for ever.
var layers = map[string]struct {
	most int
	kept time.Duration
}{"session": {80, 7 * 24 * time.Hour}, "unit": {320, 120 * 24 * time.Hour}, "long_term": {1200, 0}}

// remember keeps what an action brought, and moves it up a layer when it is sure enough and that is asked.
func (e *execution) remember(tx *store.Tx, r *stepped, x LearningAction, answer string, outcome mastery.Outcome) (err error) {
	layer := cmp.Or(e.in.Layer, "session")
	value := core.Truncate(cmp.Or(answer, r.Tutor.Message), 2000)
	entry := MemoryEntry{
		Key: x.AtomID + ":" + x.Kind, Value: value, Tags: []string{x.Source}, Confidence: r.Tutor.Trace.Confidence, References: r.Tutor.Trace.Evidence, Layer: layer,
		CreatedAt: clock.Text(e.at), UpdatedAt: clock.Text(e.at),
	}
	if outcome != "" {
		entry.Tags = append(entry.Tags, string(outcome))
	}
	least := usualPromote
	if e.in.PromoteConfidence != nil {
		least = *e.in.PromoteConfidence
	}
	if e.in.Promote && entry.Confidence >= least {
		up := entry
		up.Layer = cmp.Or(e.in.PromoteTo, "unit")
		if up.Layer != layer {
			if up, err = keepMemory(tx, e.userID, up); err != nil {
				return err
			}
			r.promoted = true
			if e.in.PromoteMove {
				entry = up
			}
		}
	}
	if r.promoted && e.in.PromoteMove {
		err = tx.DropMemory(e.userID, layer, entry.Key)
	} else {
		entry, err = keepMemory(tx, e.userID, entry)
	}
	r.Memory, r.Trace.Persisted = &entry, true
	return err
}

// keepMemory keeps an entry, until the end that its layer gives it.
func keepMemory(tx *store.Tx, userID string, m MemoryEntry) (MemoryEntry, error) {
	layer, until := layers[m.Layer], int64(0)
	if layer.kept > 0 {
		end := tx.Now.Add(layer.kept)
		m.ExpiresAt, until = clock.Text(end), clock.Micros(end)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	return m, tx.PutMemory(schooldb.Memory{
		UserID: userID, Layer: m.Layer, Key: m.Key, Entry: text, Confidence: m.Confidence, UpdatedAt: clock.Micros(tx.Now), ExpiresAt: until,
	}, layer.most)
}
