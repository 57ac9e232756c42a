package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
)

// What one changed note costs among 929 and 5,200: sent from the page, and found by `stoa ingest --watch`, which hands over the whole
// folder. The notes have a definition, sections, terms and links each.
// STOA_TEST_POSTGRES= go test ./internal/httpapi -run '^$' -bench OneChangedNote -benchtime 20x
func BenchmarkOneChangedNote(b *testing.B) {
	for _, notes := range []int{929, 5200} {
		vault := make([]graph.Document, notes)
		for i := range vault {
			vault[i] = graph.Document{Path: fmt.Sprintf("v/dir%d/Note %d.md", i%20, i), Content: benchNote(i, notes, 0)}
		}
		operator := core.Caller{Role: core.Member, UserID: "ada"}
		fill := func(b *testing.B) *apitest.Server {
			s := apitest.Start(b, apitest.Engines(b)[0], apitest.Options{})
			if _, err := s.App.IngestFolder(b.Context(), operator, "ada", "v", true, vault, time.UTC); err != nil {
				b.Fatal(err)
			}
			return s
		}
		b.Run(fmt.Sprintf("page/%d", notes), func(b *testing.B) {
			ada := fill(b).As(b, "ada")
			post := func(i, version int) { // not checked against the contract: that costs a third of the request and is not the server's
				body, err := json.Marshal(m{"documents": []m{{"sourcePath": vault[i].Path, "content": benchNote(i, notes, version)}}})
				if err != nil {
					b.Fatal(err)
				}
				ada.Raw(http.MethodPost, "/api/knowledge/ingest", body).OK(b)
			}
			post(0, -1) // the first one makes the index
			for n := 0; b.Loop(); n++ {
				post(n*37%notes, n+1)
			}
		})
		b.Run(fmt.Sprintf("watch/%d", notes), func(b *testing.B) {
			s := fill(b)
			for n := 0; b.Loop(); n++ {
				i := n * 37 % notes
				vault[i].Content = benchNote(i, notes, n+1)
				if _, err := s.App.IngestFolder(b.Context(), operator, "ada", "v", true, vault, time.UTC); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchNote(i, notes, version int) string {
	var t strings.Builder
	fmt.Fprintf(&t, "A matter of kind %d is a thing of which [[Note %d]] and [[Note %d]] speak as well.\n\nRequires: [[Note %d]]\n\n", i, i*53%notes, i*91%notes, i*7%notes)
	for k := range 4 {
		fmt.Fprintf(&t, "## Part %d\n\n- **Term %d of %d**: what is told from the others by its number, version %d\n- **Other %d of %d**: the opposite of it, in every sense of the word\n\nThe sentence of part %d says what somebody has to remember of it for some time.\n\n", k, k, i, version, k, i, k)
	}
	return t.String()
}
