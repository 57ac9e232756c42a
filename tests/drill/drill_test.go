package drill

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/market/review"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

type m = map[string]any

const (
	items   = 400 // what there is to install
	warm    = 60  // acknowledgements before the backup begins
	clients = 6
)

// acknowledged is what members were told was done.
type acknowledged struct {
	mu          sync.Mutex
	installed   map[[2]string]bool // member, item
	submitted   map[string]bool
	drafts      map[string]bool // kept ones; "" for one that its owner deleted
	enough      chan struct{}
	acks, wants int
}

func (a *acknowledged) add(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	if a.acks++; a.acks == a.wants {
		close(a.enough)
	}
}

func (a *acknowledged) copy() *acknowledged {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &acknowledged{installed: maps.Clone(a.installed), submitted: maps.Clone(a.submitted), drafts: maps.Clone(a.drafts)}
}

// load calls the server until stop is closed: installs, submissions of packages, drafts, every second of which is deleted.
func load(t *testing.T, s *apitest.Server, a *acknowledged, stop chan struct{}) (wait func()) {
	var all sync.WaitGroup
	for n := range clients {
		user := apitest.Members[n%3]
		c := s.As(t, user)
		setup := apitest.Base64(apitest.Setup(t, fmt.Sprintf("bot-%d", n)))
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				item := fmt.Sprintf("item-%03d", (i*clients+n)%items)
				if r := c.Post("/api/templates/install", m{"template_id": item}); r.Status == 200 {
					a.add(func() { a.installed[[2]string{user, item}] = true })
				} else {
					t.Errorf("install: %d %s", r.Status, r.Body)
				}
				id := fmt.Sprintf("%s/made-%d-%d", user, n, i)
				pack := apitest.Base64(apitest.TemplatePackage(t, id, "1.0.0", "You write about "+id, nil))
				if r := c.Post("/api/templates/submit", m{"template_id": id, "package_name": "a.zip", "package_base64": pack}); r.Status == 200 {
					a.add(func() { a.submitted[r.Str("data.submission_id")] = true })
				} else {
					t.Errorf("submit: %d %s", r.Status, r.Body)
				}
				r := c.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": setup})
				draft := r.Str("data.artifact_id")
				if r.Status != 200 || draft == "" {
					t.Errorf("draft: %d %s", r.Status, r.Body)
					return
				}
				if i%2 == 0 {
					// Acknowledged only when it is not about to be deleted.
					if r := c.Do("DELETE", "/api/member/profile-pack/imports/"+draft, nil); r.Status != 200 {
						t.Errorf("delete: %d %s", r.Status, r.Body)
					}
					continue
				}
				a.add(func() { a.drafts[draft] = true })
			}
		})
	}
	return all.Wait
}

// TestDrill backs up under load from each engine and restores to each.
func TestDrill(t *testing.T) {
	for _, from := range apitest.Engines(t) {
		t.Run("from "+from.Name, func(t *testing.T) {
			s := apitest.Start(t, from, apitest.Options{})
			var lines []string
			for i := range items {
				lines = append(lines, apitest.Line(m{"id": fmt.Sprintf("item-%03d", i), "locales": m{"en-US": m{"title": "Item", "description": "An item.", "prompt": "Help."}}}))
			}
			s.Import(t, review.ImportOptions{}, lines...)
			a := &acknowledged{installed: map[[2]string]bool{}, submitted: map[string]bool{}, drafts: map[string]bool{}, enough: make(chan struct{}), wants: warm}
			stop := make(chan struct{})
			wait := load(t, s, a, stop)
			<-a.enough
			if _, err := s.App.ChainAudit(context.Background()); err != nil {
				t.Error(err)
			}
			before := a.copy()
			file := filepath.Join(t.TempDir(), "drill.backup")
			source := backup.Source{Store: s.Store, Blobs: s.Blobs, Clock: s.Clock.Now, Version: "test"}
			report, err := source.ToFile(context.Background(), file, false, nil, nil)
			if err == nil {
				_, err = s.App.SweepOrphans(context.Background()) // in the middle of it all
			}
			close(stop)
			wait()
			if err != nil {
				t.Fatal(err)
			}
			after := a.copy()
			if len(after.installed) <= len(before.installed) {
				t.Error("nothing happened while the backup was taken; it proves little")
			}
			if len(report.Manifest.Blobs.Missing)+len(report.Manifest.Blobs.Damaged) > 0 {
				t.Errorf("a blob was not there: %+v", report.Manifest.Blobs)
			}
			t.Logf("%d rows, %d packages, %d drafts deleted meanwhile; %d installs before, %d after", report.Rows, report.Manifest.Blobs.Count, len(report.Manifest.Blobs.Gone), len(before.installed), len(after.installed))
			for _, to := range apitest.Engines(t) {
				t.Run("to "+to.Name, func(t *testing.T) {
					r := restore(t, s, to, file, report)
					r.holds(t, before)
					r.sameAs(t, report)
					r.tamper(t, report)
				})
			}
		})
	}
}

// restored is a store that was filled from a backup.
type restored struct {
	store *store.Store
	blobs blob.Store
	dir   string
	app   *app.App
}

