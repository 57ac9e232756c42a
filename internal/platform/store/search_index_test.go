package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/fulltext"
	"stoa/internal/platform/store/sqldb"
)

func TestSearchIndexKeepsInStep(t *testing.T) {
	ctx := context.Background()
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) {
			var c corpus
			for i := range 5 {
				c.add(search.Document{
					Kind: search.Template, ID: fmt.Sprintf("item-%d", i+1), Titles: []string{fmt.Sprintf("Garden number%c", 'a'+i)},
				}, 0)
			}
			c.fill(t, e)
			status := func(want fulltext.SearchStatus) {
				t.Helper()
				got, err := e.index.Status(ctx, e.db)
				if err != nil || got != want {
					t.Fatalf("status %+v, %v, want %+v", got, err, want)
				}
			}
			status(fulltext.SearchStatus{Documents: 5, MaxSeq: 5, Revisions: 5})

			doc := c.docs[1]
			doc.Titles = []string{"Kitchen"}
			if err := e.index.Put(ctx, e.db, 2, 4, doc); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time there is nothing to delete
				if err := e.index.Delete(ctx, e.db, 5); err != nil {
					t.Fatal(err)
				}
			}
			status(fulltext.SearchStatus{Documents: 4, MaxSeq: 4, Revisions: 7})
			for query, want := range map[string][]string{
				"garden": {"item-1", "item-3", "item-4"}, "kitchen": {"item-2"}, "numbere": {}, "item-3": {"item-3"},
			} {
				if got := find(t, e, &c, query); !slices.Equal(got, want) && (len(got) > 0 || len(want) > 0) {
					t.Errorf("%q finds %v, want %v", query, got, want)
				}
			}
			if _, err := e.db.Exec(`UPDATE item_search_state SET format = 0 WHERE seq < 3`); err != nil {
				t.Fatal(err)
			}
			status(fulltext.SearchStatus{Documents: 4, MaxSeq: 4, Revisions: 7, Outdated: 2})
		})
	}
}

func TestSearchKinds(t *testing.T) {
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) {
			var c corpus
			c.add(search.Document{Kind: search.Template, ID: "one", Titles: []string{"Harbour"}}, 0)
			c.add(search.Document{Kind: search.Pack, ID: "two", Titles: []string{"Harbour"}}, 0)
			c.fill(t, e)
			for kind, want := range map[search.Kind]int{search.AnyKind: 2, search.Template: 1, search.Pack: 1} {
				result, err := fulltext.Search(context.Background(), e.db, e.index, search.ParseQuery("harb"), kind, c.lookup)
				if err != nil || len(result.Hits) != want {
					t.Errorf("kind %q: %d hits, %v, want %d", kind, len(result.Hits), err, want)
				}
			}
		})
	}
}

// TestPopularItemIsNotLost has more matches than are read and asks for the
// oldest, which is the most installed.
func TestPopularItemIsNotLost(t *testing.T) {
	ctx := context.Background()
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) {
			var c corpus
			c.add(search.Document{Kind: search.Template, ID: "oldest", Titles: []string{"Assistant zero"}}, 1_000_000)
			for i := range 1200 {
				c.add(search.Document{Kind: search.Template, ID: fmt.Sprintf("n-%d", i), Titles: []string{"Assistant other"}}, 1)
			}
			c.fill(t, e)
			load := func(_ context.Context, seq int64) (search.Document, bool, error) {
				return c.docs[seq-1], true, nil
			}
			ask := func() search.Result {
				t.Helper()
				result, err := fulltext.Search(ctx, e.db, e.index, search.ParseQuery("assistant"), search.Template, c.lookup)
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			if err := fulltext.RefreshPopular(ctx, e.db, e.index, []int64{1, 1000, 99999}, func(ctx context.Context, seq int64) (search.Document, bool, error) {
				if seq == 99999 {
					return search.Document{}, false, nil
				}
				return load(ctx, seq)
			}); err != nil {
				t.Fatal(err)
			}
			result := ask()
			if !result.Capped || len(result.Hits) != 501 || result.Hits[0].ID != "oldest" {
				t.Errorf("capped %v, %d hits, first %+v", result.Capped, len(result.Hits), result.Hits[0])
			}

			// A new text of a popular item takes the place of the old one there too.
			doc := c.docs[0]
			doc.Titles = []string{"Something else"}
			if err := e.index.Put(ctx, e.db, 1, 2, doc); err != nil {
				t.Fatal(err)
			}
			if result = ask(); len(result.Hits) != 500 {
				t.Errorf("%d hits after the popular item was renamed", len(result.Hits))
			}
			if err := e.index.Put(ctx, e.db, 1, 3, c.docs[0]); err != nil {
				t.Fatal(err)
			}
			if err := fulltext.RefreshPopular(ctx, e.db, e.index, []int64{1000}, load); err != nil {
				t.Fatal(err)
			}
			if result = ask(); len(result.Hits) != 500 || result.Hits[0].ID == "oldest" {
				t.Errorf("%d hits, first %s, after the item stopped being popular", len(result.Hits), result.Hits[0].ID)
			}
		})
	}
}

