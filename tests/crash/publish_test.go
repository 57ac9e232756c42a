package crash

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

const publishers = 4 // members who also submit and import

// wish is one request with an idempotency key, and what it was answered once it was.
type wish struct {
	path string
	body map[string]any
	id   string
}

// publisher sends wish after wish. A wish that was not answered is sent again in the next round, with the
// same key.
type publisher struct {
	wishes []*wish
	draft  string // the last one imported
}

// next is the wish that has no answer yet.
func (p *publisher) next(i int) *wish {
	n := len(p.wishes)
	if n > 0 && p.wishes[n-1].id == "" {
		return p.wishes[n-1]
	}
	w := &wish{}
	key := fmt.Sprintf("key-%d", n)
	switch n % 3 {
	case 0:
		w.path, w.body = "/api/member/profile-pack/imports", map[string]any{"filename": fmt.Sprintf("bot-%d.json", n), "content_base64": setup(n), "idempotency_key": key}
	case 1:
		w.path, w.body = "/api/profile-pack/submit", map[string]any{
			"artifact_id": p.draft, "pack_id": fmt.Sprintf("%s/pack-%d", member(i), n), "submit_options": map[string]any{"idempotency_key": key},
		}
	default:
		id := fmt.Sprintf("%s/template-%d", member(i), n)
		w.path, w.body = "/api/templates/submit", map[string]any{
			"template_id": id, "package_name": "p.zip", "package_base64": packed(id, n), "upload_options": map[string]any{"idempotency_key": key},
		}
	}
	p.wishes = append(p.wishes, w)
	return w
}

func setup(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"provider_settings":{"default_personality":"p%d"},"persona":[{"name":"p%d","prompt":"You crash politely, %d times."}]}`, n, n, n))
}

// packed is a template's zip, some of them large enough to be caught in the middle.
func packed(id string, n int) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	files := map[string]string{"bundle.json": fmt.Sprintf(`{"template_id":%q,"version":"1.0.0","prompt":"You crash politely."}`, id)}
	if n%2 == 0 {
		files["notes.txt"] = strings.Repeat("The river goes its quiet way.\n", 12_000)
	}
	for name, text := range files {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// publish sends one wish after another until the server is gone, and now and then an old one again. It
// calls done after each answer.
func (w *world) publish(ctx context.Context, s *server, i int, done func()) error {
	p := &w.publishers[i]
	for again := 0; ; again++ {
		next := p.next(i)
		if again%5 == 4 { // an old wish: the answer must be the old one
			next = p.wishes[(again*7)%len(p.wishes)]
			if next.id == "" {
				continue
			}
		}
		var got struct {
			SubmissionID string `json:"submission_id"`
			ImportID     string `json:"import_id"`
		}
		failed := s.call(ctx, "POST", next.path, w.tokens[i], next.body, &got)
		var wrong *refused
		if errors.As(failed, &wrong) {
			return fmt.Errorf("%s: %w", next.path, wrong)
		}
		if failed != nil {
			return nil //nolint:nilerr // killed, as it should be
		}
		id := got.SubmissionID
		if next.path == "/api/member/profile-pack/imports" {
			id, p.draft = got.ImportID, got.ImportID
		}
		if id == "" || next.id != "" && next.id != id {
			return fmt.Errorf("%s was answered %q, before %q", next.path, id, next.id)
		}
		next.id = id
		done()
	}
}

// checkPublished looks for every answered wish in the database, and for what only half happened.
func (w *world) checkPublished(t *testing.T, db *sql.DB) {
	t.Helper()
	for what, query := range map[string]string{
		"keys without an answer":      `SELECT COUNT(*) FROM idempotency WHERE answer = '' AND LENGTH(packed) = 0`,
		"keys whose work is not here": `SELECT COUNT(*) FROM idempotency k WHERE NOT EXISTS (SELECT 1 FROM submission s WHERE s.submission_id = k.target_id) AND NOT EXISTS (SELECT 1 FROM import_draft d WHERE d.artifact_id = k.target_id)`,
		"submissions without a key":   `SELECT COUNT(*) FROM submission s WHERE s.user_id <> '' AND NOT EXISTS (SELECT 1 FROM idempotency k WHERE k.target_id = s.submission_id)`,
		"drafts without a key":        `SELECT COUNT(*) FROM import_draft d WHERE NOT EXISTS (SELECT 1 FROM idempotency k WHERE k.target_id = d.artifact_id)`,
		"things submitted twice":      `SELECT COUNT(*) FROM (SELECT item_id FROM submission WHERE user_id <> '' GROUP BY user_id, item_id, kind HAVING COUNT(*) > 1)`,
		"files imported twice":        `SELECT COUNT(*) FROM (SELECT filename FROM import_draft GROUP BY user_id, filename HAVING COUNT(*) > 1)`,
		"submissions without a done transfer": `SELECT COUNT(*) FROM submission s WHERE s.user_id <> '' AND NOT EXISTS
			(SELECT 1 FROM transfer_job j WHERE j.submission_id = s.submission_id AND j.status = 'done')`,
		"submissions without their audit event": `SELECT COUNT(*) FROM submission s WHERE s.user_id <> '' AND NOT EXISTS
			(SELECT 1 FROM audit_event e WHERE e.target_id = s.submission_id)`,
	} {
		var n int
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	for i := range w.publishers {
		for _, wish := range w.publishers[i].wishes {
			if wish.id == "" {
				continue
			}
			var n int
			err := db.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM submission WHERE submission_id = $1 AND user_id = $2) + (SELECT COUNT(*) FROM import_draft WHERE artifact_id = $1 AND user_id = $2)`,
				wish.id, member(i)).Scan(&n)
			if err != nil || n != 1 {
				t.Errorf("%s was told of %s, and there are %d of it: %v", member(i), wish.id, n, err)
			}
		}
	}
}

// checkSwept sweeps as the server does once the leftovers are old enough, and looks that what is left is
// what rows name.
func (w *world) checkSwept(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	later := func() time.Time { return time.Now().Add(3 * time.Hour) }
	db, err := store.Open(ctx, filepath.Join(w.data, "stoa.db"), later)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	blobs, err := blob.OpenFolder(filepath.Join(w.data, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(db, blobs, later, slog.New(slog.DiscardHandler), core.Config{AuthRequired: true})
	defer a.Close()
	swept, err := a.SweepOrphans(ctx)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	err = filepath.WalkDir(filepath.Join(w.data, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kept++
		used, err := db.BlobInUse(ctx, d.Name())
		if err == nil && !used {
			t.Errorf("%s is left and nobody names it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := a.SweepOrphans(ctx); err != nil || again != 0 {
		t.Errorf("a second sweep removes %d: %v", again, err)
	}
	if _, err := os.Stat(filepath.Join(w.data, "blobs")); err != nil {
		t.Error(err)
	}
	t.Logf("%d leftovers swept, %d packages kept", swept, kept)
}
