package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/fulltext"
)

// TestRelevance runs the relevance set on the real catalog: what users expect
// to find must be found, and both engines must answer alike.
func TestRelevance(t *testing.T) {
	set := relevanceSet(t)
	c := catalog(t)
	list := engines(t)
	for _, e := range list {
		c.fill(t, e)
	}
	for _, wish := range set {
		var first []string
		for i, e := range list {
			ids := find(t, e, c, wish.query)
			if i == 0 {
				first = ids
				wish.check(t, ids)
				continue
			}
			if !slices.Equal(ids, first) {
				t.Errorf("%q: %s answers %v, %s answers %v", wish.query, list[0].name, first, e.name, ids)
			}
		}
	}
	t.Logf("%d queries, %d engines", len(set), len(list))
}

// find returns the ids of the hits, best first.
func find(t testing.TB, e testEngine, c *corpus, query string) []string {
	t.Helper()
	result, err := fulltext.SearchForgiving(context.Background(), e.db, e.index, query, search.Template, c.lookup, c.vocabulary)
	if err != nil {
		t.Fatalf("%s: %q: %v", e.name, query, err)
	}
	ids := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		ids[i] = hit.ID
	}
	return ids
}

// wish is one query of the relevance set with what it must find.
type wish struct {
	place string // file and line
	query string
	rules []rule
}

// rule wants some or all of ids among the first n hits.
type rule struct {
	all bool
	n   int
	ids []string
}

func (w wish) check(t *testing.T, got []string) {
	t.Helper()
	for _, r := range w.rules {
		head := got[:min(len(got), r.n)]
		found := 0
		for _, id := range r.ids {
			if slices.Contains(head, id) {
				found++
			}
		}
		if found == 0 || r.all && found < len(r.ids) {
			t.Errorf("%s: %q: want %v in the first %d of %d hits, got %v", w.place, w.query, r.ids, r.n, len(got), got[:min(len(got), r.n+5)])
		}
	}
}

// relevanceSet reads the scripts beside package search; docs/search.md has
// their format.
func relevanceSet(t *testing.T) []wish {
	t.Helper()
	files, err := filepath.Glob("../search/testdata/relevance/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no relevance set: %v", err)
	}
	var set []wish
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			place := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			query, isQuery := strings.CutPrefix(line, "? ")
			switch {
			case isQuery:
				set = append(set, wish{place: place, query: query})
			case line != "" && line[0] != '#':
				if len(set) == 0 {
					t.Fatalf("%s: rule before any query", place)
				}
				w := &set[len(set)-1]
				w.rules = append(w.rules, parseRule(t, place, line))
			}
		}
	}
	return set
}

func parseRule(t *testing.T, place, line string) rule {
	t.Helper()
	fields := strings.Fields(line)
	r := rule{n: 1, ids: fields[1:]}
	if fields[0] != "first" {
		number := strings.TrimPrefix(strings.TrimPrefix(fields[0], "top"), "some")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%s: unknown rule %q", place, fields[0])
		}
		r.n, r.all = n, strings.HasPrefix(fields[0], "top")
	}
	if len(r.ids) == 0 {
		t.Fatalf("%s: rule without ids", place)
	}
	return r
}
