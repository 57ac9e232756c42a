package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/market/archive"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/folder"
)

// InstallCmd is `stoa install`.
type InstallCmd struct {
	ID         string   `arg:"" optional:"" help:"The template's or pack's id."`
	Dir        string   `arg:"" optional:"" help:"The folder to install into; the current one otherwise." default:"."`
	Version    string   `help:"Version of the item; the latest otherwise."`
	Sections   []string `help:"Install these sections of a pack alone." placeholder:"NAME"`
	Yes        bool     `short:"y" help:"Do it without asking."`
	NoRegister bool     `help:"Do not tell the server that it is installed."`
	Undo       string   `help:"Take the last installation in a folder back." placeholder:"DIR"`
	Remove     bool     `help:"Take the item out of the folder instead; --undo brings it back."`
	Force      bool     `help:"With --undo: also over files that were changed since."`
	All        bool     `help:"Show every line."`
	ServerFlags
}

// installation is what the command answers.
type installation struct {
	*folder.Plan
	Installed    bool                 `json:"installed"`
	Leaves       disclosure.Report    `json:"contents"`
	Blanks       []string             `json:"to_fill_in"`
	RiskLevel    string               `json:"risk_level"`
	ReviewLabels []string             `json:"review_labels"`
	WarningFlags []string             `json:"warning_flags"`
	Registered   *client.Installation `json:"registered,omitempty"`
}

// Run installs, takes an item out, or takes an installation back.
func (c *InstallCmd) Run(ctx context.Context, o cli.Output) error {
	if c.Undo != "" {
		return c.undo(ctx, o)
	}
	if c.ID == "" {
		return errors.New("say which template or pack to install: stoa install ID [DIR]")
	}
	if c.Remove {
		return c.remove(ctx, o)
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	got, err := fetch(ctx, server, o, c.ID, c.Version, c.Sections)
	if err != nil {
		return err
	}
	target, err := folder.Open(c.Dir)
	if err != nil {
		return err
	}
	defer target.Close()
	dir, err := target.DirOf(c.ID, got.kind, server.URL())
	if err != nil {
		return err
	}
	for i := range got.files {
		got.files[i].Path = dir + "/" + got.files[i].Path
	}
	plan, err := target.Plan(folder.Item{ID: c.ID, Kind: got.kind, Version: got.version, SHA256: got.sha256, Server: server.URL(), Dir: dir, Risk: got.item.RiskOf(got.version)}, got.files)
	if err != nil {
		return err
	}
	out := installation{
		Plan: plan, Leaves: got.leaves, Blanks: got.blanks, RiskLevel: got.item.RiskLevel, ReviewLabels: got.item.ReviewLabels, WarningFlags: got.item.WarningFlags,
	}
	if !o.JSON {
		c.show(o.Out, out, got)
	}
	if !plan.Changes() {
		return o.Print(out, func(w io.Writer) { fmt.Fprintln(w, "Everything is in place already.") })
	}
	if !c.Yes && !yes(o, "Install?") {
		return o.Print(out, func(w io.Writer) { fmt.Fprintln(w, "Nothing was written. Say --yes to install.") })
	}
	if err := target.Apply(plan, time.Now()); err != nil {
		return err
	}
	out.Installed = true
	defer warn(ctx, o, server)
	if out.Registered, err = c.register(ctx, server, got); err != nil {
		fmt.Fprintf(o.Err, "stoa: installed, but the server was not told: %s\n", cli.Printable(err.Error()))
	}
	return o.Print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Installed %s %s into %s. `stoa install --undo %s` takes it back.\n", got.item.ID(), got.version, filepath.Join(c.Dir, plan.Item.Dir), c.Dir)
	})
}

// filesOf reads the files of an archive into memory; archive.Default bounds them to 64 MiB.
func filesOf(a *archive.Archive) ([]folder.File, error) {
	var out []folder.File
	for _, name := range a.Names() {
		data, err := a.Read(name, archive.Default.File)
		if err != nil {
			return nil, pack.RefusedArchive(errs.InvalidPackagePayload, err)
		}
		out = append(out, folder.File{Path: name, Data: data})
	}
	return out, nil
}

// register tells the server, when it is the latest version that was installed: that is what it records.
func (c *InstallCmd) register(ctx context.Context, server *client.Client, got *fetched) (*client.Installation, error) {
	if c.NoRegister || got.version != got.item.Version {
		return nil, nil
	}
	done, err := server.Install(ctx, got.item.ID(), c.Sections, false)
	if err == nil && done.Status == "already_installed" && done.Version != got.version {
		done, err = server.Install(ctx, got.item.ID(), c.Sections, true)
	}
	if err != nil {
		return nil, err
	}
	return &done, nil
}

