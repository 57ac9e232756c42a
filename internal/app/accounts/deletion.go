package accounts

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// OwnAccount is an account as its member sees it.
type OwnAccount struct {
	UserID      string `json:"user_id"`
	CreatedAt   string `json:"created_at"` // "" where authentication is off
	HasPassword bool   `json:"has_password"`
	Passkeys    int    `json:"passkeys"` // how many there are
	// ConfirmedUntil is until when the session counts as that of somebody who has just proved who they are; "" for not at all.
	ConfirmedUntil string `json:"confirmed_until"`
	// DeletesAt is when the account is deleted, as its member wishes; "" for never.
	DeletesAt string `json:"deletes_at"`
	// GraceDays is how many days a member has to take the wish back.
	GraceDays int `json:"grace_days"`
}

// GetAccount gives the caller's own account.
func (a *Accounts) GetAccount(ctx context.Context, c core.Caller, in AccountInput) (OwnAccount, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return OwnAccount{}, err
	}
	out := OwnAccount{UserID: userID, GraceDays: int(a.AccountGrace / (24 * time.Hour))}
	known, err := a.Store.Account(ctx, userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.CreatedAt, out.HasPassword, out.DeletesAt = clock.Text(clock.FromMicros(known.CreatedAt)), known.PasswordHash != "", clock.Text(clock.FromMicros(known.EraseAt))
	all, err := a.Store.PasskeysOf(ctx, userID)
	if out.Passkeys = len(all); err != nil || c.Session == "" {
		return out, err
	}
	s, err := a.Store.Session(ctx, c.Session)
	if errors.Is(err, sqldb.ErrNotFound) {
		return out, nil
	}
	if clock.Micros(a.Clock()) < s.ConfirmedUntil {
		out.ConfirmedUntil = clock.Text(clock.FromMicros(s.ConfirmedUntil))
	}
	return out, err
}

// AccountDeletion says what comes of a member's wish to be deleted.
type AccountDeletion struct {
	UserID string `json:"user_id"`
	// DeletesAt is when the account is deleted; "" for never.
	DeletesAt string `json:"deletes_at"`
	Ended     int    `json:"ended_sessions"` // the member's other sessions, which ended
}

var errNoAccount = errs.New(errs.PermissionDenied, "Authentication is off: there is no account.").With("error", string(errs.PermissionDenied))

// RequestAccountDeletion lets the caller's account be deleted when the grace period is over. Until then its member may sign
// in and take the wish back. Other sessions, tokens and assistants lose their access at once.
func (a *Accounts) RequestAccountDeletion(ctx context.Context, c core.Caller, in AccountInput) (AccountDeletion, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return AccountDeletion{}, err
	}
	if c.Open {
		return AccountDeletion{}, errNoAccount
	}
	if err := a.requireConfirmed(ctx, c); err != nil {
		return AccountDeletion{}, err
	}
	out := AccountDeletion{UserID: userID}
	ended, err := a.endSessions(ctx, c, userID, "account.deletion_requested", func(s memberdb.Session) bool { return s.TokenHash != c.Session }, func(tx *store.Tx) error {
		known, err := tx.Account(ctx, userID)
		if err != nil {
			return err
		}
		at := tx.Now.Add(a.AccountGrace)
		if known.EraseAt > 0 {
			at = clock.FromMicros(known.EraseAt) // asking again moves nothing
		} else if err := tx.SetEraseAt(userID, clock.Micros(at)); err != nil {
			return err
		}
		out.DeletesAt = clock.Text(at)
		if err := tx.EndLinksOf(userID); err != nil {
			return err
		}
		return endPrograms(tx, userID)
	})
	out.Ended = ended.Ended
	a.Forget()
	return out, err
}

// KeptAccount tells whether there was a deletion to take back.
type KeptAccount struct {
	UserID    string `json:"user_id"`
	Cancelled bool   `json:"cancelled"`
}

// CancelAccountDeletion takes the caller's wish to be deleted back, as long as its time has not come.
func (a *Accounts) CancelAccountDeletion(ctx context.Context, c core.Caller, in AccountInput) (KeptAccount, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return KeptAccount{}, err
	}
	if c.Open {
		return KeptAccount{}, errNoAccount
	}
	out := KeptAccount{UserID: userID}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		known, err := tx.Account(ctx, userID)
		if err != nil || known.EraseAt == 0 {
			return err
		}
		out.Cancelled = true
		if known.Disabled || clock.Micros(tx.Now) >= known.EraseAt {
			return errs.New(errs.PermissionDenied, "The time to take this back is over: the account is being deleted.").With("error", string(errs.PermissionDenied))
		}
		if err := tx.SetEraseAt(userID, 0); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "account.deletion_cancelled", Status: "ok"}))
	})
	a.Forget()
	return out, err
}

// endPrograms takes the access of everything that acts for a member without a session of theirs.
func endPrograms(tx *store.Tx, userID string) error {
	if err := tx.EndConsoleSessionsOf(userID); err != nil {
		return err
	}
	if err := tx.RevokeAPITokensOf(userID); err != nil {
		return err
	}
	return tx.EndOAuthGrantsOf(userID)
}

// exportsPerHour is how often a member may ask for everything that is kept of them.
const exportsPerHour = 10

// BeginExport says whose data the caller is given, when they have proved who they are and do not ask too often.
func (a *Accounts) BeginExport(ctx context.Context, c core.Caller, in AccountInput) (userID string, err error) {
	if userID, err = c.Member(in.UserID); err != nil {
		return "", err
	}
	if err := a.requireConfirmed(ctx, c); err != nil {
		return "", err
	}
	if c.Open {
		return userID, nil
	}
	return userID, a.spendBudget(ctx, "You have asked for your data often of late. Try again in an hour.", budget{"export\x1f" + userID, exportsPerHour, time.Hour})
}
