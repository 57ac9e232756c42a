package school

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// SessionUndoInput names a session to take back; without an id the last.
type SessionUndoInput struct {
	UserID    string `json:"user_id"`
	SessionID string `json:"sessionId"`
	HeaderKey string `json:"-"` // Idempotency-Key
}

// SessionUndone is a session that was taken back.
type SessionUndone struct {
	UserID     string `json:"userId"`
	SessionID  string `json:"sessionId"`
	ExecutedAt string `json:"executedAt"`
	UndoneAt   string `json:"undoneAt"`
	Answers    int64  `json:"answers"`
	// More says that the session before it can be taken back too.
	More   bool `json:"more"`
	Replay bool `json:"idempotent_replay,omitempty"`
}

// errTakenBack answers a session that is sent again after it was taken back: it must not come back by a late repeat.
var errTakenBack = errs.New(errs.SessionTakenBack, "This session was taken back. Send what is to count with a new key.")

// keepUndo keeps what the session changed, so that it can be taken back.
func (e *execution) keepUndo(tx *store.Tx, o *learner.ObservationRecorder, id string) error {
	journal, err := tx.EndJournal()
	if err != nil {
		return err
	}
	return tx.KeepUndo(schooldb.SessionUndo{
		UserID: e.userID, SessionID: id, BeforeVersion: o.Row.Version - 1, AfterVersion: o.Row.Version, Answers: o.Row.Observations - o.Began, ExecutedAt: clock.Micros(e.at), Journal: journal,
	})
}

// UndoStudySession takes the learner's last session back: states, log, statistics and schedule are what they were before it. What
// stays is the audit log, which says both, and what was used of the day's quotas.
func (a *School) UndoStudySession(ctx context.Context, c core.Caller, in SessionUndoInput) (SessionUndone, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SessionUndone{}, err
	}
	key := a.IdempotencyKey(userID, in.HeaderKey, "session.undo", core.RequestDigest(in.SessionID))
	if key.Key == "" && c.RequestIDSent && in.SessionID == "" {
		key.Key, key.TTL = "request:"+c.RequestID, core.RequestIDKeep
	}
	var out SessionUndone
	if found, err := a.Replay(ctx, key, &out); found || err != nil {
		out.Replay = found
		return out, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := key.Reserve(tx, ""); err != nil {
			return err
		}
		if out, err = a.takeBack(ctx, tx, c.As(userID), userID, in.SessionID); err != nil {
			return err
		}
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) {
		err = core.RequireReplay(a.Replay(ctx, key, &out))
		out.Replay = err == nil
	}
	return out, err
}

func (a *School) takeBack(ctx context.Context, tx *store.Tx, c core.Caller, userID, sessionID string) (SessionUndone, error) {
	row, err := tx.LockLearner(userID) // nobody else changes the learner now
	if err != nil {
		return SessionUndone{}, err
	}
	last, found, err := tx.LastUndo(ctx, userID, row.Version-1)
	if err != nil {
		return SessionUndone{}, err
	}
	if sessionID != "" && (!found || last.SessionID != sessionID) {
		named, err := tx.Undo(ctx, userID, sessionID)
		switch {
		case errors.Is(err, sqldb.ErrNotFound):
			return SessionUndone{}, errs.New(errs.NotFound, "There is no session of this id that can be taken back. The newest twenty can.")
		case err != nil:
			return SessionUndone{}, err
		case named.UndoneAt == 0:
			return SessionUndone{}, errs.New(errs.SessionNotLast, "Something was answered after this session. Take that back first.")
		}
		if found { // the lock has moved the version on
			err = tx.MoveUndo(last, row.Version)
		}
		return undoneView(named, found), err
	}
	if !found {
		return SessionUndone{}, errs.New(errs.NotFound, "There is no session to take back.")
	}
	fence, err := tx.Fence(ctx, last.UserID)
	if err != nil {
		return SessionUndone{}, err
	}
	if err := tx.TakeBack(last, row.Version, fence.ChangedAt); err != nil {
		return SessionUndone{}, err
	}
	if err := tx.Undone(last, row.Version); err != nil {
		return SessionUndone{}, err
	}
	last.UndoneAt = clock.Micros(tx.Now)
	_, more, err := tx.LastUndo(ctx, userID, row.Version)
	if err != nil {
		return SessionUndone{}, err
	}
	return undoneView(last, more), tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: userID, Action: "learning.session_undone", Target: last.SessionID, Status: "done", Detail: map[string]any{"answers": last.Answers},
	}))
}

func undoneView(u schooldb.SessionUndo, more bool) SessionUndone {
	return SessionUndone{
		UserID: u.UserID, SessionID: u.SessionID, ExecutedAt: clock.Text(clock.FromMicros(u.ExecutedAt)), UndoneAt: clock.Text(clock.FromMicros(u.UndoneAt)), Answers: u.Answers, More: more,
	}
}

// stillThere gives an error when a session was taken back.
func (a *School) stillThere(ctx context.Context, userID, sessionID string) error {
	u, err := a.Store.Undo(ctx, userID, sessionID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil // older than what is kept, or of an earlier version
	}
	if err == nil && u.UndoneAt != 0 {
		err = errTakenBack
	}
	return err
}
