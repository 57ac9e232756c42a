package fulltext

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"stoa/internal/platform/search"
)

// A query of common words looks at the newest items of a large index, one with a rare word at all.
func TestSearchWindow(t *testing.T) {
	defer func(before int64) { searchWindow = before }(searchWindow)
	searchWindow = 700
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range FTS5Schema {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seq := int64(1); seq <= 1400; seq++ {
		title := "alpha"
		if seq%2 == 0 {
			title = "beta"
		}
		switch seq {
		case 10: // old, both common words, beyond the window
			title = "alpha beta"
		case 20: // old, both common words, popular
			title = "alpha beta loved"
		case 30: // old, with a rare word
			title = "alpha gamma"
		case 1300: // within the window
			title = "alpha beta"
		}
		if err := (FTS5{}).Put(ctx, tx, seq, 1, search.Document{Kind: search.Template, ID: fmt.Sprint("i", seq), Titles: []string{title}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := (FTS5{}).SetPopular(ctx, tx, 20, search.Document{Kind: search.Template, ID: "i20", Titles: []string{"alpha beta loved"}}, true); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]struct {
		found, missed []int64
		capped        bool
	}{
		"alpha beta":  {found: []int64{1300, 20}, missed: []int64{10}, capped: true},
		"alpha gamma": {found: []int64{30}},
	} {
		result, err := Search(ctx, db, FTS5{}, search.ParseQuery(query), search.Template, func(seq int64) (search.Candidate, bool) {
			return search.Candidate{ID: fmt.Sprint(seq), FoldedTitles: []string{"x"}}, true
		})
		if err != nil {
			t.Fatal(err)
		}
		var all []int64
		for _, hit := range result.Hits {
			all = append(all, hit.Seq)
		}
		for _, seq := range want.found {
			if !slices.Contains(all, seq) {
				t.Errorf("%s: %d is missing", query, seq)
			}
		}
		for _, seq := range want.missed {
			if slices.Contains(all[:min(len(all), 2)], seq) {
				t.Errorf("%s: %d was looked at", query, seq)
			}
		}
		if result.Capped != want.capped {
			t.Errorf("%s: capped %v", query, result.Capped)
		}
	}
}
