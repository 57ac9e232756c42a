package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

const (
	// moveSilence is after how long without a word a move is taken for one whose process has ended.
	moveSilence = 2 * time.Minute
	moveBeat    = 10 * time.Second
	// goneKeep is how long a learner's rows stay where they left: longer than any request lasts that reads them there.
	goneKeep    = 30 * time.Minute
	settleEvery = time.Minute
)

// LearnerMove is what became of a move.
type LearnerMove struct {
	UserID string `json:"user_id"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Rows   int    `json:"rows"`
	// Again is how many rows had changed while the others were copied, or were removed.
	Again    int   `json:"again"`
	PausedMS int64 `json:"paused_ms"` // how long the learner's changes waited
}

// learnerMove is a move that is being made.
type learnerMove struct {
	main, source, target *App
	route                store.LearnerRoute
	tables               []store.TableInfo
	known                store.RowDigests
	beat                 time.Time
	step                 func(string) error
	out                  LearnerMove
}

// MoveLearner moves a learner to the database with a number, 0 for the main one, while they go on learning. A move that another process has begun is
// ended first, forward or back. told is called with the name of each step before it is made; an error ends the move there.
func (a *App) MoveLearner(ctx context.Context, userID string, to int64, told func(step string) error) (LearnerMove, error) {
	if a.databases == nil {
		return LearnerMove{}, errs.New(errs.InvalidRequest, "This Stoa has one database. Name others with --learners-database.")
	}
	if _, err := a.Store.Account(ctx, userID); err != nil {
		return LearnerMove{}, core.NoMember(err, userID)
	}
	all, err := a.Store.LearnersDatabases(ctx)
	if err != nil {
		return LearnerMove{}, err
	}
	if !slices.ContainsFunc(all, func(d store.LearnersDatabase) bool { return d.Number == to }) {
		return LearnerMove{}, errs.Newf(errs.InvalidRequest, "There is no learners' database %d. `stoa learner databases` lists them.", to)
	}
	target, err := a.at(to)
	if err != nil {
		return LearnerMove{}, err
	}
	route, err := a.routeOf(ctx, userID)
	if err != nil {
		return LearnerMove{}, err
	}
	if found, err := a.findLearner(ctx, route, to); found || err != nil {
		return LearnerMove{UserID: userID, From: route.Place, To: to}, err
	}
	m := &learnerMove{main: a, target: target, tables: store.LearnerTables(), step: told}
	if err := m.begin(ctx, userID, to); err != nil || m.route.Place == to {
		return LearnerMove{UserID: userID, From: to, To: to}, err
	}
	if m.source, err = a.at(m.route.Source); err != nil {
		return LearnerMove{}, err
	}
	m.out = LearnerMove{UserID: userID, From: m.route.Source, To: to}
	err = m.make(ctx)
	return m.out, err
}

// findLearner looks after a learner who is not where their route says, as after a restore of backups that are not of one moment. When they are in the database
// that is asked for, the route is corrected and found is true; a move would take the rows that are there for remains.
func (a *App) findLearner(ctx context.Context, route store.LearnerRoute, to int64) (found bool, err error) {
	source, err := a.at(route.Place)
	if err != nil || route.Moving || route.Place == to {
		return false, err
	}
	target, err := a.at(to)
	if err != nil {
		return false, err
	}
	is, errSource := source.Store.Fence(ctx, route.UserID)
	there, errTarget := target.Store.Fence(ctx, route.UserID)
	switch err := errors.Join(errSource, errTarget); {
	case err != nil:
		return false, err
	case is.State == store.FenceHere && there.State != store.FenceHere:
		return false, nil
	case is.State == store.FenceHere || there.State != store.FenceHere:
		return false, fmt.Errorf("database %d has %s as %q, and %d as %q: was one of them restored from an older backup?", route.Place, route.UserID, is.State, to, there.State)
	}
	return true, a.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := tx.LockLearnerRoute(route.UserID)
		if err != nil || r.Moving || r.Place != route.Place {
			return errors.Join(err, store.ErrTakenOver)
		}
		r.Place, r.Move = to, max(r.Move, is.Move, there.Move)
		if err := tx.PutLearnerRoute(r, route.Place); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{
			Owner: r.UserID, Action: "learner.found", Target: r.UserID, Status: "done", Detail: map[string]any{"from": route.Place, "to": to},
		}))
	})
}

// begin writes the move down; when the learner is there already there is none.
func (m *learnerMove) begin(ctx context.Context, userID string, to int64) error {
	for {
		var before store.LearnerRoute
		err := m.main.Store.Write(ctx, func(tx *store.Tx) (err error) {
			if before, err = tx.LockLearnerRoute(userID); err != nil {
				return err
			}
			m.route = before
			if before.Moving || before.Place == to {
				return nil
			}
			m.route.Source, m.route.Target, m.route.Begun, m.route.Move, m.route.Moving = before.Place, to, before.Move+1, before.Move+1, true
			return tx.PutLearnerRoute(m.route, before.Place)
		})
		if err != nil || !before.Moving {
			return err
		}
		if err := m.main.settleMove(ctx, before); err != nil {
			return err
		}
	}
}

func (m *learnerMove) make(ctx context.Context) error {
	user, move := m.route.UserID, m.route.Move
	steps := []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"prepare", m.prepare},
		{"copy", m.copy},
		{"pause", func(ctx context.Context) error { return m.fence(ctx, m.source, store.FenceHere, store.FencePaused) }},
		{"copy again", m.copyAgain},
		{"arrive", func(ctx context.Context) error { return m.fence(ctx, m.target, store.FenceComing, store.FenceHere) }},
		{"switch", m.switchRoute},
		{"leave", func(ctx context.Context) error { return m.fence(ctx, m.source, store.FencePaused, store.FenceGone) }},
		{"end", func(ctx context.Context) error { return m.main.endMove(ctx, user, move) }},
	}
	var paused time.Time
	for _, s := range steps {
		if m.step != nil {
			if err := m.step(s.name); err != nil {
				return err
			}
		}
		if s.name == "pause" {
			paused = time.Now()
		}
		if err := s.do(ctx); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", s.name, err), m.main.settleMove(context.WithoutCancel(ctx), m.route))
		}
		if s.name == "switch" {
			m.out.PausedMS = time.Since(paused).Milliseconds()
		}
	}
	return nil
}

// fence changes what a database says of the learner.
func (m *learnerMove) fence(ctx context.Context, a *App, from, to store.FenceState) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error { return tx.ChangeFence(m.route.UserID, m.route.Move, from, to) })
}

// prepare marks the learner in both databases with the move, and empties the target of what was left there.
func (m *learnerMove) prepare(ctx context.Context) error {
	user, move := m.route.UserID, m.route.Move
	err := m.source.Store.Write(ctx, func(tx *store.Tx) error {
		f, err := tx.Fence(ctx, user)
		if err == nil && f.State != store.FenceHere {
			err = fmt.Errorf("database %d has %s as %q: was it restored from an older backup?", m.route.Source, user, f.State)
		}
		if err != nil {
			return err
		}
		return tx.MarkFence(user, move)
	})
	if err != nil {
		return err
	}
	return m.target.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetFence(user, store.FenceComing, move); err != nil {
			return err
		}
		_, err := tx.ClearLearner(user)
		return err
	})
}

// write writes to the target while the move is this one's.
func (m *learnerMove) write(ctx context.Context, fn func(tx *store.Tx) error) error {
	err := m.target.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.ChangeFence(m.route.UserID, m.route.Move, store.FenceComing, store.FenceComing); err != nil {
			return err
		}
		return fn(tx)
	})
	if err != nil || time.Since(m.beat) < moveBeat {
		return err
	}
	m.beat = time.Now()
	return m.main.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := m.lockRoute(tx)
		if err != nil {
			return err
		}
		return tx.PutLearnerRoute(r, r.Place)
	})
}

// lockRoute reads the learner's route for a change; ErrTakenOver when the move is another's now.
func (m *learnerMove) lockRoute(tx *store.Tx) (store.LearnerRoute, error) {
	r, err := tx.LockLearnerRoute(m.route.UserID)
	if err == nil && r.Move != m.route.Move {
		err = store.ErrTakenOver
	}
	return r, err
}

// copy copies what there is while the learner goes on.
func (m *learnerMove) copy(ctx context.Context) error {
	if err := m.copyBlobs(ctx); err != nil {
		return err
	}
	_, err := m.copyRows(ctx, nil, false)
	return err
}

func (m *learnerMove) copyRows(ctx context.Context, known store.RowDigests, replace bool) (written int, err error) {
	m.known, err = m.source.Store.CopyLearner(ctx, m.route.UserID, m.tables, known, func(rows []store.LearnerRow) error {
		written += len(rows)
		return m.write(ctx, func(tx *store.Tx) error { return tx.PutLearnerRows(rows, replace) })
	})
	return written, err
}

// copyAgain copies what has changed since, now that nothing changes any more, and compares both sides row by row.
func (m *learnerMove) copyAgain(ctx context.Context) error {
	user := m.route.UserID
	if err := m.copyBlobs(ctx); err != nil {
		return err
	}
	var err error
	if m.out.Again, err = m.copyRows(ctx, m.known, true); err != nil {
		return err
	}
	m.out.Rows = len(m.known)
	if err := m.source.Store.MergeLearner(ctx, user, func(fn func(tx *store.Tx) error) error { return m.write(ctx, fn) }); err != nil {
		return err
	}
	if m.target != m.main {
		limits, err := m.main.Store.MemberQuotas(ctx, user)
		if err == nil {
			err = m.write(ctx, func(tx *store.Tx) error { return tx.SetMemberQuotas(user, limits) })
		}
		if err != nil {
			return err
		}
	}
	different := 0
	_, err = m.target.Store.CopyLearner(ctx, user, m.tables, maps.Clone(m.known), func(rows []store.LearnerRow) error {
		different += len(rows)
		return nil
	})
	if err == nil && different > 0 {
		err = fmt.Errorf("%d rows are not in database %d as they are in %d", different, m.route.Target, m.route.Source)
	}
	return err
}

// copyBlobs copies the learner's pictures, sounds and packages that are not there yet.
func (m *learnerMove) copyBlobs(ctx context.Context) error {
	digests, err := m.source.Store.LearnerBlobs(ctx, m.route.UserID)
	if err != nil {
		return err
	}
	for _, digest := range digests {
		if has, err := m.target.Blobs.Has(ctx, digest); err != nil || has {
			if err != nil {
				return err
			}
			continue
		}
		content, err := m.source.Blobs.Open(ctx, digest)
		if err != nil {
			return err
		}
		_, _, err = m.target.Blobs.Put(ctx, content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// switchRoute is the moment that counts: from here on requests go to the target.
func (m *learnerMove) switchRoute(ctx context.Context) error {
	return m.main.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := m.lockRoute(tx)
		if err != nil {
			return err
		}
		was := r.Place
		r.Place = r.Target
		if err := tx.PutLearnerRoute(r, was); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{
			Owner: r.UserID, Action: "learner.moved", Target: r.UserID, Status: "done", Detail: map[string]any{"from": was, "to": r.Place, "rows": m.out.Rows},
		}))
	})
}

// endMove forgets a move that is over.
func (a *App) endMove(ctx context.Context, userID string, move int64) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := tx.LockLearnerRoute(userID)
		if err != nil || r.Move != move {
			return err
		}
		r.Moving = false
		return tx.PutLearnerRoute(r, r.Place)
	})
}

// settleMove ends a move whose process has stopped, or that somebody takes over: back when the learner's route is still the old one, and
// forward when it is the new one. It takes the move first, by giving it the next number, so that a process that was only slow can change nothing more.
func (a *App) settleMove(ctx context.Context, old store.LearnerRoute) error {
	r, taken := old, false
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		r, err = tx.LockLearnerRoute(old.UserID)
		if taken = err == nil && r.Moving && r.Move == old.Move; !taken {
			return err // somebody else has ended it
		}
		r.Move++
		return tx.PutLearnerRoute(r, r.Place)
	})
	if err != nil || !taken {
		return err
	}
	source, errSource := a.at(r.Source)
	target, errTarget := a.at(r.Target)
	if err := errors.Join(errSource, errTarget); err != nil {
		return err
	}
	left, has := source, target // who is without the learner in the end, and who with
	if r.Place == r.Source {
		left, has = target, source
	}
	err = left.Store.Write(ctx, func(tx *store.Tx) error { return tx.EndFence(r.UserID, store.FenceGone, r.Begun, r.Move) })
	if err == nil {
		err = has.Store.Write(ctx, func(tx *store.Tx) error { return tx.EndFence(r.UserID, store.FenceHere, r.Begun, r.Move) })
	}
	if err != nil {
		return err
	}
	return a.endMove(ctx, r.UserID, r.Move)
}

// settleMoves ends what processes that have stopped left behind, and removes rows of learners who have left, until ctx ends.
func (a *App) settleMoves(ctx context.Context) {
	for core.Sleep(ctx, settleEvery) {
		if err := a.SettleMoves(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("learners' moves", "error", err)
		}
	}
}

// SettleMoves ends moves of which nothing was heard for a while, and removes the rows of learners who left long enough ago.
func (a *App) SettleMoves(ctx context.Context) error {
	now := a.Clock()
	stale, err := a.Store.StaleMoves(ctx, clock.Micros(now.Add(-moveSilence)), core.SweepBatch)
	for _, r := range stale {
		err = errors.Join(err, a.settleMove(ctx, r))
	}
	for _, b := range a.Learners() {
		err = errors.Join(err, b.clearGone(ctx, clock.Micros(now.Add(-goneKeep))))
	}
	return err
}

// clearGone removes the rows of learners who left this database before a time (µs), each in a transaction.
func (a *App) clearGone(ctx context.Context, before int64) error {
	gone, err := a.Store.GoneSince(ctx, before, core.SweepBatch)
	for _, userID := range gone {
		files, failed := a.Store.LearnerBlobs(ctx, userID)
		if failed == nil {
			failed = a.Store.Write(ctx, func(tx *store.Tx) error { return tx.ClearGone(userID, before) })
		}
		if failed == nil {
			a.RemoveFiles(ctx, files)
		}
		err = errors.Join(err, failed)
	}
	return err
}
