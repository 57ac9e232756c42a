package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"stoa/client"
	"stoa/internal/market/archive"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/folder"
)

type installCmd struct {
	ID         string   `arg:"" optional:"" help:"The template's or pack's id."`
	Dir        string   `arg:"" optional:"" help:"The folder to install into; the current one otherwise." default:"."`
	Version    string   `help:"Version of a pack; the latest otherwise."`
	Sections   []string `help:"Install these sections of a pack alone." placeholder:"NAME"`
	Yes        bool     `short:"y" help:"Do it without asking."`
	NoRegister bool     `help:"Do not tell the server that it is installed."`
	Undo       string   `help:"Take the last installation in a folder back." placeholder:"DIR"`
	Force      bool     `help:"With --undo: also over files that were changed since."`
	All        bool     `help:"Show every line."`
	serverFlags
}

// fetched is a package that was downloaded, checked and read.
type fetched struct {
	item    client.Item
	kind    string
	version string
	sha256  string
	files   []folder.File
	leaves  disclosure.Report
	blanks  []string
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

// Run installs, or takes an installation back.
func (c *installCmd) Run(ctx context.Context, o output) error {
	if c.Undo != "" {
		return c.undo(o)
	}
	if c.ID == "" {
		return errors.New("say which template or pack to install: stoa install ID [DIR]")
	}
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	got, err := c.fetch(ctx, server, o)
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
	plan, err := target.Plan(folder.Item{ID: c.ID, Kind: got.kind, Version: got.version, SHA256: got.sha256, Server: server.URL(), Dir: dir}, got.files)
	if err != nil {
		return err
	}
	out := installation{
		Plan: plan, Leaves: got.leaves, Blanks: got.blanks, RiskLevel: got.item.RiskLevel, ReviewLabels: got.item.ReviewLabels, WarningFlags: got.item.WarningFlags,
	}
	if !o.json {
		c.show(o.out, out, got)
	}
	if !plan.Changes() {
		return o.print(out, func(w io.Writer) { fmt.Fprintln(w, "Everything is in place already.") })
	}
	if !c.Yes && !agreed(o) {
		return o.print(out, func(w io.Writer) { fmt.Fprintln(w, "Nothing was written. Say --yes to install.") })
	}
	if err := target.Apply(plan, time.Now()); err != nil {
		return err
	}
	out.Installed = true
	if out.Registered, err = c.register(ctx, server, got); err != nil {
		fmt.Fprintf(o.err, "stoa: installed, but the server was not told: %s\n", printable(err.Error()))
	}
	return o.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Installed %s %s into %s. `stoa install --undo %s` takes it back.\n", got.item.ID(), got.version, filepath.Join(c.Dir, plan.Item.Dir), c.Dir)
	})
}

// agreed asks on the terminal; without one nobody agrees.
func agreed(o output) bool {
	file, ok := o.in.(*os.File)
	if !ok || o.json || !term.IsTerminal(int(file.Fd())) {
		return false
	}
	fmt.Fprint(o.err, "Install? [y/N] ")
	line, err := bufio.NewReader(file).ReadString('\n')
	return err == nil && strings.EqualFold(strings.TrimSpace(line), "y")
}

