package schooldb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Note is a document of knowledge as it is kept. Owner "" is everybody. Times in µs.
type Note struct {
	Owner      string
	DocumentID string
	Changed    int64 // the version of the owner's notes that brought it
	Deleted    bool
	Path       string
	Title      string
	Language   string
	Hash       string
	Version    int64
	Atoms      int64
	Record     []byte // nil in lists
	Content    []byte // nil in lists
	CreatedAt  int64
	UpdatedAt  int64
}

// Correction is a member's word on two concepts, or a language model's, which has Texts; Verdict "" when it was taken back. Of
// one with itself it says whether it is to be learned.
type Correction struct {
	Owner, Source, Target, Verdict string
	Texts                          string // digest of the notes that the model read
	Changed                        int64
	CorrectedAt                    int64
}

// Replaced says that one atom took the place of another.
type Replaced struct {
	ID, Source, Target, Kind, Hash string
	ValidFrom                      int64
}

const noteListed = `owner, document_id, changed, deleted, path, title, language, hash, version, atoms, created_at, updated_at`

func (n *Note) listed() []any {
	return []any{&n.Owner, &n.DocumentID, &n.Changed, &n.Deleted, &n.Path, &n.Title, &n.Language, &n.Hash, &n.Version, &n.Atoms, &n.CreatedAt, &n.UpdatedAt}
}

// NotesVersion is the version of an owner's notes, 0 when there never were any, and the one at which everything before
// was erased.
func (q Queries) NotesVersion(ctx context.Context, owner string) (version, emptied int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT version, emptied FROM note_scope WHERE owner = $1`, []any{owner}, &version, &emptied)
	if errors.Is(err, sqldb.ErrNotFound) {
		return 0, 0, nil
	}
	return version, emptied, err
}

// CountNotes tells how many notes an owner has.
func (q Queries) CountNotes(ctx context.Context, owner string) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM note WHERE owner = $1 AND NOT deleted`, []any{owner}, &n)
	return n, err
}

// notesAtOnce is how many notes are read with one query.
const notesAtOnce = 256

// EachNoteSince calls f for the notes that changed after a version, with their records, in the order of their ids. From version 0
// on, what was deleted is left out. One note is in memory at a time: its record and its content are f's until it returns.
func (q Queries) EachNoteSince(ctx context.Context, owner string, version int64, f func(*Note) error) error {
	after := ""
	for {
		read := 0
		err := sqldb.ScanAll(ctx, q.Q, `SELECT `+noteListed+`, record, content FROM note WHERE owner = $1 AND changed > $2 AND (NOT deleted OR $3) AND document_id > $4 ORDER BY document_id LIMIT $5`,
			[]any{owner, version, version > 0, after, notesAtOnce}, func(rows *sql.Rows) error {
				var n Note
				var record, content sql.RawBytes
				if err := rows.Scan(append(n.listed(), &record, &content)...); err != nil {
					return err
				}
				n.Record, n.Content = record, content
				after = n.DocumentID
				read++
				return f(&n)
			})
		if err != nil || read < notesAtOnce {
			return err
		}
	}
}

// CorrectionsSince gives the corrections that changed after a version, also those that were taken back.
func (q Queries) CorrectionsSince(ctx context.Context, owner string, version int64) ([]Correction, error) {
	var all []Correction
	err := sqldb.ScanAll(ctx, q.Q, `SELECT owner, source, target, verdict, texts, changed, corrected_at FROM note_correction WHERE owner = $1 AND changed > $2 ORDER BY source, target`,
		[]any{owner, version}, func(rows *sql.Rows) error {
			var c Correction
			err := rows.Scan(&c.Owner, &c.Source, &c.Target, &c.Verdict, &c.Texts, &c.Changed, &c.CorrectedAt)
			all = append(all, c)
			return err
		})
	return all, err
}

// Notes lists the documents of an owner and of everybody by owner and id, after the given ones, without their records.
func (q Queries) Notes(ctx context.Context, owner, afterOwner, afterID string, limit int) ([]Note, error) {
	var all []Note
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+noteListed+` FROM note
		WHERE (owner = $1 OR owner = '') AND NOT deleted AND (owner > $2 OR (owner = $2 AND document_id > $3)) ORDER BY owner, document_id LIMIT $4`,
		[]any{owner, afterOwner, afterID, limit}, func(rows *sql.Rows) error {
			all = append(all, Note{})
			return rows.Scan(all[len(all)-1].listed()...)
		})
	return all, err
}

