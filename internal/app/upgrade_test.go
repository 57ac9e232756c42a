package app_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/dbtest"
	"stoa/internal/platform/account"
	"stoa/internal/platform/store"
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

// Before schema 18 visitors acted as the first account. A store of then is upgraded: they become a member of their own, what
// they left stays with the account, the operator is told so, and whoever names the account again is refused.
func TestUpgradeOfTheAnonymousMember(t *testing.T) {
	ctx := context.Background()
	places := map[string]func(*testing.T) string{"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "stoa.db") }}
	if dsn := dbtest.Postgres(t); dsn != "" {
		places["postgres"] = func(t *testing.T) string { return dbtest.Fresh(t, dsn, dbtest.Empty) }
	}
	for name, from := range map[string]int64{"first": 1, "last": 17} {
		for engine, empty := range places {
			t.Run(name+" "+engine, func(t *testing.T) {
				where := empty(t)
				clock := dbtest.NewClock()
				old := dbtest.Older(t, where, from, clock)
				if err := old.Write(ctx, func(tx *store.Tx) error {
					for _, row := range []string{
						`INSERT INTO account (user_id, password_hash, disabled, created_at, updated_at) VALUES ('webui-user', 'x', $1, 1, 1)`,
						`INSERT INTO preference (user_id, execution_mode, observe, updated_at) VALUES ('webui-user', 'inline_execution', $1, 1)`,
					} {
						if _, err := tx.Querier().ExecContext(ctx, row, false); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				check := func(c core.Config) core.Finding {
					t.Helper()
					c.AllowAnonymousMember, c.AuthRequired = true, true
					findings, err := app.CheckUpgrade(ctx, old, clock.Now(), app.Disk{Free: -1}, c)
					if err != nil {
						t.Fatal(err)
					}
					return findings[len(findings)-1]
				}
				if f := check(core.Config{}); !f.OK || !strings.Contains(f.Detail, account.AnonymousID) || !strings.Contains(f.Detail, "what they left under webui-user until now stays that member's") {
					t.Errorf("by default: %+v", f)
				}
				if f := check(core.Config{AnonymousMemberUserID: "webui-user"}); f.OK || !strings.Contains(f.Fix, "--anonymous-member-user-id") {
					t.Errorf("the old default by name: %+v", f)
				}
				if err := old.Close(); err != nil {
					t.Fatal(err)
				}

				today, err := store.Open(ctx, where, clock.Now)
				if err != nil {
					t.Fatal(err)
				}
				defer today.Close()
				start := func(c core.Config) error {
					c.AllowAnonymousMember, c.AuthRequired = true, true
					return app.New(today, nil, clock.Now, slog.New(slog.DiscardHandler), c).CheckAnonymousMember(ctx)
				}
				if err := start(core.Config{}); err != nil {
					t.Errorf("it does not start: %v", err)
				}
				for _, c := range []core.Config{{AnonymousMemberUserID: "webui-user"}, {AnonymousMemberUserID: "webui-user", DefaultUserID: "somebody"}} {
					if err := start(c); err == nil || !strings.Contains(err.Error(), "webui-user") {
						t.Errorf("visitors would act as the first account: %v", err)
					}
				}
				if p, err := today.Preference(ctx, "webui-user"); err != nil || p.ExecutionMode != "inline_execution" {
					t.Errorf("what was left is gone: %+v %v", p, err)
				}
				if _, err := today.Preference(ctx, account.AnonymousID); err == nil {
					t.Error("visitors have what the account chose")
				}
			})
		}
	}
}
