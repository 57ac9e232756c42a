package submit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

const (
	// maxMessages is how many messages a submission has at most, and longestWord how long each may be, in characters.
	maxMessages = 200
	longestWord = 4_000
	// removalsLookedAt is how much of what a member was asked to take out of an item is looked for in its next versions.
	removalsLookedAt = 200
)

// AskedRemoval is what a reviewer asked to take out of an item.
type AskedRemoval struct {
	What         string `json:"what"`
	SubmissionID string `json:"submission_id"`
	AskedAt      string `json:"asked_at"`
}

// Removal is what a reviewer asked to take out of an item and stands in it again, at a place.
type Removal struct {
	AskedRemoval
	Place string `json:"place"`
}

// ThreadMessage is a word about a submission.
type ThreadMessage struct {
	MessageID string `json:"message_id"`
	At        string `json:"at"`
	Author    string `json:"author"`
	From      string `json:"from"` // member or reviewer
	Text      string `json:"text"`
}

// SubmissionThread is what a member and the reviewers have said to each other about a submission.
type SubmissionThread struct {
	SubmissionID string          `json:"submission_id"`
	Messages     []ThreadMessage `json:"messages"` // oldest first
	// Removals are what was asked to be taken out of the item, of this submission or an earlier one.
	Removals []AskedRemoval `json:"removals"`
}

// ThreadInput names a submission of either kind.
type ThreadInput struct {
	UserID       string `json:"user_id"`
	SubmissionID string `json:"submission_id"`
}

// GetSubmissionThread answers what was said about one of the caller's own submissions.
func (a *Service) GetSubmissionThread(ctx context.Context, c core.Caller, in ThreadInput) (SubmissionThread, error) {
	_, s, err := a.threadOf(ctx, c, in)
	if err != nil {
		return SubmissionThread{}, err
	}
	return a.Thread(ctx, s)
}

// threadOf finds a submission of the caller, whatever it is of.
func (a *Service) threadOf(ctx context.Context, c core.Caller, in ThreadInput) (string, marketdb.Submission, error) {
	kind := catalog.KindTemplate
	if s, err := a.Store.Submission(ctx, in.SubmissionID); err == nil {
		kind = s.Kind
	} else if !errors.Is(err, sqldb.ErrNotFound) {
		return "", marketdb.Submission{}, err
	}
	return a.ownSubmission(ctx, c, SubmissionInput{UserID: in.UserID, SubmissionID: in.SubmissionID}, kind)
}

// Thread gives the conversation about a submission.
func (a *Service) Thread(ctx context.Context, s marketdb.Submission) (SubmissionThread, error) {
	out := SubmissionThread{SubmissionID: s.SubmissionID, Messages: []ThreadMessage{}, Removals: []AskedRemoval{}}
	all, err := a.Store.SubmissionMessages(ctx, s.SubmissionID, maxMessages)
	if err != nil {
		return out, err
	}
	for _, m := range all {
		out.Messages = append(out.Messages, messageView(m))
	}
	asked, err := a.Store.Removals(ctx, s.UserID, s.Kind, s.ItemID, removalsLookedAt)
	for _, r := range asked {
		out.Removals = append(out.Removals, removalView(r))
	}
	return out, err
}

func messageView(m marketdb.SubmissionMessage) ThreadMessage {
	from := "member"
	if m.Reviewer {
		from = "reviewer"
	}
	return ThreadMessage{m.ID, clock.Text(clock.FromMicros(m.At)), m.Author, from, m.Text}
}

func removalView(r marketdb.Removal) AskedRemoval {
	return AskedRemoval{What: r.What, SubmissionID: r.SubmissionID, AskedAt: clock.Text(clock.FromMicros(r.AskedAt))}
}

// MessageInput is what a member says about a submission.
type MessageInput struct {
	ThreadInput
	Text string `json:"text"`
}

// SendSubmissionMessage answers the reviewers of one of the caller's own submissions. The same words twice in a row are one message.
func (a *Service) SendSubmissionMessage(ctx context.Context, c core.Caller, in MessageInput) (SubmissionThread, error) {
	userID, s, err := a.threadOf(ctx, c, in.ThreadInput)
	if err != nil {
		return SubmissionThread{}, err
	}
	if in.Text, err = messageText(in.Text); err != nil {
		return SubmissionThread{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		return say(ctx, tx, c.As(userID), s, false, in.Text)
	})
	if err != nil {
		return SubmissionThread{}, err
	}
	return a.Thread(ctx, s)
}

func messageText(text string) (string, error) {
	text, err := browse.RatingText("text", text, longestWord)
	if err == nil && text == "" {
		err = errs.Invalid("text", "must say something")
	}
	return text, err
}

