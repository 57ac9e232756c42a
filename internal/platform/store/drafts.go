package store

import (
	"context"
	"database/sql"
	"encoding/json"
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
	Detail      json.RawMessage // nil in lists
	CreatedAt   int64
}

const draftColumns = `artifact_id, user_id, filename, fingerprint, blob, draft_key, size_bytes, listing, created_at`

func (d *Draft) fields() []any {
	return []any{&d.ArtifactID, &d.UserID, &d.Filename, &d.Fingerprint, &d.Blob, &d.Key, &d.SizeBytes, (*[]byte)(&d.Listing), &d.CreatedAt}
}

// AddDraft keeps a draft.
func (tx *Tx) AddDraft(d Draft) error {
	return tx.exec(`INSERT INTO import_draft (`+draftColumns+`, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		d.ArtifactID, d.UserID, d.Filename, d.Fingerprint, d.Blob, d.Key, d.SizeBytes, string(d.Listing), d.CreatedAt, string(d.Detail))
}

// Draft gives a draft whole, or ErrNotFound.
func (q Queries) Draft(ctx context.Context, id string) (Draft, error) {
	var d Draft
	err := scanOne(ctx, q.q, `SELECT `+draftColumns+`, detail FROM import_draft WHERE artifact_id = $1`, []any{id}, append(d.fields(), (*[]byte)(&d.Detail))...)
	return d, err
}

// Drafts lists a member's drafts, newest first, older than the one before.
func (q Queries) Drafts(ctx context.Context, userID, before string, limit int) ([]Draft, error) {
	if before == "" {
		before = newestID
	}
	var all []Draft
	err := scanAll(ctx, q.q, `SELECT `+draftColumns+` FROM import_draft WHERE user_id = $1 AND artifact_id < $2 ORDER BY artifact_id DESC LIMIT $3`,
		[]any{userID, before, limit}, func(rows *sql.Rows) error {
			all = append(all, Draft{})
			return rows.Scan(all[len(all)-1].fields()...)
		})
	return all, err
}

// RemoveDraft removes a draft, or gives ErrNotFound.
func (tx *Tx) RemoveDraft(id string) error {
	return tx.one(`DELETE FROM import_draft WHERE artifact_id = $1`, id)
}

// BlobInUse tells whether any row names a blob.
func (q Queries) BlobInUse(ctx context.Context, digest string) (bool, error) {
	var n int
	err := scanOne(ctx, q.q, `SELECT (SELECT COUNT(*) FROM artifact WHERE sha256 = $1) + (SELECT COUNT(*) FROM submission WHERE sha256 = $1)
		+ (SELECT COUNT(*) FROM import_draft WHERE blob = $1)`, []any{digest}, &n)
	return n > 0, err
}
