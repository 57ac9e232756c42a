package browse

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/pack"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// TemplateInput names a template.
type TemplateInput struct {
	UserID     string `json:"user_id"`
	TemplateID string `json:"template_id"`
	Locale     string `json:"locale"`
}

// GeneratePromptBundle answers a template's prompt in the caller's language and counts the use.
func (a *Service) GeneratePromptBundle(ctx context.Context, c core.Caller, in TemplateInput) (PromptBundle, error) {
	userID, e, version, err := a.used(ctx, c, in)
	if err != nil {
		return PromptBundle{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Action: "template.prompt_generated", Kind: catalog.KindTemplate, ItemID: e.ID, Status: "ok",
		})); err != nil {
			return err
		}
		return a.BumpEngagement(tx, catalog.KindTemplate, e.Seq, e.VisibleTo(""), marketdb.PromptGenerations)
	})
	return *bundleOf(&version.Document, e.Version, c.Locale), err
}

// GeneratedPackage says where a template's package stands.
type GeneratedPackage struct {
	catalog.Artifact
	TemplateID string `json:"template_id"`
	Version    string `json:"version"`
}

// GeneratePackage makes sure that a template's package exists, answers its reference and counts the use.
func (a *Service) GeneratePackage(ctx context.Context, c core.Caller, in TemplateInput) (GeneratedPackage, error) {
	userID, e, version, err := a.used(ctx, c, in)
	if err != nil {
		return GeneratedPackage{}, err
	}
	artifact := Preferred(version, install.Auto)
	content, err := a.artifactBytes(ctx, artifact, version)
	if err != nil {
		return GeneratedPackage{}, err
	}
	content.Close()
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "template.package_generated", Kind: catalog.KindTemplate, ItemID: e.ID, Target: artifact.ID, Status: "ok",
		})); err != nil {
			return err
		}
		return a.BumpEngagement(tx, catalog.KindTemplate, e.Seq, e.VisibleTo(""), marketdb.PackageGenerations)
	})
	return GeneratedPackage{artifact.Artifact, e.ID, e.Version}, err
}

// used checks what the two generating routes need: a member and a template they may see.
func (a *Service) used(ctx context.Context, c core.Caller, in TemplateInput) (string, catalog.Entry, *CachedVersion, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return "", catalog.Entry{}, nil, err
	}
	if in.TemplateID == "" {
		return "", catalog.Entry{}, nil, ErrTemplateID
	}
	e, err := a.find(ctx, c.As(userID), catalog.KindTemplate, in.TemplateID)
	if err != nil {
		return "", e, nil, notInstallable(err, in.TemplateID)
	}
	version, err := a.Cache.Version(ctx, e.Seq, e.Version)
	return userID, e, version, notInstallable(err, in.TemplateID)
}

// DownloadInput names a package; Version "" is the latest.
type DownloadInput struct {
	UserID     string `json:"user_id"`
	TemplateID string `json:"template_id"`
	Version    string `json:"version"`
	Source     string `json:"source_preference"`
}

// Download is a package to be sent. The caller closes Content; SHA256 is its ETag.
type Download struct {
	Content  io.ReadSeekCloser
	Filename string
	SHA256   string
	Size     int64
}

// DownloadTemplatePackage opens a template's or a profile pack's package. unless tells whether the
// caller has the bytes of a digest already; then Content is nil and nothing is written down.
func (a *Service) DownloadTemplatePackage(ctx context.Context, c core.Caller, in DownloadInput, unless func(sha256 string) bool) (Download, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return Download{}, err
	}
	if in.TemplateID == "" {
		return Download{}, ErrTemplateID
	}
	e, kind, err := a.findAny(ctx, c.As(userID), in.TemplateID)
	if err != nil {
		return Download{}, notInstallable(err, in.TemplateID)
	}
	version, err := a.Cache.standing(ctx, e.Seq, cmp.Or(in.Version, e.Version))
	if err != nil {
		return Download{}, notInstallable(err, in.TemplateID)
	}
	artifact := Preferred(version, in.Source)
	out := Download{Filename: pack.Filename(e.ID, artifact.Version), SHA256: artifact.SHA256, Size: artifact.SizeBytes}
	if unless(artifact.SHA256) {
		return out, nil
	}
	if out.Content, err = a.artifactBytes(ctx, artifact, version); err != nil {
		return Download{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "template.package_downloaded", Kind: kind, ItemID: e.ID, Target: artifact.ID, Status: "ok",
			Detail: map[string]any{"version": artifact.Version, "sha256": artifact.SHA256, "bytes": artifact.SizeBytes},
		}))
	})
	if err != nil {
		out.Content.Close()
		return Download{}, err
	}
	return out, nil
}

// Preferred is the package of a version that is offered: the uploaded or the generated one.
func Preferred(v *CachedVersion, preference string) marketdb.Artifact {
	_, uploaded := v.Artifact(install.Uploaded)
	if artifact, ok := v.Artifact(install.Options{SourcePreference: preference}.Source(uploaded)); ok {
		return artifact
	}
	return v.Artifacts[0]
}

// artifactBytes opens a package. A generated one is made again when its blob is gone: the same document gives the same
// bytes, so the digest on record still holds.
func (a *Service) artifactBytes(ctx context.Context, artifact marketdb.Artifact, v *CachedVersion) (io.ReadSeekCloser, error) {
	file, err := a.Blobs.Open(ctx, artifact.SHA256)
	if errors.Is(err, blob.ErrNotFound) && artifact.Source == install.Built {
		if err = a.rebuildArtifact(ctx, artifact, v); err == nil {
			file, err = a.Blobs.Open(ctx, artifact.SHA256)
		}
	}
	if err != nil {
		return nil, Missing(err)
	}
	if onDisk := blob.OnDisk(file); onDisk != nil {
		return onDisk, nil // which the kernel sends without copying
	}
	return file, nil
}

// rebuildArtifact makes a lost package again; ErrNotFound when its bytes would not be the same.
func (a *Service) rebuildArtifact(ctx context.Context, artifact marketdb.Artifact, v *CachedVersion) error {
	zip, err := pack.Build(&v.Document)
	if err != nil {
		return err
	}
	if pack.Digest(zip) != artifact.SHA256 {
		return blob.ErrNotFound // made by another version of the zip writer
	}
	a.Log.Warn("packages: made a lost package again", "sha256", artifact.SHA256)
	_, _, err = a.Blobs.Put(ctx, bytes.NewReader(zip))
	return err
}

// Missing tells of a package that is no longer stored; other errors stay as they are.
func Missing(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return errs.New(errs.PackageArtifactMissing, "The package's bytes are missing on this server. Its operator can find out why with `stoa doctor`.")
	}
	return err
}
