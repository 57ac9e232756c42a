package marketdb

import (
	"context"
	"database/sql"
	"encoding/json"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// TemplateDraft is a template that a member is writing. Revision counts its saves from 1; SavedAt in µs.
type TemplateDraft struct {
	UserID     string
	ID         string
	Revision   int64
	TemplateID string
	Title      string
	Texts      json.RawMessage // all that was written; empty in lists
	SavedAt    int64
}

// TemplateDraft gives one of a member's drafts whole, or ErrNotFound.
func (q Queries) TemplateDraft(ctx context.Context, userID, id string) (TemplateDraft, error) {
	d := TemplateDraft{UserID: userID, ID: id}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT revision, template_id, title, texts, saved_at FROM template_draft WHERE user_id = $1 AND draft_id = $2`, []any{userID, id},
		&d.Revision, &d.TemplateID, &d.Title, (*[]byte)(&d.Texts), &d.SavedAt)
	return d, err
}

// TemplateDrafts lists a member's drafts without their texts, saved last first.
func (q Queries) TemplateDrafts(ctx context.Context, userID string, limit int) (list []TemplateDraft, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT draft_id, revision, template_id, title, saved_at FROM template_draft WHERE user_id = $1 ORDER BY saved_at DESC, draft_id LIMIT $2`,
		[]any{userID, limit}, func(rows *sql.Rows) error {
			d := TemplateDraft{UserID: userID}
			err := rows.Scan(&d.ID, &d.Revision, &d.TemplateID, &d.Title, &d.SavedAt)
			list = append(list, d)
			return err
		})
	return list, err
}

// SaveTemplateDraft keeps a draft as its next revision and returns that: it is made when d.Revision is 0. ErrNotFound means that
// it is at another revision, or gone.
func (tx *Tx) SaveTemplateDraft(d TemplateDraft) (int64, error) {
	row := []any{d.UserID, d.ID, d.Revision + 1, d.TemplateID, d.Title, string(d.Texts), len(d.Texts), clock.Micros(tx.Now)}
	if d.Revision == 0 {
		return 1, tx.One(`INSERT INTO template_draft (user_id, draft_id, revision, template_id, title, texts, size_bytes, saved_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`, row...)
	}
	return d.Revision + 1, tx.One(`UPDATE template_draft SET revision = $3, template_id = $4, title = $5, texts = $6, size_bytes = $7, saved_at = $8
		WHERE user_id = $1 AND draft_id = $2 AND revision = $3 - 1`, row...)
}

// RemoveTemplateDraft removes a draft, or gives ErrNotFound.
func (tx *Tx) RemoveTemplateDraft(userID, id string) error {
	return tx.One(`DELETE FROM template_draft WHERE user_id = $1 AND draft_id = $2`, userID, id)
}

// SweepTemplateDrafts removes up to limit drafts that were saved last before a time in µs, and returns how many.
func (tx *Tx) SweepTemplateDrafts(before int64, limit int) (int64, error) {
	return tx.Changed(`DELETE FROM template_draft WHERE (user_id, draft_id) IN
		(SELECT user_id, draft_id FROM template_draft WHERE saved_at < $1 ORDER BY saved_at LIMIT $2)`, before, limit)
}
