package marketdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Submission is something that waits, or waited, for a decision. Times in µs.
type Submission struct {
	SubmissionID string
	Kind         catalog.Kind
	ItemID       string
	Version      string
	UserID       string
	Status       string
	RiskLevel    string
	Reviewer     string
	ReviewNote   string
	CreatedAt    int64
	UpdatedAt    int64
	FoldedID     string // the item id as text filters compare it
	PackType     string
	ImportID     string // the draft it was made of, "" for a template
	SHA256       string // of the uploaded or built package, "" without one
	Facts        submission.Facts
	// Report is what leaves the member's machine, and Content what was submitted. Lists leave both out.
	Report  json.RawMessage
	Content SubmissionContent
}

// SubmissionContent is what was submitted.
type SubmissionContent struct {
	Document   catalog.Document   `json:"document"`
	Visibility catalog.Visibility `json:"visibility"`
	Channel    string             `json:"channel"`
}

const (
	submissionRow     = `submission_id, kind, item_id, version, user_id, status, risk_level, reviewer, review_note, created_at, updated_at, folded_id, pack_type, import_id, sha256, facts`
	submissionColumns = submissionRow + `, report, document`
)

// read scans a row of submissionRow, and of submissionColumns when whole.
func (s *Submission) read(rows *sql.Rows, whole bool) error {
	var facts, report, content []byte
	fields := []any{
		&s.SubmissionID, &s.Kind, &s.ItemID, &s.Version, &s.UserID, &s.Status, &s.RiskLevel, &s.Reviewer, &s.ReviewNote, &s.CreatedAt, &s.UpdatedAt,
		&s.FoldedID, &s.PackType, &s.ImportID, &s.SHA256, &facts,
	}
	if whole {
		fields = append(fields, &report, &content)
	}
	if err := rows.Scan(fields...); err != nil {
		return err
	}
	if err := json.Unmarshal(facts, &s.Facts); err != nil {
		return err
	}
	if whole {
		s.Report = slices.Clone(report)
		return json.Unmarshal(content, &s.Content)
	}
	return nil
}

