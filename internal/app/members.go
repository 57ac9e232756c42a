package app

import (
	"context"
	"errors"
	"regexp"
	"time"

	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// Operator is the caller of the command line: it works on the store directly and no route reaches it.
var Operator = Caller{Role: Member, UserID: "operator"}

// SignInLinkTTL is how long a one-time sign-in link is valid.
const SignInLinkTTL = 10 * time.Minute

var userIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{1,63}$`)

// MemberLine is a member as the operator sees them.
type MemberLine struct {
	UserID    string `json:"user_id"`
	Disabled  bool   `json:"disabled"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// AddMember makes an account.
func (a *App) AddMember(ctx context.Context, userID, password string) error {
	if !userIDPattern.MatchString(userID) {
		return errs.Invalid("user_id", "must have 2 to 64 letters, digits and . _ @ - and begin with a letter or digit")
	}
	if userID == Operator.UserID {
		return errs.Invalid("user_id", "must not be "+Operator.UserID+": the audit log calls the command line so")
	}
	hash, err := a.passwordHash(ctx, password)
	if err != nil {
		return err
	}
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddAccount(userID, hash); err != nil {
			return err
		}
		return tx.AddEvent(event(tx, Operator, happened{Action: "member.added", Target: userID, Status: "ok"}))
	})
	if errors.Is(err, store.ErrConflict) {
		return errs.Newf(errs.UserIDTaken, "There is a member %s already.", userID)
	}
	return err
}

// SetMemberPassword replaces a password and signs the member out everywhere.
func (a *App) SetMemberPassword(ctx context.Context, userID, password string) error {
	hash, err := a.passwordHash(ctx, password)
	if err != nil {
		return err
	}
	return a.changeMember(ctx, userID, "member.password_set", func(tx *store.Tx) error { return tx.SetPassword(userID, hash) })
}

// SetMemberDisabled shuts a member out, signing them out everywhere, or lets them in again.
func (a *App) SetMemberDisabled(ctx context.Context, userID string, disabled bool) error {
	action := "member.enabled"
	if disabled {
		action = "member.disabled"
	}
	return a.changeMember(ctx, userID, action, func(tx *store.Tx) error { return tx.SetDisabled(userID, disabled) })
}

func (a *App) changeMember(ctx context.Context, userID, action string, change func(*store.Tx) error) error {
	err := a.store.Write(ctx, func(tx *store.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		if err := tx.EndSessionsOf(userID); err != nil {
			return err
		}
		return tx.AddEvent(event(tx, Operator, happened{Action: action, Target: userID, Status: "ok"}))
	})
	return noMember(err, userID)
}

func noMember(err error, userID string) error {
	if errors.Is(err, store.ErrNotFound) {
		return errs.Newf(errs.AccountNotFound, "There is no member %s. `stoa member list` shows who there is.", userID)
	}
	return err
}

func (a *App) passwordHash(ctx context.Context, password string) (string, error) {
	if len(password) < account.MinPasswordLength || len(password) > account.MaxPasswordLength {
		return "", errs.Invalid("password", "must have 12 to 1024 characters")
	}
	return a.hasher.Hash(ctx, password)
}

// Members lists the members by id, after a given one.
func (a *App) Members(ctx context.Context, after string, limit int) ([]MemberLine, error) {
	accounts, err := a.store.Accounts(ctx, after, limit)
	lines := make([]MemberLine, 0, len(accounts))
	for _, m := range accounts {
		lines = append(lines, MemberLine{m.UserID, m.Disabled, clock.Text(clock.FromMicros(m.CreatedAt)), clock.Text(clock.FromMicros(m.UpdatedAt))})
	}
	return lines, err
}

// FirstMember makes the default member in an empty database and answers what it signs in with; both
// answers are "" when there was a member already.
func (a *App) FirstMember(ctx context.Context) (password, linkToken string, err error) {
	there, err := a.store.AnyAccount(ctx)
	if err != nil || there {
		return "", "", err
	}
	password, linkToken = account.NewPassword(), account.NewToken()
	hash, err := a.hasher.Hash(ctx, password)
	if err != nil {
		return "", "", err
	}
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddAccount(a.DefaultUserID, hash); err != nil {
			return err
		}
		if err := tx.AddSignInLink(account.TokenHash(linkToken), a.DefaultUserID, clock.Micros(tx.Now.Add(SignInLinkTTL))); err != nil {
			return err
		}
		return tx.AddEvent(event(tx, Operator, happened{Action: "member.added", Target: a.DefaultUserID, Status: "ok"}))
	})
	if errors.Is(err, store.ErrConflict) {
		return "", "", nil // another node was first
	}
	return password, linkToken, err
}
