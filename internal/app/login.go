package app

import (
	"context"
	"errors"
	"time"

	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// The login throttle: this many failures within the window, per client address and member, and per
// client address.
const (
	loginWindow         = time.Minute
	loginFailures       = 10
	loginFailuresRemote = 100
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
}

var errWrong = errs.New(errs.InvalidCredentials, "The name or the password is wrong.")

// Login signs a member in. Every attempt is counted before the password is looked at, so that many
// at once are throttled like many in turn.
func (a *App) Login(ctx context.Context, c Caller, in LoginInput) (Session, error) {
	if !a.AuthRequired {
		userID := in.UserID
		if userID == "" {
			userID = a.DefaultUserID
		}
		return Session{Token: "no-auth", Role: "member", UserID: userID, AvailableRoles: a.roles()}, nil
	}
	if in.UserID == "" && in.SignInToken == "" {
		in.UserID = a.DefaultUserID
	}
	pair, remote := "login\x1f"+c.Remote+"\x1f"+in.UserID, "login\x1f"+c.Remote
	if err := a.countAttempt(ctx, pair, remote); err != nil {
		return Session{}, err
	}
	if in.SignInToken != "" {
		return a.loginByLink(ctx, c, in.SignInToken, pair, remote)
	}
	known, err := a.store.Account(ctx, in.UserID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Session{}, err
	}
	ok, err := a.hasher.Verify(ctx, known.PasswordHash, in.Password)
	if err != nil {
		return Session{}, err
	}
	if !ok {
		return Session{}, errWrong
	}
	return a.signIn(ctx, c, pair, remote, func(tx *store.Tx) (string, error) {
		// The operator may have stepped in while the password was being checked.
		now, err := tx.Account(ctx, known.UserID)
		if errors.Is(err, store.ErrNotFound) || err == nil && (now.Disabled || now.PasswordHash != known.PasswordHash) {
			return "", errWrong
		}
		return known.UserID, err
	})
}

func (a *App) loginByLink(ctx context.Context, c Caller, token, pair, remote string) (Session, error) {
	return a.signIn(ctx, c, pair, remote, func(tx *store.Tx) (string, error) {
		userID, err := tx.TakeSignInLink(account.TokenHash(token))
		if err == nil {
			var known store.Account
			if known, err = tx.Account(ctx, userID); err == nil && !known.Disabled {
				return userID, nil
			}
		}
		if err == nil || errors.Is(err, store.ErrNotFound) {
			err = errs.New(errs.InvalidCredentials, "This sign-in link was used already or is too old. Sign in with the password.")
		}
		return "", err
	})
}

// countAttempt takes a failure from both budgets; signIn gives it back.
func (a *App) countAttempt(ctx context.Context, pair, remote string) error {
	var wait time.Duration
	err := a.store.Write(ctx, func(tx *store.Tx) error {
		for _, key := range []struct {
			name  string
			limit int64
		}{{pair, loginFailures}, {remote, loginFailuresRemote}} {
			n, since, err := tx.CountFailure(key.name, loginWindow.Microseconds())
			if err != nil {
				return err
			}
			if n > key.limit {
				wait = max(wait, clock.FromMicros(since).Add(loginWindow).Sub(tx.Now), time.Second)
			}
		}
		return nil
	})
	if err != nil || wait == 0 {
		return err
	}
	return &errs.Error{Code: errs.RateLimited, Message: "Too many failed sign-ins. Wait a minute and try again.", RetryAfter: wait}
}

func (a *App) signIn(ctx context.Context, c Caller, pair, remote string, who func(*store.Tx) (string, error)) (Session, error) {
	var out Session
	err := a.store.Write(ctx, func(tx *store.Tx) error {
		userID, err := who(tx)
		if err != nil {
			return err
		}
		if err := tx.ForgetFailures(pair); err != nil {
			return err
		}
		if err := tx.UncountFailure(remote); err != nil {
			return err
		}
		out, err = a.admit(tx, c, userID)
		return err
	})
	return out, err
}

// admit opens a session and writes it down in the audit log.
func (a *App) admit(tx *store.Tx, c Caller, userID string) (Session, error) {
	token, s, err := a.open(tx, userID)
	if err != nil {
		return Session{}, err
	}
	c.UserID = userID
	if err := tx.AddEvent(event(tx, c, happened{Action: "auth.login", Status: "ok"})); err != nil {
		return Session{}, err
	}
	return Session{
		AuthRequired: true, Token: token, Role: "member", UserID: userID,
		ExpiresAt: clock.Text(clock.FromMicros(s.ExpiresAt)), AvailableRoles: a.roles(),
	}, nil
}

// LogoutResult tells whether there was a session to end.
type LogoutResult struct {
	SignedOut bool `json:"signed_out"`
}

// Logout ends the caller's session.
func (a *App) Logout(ctx context.Context, c Caller, _ struct{}) (LogoutResult, error) {
	if c.Session == "" {
		return LogoutResult{}, nil
	}
	var out LogoutResult
	err := a.store.Write(ctx, func(tx *store.Tx) (err error) {
		if out.SignedOut, err = tx.EndSession(c.Session); err != nil || !out.SignedOut {
			return err
		}
		return tx.AddEvent(event(tx, c, happened{Action: "auth.logout", Status: "ok"}))
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
func (a *App) Signup(ctx context.Context, c Caller, in SignupInput) (Session, error) {
	if !a.SignupOpen || !a.AuthRequired {
		return Session{}, errs.New(errs.SignupClosed, "This server does not take sign-ups. Ask its operator for an account.")
	}
	if in.UserID == Operator.UserID || a.AllowAnonymousMember && in.UserID == a.AnonymousMemberUserID {
		return Session{}, errs.New(errs.UserIDTaken, "This name is taken. Choose another.")
	}
	hash, err := a.hasher.Hash(ctx, in.Password)
	if err != nil {
		return Session{}, err
	}
	var out Session
	err = a.store.Write(ctx, func(tx *store.Tx) (err error) {
		if err := tx.AddAccount(in.UserID, hash); err != nil {
			return err
		}
		out, err = a.admit(tx, c, in.UserID)
		return err
	})
	if errors.Is(err, store.ErrConflict) {
		err = errs.New(errs.UserIDTaken, "This name is taken. Choose another.")
	}
	return out, err
}

func (a *App) roles() []string { return []string{"member"} }
