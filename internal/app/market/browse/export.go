package browse

import (
	"context"
	"encoding/base64"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/export"
	"stoa/internal/market/pack"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// maxExport bounds an export that is answered, in bytes before Base64.
const maxExport = 8 << 20

// ExportInput names an item and the format that it is wanted in. Version "" is the latest; of a template there is no other.
type ExportInput struct {
	UserID  string `json:"user_id"`
	ItemID  string `json:"item_id"`
	Version string `json:"version"`
	Format  string `json:"format"`
	Persona string `json:"persona"`
	Locale  string `json:"locale"`
}

// Exported is an item in another program's format, and what that format does not hold.
type Exported struct {
	ItemID    string        `json:"item_id"`
	Version   string        `json:"version"`
	Format    string        `json:"format"`
	Filename  string        `json:"filename"`
	MediaType string        `json:"media_type"`
	SHA256    string        `json:"sha256"`
	SizeBytes int           `json:"size_bytes"`
	Content   string        `json:"content_base64"`
	Losses    []export.Loss `json:"losses"`
}

// ExportItem writes a published item in another program's format.
func (a *Service) ExportItem(ctx context.Context, c core.Caller, in ExportInput) (Exported, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return Exported{}, err
	}
	if in.ItemID == "" {
		return Exported{}, errs.Invalid("item_id", "is missing")
	}
	if in.Format == "" {
		return Exported{}, errs.Invalid("format", "is missing")
	}
	item, e, kind, err := a.exportItem(ctx, c.As(userID), in.ItemID, in.Version)
	if err != nil {
		return Exported{}, err
	}
	result, err := export.Write(item, export.Format(in.Format), export.Options{Persona: in.Persona})
	var refused *export.Error
	if errors.As(err, &refused) {
		return Exported{}, errs.New(errs.InvalidRequest, refused.Message)
	}
	if err != nil {
		return Exported{}, err
	}
	out := Exported{ItemID: e.ID, Version: item.Version, Format: in.Format, Losses: result.Losses}
	var data []byte
	if out.Filename, out.MediaType, data, err = result.Download(item); err != nil {
		return Exported{}, err
	}
	if len(data) > maxExport {
		return Exported{}, errs.Newf(errs.InvalidRequest, "The export is larger than %d MiB. `stoa export` writes it on your own machine.", maxExport>>20)
	}
	out.SHA256, out.SizeBytes, out.Content = pack.Digest(data), len(data), base64.StdEncoding.EncodeToString(data)
	return out, a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Action: "item.exported", Kind: kind, ItemID: e.ID, Status: "ok", Detail: map[string]any{"version": item.Version, "format": in.Format},
		}))
	})
}

// exportItem reads a version of an item that a member may see; version "" is the latest.
func (a *Service) exportItem(ctx context.Context, c core.Caller, id, version string) (item export.Item, e catalog.Entry, kind catalog.Kind, err error) {
	v, e, kind, err := a.VersionFor(ctx, c, id, version)
	if err != nil {
		return item, e, kind, err
	}
	done, err := a.Inspect(ctx, c.UserID)
	if err != nil {
		return item, e, kind, err
	}
	defer done()
	if item, err = a.Exportable(ctx, v, c.Locale); err != nil {
		return item, e, kind, err
	}
	versions, err := a.Store.Versions(ctx, e.Seq)
	for _, known := range versions {
		if known.Version == item.Version {
			item.PublishedAt = clock.Text(clock.FromMicros(known.PublishedAt))
		}
	}
	return item, e, kind, err
}

// VersionFor finds a version of an item that a member may take away; version "" is the latest.
func (a *Service) VersionFor(ctx context.Context, c core.Caller, id, version string) (v *CachedVersion, e catalog.Entry, kind catalog.Kind, err error) {
	if e, kind, err = a.findAny(ctx, c, id); err != nil {
		return nil, e, kind, notExportable(err, id)
	}
	if version == "" {
		version = e.Version
	}
	if v, err = a.Cache.standing(ctx, e.Seq, version); err != nil {
		return nil, e, kind, notExportable(err, id)
	}
	return v, e, kind, nil
}

// Exportable is a published version as the writers see it.
func (a *Service) Exportable(ctx context.Context, v *CachedVersion, locale string) (export.Item, error) {
	d := &v.Document
	text, _ := d.Text(locale)
	artifact := Preferred(v, "")
	item := export.Item{
		ID: d.ID, Version: d.Version, Kind: d.Kind, Title: text.Title, Description: text.Description, Author: d.Maintainer,
		Category: d.Category, Tags: d.Tags, SHA256: artifact.SHA256, URL: d.Homepage,
	}
	if d.Kind == catalog.KindTemplate {
		item.AddTemplate(text.Prompt, nil)
		return item, nil
	}
	sections, err := a.SectionsOf(ctx, v, artifact.SHA256)
	if err != nil {
		return item, err
	}
	if sections, err = a.Masked(sections); err != nil {
		return item, err
	}
	item.AddSections(sections)
	return item, nil
}

func notExportable(err error, id string) error {
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.New(errs.NotFound, "There is no such published item or version.").With("item_id", id)
	}
	return err
}
