package browse

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ranking"
	"stoa/internal/market/visible"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// What a member must have done before they rate an item.
const (
	ratingAccountAge = 14 * 24 * time.Hour
	ratingKept       = 7 * 24 * time.Hour
)

// The longest texts, in characters.
const (
	longestRating = 2000
	longestAnswer = 1000
	longestReason = 500
)

// RatingView is what a member says of an item.
type RatingView struct {
	RatingID   string `json:"rating_id"`
	UserID     string `json:"user_id"`
	Stars      int    `json:"stars"`
	Text       string `json:"text"`
	Version    string `json:"version"`
	Counts     bool   `json:"counts"` // it has a part in the item's ranking
	Hidden     bool   `json:"hidden"` // whoever runs the server hid it; only its member sees it still
	CreatedAt  string `json:"created_at"`
	UpdatedAt  string `json:"updated_at"`
	Answer     string `json:"answer"`
	AnsweredAt string `json:"answered_at"` // "" without an answer
}

func ratingView(r marketdb.Rating) RatingView {
	return RatingView{
		RatingID: r.ID, UserID: r.UserID, Stars: r.Stars, Text: r.Text, Version: r.Version, Counts: r.Counted, Hidden: r.Hidden, Answer: r.Answer,
		CreatedAt: clock.Text(clock.FromMicros(r.CreatedAt)), UpdatedAt: clock.Text(clock.FromMicros(r.UpdatedAt)), AnsweredAt: clock.Text(clock.FromMicros(r.AnsweredAt)),
	}
}

// The answers to whether the caller may rate an item.
const (
	MayRate          = "may_rate"
	RateSignIn       = "sign_in"
	RateOwner        = "owner"
	RateAccountYoung = "account_young"
	RateNotInstalled = "not_installed"
	RateInstalledNow = "installed_lately"
)

// OwnRating is what the caller said of an item, or whether they may.
type OwnRating struct {
	State  string      `json:"state"`
	From   string      `json:"from"`   // when they may, "" where waiting does not help
	Owner  bool        `json:"owner"`  // the item is theirs: they may answer
	Rating *RatingView `json:"rating"` // null without one
}

// ItemRanking says what an item's place in the catalog's own order is made of.
type ItemRanking struct {
	Featured     bool    `json:"featured"`
	Score        float64 `json:"score"`
	RatingPoints float64 `json:"rating_points"`
	KeeperPoints float64 `json:"keeper_points"`
	LowerBound   float64 `json:"lower_bound"` // of the share of satisfaction, 0 to 1
	Keepers      int64   `json:"keepers"`
}

// RatingList is a page of what members say of an item.
type RatingList struct {
	ItemID     string       `json:"item_id"`
	Count      int64        `json:"count"`   // ratings that count
	Average    float64      `json:"average"` // of their stars, 0 without one
	Others     int64        `json:"others"`  // ratings that are shown and do not count
	Ranking    ItemRanking  `json:"ranking"`
	Own        OwnRating    `json:"own"`
	Ratings    []RatingView `json:"ratings"`
	NextCursor string       `json:"next_cursor"`
}

// RatingsInput asks for a page of an item's ratings.
type RatingsInput struct {
	ItemID string `json:"item_id"`
	core.PageInput
}

// ListRatings answers what members say of an item, those that count first, and what its ranking is made of.
func (a *Service) ListRatings(ctx context.Context, c core.Caller, in RatingsInput) (RatingList, error) {
	e, _, err := a.rated(ctx, c, in.ItemID)
	if err != nil {
		return RatingList{}, err
	}
	after, err := parseRatingCursor(in.Cursor)
	if err != nil {
		return RatingList{}, err
	}
	out := RatingList{ItemID: e.ID, Ratings: []RatingView{}}
	rows, err := a.Store.Ratings(ctx, e.Seq, after, in.Size()+1)
	if err != nil {
		return out, err
	}
	if len(rows) > in.Size() {
		rows = rows[:in.Size()]
		out.NextCursor = ratingCursor(rows[len(rows)-1])
	}
	for _, r := range rows {
		out.Ratings = append(out.Ratings, ratingView(r))
	}
	counts, err := a.Store.Ranking(ctx, e.Seq)
	if err != nil {
		return out, err
	}
	out.Count, out.Average, out.Others = counts.Ratings, round2(counts.Average()), counts.Others
	ratings, keepers := counts.Points()
	out.Ranking = ItemRanking{
		Featured: e.Featured, Score: round2(counts.Score()), RatingPoints: round2(ratings), KeeperPoints: round2(keepers),
		LowerBound: round2(counts.Lower()), Keepers: counts.Keepers,
	}
	out.Own, err = a.ownRating(ctx, c, e)
	return out, err
}

