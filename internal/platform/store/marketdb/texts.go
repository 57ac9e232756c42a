package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// ItemText is an item rendered in one language; Locale "" is what other languages fall back to.
type ItemText struct {
	Locale  string
	Listing []byte
	Detail  []byte
}

// PutTexts replaces an item's rendered texts.
func (tx *Tx) PutTexts(seq int64, texts []ItemText) error {
	if err := tx.Exec(`DELETE FROM item_text WHERE seq = $1`, seq); err != nil {
		return err
	}
	for _, t := range texts {
		if err := tx.Exec(`INSERT INTO item_text (seq, locale, listing, detail) VALUES ($1, $2, $3, $4)`,
			seq, t.Locale, string(t.Listing), string(t.Detail)); err != nil {
			return err
		}
	}
	return nil
}

// listingBatch is how many items one statement reads, so that only one statement text is ever compiled.
const listingBatch = 50

// Listings hands the rendered list entries of the given items in one language to yield, in any order.
// Items that are gone are left out.
func (q Queries) Listings(ctx context.Context, seqs []int64, locale string, yield func(seq int64, listing []byte)) error {
	for len(seqs) > 0 {
		n := min(len(seqs), listingBatch)
		if err := q.listings(ctx, seqs[:n], locale, yield); err != nil {
			return err
		}
		seqs = seqs[n:]
	}
	return nil
}

var listingsSQL = `SELECT seq, locale, listing FROM item_text WHERE locale IN ($1, '') AND seq IN (` + sqldb.Placeholders(2, listingBatch) + `)`

func (q Queries) listings(ctx context.Context, seqs []int64, locale string, yield func(int64, []byte)) error {
	args := make([]any, 1, 1+listingBatch)
	args[0] = locale
	for i := range listingBatch {
		args = append(args, seqs[min(i, len(seqs)-1)])
	}
	fallback := make(map[int64][]byte, len(seqs))
	own := make(map[int64]bool, len(seqs))
	err := sqldb.ScanAll(ctx, q.Q, listingsSQL, args, func(rows *sql.Rows) error {
		var seq int64
		var tag string
		var text []byte
		if err := rows.Scan(&seq, &tag, &text); err != nil {
			return err
		}
		if tag == "" {
			fallback[seq] = text
			return nil
		}
		own[seq] = true
		yield(seq, text)
		return nil
	})
	for seq, text := range fallback {
		if !own[seq] {
			yield(seq, text)
		}
	}
	return err
}

// Detail gives the rendered page of one item in one language and the number of the item's last change, or ErrNotFound.
func (q Queries) Detail(ctx context.Context, seq int64, locale string) (detail []byte, changeNo int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT t.detail, i.change_no FROM item_text t JOIN item i ON i.seq = t.seq
		WHERE t.seq = $1 AND t.locale IN ($2, '') ORDER BY t.locale DESC LIMIT 1`, []any{seq, locale}, &detail, &changeNo)
	return detail, changeNo, err
}
