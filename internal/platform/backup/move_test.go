package backup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"stoa/internal/platform/backup"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

// moveTo is a move of a source; what is rebuilt is left out.
func moveTo(t *testing.T, source backup.Source, at string) backup.Move {
	t.Helper()
	to, err := blob.OpenFolder(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	ready := func(context.Context, *store.Store) error { return nil }
	return backup.Move{Store: source.Store, Blobs: source.Blobs, Database: at, To: to, Clock: source.Clock, Ready: ready}
}

// manyRows adds drafts of some MiB, so that a table has several pieces.
func manyRows(t *testing.T, s *store.Store, digest string) {
	t.Helper()
	for i := range 6 {
		addDraft(t, s, fmt.Sprintf("large-%02d", i), digest, 1)
		exec(t, s, `UPDATE import_draft SET detail = $1 WHERE artifact_id = $2`, fmt.Sprintf("水%d\x01", i)+strings.Repeat("many words ", 100_000), fmt.Sprintf("large-%02d", i))
	}
}

// tables are the sums of a store's tables.
func tables(t *testing.T, at string, m backup.Move) []backup.TableSum {
	t.Helper()
	s, err := store.OpenAsIs(context.Background(), at, m.Clock)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, r := written(t, backup.Source{Store: s, Blobs: m.To, Clock: m.Clock})
	return r.Manifest.Tables
}

// A move that is stopped at every step goes on where it was, writes nothing twice, and is not opened before its end.
func TestMoveStoppedAtEveryStep(t *testing.T) {
	for engine, at := range where(t) {
		source, digests := stocked(t, at)
		manyRows(t, source.Store, digests[0])
		exec(t, source.Store, `DELETE FROM import_draft WHERE blob = $1`, digests[7]) // the large one
		_, want := written(t, source)
		for other, to := range where(t) {
			t.Run(engine+" to "+other, func(t *testing.T) {
				move := moveTo(t, source, to)
				var rows, copied int64
				stopped := 0
				const stride = 9 // steps further than the run before
				for {
					ctx, stop := context.WithCancel(context.Background())
					steps := 0
					r, err := move.Run(ctx, func(string, int64, int64) {
						if steps++; steps == (stopped+1)*stride {
							stop()
						}
					})
					stop()
					rows, copied = rows+r.Written, copied+r.Blobs.Copied
					if err == nil {
						if r.Rows != want.Rows || r.Blobs.Count != want.Manifest.Blobs.Count || r.Blobs.SHA256 != want.Manifest.Blobs.SHA256 || !r.Whole() {
							t.Errorf("%+v, not %+v", r, want.Manifest)
						}
						break
					}
					stopped++
					if !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					if _, err := store.Open(context.Background(), to, move.Clock); !errors.Is(err, store.ErrHalfMoved) {
						t.Fatalf("stopped for the %d. time it was opened: %v", stopped, err)
					}
				}
				if stopped < 8 || rows != want.Rows || copied != int64(len(digests)-1) {
					t.Errorf("stopped %d times, %d rows written of %d, %d blobs copied of %d", stopped, rows, want.Rows, copied, len(digests))
				}
				if got := tables(t, to, move); !reflect.DeepEqual(got, want.Manifest.Tables) {
					t.Errorf("%+v\nnot\n%+v", got, want.Manifest.Tables)
				}
				again, err := move.Run(context.Background(), nil)
				if err != nil || !again.Already || again.Written != 0 || again.Blobs.Copied != 0 || again.Rows != want.Rows || again.Blobs.Count != want.Manifest.Blobs.Count {
					t.Errorf("again: %v %+v", err, again)
				}
			})
		}
	}
}

// half moves some of a source and stops; it gives the move.
func half(t *testing.T, source backup.Source, at, until string) backup.Move {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	move := moveTo(t, source, at)
	if _, err := move.Run(ctx, func(what string, _, _ int64) {
		if what == until {
			stop()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return move
}

// Half a store is opened by nobody, and neither is it taken for an empty one.
func TestHalfMovedIsRefused(t *testing.T) {
	ctx := context.Background()
	source, _ := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	for engine, to := range where(t) {
		t.Run(engine, func(t *testing.T) {
			half(t, source, to, "comparing rows")
			for name, open := range map[string]func() error{
				"Open":      func() error { _, err := store.Open(ctx, to, source.Clock); return err },
				"OpenAsIs":  func() error { _, err := store.OpenAsIs(ctx, to, source.Clock); return err },
				"OpenEmpty": func() error { _, err := store.OpenEmpty(ctx, to, store.NewestSchema(), source.Clock); return err },
			} {
				if err := open(); !errors.Is(err, store.ErrHalfMoved) || !strings.Contains(err.Error(), "stoa migrate-data store") {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// What was written to the source between two runs is moved by the second.
func TestMoveOfAChangedSource(t *testing.T) {
	for engine, to := range where(t) {
		t.Run(engine, func(t *testing.T) {
			source, digests := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
			manyRows(t, source.Store, digests[0])
			move := half(t, source, to, "comparing rows")
			exec(t, source.Store, `DELETE FROM import_draft WHERE artifact_id IN ('large-01', 'draft-03')`)
			exec(t, source.Store, `UPDATE counter SET value = 77 WHERE name = 'item'`)
			r, err := move.Run(context.Background(), nil)
			if err != nil || r.Written != 26 { // two drafts fewer, and both counters
				t.Errorf("%v: %+v", err, r)
			}
			_, want := written(t, source)
			if got := tables(t, to, move); !reflect.DeepEqual(got, want.Manifest.Tables) {
				t.Errorf("%+v\nnot\n%+v", got, want.Manifest.Tables)
			}
		})
	}
}

// Rows that are not the source's are found by the comparison, and written by the next run.
func TestMoveFindsOtherRows(t *testing.T) {
	ctx := context.Background()
	source, _ := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	for engine, to := range where(t) {
		t.Run(engine, func(t *testing.T) {
			move := half(t, source, to, "packages")
			m, err := store.OpenMove(ctx, to, source.Clock, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.Store(ctx)
			if err != nil {
				t.Fatal(err)
			}
			exec(t, s, `UPDATE import_draft SET filename = 'other' WHERE artifact_id = 'draft-05'`)
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := move.Run(ctx, nil); !errors.Is(err, backup.ErrDiffers) || !strings.Contains(err.Error(), "import_draft") {
				t.Errorf("nobody saw: %v", err)
			}
			if r, err := move.Run(ctx, nil); err != nil || r.Written != 20 {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
}

// A place that holds something else is refused, and left as it is.
func TestMoveOntoSomethingElse(t *testing.T) {
	ctx := context.Background()
	source, _ := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	for engine, to := range where(t) {
		t.Run(engine, func(t *testing.T) {
			move := moveTo(t, source, to)
			foreign, _, err := move.To.Put(ctx, strings.NewReader("of another store"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := move.Run(ctx, nil); !errors.Is(err, backup.ErrOtherBlobs) {
				t.Errorf("others' blobs: %v", err)
			}
			if err := move.To.Remove(ctx, foreign); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(ctx, to, source.Clock) // it was not marked
			if err != nil {
				t.Fatal(err)
			}
			addDraft(t, s, "mine", strings.Repeat("1", 64), 1)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			before := tables(t, to, move)
			if _, err := move.Run(ctx, nil); !errors.Is(err, store.ErrNotEmpty) {
				t.Errorf("others' rows: %v", err)
			}
			if !reflect.DeepEqual(tables(t, to, move), before) {
				t.Error("it was changed")
			}
		})
	}
}

// A blob that is wrong at the target is copied again; what the source has lost is named; a draft that went
// meanwhile asks for another run.
func TestMoveOfBlobsThatAreNotThere(t *testing.T) {
	ctx := context.Background()
	source, digests := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	path := func(blobs blob.Store, digest string) string {
		f, err := blobs.Open(ctx, digest)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return blob.OnDisk(f).Name()
	}
	to := filepath.Join(t.TempDir(), "to.db")
	move := half(t, source, to, "search index")
	if err := os.WriteFile(path(move.To, digests[2]), []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := move.To.Remove(ctx, digests[3]); err != nil {
		t.Fatal(err)
	}
	_, err := move.Run(ctx, func(what string, _, _ int64) {
		if what != "comparing rows" {
			return
		}
		if err := errors.Join(move.To.Remove(ctx, digests[4]), source.Blobs.Remove(ctx, digests[4])); err != nil {
			t.Error(err)
		}
		exec(t, source.Store, `DELETE FROM import_draft WHERE blob = $1`, digests[4])
	})
	if !errors.Is(err, backup.ErrChanged) {
		t.Errorf("gone: %v", err)
	}
	if _, err := store.Open(ctx, to, source.Clock); !errors.Is(err, store.ErrHalfMoved) {
		t.Errorf("it was opened: %v", err)
	}
	for _, lose := range []string{digests[10], digests[11]} {
		if err := errors.Join(os.Remove(path(source.Blobs, lose)), move.To.Remove(ctx, lose)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path(source.Blobs, digests[7]), []byte("rotten"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path(move.To, digests[8]), []byte("rotten"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := move.Run(ctx, nil)
	b := r.Blobs
	if err != nil || r.Whole() || len(b.Missing) != 2 || len(b.Damaged) != 1 || b.Damaged[0] != digests[7] || b.Copied != 1 || b.Count != 16 {
		t.Errorf("%v %+v", err, b)
	}
	s, err := store.Open(ctx, to, source.Clock)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := drafts(t, s); n != 19 {
		t.Errorf("%d drafts", n)
	}
}

// Of two runs at once the later one goes on, and the earlier one ends without having written another row.
func TestMoveTakenOver(t *testing.T) {
	source, _ := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	for engine, to := range where(t) {
		t.Run(engine, func(t *testing.T) {
			move := moveTo(t, source, to)
			took := false
			_, err := move.Run(context.Background(), func(what string, done, _ int64) {
				if what == "packages" && !took {
					took = true
					if _, err := move.Run(context.Background(), nil); err != nil {
						t.Error(err)
					}
				}
			})
			if err == nil || !took {
				t.Error("both went on")
			}
			s, err := store.Open(context.Background(), to, source.Clock)
			if err != nil {
				t.Fatal(err)
			}
			if n := drafts(t, s); n != 20 {
				t.Errorf("%d drafts", n)
			}
			s.Close()
		})
	}
}
