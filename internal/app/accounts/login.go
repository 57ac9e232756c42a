package accounts

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// LoginInput is what a person signs in with: a password, or the token of a one-time link.
type LoginInput struct {
	UserID      string `json:"user_id"`
	Password    string `json:"password"`
	SignInToken string `json:"sign_in_token"`
}

// Session is the answer to a login.
type Session struct {
	AuthRequired   bool     `json:"auth_required"`
	Token          string   `json:"token"`
	Role           string   `json:"role"`
	UserID         string   `json:"user_id"`
	ExpiresAt      string   `json:"expires_at"`
	AvailableRoles []string `json:"available_roles"`
	// Device is a new token for the browser, by which it is known at the next sign-in; "" when it is known already.
	Device string `json:"-"`
}

var errWrong = errs.New(errs.InvalidCredentials, "The name or the password is wrong.")

// Login signs a member in. Every attempt is counted before the password is looked at, so that many
// at once are throttled like many in turn.
func (a *Accounts) Login(ctx context.Context, c core.Caller, in LoginInput) (Session, error) {
	if !a.AuthRequired {
		userID := in.UserID
		if userID == "" {
			userID = a.DefaultUserID
		}
		return Session{Token: "no-auth", Role: "member", UserID: userID, AvailableRoles: a.Roles()}, nil
	}
	if in.UserID == "" && in.SignInToken == "" {
		in.UserID = a.DefaultUserID
	}
	if in.SignInToken != "" {
		return a.loginByLink(ctx, c, in.SignInToken)
	}
	known, spent, err := a.checkPasswordOf(ctx, c, in.UserID, in.Password, loginBudgets(c, in.UserID))
	if err != nil {
		return Session{}, err
	}
	return a.signIn(ctx, c, spent, func(tx *store.Tx) (string, error) {
		// The operator may have stepped in while the password was being checked.
		now, err := tx.Account(ctx, known.UserID)
		if errors.Is(err, sqldb.ErrNotFound) || err == nil && (now.Disabled || now.PasswordHash != known.PasswordHash) {
			return "", errWrong
		}
		return known.UserID, err
	})
}

// loginBudgets bound how often one address may fail, first with one member and then with all.
func loginBudgets(c core.Caller, userID string) []budget {
	return []budget{{"login\x1f" + c.Remote + "\x1f" + userID, loginFailures, loginWindow}, {"login\x1f" + c.Remote, loginFailuresRemote, loginWindow}}
}

func (a *Accounts) loginByLink(ctx context.Context, c core.Caller, token string) (Session, error) {
	spent := loginBudgets(c, "")
	if err := a.spendBudget(ctx, "Too many failed sign-ins. Wait a minute and try again.", spent...); err != nil {
		return Session{}, err
	}
	return a.signIn(ctx, c, spent, func(tx *store.Tx) (string, error) {
		userID, err := tx.TakeSignInLink(account.TokenHash(token))
		if err == nil {
			var known memberdb.Account
			if known, err = tx.Account(ctx, userID); err == nil && !known.Disabled {
				return userID, nil
			}
		}
		if err == nil || errors.Is(err, sqldb.ErrNotFound) {
			err = errs.New(errs.InvalidCredentials, "This sign-in link was used already or is too old. Sign in with the password.")
		}
		return "", err
	})
}

// signIn admits whom who finds, and gives back what the attempt has spent; the first budget, of the address and the
// member, starts over.
func (a *Accounts) signIn(ctx context.Context, c core.Caller, spent []budget, who func(*store.Tx) (string, error)) (Session, error) {
	var out Session
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		userID, err := who(tx)
		if err != nil {
			return err
		}
		if err := a.restartBudget(tx, spent[0]); err != nil {
			return err
		}
		if err := a.returnAttempts(tx, spent[1:]...); err != nil {
			return err
		}
		out, err = a.admit(ctx, tx, c, userID)
		return err
	})
	return out, err
}

