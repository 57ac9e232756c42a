package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/passkey"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// Bounds of passkeys.
const (
	// PasskeyAttemptTTL is how long an authenticator may take.
	PasskeyAttemptTTL = 5 * time.Minute
	maxPasskeys       = 20 // of one member
	// passkeyAttempts are begun by one address in a window of the login throttle, at most, without one of them ending well.
	passkeyAttempts = loginFailuresRemote
)

// PasskeyChallenge is what a browser gives its authenticator.
type PasskeyChallenge struct {
	AttemptID string `json:"attempt_id"`
	ExpiresAt string `json:"expires_at"`
	// Options are for PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON.
	Options json.RawMessage `json:"options"`
}

// PasskeyProof is what an authenticator says to a challenge.
type PasskeyProof struct {
	AttemptID  string          `json:"attempt_id"`
	Credential json.RawMessage `json:"credential"`
}

// Passkey is a passkey as its member sees it.
type Passkey struct {
	PasskeyID  string `json:"passkey_id"`
	Label      string `json:"label"`
	Host       string `json:"host"`
	Synced     bool   `json:"synced"`
	CreatedAt  string `json:"created_at"`
	LastUsedAt string `json:"last_used_at"`
}

// Passkeys are a member's own passkeys.
type Passkeys struct {
	UserID   string    `json:"user_id"`
	Passkeys []Passkey `json:"passkeys"`
}

// OnePasskey is one of a member's passkeys.
type OnePasskey struct {
	UserID string `json:"user_id"`
	Passkey
}

func shownPasskey(p memberdb.Passkey) Passkey {
	out := Passkey{PasskeyID: p.PublicID(), Label: p.Label, Host: p.Party, Synced: p.Synced, CreatedAt: clock.Text(clock.FromMicros(p.CreatedAt))}
	if p.SeenAt > 0 {
		out.LastUsedAt = clock.Text(clock.FromMicros(p.SeenAt))
	}
	return out
}

// ListPasskeys lists the caller's passkeys, the newest first.
func (a *Accounts) ListPasskeys(ctx context.Context, c core.Caller, in AccountInput) (Passkeys, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return Passkeys{}, err
	}
	out := Passkeys{UserID: userID, Passkeys: []Passkey{}}
	all, err := a.Store.PasskeysOf(ctx, userID)
	for _, p := range all {
		out.Passkeys = append(out.Passkeys, shownPasskey(p))
	}
	return out, err
}

// BeginPasskey makes the challenge for a new passkey of the caller, who has proved who they are just now.
func (a *Accounts) BeginPasskey(ctx context.Context, c core.Caller, in AccountInput) (PasskeyChallenge, error) {
	userID, err := a.passkeyOwner(ctx, c, in.UserID)
	if err != nil {
		return PasskeyChallenge{}, err
	}
	have, err := a.Store.PasskeysOf(ctx, userID)
	if err != nil {
		return PasskeyChallenge{}, err
	}
	if len(have) >= maxPasskeys {
		return PasskeyChallenge{}, tooManyPasskeys(len(have))
	}
	handle, keys := passkey.NewHandle(), make([]passkey.Key, 0, len(have))
	for _, p := range have {
		handle = p.UserHandle
		keys = append(keys, asKey(p))
	}
	options, state, err := passkey.Offer(c.Origin, handle, userID, keys)
	if err != nil {
		return PasskeyChallenge{}, noPasskeysHere(err)
	}
	return a.keepAttempt(ctx, c, userID, options, state)
}

// AddPasskeyInput has what the authenticator says, and what the member calls the new passkey.
type AddPasskeyInput struct {
	UserID     string          `json:"user_id"`
	Label      string          `json:"label"`
	AttemptID  string          `json:"attempt_id"`
	Credential json.RawMessage `json:"credential"`
}

// AddPasskey keeps a new passkey of the caller.
func (a *Accounts) AddPasskey(ctx context.Context, c core.Caller, in AddPasskeyInput) (OnePasskey, error) {
	userID, err := a.passkeyOwner(ctx, c, in.UserID)
	if err != nil {
		return OnePasskey{}, err
	}
	state, err := a.takeAttempt(ctx, PasskeyProof{in.AttemptID, in.Credential}, userID)
	if err != nil {
		return OnePasskey{}, err
	}
	made, err := passkey.Accept(state, userID, in.Credential)
	if err != nil {
		return OnePasskey{}, a.refusedPasskey(ctx, err)
	}
	out := OnePasskey{UserID: userID}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		all, err := tx.PasskeysOf(ctx, userID)
		if err != nil {
			return err
		}
		if len(all) >= maxPasskeys {
			return tooManyPasskeys(len(all))
		}
		p := memberdb.Passkey{
			CredentialID: made.ID, UserID: userID, UserHandle: made.Handle, Party: made.Party, Label: in.Label, Record: made.Record, Synced: made.Synced, CreatedAt: clock.Micros(tx.Now),
		}
		if err := tx.AddPasskey(p); err != nil {
			return err
		}
		out.Passkey = shownPasskey(p)
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.passkey_added", Target: p.PublicID(), Status: "ok", Detail: map[string]any{"host": p.Party}}))
	})
	if errors.Is(err, sqldb.ErrConflict) {
		err = errs.New(errs.InvalidCredentials, "This passkey is somebody's already. Make a new one.")
	}
	return out, err
}

// PasskeyInput names one passkey, and gives it a label.
type PasskeyInput struct {
	UserID    string `json:"user_id"`
	PasskeyID string `json:"passkey_id"`
	Label     string `json:"label"`
}