// say keeps a message, and tells the member when a reviewer wrote it.
func say(ctx context.Context, tx *store.Tx, c core.Caller, s marketdb.Submission, reviewer bool, text string) error {
	before, err := tx.SubmissionMessages(ctx, s.SubmissionID, maxMessages)
	if err != nil {
		return err
	}
	if n := len(before); n > 0 && before[n-1].Text == text && before[n-1].Author == c.UserID && before[n-1].Reviewer == reviewer {
		return nil
	} else if n == maxMessages {
		return errs.Newf(errs.QuotaExceeded, "This submission has %d messages already. Submit again, and go on there.", n)
	}
	m := marketdb.SubmissionMessage{
		ID: core.NewID(), SubmissionID: s.SubmissionID, UserID: s.UserID, Author: c.UserID, Reviewer: reviewer, At: clock.Micros(tx.Now), Text: text,
	}
	if err := tx.AddSubmissionMessage(m); err != nil {
		return err
	}
	if reviewer && s.UserID != "" {
		about := core.About{ItemID: s.ItemID, Kind: s.Kind, SubmissionID: s.SubmissionID}
		if err := core.Notify(tx, s.UserID, core.ToldMessage, about, "A reviewer wrote to you about %s %s. The reviewer says: %s", s.ItemID, s.Version, text); err != nil {
			return err
		}
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: s.UserID, Action: "submission.message_sent", Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: "ok", Detail: map[string]any{"reviewer": reviewer},
	}))
}

// ReviewThread is what was said about a submission, for reviewers.
func (a *Service) ReviewThread(ctx context.Context, id string) (SubmissionThread, error) {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return SubmissionThread{}, NoSubmission(err, id)
	}
	return a.Thread(ctx, s)
}

// AnswerSubmitter writes to the member of a submission, and asks them to take something out of it.
func (a *Service) AnswerSubmitter(ctx context.Context, id, text string, remove []string) (SubmissionThread, error) {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return SubmissionThread{}, NoSubmission(err, id)
	}
	if remove, err = RemovalTexts(remove); err != nil {
		return SubmissionThread{}, err
	}
	if text == "" && len(remove) > 0 {
		text = "Please take out: " + strings.Join(remove, "; ")
	}
	if text, err = messageText(text); err != nil {
		return SubmissionThread{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := AskRemovals(tx, s, remove); err != nil {
			return err
		}
		return say(ctx, tx, core.Acting(ctx), s, true, text)
	})
	if err != nil {
		return SubmissionThread{}, err
	}
	return a.Thread(ctx, s)
}

// RemovalTexts checks what a reviewer asks to be removed.
func RemovalTexts(remove []string) ([]string, error) {
	var out []string
	for _, what := range remove {
		what = strings.TrimSpace(what)
		if n := utf8.RuneCountInString(what); n < submission.ShortestRemoval || n > submission.LongestRemoval {
			return nil, errs.Invalid("remove", "must be paths or texts of 3 to 500 characters each")
		}
		if !slices.Contains(out, what) {
			out = append(out, what)
		}
	}
	if len(out) > submission.MaxRemovals {
		return nil, errs.Invalid("remove", "must be at most 20")
	}
	return out, nil
}

// AskRemovals notes what a reviewer asks to be removed.
func AskRemovals(tx *store.Tx, s marketdb.Submission, remove []string) error {
	for _, what := range remove {
		if err := tx.AskRemoval(marketdb.Removal{UserID: s.UserID, Kind: s.Kind, ItemID: s.ItemID, What: what, SubmissionID: s.SubmissionID}); err != nil {
			return err
		}
	}
	return nil
}

// returned is what was to be taken out of an item and stands in these sections of it again. Sections are only asked for when
// anything was to be taken out.
func (a *Service) returned(ctx context.Context, userID string, kind catalog.Kind, itemID string, sections func() (map[string]any, error)) ([]Removal, error) {
	asked, err := a.Store.Removals(ctx, userID, kind, itemID, removalsLookedAt)
	out := []Removal{}
	if err != nil || len(asked) == 0 {
		return out, err
	}
	tree, err := sections()
	if err != nil {
		return out, err
	}
	for _, r := range asked {
		if place, found := submission.Holds(tree, r.What); found {
			out = append(out, Removal{removalView(r), place})
		}
	}
	return out, nil
}

// textsOf are the texts of a document as sections.
func textsOf(d *catalog.Document) map[string]any {
	texts := map[string]any{}
	for locale, text := range d.Locales {
		texts[locale] = map[string]any{"title": text.Title, "description": text.Description, "prompt": text.Prompt}
	}
	tags := []any{}
	for _, tag := range d.Tags {
		tags = append(tags, tag)
	}
	return map[string]any{"texts": texts, "tags": tags}
}

// LiftRemovals forgets that something was to be taken out which a reviewer has now accepted.
func LiftRemovals(tx *store.Tx, s marketdb.Submission) error {
	for _, what := range s.Facts.Returned {
		if err := tx.LiftRemoval(marketdb.Removal{UserID: s.UserID, Kind: s.Kind, ItemID: s.ItemID, What: what}); err != nil {
			return err
		}
	}
	return nil
}
