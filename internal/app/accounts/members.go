package accounts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// SignInLinkTTL is how long a one-time sign-in link is valid.
const SignInLinkTTL = 10 * time.Minute

// MemberLine is a member as the operator sees them.
type MemberLine struct {
	UserID    string `json:"user_id"`
	Disabled  bool   `json:"disabled"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
	// Vouched says that whoever runs the server vouches for the member.
	Vouched bool `json:"vouched"`
	// Note says what is odd about the account or its id, "" for nothing.
	Note string `json:"note,omitempty"`
}

// noteOn says what is odd about an account: that it is deleted or will be, or what a new member with the id would be refused
// for.
func noteOn(m memberdb.Account) string {
	switch {
	case m.ErasedAt > 0:
		return noteDeleted
	case m.EraseAt > 0:
		return "to be deleted at " + clock.Text(clock.FromMicros(m.EraseAt))
	}
	return noteOnID(m.UserID)
}

// noteDeleted marks the id of a deleted account, which nobody gets again.
const noteDeleted = "deleted"

// noteOnID says what a new member with the id would be refused for.
func noteOnID(userID string) string {
	switch {
	case !account.ValidID(userID):
		return "from before the rule for ids"
	case account.ReservedID(userID):
		return "reserved today"
	}
	return ""
}

// AddMember makes an account.
func (a *Accounts) AddMember(ctx context.Context, userID, password string) error {
	if !account.ValidID(userID) {
		return errs.Invalid("user_id", account.ErrID.Error())
	}
	if account.ReservedID(userID) || a.anonymous(userID) {
		return errs.Invalid("user_id", "is reserved: it would pass for the server, its operator or nobody")
	}
	switch other, err := a.Store.Lookalike(ctx, userID); {
	case err == nil && other != userID:
		return errs.Newf(errs.UserIDTaken, "%s could be taken for %s, who is a member already.", userID, other)
	case err != nil && !errors.Is(err, sqldb.ErrNotFound):
		return err
	}
	switch _, err := a.Store.Mirror(ctx, userID); {
	case err == nil:
		return errs.Newf(errs.UserIDTaken, "%s is the name of a mirror, whose items have it before their names.", userID)
	case !errors.Is(err, sqldb.ErrNotFound):
		return err
	}
	hash, err := a.passwordHash(ctx, userID, password)
	if err != nil {
		return err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddAccount(userID, hash); err != nil {
			return err
		}
		if err := tx.SetVouched(userID, true); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Action: "member.added", Target: userID, Status: "ok"}))
	})
	if errors.Is(err, sqldb.ErrConflict) {
		return errs.Newf(errs.UserIDTaken, "There is a member %s already.", userID)
	}
	return err
}

// SetMemberPassword replaces a password and signs the member out everywhere.
func (a *Accounts) SetMemberPassword(ctx context.Context, userID, password string) error {
	hash, err := a.passwordHash(ctx, userID, password)
	if err != nil {
		return err
	}
	return a.changeMember(ctx, userID, "member.password_set", func(tx *store.Tx) error {
		if err := tx.ForgetSources(userID); err != nil {
			return err
		}
		return tx.SetPassword(userID, hash)
	})
}

// SetMemberDisabled shuts a member out, signing them out everywhere, or lets them in again.
func (a *Accounts) SetMemberDisabled(ctx context.Context, userID string, disabled bool) error {
	action := "member.enabled"
	if disabled {
		action = "member.disabled"
	}
	return a.changeMember(ctx, userID, action, func(tx *store.Tx) error { return tx.SetDisabled(userID, disabled) })
}

// SetMemberVouched says whether whoever runs the server vouches that a member is a person of their own, whose word counts for the
// order of the catalog.
func (a *Accounts) SetMemberVouched(ctx context.Context, userID string, vouched bool) error {
	action := "member.unvouched"
	if vouched {
		action = "member.vouched"
	}
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetVouched(userID, vouched); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Action: action, Target: userID, Status: "ok"}))
	})
	return core.NoMember(err, userID)
}

func (a *Accounts) changeMember(ctx context.Context, userID, action string, change func(*store.Tx) error) error {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		if err := tx.EndSessionsOf(userID); err != nil {
			return err
		}
		if err := endPrograms(tx, userID); err != nil {
			return err
		}
		if err := tx.RemovePasskeysOf(userID); err != nil { // whoever must be kept out may have added one
			return err
		}
		if err := tx.RemoveTrustedPublishersOf(userID); err != nil { // or this
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Action: action, Target: userID, Status: "ok"}))
	})
	return core.NoMember(err, userID)
}

func (a *Accounts) passwordHash(ctx context.Context, userID, password string) (string, error) {
	if err := checkPassword(password, userID); err != nil {
		return "", err
	}
	return a.hasher.Hash(ctx, "", password)
}

// checkPassword refuses a new password that is too short, too long or easy to guess.
func checkPassword(password, userID string) error {
	if len(password) < account.MinPasswordLength || len(password) > account.MaxPasswordLength {
		return errs.Invalid("password", "must have 12 to 1024 characters")
	}
	if problem := account.Weak(password, userID, "stoa"); problem != "" {
		return errs.Invalid("password", problem)
	}
	return nil
}

// Members lists the members by id, after a given one.
func (a *Accounts) Members(ctx context.Context, after string, limit int) ([]MemberLine, error) {
	accounts, err := a.Store.Accounts(ctx, after, limit)
	lines := make([]MemberLine, 0, len(accounts))
	for _, m := range accounts {
		lines = append(lines, MemberLine{
			UserID: m.UserID, Disabled: m.Disabled, CreatedAt: clock.Text(clock.FromMicros(m.CreatedAt)), UpdatedAt: clock.Text(clock.FromMicros(m.UpdatedAt)), Vouched: m.Vouched, Note: noteOn(m),
		})
	}
	return lines, err
}

const (
	memberBatch = 1000 // members that are read at a time
	notedShown  = 20   // odd ids that the doctor names
)

// ExamineMembers marks ids that a new member would be refused, and an anonymous member that is somebody.
func (a *Accounts) ExamineMembers(ctx context.Context) ([]core.Finding, error) {
	var odd []string
	all, n, after := 0, 0, ""
	for {
		batch, err := a.Members(ctx, after, memberBatch)
		if err != nil {
			return nil, err
		}
		for _, m := range batch {
			after = m.UserID
			note := noteOnID(m.UserID)
			if all++; note == "" {
				continue
			}
			if n++; n <= notedShown {
				odd = append(odd, fmt.Sprintf("%s (%s)", m.UserID, note))
			}
		}
		if len(batch) < memberBatch {
			break
		}
	}
	ids := core.Finding{Check: "member_ids", OK: true, Detail: fmt.Sprintf("%d members", all)}
	if n > 0 {
		ids.Detail = fmt.Sprintf("%d of %d members have ids that nobody is given today; they keep working: %s", n, all, strings.Join(odd, ", "))
	}
	if !a.AllowAnonymousMember {
		return []core.Finding{ids}, nil
	}
	anonymous, err := anonymousFinding(ctx, a.Store.Queries, math.MaxInt64, a.AnonymousMemberUserID, a.DefaultUserID)
	return []core.Finding{ids, anonymous}, err
}

// FirstMember makes the default member in an empty database and answers what it signs in with; both
// answers are "" when there was a member already.
func (a *Accounts) FirstMember(ctx context.Context) (password, linkToken string, err error) {
	there, err := a.Store.AnyAccount(ctx)
	if err != nil || there {
		return "", "", err
	}
	password, linkToken = account.NewPassword(), account.NewToken()
	hash, err := a.hasher.Hash(ctx, "", password)
	if err != nil {
		return "", "", err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddAccount(a.DefaultUserID, hash); err != nil {
			return err
		}
		if err := tx.SetVouched(a.DefaultUserID, true); err != nil {
			return err
		}
		if err := tx.AddSignInLink(account.TokenHash(linkToken), a.DefaultUserID, clock.Micros(tx.Now.Add(SignInLinkTTL))); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{Action: "member.added", Target: a.DefaultUserID, Status: "ok"}))
	})
	if errors.Is(err, sqldb.ErrConflict) {
		return "", "", nil // another node was first
	}
	return password, linkToken, err
}

// SignInLink makes a one-time link token for a member who cannot sign in otherwise, valid for SignInLinkTTL.
func (a *Accounts) SignInLink(ctx context.Context, userID string) (token string, err error) {
	token = account.NewToken()
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		known, err := tx.Account(ctx, userID)
		if err != nil {
			return err
		}
		if known.ErasedAt > 0 {
			return sqldb.ErrNotFound
		}
		if known.Disabled {
			return errs.Newf(errs.PermissionDenied, "%s is disabled. `stoa member enable %s` lets them in again.", userID, userID)
		}
		if err := tx.AddSignInLink(account.TokenHash(token), userID, clock.Micros(tx.Now.Add(SignInLinkTTL))); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Action: "member.sign_in_link", Target: userID, Status: "ok"}))
	})
	return token, core.NoMember(err, userID)
}
