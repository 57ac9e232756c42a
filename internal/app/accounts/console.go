package accounts

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// Roles of people in charge. Only the command line grants them.
const (
	RoleReviewer = "reviewer" // decides about submissions
	RoleOperator = "operator" // looks after members and the service
)

// Ends of a session at the console, and of the time for which a password counts as just given.
const (
	ConsoleIdle    = 30 * time.Minute
	ConsoleMax     = 12 * time.Hour
	ConsoleConfirm = 10 * time.Minute
	consoleTouch   = time.Minute // how far the time of last use may lag behind
)

// ConsoleUser is who is signed in at the console.
type ConsoleUser struct {
	UserID         string   `json:"user_id"`
	Roles          []string `json:"roles"`
	ConfirmedUntil string   `json:"confirmed_until"` // until then decisions need no proof; "" for not at all
	ExpiresAt      string   `json:"expires_at"`

	token     string // the hash of the session's
	confirmed bool
}

// Has tells whether somebody has a role.
func (u ConsoleUser) Has(role string) bool { return slices.Contains(u.Roles, role) }

// Confirmed tells whether the password was given just now.
func (u ConsoleUser) Confirmed() bool { return u.confirmed }

// ConsoleLoginInput is what somebody signs in at the console with.
type ConsoleLoginInput struct {
	UserID   string `json:"user_id"`
	Password string `json:"password"`
}

// GrantRole gives a member a role.
func (a *Accounts) GrantRole(ctx context.Context, userID, role string) error {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(ctx, userID); err != nil {
			return err
		}
		if err := tx.GrantRole(userID, role); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{Action: "member.role_granted", Target: userID, Status: "ok", Detail: map[string]any{"role": role}}))
	})
	return core.NoMember(err, userID)
}

// RevokeRole takes a role back and ends the member's sessions at the console.
func (a *Accounts) RevokeRole(ctx context.Context, userID, role string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		had, err := tx.RevokeRole(userID, role)
		if err != nil {
			return err
		}
		if !had {
			return errs.Newf(errs.NotFound, "%s is no %s. `stoa member list` shows who has which role.", userID, role)
		}
		if err := tx.EndConsoleSessionsOf(userID); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{Action: "member.role_revoked", Target: userID, Status: "ok", Detail: map[string]any{"role": role}}))
	})
}

// RoleHolders lists who has which roles.
func (a *Accounts) RoleHolders(ctx context.Context) (map[string][]string, error) {
	return a.Store.RoleHolders(ctx)
}

// ConsoleLogin signs somebody with a role in at the console. Whether a password was wrong or there is no role is not told.
func (a *Accounts) ConsoleLogin(ctx context.Context, c core.Caller, in ConsoleLoginInput) (token string, err error) {
	if err := a.checkConsolePassword(ctx, c, in.UserID, in.Password); err != nil {
		return "", err
	}
	token = account.NewToken()
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		return admitToConsole(ctx, tx, c, in.UserID, token, 0)
	})
	return token, err
}

// admitToConsole begins a session of somebody with a role, who may decide until confirmedUntil in µs.
func admitToConsole(ctx context.Context, tx *store.Tx, c core.Caller, userID, token string, confirmedUntil int64) error {
	roles, err := tx.Roles(ctx, userID)
	if err != nil {
		return err
	}
	if len(roles) == 0 {
		return errWrong
	}
	now := clock.Micros(tx.Now)
	if err := tx.AddConsoleSession(memberdb.ConsoleSession{
		TokenHash: account.TokenHash(token), UserID: userID, CreatedAt: now, SeenAt: now, ExpiresAt: clock.Micros(tx.Now.Add(ConsoleIdle)),
		EndsAt: clock.Micros(tx.Now.Add(ConsoleMax)), ConfirmedUntil: confirmedUntil, Address: c.Remote, Agent: c.Agent,
	}); err != nil {
		return err
	}
	if _, err := tx.DropConsoleSessions(now, 100); err != nil {
		return err
	}
	for _, source := range c.Sources() {
		if err := tx.RememberSource(userID, source, core.SourcesKept); err != nil {
			return err
		}
	}
	c.UserID = userID
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Action: "console.signed_in", Target: userID, Status: "ok", Detail: map[string]any{"address": c.Remote, "agent": c.Agent}}))
}

