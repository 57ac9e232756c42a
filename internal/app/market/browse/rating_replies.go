package browse

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// AnswerInput is what an item's owner says to a rating; without a text the answer is taken back.
type AnswerInput struct {
	UserID   string `json:"user_id"`
	ItemID   string `json:"item_id"`
	RatingID string `json:"rating_id"`
	Text     string `json:"text"`
}

// RatingAnswer is what an item's owner said to a rating.
type RatingAnswer struct {
	RatingID   string `json:"rating_id"`
	Answer     string `json:"answer"`
	AnsweredAt string `json:"answered_at"` // "" when it was taken back
}

// AnswerRating answers a rating of an item that is the caller's.
func (a *Service) AnswerRating(ctx context.Context, c core.Caller, in AnswerInput) (RatingAnswer, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RatingAnswer{}, err
	}
	c = c.As(userID)
	if in.Text, err = RatingText("text", in.Text, longestAnswer); err != nil {
		return RatingAnswer{}, err
	}
	e, kind, err := a.rated(ctx, c, in.ItemID)
	if err != nil {
		return RatingAnswer{}, err
	}
	if e.Owner != userID {
		return RatingAnswer{}, core.ErrNotYours
	}
	var out marketdb.Rating
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := seenRating(ctx, tx.Queries, in.RatingID, e.Seq)
		if err != nil {
			return err
		}
		if err := a.UseQuota(tx, userID, core.QuotaRatings, 1); err != nil {
			return err
		}
		if err := tx.AnswerRating(r.ID, in.Text); err != nil {
			return err
		}
		if out, err = tx.Rating(ctx, r.ID); err != nil {
			return err
		}
		// Whoever answers, takes it back and answers again writes to the other once a day.
		told, err := tx.ToldSince(r.UserID, core.ToldAnswered, e.ID, clock.Micros(tx.Now.Add(-ToldOnceIn)))
		if err != nil {
			return err
		}
		if r.Answer == "" && in.Text != "" && !told {
			if err := core.Notify(tx, r.UserID, core.ToldAnswered, core.About{ItemID: e.ID, Kind: kind}, "%s answered what you said of %s.", userID, e.ID); err != nil {
				return err
			}
		}
		return a.ratingEvent(tx, c, "rating.answered", kind, e.ID, r.ID, nil)
	})
	return RatingAnswer{out.ID, out.Answer, clock.Text(clock.FromMicros(out.AnsweredAt))}, err
}

// seenRating gives a rating of an item that everybody sees.
func seenRating(ctx context.Context, q store.Queries, id string, seq int64) (marketdb.Rating, error) {
	r, err := q.Rating(ctx, id)
	if errors.Is(err, sqldb.ErrNotFound) || err == nil && (r.Seq != seq || r.Hidden || r.RemovedAt > 0) {
		return r, errs.New(errs.NotFound, "There is no such rating of this item.")
	}
	return r, err
}

// ReportInput says why a rating should not be seen.
type ReportInput struct {
	UserID   string `json:"user_id"`
	ItemID   string `json:"item_id"`
	RatingID string `json:"rating_id"`
	Reason   string `json:"reason"`
}

// RatingReported says what was reported.
type RatingReported struct {
	RatingID string `json:"rating_id"`
	Reported bool   `json:"reported"`
}

// ReportRating tells those in charge that a rating should not be seen.
func (a *Service) ReportRating(ctx context.Context, c core.Caller, in ReportInput) (RatingReported, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RatingReported{}, err
	}
	c = c.As(userID)
	if in.Reason, err = RatingText("reason", in.Reason, longestReason); err != nil {
		return RatingReported{}, err
	}
	if in.Reason == "" {
		return RatingReported{}, errs.Invalid("reason", "must say why")
	}
	e, kind, err := a.rated(ctx, c, in.ItemID)
	if err != nil {
		return RatingReported{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		r, err := seenRating(ctx, tx.Queries, in.RatingID, e.Seq)
		if err != nil {
			return err
		}
		if err := a.UseQuota(tx, userID, core.QuotaRatings, 1); err != nil {
			return err
		}
		if err := tx.ReportRating(r.ID, userID, in.Reason); err != nil {
			return err
		}
		return a.ratingEvent(tx, c, "rating.reported", kind, e.ID, r.ID, nil)
	})
	return RatingReported{in.RatingID, err == nil}, err
}

// ToldOnceIn is how long what a member was told of an author's withdrawal stands for the next one too: whoever puts an item back
// and withdraws it again and again, with other words each time, writes to its installers once a day. Answers to a rating likewise.
const ToldOnceIn = 24 * time.Hour