// TestHiddenItems makes sure that what lookup does not know is not found.
func TestHiddenItems(t *testing.T) {
	for _, e := range engines(t) {
		var c corpus
		c.add(search.Document{Kind: search.Template, ID: "one", Titles: []string{"Lighthouse"}}, 0)
		c.fill(t, e)
		result, err := fulltext.Search(context.Background(), e.db, e.index, search.ParseQuery("lighthouse keeper"), search.Template,
			func(int64) (search.Candidate, bool) { return search.Candidate{}, false })
		if err != nil || len(result.Hits) != 0 {
			t.Errorf("%s: %v, %v", e.name, result, err)
		}
	}
}

// TestHugeDocument has more words than PostgreSQL accepts in one vector.
func TestHugeDocument(t *testing.T) {
	var c corpus
	doc := search.Document{Kind: search.Pack, ID: "huge", Titles: []string{"Huge"}}
	for i := range 40 {
		var text []rune
		for r := range rune(20_000) {
			text = append(text, 0x4e00+(r*7919+rune(i)*131)%20_000)
		}
		doc.Bodies = append(doc.Bodies, string(text))
	}
	c.add(doc, 0)
	for _, e := range engines(t) {
		c.fill(t, e)
	}
}

// Filled at once, an index finds what it finds filled item by item, also afterwards; a filling that fails leaves it as it was.
func TestFillSearch(t *testing.T) {
	ctx := context.Background()
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		fill := func(last error) error {
			return s.FillSearch(ctx, func(tx *store.Tx) error {
				for i := range 40 {
					doc := search.Document{Kind: search.Template, ID: fmt.Sprintf("item-%d", i), Titles: []string{fmt.Sprintf("Garden number%c", 'a'+i%4)}}
					if err := s.Search().Put(ctx, tx.Querier(), int64(i+1), 1, doc); err != nil {
						return err
					}
				}
				return last
			})
		}
		found := func(want int) {
			t.Helper()
			result, err := fulltext.Search(ctx, s.Querier(), s.Search(), search.ParseQuery("numberb"), search.Template, func(seq int64) (search.Candidate, bool) {
				return search.Candidate{ID: fmt.Sprintf("item-%d", seq-1)}, true
			})
			if err != nil || len(result.Hits) != want {
				t.Errorf("%+v, %v, want %d", result, err, want)
			}
		}
		gone := errors.New("gone")
		if err := fill(gone); !errors.Is(err, gone) {
			t.Fatal(err)
		}
		found(0)
		if err := fill(nil); err != nil {
			t.Fatal(err)
		}
		found(10)
		if s.Engine() != sqldb.Postgres {
			return
		}
		rows, err := s.Querier().QueryContext(ctx, `SELECT 1 FROM pg_indexes WHERE indexname = 'item_search_doc' AND schemaname = current_schema()`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if !rows.Next() {
			t.Error("the index was not made again")
		}
	})
}
