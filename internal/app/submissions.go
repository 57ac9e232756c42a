package app

import (
	"context"
	"errors"
	"strings"

	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
)

// SubmissionsInput filters a member's submissions; "" means any.
type SubmissionsInput struct {
	UserID        string `json:"user_id"`
	Status        string `json:"status"`
	TemplateQuery string `json:"template_query"`
	PackQuery     string `json:"pack_query"`
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
func (a *App) ListMemberSubmissions(ctx context.Context, c Caller, in SubmissionsInput) (SubmissionList[TemplateSubmission], error) {
	return submissionsOf(ctx, a, c, in, catalog.KindTemplate, in.TemplateQuery, func(s store.Submission) TemplateSubmission {
		v := shownTemplateSubmission(s)
		return v
	})
}

// ListMemberProfilePackSubmissions answers the caller's own profile-pack submissions, newest first.
func (a *App) ListMemberProfilePackSubmissions(ctx context.Context, c Caller, in SubmissionsInput) (SubmissionList[PackSubmission], error) {
	return submissionsOf(ctx, a, c, in, catalog.KindProfilePack, in.PackQuery, shownPackSubmission)
}

func submissionsOf[T any](ctx context.Context, a *App, c Caller, in SubmissionsInput, kind catalog.Kind, text string, show func(store.Submission) T) (SubmissionList[T], error) {
	out := SubmissionList[T]{Submissions: []T{}}
	userID, err := c.member(in.UserID)
	if err != nil {
		return out, err
	}
	out.UserID = userID
	before, err := idCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	limit := PageInput{Limit: in.Limit}.limit()
	rows, err := a.store.MemberSubmissions(ctx, userID, kind, store.SubmissionFilter{
		Status: in.Status, Text: search.Fold(strings.TrimSpace(text)), PackType: in.PackType, RiskLevel: in.RiskLevel, ReviewLabel: in.ReviewLabel, WarningFlag: in.WarningFlag,
	}, before, limit+1)
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

// SubmissionInput names a submission.
type SubmissionInput struct {
	UserID         string `json:"user_id"`
	SubmissionID   string `json:"submission_id"`
	IdempotencyKey string `json:"-"`
}

// GetMemberSubmissionDetail answers one of the caller's own template submissions.
func (a *App) GetMemberSubmissionDetail(ctx context.Context, c Caller, in SubmissionInput) (TemplateSubmission, error) {
	_, s, err := a.ownSubmission(ctx, c, in, catalog.KindTemplate)
	v := shownTemplateSubmission(s)
	v.LeaveReport = s.Report
	v.PromptPreview, v.PromptLength = s.Facts.PromptPreview, s.Facts.PromptLength
	return v, err
}

// GetMemberProfilePackSubmissionDetail answers one of the caller's own profile-pack submissions.
func (a *App) GetMemberProfilePackSubmissionDetail(ctx context.Context, c Caller, in SubmissionInput) (PackSubmission, error) {
	_, s, err := a.ownSubmission(ctx, c, in, catalog.KindProfilePack)
	v := shownPackSubmission(s)
	v.LeaveReport = s.Report
	if s.Facts.Pack != nil {
		v.Matrix = &s.Facts.Pack.Matrix
	}
	return v, err
}

// WithdrawMemberSubmission takes a pending template submission back.
func (a *App) WithdrawMemberSubmission(ctx context.Context, c Caller, in SubmissionInput) (TemplateSubmission, error) {
	s, err := a.withdraw(ctx, c, in, catalog.KindTemplate)
	return shownTemplateSubmission(s), err
}

// WithdrawMemberProfilePackSubmission takes a pending profile-pack submission back.
func (a *App) WithdrawMemberProfilePackSubmission(ctx context.Context, c Caller, in SubmissionInput) (PackSubmission, error) {
	s, err := a.withdraw(ctx, c, in, catalog.KindProfilePack)
	return shownPackSubmission(s), err
}

// ownSubmission finds a submission of the caller. Of one that is another member's only that is said.
func (a *App) ownSubmission(ctx context.Context, c Caller, in SubmissionInput, kind catalog.Kind) (userID string, s store.Submission, err error) {
	if userID, err = c.member(in.UserID); err != nil {
		return "", s, err
	}
	if in.SubmissionID == "" {
		return "", s, errs.New(errs.SubmissionIDRequired, "Say which submission: submission_id is missing.")
	}
	s, err = a.store.Submission(ctx, in.SubmissionID)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.Kind != kind {
		return "", store.Submission{}, unknownSubmission(kind, in.SubmissionID)
	}
	if err != nil {
		return "", store.Submission{}, err
	}
	if s.UserID != userID {
		return "", store.Submission{}, errNotYours
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

func (a *App) withdraw(ctx context.Context, c Caller, in SubmissionInput, kind catalog.Kind) (store.Submission, error) {
	userID, s, err := a.ownSubmission(ctx, c, in, kind)
	if err != nil {
		return store.Submission{}, err
	}
	changes, ok := submission.Withdraw(s.Status)
	if !ok {
		return store.Submission{}, notPending(s)
	}
	if !changes {
		return s, nil
	}
	action := "submission.withdrawn"
	if kind == catalog.KindProfilePack {
		action = "profile_pack.submission_withdrawn"
	}
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DecideSubmission(s.SubmissionID, submission.Pending, submission.Withdrawn, "", ""); err != nil {
			return err
		}
		return tx.AddEvent(event(tx, c, happened{
			Owner: userID, Task: true, Action: action, Kind: kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: submission.Withdrawn,
			Detail: map[string]any{"version": s.Version},
		}))
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Submission{}, err
	}
	now, again := a.store.Submission(ctx, s.SubmissionID)
	if again != nil {
		return store.Submission{}, again
	}
	if err != nil && now.Status != submission.Withdrawn { // somebody decided it in between
		return store.Submission{}, notPending(now)
	}
	return now, nil
}

func notPending(s store.Submission) error {
	code := errs.SubmissionStateInvalid
	if s.Kind == catalog.KindProfilePack {
		code = errs.PackSubmissionState
	}
	return errs.Newf(code, "This submission is %s already; only a pending one can be withdrawn.", s.Status).With("status", s.Status).With("submission_id", s.SubmissionID)
}
