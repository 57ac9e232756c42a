package accounts

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// ChangePasswordInput has the password that is in force and the one to take its place.
type ChangePasswordInput struct {
	UserID          string `json:"user_id"`
	CurrentPassword string `json:"current_password"`
	NewPassword     string `json:"new_password"`
}

// EndedSessions tells how many sessions an operation has ended, and whether the caller's is among them.
type EndedSessions struct {
	UserID    string `json:"user_id"`
	Ended     int    `json:"ended_sessions"`
	SignedOut bool   `json:"signed_out"`
}

// ChangePassword replaces the caller's own password and ends their other sessions.
func (a *Accounts) ChangePassword(ctx context.Context, c core.Caller, in ChangePasswordInput) (EndedSessions, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return EndedSessions{}, err
	}
	if c.Open {
		return EndedSessions{}, errs.New(errs.PermissionDenied, "Authentication is off: there is no password to change.").With("error", string(errs.PermissionDenied))
	}
	if err := checkPassword(in.NewPassword, userID); err != nil {
		return EndedSessions{}, err
	}
	spent, known, err := a.checkOwnPassword(ctx, c, userID, in.CurrentPassword)
	if err != nil {
		return EndedSessions{}, err
	}
	hash, err := a.hasher.Hash(ctx, c.Remote, in.NewPassword)
	if err != nil {
		return EndedSessions{}, busy(err)
	}
	return a.endSessions(ctx, c, userID, "auth.password_changed", func(s memberdb.Session) bool { return s.TokenHash != c.Session }, func(tx *store.Tx) error {
		now, err := tx.Account(ctx, userID)
		if err == nil && now.PasswordHash != known.PasswordHash {
			err = errs.New(errs.InvalidCredentials, "The current password is wrong.") // it was changed meanwhile
		}
		if err != nil {
			return err
		}
		if err := a.restartBudget(tx, spent); err != nil {
			return err
		}
		if err := tx.SetPassword(userID, hash); err != nil {
			return err
		}
		return tx.EndLinksOf(userID)
	})
}

// OwnSession is a session as its member sees it.
type OwnSession struct {
	SessionID  string `json:"session_id"`
	Current    bool   `json:"current"`
	CreatedAt  string `json:"created_at"`
	LastSeenAt string `json:"last_seen_at"`
	ExpiresAt  string `json:"expires_at"`
	Address    string `json:"address"`
	Agent      string `json:"agent"`
}

// OwnSessions are all sessions of a member.
type OwnSessions struct {
	UserID   string       `json:"user_id"`
	Sessions []OwnSession `json:"sessions"`
	// HasPassword tells whether the member signs in with a password, which can be changed.
	HasPassword bool `json:"has_password"`
}

// AccountInput names the member whose account is meant: the caller.
type AccountInput struct {
	UserID string `json:"user_id"`
}

// ListOwnSessions lists where a member is signed in, the session used last first.
func (a *Accounts) ListOwnSessions(ctx context.Context, c core.Caller, in AccountInput) (OwnSessions, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return OwnSessions{}, err
	}
	out := OwnSessions{UserID: userID, Sessions: []OwnSession{}}
	known, err := a.Store.Account(ctx, userID)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return out, err
	}
	out.HasPassword = known.PasswordHash != ""
	all, err := a.Store.SessionsOf(ctx, userID, clock.Micros(a.Clock()))
	for _, s := range all {
		out.Sessions = append(out.Sessions, OwnSession{
			SessionID: s.PublicID(), Current: s.TokenHash == c.Session, CreatedAt: clock.Text(clock.FromMicros(s.CreatedAt)),
			LastSeenAt: clock.Text(clock.FromMicros(s.SeenAt)), ExpiresAt: clock.Text(clock.FromMicros(s.ExpiresAt)), Address: s.Address, Agent: s.Agent,
		})
	}
	return out, err
}

// EndSessionInput names one session.
type EndSessionInput struct {
	UserID    string `json:"user_id"`
	SessionID string `json:"session_id"`
}

// EndOwnSession ends one session of a member. One that is not there counts as ended.
func (a *Accounts) EndOwnSession(ctx context.Context, c core.Caller, in EndSessionInput) (EndedSessions, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return EndedSessions{}, err
	}
	return a.endSessions(ctx, c, userID, "auth.session_ended", func(s memberdb.Session) bool { return s.PublicID() == in.SessionID }, nil)
}

// EndSessionsInput says whether the private addresses of the caller's feed and calendar are to end with their sessions.
type EndSessionsInput struct {
	UserID       string `json:"user_id"`
	EndAddresses bool   `json:"end_addresses"`
}

// EndOwnSessions signs a member out everywhere, in this session too, and forgets the addresses and browsers they are
// known by.
func (a *Accounts) EndOwnSessions(ctx context.Context, c core.Caller, in EndSessionsInput) (EndedSessions, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return EndedSessions{}, err
	}
	return a.endSessions(ctx, c, userID, "auth.signed_out_everywhere", func(memberdb.Session) bool { return true }, func(tx *store.Tx) error {
		if err := tx.ForgetSources(userID); err != nil {
			return err
		}
		if in.EndAddresses {
			if err := tx.EndAddressesOf(userID); err != nil {
				return err
			}
		}
		return tx.EndLinksOf(userID)
	})
}

// endSessions ends a member's sessions that meant picks, in one transaction with also.
func (a *Accounts) endSessions(ctx context.Context, c core.Caller, userID, action string, meant func(memberdb.Session) bool, also func(*store.Tx) error) (EndedSessions, error) {
	out := EndedSessions{UserID: userID}
	var ended []string
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		out.SignedOut, ended = false, nil
		if also != nil {
			if err := also(tx); err != nil {
				return err
			}
		}
		all, err := tx.SessionsOf(ctx, userID, 0)
		if err != nil {
			return err
		}
		for _, s := range all {
			if !meant(s) {
				continue
			}
			if _, err := tx.EndSession(s.TokenHash); err != nil {
				return err
			}
			ended = append(ended, s.TokenHash)
			out.SignedOut = out.SignedOut || s.TokenHash == c.Session
		}
		if also == nil && len(ended) == 0 {
			return nil
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: action, Status: "ok", Detail: map[string]any{"sessions": len(ended)}}))
	})
	for _, hash := range ended {
		a.sessions.kept.Invalidate(hash)
	}
	out.Ended = len(ended)
	return out, err
}
