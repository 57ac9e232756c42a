package store_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// dump writes a snapshot out.
func dump(t *testing.T, s *store.Store) (text map[string]string, tables []sqldb.Table) {
	t.Helper()
	v, err := s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	return dumpOf(t, v), v.Tables
}

func dumpOf(t *testing.T, v *store.Snapshot) map[string]string {
	t.Helper()
	text := map[string]string{}
	for _, table := range v.Tables {
		var b bytes.Buffer
		if err := v.Rows(context.Background(), table, func(line []byte) error {
			b.Write(line)
			return b.WriteByte('\n')
		}); err != nil {
			t.Fatal(err)
		}
		text[table.Name] = b.String()
	}
	return text
}

// fill puts rows of every type there, some with what is odd in them.
func fill(t *testing.T, s *store.Store) {
	t.Helper()
	addEvents(t, s, 30)
	chainAll(t, s)
	addEvents(t, s, 3)
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.LockLearner("ada"); err != nil { // empty bytes
			return err
		}
		half := 0.1
		for seq, confidence := range []*float64{nil, &half} {
			o := store.Observation{Seq: int64(seq), AtomID: "a\"\\\u2028\x01ü水", Tags: []byte("[]"), Confidence: confidence, Readiness: 1.0 / 3, ObservedAt: -1, RecordedAt: 1<<62 + 1}
			if err := tx.AddObservation("ada", o); err != nil {
				return err
			}
		}
		return tx.PutLearnerAtom("ada", store.LearnerAtom{AtomID: "a", State: []byte{0, 255, 10}, Shared: []byte{}, Tally: []byte("{}")})
	})
}

func TestSnapshotIsTheSameOnBothEngines(t *testing.T) {
	texts := map[string]map[string]string{}
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		fill(t, s)
		// What differs from run to run.
		change(t, s, `DELETE FROM audit_event`)
		change(t, s, `DELETE FROM audit_head`)
		text, tables := dump(t, s)
		texts[string(s.Engine())] = text
		if len(tables) < 40 || strings.Contains(text["counter"], "search") {
			t.Errorf("%d tables", len(tables))
		}
		if want := `["ada","a","0","AP8K","","{}",0]`; !strings.Contains(text["learner_atom"], `"AP8K","","{}",0]`) {
			t.Errorf("%s, not like %s", text["learner_atom"], want)
		}
	})
	if len(texts) < 2 {
		t.Skip("one engine alone")
	}
	for name, text := range texts["sqlite"] {
		if other := texts["postgres"][name]; other != text {
			t.Errorf("%s:\n%s\n%s", name, text, other)
		}
	}
}

func TestSnapshotSeesOneMoment(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		fill(t, s)
		v, err := s.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		before := dumpOf(t, v)
		addEvents(t, s, 5) // nobody waits for the snapshot
		change(t, s, `DELETE FROM observation`)
		if after := dumpOf(t, v); after["audit_event"] != before["audit_event"] || after["observation"] != before["observation"] || before["observation"] == "" {
			t.Error("the snapshot has changed")
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		if text, _ := dump(t, s); text["observation"] != "" {
			t.Error("the next snapshot is of the same moment")
		}
	})
}

