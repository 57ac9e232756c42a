package member

import (
	"context"
	"fmt"
	"io"
	"strings"

	"stoa/client/contract"
	"stoa/internal/cli"
)

// CompareCmd is `stoa compare`.
type CompareCmd struct {
	PackID      string   `arg:"" name:"pack" help:"A published profile pack."`
	Version     string   `help:"The version looked at; the latest otherwise."`
	BaseVersion string   `help:"What it is set against; the version published before otherwise."`
	BasePack    string   `help:"Another pack to set it against." placeholder:"ID"`
	BaseImport  string   `help:"An import of your own to set it against." placeholder:"ARTIFACT"`
	Sections    []string `help:"These sections alone." placeholder:"NAME"`
	ServerFlags
}

// Run compares.
func (c *CompareCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	out, err := contract.New(server).CompareProfilePackCatalog(ctx, contract.CompareProfilePackCatalogParams{
		PackID: c.PackID, Version: c.Version, SelectedSections: strings.Join(c.Sections, ","), BasePackID: c.BasePack, BaseVersion: c.BaseVersion, BaseArtifactID: c.BaseImport,
	})
	if err != nil {
		return err
	}
	return o.Print(out, func(w io.Writer) {
		before := "nothing"
		if out.Before.Kind != "none" {
			before = out.Before.PackID + " " + out.Before.Version
		}
		fmt.Fprintf(w, "%s %s against %s\n", cli.Printable(out.PackID), cli.Printable(out.Version), cli.Printable(before))
		for _, s := range out.Diff.Sections {
			if s.Status == "same" {
				continue
			}
			fmt.Fprintf(w, "\n%s %s, %s\n", cli.Printable(s.Section), cli.Printable(s.Status), cli.Counted(int(s.ChangedPathsCount), "place"))
			cli.ShowDiff(w, s.DiffPreview)
		}
		if len(out.ChangedSections) == 0 {
			fmt.Fprintln(w, "Nothing differs.")
		}
		for _, more := range []struct {
			what  string
			names []string
		}{{"It can now", out.CapabilitiesAdded}, {"It can no longer", out.CapabilitiesRemoved}} {
			if len(more.names) > 0 {
				fmt.Fprintf(w, "\n%s: %s\n", more.what, cli.Printables(more.names))
			}
		}
	})
}
