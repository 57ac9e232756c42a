package review

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
	"stoa/internal/market/scan/normal"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// Line is a submission as the operator sees it in a list.
type Line struct {
	SubmissionID string       `json:"submission_id"`
	Kind         catalog.Kind `json:"kind"`
	ItemID       string       `json:"item_id"`
	Version      string       `json:"version"`
	UserID       string       `json:"user_id"`
	Status       string       `json:"status"`
	RiskLevel    string       `json:"risk_level"`
	Labels       []string     `json:"labels"`
	CreatedAt    string       `json:"created_at"`
	UpdatedAt    string       `json:"updated_at"`
	Reviewer     string       `json:"reviewer"`
	ReviewNote   string       `json:"review_note"`
	// Unanswered: its member wrote last.
	Unanswered bool `json:"unanswered"`
}

// Detail is a submission whole.
type Detail struct {
	Line
	Document catalog.Document `json:"document"`
	Scan     scan.Summary     `json:"scan_summary"`
	// Beyond is what it may do and the published version may not.
	Beyond []string `json:"beyond"`
	// MaintainerIsMember: the maintainer that it names is the id of another member, who may know nothing of it.
	MaintainerIsMember bool            `json:"maintainer_is_other_member"`
	PublishedOwner     string          `json:"published_owner"`
	PublishedAs        string          `json:"published_version"`
	LeaveReport        json.RawMessage `json:"leave_report"` // what leaves the member's machine, see market/disclosure
	// Diff is what approving would change; nil when nothing of this id is published.
	Diff *Diff `json:"diff"`
	// Returned are what a reviewer had asked to take out and stands in it.
	Returned []string                `json:"returned"`
	Thread   submit.SubmissionThread `json:"thread"`
}

// unansweredMost bounds how many submissions are known to wait for a reviewer's word.
const unansweredMost = 1_000

// ReviewsUnanswered asks Reviews for submissions whose member wrote last, whatever became of them.
const ReviewsUnanswered = "unanswered"

// Reviews lists submissions in a status, or with ReviewsUnanswered, oldest first, after a given one.
func (a *Service) Reviews(ctx context.Context, status, after string, limit int) (_ []Line, err error) {
	var rows []marketdb.Submission
	if status == ReviewsUnanswered {
		rows, err = a.Store.SubmissionsUnanswered(ctx, after, limit)
	} else {
		rows, err = a.Store.SubmissionsByStatus(ctx, status, after, limit)
	}
	if err != nil {
		return nil, err
	}
	waiting, err := a.Store.Unanswered(ctx, unansweredMost)
	lines := make([]Line, 0, len(rows))
	for _, s := range rows {
		lines = append(lines, reviewLine(s))
		lines[len(lines)-1].Unanswered = slices.Contains(waiting, s.SubmissionID)
	}
	return lines, err
}

// Review gives one submission.
func (a *Service) Review(ctx context.Context, id string) (Detail, error) {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return Detail{}, submit.NoSubmission(err, id)
	}
	out := Detail{Line: reviewLine(s), Document: s.Content.Document, Scan: s.Content.Document.Scan, LeaveReport: leaveReport(s.Report), Beyond: []string{}, Returned: core.NonNil(s.Facts.Returned)}
	if out.Thread, err = a.Thread(ctx, s); err != nil {
		return out, err
	}
	if m := s.Content.Document.Maintainer; m != s.UserID {
		switch other, err := a.Store.Lookalike(ctx, normal.String(m)); {
		case err == nil:
			out.MaintainerIsMember = other != s.UserID
		case !errors.Is(err, sqldb.ErrNotFound):
			return out, err
		}
	}
	stands, err := a.ItemStateOf(ctx, s.Kind, s.ItemID, s.UserID)
	if err != nil || stands.Published == nil {
		return out, err
	}
	if !stands.Ours() && !slices.Contains(out.Labels, submission.OwnershipConflict) {
		out.Labels = append(out.Labels, submission.OwnershipConflict) // of a private item; its submitter is not told
	}
	out.PublishedOwner, out.PublishedAs, out.Beyond = stands.Item.Owner, stands.Item.Version, stands.Beyond(&s.Content.Document)
	out.Diff, err = a.reviewDiff(ctx, s, stands.Item)
	return out, err
}

