package browse

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// PackDownloadInput names a version of a published profile pack; Version "" is the latest.
type PackDownloadInput struct {
	UserID  string `json:"user_id"`
	PackID  string `json:"pack_id"`
	Version string `json:"version"`
}

// DownloadProfilePack opens a published pack's bytes. unless is that of DownloadTemplatePackage.
func (a *Service) DownloadProfilePack(ctx context.Context, c core.Caller, in PackDownloadInput, unless func(sha256 string) bool) (Download, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return Download{}, err
	}
	e, version, err := a.PublishedPack(ctx, c.As(userID), in.PackID, in.Version)
	if err != nil {
		return Download{}, err
	}
	artifact := Preferred(version, "")
	out := Download{Filename: pack.Filename(e.ID, artifact.Version), SHA256: artifact.SHA256, Size: artifact.SizeBytes}
	if unless(artifact.SHA256) {
		return out, nil
	}
	if out.Content, err = a.artifactBytes(ctx, artifact, version); err != nil {
		return Download{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "profile_pack.package_downloaded", Kind: catalog.KindProfilePack, ItemID: e.ID, Target: artifact.ID, Status: "ok",
			Detail: map[string]any{"version": artifact.Version, "sha256": artifact.SHA256, "bytes": artifact.SizeBytes},
		}))
	})
	if err != nil {
		out.Content.Close()
		return Download{}, err
	}
	return out, nil
}

// PublishedPack finds a version of a pack that the caller may see; version "" is the latest.
func (a *Service) PublishedPack(ctx context.Context, c core.Caller, id, version string) (catalog.Entry, *CachedVersion, error) {
	if id == "" {
		return catalog.Entry{}, nil, errs.New(errs.PackIDRequired, "Say which profile pack: pack_id is missing.")
	}
	unknown := errs.Newf(errs.ProfilePackNotPublished, "There is no such published profile pack.").With("pack_id", id)
	e, err := a.find(ctx, c, catalog.KindProfilePack, id)
	if errors.Is(err, sqldb.ErrNotFound) {
		return e, nil, unknown
	}
	if err != nil {
		return e, nil, err
	}
	if version == "" {
		version = e.Version
	}
	v, err := a.Cache.standing(ctx, e.Seq, version)
	if errors.Is(err, sqldb.ErrNotFound) {
		return e, nil, unknown.With("version", version)
	}
	return e, v, err
}
