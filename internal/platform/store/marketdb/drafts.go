package marketdb

import (
	"context"
	"database/sql"
	"encoding/json"

	"stoa/internal/market/submission"
	"stoa/internal/platform/store/sqldb"
)

// Draft is a member's imported setup that is not submitted yet. Blob is encrypted to Key; CreatedAt in µs.
type Draft struct {
	ArtifactID  string
	UserID      string
	Filename    string
	Fingerprint string // SHA-256 of the bytes as they were uploaded
	Blob        string
	Key         string
	SizeBytes   int64 // of the bytes as they were uploaded
	Listing     json.RawMessage
	Detail      json.RawMessage
	Choices     json.RawMessage // what the member has chosen so far; empty before they choose anything
	CreatedAt   int64
}

const draftColumns = `artifact_id, user_id, filename, fingerprint, blob, draft_key, size_bytes, listing, created_at`

func (d *Draft) fields() []any {
	return []any{&d.ArtifactID, &d.UserID, &d.Filename, &d.Fingerprint, &d.Blob, &d.Key, &d.SizeBytes, (*[]byte)(&d.Listing), &d.CreatedAt}
}

// AddDraft keeps a draft.
func (tx *Tx) AddDraft(d Draft) error {
	return tx.Exec(`INSERT INTO import_draft (`+draftColumns+`, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		d.ArtifactID, d.UserID, d.Filename, d.Fingerprint, d.Blob, d.Key, d.SizeBytes, string(d.Listing), d.CreatedAt, string(d.Detail))
}

// Draft gives a draft whole, or ErrNotFound.
func (q Queries) Draft(ctx context.Context, id string) (Draft, error) {
	var d Draft
	err := sqldb.ScanOne(ctx, q.Q, `SELECT `+draftColumns+`, detail, choices FROM import_draft WHERE artifact_id = $1`, []any{id}, append(d.fields(), (*[]byte)(&d.Detail), (*[]byte)(&d.Choices))...)
	return d, err
}

// SetDraftChoices keeps what a member has chosen for a draft, or gives ErrNotFound.
func (tx *Tx) SetDraftChoices(id string, choices json.RawMessage) error {
	return tx.One(`UPDATE import_draft SET choices = $2 WHERE artifact_id = $1`, id, string(choices))
}

// EarlierChoices gives the file name and the choices of a member's drafts older than one, newest first; those without
// choices are left out.
func (q Queries) EarlierChoices(ctx context.Context, userID, before string, limit int) (list []Draft, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT filename, choices FROM import_draft WHERE user_id = $1 AND artifact_id < $2 AND choices <> '' ORDER BY artifact_id DESC LIMIT $3`,
		[]any{userID, before, limit}, func(rows *sql.Rows) error {
			var d Draft
			err := rows.Scan(&d.Filename, (*[]byte)(&d.Choices))
			list = append(list, d)
			return err
		})
	return list, err
}

// EachDraft hands a member's drafts whole to yield, newest first, older than the one before, each with whether a pending
// submission was made of it. One draft is in memory at a time.
func (q Queries) EachDraft(ctx context.Context, userID, before string, limit int, yield func(d Draft, pending bool) error) error {
	if before == "" {
		before = sqldb.NewestID
	}
	return sqldb.ScanAll(ctx, q.Q, `SELECT `+draftColumns+`, detail, EXISTS (SELECT 1 FROM submission s WHERE s.import_id = artifact_id AND s.status = $4)
		FROM import_draft WHERE user_id = $1 AND artifact_id < $2 ORDER BY artifact_id DESC LIMIT $3`,
		[]any{userID, before, limit, submission.Pending}, func(rows *sql.Rows) error {
			var d Draft
			var pending bool
			if err := rows.Scan(append(d.fields(), (*[]byte)(&d.Detail), &pending)...); err != nil {
				return err
			}
			return yield(d, pending)
		})
}

// RemoveDraft removes a draft, or gives ErrNotFound.
func (tx *Tx) RemoveDraft(id string) error {
	return tx.One(`DELETE FROM import_draft WHERE artifact_id = $1`, id)
}

// SweepDrafts removes up to limit drafts with ids below before, oldest first, and returns how many. A draft stays while a
// submission made of it waits for review.
func (tx *Tx) SweepDrafts(before string, limit int) (int64, error) {
	return tx.Changed(`DELETE FROM import_draft WHERE artifact_id IN (SELECT d.artifact_id FROM import_draft d WHERE d.artifact_id < $1
		AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.import_id = d.artifact_id AND s.status = $3) ORDER BY d.artifact_id LIMIT $2)`,
		before, limit, submission.Pending)
}