// Approve publishes a pending submission whose findings the reviewer has opened. An item of another owner is left alone
// unless takeOver.
func (a *Service) Approve(ctx context.Context, id, note string, takeOver bool) (Line, error) {
	if err := submit.ScannedFirst(ctx, a.Store.Queries, id); err != nil { // before the row is read, which the scan changes
		return Line{}, err
	}
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return Line{}, submit.NoSubmission(err, id)
	}
	if !submission.CanBecome(s.Status, submission.Approved) {
		return Line{}, decided(s)
	}
	r := &release{
		document: s.Content.Document, owner: s.UserID, visibility: s.Content.Visibility, channel: s.Content.Channel, submissionID: id, note: note, takeOver: takeOver,
	}
	if err := a.openedFirst(ctx, s); err != nil {
		return Line{}, err
	}
	if s.Facts.ExamplesOnly {
		return a.approveExamples(ctx, s, note)
	}
	if s.Facts.Artifact != nil {
		r.artifacts = []catalog.Artifact{*s.Facts.Artifact}
	}
	if err := a.prepare(ctx, r); err != nil {
		return Line{}, err
	}
	return a.decide(ctx, s, submission.Approved, note, func(tx *store.Tx) error {
		if err := sameExamples(ctx, tx, s); err != nil {
			return err
		}
		item, err := a.publish(ctx, tx, core.Acting(ctx), r)
		if err != nil {
			return err
		}
		if err := announce(ctx, tx, item); err != nil {
			return err
		}
		if err := submit.LiftRemovals(tx, s); err != nil {
			return err
		}
		return tellSubmitter(tx, s, core.ToldApproved, "Your submission of %s %s was approved.", note)
	})
}

// Reject turns a pending submission down; nothing that is published changes. remove is what the member has to take out before
// they submit again.
func (a *Service) Reject(ctx context.Context, id, note string, remove ...string) (Line, error) {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return Line{}, submit.NoSubmission(err, id)
	}
	if remove, err = submit.RemovalTexts(remove); err != nil {
		return Line{}, err
	}
	return a.decide(ctx, s, submission.Rejected, note, func(tx *store.Tx) error {
		if err := submit.AskRemovals(tx, s, remove); err != nil {
			return err
		}
		return tellSubmitter(tx, s, core.ToldRejected, "Your submission of %s %s was not approved.", note)
	})
}

func (a *Service) decide(ctx context.Context, s marketdb.Submission, to, note string, also func(*store.Tx) error) (Line, error) {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DecideSubmission(s.SubmissionID, submission.Pending, to, core.Acting(ctx).UserID, note); err != nil {
			return err
		}
		if err := tx.ReleaseSubmission(s.SubmissionID, ""); err != nil {
			return err
		}
		if err := also(tx); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{
			Owner: s.UserID, Action: "submission." + to, Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: to,
			Detail: map[string]any{"note": note, "version": s.Version},
		}))
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		if now, again := a.Store.Submission(ctx, s.SubmissionID); again == nil {
			return Line{}, decided(now)
		}
	}
	if err != nil {
		return Line{}, err
	}
	after, err := a.Store.Submission(ctx, s.SubmissionID)
	return reviewLine(after), err
}

