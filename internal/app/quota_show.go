package app

import (
	"context"
	"fmt"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// QuotaUse is how much of one kind a member has used.
type QuotaUse struct {
	Kind   QuotaKind `json:"kind"`
	Period string    `json:"period"`
	Unit   string    `json:"unit"`
	Used   int64     `json:"used"`
	Limit  *int64    `json:"limit"` // null is no bound
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
func (a *App) GetMemberQuotas(ctx context.Context, c Caller, in OwnInput) (MemberQuotas, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return MemberQuotas{}, err
	}
	now := a.clock()
	used, err := a.store.Used(ctx, userID, store.Day(now))
	if err != nil {
		return MemberQuotas{}, err
	}
	kept, err := a.store.Holdings(ctx, userID)
	if err != nil {
		return MemberQuotas{}, err
	}
	notes, err := a.notes.of(userID).read(ctx)
	if err != nil {
		return MemberQuotas{}, err
	}
	writes, writeBytes := a.budgets.used(userID, now)
	amounts := map[QuotaKind]int64{
		QuotaDrafts: kept.Drafts, QuotaDraftBytes: kept.DraftBytes, QuotaPending: kept.Pending, QuotaPackageBytes: kept.PackageBytes, QuotaSessions: kept.Sessions,
		QuotaNotes: int64(notes.notes), QuotaNoteBytes: int64(notes.bytes), QuotaWrites: writes, QuotaWriteBytes: writeBytes,
	}
	out := MemberQuotas{UserID: userID, ResetsAt: clock.Text(now.Add(untilTomorrow(now)))}
	for _, rule := range quotaRules {
		use := QuotaUse{Kind: rule.kind, Period: rule.period, Unit: rule.unit, Used: amounts[rule.kind]}
		if n, counted := used[string(rule.kind)]; counted {
			use.Used = n
		}
		if limit, bounded := a.quota(rule.kind); bounded {
			use.Limit = &limit
		}
		if rule.kind == QuotaModelCalls {
			use.Cost = float64(use.Used) * a.ModelCallPrice
		}
		out.Quotas = append(out.Quotas, use)
	}
	return out, nil
}

// amount writes a number of a kind for a message.
func amount(kind QuotaKind, n int64) string {
	for _, rule := range quotaRules {
		if rule.kind == kind && rule.unit == inBytes {
			return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
		}
	}
	return fmt.Sprint(n)
}
