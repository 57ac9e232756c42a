package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/platform/ankifile"
)

// deckOf writes a package of notes with a text each; every note has so many cards that show it.
func deckOf(t *testing.T, notes, cards int, text func(note int) string) []byte {
	t.Helper()
	c := anki.Collection{Schema: 11, Models: []anki.Model{{ID: 1, Name: "Basic", Fields: []string{"Front", "Back"}, Raw: []byte(`{"name":"Basic","flds":[{"name":"Front","ord":0},{"name":"Back","ord":1}],"tmpls":[{"name":"1","qfmt":"{{Front}}","afmt":"{{Back}}","ord":0}]}`)}}}
	for n := range notes {
		id := int64(n + 1)
		c.Notes = append(c.Notes, anki.Note{ID: id, GUID: fmt.Sprintf("g%d", n), Model: 1, Fields: []string{fmt.Sprintf("note %d", n), text(n)}})
		for k := range cards {
			c.Cards = append(c.Cards, anki.Card{ID: id*1_000_000 + int64(k), Note: id, Deck: 1})
		}
	}
	var b bytes.Buffer
	if err := ankifile.Write(t.Context(), &b, &c, ankifile.Legacy, t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A package is held to the same quotas as notes, by what its cards say: a small one whose cards repeat a text, or that has
// many sections, is refused and leaves nothing. One that comes again counts once.
func TestAnkiPackagesAreHeldToQuotas(t *testing.T) {
	o := quotas(core.Quotas{core.QuotaNotes: 100, core.QuotaNoteBytes: 64 << 10, core.QuotaNoteSections: 150})
	apitest.Each(t, o, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		send := func(file []byte) *apitest.Reply {
			return ada.Post(ankiIn, m{"content_base64": base64.StdEncoding.EncodeToString(file)})
		}
		plain := func(int) string { return strings.Repeat("word ", 100) }
		before := s.Rows(t)
		for _, c := range []struct {
			name, kind string
			file       []byte
		}{
			{"cards that repeat a text", "note_bytes", deckOf(t, 1, 90, func(int) string { return strings.Repeat("word ", 2000) })},
			{"notes", "notes", deckOf(t, 101, 1, plain)},
			{"sections", "note_sections", deckOf(t, 20, 1, func(int) string { return strings.Repeat("# a<br>", 20) })},
			{"bytes", "note_bytes", deckOf(t, 20, 1, func(int) string { return strings.Repeat("word ", 1000) })},
		} {
			if r := send(c.file).Want(t, 409, "quota_exceeded"); !strings.Contains(string(r.Body), `"`+c.kind+`"`) {
				t.Errorf("%s: %s", c.name, r.Body)
			}
		}
		if after := s.Rows(t); after != before {
			t.Errorf("a refused package has changed rows:\n%s", firstDifference(before, after))
		}
		most := deckOf(t, 80, 1, plain) // more than half of what may be kept
		want(t, send(most).OK(t), m{"data.newCards": 80})
		want(t, send(most).OK(t), m{"data.newCards": 0})
		send(deckOf(t, 90, 1, func(int) string { return strings.Repeat("word ", 200) })).Want(t, 409, "quota_exceeded")
	})
}
