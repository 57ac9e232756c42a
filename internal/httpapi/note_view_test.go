package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
)

const (
	notePath  = "/api/knowledge/note"
	mediaPath = "/api/knowledge/media"
	dotGIF    = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
)

const groupNote = `# Groups

A **group** is a set with an associative operation, a neutral element and inverses. See [[Field]] and [[Nowhere]].

![[dot.gif|20]] ![a circle](img/round.gif)

$$ (ab)^{-1} = b^{-1}a^{-1} $$

<script>alert(1)</script>

## Examples

The integers with addition. ^ex
`

// A note is read whole, with its formulas, its pictures and what links to it; the passage that answers a question is marked.
func TestANoteIsReadWhole(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{
			{"documentId": "group", "sourcePath": "maths/Group.md", "content": groupNote},
			{"documentId": "field", "sourcePath": "maths/Field.md", "content": fieldNote + "\nSee [[Group#Examples]] and [[Group#^ex]].\n"},
		}}).OK(t)
		want(t, ada.Post(mediaPath, m{"sourcePath": "maths/img/dot.gif", "content_base64": dotGIF}).OK(t), m{"data.name": "vault:maths/img/dot.gif", "data.kind": "image/gif", "data.size_bytes": 42})
		ada.Post(mediaPath, m{"sourcePath": "maths/img/../img/round.gif", "content_base64": dotGIF}).OK(t)

		r := ada.Get(notePath + "?documentId=group").OK(t)
		want(t, r, m{"data.title": "Groups", "data.sourcePath": "maths/Group.md", "data.shared": false, "data.marked": false, "data.next": 0, "data.backlinks.0.documentId": "field", "data.backlinks.0.title": "Field"})
		body := mustText(t, r.At("data.body"))
		for _, part := range []string{
			`["strong",{},"group"]`, `["a",{"note":"field"},"Field"]`, `["a",{"missing":"Nowhere"},"Nowhere"]`, `["media",{"kind":"image/gif","name":"vault:maths/img/dot.gif","width":"20"}]`,
			`"name":"vault:maths/img/round.gif"`, `["math",{"display":"1"},"(ab)^{-1} = b^{-1}a^{-1}"]`, `["h2",{"id":"at-examples"},"Examples"]`, `["p",{"id":"at-^ex"},"The integers with addition."]`,
		} {
			if !strings.Contains(body, part) {
				t.Errorf("no %s in %s", part, body)
			}
		}
		if strings.Contains(body, "script") || strings.Contains(body, "alert") {
			t.Errorf("the note holds %s", body)
		}
		want(t, ada.Get(notePath+"?documentId=field").OK(t), m{"data.backlinks.0.documentId": "group", "data.learned.0.state": "ready", "data.learned.0.questions": float64(len(listed(ada.Get(questions + "?atomId=" + apitest.Atom("ada", "field")).OK(t))))})

		// Another learner sees nothing of it.
		bob.Get(notePath+"?documentId=group").Want(t, 404, "not_found")
		bob.Get(notePath+"?atomId="+apitest.Atom("ada", "field")).Want(t, 422, "invalid_request")
		bob.Get(mediaPath+"?name=vault:maths/img/dot.gif").Want(t, 404, "not_found")
		if shown := ada.Get(mediaPath + "?name=vault:maths/img/dot.gif").OK(t); shown.Header.Get("Content-Type") != "image/gif" {
			t.Errorf("the picture came as %s", shown.Header.Get("Content-Type"))
		}

		// A unit that is a section says where it begins; what was answered shows.
		section := strings.Repeat("It says something about the sea, which is wide and deep, and about the ships that cross it every day. ", 16)
		ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "sea", "sourcePath": "Sea.md", "content": section + "\n\n## Tides\n\n" + section + "\n\n## Ships\n\n" + section + "\n\n## Fish\n\n" + section}}}).OK(t)
		anchors := mustText(t, ada.Get(notePath+"?documentId=sea").OK(t).At("data.learned"))
		if !strings.Contains(anchors, `"anchor":"at-tides"`) || !strings.Contains(anchors, `"anchor":""`) {
			t.Errorf("units: %s", anchors)
		}
		ada.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": apitest.Atom("ada", "field"), "outcome": "correct"}}}).OK(t)
		answered := ada.Get(notePath + "?documentId=field").OK(t)
		if answered.Str("data.learned.0.nextReviewAt") == "" || answered.Str("data.learned.0.state") == "ready" {
			t.Errorf("after an answer: %v", answered.At("data.learned.0"))
		}
		png := ada.Post(mediaPath, m{"sourcePath": "maths/img/round.png", "content_base64": "iVBORw0KGgoAAAAA"}).OK(t)
		want(t, png, m{"data.kind": "image/png", "data.size_bytes": 12})

		// The passage that answers.
		atom := apitest.Atom("ada", "field")
		question := ada.Get(questions + "?atomId=" + atom).OK(t).Str("data.items.0.questionId")
		if plain := ada.Get(notePath + "?atomId=" + atom).OK(t); plain.At("data.marked") != false {
			t.Errorf("marked without a question")
		}
		want(t, ada.Get(notePath+"?atomId="+apitest.Atom("ada", "group")).OK(t), m{"data.documentId": "group"})
		marked := ada.Get(notePath + "?atomId=" + atom + "&questionId=" + question).OK(t)
		if body := mustText(t, marked.At("data.body")); marked.At("data.marked") != true || !strings.Contains(body, `["evidence",{}`) || !strings.Contains(body, "coulomb") {
			t.Errorf("marked %v: %s", marked.At("data.marked"), body)
		}
	})
}

