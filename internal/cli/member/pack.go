package member

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stoa/internal/cli"
	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/platform/errs"
)

// PackCmd is `stoa pack`.
type PackCmd struct {
	Source    string   `arg:"" help:"A bot's folder, backup or configuration, a character card, skills, a profile pack, or a folder with bundle.json."`
	Out       string   `short:"o" help:"File to write; the pack's id and version make the name otherwise." placeholder:"FILE"`
	Mode      string   `help:"What becomes of secrets: ${enum}." enum:"exclude_secrets,exclude_provider,include_provider_no_key,include_encrypted_secrets" default:"exclude_secrets"`
	Sections  []string `help:"Take these sections alone." placeholder:"NAME"`
	Items     []string `help:"Take these values alone, such as personas.entries.gardener." placeholder:"PATH"`
	Mask      []string `help:"Mask this value too." placeholder:"PATH" sep:"none"`
	Drop      []string `help:"Leave this value out." placeholder:"PATH" sep:"none"`
	Recipient string   `help:"age recipient the secrets are sealed to; with --mode=include_encrypted_secrets." placeholder:"age1…"`
	ID        string   `name:"id" help:"Id of the pack."`
	Version   string   `help:"Version of the pack."`
	Pictures  []string `name:"picture" help:"A picture (PNG, JPEG) for the item's page; up to five." placeholder:"FILE" sep:"none"`
	listingFlags
	DryRun bool `help:"Show the reports and write nothing."`
	Force  bool `help:"Replace the file if it is there."`
	All    bool `help:"Show every line of the reports."`
}

// listingFlags are how something wants to be shown in the catalog.
type listingFlags struct {
	Title       string   `help:"Title in the catalog."`
	Description string   `help:"What it is for."`
	Category    string   `help:"Category in the catalog."`
	Tags        []string `help:"Tags." placeholder:"TAG"`
	Maintainer  string   `help:"Who looks after it."`
}

func (l *listingFlags) listing() packing.Listing { return packing.Listing(*l) }

// packed is what the command answers.
type packed struct {
	File      string             `json:"file"` // "" for a dry run
	SHA256    string             `json:"sha256"`
	SizeBytes int64              `json:"size_bytes"`
	Kind      string             `json:"kind"`
	ID        string             `json:"id"`
	Version   string             `json:"version"`
	PackType  string             `json:"pack_type,omitempty"`
	Mode      string             `json:"redaction_mode,omitempty"`
	Sections  []string           `json:"sections,omitempty"`
	Source    *botimport.Source  `json:"source,omitempty"`
	Summary   *botimport.Summary `json:"import_summary,omitempty"`
	Fields    *botimport.Report  `json:"fields,omitempty"`
	Issues    []pack.Issue       `json:"compatibility_issue_details,omitempty"`
	Leaves    disclosure.Report  `json:"leave_report"`
	Skipped   []string           `json:"skipped,omitempty"` // of a folder: links that lead out of it and the like
	Sealed    bool               `json:"sealed_secrets,omitempty"`
}

// Run packs.
func (c *PackCmd) Run(ctx context.Context, o cli.Output) error {
	temp, err := os.CreateTemp("", "stoa-pack-*.zip")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	done, err := c.pack(ctx, temp)
	if err != nil {
		return err
	}
	if !c.DryRun {
		if done.File = c.Out; done.File == "" {
			done.File = pack.Filename(done.ID, done.Version)
		}
		if err := writePackage(temp, done.File, c.Force); err != nil {
			return err
		}
	}
	return o.Print(done, func(w io.Writer) { c.show(w, done) })
}

// pack reads the source, writes the package into temp and proves it.
func (c *PackCmd) pack(ctx context.Context, temp *os.File) (packed, error) {
	src, err := openSource(c.Source)
	if err != nil {
		return packed{}, err
	}
	defer src.Close()
	out := packed{}
	if src.template() {
		if err := c.noPackFlags(); err != nil {
			return out, err
		}
		if err := pack.WriteTemplate(temp, src.files); err != nil {
			return out, err
		}
		if err := out.measure(temp); err != nil {
			return out, err
		}
		t, err := packing.CheckTemplate(ctx, redact.New(), temp, out.SizeBytes)
		out.Kind, out.ID, out.Version, out.Leaves, out.Skipped = "template", t.Bundle.TemplateID, t.Bundle.Version, t.Leaves, src.skipped()
		return out, err
	}
	draft, err := src.draft(ctx)
	if err != nil {
		return out, err
	}
	pictures, err := readPictures(c.Pictures)
	if err != nil {
		return out, err
	}
	p, err := packing.New(redact.New(), draft, packing.Options{
		PackID: c.ID, Version: c.Version, Sections: c.Sections, Items: c.Items, Mode: redact.Mode(c.Mode), Mask: c.Mask, Drop: c.Drop,
		Recipient: c.Recipient, Listing: c.listing(), Pictures: pictures,
	})
	if err != nil {
		return out, err
	}
	if err := p.Write(temp); err != nil {
		return out, err
	}
	if err := out.measure(temp); err != nil {
		return out, err
	}
	m := p.Manifest
	out.Kind, out.ID, out.Version, out.PackType, out.Mode, out.Sections = "profile_pack", m.PackID, m.Version, m.PackType, m.Redaction.Mode, m.Sections
	out.Source, out.Summary, out.Fields, out.Issues, out.Leaves = &draft.Source, &draft.Summary, &p.Fields, p.Issues, p.Leaves
	out.Skipped, out.Sealed = src.skipped(), p.Sealed != nil
	return out, p.Prove(ctx, temp, out.SizeBytes)
}

