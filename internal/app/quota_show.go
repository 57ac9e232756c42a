package app

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// QuotaUse is how much of one kind a member has used.
type QuotaUse struct {
	Kind   core.QuotaKind `json:"kind"`
	Period string         `json:"period"`
	Unit   string         `json:"unit"`
	Used   int64          `json:"used"`
	Limit  *int64         `json:"limit"` // null is no bound
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
	used, err := a.Store.Used(ctx, userID, store.Day(now))
	if err != nil {
		return MemberQuotas{}, err
	}
	kept, err := a.Store.Holdings(ctx, userID)
	if err != nil {
		return MemberQuotas{}, err
	}
	notes, err := a.NotesKept(ctx, userID)
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
		if limit, bounded := a.Quota(rule.Kind); bounded {
			use.Limit = &limit
		}
		if rule.Kind == core.QuotaModelCalls {
			use.Cost = float64(use.Used) * a.ModelCallPrice
		}
		out.Quotas = append(out.Quotas, use)
	}
	return out, nil
}
