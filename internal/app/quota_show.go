package app

import (
	"context"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
)

// QuotaUse is how much of one kind a member has used.
type QuotaUse struct {
	Kind   core.QuotaKind `json:"kind"`
	Period string         `json:"period"`
	Unit   string         `json:"unit"`
	Used   int64          `json:"used"`
	Limit  *int64         `json:"limit"` // null is no bound
	Own    bool           `json:"own"`   // the limit was set for this member
	// Cost is what today's use costs at the price that the operator has set; 0 without one.
	Cost float64 `json:"cost,omitempty"`
}

// MemberQuotas are a member's quotas.
type MemberQuotas struct {
	UserID   string     `json:"user_id"`
	ResetsAt string     `json:"resets_at"` // the end of the UTC day
	Quotas   []QuotaUse `json:"quotas"`
}

// GetMemberQuotas answers how much the caller has used of what one member may keep and do.
func (a *App) GetMemberQuotas(ctx context.Context, c core.Caller, in core.OwnInput) (MemberQuotas, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return MemberQuotas{}, err
	}
	now := a.Clock()
	used, err := a.Store.Used(ctx, userID, memberdb.Day(now))
	if err != nil {
		return MemberQuotas{}, err
	}
	kept, err := a.Store.Holdings(ctx, userID)
	if err != nil {
		return MemberQuotas{}, err
	}
	home, err := a.homeOf(ctx, userID)
	if err != nil {
		return MemberQuotas{}, err
	}
	if home != a { // each kind is counted in one of the two
		learned, err := home.Store.Used(ctx, userID, memberdb.Day(now))
		if err != nil {
			return MemberQuotas{}, err
		}
		for kind, n := range learned {
			used[kind] = max(used[kind], n)
		}
	}
	notes, err := home.NotesKept(ctx, userID)
	if err != nil {
		return MemberQuotas{}, err
	}
	own, err := a.Store.MemberQuotas(ctx, userID)
	if err != nil {
		return MemberQuotas{}, err
	}
	writes, writeBytes := a.Budgets.Used(userID, now)
	amounts := map[core.QuotaKind]int64{
		core.QuotaDrafts: kept.Drafts, core.QuotaDraftBytes: kept.DraftBytes, core.QuotaPending: kept.Pending, core.QuotaPackageBytes: kept.PackageBytes, core.QuotaSessions: kept.Sessions,
		core.QuotaNotes: notes.Notes, core.QuotaNoteBytes: notes.Bytes, core.QuotaNoteSections: notes.Sections,
		core.QuotaWrites: writes, core.QuotaWriteBytes: writeBytes,
	}
	out := MemberQuotas{UserID: userID, ResetsAt: clock.Text(now.Add(core.UntilTomorrow(now)))}
	for _, rule := range core.QuotaRules {
		use := QuotaUse{Kind: rule.Kind, Period: rule.Period, Unit: rule.Unit, Used: amounts[rule.Kind]}
		if n, counted := used[string(rule.Kind)]; counted {
			use.Used = n
		}
		limit, set := own[string(rule.Kind)]
		if use.Own = set; !set {
			limit = a.Quotas[rule.Kind]
		}
		if limit >= 0 {
			use.Limit = &limit
		}
		if rule.Kind == core.QuotaModelCalls {
			use.Cost = float64(use.Used) * a.ModelCallPrice
		}
		out.Quotas = append(out.Quotas, use)
	}
	return out, nil
}

// SetMemberQuota sets a member's limit of a kind, in place of the server's: -1 is no bound, and nil is the server's again. Those
// of the hour are counted in the memory of each process, and are the same for everybody.
func (a *App) SetMemberQuota(ctx context.Context, userID string, kind core.QuotaKind, most *int64) error {
	at := slices.IndexFunc(core.QuotaRules, func(rule core.QuotaRule) bool { return rule.Kind == kind })
	if at < 0 || kind == core.QuotaWrites || kind == core.QuotaWriteBytes {
		return errs.Invalid("kind", "is no limit that can be set for one member")
	}
	if most != nil && *most < core.NoQuota {
		return errs.Invalid("limit", "must be -1 for no bound, or a number from 0 on")
	}
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(ctx, userID); err != nil {
			return err
		}
		detail := map[string]any{"kind": string(kind), "limit": nil}
		if most == nil {
			if err := tx.DropMemberQuota(userID, string(kind)); err != nil {
				return err
			}
		} else {
			detail["limit"] = *most
			if err := tx.SetMemberQuota(userID, string(kind), *most); err != nil {
				return err
			}
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Action: "member.quota_set", Target: userID, Status: "ok", Detail: detail}))
	})
	if err != nil {
		return core.NoMember(err, userID)
	}
	return a.copyQuotas(ctx, userID)
}