// Feature puts an item in front, or takes it back.
func (a *Service) Feature(ctx context.Context, kind catalog.Kind, id, note string, featured bool) error {
	action := "item.unfeatured"
	if featured {
		action = "item.featured"
	}
	return a.decideItem(ctx, kind, id, func(tx *store.Tx, item marketdb.Item) error {
		item.Featured, item.FeaturedNote, item.FeaturedAt = featured, note, featuredAt(tx, featured)
		item.Facts.FeaturedBy = core.Acting(ctx).UserID
		if err := tx.UpdateItem(&item); err != nil {
			return err
		}
		if err := a.show(ctx, tx, item); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Owner: item.Owner, Action: action, Kind: kind, ItemID: id, Status: "ok"}))
	})
}

func tellSubmitter(tx *store.Tx, s marketdb.Submission, kind, message, note string) error {
	if s.UserID == "" {
		return nil // the operator's own
	}
	about := core.About{ItemID: s.ItemID, Kind: s.Kind, SubmissionID: s.SubmissionID}
	if note != "" {
		return core.Notify(tx, s.UserID, kind, about, message+" The reviewer says: %s", s.ItemID, s.Version, note)
	}
	return core.Notify(tx, s.UserID, kind, about, message, s.ItemID, s.Version)
}

// beside are the labels that say more than the risk level, which every scan repeats as a label.
func beside(level string, labels []string) []string {
	return slices.DeleteFunc(append([]string{}, labels...), func(label string) bool { return label == "risk_"+level })
}

func reviewLine(s marketdb.Submission) Line {
	return Line{
		SubmissionID: s.SubmissionID, Kind: s.Kind, ItemID: s.ItemID, Version: s.Version, UserID: s.UserID, Status: s.Status, RiskLevel: s.RiskLevel,
		Labels: beside(s.RiskLevel, s.Facts.ReviewLabels), CreatedAt: clock.Text(clock.FromMicros(s.CreatedAt)), UpdatedAt: clock.Text(clock.FromMicros(s.UpdatedAt)),
		Reviewer: s.Reviewer, ReviewNote: s.ReviewNote,
	}
}

func decided(s marketdb.Submission) error {
	return errs.Newf(errs.SubmissionStateInvalid, "This submission is %s already; only a pending one can be decided.", s.Status)
}

// sameExamples refuses to decide on a submission whose examples are others by now than those that the reviewer was shown.
func sameExamples(ctx context.Context, tx *store.Tx, s marketdb.Submission) error {
	stored, err := tx.Submission(ctx, s.SubmissionID)
	if err == nil && stored.Content.Document.ExamplesDigest() != s.Content.Document.ExamplesDigest() {
		err = errs.New(errs.SubmissionStateInvalid, "The member changed the examples meanwhile. Look at them again.")
	}
	return err
}

// approveExamples shows the examples of a submission on the published version that they were recorded with.
func (a *Service) approveExamples(ctx context.Context, s marketdb.Submission, note string) (Line, error) {
	return a.decide(ctx, s, submission.Approved, note, func(tx *store.Tx) error {
		if err := sameExamples(ctx, tx, s); err != nil {
			return err
		}
		item, err := tx.Item(ctx, s.Kind, s.ItemID)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		if err != nil || item.Version != s.Version || item.Owner != s.UserID || item.Visibility == catalog.Withdrawn {
			return errs.Newf(errs.SubmissionStateInvalid, "Version %s is not the published version of %s any more. Reject the examples; they belong to that version.", s.Version, s.ItemID)
		}
		document, err := tx.Document(ctx, item.Seq, item.Version)
		if err != nil {
			return err
		}
		document.Examples = s.Content.Document.Examples
		if _, err := tx.DropVerdict(item.Seq, item.Version); err != nil { // what follows is newer
			return err
		}
		ref := marketdb.VersionRef{Kind: s.Kind, ItemID: s.ItemID, Seq: item.Seq, Version: item.Version}
		if err := a.rewrite(ctx, tx, ref, document, s.Content.Document.Scan); err != nil {
			return err
		}
		return tellSubmitter(tx, s, core.ToldApproved, "Your example conversations for %s %s were approved.", note)
	})
}
