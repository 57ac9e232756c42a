package accounts

import (
	"context"
	"fmt"
	"math"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/store"
)

// anonymous reports whether an id is that of the anonymous member, as whom everybody acts. Nobody signs in as it.
func (a *Accounts) anonymous(userID string) bool {
	return a.AllowAnonymousMember && userID == a.AnonymousMemberUserID
}

// CheckAnonymousMember refuses an anonymous member that is somebody: an id that can sign in, owns anything or is the
// first account's.
func (a *Accounts) CheckAnonymousMember(ctx context.Context) error {
	if !a.AllowAnonymousMember || !a.AuthRequired {
		return nil
	}
	f, err := anonymousFinding(ctx, a.Store.Queries, math.MaxInt64, a.AnonymousMemberUserID, a.DefaultUserID)
	if err == nil && !f.OK {
		err = fmt.Errorf("%s. %s", f.Detail, f.Fix)
	}
	return err
}

// AnonymousUpgrade says as whom visitors will act after an upgrade. Until version 18 of the schema the default was the
// first account.
func AnonymousUpgrade(ctx context.Context, s *store.Store, v store.Schema, c core.Config) (core.Finding, error) {
	id, defaultID := c.AnonymousMemberUserID, c.DefaultUserID
	if id == "" {
		id = account.AnonymousID
	}
	if defaultID == "" {
		defaultID = core.DefaultUserID
	}
	f, err := anonymousFinding(ctx, s.Queries, v.Current, id, defaultID)
	if f.OK && v.Current < 18 {
		f.Detail += "; what they left under " + defaultID + " until now stays that member's"
	}
	return f, err
}

// anonymousFinding says whether everybody may act as an id.
func anonymousFinding(ctx context.Context, q store.Queries, schema int64, id, defaultID string) (core.Finding, error) {
	const check = "anonymous_member"
	other := "Name another id with --anonymous-member-user-id (STOA_ANONYMOUS_MEMBER_USER_ID), such as " + account.AnonymousID + "-visitor, or leave the setting out"
	if id == account.AnonymousID {
		other = "Name another id with --anonymous-member-user-id (STOA_ANONYMOUS_MEMBER_USER_ID), such as " + account.AnonymousID + "-visitor"
	}
	switch id {
	case defaultID:
		return core.Finding{Check: check, OK: false, Detail: fmt.Sprintf("The anonymous member must not be %s, whom a sign-in without a name means", id), Fix: other}, nil
	case core.Operator.UserID:
		return core.Finding{Check: check, OK: false, Detail: fmt.Sprintf("The anonymous member must not be %s, as whom the audit log knows the command line", id), Fix: other}, nil
	}
	uses, err := q.UsesOf(ctx, id, schema)
	if err != nil || len(uses) == 0 {
		return core.Finding{Check: check, OK: err == nil, Detail: "visitors act as " + id + ", which is nobody's"}, err
	}
	return core.Finding{Check: check, OK: false, Detail: fmt.Sprintf("The anonymous member must not be %s: in this store that id has %s, and every visitor would act as it", id, strings.Join(uses, ", ")), Fix: other}, nil
}
