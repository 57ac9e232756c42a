package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
	"github.com/schollz/progressbar/v3"

	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// BackupCmd is `stoa backup`.
type BackupCmd struct {
	File       string   `arg:"" help:"File to write, such as stoa.backup."`
	Recipients []string `name:"recipient" short:"r" help:"Encrypt to this age recipient, as stoa keygen shows it; may be given more than once." placeholder:"AGE1…"`
	Force      bool     `help:"Replace the file when it is there already."`
}

// Run writes a backup of the store as it is, at whatever schema, also while servers run.
func (c *BackupCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	var to []age.Recipient
	for _, text := range c.Recipients {
		one, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil || len(one) != 1 {
			return fmt.Errorf("%s is no age recipient; `stoa keygen` makes a key and shows its recipient", cli.Printable(text))
		}
		to = append(to, one...)
	}
	db, blobs, schema, err := s.openAsIs(ctx)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost
	if schema.Chained() {
		if _, err := core.ChainAudit(ctx, db); err != nil {
			return err
		}
	}
	progress, done := progressBars(o)
	source := backup.Source{Store: db, Blobs: blobs, Clock: clock.System, Version: cli.Version}
	r, err := source.ToFile(ctx, c.File, c.Force, to, progress)
	done()
	if errors.Is(err, backup.ErrThere) {
		return fmt.Errorf("%s is there already; choose another name, or say --force to replace it", c.File)
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	if err := core.NoteBackup(ctx, db, r.Digest, info.Size(), len(to) > 0); err != nil {
		fmt.Fprintln(o.Err, "stoa: the audit log does not say that this backup was taken:", err)
	}
	lost := len(r.Manifest.Blobs.Missing) + len(r.Manifest.Blobs.Damaged)
	shown := map[string]any{"ok": lost == 0, "file": c.File, "size_bytes": info.Size(), "encrypted": len(to) > 0, "backup": r}
	if err := o.Print(shown, func(w io.Writer) {
		showBackup(w, "Wrote "+c.File+" ("+cli.SizeText(info.Size())+")", r)
		fmt.Fprintf(w, "Next: keep it on another machine. `stoa verify --backup %s` checks it.\n", c.File)
	}); err != nil {
		return err
	}
	if lost > 0 {
		return fmt.Errorf("the backup is written, but %s already missing or damaged in the store: run `stoa doctor --repair`: %w", were(lost, "package"), cli.ErrFound)
	}
	return nil
}

func were(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return cli.Counted(n, what) + " were"
}

func showBackup(w io.Writer, what string, r backup.Report) {
	fmt.Fprintf(w, "%s: %d rows of %d tables and %d packages (%s), as of %s, from %s at schema %d.\n", what, r.Rows, len(r.Manifest.Tables),
		r.Manifest.Blobs.Count, cli.SizeText(r.Manifest.Blobs.Bytes), clock.Text(r.Head.TakenAt), r.Head.Engine, r.Head.Schema)
	fmt.Fprintf(w, "digest     %s\n", r.Digest)
	if r.Manifest.Audit != nil {
		fmt.Fprintf(w, "audit head %d:%s\n", r.Manifest.Audit.Seq, r.Manifest.Audit.Hash)
	}
	showLost(w, r.Manifest.Blobs)
}

// showLost names what was missing or damaged in a store.
func showLost(w io.Writer, blobs backup.BlobSum) {
	for _, bad := range []struct {
		word    string
		digests []string
	}{{"missing", blobs.Missing}, {"damaged", blobs.Damaged}} {
		for i, digest := range bad.digests {
			if i == 20 {
				fmt.Fprintf(w, "%s    … and %d more\n", bad.word, len(bad.digests)-i)
				break
			}
			fmt.Fprintf(w, "%s    %s\n", bad.word, digest)
		}
	}
}

// openAsIs opens the store without bringing its schema up to date.
func (s *Settings) openAsIs(ctx context.Context) (*store.Store, blob.Store, store.Schema, error) {
	where, err := s.Where()
	if err != nil {
		return nil, nil, store.Schema{}, err
	}
	db, err := store.OpenAsIs(ctx, where, clock.System)
	if err != nil {
		return nil, nil, store.Schema{}, err
	}
	schema, err := db.Schema(ctx)
	if err != nil {
		return nil, nil, schema, errors.Join(err, db.Close())
	}
	blobs, err := s.openBlobs(ctx)
	if err != nil {
		return nil, nil, schema, errors.Join(err, db.Close())
	}
	return db, blobs, schema, nil
}

// readKeys reads a file as stoa keygen makes it; "" gives none.
func readKeys(path string) ([]age.Identity, error) {
	if path == "" {
		return nil, nil
	}
	text, err := cli.ReadSome(path, cli.MaxKeyFile)
	if err != nil {
		return nil, err
	}
	keys, err := age.ParseIdentities(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s holds no age key", path)
	}
	return keys, nil
}

// progressBars shows on a terminal, and there alone, how far each step is.
func progressBars(o cli.Output) (progress func(what string, done, total int64), done func()) {
	if o.DrawnOn() == nil {
		return func(string, int64, int64) {}, func() {}
	}
	var bar *progressbar.ProgressBar
	now, known := "", int64(0)
	finish := func() {
		if bar != nil {
			_ = bar.Finish()
			fmt.Fprintln(o.Err)
		}
	}
	return func(what string, done, total int64) {
		if total == 0 {
			total = -1
		}
		if what != now {
			finish()
			bar, now, known = progressbar.Default(total, what), what, total
		}
		if total != known {
			bar.ChangeMax64(total)
			known = total
		}
		_ = bar.Set64(done)
	}, finish
}