// fetch downloads the package beside nothing of the member's, holds it against the catalog and reads it.
func (c *installCmd) fetch(ctx context.Context, server *client.Client, o output) (*fetched, error) {
	got := &fetched{kind: "template", blanks: []string{}}
	var err error
	got.item, err = server.Template(ctx, c.ID)
	if client.CodeOf(err) == "template_not_found" {
		got.kind = "profile_pack"
		if got.item, err = server.ProfilePack(ctx, c.ID); client.CodeOf(err) == "profile_pack_not_published" {
			return nil, errs.Newf(errs.NotFound, "There is no template or profile pack %s on %s.", c.ID, server.URL())
		}
	}
	if err != nil {
		return nil, err
	}
	if got.item.ID() != c.ID || got.kind == "profile_pack" && got.item.PackID != c.ID || got.item.Version == "" {
		return nil, notAsked("server", got.item.ID(), got.item.Version)
	}
	got.version = either(c.Version, got.item.Version)
	if got.kind == "template" && got.version != got.item.Version {
		return nil, fmt.Errorf("the server gives out the latest version of a template alone, which is %s", got.item.Version)
	}
	if got.sha256 = got.item.Digest(got.version); got.sha256 == "" && !got.item.Has(got.version) {
		return nil, fmt.Errorf("there is no version %s of %s", got.version, c.ID)
	}
	if !client.IsDigest(got.sha256) {
		return nil, client.ErrNoDigest
	}
	dir, err := os.MkdirTemp("", "stoa-install-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d := client.Download{Path: filepath.Join(dir, "package.zip"), SHA256: got.sha256, Limit: archive.Default.Packed}
	if progress, done := progressBar(o, got.item.SizeBytes, "receiving"); progress != nil {
		d.Progress = func(n, _ int64) { progress(n) }
		defer done()
	}
	if got.kind == "template" {
		_, err = server.DownloadTemplate(ctx, c.ID, d)
	} else {
		_, err = server.DownloadProfilePack(ctx, c.ID, c.Version, d)
	}
	if err != nil {
		return nil, err
	}
	return got, c.read(ctx, d.Path, got)
}

// read opens the package as one from a stranger.
func (c *installCmd) read(ctx context.Context, file string, got *fetched) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	a, err := archive.Open(f, info.Size(), archive.Default)
	if err != nil {
		return pack.RefusedArchive(errs.InvalidPackagePayload, err)
	}
	if got.kind == "template" {
		if len(c.Sections) > 0 {
			return errors.New("a template has no sections")
		}
		t, err := packing.CheckTemplate(ctx, redact.New(), f, info.Size())
		if err != nil && errs.CodeOf(err) != errs.SecretsDetected { // a secret of somebody else's harms them, not whoever installs
			return err
		}
		if t.Bundle.TemplateID != got.item.ID() || t.Bundle.Version != got.version {
			return notAsked("package", t.Bundle.TemplateID, t.Bundle.Version)
		}
		got.leaves = t.Leaves
		got.files, err = filesOf(a)
		return err
	}
	p, err := pack.ReadProfile(ctx, a)
	if err != nil {
		return err
	}
	if p.Manifest.PackID != got.item.ID() || p.Manifest.Version != got.version {
		return notAsked("package", p.Manifest.PackID, p.Manifest.Version)
	}
	if len(c.Sections) > 0 {
		if p.Sections, err = pack.Select(p.Sections, c.Sections, nil); err != nil {
			return err
		}
		if a, err = rewritten(p); err != nil {
			return err
		}
	}
	if got.leaves, err = disclosure.OfSections(p.Sections, strictjson.Canonical, redact.Result{}, p.Manifest.Capabilities); err != nil {
		return err
	}
	got.blanks = packing.Blanks(p.Sections)
	got.files, err = filesOf(a)
	return err
}

func notAsked(who, id, version string) error {
	return errs.Newf(errs.InvalidPackagePayload, "The %s says that it is %s %s. It is not what was asked for.", who, id, version)
}

// rewritten is a pack with fewer sections, so that what is installed is a whole pack again.
func rewritten(p *pack.Profile) (*archive.Archive, error) {
	var out bytes.Buffer
	if _, err := pack.Write(&out, p.Manifest, p.Sections, p.Sealed); err != nil {
		return nil, err
	}
	return archive.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), archive.Default)
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
func (c *installCmd) register(ctx context.Context, server *client.Client, got *fetched) (*client.Installation, error) {
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

func (c *installCmd) undo(o output) error {
	target, err := folder.Open(c.Undo)
	if err != nil {
		return err
	}
	defer target.Close()
	done, err := target.Undo(c.Force)
	if err != nil {
		return err
	}
	return o.print(done, func(w io.Writer) {
		fmt.Fprintf(w, "Took back %s %s: %s restored, %s removed.\n", printable(done.Item.ID), printable(done.Item.Version), counted(len(done.Restored), "file"), counted(len(done.Removed), "file"))
	})
}

// show prints the plan.
func (c *installCmd) show(w io.Writer, out installation, got *fetched) {
	p := out.Plan
	fmt.Fprintf(w, "%s %s %s from %s\n", got.kind, printable(p.Item.ID), printable(p.Item.Version), p.Item.Server)
	fmt.Fprintf(w, "sha256 %s, as the catalog says\n", p.Item.SHA256)
	if p.From != "" && p.From != p.Item.Version {
		fmt.Fprintf(w, "in place of version %s\n", printable(p.From))
	}
	fmt.Fprintf(w, "risk %s%s\n", printable(either(out.RiskLevel, "unknown")), after("; labels: ", out.ReviewLabels)+after("; warnings: ", out.WarningFlags))
	fmt.Fprintf(w, "\nInto %s\n", c.Dir)
	for _, s := range p.Steps {
		note := ""
		if s.Edited && s.Action == folder.Change {
			note = "  (yours is kept in the snapshot)"
		} else if s.Edited {
			note = "  (yours, kept)"
		}
		fmt.Fprintf(w, "  %-6s  %s  %.12s%s\n", s.Action, printable(s.Path), either(s.After, s.Before), note)
	}
	l := lines{w: w, head: "It can", limit: lineLimit(c.All)}
	for _, can := range out.Leaves.Capabilities {
		l.add(can.Name + place(can.Places))
	}
	l.end()
	l = lines{w: w, head: "Hosts in it", limit: lineLimit(c.All)}
	for _, h := range out.Leaves.Hosts {
		l.add(printable(h.Host) + ", " + h.Use + place(h.Places))
	}
	l.end()
	l = lines{w: w, head: "For you to fill in (they were secret)", limit: lineLimit(c.All)}
	for _, b := range out.Blanks {
		l.add(printable(b))
	}
	l.end()
	showNamed(w, "Environment variables it asks for", out.Leaves.Environment, lineLimit(c.All))
	fmt.Fprintln(w)
}

func after(head string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return head + printables(list)
}
