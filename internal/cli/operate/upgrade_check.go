package operate

import (
	"context"
	"errors"
	"io"
	"os"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// UpgradeCheckCmd is `stoa upgrade-check`.
type UpgradeCheckCmd struct{ AnonymousSettings }

// Run says whether this binary can use the store; it changes nothing. The exit code is 3 when it should not yet.
func (c *UpgradeCheckCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	where, err := s.Where()
	if err != nil {
		return err
	}
	var findings []core.Finding
	db, err := store.OpenAsIs(ctx, where, clock.System)
	if errors.Is(err, store.ErrTooNew) {
		findings = []core.Finding{{Check: "schema", Detail: err.Error(), Fix: "keep the newer stoa, or restore a backup from before it into a new store"}}
	} else if err != nil {
		return err
	} else {
		defer db.Close() //nolint:errcheck // nothing was written
		if findings, err = app.CheckUpgrade(ctx, db, clock.System(), s.disk(where), c.config()); err != nil {
			return err
		}
	}
	ok := true
	for _, f := range findings {
		ok = ok && f.OK
	}
	if err := o.Print(map[string]any{"ok": ok, "version": cli.Version, "findings": findings}, func(w io.Writer) { showFindings(w, findings) }); err != nil {
		return err
	}
	if !ok {
		return cli.ErrFound
	}
	return nil
}

// disk measures the room in the data folder, and the database when it is a file there.
func (s *Settings) disk(where string) app.Disk {
	d := app.Disk{Free: freeBytes(s.Data)}
	if s.Database != "" {
		return app.Disk{Free: -1} // it is another machine's
	}
	for _, name := range []string{where, where + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			d.Database += info.Size()
		}
	}
	return d
}
