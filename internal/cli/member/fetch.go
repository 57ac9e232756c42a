package member

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/market/archive"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/folder"
)

// fetched is a package that was downloaded, checked and read.
type fetched struct {
	item    client.Item
	kind    string
	version string
	sha256  string
	files   []folder.File
	bundle  *pack.Bundle  // of a template
	pack    *pack.Profile // of a profile pack
	leaves  disclosure.Report
	blanks  []string
}

// fetch downloads a package beside nothing of the member's, holds it against the catalog and reads it. version "" is the
// latest; sections, if any, are the only ones that are kept of a pack.
func fetch(ctx context.Context, server *client.Client, o cli.Output, id, version string, sections []string) (*fetched, error) {
	got := &fetched{kind: "template", blanks: []string{}}
	var err error
	got.item, err = server.Template(ctx, id)
	if client.CodeOf(err) == "template_not_found" {
		got.kind = "profile_pack"
		if got.item, err = server.ProfilePack(ctx, id); client.CodeOf(err) == "profile_pack_not_published" {
			return nil, errs.Newf(errs.NotFound, "There is no template or profile pack %s on %s.", id, server.URL())
		}
	}
	if err != nil {
		return nil, err
	}
	if got.item.ID() != id || got.kind == "profile_pack" && got.item.PackID != id || got.item.Version == "" {
		return nil, notAsked("server", got.item.ID(), got.item.Version)
	}
	got.version = cmp.Or(version, got.item.Version)
	if got.sha256 = got.item.Digest(got.version); got.sha256 == "" && !got.item.Has(got.version) {
		return nil, fmt.Errorf("there is no version %s of %s", got.version, id)
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
	// By the version whose digest was read: "the latest" may be another by now.
	if got.kind == "template" {
		_, err = server.DownloadTemplate(ctx, id, got.version, d)
	} else {
		_, err = server.DownloadProfilePack(ctx, id, got.version, d)
	}
	if err != nil {
		return nil, err
	}
	return got, got.read(ctx, d.Path, sections)
}

// read opens the package as one from a stranger.
func (got *fetched) read(ctx context.Context, file string, sections []string) error {
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
		if len(sections) > 0 {
			return errors.New("a template has no sections")
		}
		t, err := packing.CheckTemplate(ctx, redact.New(), f, info.Size())
		if err != nil && errs.CodeOf(err) != errs.SecretsDetected { // a secret of somebody else's harms them, not whoever installs
			return err
		}
		if t.Bundle.TemplateID != got.item.ID() || t.Bundle.Version != got.version {
			return notAsked("package", t.Bundle.TemplateID, t.Bundle.Version)
		}
		got.leaves, got.bundle = t.Leaves, &t.Bundle
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
	if len(sections) > 0 {
		if p.Sections, err = pack.Select(p.Sections, sections, nil); err != nil {
			return err
		}
		if a, err = rewritten(p); err != nil {
			return err
		}
	}
	got.pack = p
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
	if _, err := pack.Write(&out, p.Manifest, p.Sections, p.Sealed, p.Pictures...); err != nil {
		return nil, err
	}
	return archive.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), archive.Default)
}
