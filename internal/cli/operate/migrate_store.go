package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

type migrateStoreCmd struct {
	FromData     string `help:"Data folder of the store that is moved; by default that of the settings." env:"STOA_FROM_DATA" type:"path" placeholder:"DIR"`
	FromDatabase string `help:"Its postgres:// address." env:"STOA_FROM_DATABASE" placeholder:"URL"`
	FromBlobs    string `help:"Its s3:// address." env:"STOA_FROM_BLOBS" placeholder:"URL"`
	ToData       string `help:"Data folder of the new store: for its SQLite file unless --to-database is given, and for its packages unless --to-blobs is." env:"STOA_TO_DATA" type:"path" placeholder:"DIR"`
	ToDatabase   string `help:"postgres:// address of an empty database." env:"STOA_TO_DATABASE" placeholder:"URL"`
	ToBlobs      string `help:"s3:// address for the packages." env:"STOA_TO_BLOBS" placeholder:"URL"`
}

// Run moves a store and compares all of it. It goes on with what an earlier run has left; until one has ended well, no
// command but this one opens the new store.
func (c *migrateStoreCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	from, to, err := c.sides(s)
	if err != nil {
		return err
	}
	db, blobs, _, err := from.openAsIs(ctx)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // it was only read
	where, err := to.Where()
	if err != nil {
		return err
	}
	toBlobs, err := to.openBlobs(ctx)
	if err != nil {
		return err
	}
	progress, done := progressBars(o)
	defer done()
	moved, err := backup.Move{
		Store: db, Blobs: blobs, Database: where, To: toBlobs, Clock: clock.System,
		Ready: func(ctx context.Context, target *store.Store) error { return reindex(ctx, target, toBlobs, o) },
	}.Run(ctx, progress)
	done()
	if err != nil {
		return explainMove(err)
	}
	if err := o.Print(map[string]any{"ok": moved.Whole(), "moved": moved}, func(w io.Writer) { showMoved(w, moved) }); err != nil {
		return err
	}
	if n := len(moved.Blobs.Missing) + len(moved.Blobs.Damaged); n > 0 {
		return fmt.Errorf("the store is moved, but %s already missing or damaged in the one it was moved from: run `stoa doctor --repair`: %w", were(n, "package"), cli.ErrFound)
	}
	return nil
}

// sides are the settings of both stores.
func (c *migrateStoreCmd) sides(s *Settings) (from, to *Settings, err error) {
	from = &Settings{Data: c.FromData, Database: c.FromDatabase, Blobs: c.FromBlobs}
	if c.FromData == "" { // what is not said is as in the settings
		from.Data = s.Data
		if c.FromDatabase == "" {
			from.Database = s.Database
		}
		if c.FromBlobs == "" {
			from.Blobs = s.Blobs
		}
	}
	to = &Settings{Data: c.ToData, Database: c.ToDatabase, Blobs: c.ToBlobs}
	if c.ToData == "" {
		if c.ToDatabase == "" || c.ToBlobs == "" {
			return nil, nil, errors.New("say where to: --to-data DIR, or --to-database and --to-blobs")
		}
		to.Data = s.Data // where packages stand on their way into the object store
	}
	one, err := from.Where()
	if err != nil {
		return nil, nil, err
	}
	two, err := to.Where()
	if err == nil && samePlace(one, two) {
		err = errors.New("the store would be moved onto itself")
	}
	return from, to, err
}

// samePlace tells whether two addresses of databases are the same.
func samePlace(one, two string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(two)
	if errA == nil && errB == nil {
		return os.SameFile(a, b)
	}
	return filepath.Clean(one) == filepath.Clean(two)
}

// reindex makes the search index of a store.
func reindex(ctx context.Context, db *store.Store, blobs blob.Store, o cli.Output) error {
	log := slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	a := app.New(db, blobs, clock.System, log, core.Config{AuthRequired: true, Version: cli.Version})
	defer a.Close()
	_, err := a.Reindex(ctx)
	return err
}

// explainMove adds what to do.
func explainMove(err error) error {
	switch {
	case errors.Is(err, store.ErrNotEmpty), errors.Is(err, backup.ErrOtherBlobs):
		return fmt.Errorf("%w.\nNothing was changed. Move into an empty database or another --to-data folder, and an empty place for packages", err)
	case errors.Is(err, backup.ErrOtherSchema):
		return fmt.Errorf("%w. Bring the store up to date first (`stoa upgrade-check`, `stoa backup`, then start the server once), or move it with the stoa that it is from", err)
	case errors.Is(err, backup.ErrChanged):
		return fmt.Errorf("%w. Stop the server of the store that is moved and run the same command again", err)
	case errors.Is(err, backup.ErrDiffers):
		return fmt.Errorf("%w: %w", err, cli.ErrFound)
	}
	return fmt.Errorf("%w.\nThe same command goes on where this one stopped", err)
}

func showMoved(w io.Writer, m backup.Moved) {
	if m.Already {
		fmt.Fprintln(w, "Everything was there already.")
	} else {
		fmt.Fprintf(w, "Moved from %s to %s at schema %d, as of %s: the same on both sides.\n", m.From, m.Into, m.Schema, clock.Text(m.TakenAt))
	}
	fmt.Fprintf(w, "rows       %d of %d tables are equal, %d written now\n", m.Rows, len(m.Tables), m.Written)
	fmt.Fprintf(w, "           digest %s\n", m.Digest)
	fmt.Fprintf(w, "packages   %d (%s) are equal, %d copied now\n", m.Blobs.Count, cli.SizeText(m.Blobs.Bytes), m.Blobs.Copied)
	fmt.Fprintf(w, "           digest %s\n", m.Blobs.SHA256)
	showLost(w, m.Blobs.BlobSum)
}
