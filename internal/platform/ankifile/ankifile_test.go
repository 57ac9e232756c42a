package ankifile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"stoa/internal/learning/anki"
	"stoa/internal/platform/errs"
)

// collection makes one with everything that a real one has: several cards per note, decks below decks, lapses, learning
// steps in seconds, rows of cards that are gone, filtered decks and states of FSRS.
func collection(notes int) anki.Collection {
	r := rand.New(rand.NewPCG(3, 4))
	c := anki.Collection{
		Created: time.Unix(1_500_000_000, 0).UTC(),
		Models: []anki.Model{
			{ID: 100, Name: "Basic (and reversed card)", Fields: []string{"Front", "Back"}, CSS: ".card{}", Templates: []anki.Template{{Name: "A", Front: "{{Front}}", Back: "{{Back}}"}, {Name: "B", Front: "{{Back}}", Back: "{{Front}}"}}},
			{ID: 200, Name: "Cloze", Cloze: true, Fields: []string{"Text"}, Templates: []anki.Template{{Name: "Cloze", Front: "{{cloze:Text}}", Back: "{{cloze:Text}}"}}},
		},
		Decks: []anki.Deck{{ID: 1, Name: "Default"}, {ID: 2, Name: "日本語::漢字"}, {ID: 3, Name: "Math"}},
	}
	for i := range int64(notes) {
		n := anki.Note{ID: 1_600_000_000_000 + i, GUID: fmt.Sprintf("g%d#", i), Model: 100, Modified: 1_600_000_000 + i, USN: -1, Fields: []string{fmt.Sprintf("Frage <b>%d</b>", i), "答え\n'\"; DROP"}, Tags: []string{"Leech", "a::b"}}
		c.Notes = append(c.Notes, n)
		for ord := range int64(2) {
			k := anki.Card{ID: n.ID + ord*1000, Note: n.ID, Deck: 2 + i%2, Ord: ord, Modified: n.Modified, USN: 7, Type: 2, Queue: 2, Due: 900, Interval: 30, Factor: 2500, Reps: 5, Lapses: 1, Left: 1001, OriginalDue: 3, OriginalDeck: 3, Flags: 2, Data: `{"s":3.2,"d":5.1,"dr":0.9}`}
			c.Cards = append(c.Cards, k)
		}
	}
	for i := range int64(notes * 8) {
		c.Reviews = append(c.Reviews, anki.Review{ID: 1_600_000_500_000 + i, Card: c.Cards[r.IntN(len(c.Cards))].ID, USN: 3, Ease: r.Int64N(5), Interval: r.Int64N(400) - 100, LastInterval: -600, Factor: 2500, Millis: r.Int64N(60000), Type: r.Int64N(6)})
	}
	c.Reviews = append(c.Reviews, anki.Review{ID: 1_700_000_000_000, Card: 42, Ease: 3})
	return c
}

func write(t testing.TB, c anki.Collection, f Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(context.Background(), &b, c, f, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for name, f := range map[string]Format{"legacy": Legacy, "modern": Modern} {
		t.Run(name, func(t *testing.T) {
			want := collection(300)
			file := write(t, want, f)
			dir := t.TempDir()
			got, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), dir, Default)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(anki.Model{}, "Raw"), cmpopts.SortSlices(func(a, b anki.Card) bool { return a.ID < b.ID })); diff != "" {
				t.Error(diff)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			// Once more, into the other format: nothing gets lost between them.
			file = write(t, got, Legacy+Modern-f)
			again, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), dir, Default)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got.Reviews, again.Reviews) + cmp.Diff(got.Notes, again.Notes) + cmp.Diff(got.Cards, again.Cards); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOldestFormat(t *testing.T) {
	// Only collection.anki2, as Anki 2.0 writes it.
	file := write(t, collection(3), Legacy)
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
	got, err := Read(context.Background(), bytes.NewReader(old.Bytes()), int64(old.Len()), t.TempDir(), Default)
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
		"many rows":     {write(t, collection(120), Legacy), errs.PackageTooLarge},
	} {
		dir := t.TempDir()
		_, err := Read(context.Background(), bytes.NewReader(c.file), int64(len(c.file)), dir, Limits{Unpacked: 4 << 20, Rows: 500})
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
	f.Add(write(f, collection(1), Legacy))
	f.Add(write(f, collection(1), Modern))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), t.TempDir(), Limits{Unpacked: 4 << 20, Rows: 1000})
		if err == nil {
			anki.Documents(c)
			anki.Observations(c)
		}
	})
}