func round2(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	return y
}

func (a *Service) rated(ctx context.Context, c core.Caller, id string) (catalog.Entry, catalog.Kind, error) {
	if id == "" {
		return catalog.Entry{}, "", errs.Invalid("item_id", "is missing")
	}
	e, kind, err := a.findAny(ctx, c, id)
	return e, kind, notThere(err, id)
}

// ownRating says what the caller said of an item and whether they may say something.
func (a *Service) ownRating(ctx context.Context, c core.Caller, e catalog.Entry) (OwnRating, error) {
	if c.Role != core.Member {
		return OwnRating{State: RateSignIn}, nil
	}
	out := OwnRating{Owner: e.Owner == c.UserID}
	switch r, err := a.Store.RatingOf(ctx, c.UserID, e.Seq); {
	case err == nil && r.RemovedAt == 0:
		view := ratingView(r)
		out.State, out.Rating = MayRate, &view
		return out, nil
	case err != nil && !errors.Is(err, sqldb.ErrNotFound):
		return out, err
	}
	var from time.Time
	var err error
	out.State, from, err = mayRate(ctx, a.Store.Queries, c, e, a.Clock())
	if !from.IsZero() {
		out.From = clock.Text(from)
	}
	return out, err
}

// mayRate tells whether a member who has not rated an item may, and from when on if not.
func mayRate(ctx context.Context, q store.Queries, c core.Caller, e catalog.Entry, now time.Time) (state string, from time.Time, err error) {
	if e.Owner == c.UserID {
		return RateOwner, from, nil
	}
	if !c.Open { // without authentication there are no accounts
		known, err := q.Account(ctx, c.UserID)
		if err != nil {
			return "", from, err
		}
		if from = clock.FromMicros(known.CreatedAt).Add(ratingAccountAge); now.Before(from) {
			return RateAccountYoung, from, nil
		}
	}
	switch have, err := q.Installation(ctx, c.UserID, e.ID); {
	case errors.Is(err, sqldb.ErrNotFound):
		return RateNotInstalled, time.Time{}, nil
	case err != nil:
		return "", from, err
	case have.Seq != e.Seq:
		return RateNotInstalled, time.Time{}, nil
	default:
		if from = clock.FromMicros(have.InstalledAt).Add(ratingKept); now.Before(from) {
			return RateInstalledNow, from, nil
		}
	}
	return MayRate, time.Time{}, nil
}

var ratingRefusals = map[string]string{
	RateOwner:        "This is yours. Others rate it; you may answer them.",
	RateAccountYoung: "Your account is younger than 14 days. You may rate this afterwards.",
	RateNotInstalled: "Only who has had this installed for 7 days may rate it.",
	RateInstalledNow: "You have had this installed for less than 7 days. You may rate it afterwards.",
}

// RateInput is what a member says of an item.
type RateInput struct {
	UserID string `json:"user_id"`
	ItemID string `json:"item_id"`
	Stars  int    `json:"stars"`
	Text   string `json:"text"`
}

