package schooldb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// AnkiCollection says where a learner's Anki collection is kept.
type AnkiCollection struct {
	Owner                           string
	Version                         int64
	SHA256                          string
	SizeBytes, Schema               int64
	Whole                           bool
	Notes, Cards, Reviews, UpdateAt int64
	// DeckOptions is what the options of its decks ask of study, as JSON.
	DeckOptions string
}

// NoteMedia is a picture or a sound of an owner's notes.
type NoteMedia struct {
	Name, SHA256 string
	SizeBytes    int64
	Kind         string // media type
}

// AnkiCollection gives a learner's collection; ErrNotFound when there is none.
func (q Queries) AnkiCollection(ctx context.Context, owner string) (AnkiCollection, error) {
	c := AnkiCollection{Owner: owner}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT version, sha256, size_bytes, schema_no, whole, notes, cards, reviews, updated_at, deck_options FROM anki_collection WHERE owner = $1`, []any{owner},
		&c.Version, &c.SHA256, &c.SizeBytes, &c.Schema, &c.Whole, &c.Notes, &c.Cards, &c.Reviews, &c.UpdateAt, &c.DeckOptions)
	return c, err
}

// PutAnkiCollection keeps a collection whose version is one more than that of the kept one; false when somebody else was
// faster.
func (tx *Tx) PutAnkiCollection(c AnkiCollection) (bool, error) {
	n, err := tx.Changed(`INSERT INTO anki_collection (owner, version, sha256, size_bytes, schema_no, whole, notes, cards, reviews, updated_at, deck_options)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (owner) DO UPDATE SET version = $2, sha256 = $3, size_bytes = $4, schema_no = $5, whole = $6, notes = $7, cards = $8, reviews = $9, updated_at = $10, deck_options = $11
		WHERE anki_collection.version = $2 - 1`,
		c.Owner, c.Version, c.SHA256, c.SizeBytes, c.Schema, c.Whole, c.Notes, c.Cards, c.Reviews, clock.Micros(tx.Now), c.DeckOptions)
	return n == 1, err
}

// DeckOptions gives what the options of a learner's decks ask of study, with the version of the collection; "" when there is
// none.
func (q Queries) DeckOptions(ctx context.Context, owner string) (version int64, text string, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT version, deck_options FROM anki_collection WHERE owner = $1`, []any{owner}, &version, &text)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return version, text, err
}

// NoteMedium gives one picture or sound of an owner; ErrNotFound when there is none.
func (q Queries) NoteMedium(ctx context.Context, owner, name string) (NoteMedia, error) {
	m := NoteMedia{Name: name}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT sha256, size_bytes, kind FROM note_media WHERE owner = $1 AND name = $2`, []any{owner, name}, &m.SHA256, &m.SizeBytes, &m.Kind)
	return m, err
}

// NoteMediaOf lists the pictures and sounds of an owner by name.
func (q Queries) NoteMediaOf(ctx context.Context, owner string) ([]NoteMedia, error) {
	var all []NoteMedia
	err := sqldb.ScanAll(ctx, q.Q, `SELECT name, sha256, size_bytes, kind FROM note_media WHERE owner = $1 ORDER BY name`, []any{owner}, func(rows *sql.Rows) error {
		var m NoteMedia
		err := rows.Scan(&m.Name, &m.SHA256, &m.SizeBytes, &m.Kind)
		all = append(all, m)
		return err
	})
	return all, err
}

// NoteMediaHeld counts the pictures and sounds of an owner, and their bytes.
func (q Queries) NoteMediaHeld(ctx context.Context, owner string) (count, size int64, err error) {
	var total sql.NullInt64
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), CAST(SUM(size_bytes) AS BIGINT) FROM note_media WHERE owner = $1`, []any{owner}, &count, &total)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return count, total.Int64, err
}

// PutNoteMedia keeps a picture or a sound.
func (tx *Tx) PutNoteMedia(owner string, m NoteMedia) error {
	return tx.Exec(`INSERT INTO note_media (owner, name, sha256, size_bytes, kind, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (owner, name) DO UPDATE SET sha256 = $3, size_bytes = $4, kind = $5, updated_at = $6`, owner, m.Name, m.SHA256, m.SizeBytes, m.Kind, clock.Micros(tx.Now))
}

// DeleteNoteMedia forgets a picture or a sound; its bytes are left.
func (tx *Tx) DeleteNoteMedia(owner, name string) error {
	return tx.Exec(`DELETE FROM note_media WHERE owner = $1 AND name = $2`, owner, name)
}