// readPictures reads pictures for the item's page, without what they say beside the picture.
func readPictures(files []string) ([]pack.Picture, error) {
	var out []pack.Picture
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, cli.Unreadable(file, err)
		}
		p, err := pack.NewPicture(filepath.Base(file), content)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(one pack.Picture) bool { return one.Name == p.Name }) {
			return nil, fmt.Errorf("two pictures have the name %s", filepath.Base(file))
		}
		out = append(out, p)
	}
	return out, nil
}

// noPackFlags refuses what means nothing for a template: its texts are in bundle.json.
func (c *PackCmd) noPackFlags() error {
	l := c.listing()
	if !l.Empty() || c.ID != "" || c.Version != "" || len(c.Sections)+len(c.Items)+len(c.Mask)+len(c.Drop)+len(c.Pictures) > 0 || c.Recipient != "" {
		return errors.New("this is a template: its id, version and texts are in bundle.json, its pictures in screenshots/, and it is packed whole")
	}
	return nil
}

// measure notes size and digest of what was written.
func (p *packed) measure(f *os.File) error {
	h := sha256.New()
	size, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<62))
	p.SizeBytes, p.SHA256 = size, hex.EncodeToString(h.Sum(nil))
	return err
}

// writePackage puts a finished file in its place: readable by its owner alone until they decide otherwise.
func writePackage(temp *os.File, path string, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s is there already; choose another name with -o, or replace it with --force", path)
	}
	out, err := os.CreateTemp(filepath.Dir(path), ".stoa-*")
	if err != nil {
		return fmt.Errorf("cannot write into %s", filepath.Dir(path))
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if _, err := io.Copy(out, io.NewSectionReader(temp, 0, 1<<62)); err != nil {
		return err
	}
	if err := errors.Join(out.Sync(), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}

// source is what the member named: a folder or a file.
type source struct {
	path   string
	file   *os.File
	size   int64
	folder *botimport.Folder
	files  pack.Files // of a folder or a zip, nil otherwise
}

func openSource(path string) (*source, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s", path)
	}
	if err != nil {
		return nil, cli.Unreadable(path, err)
	}
	if info.IsDir() {
		folder, err := botimport.OpenFolder(path)
		if err != nil {
			return nil, err
		}
		return &source{path: path, folder: folder, files: folder}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, cli.Unreadable(path, err)
	}
	s := &source{path: path, file: file, size: info.Size()}
	head := make([]byte, 4)
	if _, err := file.ReadAt(head, 0); err == nil && (string(head) == "PK\x03\x04" || string(head) == "PK\x05\x06") {
		a, err := archive.Open(file, s.size, archive.Local)
		if err != nil {
			file.Close()
			return nil, pack.RefusedArchive(errs.InvalidPackagePayload, err)
		}
		s.files = a
	}
	return s, nil
}

// template tells whether the source is a template package.
func (s *source) template() bool { return s.files != nil && pack.IsTemplate(s.files) }

// profile tells whether the source is a profile pack that was made already.
func (s *source) profile() bool { return s.files != nil && pack.IsProfile(s.files) }

// draft reads the source as a setup.
func (s *source) draft(ctx context.Context) (*botimport.Draft, error) {
	if s.folder != nil {
		return botimport.ReadFolder(ctx, filepath.Base(s.path), s.folder)
	}
	return botimport.Read(ctx, filepath.Base(s.path), "", s.file, s.size, archive.Local)
}

func (s *source) skipped() []string {
	if s.folder == nil {
		return nil
	}
	return s.folder.Skipped
}

// Close ends the use of the source.
func (s *source) Close() {
	if s.folder != nil {
		s.folder.Close()
		return
	}
	s.file.Close()
}

// show prints the reports.
func (c *PackCmd) show(w io.Writer, p packed) {
	fmt.Fprintf(w, "%s %s %s\n", p.Kind, cli.Printable(p.ID), cli.Printable(p.Version))
	if p.Source != nil {
		fmt.Fprintf(w, "from %s (%s), mode %s\n", cli.Printable(p.Source.Filename), p.Source.Type, p.Mode)
	}
	lines := cli.LineLimit(c.All)
	if p.Fields != nil {
		cli.ShowFields(w, *p.Fields, lines)
	}
	cli.ShowLeaves(w, p.Leaves, lines)
	for i, name := range p.Skipped {
		if i == 0 {
			fmt.Fprintf(w, "\nPassed over in the folder (%d)\n", len(p.Skipped))
		}
		if i < lines {
			fmt.Fprintf(w, "  %s\n", cli.Printable(name))
		}
	}
	fmt.Fprintln(w)
	if p.Sealed {
		fmt.Fprintln(w, "The secrets are sealed to your recipient in secrets.age; `stoa decrypt` opens them.")
	}
	if p.File == "" {
		fmt.Fprintf(w, "Nothing was written (--dry-run). It would be %s with sha256 %s.\n", cli.SizeText(p.SizeBytes), p.SHA256)
		return
	}
	fmt.Fprintf(w, "Wrote %s, %s\nsha256 %s\nNext: `stoa publish %s` submits it for review.\n", p.File, cli.SizeText(p.SizeBytes), p.SHA256, p.File)
}
