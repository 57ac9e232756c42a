package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// ConfirmFor is for how long a session counts as that of somebody who has just proved who they are, by signing in or by
// giving the password again.
const ConfirmFor = 10 * time.Minute

// requireConfirmed refuses a session whose member has not proved who they are just now. The store is asked, not what this
// node remembers, so that it holds on all nodes at once.
func (a *Accounts) requireConfirmed(ctx context.Context, c core.Caller) error {
	if c.Open {
		return nil
	}
	refused := errs.New(errs.PermissionDenied, "Confirm that it is you first: give your password or use a passkey, or sign in again.").With("error", string(errs.PermissionDenied)).With("confirm", true)
	if c.Session == "" {
		return refused
	}
	s, err := a.Store.Session(ctx, c.Session)
	if err == nil && s.UserID == c.UserID && clock.Micros(a.Clock()) < s.ConfirmedUntil {
		return nil
	}
	if err == nil || errors.Is(err, sqldb.ErrNotFound) {
		err = refused
	}
	return err
}

// ConfirmInput has the password that is in force, or what a passkey of the member's says to a challenge.
type ConfirmInput struct {
	UserID     string          `json:"user_id"`
	Password   string          `json:"password"`
	AttemptID  string          `json:"attempt_id"`
	Credential json.RawMessage `json:"credential"`
}

// Confirmation tells until when a session counts as confirmed; "" where authentication is off.
type Confirmation struct {
	UserID         string `json:"user_id"`
	ConfirmedUntil string `json:"confirmed_until"`
}

// ConfirmSession lets the caller prove that it is them, by their password or a passkey.
func (a *Accounts) ConfirmSession(ctx context.Context, c core.Caller, in ConfirmInput) (Confirmation, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return Confirmation{}, err
	}
	out := Confirmation{UserID: userID}
	if c.Open {
		return out, nil
	}
	if in.AttemptID != "" {
		return a.confirmByPasskey(ctx, c, userID, PasskeyProof{in.AttemptID, in.Credential})
	}
	spent, _, err := a.checkOwnPassword(ctx, c, userID, in.Password)
	if err != nil {
		return out, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if err := a.restartBudget(tx, spent); err != nil {
			return err
		}
		out.ConfirmedUntil, err = a.confirmed(tx, c, userID)
		return err
	})
	return out, err
}

// checkOwnPassword checks the password of a member who is signed in, and answers the budget that the attempt has spent and the
// account.
func (a *Accounts) checkOwnPassword(ctx context.Context, c core.Caller, userID, password string) (budget, memberdb.Account, error) {
	spent := budget{"password\x1f" + userID, passwordChanges, loginWindow}
	if err := a.spendBudget(ctx, "Too many wrong passwords. Wait a minute and try again.", spent); err != nil {
		return spent, memberdb.Account{}, err
	}
	known, err := a.Store.Account(ctx, userID)
	if err != nil {
		return spent, memberdb.Account{}, err
	}
	if known.PasswordHash == "" {
		return spent, memberdb.Account{}, errs.New(errs.PermissionDenied, "This account has no password: it signs in at an issuer. The operator of this server can set one.").With("error", string(errs.PermissionDenied))
	}
	ok, err := a.hasher.Verify(ctx, c.Remote, known.PasswordHash, password)
	if err != nil {
		return spent, memberdb.Account{}, busy(err)
	}
	if !ok {
		return spent, memberdb.Account{}, errs.New(errs.InvalidCredentials, "The current password is wrong.")
	}
	return spent, known, nil
}