func (c *InstallCmd) undo(ctx context.Context, o cli.Output) error {
	target, err := folder.Open(c.Undo)
	if err != nil {
		return err
	}
	defer target.Close()
	before, err := target.Installed()
	if err != nil && errs.CodeOf(err) != folder.CodeInterrupted {
		return err
	}
	done, err := target.Undo(c.Force)
	if err != nil {
		return err
	}
	if err := c.tellChange(ctx, o, target, done.Item, before); err != nil {
		return err
	}
	return o.Print(done, func(w io.Writer) {
		fmt.Fprintf(w, "Took back %s %s: %s restored, %s removed.\n", cli.Printable(done.Item.ID), cli.Printable(done.Item.Version), cli.Counted(len(done.Restored), "file"), cli.Counted(len(done.Removed), "file"))
	})
}

// remove takes an item out of a folder.
func (c *InstallCmd) remove(ctx context.Context, o cli.Output) error {
	target, err := folder.Open(c.Dir)
	if err != nil {
		return err
	}
	defer target.Close()
	plan, err := target.Removal(c.ID)
	if err != nil {
		return err
	}
	if !o.JSON {
		fmt.Fprintf(o.Out, "Out of %s\n", c.Dir)
		showSteps(o.Out, plan)
	}
	if !c.Yes && !yes(o, "Take it out?") {
		return o.Print(plan, func(w io.Writer) { fmt.Fprintln(w, "Nothing was removed. Say --yes to take it out.") })
	}
	before, err := target.Installed()
	if err != nil {
		return err
	}
	if err := target.Apply(plan, time.Now()); err != nil {
		return err
	}
	if err := c.tellChange(ctx, o, target, plan.Item, before); err != nil {
		return err
	}
	return o.Print(plan, func(w io.Writer) {
		fmt.Fprintf(w, "Took %s %s out. `stoa install --undo %s` brings it back.\n", cli.Printable(plan.Item.ID), cli.Printable(plan.Item.Version), c.Dir)
	})
}

// tellChange tells an item's server that the member no longer has it, or has it again; without the server it is kept for later.
func (c *InstallCmd) tellChange(ctx context.Context, o cli.Output, target *folder.Target, item folder.Item, before []folder.Checked) error {
	now, err := target.Installed()
	if err != nil {
		return err
	}
	is := func(i folder.Checked) bool { return i.ID == item.ID && i.Server == item.Server }
	there := slices.ContainsFunc(now, is)
	if c.NoRegister || there == slices.ContainsFunc(before, is) {
		return nil
	}
	from := ServerFlags{Server: item.Server}
	if c.Server == item.Server {
		from.Token = c.Token // a token goes to its own server alone
	}
	server, err := from.Connect(o)
	if err != nil {
		server = nil // what lies in a folder is taken back without it
	}
	telling(ctx, o, server, notice{Server: item.Server, Item: item.ID, Gone: !there})
	return nil
}

// show prints the plan.
func (c *InstallCmd) show(w io.Writer, out installation, got *fetched) {
	p := out.Plan
	fmt.Fprintf(w, "%s %s %s from %s\n", got.kind, cli.Printable(p.Item.ID), cli.Printable(p.Item.Version), p.Item.Server)
	fmt.Fprintf(w, "sha256 %s, as the catalog says\n", p.Item.SHA256)
	if p.From != "" && p.From != p.Item.Version {
		fmt.Fprintf(w, "in place of version %s\n", cli.Printable(p.From))
	}
	fmt.Fprintf(w, "risk %s%s\n", cli.Printable(cmp.Or(out.RiskLevel, "unknown")), after("; labels: ", out.ReviewLabels)+after("; warnings: ", out.WarningFlags))
	fmt.Fprintf(w, "\nInto %s\n", c.Dir)
	showSteps(w, p)
	l := cli.Lines{Out: w, Head: "It can", Limit: cli.LineLimit(c.All)}
	for _, can := range out.Leaves.Capabilities {
		l.Add(can.Name + cli.Place(can.Places))
	}
	l.End()
	l = cli.Lines{Out: w, Head: "Hosts in it", Limit: cli.LineLimit(c.All)}
	for _, h := range out.Leaves.Hosts {
		l.Add(cli.Printable(h.Host) + ", " + h.Use + cli.Place(h.Places))
	}
	l.End()
	l = cli.Lines{Out: w, Head: "For you to fill in (they were secret)", Limit: cli.LineLimit(c.All)}
	for _, b := range out.Blanks {
		l.Add(cli.Printable(b))
	}
	l.End()
	cli.ShowNamed(w, "Environment variables it asks for", out.Leaves.Environment, cli.LineLimit(c.All))
	fmt.Fprintln(w)
}

func showSteps(w io.Writer, p *folder.Plan) {
	for _, s := range p.Steps {
		note := ""
		if s.Edited && s.Action == folder.Change {
			note = "  (yours is kept in the snapshot)"
		} else if s.Edited {
			note = "  (yours, kept)"
		}
		fmt.Fprintf(w, "  %-6s  %s  %.12s%s\n", s.Action, cli.Printable(s.Path), cmp.Or(s.After, s.Before), note)
	}
}

func after(head string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return head + cli.Printables(list)
}
