package accounts

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

const (
	// IdentityAttemptTTL is how long somebody may take at the issuer.
	IdentityAttemptTTL = 10 * time.Minute
	// identityAttempts are begun by one address in a window of the login throttle, at most, without one of them
	// ending in a session.
	identityAttempts = loginFailuresRemote
	// namesTried is how many names near the wished one are tried for a new member.
	namesTried = 50
)

// BeginIdentity keeps an attempt to sign in at an issuer. browser is a secret that only the browser holds which began
// it: nobody else can end it.
func (a *Accounts) BeginIdentity(ctx context.Context, c core.Caller, attempt identity.Attempt, browser, returnTo string) error {
	if err := a.mayBegin(ctx, c, identityBudget(c)); err != nil {
		return err
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.AddIdentityAttempt(memberdb.IdentityAttempt{
			StateHash: account.TokenHash(attempt.State), BrowserHash: account.TokenHash(browser), Nonce: attempt.Nonce, Verifier: attempt.Verifier,
			ReturnTo: returnTo, ExpiresAt: clock.Micros(tx.Now.Add(IdentityAttemptTTL)),
		})
	})
}

func identityBudget(c core.Caller) budget {
	return budget{"identity\x1f" + c.Remote, identityAttempts, loginWindow}
}

// TakeIdentity ends an attempt, which can be done once and by the browser that began it.
func (a *Accounts) TakeIdentity(ctx context.Context, state, browser string) (memberdb.IdentityAttempt, error) {
	var out memberdb.IdentityAttempt
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.TakeIdentityAttempt(account.TokenHash(state), account.TokenHash(browser))
		return err
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.InvalidCredentials, "This sign-in was used already, is too old or was begun in another browser. Sign in again.")
	}
	return out, err
}

// LoginByIdentity signs in whom an issuer has confirmed. Somebody new gets an account where sign-up is open; an
// account that is there already is never taken over because it has the same name.
func (a *Accounts) LoginByIdentity(ctx context.Context, c core.Caller, who identity.Identity) (Session, error) {
	var out Session
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		userID, err := tx.IdentityOwner(ctx, who.Issuer, who.Subject)
		if errors.Is(err, sqldb.ErrNotFound) {
			userID, err = a.newMember(ctx, tx, who)
		}
		if err != nil {
			return err
		}
		known, err := tx.Account(ctx, userID)
		if err != nil {
			return err
		}
		if known.Disabled {
			return errs.New(errs.PermissionDenied, "This account is shut. Ask the operator of this server.")
		}
		if err := a.returnAttempts(tx, identityBudget(c)); err != nil {
			return err
		}
		out, err = a.admit(ctx, tx, c, userID)
		return err
	})
	return out, err
}

// IdentifyBearer finds the member whom an issuer's access token is about; nobody, when no member is linked to them. Nothing is
// kept, so that shutting or unlinking a member counts at once.
func (a *Accounts) IdentifyBearer(ctx context.Context, token string, who identity.Bearer, scope core.Scope) (core.Caller, error) {
	userID, err := a.Store.IdentityOwner(ctx, who.Issuer, who.Subject)
	if errors.Is(err, sqldb.ErrNotFound) {
		a.Log.Warn("an assistant came with a token of somebody who has no account here", "issuer", who.Issuer)
		return core.Caller{}, nil
	}
	if err != nil {
		return core.Caller{}, err
	}
	known, err := a.Store.Account(ctx, userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return core.Caller{}, nil
	}
	if err != nil {
		return core.Caller{}, err
	}
	if known.Disabled || known.EraseAt != 0 || a.anonymous(userID) {
		return core.Caller{}, nil
	}
	return core.Caller{Role: core.Member, UserID: userID, Token: account.TokenHash(token), Scope: scope, ExpiresAt: clock.Micros(who.Expires)}, nil
}

// newMember makes an account for somebody whom only the issuer knows. It has no password.
func (a *Accounts) newMember(ctx context.Context, tx *store.Tx, who identity.Identity) (string, error) {
	if !a.SignupOpen {
		return "", errs.New(errs.SignupClosed, "This server does not take sign-ups. Ask its operator for an account.")
	}
	userID, err := a.freeName(ctx, tx, who)
	if err != nil {
		return "", err
	}
	if err := tx.AddAccount(userID, ""); err != nil {
		return "", err
	}
	return userID, tx.AddIdentity(who.Issuer, who.Subject, userID)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// wishBytes is how much of a name from elsewhere is taken over, so that a number finds a place behind it.
const wishBytes = 48

// freeName finds a name for a new member: the one they use elsewhere, or one near it.
func (a *Accounts) freeName(ctx context.Context, tx *store.Tx, who identity.Identity) (string, error) {
	wish := "member"
	for _, name := range who.Names {
		name, _, _ = strings.Cut(name, "@") // an address is nobody else's business
		name = notInNames.ReplaceAllString(strings.ToLower(name), "-")
		if name = strings.Trim(name[:min(len(name), wishBytes)], "-"); account.ValidID(name) {
			wish = name
			break
		}
	}
	for n := 1; n <= namesTried; n++ {
		name := wish
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if a.kept(name) {
			continue
		}
		if used, err := tx.NamespaceUsed(ctx, name, ""); err != nil {
			return "", err
		} else if used {
			continue
		}
		if _, err := tx.Lookalike(ctx, name); errors.Is(err, sqldb.ErrNotFound) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return "member-" + account.TokenHash(who.Issuer + "\x1f" + who.Subject)[:12], nil
}

// LinkIdentity says that a member is whom an issuer knows by a subject.
func (a *Accounts) LinkIdentity(ctx context.Context, userID, issuer, subject string) error {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(ctx, userID); err != nil {
			return err
		}
		if err := tx.AddIdentity(issuer, subject, userID); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{Action: "member.identity_linked", Target: userID, Status: "ok"}))
	})
	if errors.Is(err, sqldb.ErrConflict) {
		return errs.New(errs.UserIDTaken, "This subject of the issuer belongs to a member already.")
	}
	return core.NoMember(err, userID)
}

// UnlinkIdentity forgets what an issuer knows a member by, and signs them out.
func (a *Accounts) UnlinkIdentity(ctx context.Context, userID, issuer string) error {
	return a.changeMember(ctx, userID, "member.identity_unlinked", func(tx *store.Tx) error {
		n, err := tx.RemoveIdentities(issuer, userID)
		if err == nil && n == 0 {
			err = errs.Newf(errs.AccountNotFound, "%s has no identity of this issuer.", userID)
		}
		return err
	})
}
