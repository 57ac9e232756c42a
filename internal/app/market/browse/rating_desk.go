package browse

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/ranking"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// reportedMost bounds the list of reported ratings.
const reportedMost = 500

// ReportedRating is a rating that somebody reported, with the first report.
type ReportedRating struct {
	RatingView
	ItemID     string `json:"item_id"`
	ReportedBy string `json:"reported_by"`
	Reason     string `json:"reason"`
	ReportedAt string `json:"reported_at"`
	Reports    int    `json:"reports"`
}

// ReportedRatings lists the ratings that were reported and not decided about, the longest waiting first.
func (a *Service) ReportedRatings(ctx context.Context) ([]ReportedRating, error) {
	rows, err := a.Store.ReportedRatings(ctx, reportedMost)
	all := make([]ReportedRating, 0, len(rows))
	for _, r := range rows {
		all = append(all, ReportedRating{ratingView(r.Rating), r.ItemID, r.ReportedBy, r.Reason, clock.Text(clock.FromMicros(r.ReportedAt)), r.Reports})
	}
	return all, err
}

// DecideRating hides a rating, with a note for who wrote it, or shows it again, and ends the reports on it.
func (a *Service) DecideRating(ctx context.Context, id string, hide bool, note string) error {
	if hide && note == "" {
		return errs.Invalid("note", "must say why: who wrote it reads it")
	}
	var counts ranking.Counts
	var seq int64
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := tx.Rating(ctx, id)
		if err != nil {
			return err
		}
		seq = r.Seq
		itemID, kind, owner, err := tx.ItemName(ctx, seq)
		if err != nil {
			return err
		}
		if by := core.Acting(ctx); by != core.Operator && (by.UserID == r.UserID || by.UserID == owner) {
			return errs.New(errs.PermissionDenied, "Nobody decides about a rating of their own, or of an item of their own.")
		}
		if counts, err = tx.HideRating(r, hide); err != nil {
			return err
		}
		action := "rating.kept"
		if hide {
			action = "rating.hidden"
			if err := core.Notify(tx, r.UserID, core.ToldHidden, core.About{ItemID: itemID, Kind: kind}, "What you said of %s was hidden. The note says: %s", itemID, note); err != nil {
				return err
			}
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{
			Owner: r.UserID, Action: action, Kind: kind, ItemID: itemID, Target: id, Status: "ok", Detail: map[string]any{"note": note},
		}))
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.New(errs.NotFound, "There is no such rating.")
	}
	if err == nil {
		a.Cache.setRanking(seq, counts)
	}
	return err
}

// ratingUndo is how long a removed rating can be brought back.
const ratingUndo = 24 * time.Hour

// RankingsEvery is how often the rankings are counted.
const RankingsEvery = time.Hour

// countedAtOnce is how many items one transaction counts the ranking of.
const countedAtOnce = 100

// CountRankings counts again what the ranking of every item is made of: installations grow old enough, members are vouched for
// or shut out, and accounts are erased. Ratings that were removed more than a day ago go.
func (a *Service) CountRankings(ctx context.Context) error {
	_, err := a.RunExclusive(ctx, core.JobRankings, func(d *core.Job) error {
		err := core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.SweepRatings(clock.Micros(tx.Now.Add(-ratingUndo)), core.SweepBatch)
		})
		for after := int64(0); err == nil; {
			var seqs []int64
			if seqs, err = a.Store.ToCount(ctx, after, countedAtOnce); err != nil || len(seqs) == 0 {
				return err
			}
			after = seqs[len(seqs)-1]
			counted := map[int64]ranking.Counts{}
			err = d.Write(ctx, func(tx *store.Tx) error {
				for _, seq := range seqs {
					counts, err := tx.CountRanking(seq, clock.Micros(tx.Now.Add(-ratingKept)))
					if err != nil {
						return err
					}
					counted[seq] = counts
				}
				return nil
			})
			if err == nil {
				for seq, counts := range counted {
					a.Cache.setRanking(seq, counts)
				}
			}
		}
		return err
	})
	return err
}
