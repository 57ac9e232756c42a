package submit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// SubmissionsInput filters a member's submissions; "" means any.
type SubmissionsInput struct {
	UserID        string `json:"user_id"`
	Status        string `json:"status"`
	TemplateQuery string `json:"template_query"` // part of an id, a title or a tag
	TemplateID    string `json:"template_id"`    // part of an id
	PackQuery     string `json:"pack_query"`
	PackID        string `json:"pack_id"`
	PackType      string `json:"pack_type"`
	RiskLevel     string `json:"risk_level"`
	ReviewLabel   string `json:"review_label"`
	WarningFlag   string `json:"warning_flag"`
	Limit         int    `json:"limit"`
	Cursor        string `json:"cursor"`
}

// SubmissionList is a page of submissions.
type SubmissionList[T any] struct {
	UserID      string `json:"user_id"`
	Count       int    `json:"count"`
	Submissions []T    `json:"submissions"`
	NextCursor  string `json:"next_cursor"`
}

// ListMemberSubmissions answers the caller's own template submissions, newest first.
func (a *Service) ListMemberSubmissions(ctx context.Context, c core.Caller, in SubmissionsInput) (SubmissionList[TemplateSubmission], error) {
	return submissionsOf(ctx, a, c, in, catalog.KindTemplate, templateSubmissionView)
}

// ListMemberProfilePackSubmissions answers the caller's own profile-pack submissions, newest first.
func (a *Service) ListMemberProfilePackSubmissions(ctx context.Context, c core.Caller, in SubmissionsInput) (SubmissionList[PackSubmission], error) {
	return submissionsOf(ctx, a, c, in, catalog.KindProfilePack, packSubmissionView)
}

func submissionsOf[T any](ctx context.Context, a *Service, c core.Caller, in SubmissionsInput, kind catalog.Kind, show func(marketdb.Submission) T) (SubmissionList[T], error) {
	out := SubmissionList[T]{Submissions: []T{}}
	userID, err := c.Member(in.UserID)
	if err != nil {
		return out, err
	}
	out.UserID = userID
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	limit := core.PageInput{Limit: in.Limit}.Size()
	rows, err := a.memberSubmissions(ctx, userID, kind, in, before, limit+1)
	if err != nil {
		return out, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		out.NextCursor = rows[limit-1].SubmissionID
	}
	for _, s := range rows {
		out.Submissions = append(out.Submissions, show(s))
	}
	out.Count = len(out.Submissions)
	return out, nil
}

// memberSubmissions reads the submissions that come after one. With a text filter those to an id that it names whole come
// first; then all of the member's that match are read, since titles and tags stand in what only Go reads.
func (a *Service) memberSubmissions(ctx context.Context, userID string, kind catalog.Kind, in SubmissionsInput, after string, limit int) ([]marketdb.Submission, error) {
	id, text := browse.FoldedPart(cmp.Or(in.TemplateID, in.PackID)), browse.FoldedPart(cmp.Or(in.TemplateQuery, in.PackQuery))
	filter := marketdb.SubmissionFilter{
		Status: in.Status, IDPart: id, PackType: in.PackType, RiskLevel: in.RiskLevel, ReviewLabel: in.ReviewLabel, WarningFlag: in.WarningFlag,
	}
	if id == "" && text == "" {
		return a.Store.MemberSubmissions(ctx, userID, kind, filter, after, limit)
	}
	var whole, others []marketdb.Submission
	for before := ""; ; {
		rows, err := a.Store.MemberSubmissions(ctx, userID, kind, filter, before, textBatch)
		if err != nil {
			return nil, err
		}
		for _, s := range rows {
			switch before = s.SubmissionID; {
			case !saysOf(s, text):
			case s.FoldedID == cmp.Or(id, text):
				whole = append(whole, s)
			default:
				others = append(others, s)
			}
		}
		if len(rows) < textBatch {
			break
		}
	}
	all := append(whole, others...)
	if at := slices.IndexFunc(all, func(s marketdb.Submission) bool { return s.SubmissionID == after }); after != "" {
		all = all[at+1:]
	}
	return all[:min(limit, len(all))], nil
}

// textBatch is how many submissions are read at a time while they are searched for a text.
const textBatch = 200

// saysOf reports whether a folded text is part of a submission's id, title or tags.
func saysOf(s marketdb.Submission, text string) bool {
	part := func(of string) bool { return strings.Contains(search.Fold(of), text) }
	return text == "" || strings.Contains(s.FoldedID, text) || part(s.Facts.Title) || slices.ContainsFunc(s.Facts.Tags, part)
}

// SubmissionInput names a submission.
type SubmissionInput struct {
	UserID         string `json:"user_id"`
	SubmissionID   string `json:"submission_id"`
	IdempotencyKey string `json:"-"`
}