// checkConsolePassword counts the attempt before it looks at the password. Guesses at a member's password count together with those
// that are made where members sign in: it is the same password.
func (a *Accounts) checkConsolePassword(ctx context.Context, c core.Caller, userID, password string) error {
	known, spent, err := a.checkPasswordOf(ctx, c, userID, password, loginBudgets(c, "console\x1f"+userID))
	if err != nil {
		return err
	}
	if known.Disabled {
		return errWrong
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := a.restartBudget(tx, spent[0]); err != nil {
			return err
		}
		return a.returnAttempts(tx, spent[1:]...)
	})
}

// IdentifyConsole finds out who holds a token of the console; unauthorized for nobody.
func (a *Accounts) IdentifyConsole(ctx context.Context, token string) (ConsoleUser, error) {
	none := errs.New(errs.Unauthorized, "Sign in to the console first.")
	if token == "" {
		return ConsoleUser{}, none
	}
	hash := account.TokenHash(token)
	s, err := a.Store.ConsoleSession(ctx, hash)
	if errors.Is(err, sqldb.ErrNotFound) {
		return ConsoleUser{}, none
	}
	if err != nil {
		return ConsoleUser{}, err
	}
	now := clock.Micros(a.Clock())
	roles, err := a.Store.Roles(ctx, s.UserID)
	if err != nil {
		return ConsoleUser{}, err
	}
	if now >= s.ExpiresAt || now >= s.EndsAt || len(roles) == 0 {
		return ConsoleUser{}, none
	}
	if now-s.SeenAt > consoleTouch.Microseconds() {
		s.ExpiresAt = min(now+ConsoleIdle.Microseconds(), s.EndsAt)
		if err := a.Store.Write(ctx, func(tx *store.Tx) error { return tx.TouchConsoleSession(hash, now, s.ExpiresAt) }); err != nil {
			return ConsoleUser{}, err
		}
	}
	out := ConsoleUser{UserID: s.UserID, Roles: roles, ExpiresAt: clock.Text(clock.FromMicros(s.ExpiresAt)), token: hash, confirmed: now < s.ConfirmedUntil}
	if out.confirmed {
		out.ConfirmedUntil = clock.Text(clock.FromMicros(s.ConfirmedUntil))
	}
	return out, nil
}

// ConfirmConsole is the second step of signing in: with the password again, decisions are free for a while.
func (a *Accounts) ConfirmConsole(ctx context.Context, c core.Caller, u ConsoleUser, password string) error {
	if err := a.checkConsolePassword(ctx, c, u.UserID, password); err != nil {
		return err
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error { return confirmedAtConsole(tx, c, u) })
}

func confirmedAtConsole(tx *store.Tx, c core.Caller, u ConsoleUser) error {
	if err := tx.ConfirmConsoleSession(u.token, clock.Micros(tx.Now.Add(ConsoleConfirm))); err != nil {
		return err
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Action: "console.confirmed", Target: u.UserID, Status: "ok"}))
}

// ConsoleLogout ends a session at the console.
func (a *Accounts) ConsoleLogout(ctx context.Context, c core.Caller, u ConsoleUser) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.EndConsoleSession(u.token); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Action: "console.signed_out", Target: u.UserID, Status: "ok"}))
	})
}

// Act is something that somebody in charge did.
type Act struct {
	ID     string `json:"id"`
	At     string `json:"at"`
	Actor  string `json:"actor"`
	Action string `json:"action"`
	ItemID string `json:"item_id"`
	Target string `json:"target"`
	Detail string `json:"detail"`
}

// Acts lists what people in charge did, newest first, after a given one.
func (a *Accounts) Acts(ctx context.Context, after string, limit int) ([]Act, error) {
	events, err := a.Store.Acts(ctx, after, limit)
	acts := make([]Act, 0, len(events))
	for _, e := range events {
		acts = append(acts, Act{e.EventID, clock.Text(clock.FromMicros(e.At)), e.Actor, e.Action, e.ItemID, e.TargetID, e.Detail})
	}
	return acts, err
}
