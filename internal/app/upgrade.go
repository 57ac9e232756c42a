package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// backupFresh is how old a backup may be before an upgrade.
const backupFresh = 24 * time.Hour

// Disk is the room where the store is, in bytes. Free is -1 where it cannot be told.
type Disk struct {
	Free     int64 `json:"free_bytes"`
	Database int64 `json:"database_bytes"`
}

// CheckUpgrade says whether this binary can use a store that was opened as it is, and what it would do first. Of c
// only what concerns the anonymous member counts.
func CheckUpgrade(ctx context.Context, s *store.Store, now time.Time, disk Disk, c core.Config) ([]core.Finding, error) {
	v, err := s.Schema(ctx)
	if err != nil {
		return nil, err
	}
	pending := store.MigrationsAfter(v.Current)
	schema := core.Finding{Check: "schema", OK: true, Detail: fmt.Sprintf("at %d, which is what this binary wants", v.Current)}
	if len(pending) > 0 {
		schema.Detail = fmt.Sprintf("at %d; this binary brings it to %d when it serves: %s", v.Current, v.Newest, strings.Join(pending, ", "))
	}
	taken, err := s.LastBackup(ctx)
	if err != nil {
		return nil, err
	}
	findings := []core.Finding{schema, checkRoom(disk), checkBackedUp(clock.FromMicros(taken), taken > 0, now, len(pending) > 0)}
	if !c.AllowAnonymousMember {
		return findings, nil
	}
	anonymous, err := accounts.AnonymousUpgrade(ctx, s, v, c)
	return append(findings, anonymous), err
}

// checkRoom asks for as much room as the database takes: a migration may write every row once more.
func checkRoom(d Disk) core.Finding {
	switch {
	case d.Free < 0:
		return core.Finding{Check: "disk", OK: true, Detail: "how much is free cannot be told here"}
	case d.Free < d.Database:
		return core.Finding{Check: "disk", OK: false, Detail: fmt.Sprintf("%d MiB free, and the database has %d MiB", d.Free>>20, d.Database>>20), Fix: "a migration may write every row once more: make room first"}
	}
	return core.Finding{Check: "disk", OK: true, Detail: fmt.Sprintf("%d MiB free beside %d MiB of database", d.Free>>20, d.Database>>20)}
}

// checkBackedUp asks for a backup when the schema will change, since migrations only go forward.
func checkBackedUp(at time.Time, taken bool, now time.Time, changes bool) core.Finding {
	f := core.Finding{Check: "backup", OK: true, Detail: "none was taken with `stoa backup`"}
	if taken {
		f.Detail = fmt.Sprintf("the last was taken %s", clock.Text(at))
	}
	if changes && (!taken || now.Sub(at) > backupFresh) {
		f.OK, f.Fix = false, "migrations only go forward: run `stoa backup FILE` first"
	}
	return f
}
