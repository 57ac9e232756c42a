package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
)

// QuotaKind names one of the things of which a member may have, or do, only so many.
type QuotaKind string

// What a member keeps.
const (
	QuotaDrafts       QuotaKind = "drafts"
	QuotaDraftBytes   QuotaKind = "draft_bytes"
	QuotaPending      QuotaKind = "pending_submissions"
	QuotaPackageBytes QuotaKind = "package_bytes"
	QuotaNotes        QuotaKind = "notes"
	QuotaNoteBytes    QuotaKind = "note_bytes"
	QuotaNoteSections QuotaKind = "note_sections"
	QuotaSessions     QuotaKind = "sessions"
)

// What a member does on one UTC day.
const (
	QuotaImports       QuotaKind = "imports"
	QuotaSubmissions   QuotaKind = "submissions"
	QuotaInstalls      QuotaKind = "installs"
	QuotaStudySessions QuotaKind = "study_sessions"
	QuotaObservations  QuotaKind = "observations"
	QuotaTutorReplies  QuotaKind = "tutor_replies"
	QuotaModelCalls    QuotaKind = "model_calls"
	QuotaEmbedderCalls QuotaKind = "embedder_calls"
	QuotaTrialMessages QuotaKind = "trial_messages"
	QuotaTrialRelays   QuotaKind = "trial_relays"
	QuotaSnapshots     QuotaKind = "quality_snapshots"
	QuotaPlanChecks    QuotaKind = "plan_checks"
	QuotaVerifications QuotaKind = "verifications"
	QuotaRemediations  QuotaKind = "remediations"
	QuotaRatings       QuotaKind = "ratings"
)

// What a member writes in any way, on this node.
const (
	QuotaWrites     QuotaKind = "writes"
	QuotaWriteBytes QuotaKind = "write_bytes"
)

// Quotas are limits by kind. A kind that is missing has its default, and NoQuota is no bound.
type Quotas map[QuotaKind]int64

// NoQuota is the limit of what has none.
const NoQuota = -1

// QuotaRule says how a kind is counted and what the limit is without a setting.
type QuotaRule struct {
	Kind   QuotaKind
	Period string // stored, day or hour
	Unit   string // count or bytes
	limit  int64
}

const (
	perStored = "stored"
	perDay    = "day"
	perHour   = "hour"
	inCount   = "count"
	inBytes   = "bytes"
)

// QuotaRules lists every kind, in the order in which it is shown.
var QuotaRules = []QuotaRule{
	{QuotaDrafts, perStored, inCount, 100},
	{QuotaDraftBytes, perStored, inBytes, 512 << 20},
	{QuotaPending, perStored, inCount, 1000},
	{QuotaPackageBytes, perStored, inBytes, 1 << 30},
	{QuotaNotes, perStored, inCount, 20_000},
	{QuotaNoteBytes, perStored, inBytes, 64 << 20},
	{QuotaNoteSections, perStored, inCount, 50_000},
	{QuotaSessions, perStored, inCount, 50},
	{QuotaImports, perDay, inCount, 300},
	{QuotaSubmissions, perDay, inCount, 2000},
	{QuotaInstalls, perDay, inCount, 1000},
	{QuotaStudySessions, perDay, inCount, 500},
	{QuotaObservations, perDay, inCount, 10_000},
	{QuotaTutorReplies, perDay, inCount, 2000},
	{QuotaModelCalls, perDay, inCount, 300},
	{QuotaEmbedderCalls, perDay, inCount, 3000},
	{QuotaTrialMessages, perDay, inCount, 100},
	{QuotaTrialRelays, perDay, inCount, 500},
	{QuotaSnapshots, perDay, inCount, 500},
	{QuotaPlanChecks, perDay, inCount, 1000},
	{QuotaVerifications, perDay, inCount, 2000},
	{QuotaRemediations, perDay, inCount, 1000},
	{QuotaRatings, perDay, inCount, 200},
	{QuotaWrites, perHour, inCount, 3600},
	{QuotaWriteBytes, perDay, inBytes, 512 << 20},
}

// DefaultQuotas returns the limits that hold without settings.
func DefaultQuotas() Quotas {
	q := Quotas{}
	for _, rule := range QuotaRules {
		q[rule.Kind] = rule.limit
	}
	return q
}