// Rows go from either engine to either, byte for byte; a failure leaves nothing.
func TestLoading(t *testing.T) {
	ctx := context.Background()
	onEngines(t, func(t *testing.T, s *store.Store, clock *dbtest.Clock) {
		fill(t, s)
		text, tables := dump(t, s)
		load := func(l *store.Loader, last error) error {
			return l.Load(ctx, func(into *store.Loading) error {
				for _, table := range tables {
					if err := into.Table(table); err != nil {
						return err
					}
					for line := range strings.Lines(text[table.Name]) {
						if err := into.Row([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
							return err
						}
					}
				}
				return last
			})
		}
		for _, where := range targets(t) {
			l, err := store.OpenEmpty(ctx, where, store.NewestSchema(), clock.Now)
			if err != nil {
				t.Fatal(err)
			}
			gone := errors.New("gone")
			if err := load(l, gone); !errors.Is(err, gone) {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if l, err = store.OpenEmpty(ctx, where, store.NewestSchema(), clock.Now); err != nil {
				t.Fatalf("after a failure it is not empty: %v", err)
			}
			if err := load(l, nil); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			to := openAt(t, where, clock)
			got, _ := dump(t, to)
			for name := range text {
				if got[name] != text[name] {
					t.Errorf("%s: %s\n%s", name, got[name], text[name])
				}
			}
			if at := brokenAt(t, to); at != 0 {
				t.Errorf("broken at %d", at)
			}
			if _, err := store.OpenEmpty(ctx, where, store.NewestSchema(), clock.Now); !errors.Is(err, store.ErrNotEmpty) {
				t.Errorf("a full database was taken for an empty one: %v", err)
			}
		}
	})
}

// targets are an empty database of each engine.
func targets(t *testing.T) []string {
	all := []string{filepath.Join(t.TempDir(), "other.db")}
	if dsn := dbtest.Postgres(t); dsn != "" {
		all = append(all, dbtest.Fresh(t, dsn, dbtest.Empty))
	}
	return all
}

// Text that is not UTF-8 stays what it is on SQLite; PostgreSQL refuses it.
func TestLoadingOddText(t *testing.T) {
	ctx := context.Background()
	clock := dbtest.NewClock()
	s := openAt(t, filepath.Join(t.TempDir(), "stoa.db"), clock)
	change(t, s, `INSERT INTO counter (name, value) VALUES ($1, 7)`, "odd\xff")
	text, tables := dump(t, s)
	for i, where := range targets(t) {
		l, err := store.OpenEmpty(ctx, where, store.NewestSchema(), clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		err = l.Load(ctx, func(into *store.Loading) error {
			for _, table := range tables {
				if table.Name != "counter" {
					continue
				}
				if err := into.Table(table); err != nil {
					return err
				}
				for line := range strings.Lines(text["counter"]) {
					if err := into.Row([]byte(line)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if (err != nil) != (i == 1) {
			t.Errorf("%s: %v", where, err)
		}
		if err != nil && !strings.Contains(err.Error(), "table counter") {
			t.Errorf("the refusal names no table: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if i == 0 {
			if got, _ := dump(t, openAt(t, where, clock)); got["counter"] != text["counter"] || !strings.Contains(text["counter"], "base64") {
				t.Errorf("%s, not %s", got["counter"], text["counter"])
			}
		}
	}
}

func TestSchemas(t *testing.T) {
	ctx := context.Background()
	clock := dbtest.NewClock()
	for _, where := range targets(t) {
		if _, err := store.OpenAsIs(ctx, where, clock.Now); err == nil {
			t.Error("what is not there was opened")
		}
		if _, err := store.OpenEmpty(ctx, where, store.NewestSchema()+1, clock.Now); !errors.Is(err, store.ErrTooNew) {
			t.Errorf("a schema to come: %v", err)
		}
		s := dbtest.Older(t, where, 7, clock)
		if v, err := s.Schema(ctx); err != nil || v.Current != 7 || v.Newest != store.NewestSchema() {
			t.Errorf("%v %v", v, err)
		}
		text, _ := dump(t, s) // an older schema has a snapshot too
		if _, has := text["audit_head"]; has || text["counter"] == "" {
			t.Error("it is not schema 7")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openAt(t, where, clock)
		if v, err := s.Schema(ctx); err != nil || v.Current != v.Newest {
			t.Errorf("%v %v", v, err)
		}
		if _, err := store.OpenEmpty(ctx, where, 7, clock.Now); !errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), "take a new one") {
			t.Errorf("an older schema into a newer: %v", err)
		}
		change(t, s, `INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, $2)`, store.NewestSchema()+1, true)
		for name, open := range map[string]func() error{
			"Open":      func() error { _, err := store.Open(ctx, where, clock.Now); return err },
			"OpenAsIs":  func() error { _, err := store.OpenAsIs(ctx, where, clock.Now); return err },
			"OpenEmpty": func() error { _, err := store.OpenEmpty(ctx, where, 7, clock.Now); return err },
		} {
			if err := open(); !errors.Is(err, store.ErrTooNew) || !strings.Contains(err.Error(), "use a newer stoa") {
				t.Errorf("%s of a newer schema: %v", name, err)
			}
		}
	}
}
