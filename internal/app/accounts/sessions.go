package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// DeviceKeep is how long a browser is known after it was given its token.
const DeviceKeep = memberdb.SourceKeep

// How long a session lasts: after this long without a request, and in any case.
const (
	SessionIdle = 2 * time.Hour
	SessionMax  = 30 * 24 * time.Hour
	// sessionTouch is how far the stored idle end may lag behind, so that reading does not write.
	sessionTouch = time.Minute
	// sessionStale is how long another node's logout or an operator's disable may go unseen.
	sessionStale = 2 * time.Second
	// touchPatience is how long a request waits for its session's use to be noted.
	touchPatience = 500 * time.Millisecond
)

// sessionCache keeps sessions that were just looked up.
type sessionCache struct {
	kept *otter.Cache[string, keptSession]
}

type keptSession struct {
	session memberdb.Session
	readAt  time.Time
}

func newSessionCache() *sessionCache {
	return &sessionCache{otter.Must(&otter.Options[string, keptSession]{MaximumSize: 50_000})}
}

// Identify finds out who holds a token. An unknown, ended or shut-out one is nobody: Public.
func (a *Accounts) Identify(ctx context.Context, token string) (core.Caller, error) {
	if !a.AuthRequired {
		return core.Caller{Role: core.Member, UserID: a.DefaultUserID, Open: true}, nil
	}
	if token == "" {
		return core.Caller{}, nil
	}
	if account.IsAPIToken(token) {
		return a.identifyToken(ctx, token, "")
	}
	hash := account.TokenHash(token)
	s, err := a.session(ctx, hash)
	if errors.Is(err, sqldb.ErrNotFound) {
		return core.Caller{}, nil
	}
	if err != nil {
		return core.Caller{}, err
	}
	now := a.Clock()
	us := clock.Micros(now)
	if us >= s.ExpiresAt || us >= s.EndsAt || a.anonymous(s.UserID) {
		a.sessions.kept.Invalidate(hash)
		return core.Caller{}, nil
	}
	if now.Sub(clock.FromMicros(s.SeenAt)) >= sessionTouch {
		s.SeenAt, s.ExpiresAt = us, min(clock.Micros(now.Add(SessionIdle)), s.EndsAt)
		var away *sqldb.Unreachable
		soon, cancel := context.WithTimeout(ctx, touchPatience)
		err := a.Store.Write(soon, func(tx *store.Tx) error { return tx.TouchSession(hash, s.SeenAt, s.ExpiresAt) })
		cancel()
		switch {
		case err == nil:
			a.sessions.kept.Set(hash, keptSession{s, now})
		case ctx.Err() != nil || !errors.As(err, &away):
			return core.Caller{}, err
		default: // a full disk, a standby, a lock: the session holds until its stored end, and whoever only reads is let in
		}
	}
	return core.Caller{Role: core.Member, UserID: s.UserID, Session: hash, ExpiresAt: s.ExpiresAt, DeletesAt: s.EraseAt}, nil
}

// Anonymize gives the anonymous member to a caller who is nobody, where the operator allows it.
func (a *Accounts) Anonymize(c core.Caller) core.Caller {
	if c.Role == core.Public && a.AllowAnonymousMember {
		c.Role, c.UserID = core.Anonymous, a.AnonymousMemberUserID
	}
	return c
}

func (a *Accounts) session(ctx context.Context, hash string) (memberdb.Session, error) {
	now := a.Clock()
	if k, ok := a.sessions.kept.GetIfPresent(hash); ok && now.Sub(k.readAt) < sessionStale && !now.Before(k.readAt) {
		return k.session, nil
	}
	s, err := a.Store.Session(ctx, hash)
	if err != nil {
		a.sessions.kept.Invalidate(hash)
		return s, err
	}
	a.sessions.kept.Set(hash, keptSession{s, now})
	return s, nil
}

// open starts a session for a member inside a transaction and answers its token.
func (a *Accounts) open(tx *store.Tx, c core.Caller, userID string) (token string, s memberdb.Session, err error) {
	token = account.NewToken()
	now := clock.Micros(tx.Now)
	s = memberdb.Session{
		TokenHash: account.TokenHash(token), UserID: userID, CreatedAt: now, SeenAt: now,
		ExpiresAt: clock.Micros(tx.Now.Add(SessionIdle)), EndsAt: clock.Micros(tx.Now.Add(SessionMax)), Address: c.Remote, Agent: c.Agent,
		ConfirmedUntil: clock.Micros(tx.Now.Add(ConfirmFor)),
	}
	if err := tx.AddSession(s); err != nil {
		return "", s, err
	}
	most, bounded, err := a.QuotaOf(tx.Context(), tx.Queries, userID, core.QuotaSessions)
	if err == nil && bounded {
		err = tx.BoundSessions(userID, max(int(most), 1))
	}
	return token, s, err
}
