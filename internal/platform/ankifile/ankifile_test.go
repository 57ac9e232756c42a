package ankifile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"stoa/internal/learning/anki"
	"stoa/internal/platform/errs"
)

// files are the media of the tests, by digest.
var files = map[string]string{"d1": "a picture", "d2": strings.Repeat("sound ", 9000), "d3": ""}

func openFile(digest string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(files[digest])), nil
}

// keepFile finds the digest of a file that is read.
func keepFile(_ string, content io.Reader) (string, int64, error) {
	text, err := io.ReadAll(content)
	for digest, f := range files {
		if f == string(text) {
			return digest, int64(len(text)), err
		}
	}
	return "", 0, err
}

// collection makes one of a schema with everything that a real one has: several cards per note, decks below decks, lapses,
// learning steps in seconds, rows of cards that are gone, filtered decks, states of FSRS, options, settings, deleted things.
func collection(notes int, schema int, seed uint64) *anki.Collection {
	r := rand.New(rand.NewPCG(3, seed))
	c := &anki.Collection{
		Schema: schema, Col: anki.Header{Created: 1_500_000_000 + r.Int64N(1e8), Modified: r.Int64N(1e13), SchemaModified: 5, Dirty: r.Int64N(2), USN: r.Int64N(100), LastSync: 9},
		Graves: []anki.Grave{{ID: 5, Type: 1, USN: -1}, {ID: 99, Type: 0, USN: 3}},
		Media:  []anki.Media{{Name: "bild ä.png", Digest: "d1", Size: 9}, {Name: "leer.jpg", Digest: "d3"}, {Name: "漢.mp3", Digest: "d2", Size: 54000}},
	}
	basic := anki.Model{ID: 100, Name: "Basic (and reversed card)", Fields: []string{"Front", "Back"}, CSS: ".card{}<&", Modified: 7, USN: -1, Templates: []anki.Template{{Name: "A", Front: "{{Front}}", Back: "{{Back}}"}, {Name: "B", Front: "{{Back}}", Back: "{{Front}}"}}}
	cloze := anki.Model{ID: 200, Name: "Cloze", Cloze: true, Fields: []string{"Text"}, Templates: []anki.Template{{Name: "Cloze", Front: "{{cloze:Text}}", Back: "{{cloze:Text}}"}}}
	c.Models = []anki.Model{basic, cloze}
	c.Decks = []anki.Deck{{ID: 1, Name: "Default"}, {ID: 2, Name: "日本語::漢字", Modified: 3, USN: 4}, {ID: 3, Name: "Math", USN: -1}}
	c.Options = []anki.Options{{ID: 1, Name: "Default"}, {ID: 77, Name: "Hard", Modified: 5, USN: -1}}
	if schema == 11 {
		c.Col.Conf, c.Col.Tags = `{"curDeck":2,"x":"<b>"}`, `{"a::b":-1}`
		for i := range c.Models {
			m := &c.Models[i]
			raw := legacyModelOf(m, m.Modified)
			raw["usn"], raw["addon"], raw["latexPre"] = m.USN, map[string]any{"kept": "as <it> is"}, "x"
			m.Raw = []byte(compactly(raw))
		}
		for i := range c.Decks {
			d := &c.Decks[i]
			raw := legacyDeck(d.ID, d.Name)
			raw["mod"], raw["usn"], raw["desc"] = d.Modified, d.USN, "a & b"
			d.Raw = []byte(compactly(raw))
		}
		for i := range c.Options {
			o := &c.Options[i]
			o.Raw = []byte(compactly(map[string]any{"id": o.ID, "name": o.Name, "mod": o.Modified, "usn": o.USN, "new": map[string]any{"perDay": 7}, "desiredRetention": 0.92}))
		}
	} else {
		for i := range c.Models {
			m := &c.Models[i]
			m.Config = message{}.num(1, uint64(i)).text(3, m.CSS).text(99, "kept")
			for k := range m.Fields {
				m.FieldConfigs = append(m.FieldConfigs, message{}.text(3, "Noto").num(4, uint64(k)))
			}
			for k := range m.Templates {
				m.Templates[k].USN, m.Templates[k].Modified = 5, int64(k)
				m.Templates[k].Config = message{}.text(1, m.Templates[k].Front).text(2, m.Templates[k].Back).text(50, "kept")
			}
		}
		for i := range c.Decks {
			c.Decks[i].Common, c.Decks[i].Kind = message{}.num(1, 1), message{}.inner(1, message{}.num(1, 77))
		}
		for i := range c.Options {
			c.Options[i].Config = message{}.num(9, 7)
		}
		c.Config = []anki.Setting{{Key: "activeDecks", USN: 1, Modified: 2, Value: []byte("[1]")}, {Key: "fsrs", USN: -1, Value: []byte("true")}}
		c.Tags = []anki.TagRow{{Tag: "Leech", USN: 3}, {Tag: "a::b", USN: -1, Collapsed: 1}}
	}
	for i := range int64(notes) {
		n := anki.Note{ID: 1_600_000_000_000 + i, GUID: fmt.Sprintf("g%d#", i), Model: 100, Modified: 1_600_000_000 + i, USN: -1, Fields: []string{fmt.Sprintf("Frage <b>%d</b>", i), "答え\n'\"; DROP"}, Tags: []string{"Leech", "a::b"}, Sort: fmt.Sprintf("Frage %d", i), Checksum: r.Int64N(1 << 32), Flags: r.Int64N(2), Data: "x"}
		if i%7 == 0 {
			n.Sort, n.Tags = strconv.FormatInt(i, 10), nil // a number in a column of numbers
		}
		c.Notes = append(c.Notes, n)
		for ord := range int64(2) {
			k := anki.Card{ID: n.ID + ord*1000, Note: n.ID, Deck: 2 + i%2, Ord: ord, Modified: n.Modified, USN: 7, Type: r.Int64N(4), Queue: r.Int64N(7) - 3, Due: r.Int64N(2e9), Interval: 30, Factor: 2500, Reps: 5, Lapses: 1, Left: 1001, OriginalDue: 3, OriginalDeck: 3 * (i % 2), Flags: r.Int64N(8), Data: `{"s":3.2,"d":5.1,"dr":0.9}`}
			c.Cards = append(c.Cards, k)
		}
	}
	for i := range int64(notes * 8) {
		c.Reviews = append(c.Reviews, anki.Review{ID: 1_600_000_500_000 + i, Card: c.Cards[r.IntN(len(c.Cards))].ID, USN: 3, Ease: r.Int64N(5), Interval: r.Int64N(400) - 100, LastInterval: -600, Factor: 2500, Millis: r.Int64N(60000), Type: r.Int64N(6)})
	}
	c.Reviews = append(c.Reviews, anki.Review{ID: 1_700_000_000_000, Card: 42, Ease: 3})
	return c
}

