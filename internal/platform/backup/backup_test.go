package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"stoa/internal/dbtest"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

// where makes a place for a store on each engine there is.
func where(t *testing.T) map[string]string {
	all := map[string]string{"sqlite": filepath.Join(t.TempDir(), "stoa.db")}
	if dsn := dbtest.Postgres(t); dsn != "" {
		all["postgres"] = dbtest.Fresh(t, dsn, dbtest.Empty)
	}
	return all
}

// stocked is a store with drafts, each with a blob, one of them large.
func stocked(t *testing.T, at string) (backup.Source, []string) {
	t.Helper()
	clock := dbtest.NewClock()
	s, err := store.Open(context.Background(), at, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	blobs, err := blob.OpenFolder(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	var digests []string
	for i := range 20 {
		text := strings.Repeat(fmt.Sprintf("bytes of draft %d. ", i), 50+i)
		if i == 7 {
			text = strings.Repeat(text, 40_000) // 37 MiB
		}
		digest, size, err := blobs.Put(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
		addDraft(t, s, fmt.Sprintf("draft-%02d", i), digest, size)
	}
	return backup.Source{Store: s, Blobs: blobs, Clock: clock.Now, Version: "test"}, digests
}

func addDraft(t *testing.T, s *store.Store, id, digest string, size int64) {
	t.Helper()
	exec(t, s, `INSERT INTO import_draft (artifact_id, user_id, filename, fingerprint, blob, draft_key, size_bytes, listing, detail, created_at)
		VALUES ($1, 'ada', 'f', 'p', $2, 'k', $3, '{}', '{}', 0)`, id, digest, size)
}

func exec(t *testing.T, s *store.Store, query string, args ...any) {
	t.Helper()
	if err := s.Write(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Querier().ExecContext(context.Background(), query, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func drafts(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	rows, err := s.Querier().QueryContext(context.Background(), `SELECT COUNT(*) FROM import_draft`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func written(t *testing.T, source backup.Source, to ...age.Recipient) ([]byte, backup.Report) {
	t.Helper()
	var out bytes.Buffer
	r, err := source.Write(context.Background(), &out, to, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), r
}

// The same store gives the same bytes, and a whole backup is found whole.
func TestBackupIsDeterministic(t *testing.T) {
	for engine, at := range where(t) {
		t.Run(engine, func(t *testing.T) {
			source, digests := stocked(t, at)
			one, report := written(t, source)
			two, _ := written(t, source)
			if !bytes.Equal(one, two) {
				t.Error("two backups of one store differ")
			}
			if report.Manifest.Blobs.Count != int64(len(digests)) || report.Rows < 20 {
				t.Errorf("%+v", report.Manifest)
			}
			got, err := backup.Check(context.Background(), bytes.NewReader(one), nil)
			if err != nil || got.Digest != report.Digest || got.Rows != report.Rows {
				t.Errorf("%v: %+v", err, got)
			}
		})
	}
}

// What is missing or damaged in the store is named; what its owner deleted meanwhile is left out.
func TestBackupOfAStoreWithHoles(t *testing.T) {
	for engine, at := range where(t) {
		t.Run(engine, func(t *testing.T) {
			ctx := context.Background()
			source, digests := stocked(t, at)
			path := func(digest string) string {
				f, err := source.Blobs.Open(ctx, digest)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				return blob.OnDisk(f).Name()
			}
			if err := os.Remove(path(digests[1])); err != nil {
				t.Fatal(err)
			}
			for _, i := range []int{2, 7} { // a small one and the large one
				if err := os.WriteFile(path(digests[i]), bytes.Repeat([]byte("x"), 40<<(10*(i/7+1))), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			// The row goes when the snapshot is over, and the bytes with it.
			deleted := false
			file := filepath.Join(t.TempDir(), "b")
			r, err := source.ToFile(ctx, file, false, nil, func(what string, done, total int64) {
				if what == "packages" && !deleted {
					deleted = true
					for _, digest := range digests[10:] {
						exec(t, source.Store, `DELETE FROM import_draft WHERE blob = $1`, digest)
						if err := source.Blobs.Remove(ctx, digest); err != nil {
							t.Error(err)
						}
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			b := r.Manifest.Blobs
			if len(b.Missing) != 1 || b.Missing[0] != digests[1] || len(b.Damaged) != 2 || len(b.Gone) < 9 || b.Count+int64(len(b.Gone)) != 17 {
				t.Errorf("%+v", b)
			}
			to := filepath.Join(t.TempDir(), "to.db")
			target := backup.Target{Database: to, Blobs: func() (blob.Store, error) { return blob.OpenFolder(filepath.Join(t.TempDir(), "blobs")) }, Clock: source.Clock}
			if _, err := target.FromFile(ctx, file, nil, nil); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(ctx, to, source.Clock)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if n := drafts(t, s); n != 20-len(b.Gone) {
				t.Errorf("%d drafts, %d were deleted meanwhile", n, len(b.Gone))
			}
		})
	}
}

// remade unpacks a backup, lets change see every member, and packs it again.
func remade(t *testing.T, file []byte, change func(name string, text []byte) (string, []byte)) []byte {
	t.Helper()
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	in, to := tar.NewReader(bytes.NewReader(opened(t, file))), tar.NewWriter(packed)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		name, changed := change(h.Name, text)
		if name == "" {
			continue
		}
		h.Name, h.Size = name, int64(len(changed))
		if err := errors.Join(to.WriteHeader(h), func() error { _, err := to.Write(changed); return err }()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(to.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// opened is the tar within a backup.
func opened(t *testing.T, file []byte) []byte {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTamperingIsFound(t *testing.T) {
	ctx := context.Background()
	source, digests := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	exec(t, source.Store, `DELETE FROM import_draft WHERE blob = $1`, digests[7]) // the large one
	file, report := written(t, source)
	check := func(b []byte) error {
		_, err := backup.Check(ctx, bytes.NewReader(b), nil)
		return err
	}
	keep := func(name string, text []byte) (string, []byte) { return name, text }
	if err := check(remade(t, file, keep)); err != nil {
		t.Fatalf("packed again it is %v", err)
	}
	replaced := func(member, old, new string) func(string, []byte) (string, []byte) {
		return func(name string, text []byte) (string, []byte) {
			if strings.HasPrefix(name, member) {
				changed := bytes.Replace(text, []byte(old), []byte(new), 1)
				if bytes.Equal(changed, text) && !strings.HasPrefix(member, "blobs") {
					t.Errorf("%s does not hold %s", name, old)
				}
				return name, changed
			}
			return name, text
		}
	}
	without := func(prefix string) func(string, []byte) (string, []byte) {
		return func(name string, text []byte) (string, []byte) {
			if strings.HasPrefix(name, prefix) {
				return "", nil
			}
			return name, text
		}
	}
	first := "blobs/" + digests[0][:2] + "/"
	for what, change := range map[string]func(string, []byte) (string, []byte){
		"the head":             replaced("stoa-backup.json", `"test"`, `"best"`),
		"a row":                replaced("rows/import_draft", "draft-03", "draft-33"),
		"a blob":               replaced(first, "draft 0", "draft 1"),
		"a count":              replaced("manifest.json", fmt.Sprintf(`"count": %d`, report.Manifest.Blobs.Count), `"count": 5`),
		"the manifest's words": replaced("manifest.json", `"rows": 19`, `"rows": 18`),
		"the seal":             replaced("manifest.sha256", report.Digest[:8], "00000000"),
		"no rows of a table":   without("rows/import_draft"),
		"no blob":              without(first),
		"no seal":              without("manifest.sha256"),
		"no manifest":          without("manifest."),
		"an unknown member": func(name string, text []byte) (string, []byte) {
			return strings.Replace(name, "rows/counter", "rows/../x", 1), text
		},
	} {
		if err := check(remade(t, file, change)); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := check(remade(t, file, replaced("stoa-backup.json", `"format": 1`, `"format": 2`))); !errors.Is(err, backup.ErrNewerFormat) {
		t.Errorf("a newer format: %v", err)
	}
	// Any byte, and the end. Some bits of what is compressed say the same in another way.
	for i := 0; i < len(file); i += max(1, len(file)/200) {
		changed := bytes.Clone(file)
		changed[i] ^= 0x10
		if err := check(changed); err == nil && !bytes.Equal(opened(t, changed), opened(t, file)) {
			t.Errorf("byte %d of %d changed, and nobody saw", i, len(file))
		}
		if err := check(file[:i]); err == nil {
			t.Errorf("it was cut at %d of %d, and nobody saw", i, len(file))
		}
	}
	for _, text := range []string{"", "hello", strings.Repeat("x", 5000)} {
		if err := check([]byte(text)); !errors.Is(err, backup.ErrNoBackup) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

func TestEncryptedBackups(t *testing.T) {
	ctx := context.Background()
	source, _ := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, _ := age.GenerateX25519Identity()
	file, report := written(t, source, mine.Recipient())
	if bytes.Contains(file, []byte("stoa-backup")) || bytes.Contains(file, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		t.Error("it can be read")
	}
	if got, err := backup.Check(ctx, bytes.NewReader(file), []age.Identity{other, mine}); err != nil || got.Digest != report.Digest {
		t.Error(err)
	}
	if _, err := backup.Check(ctx, bytes.NewReader(file), nil); !errors.Is(err, backup.ErrEncrypted) {
		t.Error(err)
	}
	if _, err := backup.Check(ctx, bytes.NewReader(file), []age.Identity{other}); !errors.Is(err, backup.ErrWrongKey) {
		t.Error(err)
	}
	for _, at := range []int{len(file) / 2, len(file) * 3 / 4, len(file) - 1} {
		changed := bytes.Clone(file)
		changed[at] ^= 1
		for _, b := range [][]byte{changed, file[:at]} {
			if _, err := backup.Check(ctx, bytes.NewReader(b), []age.Identity{mine}); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("changed or cut at %d: %v", at, err)
			}
		}
	}
}

// A damaged backup changes nothing where it should have gone, and the place takes a whole one afterwards.
func TestRestoringADamagedBackup(t *testing.T) {
	ctx := context.Background()
	source, _ := stocked(t, filepath.Join(t.TempDir(), "stoa.db"))
	text, report := written(t, source)
	for engine, at := range where(t) {
		t.Run(engine, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "b")
			made := false
			target := backup.Target{Database: at, Clock: source.Clock, Blobs: func() (blob.Store, error) {
				made = true
				return blob.OpenFolder(filepath.Join(dir, "blobs"))
			}}
			restore := func(b []byte) error {
				if err := os.WriteFile(file, b, 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := target.FromFile(ctx, file, nil, nil)
				return err
			}
			if err := restore(text[:len(text)-3]); !errors.Is(err, backup.ErrDamaged) || made {
				t.Errorf("cut: %v, blobs made: %v", err, made)
			}
			target.Digest = strings.Repeat("0", 64)
			if err := restore(text); !errors.Is(err, backup.ErrDamaged) || made {
				t.Errorf("another: %v", err)
			}
			target.Digest = report.Digest
			if err := restore(text); err != nil {
				t.Fatal(err)
			}
			if err := restore(text); !errors.Is(err, store.ErrNotEmpty) {
				t.Errorf("twice: %v", err)
			}
		})
	}
}

// A backup of an older schema goes into that schema, which is then brought up to date.
func TestRestoringAnOlderSchema(t *testing.T) {
	ctx := context.Background()
	for engine, at := range where(t) {
		t.Run(engine, func(t *testing.T) {
			clock := dbtest.NewClock()
			s := dbtest.Older(t, at, 7, clock)
			defer s.Close()
			blobs, err := blob.OpenFolder(filepath.Join(t.TempDir(), "blobs"))
			if err != nil {
				t.Fatal(err)
			}
			addDraft(t, s, "old", strings.Repeat("0", 64), 1)
			exec(t, s, `INSERT INTO audit_event (event_id, at, actor, owner, task, action, kind, item_id, target_id, ok, status, detail, request_id)
				VALUES ('1', 2, 'a', 'a', $1, 'x', '', '', '', $1, '', '{}', '')`, true)
			file := filepath.Join(t.TempDir(), "b")
			source := backup.Source{Store: s, Blobs: blobs, Clock: clock.Now}
			if r, err := source.ToFile(ctx, file, false, nil, nil); err != nil || r.Head.Schema != 7 || r.Manifest.Audit != nil || len(r.Manifest.Blobs.Missing) != 1 {
				t.Fatal(err, r)
			}
			if _, err := source.ToFile(ctx, file, false, nil, nil); !errors.Is(err, backup.ErrThere) {
				t.Errorf("a backup was replaced: %v", err)
			}
			if _, err := source.ToFile(ctx, file, true, nil, nil); err != nil {
				t.Error(err)
			}
			left, err := os.ReadDir(filepath.Dir(file))
			if err != nil || len(left) != 1 {
				t.Errorf("%v %v", left, err)
			}
			for other, to := range where(t) {
				target := backup.Target{Database: to, Blobs: func() (blob.Store, error) { return blobs, nil }, Clock: clock.Now}
				if _, err := target.FromFile(ctx, file, nil, nil); err != nil {
					t.Fatal(other, err)
				}
				today, err := store.Open(ctx, to, clock.Now)
				if err != nil {
					t.Fatal(err)
				}
				if n := drafts(t, today); n != 1 {
					t.Errorf("%s: %d drafts", other, n)
				}
				if n, _, err := today.AuditWaiting(ctx); err != nil || n != 1 {
					t.Errorf("%s: %d events wait, %v", other, n, err)
				}
				if err := today.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