// GetMemberSubmissionDetail answers one of the caller's own template submissions.
func (a *Service) GetMemberSubmissionDetail(ctx context.Context, c core.Caller, in SubmissionInput) (TemplateSubmission, error) {
	_, s, err := a.ownSubmission(ctx, c, in, catalog.KindTemplate)
	v := templateSubmissionView(s)
	v.LeaveReport = s.Report
	v.PromptPreview, v.PromptLength = s.Facts.PromptPreview, s.Facts.PromptLength
	if d := s.Content.Document; len(d.Locales) > 0 {
		text, _ := d.Text(d.Fallback())
		v.Prompt, v.Description = text.Prompt, text.Description
	}
	return v, err
}

// GetMemberProfilePackSubmissionDetail answers one of the caller's own profile-pack submissions.
func (a *Service) GetMemberProfilePackSubmissionDetail(ctx context.Context, c core.Caller, in SubmissionInput) (PackSubmission, error) {
	_, s, err := a.ownSubmission(ctx, c, in, catalog.KindProfilePack)
	v := packSubmissionView(s)
	v.LeaveReport = s.Report
	return v, err
}

// WithdrawMemberSubmission takes a pending template submission back.
func (a *Service) WithdrawMemberSubmission(ctx context.Context, c core.Caller, in SubmissionInput) (TemplateSubmission, error) {
	s, err := a.withdraw(ctx, c, in, catalog.KindTemplate)
	return templateSubmissionView(s), err
}

// WithdrawMemberProfilePackSubmission takes a pending profile-pack submission back.
func (a *Service) WithdrawMemberProfilePackSubmission(ctx context.Context, c core.Caller, in SubmissionInput) (PackSubmission, error) {
	s, err := a.withdraw(ctx, c, in, catalog.KindProfilePack)
	return packSubmissionView(s), err
}

// ownSubmission finds a submission of the caller. Of one that is another member's only that is said.
func (a *Service) ownSubmission(ctx context.Context, c core.Caller, in SubmissionInput, kind catalog.Kind) (userID string, s marketdb.Submission, err error) {
	if userID, err = c.Member(in.UserID); err != nil {
		return "", s, err
	}
	if in.SubmissionID == "" {
		return "", s, errs.New(errs.SubmissionIDRequired, "Say which submission: submission_id is missing.")
	}
	s, err = a.Store.Submission(ctx, in.SubmissionID)
	if errors.Is(err, sqldb.ErrNotFound) || err == nil && s.Kind != kind {
		return "", marketdb.Submission{}, unknownSubmission(kind, in.SubmissionID)
	}
	if err != nil {
		return "", marketdb.Submission{}, err
	}
	if s.UserID != userID {
		return "", marketdb.Submission{}, core.ErrNotYours
	}
	return userID, s, nil
}

func unknownSubmission(kind catalog.Kind, id string) error {
	code := errs.SubmissionNotFound
	if kind == catalog.KindProfilePack {
		code = errs.PackSubmissionNotFound
	}
	return errs.New(code, "There is no such submission. Your list of submissions has those there are.").With("submission_id", id)
}

func (a *Service) withdraw(ctx context.Context, c core.Caller, in SubmissionInput, kind catalog.Kind) (marketdb.Submission, error) {
	userID, s, err := a.ownSubmission(ctx, c, in, kind)
	if err != nil {
		return marketdb.Submission{}, err
	}
	changes, ok := submission.Withdraw(s.Status)
	if !ok {
		return marketdb.Submission{}, notPending(s)
	}
	if !changes {
		return s, nil
	}
	action := "submission.withdrawn"
	if kind == catalog.KindProfilePack {
		action = "profile_pack.submission_withdrawn"
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DecideSubmission(s.SubmissionID, submission.Pending, submission.Withdrawn, "", ""); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: action, Kind: kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: submission.Withdrawn,
			Detail: map[string]any{"version": s.Version},
		}))
	})
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return marketdb.Submission{}, err
	}
	now, again := a.Store.Submission(ctx, s.SubmissionID)
	if again != nil {
		return marketdb.Submission{}, again
	}
	if err != nil && now.Status != submission.Withdrawn { // somebody decided it in between
		return marketdb.Submission{}, notPending(now)
	}
	return now, nil
}

func notPending(s marketdb.Submission) error {
	code := errs.SubmissionStateInvalid
	if s.Kind == catalog.KindProfilePack {
		code = errs.PackSubmissionState
	}
	return errs.Newf(code, "This submission is %s already; only a pending one can be withdrawn.", s.Status).With("status", s.Status).With("submission_id", s.SubmissionID)
}

// NoSubmission tells of a submission that is not there; other errors stay as they are.
func NoSubmission(err error, id string) error {
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.Newf(errs.SubmissionNotFound, "There is no submission %s. `stoa review list` shows what waits.", id)
	}
	return err
}