// SaveRating keeps what the caller says of an item, in place of what they said before.
func (a *Service) SaveRating(ctx context.Context, c core.Caller, in RateInput) (RatingView, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RatingView{}, err
	}
	c = c.As(userID)
	if in.Text, err = RatingText("text", in.Text, longestRating); err != nil {
		return RatingView{}, err
	}
	e, kind, err := a.rated(ctx, c, in.ItemID)
	if err != nil {
		return RatingView{}, err
	}
	var out marketdb.Rating
	var counts ranking.Counts
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		was, err := tx.RatingOf(ctx, userID, e.Seq)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		version := was.Version
		if have, err := tx.Installation(ctx, userID, e.ID); err == nil {
			version = have.Version
		} else if !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		first := was.ID == ""
		if first {
			was.ID = core.NewID()
			state, from, err := mayRate(ctx, tx.Queries, c, e, tx.Now)
			if err != nil {
				return err
			}
			if state != MayRate {
				return errs.New(errs.RatingNotAllowed, ratingRefusals[state]).With("state", state).With("from", clock.Text(from))
			}
		}
		if err := a.UseQuota(tx, userID, core.QuotaRatings, 1); err != nil {
			return err
		}
		if counts, err = tx.SetRating(marketdb.Rating{ID: was.ID, UserID: userID, Seq: e.Seq, Stars: in.Stars, Text: in.Text, Version: version}); err != nil {
			return err
		}
		if out, err = tx.RatingOf(ctx, userID, e.Seq); err != nil {
			return err
		}
		if first && e.Owner != "" {
			if err := core.Notify(tx, e.Owner, core.ToldRated, core.About{ItemID: e.ID, Kind: kind}, "%s gave %s %d of 5 stars.", userID, e.ID, in.Stars); err != nil {
				return err
			}
		}
		return a.ratingEvent(tx, c, "rating.saved", kind, e.ID, out.ID, map[string]any{"stars": in.Stars})
	})
	if err != nil {
		return RatingView{}, err
	}
	a.Cache.setRanking(e.Seq, counts)
	return ratingView(out), nil
}

func (a *Service) ratingEvent(tx *store.Tx, c core.Caller, action string, kind catalog.Kind, itemID, ratingID string, detail map[string]any) error {
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: c.UserID, Action: action, Kind: kind, ItemID: itemID, Target: ratingID, Status: "ok", Detail: detail}))
}

// RatingText is a text as it is kept: not too long, without blanks around it and without characters that cannot be seen, which would
// turn or hide what stands around it on the page and in a terminal.
func RatingText(field, text string, most int) (string, error) {
	last := rune(0)
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !visible.Plain(r) && !visible.Joins(last, r) {
			return -1
		}
		last = r
		return r
	}, text))
	if utf8.RuneCountInString(text) > most {
		return "", errs.Invalid(field, "must have at most "+strconv.Itoa(most)+" characters")
	}
	return text, nil
}

// UnrateInput names the item.
type UnrateInput struct {
	UserID string `json:"user_id"`
	ItemID string `json:"item_id"`
}

// RatingRemoved tells whether there was something to remove.
type RatingRemoved struct {
	ItemID  string `json:"item_id"`
	Removed bool   `json:"removed"`
}

// RemoveRating takes back what the caller said of an item. Saving it again within a day brings it back as it was.
func (a *Service) RemoveRating(ctx context.Context, c core.Caller, in UnrateInput) (RatingRemoved, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RatingRemoved{}, err
	}
	c = c.As(userID)
	e, kind, err := a.rated(ctx, c, in.ItemID)
	if err != nil {
		return RatingRemoved{}, err
	}
	out := RatingRemoved{ItemID: e.ID}
	var counts ranking.Counts
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if counts, err = tx.RemoveRating(userID, e.Seq); err != nil {
			return err
		}
		return a.ratingEvent(tx, c, "rating.removed", kind, e.ID, "", nil)
	})
	switch {
	case err == nil:
		out.Removed = true
		a.Cache.setRanking(e.Seq, counts)
	case errors.Is(err, sqldb.ErrNotFound):
		err = nil
	}
	return out, err
}

// A cursor names the last rating of the page before by all that the list is sorted by.
func ratingCursor(r marketdb.Rating) string {
	counted := "0"
	if r.Counted {
		counted = "1"
	}
	return base64.RawURLEncoding.EncodeToString([]byte(counted + strconv.FormatInt(r.UpdatedAt, 36) + ":" + r.ID))
}

func parseRatingCursor(cursor string) (r marketdb.Rating, err error) {
	if cursor == "" {
		return r, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(text) < 2 || text[0] != '0' && text[0] != '1' {
		return r, core.ErrCursor
	}
	r.Counted = text[0] == '1'
	at, id, _ := strings.Cut(string(text[1:]), ":")
	if r.UpdatedAt, err = strconv.ParseInt(at, 36, 64); err != nil || r.UpdatedAt <= 0 {
		return r, core.ErrCursor
	}
	if r.ID, err = core.ParseIDCursor(id); err != nil || r.ID == "" {
		return r, core.ErrCursor
	}
	return r, nil
}
