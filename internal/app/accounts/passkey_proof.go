package accounts

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/passkey"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// AskForPasskey makes a challenge by which somebody proves who they are. It tells nothing about who has passkeys.
func (a *Accounts) AskForPasskey(ctx context.Context, c core.Caller, _ struct{}) (PasskeyChallenge, error) {
	options, state, err := passkey.Ask(c.Origin)
	if err != nil {
		return PasskeyChallenge{}, noPasskeysHere(err)
	}
	return a.keepAttempt(ctx, c, "", options, state)
}

// proven is a proof that holds, and the passkey as it was before.
type proven struct {
	was memberdb.Passkey
	now passkey.Key
}

// checkProof finds out who proves by a passkey who they are.
func (a *Accounts) checkProof(ctx context.Context, proof PasskeyProof) (proven, error) {
	state, err := a.takeAttempt(ctx, proof, "")
	if err != nil {
		return proven{}, err
	}
	var out proven
	out.now, err = passkey.Check(state, proof.Credential, func(id string) (passkey.Key, error) {
		var err error
		out.was, err = a.Store.Passkey(ctx, id)
		return asKey(out.was), err
	})
	if err != nil {
		if errors.Is(err, passkey.ErrCopied) {
			a.noteCopied(ctx, out.was)
		}
		return proven{}, a.refusedPasskey(ctx, err)
	}
	return out, nil
}

// noteCopied writes down that a passkey's counter went back.
func (a *Accounts) noteCopied(ctx context.Context, p memberdb.Passkey) {
	if err := a.Store.Write(ctx, func(tx *store.Tx) error {
		c := core.Caller{Role: core.Member, UserID: p.UserID}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Action: "auth.passkey_copied", Target: p.PublicID(), Failed: true, Status: "refused"}))
	}); err != nil {
		a.Log.WarnContext(ctx, "a copied passkey was not written down", "error", err)
	}
}

// use notes the use of a passkey in the transaction that acts on it: of two uses at once, that are not the authenticator's own,
// one fails, and a passkey that was removed meanwhile proves nothing.
func (p proven) use(ctx context.Context, tx *store.Tx) error {
	now, err := tx.Passkey(ctx, p.was.CredentialID)
	if err == nil && now.Record != p.was.Record {
		err = sqldb.ErrNotFound
	}
	if err == nil {
		err = tx.UsedPasskey(p.was.CredentialID, p.now.Record, p.now.Synced)
	}
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.InvalidCredentials, "This passkey was removed or used at the same moment. Try again.")
	}
	return err
}

// LoginByPasskey signs a member in with a passkey, which needs no name and no password.
func (a *Accounts) LoginByPasskey(ctx context.Context, c core.Caller, proof PasskeyProof) (Session, error) {
	if !a.AuthRequired {
		return Session{}, errNoAccount
	}
	p, err := a.checkProof(ctx, proof)
	if err != nil {
		return Session{}, err
	}
	var out Session
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := p.use(ctx, tx); err != nil {
			return err
		}
		if err := a.returnAttempts(tx, passkeyBudget(c)); err != nil {
			return err
		}
		out, err = a.admit(ctx, tx, c, p.was.UserID)
		return err
	})
	return out, err
}

// confirmByPasskey lets the caller prove by one of their own passkeys that it is them.
func (a *Accounts) confirmByPasskey(ctx context.Context, c core.Caller, userID string, proof PasskeyProof) (Confirmation, error) {
	out := Confirmation{UserID: userID}
	p, err := a.checkProof(ctx, proof)
	if err == nil && p.was.UserID != userID {
		err = errs.New(errs.InvalidCredentials, "This passkey is of another account. Use one of yours.")
	}
	if err != nil {
		return out, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := p.use(ctx, tx); err != nil {
			return err
		}
		if err := a.returnAttempts(tx, passkeyBudget(c)); err != nil {
			return err
		}
		out.ConfirmedUntil, err = a.confirmed(tx, c, userID)
		return err
	})
	return out, err
}

// confirmed notes that the caller has proved that it is them.
func (a *Accounts) confirmed(tx *store.Tx, c core.Caller, userID string) (until string, err error) {
	end := tx.Now.Add(ConfirmFor)
	if err := tx.ConfirmSession(c.Session, clock.Micros(end)); err != nil {
		return "", err
	}
	return clock.Text(end), tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.confirmed", Status: "ok"}))
}

// ConsoleLoginByPasskey signs somebody with a role in at the console. What it proves is good for decisions too.
func (a *Accounts) ConsoleLoginByPasskey(ctx context.Context, c core.Caller, proof PasskeyProof) (token string, err error) {
	p, err := a.checkProof(ctx, proof)
	if err != nil {
		return "", err
	}
	token = account.NewToken()
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := p.use(ctx, tx); err != nil {
			return err
		}
		if err := a.returnAttempts(tx, passkeyBudget(c)); err != nil {
			return err
		}
		return admitToConsole(ctx, tx, c, p.was.UserID, token, clock.Micros(tx.Now.Add(ConsoleConfirm)))
	})
	return token, err
}

// ConfirmConsoleByPasskey is the second step of signing in, by a passkey of whoever is signed in.
func (a *Accounts) ConfirmConsoleByPasskey(ctx context.Context, c core.Caller, u ConsoleUser, proof PasskeyProof) error {
	p, err := a.checkProof(ctx, proof)
	if err == nil && p.was.UserID != u.UserID {
		err = errs.New(errs.InvalidCredentials, "This passkey is of another account. Use one of yours.")
	}
	if err != nil {
		return err
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := p.use(ctx, tx); err != nil {
			return err
		}
		if err := a.returnAttempts(tx, passkeyBudget(c)); err != nil {
			return err
		}
		return confirmedAtConsole(tx, c, u)
	})
}