func restore(t *testing.T, s *apitest.Server, to apitest.Engine, file string, report backup.Report) restored {
	t.Helper()
	ctx := context.Background()
	r := restored{dir: t.TempDir()}
	where := to.NewDatabase(t)
	if where == "" {
		where = filepath.Join(r.dir, "stoa.db")
	}
	open := func() (blob.Store, error) { return blob.OpenFolder(filepath.Join(r.dir, "blobs")) }
	if _, err := (backup.Target{Database: where, Blobs: open, Clock: s.Clock.Now, Digest: report.Digest}).FromFile(ctx, file, nil, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.blobs, err = open(); err != nil {
		t.Fatal(err)
	}
	if r.store, err = store.Open(ctx, where, s.Clock.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.store.Close() })
	r.app = app.New(r.store, r.blobs, s.Clock.Now, slog.New(slog.DiscardHandler), core.Config{AuthRequired: true})
	t.Cleanup(r.app.Close)
	if _, err := r.app.Reindex(ctx); err != nil {
		t.Fatal(err)
	}
	if v := r.verify(t, *report.Manifest.Audit); !v.OK || v.Head != *report.Manifest.Audit || v.Checked == 0 {
		t.Fatalf("what was restored is not what was written: %+v", v)
	}
	return r
}

func (r restored) verify(t *testing.T, known ...store.AuditHead) app.Verification {
	t.Helper()
	v, err := r.app.Verify(context.Background(), app.VerifyOptions{Known: known})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (r restored) ids(t *testing.T, query string) map[string]bool {
	t.Helper()
	rows, err := r.store.Querier().QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		all[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// holds looks for everything that was acknowledged before the backup began.
func (r restored) holds(t *testing.T, before *acknowledged) {
	t.Helper()
	installed := r.ids(t, `SELECT user_id || ' ' || item_id FROM installation`)
	for key := range before.installed {
		if !installed[key[0]+" "+key[1]] {
			t.Errorf("the install of %v was acknowledged and is lost", key)
		}
	}
	submitted := r.ids(t, `SELECT submission_id FROM submission`)
	for id := range before.submitted {
		if !submitted[id] {
			t.Errorf("submission %s was acknowledged and is lost", id)
		}
	}
	drafts := r.ids(t, `SELECT artifact_id FROM import_draft`)
	for id := range before.drafts {
		if !drafts[id] {
			t.Errorf("draft %s was acknowledged and is lost", id)
		}
	}
}

// sameAs takes a backup of what was restored: it has the same rows and blobs, byte for byte, whatever the engine.
func (r restored) sameAs(t *testing.T, first backup.Report) {
	t.Helper()
	again, err := backup.Source{Store: r.store, Blobs: r.blobs, Clock: func() time.Time { return first.Head.TakenAt }, Version: "test"}.
		ToFile(context.Background(), filepath.Join(t.TempDir(), "again.backup"), false, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range first.Manifest.Tables {
		if table.Table == "import_draft" && len(first.Manifest.Blobs.Gone) > 0 {
			continue // without the drafts that were deleted meanwhile
		}
		if again.Manifest.Tables[i] != table {
			t.Errorf("table %s is not the same: %+v, %+v", table.Table, again.Manifest.Tables[i], table)
		}
	}
	one, two := first.Manifest.Blobs, again.Manifest.Blobs
	if one.SHA256 != two.SHA256 || one.Count != two.Count {
		t.Errorf("other blobs: %+v, %+v", one, two)
	}
}

// tamper changes what was restored from outside, each time one thing, and looks whether that is found.
func (r restored) tamper(t *testing.T, report backup.Report) {
	t.Helper()
	digests, err := r.store.NamedBlobs(context.Background(), "", 1)
	if err != nil || len(digests) == 0 {
		t.Fatal("no blob", err)
	}
	path := filepath.Join(r.dir, "blobs", digests[0][:2], digests[0][2:4], digests[0])
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := r.verify(t); v.OK || len(v.Bad) != 1 || v.Bad[0] != (app.BadBlob{Digest: digests[0]}) {
		t.Errorf("a changed byte of a blob: %+v", v)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if v := r.verify(t); v.OK || len(v.Bad) != 1 || !v.Bad[0].Missing {
		t.Errorf("a lost blob: %+v", v)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r.change(t, `UPDATE audit_event SET owner = 'eve' WHERE chain_seq = 7`)
	if v := r.verify(t); v.OK || v.Broken == nil || v.Broken.Seq != 7 {
		t.Errorf("a changed event: %+v", v)
	}
	r.change(t, `DELETE FROM audit_event WHERE chain_seq = 7`)
	if v := r.verify(t); v.OK || v.Broken == nil || v.Broken.Seq != 7 || !strings.Contains(v.Broken.Problem, "missing") {
		t.Errorf("a removed event: %+v", v)
	}
	r.change(t, `UPDATE counter SET value = 3 WHERE name = 'item'`)
	if v := r.verify(t); len(v.Wrong) != 1 || v.Wrong[0].Kept != 3 {
		t.Errorf("a wrong count: %+v", v)
	}
}

func (r restored) change(t *testing.T, query string) {
	t.Helper()
	if err := r.store.Write(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Querier().ExecContext(context.Background(), query)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
