package schooldb

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// Embedding is the vector of a passage of an owner's notes, by a model.
type Embedding struct {
	Hash   string
	Vector []byte
}

// Embeddings gives the vectors that are kept of some passages.
func (q Queries) Embeddings(ctx context.Context, owner, model string, hashes []string) ([]Embedding, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	args := []any{owner, model}
	var places strings.Builder
	for i, h := range hashes {
		if i > 0 {
			places.WriteByte(',')
		}
		args = append(args, h)
		places.WriteString("$" + strconv.Itoa(len(args)))
	}
	var all []Embedding
	err := sqldb.ScanAll(ctx, q.Q, `SELECT hash, vector FROM embedding WHERE owner = $1 AND model = $2 AND hash IN (`+places.String()+`)`, args, func(rows *sql.Rows) error {
		var e Embedding
		err := rows.Scan(&e.Hash, &e.Vector)
		all = append(all, e)
		return err
	})
	return all, err
}

// EmbeddedHashes gives the passages of an owner of which vectors are kept, by whatever model.
func (q Queries) EmbeddedHashes(ctx context.Context, owner string) (map[string]bool, error) {
	all := map[string]bool{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT DISTINCT hash FROM embedding WHERE owner = $1`, []any{owner}, func(rows *sql.Rows) error {
		var h string
		err := rows.Scan(&h)
		all[h] = true
		return err
	})
	return all, err
}

// AddEmbeddings keeps vectors.
func (tx *Tx) AddEmbeddings(owner, model string, list []Embedding) error {
	for _, e := range list {
		if err := tx.Exec(`INSERT INTO embedding (owner, model, hash, vector) VALUES ($1, $2, $3, $4) ON CONFLICT (owner, hash, model) DO NOTHING`, owner, model, e.Hash, e.Vector); err != nil {
			return err
		}
	}
	return nil
}

// DropEmbeddings removes the vectors of passages that are no longer there, of every model.
func (tx *Tx) DropEmbeddings(owner string, hashes []string) error {
	for _, h := range hashes {
		if err := tx.Exec(`DELETE FROM embedding WHERE owner = $1 AND hash = $2`, owner, h); err != nil {
			return err
		}
	}
	return nil
}
