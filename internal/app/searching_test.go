package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

func TestTendSearchMarksWhatIsInstalled(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db, err := store.Open(ctx, filepath.Join(dir, "stoa.db"), clock.System)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	blobs, err := blob.OpenFolder(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	a := New(db, blobs, clock.System, slog.New(slog.DiscardHandler), core.Config{})
	if err := a.Seed(ctx); err != nil {
		t.Fatal(err)
	}
	if err := a.MaintainSearch(ctx); err != nil || popular(ctx, t, db) != 0 {
		t.Fatalf("before the catalog is read: %v, %d popular", err, popular(ctx, t, db))
	}
	a.Start(ctx)
	defer a.Close()
	if err := a.WaitCatalog(ctx); err != nil {
		t.Fatal(err)
	}
	ada := core.Caller{Role: core.Member, UserID: "ada"}
	for _, id := range []string{"official/careful-translator", "profile/official-starter"} {
		if _, err := a.InstallTemplate(ctx, ada, browse.InstallInput{TemplateID: id}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // a second time changes nothing
		if err := a.MaintainSearch(ctx); err != nil {
			t.Fatal(err)
		}
		if n := popular(ctx, t, db); n != 2 {
			t.Errorf("%d are marked popular", n)
		}
	}
	if inStep, err := a.SearchInStep(ctx); err != nil || !inStep {
		t.Errorf("in step: %v, %v", inStep, err)
	}
}

func popular(ctx context.Context, t *testing.T, db *store.Store) (n int) {
	t.Helper()
	rows, err := db.Querier().QueryContext(ctx, `SELECT COUNT(*) FROM item_search_state WHERE popular`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if err := rows.Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
