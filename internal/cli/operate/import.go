package operate

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"stoa/internal/app"
	"stoa/internal/app/market/review"
	"stoa/internal/cli"
	"stoa/internal/market/catalog"
)

// ImportCmd is `stoa import`.
type ImportCmd struct {
	File    string `arg:"" help:"JSONL file, one template or pack per line; - reads standard input."`
	Owner   string `help:"The member who shall own what is new; without it the operator does." placeholder:"USER"`
	Pending bool   `help:"Leave everything waiting for review."`
}

// Run imports.
func (c *ImportCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	in, size := o.In, int64(-1)
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return cli.Unreadable(c.File, err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil {
			size = info.Size()
		}
		in = file
	}
	options := review.ImportOptions{Owner: c.Owner, Channel: catalog.ChannelImport, Pending: c.Pending}
	if c.Owner != "" {
		options.Channel = catalog.ChannelCommunity
	}
	done := func() {}
	if o.DrawnOn() != nil {
		bar := progressbar.DefaultBytes(size, "importing")
		options.Progress = func(read int64) { _ = bar.Set64(read) }
		done = func() { _ = bar.Finish() }
	}
	return s.command(ctx, o, func(a *app.App) error {
		report, err := a.Import(ctx, in, options)
		done()
		if err != nil {
			return err
		}
		return o.Print(report, func(w io.Writer) { showImport(w, report) })
	})
}

func showImport(w io.Writer, r review.ImportReport) {
	fmt.Fprintf(w, "%d read: %d published, %d updated, %d unchanged, %d left for review, %d refused\n",
		r.Read, r.Published, r.Updated, r.Unchanged, r.Pending, len(r.Refused))
	for _, refusal := range r.Refused {
		fmt.Fprintf(w, "  line %d %s refused: %s\n", refusal.Line, cli.Printable(refusal.ID), cli.Printable(refusal.Reason))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "  line %d %s: %s\n", note.Line, cli.Printable(note.ID), cli.Printable(note.Reason))
	}
}