func compactly(v any) string {
	text, err := compact(v)
	if err != nil {
		panic(err)
	}
	return text
}

func write(t testing.TB, c *anki.Collection, f Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(context.Background(), &b, c, f, t.TempDir(), openFile); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, file []byte) anki.Collection {
	t.Helper()
	dir := t.TempDir()
	got, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), dir, Default, keepFile)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	return got
}

var bothSorted = []cmp.Option{
	cmpopts.EquateEmpty(),
	cmpopts.SortSlices(func(a, b anki.Card) bool { return a.ID < b.ID }),
	cmpopts.SortSlices(func(a, b anki.Grave) bool { return a.ID < b.ID }),
}

// TestIdentity: what is read and written in its own schema is the same, and merging it with itself changes nothing.
func TestIdentity(t *testing.T) {
	for _, schema := range []int{11, 18} {
		for seed := range uint64(6) {
			want := collection(int(seed*8), schema, seed)
			got := read(t, write(t, want, FormatOf(want)))
			if diff := cmp.Diff(*want, got, bothSorted...); diff != "" {
				t.Fatalf("schema %d, seed %d: %s", schema, seed, diff)
			}
			merged := anki.Merge(got, got)
			if diff := cmp.Diff(got, merged, bothSorted...); diff != "" {
				t.Fatalf("merged with itself, schema %d: %s", schema, diff)
			}
			if n := anki.Learn(&got, map[int64]anki.Learned{}); n != 0 {
				t.Fatal(n)
			}
			again := read(t, write(t, &got, FormatOf(&got)))
			if diff := cmp.Diff(got, again, bothSorted...); diff != "" {
				t.Fatalf("the second time, schema %d: %s", schema, diff)
			}
		}
	}
}