// QuotaOf returns a member's limit of a kind, which is that of the server where none was set for them; bounded is false when
// there is none.
func (a *Core) QuotaOf(ctx context.Context, q store.Queries, userID string, kind QuotaKind) (limit int64, bounded bool, err error) {
	own, err := q.MemberQuotas(ctx, userID)
	if err != nil {
		return 0, false, err
	}
	limit, set := own[string(kind)]
	if !set {
		limit = a.Quotas[kind]
	}
	return limit, limit >= 0, nil
}

// CheckQuota refuses when a member would then keep more of a kind than the limit. Nothing is refused that adds nothing.
func (a *Core) CheckQuota(ctx context.Context, q store.Queries, userID string, kind QuotaKind, kept, added int64) error {
	if added <= 0 {
		return nil
	}
	limit, bounded, err := a.QuotaOf(ctx, q, userID, kind)
	if err != nil || !bounded || kept+added <= limit {
		return err
	}
	return errs.Newf(errs.QuotaExceeded, "That would be more than you may keep here (%s: %s of %s used). Delete something first, or ask whoever runs the server.",
		kind, amount(kind, kept), amount(kind, limit)).With("kind", string(kind)).With("used", kept).With("limit", limit)
}

// UseQuota counts n of a kind against what a member may do today, in the transaction that does it.
func (a *Core) UseQuota(tx *store.Tx, userID string, kind QuotaKind, n int64) error {
	if userID == SharedOwner || n == 0 {
		return nil
	}
	limit, bounded, err := a.QuotaOf(tx.Context(), tx.Queries, userID, kind)
	if err != nil {
		return err
	}
	used, err := tx.Use(userID, string(kind), n)
	if err != nil || !bounded || used <= limit {
		return err
	}
	return a.usedUp(kind, used-n, limit, UntilTomorrow(tx.Now))
}

func (a *Core) usedUp(kind QuotaKind, used, limit int64, wait time.Duration) error {
	e := errs.Newf(errs.RateLimited, "That is as much as one member may do for now (%s: %s of %s). Try again later, or ask whoever runs the server.",
		kind, amount(kind, used), amount(kind, limit)).With("kind", string(kind)).With("used", used).With("limit", limit)
	e.RetryAfter = max(wait, time.Second)
	return e
}

// UntilTomorrow is how long the UTC day still lasts.
func UntilTomorrow(now time.Time) time.Duration {
	return time.Unix((memberdb.Day(now)+1)*86400, 0).Sub(now)
}

// QuotaNote is in the trace of a reply that the rule engine gave because the member's calls of models are used up.
const QuotaNote = "model_calls_used_up"

// TakeModelCall counts one call of a language model or of an embedder elsewhere, which cost money, and reports whether the
// member has one left today. When that cannot be written down the call is not made.
func (a *Core) TakeModelCall(ctx context.Context, userID string, kind QuotaKind) bool {
	if userID == SharedOwner {
		return true
	}
	err := a.Store.Write(ctx, func(tx *store.Tx) error { return a.UseQuota(tx, userID, kind, 1) })
	if e, ours := errs.As(err); err != nil && (!ours || e.Code != errs.RateLimited) && !errors.Is(err, context.Canceled) {
		a.Log.Error("quotas: a call of a model could not be counted and is not made", "error", err)
	}
	return err == nil
}

// MayAsk refuses a question to the tutor before a model is asked whose reply could not be kept.
func (a *Core) MayAsk(ctx context.Context, userID string) error {
	limit, bounded, err := a.QuotaOf(ctx, a.Store.Queries, userID, QuotaTutorReplies)
	if err != nil || !bounded {
		return err
	}
	now := a.Clock()
	used, err := a.Store.Used(ctx, userID, memberdb.Day(now))
	if n := used[string(QuotaTutorReplies)]; err == nil && n >= limit {
		err = a.usedUp(QuotaTutorReplies, n, limit, UntilTomorrow(now))
	}
	return err
}

// filled returns the limits with the defaults where there is no setting.
func (q Quotas) filled() Quotas {
	all := DefaultQuotas()
	maps.Copy(all, q)
	return all
}

// amount writes a number of a kind for a message.
func amount(kind QuotaKind, n int64) string {
	for _, rule := range QuotaRules {
		if rule.Kind == kind && rule.Unit == inBytes {
			return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
		}
	}
	return fmt.Sprint(n)
}
