package ankisync

import (
	"context"
	"maps"
	"slices"

	"stoa/client/contract"
)

// gate suspends cards whose prerequisites are not ready, frees those that are, and does what the learner did to cards on the
// server. It frees no card that the learner suspended, and suspends none again that they freed.
func (r *round) gate(ctx context.Context) error {
	now, err := r.server.SyncAnki(ctx, contract.AnkiSyncRequest{})
	if err != nil {
		return err
	}
	do, err := r.decide(ctx, &now)
	if err != nil {
		return err
	}
	m := r.memory
	for _, id := range do.settled {
		m.Waiting[id] = true
	}
	for _, id := range slices.Concat(do.off, do.settled) { // whose suspension it is has changed, which the server is told next time
		m.Cards[id] = 0
	}
	for _, id := range do.freedThere {
		delete(m.Waiting, id)
		m.Left[id] = true
	}
	for _, id := range slices.Concat(do.gone, do.ready, do.off) {
		delete(m.Waiting, id)
	}
	clear(m.Trying)
	for _, id := range do.wait {
		m.Trying[id] = true
	}
	waits := set(now.Waiting)
	maps.DeleteFunc(m.Left, func(id int64, _ bool) bool { return !waits[id] })
	// What is freed is forgotten after it was freed: until then it is suspended by us.
	for _, id := range do.ready {
		m.Waiting[id] = true
	}
	if err := m.keep(); err != nil {
		return err
	}
	if err := r.suspend(ctx, "suspend", slices.Concat(do.wait, do.off)); err != nil {
		return err
	}
	if err := r.suspend(ctx, "unsuspend", slices.Concat(do.ready, do.on)); err != nil {
		return err
	}
	for _, id := range do.wait {
		m.Waiting[id] = true
	}
	for _, id := range do.ready {
		delete(m.Waiting, id)
	}
	clear(m.Trying)
	r.Waiting, r.Ready, r.Suspended, r.Freed = len(do.wait), len(do.ready), len(do.off), len(do.on)
	return m.keep()
}

// decision says what is to be done to which cards.
type decision struct {
	wait, ready []int64 // suspended because they wait, and freed again
	off, on     []int64 // what the learner did on the server
	settled     []int64 // suspended already, and ours now: by a round that was cut short, or freed on the server while they wait
	freedThere  []int64 // the learner freed them in Anki
	gone        []int64
}

func (r *round) decide(ctx context.Context, now *contract.AnkiSync) (d decision, err error) {
	m := r.memory
	ask := slices.Concat(now.Waiting, now.Suspend, now.Free, slices.Collect(maps.Keys(m.Waiting)), slices.Collect(maps.Keys(m.Trying)))
	slices.Sort(ask)
	is, err := r.anki.suspended(ctx, slices.Compact(ask))
	if err != nil {
		return d, err
	}
	waits, off, on := set(now.Waiting), set(now.Suspend), set(now.Free)
	ours := maps.Clone(m.Waiting)
	for id := range m.Trying {
		if is[id] && !m.Waiting[id] {
			ours[id] = true
			d.settled = append(d.settled, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ours)) {
		suspended, there := is[id]
		switch {
		case !there:
			d.gone = append(d.gone, id)
		case off[id]: // it stays suspended, by the learner now
			d.off = append(d.off, id)
		case !suspended && !waits[id]:
			d.gone = append(d.gone, id)
		case !suspended:
			d.freedThere = append(d.freedThere, id)
		case !waits[id] || r.NoGate:
			d.ready = append(d.ready, id)
		}
	}
	left := maps.Clone(m.Left)
	for _, id := range d.freedThere {
		left[id] = true
	}
	for _, id := range now.Waiting {
		if suspended, there := is[id]; there && !suspended && !ours[id] && !left[id] && !r.NoGate && !on[id] {
			d.wait = append(d.wait, id)
		}
	}
	for _, id := range now.Suspend {
		if suspended, there := is[id]; there && !suspended {
			d.off = append(d.off, id)
		}
	}
	for _, id := range now.Free {
		switch {
		case !is[id] || ours[id]:
		case waits[id] && !left[id] && !r.NoGate:
			d.settled = append(d.settled, id)
		default:
			d.on = append(d.on, id)
		}
	}
	slices.Sort(d.off)
	d.off = slices.Compact(d.off)
	return d, nil
}

func set(ids []int64) map[int64]bool {
	out := make(map[int64]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func (r *round) suspend(ctx context.Context, action string, ids []int64) error {
	for part := range slices.Chunk(ids, atOnce) {
		if err := r.same(ctx); err != nil {
			return err
		}
		r.tell("%s in Anki: cards %d", map[string]string{"suspend": "suspending", "unsuspend": "freeing"}[action], len(part))
		if err := r.anki.call(ctx, action, map[string]any{"cards": part}, nil); err != nil {
			return err
		}
	}
	return nil
}

// plan tells what a round would do to Anki, by what the server knows before it.
func (r *round) plan(ctx context.Context, now contract.AnkiSync) error {
	do, err := r.decide(ctx, &now)
	if err != nil {
		return err
	}
	r.Sent, r.Answered = len(now.Reviews), -1
	r.Waiting, r.Ready, r.Suspended, r.Freed = len(do.wait), len(do.ready), len(do.off), len(do.on)
	return nil
}