// TestOtherSchema: notes, cards, reviews and media are the same in the other schema too.
func TestOtherSchema(t *testing.T) {
	for _, schema := range []int{11, 18} {
		want := collection(40, schema, 1)
		got := read(t, write(t, want, Legacy+Modern-FormatOf(want)))
		if diff := cmp.Diff(want.Reviews, got.Reviews) + cmp.Diff(want.Notes, got.Notes, bothSorted...) + cmp.Diff(want.Cards, got.Cards, bothSorted...) + cmp.Diff(want.Media, got.Media); diff != "" {
			t.Errorf("from %d: %s", schema, diff)
		}
		for i := range want.Decks {
			if want.Decks[i].Name != got.Decks[i].Name {
				t.Errorf("deck %q", got.Decks[i].Name)
			}
		}
		if len(got.Models) != 2 || got.Models[0].Templates[1].Front != "{{Back}}" || !got.Models[1].Cloze {
			t.Errorf("%+v", got.Models)
		}
	}
}

func TestOldestFormat(t *testing.T) {
	// Only collection.anki2, as Anki 2.0 writes it.
	file := write(t, collection(3, 11, 1), Legacy)
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var old bytes.Buffer
	w := zip.NewWriter(&old)
	for _, f := range z.File {
		if f.Name == "collection.anki2" {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Close()
	got, err := Read(context.Background(), bytes.NewReader(old.Bytes()), int64(old.Len()), t.TempDir(), Default, nil)
	if err != nil || len(got.Reviews) != 25 {
		t.Fatal(err, len(got.Reviews))
	}
}

func TestHostile(t *testing.T) {
	pack := func(members ...string) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i := 0; i < len(members); i += 2 {
			f, err := w.Create(members[i])
			if err != nil {
				t.Fatal(err)
			}
			f.Write([]byte(members[i+1]))
		}
		w.Close()
		return b.Bytes()
	}
	encoder, _ := zstd.NewWriter(nil)
	bomb := encoder.EncodeAll(make([]byte, 8<<20), nil)
	for name, c := range map[string]struct {
		file []byte
		code errs.Code
	}{
		"no zip":        {[]byte("hello"), errs.InvalidRequest},
		"empty":         {pack(), errs.InvalidRequest},
		"no collection": {pack("../../etc/passwd", "x"), errs.InvalidRequest},
		"no database":   {pack("collection.anki2", "not a database at all"), errs.InvalidRequest},
		"no zstd":       {pack("collection.anki21b", "x"), errs.InvalidRequest},
		"two":           {pack("collection.anki2", "x", "collection.anki2", "y"), errs.InvalidRequest},
		"zip bomb":      {pack("collection.anki21", string(make([]byte, 8<<20))), errs.PackageTooLarge},
		"zstd bomb":     {pack("collection.anki21b", string(bomb)), errs.PackageTooLarge},
		"many rows":     {write(t, collection(120, 11, 1), Legacy), errs.PackageTooLarge},
	} {
		dir := t.TempDir()
		_, err := Read(context.Background(), bytes.NewReader(c.file), int64(len(c.file)), dir, Limits{Unpacked: 4 << 20, Rows: 500, File: 1 << 20, Media: 2 << 20}, keepFile)
		var e *errs.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, collection(1, 11, 1), Legacy))
	f.Add(write(f, collection(1, 18, 1), Modern))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), t.TempDir(), Limits{Unpacked: 4 << 20, Rows: 1000, File: 1 << 20, Media: 2 << 20}, keepFile)
		if err == nil {
			_, _ = anki.Cards(context.Background(), &c, 1<<20)
			anki.Observations(&c)
		}
	})
}