// admit opens a session, writes it down in the audit log and remembers where it came from.
func (a *Accounts) admit(ctx context.Context, tx *store.Tx, c core.Caller, userID string) (Session, error) {
	if a.anonymous(userID) {
		return Session{}, errWrong // nobody signs in as everybody
	}
	token, s, err := a.open(tx, c, userID)
	if err != nil {
		return Session{}, err
	}
	c.UserID = userID
	if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Action: "auth.login", Status: "ok"})); err != nil {
		return Session{}, err
	}
	out := Session{
		AuthRequired: true, Token: token, Role: "member", UserID: userID,
		ExpiresAt: clock.Text(clock.FromMicros(s.ExpiresAt)), AvailableRoles: a.Roles(),
	}
	if c.Device == "" {
		c.Device = account.NewToken()
		out.Device = c.Device
	}
	for _, source := range c.Sources() {
		if err := tx.RememberSource(userID, source, core.SourcesKept); err != nil {
			return Session{}, err
		}
	}
	return out, nil
}

// LogoutResult tells whether there was a session to end.
type LogoutResult struct {
	SignedOut bool `json:"signed_out"`
}

// Logout ends the caller's session.
func (a *Accounts) Logout(ctx context.Context, c core.Caller, _ struct{}) (LogoutResult, error) {
	if c.Session == "" {
		return LogoutResult{}, nil
	}
	var out LogoutResult
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if out.SignedOut, err = tx.EndSession(c.Session); err != nil || !out.SignedOut {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Action: "auth.logout", Status: "ok"}))
	})
	a.sessions.kept.Invalidate(c.Session)
	return out, err
}

// SignupInput is what a new member chooses.
type SignupInput struct {
	UserID   string `json:"user_id"`
	Password string `json:"password"`
}

// Signup makes an account and signs it in, where the operator has opened sign-up.
func (a *Accounts) Signup(ctx context.Context, c core.Caller, in SignupInput) (Session, error) {
	if !a.SignupOpen || !a.AuthRequired {
		return Session{}, errs.New(errs.SignupClosed, "This server does not take sign-ups. Ask its operator for an account.")
	}
	taken := errs.New(errs.UserIDTaken, "This name is taken or cannot be told from another. Choose another.")
	if a.kept(in.UserID) {
		return Session{}, taken
	}
	if err := checkPassword(in.Password, in.UserID); err != nil {
		return Session{}, err
	}
	here := int64(a.SignupsPerHour)
	err := a.spendBudget(ctx, "Too many accounts are being made. Try again later.", budget{"signup\x1f" + c.Remote, here, signupWindow}, budget{"signup", here * signupShare, signupWindow})
	if err != nil {
		return Session{}, err
	}
	switch _, err := a.Store.Lookalike(ctx, in.UserID); {
	case err == nil:
		return Session{}, taken // before any work is done for it
	case !errors.Is(err, sqldb.ErrNotFound):
		return Session{}, err
	}
	switch used, err := a.Store.NamespaceUsed(ctx, in.UserID, ""); {
	case err != nil:
		return Session{}, err
	case used:
		return Session{}, taken
	}
	hash, err := a.signups.Hash(ctx, c.Remote, in.Password)
	if err != nil {
		return Session{}, busy(err)
	}
	var out Session
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if err := tx.AddAccount(in.UserID, hash); err != nil {
			return err
		}
		out, err = a.admit(ctx, tx, c, in.UserID)
		return err
	})
	if errors.Is(err, sqldb.ErrConflict) {
		err = taken
	}
	return out, err
}

// kept reports whether no stranger gets an id: it is reserved, or could be taken for that of the first account or of visitors.
func (a *Accounts) kept(userID string) bool {
	return account.ReservedID(userID) || account.Alike(userID, a.DefaultUserID) || a.AllowAnonymousMember && account.Alike(userID, a.AnonymousMemberUserID)
}