func mustText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func listed(r *apitest.Reply) []any { return r.At("data.items").([]any) }

// A note with a hundred thousand links comes in parts, each bounded; a note of everybody says that it is one.
func TestANoteThatIsTooLongComesInParts(t *testing.T) {
	heavy(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	if _, err := s.App.IngestShared(t.Context(), core.Caller{Role: core.Member}, notebook.IngestInput{Documents: []notebook.IngestDocument{{DocumentID: "everybody", SourcePath: "e/All.md", Content: "A note of everybody about the sea.\n"}}}); err != nil {
		t.Fatal(err)
	}
	want(t, ada.Get(notePath+"?documentId=everybody").OK(t), m{"data.shared": true, "data.leftOut": false})
	ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "many", "sourcePath": "v/Many.md", "content": strings.Repeat("[[All]] ", 100_000)}}}).OK(t)
	seen := ""
	for start, parts := 0, 0; ; parts++ {
		r := ada.Get(notePath + "?documentId=many&start=" + mustText(t, start)).OK(t)
		if r.At("data.leftOut") != true && r.Int("data.next") != 0 || len(r.Body) > 8<<20 {
			t.Fatalf("%d bytes, left out: %v", len(r.Body), r.At("data.leftOut"))
		}
		next := r.Int("data.next")
		if next == 0 {
			seen += "."
			break
		}
		if next <= start || parts > 10 {
			t.Fatalf("from %d to %d", start, next)
		}
		start, seen = next, seen+"."
	}
	if len(seen) != 4 {
		t.Errorf("%d parts", len(seen))
	}
}

// What is no picture is not kept, whatever its name; neither is what is too large, nor what lies nowhere.
func TestOnlyPicturesSoundsAndFilmsAreKept(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for name, body := range map[string]m{
		"a page":    {"sourcePath": "v/x.png", "content_base64": "PGh0bWw+PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="},
		"a drawing": {"sourcePath": "v/x.svg", "content_base64": "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4="},
		"nothing":   {"sourcePath": "v/x.png", "content_base64": ""},
		"nowhere":   {"sourcePath": "../..", "content_base64": dotGIF},
	} {
		if r := ada.Post(mediaPath, body); r.Status != 422 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	ada.Get(notePath).Want(t, 422, "invalid_request")
}

// A note shows what it embeds: a whole note, a section, a block; a circle ends with a word.
func TestANoteShowsWhatItEmbeds(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{
			{"documentId": "ring", "sourcePath": "v/Ring.md", "content": "A ring has two operations that go together. ^def\n\n## Ideals\n\nAn ideal takes in every product with an element of the ring.\n\n## Units\n\nUnits have an inverse. ![[Field]]"},
			{"documentId": "field", "sourcePath": "v/Field.md", "content": "In a field every element but zero is a unit.\n\n![[Ring#Ideals]]\n\n![[Ring#^def]]\n\n![[Ring]]"},
		}}).OK(t)
		body := string(ada.Get("/api/knowledge/note", "documentId", "field").OK(t).Body)
		for _, want := range []string{`["embed",{"goto":"at-ideals","note":"ring","title":"Ring"},["h2",{},"Ideals"]`, `["embed",{"goto":"at-^def","note":"ring","title":"Ring"},["p",{},"A ring has two operations that go together."]]`, `["embed",{"note":"field","title":"Field","why":"cycle"}]`} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
		if n := strings.Count(body, "Units have an inverse"); n != 1 {
			t.Errorf("the whole ring %d times", n)
		}
	})
}
