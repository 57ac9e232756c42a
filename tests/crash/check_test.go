package crash

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	_ "stoa/internal/httpapi" // so that go test knows that this test's result depends on it
)

// checkServing asks a server that was just started for its health and a search.
func (w *world) checkServing(t *testing.T, s *server) {
	t.Helper()
	var health struct {
		Status string `json:"status"`
	}
	if err := s.call(t.Context(), "GET", "/api/health", "", nil, &health); err != nil || health.Status != "ok" {
		t.Fatalf("health: %+v, %v", health, err)
	}
	var found struct {
		Total int `json:"total"`
	}
	if err := s.call(t.Context(), "GET", "/api/templates?query=crashing&limit=1", "", nil, &found); err != nil || found.Total < 1 {
		t.Fatalf("search: %+v, %v", found, err)
	}
}

// checkAll walks every member's installations and looks for what was acknowledged.
func (w *world) checkAll(t *testing.T, s *server) {
	t.Helper()
	for i := range clients {
		there := map[string]bool{}
		for cursor := ""; ; {
			var page struct {
				Installations []struct {
					TemplateID string `json:"template_id"`
				} `json:"installations"`
				Next string `json:"next_cursor"`
			}
			if err := s.call(t.Context(), "GET", "/api/member/installations?limit=200&cursor="+url.QueryEscape(cursor), w.tokens[i], nil, &page); err != nil {
				t.Fatal(err)
			}
			for _, row := range page.Installations {
				there[row.TemplateID] = true
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		for n := range w.acknowledged[i] {
			if !there[template(n)] {
				t.Errorf("%s was told that %s is installed, but it is not", member(i), template(n))
			}
		}
	}
}

// checkStored looks into the database itself, while no server runs.
func (w *world) checkStored(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.data, "stoa.db")+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var integrity string
	if err := db.QueryRowContext(t.Context(), `PRAGMA quick_check`).Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("quick_check: %s, %v", integrity, err)
	}
	for what, query := range map[string]string{
		"engagement counters that differ from the installations": `SELECT COUNT(*) FROM engagement e
			WHERE e.installs <> (SELECT COUNT(*) FROM installation n WHERE n.seq = e.seq)`,
		"installations without their audit event": `SELECT COUNT(*) FROM (SELECT user_id, item_id FROM installation EXCEPT
			SELECT owner, item_id FROM audit_event WHERE action = 'template.installed')`,
		"audit events more than installations": `SELECT (SELECT COUNT(*) FROM audit_event WHERE action = 'template.installed') - (SELECT COUNT(*) FROM installation)`,
		"items without texts":                  `SELECT COUNT(*) FROM item i WHERE NOT EXISTS (SELECT 1 FROM item_text x WHERE x.seq = i.seq)`,
		"items without their version":          `SELECT COUNT(*) FROM item i WHERE NOT EXISTS (SELECT 1 FROM item_version v WHERE v.seq = i.seq AND v.version = i.version)`,
		"items that search does not know":      `SELECT COUNT(*) FROM item i WHERE NOT EXISTS (SELECT 1 FROM item_search_state s WHERE s.seq = i.seq AND s.revision = i.revision)`,
	} {
		var n int
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	w.checkAcknowledged(t, db)
	w.checkPublished(t, db)
	checkBlobs(t, db, w.data)
}

func (w *world) checkAcknowledged(t *testing.T, db *sql.DB) {
	t.Helper()
	for i, n := range w.acknowledged {
		var stored int
		err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM installation WHERE user_id = ?`, member(i)).Scan(&stored)
		if err != nil {
			t.Fatal(err)
		}
		// Templates are installed in order, and at most one install at a time was not answered.
		if stored < n || stored > n+1 {
			t.Errorf("%s: %d installs acknowledged, %d stored", member(i), n, stored)
		}
	}
}

// checkBlobs looks for the bytes of everything that a row counts on.
func checkBlobs(t *testing.T, db *sql.DB, data string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT sha256, size_bytes FROM artifact UNION SELECT sha256, size_bytes FROM installation
		UNION SELECT sha256, json_extract(facts, '$.artifact.size_bytes') FROM submission WHERE sha256 <> ''
		UNION SELECT blob, 0 FROM import_draft`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var digest string
		var size int64
		if err := rows.Scan(&digest, &size); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(data, "blobs", digest[:2], digest[2:4], digest))
		if err != nil || size > 0 && info.Size() != size {
			t.Errorf("package %s of %d bytes: %v", digest, size, err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
