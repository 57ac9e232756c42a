package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/search"
)

// Whatever numbers the items have, a question gives the newest that match, in order and none below the oldest that it
// asks for.
func TestMatchGivesTheNewest(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(12, 8))
	words := []string{"common", "even", "rare"}
	var seqs []int64 // newest first
	having := map[string][]int64{}
	edges := []int64{0}
	for bits := 11; bits <= 29; bits += 2 {
		edges = append(edges, 1<<bits, 3<<bits)
	}
	for _, edge := range edges {
		for range 6 {
			seqs = append(seqs, edge+r.Int64N(40)-20, edge+1+r.Int64N(1<<12))
		}
		seqs = append(seqs, edge-1, edge)
	}
	slices.SortFunc(seqs, func(a, b int64) int { return int(b - a) })
	seqs = slices.DeleteFunc(slices.Compact(seqs), func(seq int64) bool { return seq < 1 })
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) {
			clear(having)
			for i, seq := range seqs {
				titles := []string{words[0]}
				if seq%2 == 0 {
					titles = append(titles, words[1])
				}
				if i > len(seqs)-9 { // none among the newest
					titles = append(titles, words[2])
				}
				for _, word := range titles {
					having[word] = append(having[word], seq)
				}
				if err := e.index.Put(ctx, e.db, seq, 1, search.Document{Kind: search.Template, ID: fmt.Sprint("i", seq), Titles: titles}); err != nil {
					t.Fatal(err)
				}
			}
			for range 300 {
				word, limit := words[r.IntN(len(words))], 1+r.IntN(len(seqs)+5)
				from := max(0, seqs[r.IntN(len(seqs))]+r.Int64N(3)-1)
				if r.IntN(2) == 0 {
					from = 0
				}
				var want []int64
				for _, seq := range having[word] {
					if seq >= from && len(want) < limit {
						want = append(want, seq)
					}
				}
				m := search.ParseQuery(word).Plan(search.Template)[1][0].Match // the whole word in the titles
				got, err := e.index.Match(ctx, e.db, m, from, limit)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s from %d, at most %d: %v, %v, want %v", word, from, limit, got, err, want)
				}
			}
		})
	}
}

// What PostgreSQL had indexed before its items were in blocks is found afterwards, popular ones as such.
func TestBlocksOfAnOlderIndex(t *testing.T) {
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("STOA_TEST_POSTGRES is not set")
	}
	ctx, clock, where := context.Background(), dbtest.NewClock(), dbtest.Fresh(t, dsn, dbtest.Empty)
	old := dbtest.Older(t, where, 11, clock)
	for _, seq := range []int64{7, 5000, 5001} {
		if err := old.Search().Put(ctx, old.Querier(), seq, 1, search.Document{Kind: search.Template, ID: fmt.Sprint("i", seq), Titles: []string{"garden"}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := old.Querier().ExecContext(ctx, `UPDATE item_search_state SET popular = TRUE WHERE seq = 7`); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, where, clock)
	m := search.ParseQuery("garden").Plan(search.Template)[1][0].Match
	if got, err := s.Search().Match(ctx, s.Querier(), m, 0, 10); err != nil || !slices.Equal(got, []int64{5001, 5000, 7}) {
		t.Errorf("found %v, %v", got, err)
	}
	if got, err := s.Search().MatchPopular(ctx, s.Querier(), m); err != nil || !slices.Equal(got, []int64{7}) {
		t.Errorf("popular %v, %v", got, err)
	}
}
