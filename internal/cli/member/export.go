package member

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/market/catalog"
	"stoa/internal/market/export"
)

// ExportCmd is `stoa export`.
type ExportCmd struct {
	ID      string `arg:"" help:"The template's or pack's id."`
	Out     string `short:"o" help:"The folder to write into." default:"." placeholder:"DIR"`
	As      string `required:"" enum:"prompt,card-png,card-v3,card-v2,skill,agent,dify,lobechat" help:"The format: ${enum}."`
	Persona string `help:"Only this persona of a pack." placeholder:"NAME"`
	Version string `help:"Version of the item; the latest otherwise."`
	Force   bool   `help:"Write over files that are there."`
	ServerFlags
}

// exported is what the command answers.
type exported struct {
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Format  export.Format `json:"format"`
	Files   []string      `json:"files"`
	Losses  []export.Loss `json:"losses"`
}

// Run writes an item in another program's format.
func (c *ExportCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	got, err := fetch(ctx, server, o, c.ID, c.Version, nil)
	if err != nil {
		return err
	}
	result, err := export.Write(got.exportable(server), export.Format(c.As), export.Options{Persona: c.Persona})
	if err != nil {
		return err
	}
	out := exported{ID: c.ID, Version: got.version, Format: result.Format, Files: []string{}, Losses: result.Losses}
	if err := writeFiles(c.Out, result.Files, c.Force); err != nil {
		return err
	}
	for _, f := range result.Files {
		out.Files = append(out.Files, filepath.Join(c.Out, filepath.FromSlash(f.Path)))
	}
	return o.Print(out, func(w io.Writer) {
		for _, f := range out.Files {
			fmt.Fprintf(w, "Wrote %s\n", cli.Printable(f))
		}
		if len(out.Losses) == 0 {
			fmt.Fprintln(w, "Everything of it has a place in this format.")
			return
		}
		fmt.Fprintf(w, "\nNot in it (%d):\n", len(out.Losses))
		for _, l := range out.Losses {
			fmt.Fprintf(w, "  %s  %s\n", cli.Printable(l.Path), l.Reason)
		}
	})
}

// exportable is what was fetched as the writers see it.
func (got *fetched) exportable(server *client.Client) export.Item {
	item := export.Item{
		ID: got.item.ID(), Version: got.version, Kind: catalog.Kind(got.kind), Title: got.item.Title, Description: got.item.Description,
		Author: got.item.Maintainer, Category: got.item.Category, Tags: got.item.Tags, SHA256: got.sha256,
		URL: server.URL() + "/market?" + url.Values{map[bool]string{true: "item", false: "pack"}[got.bundle != nil]: {got.item.ID()}}.Encode(),
	}
	for _, v := range got.item.Versions {
		if v.Version == got.version {
			item.PublishedAt = v.PublishedAt
		}
	}
	if got.bundle != nil {
		item.AddTemplate(got.bundle.Prompt, got.bundle.Other)
	} else {
		item.AddSections(got.pack.Sections)
	}
	return item
}

// writeFiles writes an export below dir. Nothing is written when one of the files is there already, unless it may be
// written over; a path that leads out of dir is refused by the root.
func writeFiles(dir string, files []export.File, over bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // an ordinary folder of the member's
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if _, err := root.Lstat(f.Path); !over && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is a %s already; say --force to write over it, or --out DIR for another folder", filepath.Join(dir, f.Path))
		}
	}
	for _, f := range files {
		if i := strings.LastIndexByte(f.Path, '/'); i >= 0 {
			if err := root.MkdirAll(f.Path[:i], 0o755); err != nil {
				return err
			}
		}
		if err := root.WriteFile(f.Path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