// LockNotes makes everybody else who changes an owner's notes wait, and gives the version before this change.
func (tx *Tx) LockNotes(owner string) (before int64, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO note_scope (owner, version, emptied) VALUES ($1, 1, 0) ON CONFLICT (owner) DO UPDATE SET version = note_scope.version + 1 RETURNING version`,
		[]any{owner}, &before)
	return before - 1, err
}

// PutNote keeps a document under the version that LockNotes made.
func (tx *Tx) PutNote(n Note) error {
	return tx.Exec(`INSERT INTO note (`+noteListed+`, record, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (owner, document_id) DO UPDATE SET changed = $3, deleted = $4, path = $5, title = $6, language = $7, hash = $8, version = $9, atoms = $10,
		updated_at = $12, record = $13, content = $14`,
		n.Owner, n.DocumentID, n.Changed, n.Deleted, n.Path, n.Title, n.Language, n.Hash, n.Version, n.Atoms, n.CreatedAt, n.UpdatedAt, string(n.Record), string(n.Content))
}

// DropNote takes a document out; its line stays so that other nodes learn of it.
func (tx *Tx) DropNote(owner, documentID string, changed int64) error {
	return tx.Exec(`UPDATE note SET deleted = $4, changed = $3, record = '', content = '', atoms = 0, updated_at = $5 WHERE owner = $1 AND document_id = $2`,
		owner, documentID, changed, true, clock.Micros(tx.Now))
}

// PutCorrection keeps a member's correction under the version that LockNotes made.
func (tx *Tx) PutCorrection(c Correction) error {
	return tx.Exec(`INSERT INTO note_correction (owner, source, target, verdict, changed, corrected_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (owner, source, target) DO UPDATE SET verdict = $4, texts = '', changed = $5, corrected_at = $6`,
		c.Owner, c.Source, c.Target, c.Verdict, c.Changed, c.CorrectedAt)
}

// PutModelVerdict keeps what a model said of a pair, whose source is the smaller id, under the version that LockNotes made. A
// member's word on the pair stays.
func (tx *Tx) PutModelVerdict(c Correction) error {
	return tx.Exec(`INSERT INTO note_correction (owner, source, target, verdict, texts, changed, corrected_at)
		SELECT $1, $2, $3, $4, $5, CAST($6 AS BIGINT), CAST($7 AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM note_correction
			WHERE owner = $1 AND verdict <> '' AND texts = '' AND ((source = $2 AND target = $3) OR (source = $3 AND target = $2)))
		ON CONFLICT (owner, source, target) DO UPDATE SET verdict = $4, texts = $5, changed = $6, corrected_at = $7`,
		c.Owner, c.Source, c.Target, c.Verdict, c.Texts, c.Changed, c.CorrectedAt)
}

// DropModelVerdicts takes back all that models said, under the version that LockNotes made, and gives how many there were. The
// lines stay so that other nodes learn of it.
func (tx *Tx) DropModelVerdicts(owner string, changed int64) (int64, error) {
	return tx.Changed(`UPDATE note_correction SET verdict = '', changed = $2 WHERE owner = $1 AND texts <> '' AND verdict <> ''`, owner, changed)
}

// AddReplaced keeps that one atom took the place of another.
func (tx *Tx) AddReplaced(owner string, r Replaced) error {
	return tx.Exec(`INSERT INTO note_history (owner, id, source, target, kind, hash, valid_from) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (owner, id) DO NOTHING`,
		owner, r.ID, r.Source, r.Target, r.Kind, r.Hash, r.ValidFrom)
}

// KeptReplaced is of how many replacements of an owner it is kept which atom took whose place.
const KeptReplaced = 10_000

// TrimReplaced forgets all but the newest replacements among an owner's atoms.
func (tx *Tx) TrimReplaced(owner string) error {
	n, err := tx.countReplaced(tx.Ctx, owner)
	if err != nil || n <= KeptReplaced {
		return err
	}
	return tx.Exec(`DELETE FROM note_history WHERE owner = $1 AND id IN (SELECT id FROM note_history WHERE owner = $1 ORDER BY valid_from, id LIMIT $2)`, owner, n-KeptReplaced)
}

// CountCorrections counts the pairs of an owner's atoms that the owner, in either direction, or a model said something of.
func (q Queries) CountCorrections(ctx context.Context, owner string, byModel bool) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM note_correction WHERE owner = $1 AND (texts <> '') = $2`, []any{owner, byModel}, &n)
	return n, err
}

// countReplaced counts the replacements among an owner's atoms.
func (q Queries) countReplaced(ctx context.Context, owner string) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM note_history WHERE owner = $1`, []any{owner}, &n)
	return n, err
}
