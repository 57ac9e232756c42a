package marketdb

import (
	"context"
	"database/sql"
	"encoding/json"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Version is one published version of an item. PublishedAt in µs; Ordinal counts from 1.
type Version struct {
	Seq           int64
	Version       string
	Ordinal       int
	SubmissionID  string
	ContentDigest string
	RiskLevel     string
	ChangeNote    string
	PublishedAt   int64
}

// Artifact is a package of a version, kept as a blob by its digest.
type Artifact struct {
	catalog.Artifact
	Seq     int64
	Version string
}

const versionColumns = `seq, version, ordinal, submission_id, content_digest, risk_level, change_note, published_at`

// AddVersion adds a version, or gives ErrConflict.
func (tx *Tx) AddVersion(v Version, d *catalog.Document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = tx.Q.ExecContext(tx.Ctx, `INSERT INTO item_version (`+versionColumns+`, document, scanner) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		v.Seq, v.Version, v.Ordinal, v.SubmissionID, v.ContentDigest, v.RiskLevel, v.ChangeNote, v.PublishedAt, string(text), d.Scan.ScannerVersion)
	return sqldb.OrConflict(err)
}

// Versions lists an item's versions, newest first.
func (q Queries) Versions(ctx context.Context, seq int64) ([]Version, error) {
	var all []Version
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+versionColumns+` FROM item_version WHERE seq = $1 ORDER BY ordinal DESC`, []any{seq}, func(rows *sql.Rows) error {
		var v Version
		if err := rows.Scan(&v.Seq, &v.Version, &v.Ordinal, &v.SubmissionID, &v.ContentDigest, &v.RiskLevel, &v.ChangeNote, &v.PublishedAt); err != nil {
			return err
		}
		all = append(all, v)
		return nil
	})
	return all, err
}

// Document gives what a version says, or ErrNotFound.
func (q Queries) Document(ctx context.Context, seq int64, version string) (catalog.Document, error) {
	var text []byte
	var d catalog.Document
	if err := sqldb.ScanOne(ctx, q.Q, `SELECT document FROM item_version WHERE seq = $1 AND version = $2`, []any{seq, version}, &text); err != nil {
		return d, err
	}
	return d, json.Unmarshal(text, &d)
}

// AddArtifact keeps the reference to a package.
func (tx *Tx) AddArtifact(a Artifact) error {
	return tx.Exec(`INSERT INTO artifact (artifact_id, seq, version, source, sha256, size_bytes, filename, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		a.ID, a.Seq, a.Version, a.Source, a.SHA256, a.SizeBytes, a.Filename, clock.Micros(tx.Now))
}

// Artifacts lists the packages of a version, or of all versions of the item when version is "".
func (q Queries) Artifacts(ctx context.Context, seq int64, version string) ([]Artifact, error) {
	query, args := `SELECT artifact_id, version, source, sha256, size_bytes, filename FROM artifact WHERE seq = $1 AND version = $2`, []any{seq, version}
	if version == "" {
		query, args = `SELECT artifact_id, version, source, sha256, size_bytes, filename FROM artifact WHERE seq = $1`, []any{seq}
	}
	var all []Artifact
	err := sqldb.ScanAll(ctx, q.Q, query, args, func(rows *sql.Rows) error {
		a := Artifact{Seq: seq}
		if err := rows.Scan(&a.ID, &a.Version, &a.Source, &a.SHA256, &a.SizeBytes, &a.Filename); err != nil {
			return err
		}
		all = append(all, a)
		return nil
	})
	return all, err
}

// ArtifactRef says which bytes a version counts on.
type ArtifactRef struct {
	Seq     int64
	ItemID  string
	Version string
	Source  string
	SHA256  string
}

// EachArtifact hands every package reference to yield, for a check of the blobs.
func (q Queries) EachArtifact(ctx context.Context, yield func(ArtifactRef) error) error {
	var all []ArtifactRef
	err := sqldb.ScanAll(ctx, q.Q, `SELECT i.seq, i.item_id, a.version, a.source, a.sha256 FROM artifact a JOIN item i ON i.seq = a.seq ORDER BY a.seq`, nil,
		func(rows *sql.Rows) error {
			var r ArtifactRef
			if err := rows.Scan(&r.Seq, &r.ItemID, &r.Version, &r.Source, &r.SHA256); err != nil {
				return err
			}
			all = append(all, r)
			return nil
		})
	if err != nil {
		return err
	}
	// Only now, with the connection free again: checking a blob may take long and may write.
	for _, r := range all {
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}
