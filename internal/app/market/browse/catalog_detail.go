package browse

import (
	"context"
	"encoding/json"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/sqldb"
)

// DetailInput names an item.
type DetailInput struct {
	TemplateID string `json:"template_id"`
	PackID     string `json:"pack_id"`
	Locale     string `json:"locale"`
}

// GetTemplateDetail answers one template, rendered.
func (a *Service) GetTemplateDetail(ctx context.Context, c core.Caller, in DetailInput) (json.RawMessage, error) {
	if in.TemplateID == "" {
		return nil, ErrTemplateID
	}
	out, err := a.detail(ctx, c, catalog.KindTemplate, in.TemplateID)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.TemplateNotFound, "There is no template with this id.").With("template_id", in.TemplateID)
	}
	return out, err
}

// GetProfilePackCatalogDetail answers one profile pack, rendered.
func (a *Service) GetProfilePackCatalogDetail(ctx context.Context, c core.Caller, in DetailInput) (json.RawMessage, error) {
	if in.PackID == "" {
		return nil, errs.New(errs.PackIDRequired, "Name the profile pack: pack_id is missing.")
	}
	out, err := a.detail(ctx, c, catalog.KindProfilePack, in.PackID)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.ProfilePackNotPublished, "There is no published profile pack with this id.").With("pack_id", in.PackID)
	}
	return out, err
}

// ErrTemplateID refuses a request that names no template.
var ErrTemplateID = errs.New(errs.TemplateIDRequired, "Name the template: template_id is missing.")

// liveRoom is what the live members of an item and the ends of the objects around them hardly ever exceed, in bytes.
const liveRoom = 320

func (a *Service) detail(ctx context.Context, c core.Caller, kind catalog.Kind, id string) (json.RawMessage, error) {
	if err := a.Cache.wait(ctx); err != nil {
		return nil, err
	}
	hit, ok := a.Cache.Index(kind).Look(id, c.Viewer())
	if !ok {
		return nil, sqldb.ErrNotFound
	}
	text, err := a.Cache.detail(ctx, a.reader(c), hit.Seq, c.Locale, liveRoom)
	if err != nil {
		return nil, err
	}
	if hit, ok = a.Cache.Index(kind).Look(id, c.Viewer()); !ok { // taken out by another process meanwhile
		return nil, sqldb.ErrNotFound
	}
	return catalog.AppendLive(text[:0], text, hit), nil
}

// find gives a published item that the caller may see, or store.ErrNotFound.
func (a *Service) find(ctx context.Context, c core.Caller, kind catalog.Kind, id string) (catalog.Entry, error) {
	if err := a.Cache.wait(ctx); err != nil {
		return catalog.Entry{}, err
	}
	e, ok := a.Cache.Index(kind).Get(id)
	if !ok || !e.VisibleTo(c.Viewer()) {
		return catalog.Entry{}, sqldb.ErrNotFound
	}
	return e, nil
}

// findAny is find for the routes that take a template's id or a profile pack's.
func (a *Service) findAny(ctx context.Context, c core.Caller, id string) (catalog.Entry, catalog.Kind, error) {
	e, err := a.find(ctx, c, catalog.KindTemplate, id)
	if !errors.Is(err, sqldb.ErrNotFound) {
		return e, catalog.KindTemplate, err
	}
	e, err = a.find(ctx, c, catalog.KindProfilePack, id)
	return e, catalog.KindProfilePack, err
}
