package app_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/dbtest"
)

// An older store may be taken over after a backup, when there is room.
func TestUpgradeCheck(t *testing.T) {
	ctx := context.Background()
	places := []string{filepath.Join(t.TempDir(), "stoa.db")}
	if dsn := dbtest.Postgres(t); dsn != "" {
		places = append(places, dbtest.Fresh(t, dsn, dbtest.Empty))
	}
	for _, where := range places {
		clock := dbtest.NewClock()
		s := dbtest.Older(t, where, 7, clock)
		defer s.Close()
		bad := func(d app.Disk) (names []string) {
			findings, err := app.CheckUpgrade(ctx, s, clock.Now(), d, core.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(findings[0].Detail, "00008_audit_chain") {
				t.Errorf("it does not name what is pending: %+v", findings[0])
			}
			for _, f := range findings {
				if !f.OK {
					names = append(names, f.Check)
				}
			}
			return names
		}
		if got := bad(app.Disk{Free: 5 << 20, Database: 6 << 20}); strings.Join(got, " ") != "disk backup" {
			t.Errorf("no room and no backup: %v", got)
		}
		if err := core.NoteBackup(ctx, s, "d", 1, false); err != nil {
			t.Fatal(err)
		}
		if got := bad(app.Disk{Free: -1}); len(got) > 0 {
			t.Errorf("with a backup: %v", got)
		}
		clock.Advance(25 * time.Hour)
		if got := bad(app.Disk{Free: 9 << 20, Database: 6 << 20}); strings.Join(got, " ") != "backup" {
			t.Errorf("with an old backup: %v", got)
		}
	}
}