// AddSubmission keeps a submission.
func (tx *Tx) AddSubmission(s Submission) error {
	content, err := json.Marshal(s.Content)
	if err != nil {
		return err
	}
	facts, err := json.Marshal(s.Facts)
	if err != nil {
		return err
	}
	if s.Report == nil {
		s.Report = json.RawMessage("{}")
	}
	return tx.Exec(`INSERT INTO submission (`+submissionColumns+`, labels, flags, scanner, size_bytes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
		s.SubmissionID, string(s.Kind), s.ItemID, s.Version, s.UserID, s.Status, s.RiskLevel, s.Reviewer, s.ReviewNote, s.CreatedAt, s.UpdatedAt,
		s.FoldedID, s.PackType, s.ImportID, s.SHA256, string(facts), string(s.Report), string(content),
		joined(s.Facts.ReviewLabels), joined(s.Facts.WarningFlags), s.Facts.Scan.ScannerVersion, s.packageBytes())
}

// packageBytes returns the size of the submission's package; 0 without one.
func (s *Submission) packageBytes() int64 {
	if s.Facts.Artifact == nil || s.Facts.ExamplesOnly { // whose package is the published one
		return 0
	}
	return s.Facts.Artifact.SizeBytes
}

// joined writes a list so that one of its words can be found with LIKE: each between two commas.
func joined(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.ToLower("," + strings.Join(list, ",") + ",")
}

// DecideSubmission moves a submission on from one status; ErrNotFound when it is not in that status.
func (tx *Tx) DecideSubmission(id, from, to, reviewer, note string) error {
	return tx.One(`UPDATE submission SET status = $3, reviewer = $4, review_note = $5, updated_at = $6 WHERE submission_id = $1 AND status = $2`,
		id, from, to, reviewer, note, clock.Micros(tx.Now))
}

// HoldPending keeps a pending submission as it is for all others until the transaction ends, so that what is read of it and written
// back has no change of somebody else between. ErrNotFound when it is decided already.
func (tx *Tx) HoldPending(id string) error {
	return tx.One(`UPDATE submission SET status = status WHERE submission_id = $1 AND status = $2`, id, submission.Pending)
}

// ReplacePending marks a member's pending submissions to one item as replaced and gives their ids, oldest first.
func (tx *Tx) ReplacePending(kind catalog.Kind, itemID, userID string) ([]string, error) {
	var ids []string
	err := sqldb.ScanAll(tx.Ctx, tx.Q, `UPDATE submission SET status = $5, updated_at = $6 WHERE kind = $1 AND item_id = $2 AND user_id = $3 AND status = $4 RETURNING submission_id`,
		[]any{string(kind), itemID, userID, submission.Pending, submission.Replaced, clock.Micros(tx.Now)}, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
	slices.Sort(ids)
	return ids, err
}

// Submission gives one submission, or ErrNotFound.
func (q Queries) Submission(ctx context.Context, id string) (s Submission, err error) {
	err = sqldb.ErrNotFound
	each := sqldb.ScanAll(ctx, q.Q, `SELECT `+submissionColumns+` FROM submission WHERE submission_id = $1`, []any{id}, func(rows *sql.Rows) error {
		err = s.read(rows, true)
		return err
	})
	if each != nil {
		err = each
	}
	return s, err
}

// SubmissionsByStatus lists submissions, oldest first, after a given one.
func (q Queries) SubmissionsByStatus(ctx context.Context, status, after string, limit int) ([]Submission, error) {
	return q.submissions(ctx, false, `SELECT `+submissionRow+` FROM submission WHERE status = $1 AND submission_id > $2 ORDER BY submission_id LIMIT $3`,
		status, after, limit)
}

// SubmissionsUnanswered lists submissions of any status whose member wrote last, oldest first, after a given one.
func (q Queries) SubmissionsUnanswered(ctx context.Context, after string, limit int) ([]Submission, error) {
	return q.submissions(ctx, false, `SELECT `+submissionRow+` FROM submission WHERE submission_id > $1 AND submission_id IN (`+unanswered+`) ORDER BY submission_id LIMIT $2`,
		after, limit)
}

// SubmissionsOf lists the submissions to one item in one status whole, oldest first.
func (q Queries) SubmissionsOf(ctx context.Context, kind catalog.Kind, itemID, status string) ([]Submission, error) {
	return q.submissions(ctx, true, `SELECT `+submissionColumns+` FROM submission WHERE kind = $1 AND item_id = $2 AND status = $3 ORDER BY submission_id`,
		string(kind), itemID, status)
}

// SubmissionFilter says which of a member's submissions are wanted; "" means any. IDPart is part of a folded id.
type SubmissionFilter struct {
	Status, IDPart, PackType, RiskLevel, ReviewLabel, WarningFlag string
}

// MemberSubmissions lists a member's submissions of a kind, newest first, older than the one before.
func (q Queries) MemberSubmissions(ctx context.Context, userID string, kind catalog.Kind, f SubmissionFilter, before string, limit int) ([]Submission, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	return q.submissions(ctx, false, `SELECT `+submissionRow+` FROM submission
		WHERE user_id = $1 AND kind = $2 AND submission_id < $3
		  AND ($4 = '' OR status = $4) AND ($5 = '' OR pack_type = $5) AND ($6 = '' OR risk_level = $6)
		  AND ($7 = '' OR folded_id LIKE $7 ESCAPE '\') AND ($8 = '' OR labels LIKE $8 ESCAPE '\') AND ($9 = '' OR flags LIKE $9 ESCAPE '\')
		ORDER BY submission_id DESC LIMIT $10`,
		userID, string(kind), before, strings.ToLower(f.Status), strings.ToLower(f.PackType), strings.ToLower(f.RiskLevel),
		part(f.IDPart, ""), part(strings.ToLower(f.ReviewLabel), ","), part(strings.ToLower(f.WarningFlag), ","), limit)
}

// part makes the LIKE pattern of a text within another, between two marks; "" stays "".
func part(text, mark string) string {
	if text == "" {
		return ""
	}
	return "%" + mark + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + mark + "%"
}

func (q Queries) submissions(ctx context.Context, whole bool, query string, args ...any) ([]Submission, error) {
	var all []Submission
	err := sqldb.ScanAll(ctx, q.Q, query, args, func(rows *sql.Rows) error {
		all = append(all, Submission{})
		return all[len(all)-1].read(rows, whole)
	})
	return all, err
}

// SubmissionUsesImport tells whether a pending submission was made of a draft.
func (q Queries) SubmissionUsesImport(ctx context.Context, importID string) (bool, error) {
	var n int
	err := sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM submission WHERE import_id = $1 AND status = $2`, []any{importID, submission.Pending}, &n)
	return n > 0, err
}