// RenamePasskey gives one of the caller's passkeys another label.
func (a *Accounts) RenamePasskey(ctx context.Context, c core.Caller, in PasskeyInput) (OnePasskey, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return OnePasskey{}, err
	}
	if c.Open {
		return OnePasskey{}, errNoAccount
	}
	out := OnePasskey{UserID: userID}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		p, err := ownPasskey(ctx, tx, userID, in.PasskeyID)
		if err != nil {
			return err
		}
		p.Label = in.Label
		out.Passkey = shownPasskey(p)
		if err := tx.LabelPasskey(p.CredentialID, p.Label); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.passkey_renamed", Target: in.PasskeyID, Status: "ok"}))
	})
	return out, err
}

// RemovedPasskey tells whether there was a passkey to remove.
type RemovedPasskey struct {
	UserID    string `json:"user_id"`
	PasskeyID string `json:"passkey_id"`
	Removed   bool   `json:"removed"`
}

// RemovePasskey removes one of the caller's passkeys. One that is not there counts as removed before.
func (a *Accounts) RemovePasskey(ctx context.Context, c core.Caller, in PasskeyInput) (RemovedPasskey, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RemovedPasskey{}, err
	}
	if err := a.requireConfirmed(ctx, c); err != nil {
		return RemovedPasskey{}, err
	}
	out := RemovedPasskey{UserID: userID, PasskeyID: in.PasskeyID}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		p, err := ownPasskey(ctx, tx, userID, in.PasskeyID)
		if errs.CodeOf(err) == errs.NotFound {
			return nil
		}
		if err == nil {
			err = tx.RemovePasskey(p.CredentialID)
		}
		if err != nil {
			return err
		}
		out.Removed = true
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.passkey_removed", Target: in.PasskeyID, Status: "ok"}))
	})
	return out, err
}

func ownPasskey(ctx context.Context, tx *store.Tx, userID, publicID string) (memberdb.Passkey, error) {
	all, err := tx.PasskeysOf(ctx, userID)
	if err != nil {
		return memberdb.Passkey{}, err
	}
	i := slices.IndexFunc(all, func(p memberdb.Passkey) bool { return p.PublicID() == publicID })
	if i < 0 {
		return memberdb.Passkey{}, errs.New(errs.NotFound, "You have no such passkey. It may have been removed.")
	}
	return all[i], nil
}

// passkeyOwner says whose new passkey the caller may make.
func (a *Accounts) passkeyOwner(ctx context.Context, c core.Caller, user string) (string, error) {
	userID, err := c.Member(user)
	if err == nil && c.Open {
		err = errNoAccount
	}
	if err == nil {
		err = a.requireConfirmed(ctx, c)
	}
	return userID, err
}

func asKey(p memberdb.Passkey) passkey.Key {
	return passkey.Key{ID: p.CredentialID, Handle: p.UserHandle, Party: p.Party, Record: p.Record, Synced: p.Synced}
}

func tooManyPasskeys(n int) error {
	return errs.Newf(errs.QuotaExceeded, "You have %d passkeys already. Remove one that you no longer use.", n)
}

// noPasskeysHere says why there are no passkeys at the address of the pages.
func noPasskeysHere(err error) error {
	if errors.Is(err, passkey.ErrNoName) {
		return errs.New(errs.InvalidRequest, "Passkeys need a host name. Open this server by its name, not by an IP address.")
	}
	return err
}

// keepAttempt keeps a challenge for a short time.
func (a *Accounts) keepAttempt(ctx context.Context, c core.Caller, userID string, options json.RawMessage, state string) (PasskeyChallenge, error) {
	id := account.NewToken()
	out := PasskeyChallenge{AttemptID: id, Options: options}
	var err error
	if userID == "" {
		err = a.mayBegin(ctx, c, passkeyBudget(c))
	} else {
		err = a.spendBudget(ctx, tooManyBegun, passkeyBudget(c))
	}
	if err != nil {
		return PasskeyChallenge{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		until := tx.Now.Add(PasskeyAttemptTTL)
		out.ExpiresAt = clock.Text(until)
		return tx.AddPasskeyAttempt(account.TokenHash(id), userID, state, clock.Micros(until))
	})
	return out, err
}

func passkeyBudget(c core.Caller) budget {
	return budget{"passkey\x1f" + c.Remote, passkeyAttempts, loginWindow}
}

// takeAttempt uses a challenge up, whatever comes of it.
func (a *Accounts) takeAttempt(ctx context.Context, proof PasskeyProof, userID string) (state string, err error) {
	if len(proof.Credential) > passkey.MaxResponse {
		return "", errs.Invalid("credential", "is larger than what authenticators say")
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		state, err = tx.TakePasskeyAttempt(account.TokenHash(proof.AttemptID), userID)
		return err
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.InvalidCredentials, "This took too long or was used already. Try again.")
	}
	return state, err
}

// refusedPasskey turns what an authenticator said wrongly into an answer.
func (a *Accounts) refusedPasskey(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, passkey.ErrRefused), errors.Is(err, sqldb.ErrNotFound):
		a.Log.DebugContext(ctx, "a passkey was refused", "error", err)
		return errs.New(errs.InvalidCredentials, "This passkey is not known here. Use another one, or your password.")
	case errors.Is(err, passkey.ErrCopied):
		return errs.New(errs.InvalidCredentials, "This passkey seems to have been copied and is not accepted. Sign in another way and remove it.")
	}
	return err
}
