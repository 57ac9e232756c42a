package operate

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/schollz/progressbar/v3"

	"stoa/internal/cli"
	"stoa/internal/platform/blob"
)

// MigrateDataCmd is `stoa migrate-data`.
type MigrateDataCmd struct {
	Store migrateStoreCmd `cmd:"" help:"Move a whole store, rows and packages, between SQLite with a folder and PostgreSQL with an object store, and compare both sides."`
	Blobs migrateBlobsCmd `cmd:"" help:"Copy the packages of a folder or an object store into another."`
}

type migrateBlobsCmd struct {
	From string `help:"A folder of packages (the folder blobs in a data folder), or an s3:// address." required:"" placeholder:"PLACE"`
	To   string `help:"Another such place; a folder is made when it is not there." required:"" placeholder:"PLACE"`
}

// Run copies. What is there already is passed over, so it goes on where it was interrupted; it fails when something in the
// source is damaged.
func (c *migrateBlobsCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	if !strings.HasPrefix(c.From, "s3://") {
		if _, err := os.Stat(c.From); err != nil {
			return fmt.Errorf("there is no folder %s", c.From)
		}
	}
	from, err := s.place(ctx, c.From)
	if err != nil {
		return err
	}
	to, err := s.place(ctx, c.To)
	if err != nil {
		return err
	}
	var progress func(blob.Copied)
	if o.DrawnOn() != nil {
		bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(o.DrawnOn()), progressbar.OptionSetDescription("packages"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		defer func() { _ = bar.Finish() }()
		progress = func(c blob.Copied) { _ = bar.Set(c.Blobs) }
	}
	done, err := blob.Copy(ctx, from, to, progress)
	if err != nil {
		return fmt.Errorf("%d of the packages are there now, and the same command goes on with the others: %w", done.There+done.Copied, err)
	}
	if err := o.Print(done, func(w io.Writer) {
		fmt.Fprintf(w, "%d packages: %d copied (%d bytes), %d were there already\n", done.Blobs, done.Copied, done.Bytes, done.There)
		for _, digest := range done.Damaged {
			fmt.Fprintf(w, "damaged, not copied: %s\n", digest)
		}
	}); err != nil {
		return err
	}
	if n := len(done.Damaged); n > 0 {
		return fmt.Errorf("%d packages of the source are damaged; `stoa doctor --repair` on it repairs what can be repaired", n)
	}
	return nil
}

// place opens a place for packages that is named on the command line.
func (s *Settings) place(ctx context.Context, where string) (blob.Store, error) {
	if strings.HasPrefix(where, "s3://") {
		return s.openObjects(ctx, where)
	}
	return blob.OpenFolder(where)
}
