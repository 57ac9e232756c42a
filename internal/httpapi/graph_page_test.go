package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// A large graph comes in pages: each concept and each relation once, also where a page has more relations than one answer holds.
func TestGraphComesInPages(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		var docs []m
		const notes, links = 260, 50
		for i := range notes {
			var text strings.Builder
			fmt.Fprintf(&text, "# Topic %d\n\nTopic %d is a rule about case %d.\n\n", i, i, i)
			for k := range links {
				fmt.Fprintf(&text, "Analogous to: [[t%d]].\n\n", (i+k+1)%notes)
			}
			docs = append(docs, note(fmt.Sprint("t", i), text.String()))
		}
		ada.Post(ingestPath, m{"documents": docs}).OK(t)
		graph := "/api/knowledge/graph"
		walk := func(limit string) (nodes, edges map[string]int, first string, pages, bare int) {
			nodes, edges = map[string]int{}, map[string]int{}
			for cursor := ""; ; pages++ {
				r := ada.Get(graph, "limit", limit, "cursor", cursor).OK(t)
				for _, id := range r.All("data.nodes", "atomId") {
					nodes[id]++
				}
				if r.Len("data.nodes") == 0 {
					bare++
				}
				for i := range r.Len("data.edges") {
					e := fmt.Sprintf("data.edges.%d.", i)
					edges[r.Str(e+"edgeId")]++
					if nodes[r.Str(e+"sourceAtomId")] == 0 || nodes[r.Str(e+"targetAtomId")] == 0 {
						t.Fatalf("a relation comes before what it relates: %v", r.At(strings.TrimSuffix(e, ".")))
					}
				}
				cursor = r.Str("data.next_cursor")
				if first == "" {
					first = cursor
				}
				if cursor == "" {
					return nodes, edges, first, pages + 1, bare
				}
			}
		}
		one, whole, _, pages, bare := walk("2000")
		if pages < 2 || bare == 0 || len(whole) <= 10_000 {
			t.Fatalf("%d pages, %d without a concept, %d relations", pages, bare, len(whole))
		}
		nodes, edges, second, pages, _ := walk("60")
		if len(nodes) != len(one) || len(edges) != len(whole) || pages < len(one)/60 {
			t.Errorf("%d concepts and %d relations on %d pages; whole %d and %d", len(nodes), len(edges), pages, len(one), len(whole))
		}
		for _, seen := range []map[string]int{one, whole, nodes, edges} {
			for id, n := range seen {
				if n != 1 {
					t.Fatalf("%s came %d times", id, n)
				}
			}
		}
		s.As(t, "bob").Get(graph, "limit", "60", "cursor", second).Want(t, 400, "invalid_cursor")
		for _, bad := range []string{"x", strings.Repeat("A", 40), strings.Repeat("_", 54)} {
			ada.Get(graph, "cursor", bad).Want(t, 400, "invalid_cursor")
		}
		ada.Get(graph, "limit", "60", "cursor", second).OK(t)
		ada.Post(ingestPath, m{"documents": []m{note("new", "# New\n\nA new rule is a rule that is new.\n")}}).OK(t)
		ada.Get(graph, "limit", "60", "cursor", second).Want(t, 400, "invalid_cursor")
		_, _, second, _, _ = walk("60")
		s.Clock.Advance(2 * time.Hour)
		s.As(t, "ada").Get(graph, "limit", "60", "cursor", second).Want(t, 400, "invalid_cursor")
	})
}
