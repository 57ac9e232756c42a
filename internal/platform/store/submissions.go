package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
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
	Content      SubmissionContent
}

// SubmissionContent is what was submitted.
type SubmissionContent struct {
	Document   catalog.Document   `json:"document"`
	Visibility catalog.Visibility `json:"visibility"`
	Channel    string             `json:"channel"`
	Labels     []string           `json:"labels"`
}

const submissionColumns = `submission_id, kind, item_id, version, user_id, status, risk_level, reviewer, review_note, created_at, updated_at, document`

func scanSubmission(rows *sql.Rows) (Submission, error) {
	var s Submission
	var text []byte
	err := rows.Scan(&s.SubmissionID, &s.Kind, &s.ItemID, &s.Version, &s.UserID, &s.Status, &s.RiskLevel, &s.Reviewer, &s.ReviewNote, &s.CreatedAt, &s.UpdatedAt, &text)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s.Content)
}

// AddSubmission keeps a submission.
func (tx *Tx) AddSubmission(s Submission) error {
	text, err := json.Marshal(s.Content)
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO submission (`+submissionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		s.SubmissionID, string(s.Kind), s.ItemID, s.Version, s.UserID, s.Status, s.RiskLevel, s.Reviewer, s.ReviewNote, s.CreatedAt, s.UpdatedAt, string(text))
}

// DecideSubmission moves a submission on from one status; ErrNotFound when it is not in that status.
func (tx *Tx) DecideSubmission(id, from, to, reviewer, note string) error {
	return tx.one(`UPDATE submission SET status = $3, reviewer = $4, review_note = $5, updated_at = $6 WHERE submission_id = $1 AND status = $2`,
		id, from, to, reviewer, note, clock.Micros(tx.Now))
}

// Submission gives one submission, or ErrNotFound.
func (q Queries) Submission(ctx context.Context, id string) (s Submission, err error) {
	err = ErrNotFound
	each := scanAll(ctx, q.q, `SELECT `+submissionColumns+` FROM submission WHERE submission_id = $1`, []any{id}, func(rows *sql.Rows) error {
		s, err = scanSubmission(rows)
		return err
	})
	if each != nil {
		err = each
	}
	return s, err
}

// SubmissionsByStatus lists submissions, oldest first, after a given one.
func (q Queries) SubmissionsByStatus(ctx context.Context, status, after string, limit int) ([]Submission, error) {
	var all []Submission
	err := scanAll(ctx, q.q, `SELECT `+submissionColumns+` FROM submission WHERE status = $1 AND submission_id > $2 ORDER BY submission_id LIMIT $3`,
		[]any{status, after, limit}, func(rows *sql.Rows) error {
			s, err := scanSubmission(rows)
			all = append(all, s)
			return err
		})
	return all, err
}

// SubmissionsOf lists the submissions to one item in one status, oldest first.
func (q Queries) SubmissionsOf(ctx context.Context, kind catalog.Kind, itemID, status string) ([]Submission, error) {
	var all []Submission
	err := scanAll(ctx, q.q, `SELECT `+submissionColumns+` FROM submission WHERE kind = $1 AND item_id = $2 AND status = $3 ORDER BY submission_id`,
		[]any{string(kind), itemID, status}, func(rows *sql.Rows) error {
			s, err := scanSubmission(rows)
			all = append(all, s)
			return err
		})
	return all, err
}
