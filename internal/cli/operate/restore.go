package operate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"stoa/internal/app"
	"stoa/internal/cli"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// RestoreCmd is `stoa restore`.
type RestoreCmd struct {
	File     string `arg:"" help:"A backup, as stoa backup wrote it."`
	Identity string `short:"i" help:"File with your key, when the backup is encrypted." placeholder:"FILE"`
	Digest   string `help:"Refuse any backup but the one with this digest, as stoa backup showed it." placeholder:"SHA256"`
}

// Run fills an empty store, of either engine, and verifies it.
func (c *RestoreCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	keys, err := readKeys(c.Identity)
	if err != nil {
		return err
	}
	where, err := s.Where()
	if err != nil {
		return err
	}
	progress, done := progressBars(o)
	defer done()
	target := backup.Target{
		Database: where, Clock: clock.System, Digest: c.Digest,
		Blobs: func() (blob.Store, error) { return s.openBlobs(ctx) },
	}
	r, err := target.FromFile(ctx, c.File, keys, progress)
	if errors.Is(err, store.ErrNotEmpty) {
		return fmt.Errorf("%w.\nNothing was changed. Restore into another --data folder or an empty database, and put that in the place of this one", err)
	}
	if err != nil {
		return err
	}
	one := *s
	one.alone = true                                    // each database is restored on its own
	return one.command(ctx, o, func(a *app.App) error { // which brings the schema up to date
		if _, err := a.Reindex(ctx); err != nil {
			return fmt.Errorf("the rows and packages are restored; the search index is not, `stoa doctor --repair` makes it: %w", err)
		}
		options := app.VerifyOptions{Progress: progress}
		if r.Manifest.Audit != nil {
			options.Known = append(options.Known, *r.Manifest.Audit)
		}
		v, err := a.Verify(ctx, options)
		done()
		if err != nil {
			return err
		}
		if err := o.Print(map[string]any{"ok": v.OK, "backup": r, "verification": v}, func(w io.Writer) {
			showBackup(w, "Restored", r)
			showFindings(w, v.Findings)
			if v.OK {
				fmt.Fprintln(w, "Next: start `stoa serve` with the same --data or --database.")
			}
		}); err != nil {
			return err
		}
		if !v.OK {
			return cli.ErrFound
		}
		return nil
	})
}
