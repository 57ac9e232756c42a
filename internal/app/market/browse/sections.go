package browse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"stoa/internal/market/archive"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/blob"
)

// Masked masks what looks like a secret. Published packs hold none; what was published before that was
// enforced, or imported by an operator, may.
func (a *Service) Masked(sections map[string]any) (map[string]any, error) {
	result, err := a.Secrets.Sections(sections, redact.Options{Mode: redact.ExcludeSecrets})
	return result.Sections, err
}

// SectionsOf gives the sections of a published version: from its document, or from its package.
func (a *Service) SectionsOf(ctx context.Context, v *CachedVersion, sha256 string) (map[string]any, error) {
	if p := v.Document.Pack; p != nil && len(p.Contents) == 0 {
		return ParsedSections(p.Sections)
	}
	file, err := a.Blobs.Open(ctx, sha256)
	if err != nil {
		return nil, Missing(err)
	}
	defer file.Close()
	return ReadPack(ctx, file)
}

// ReadPack gives the sections in a profile pack's file.
func ReadPack(ctx context.Context, file blob.Reader) (map[string]any, error) {
	opened, err := archive.Open(file, file.Size(), archive.Default)
	if err != nil {
		return nil, fmt.Errorf("app: a published pack cannot be opened: %w", err)
	}
	p, err := pack.ReadProfile(ctx, opened)
	if err != nil {
		return nil, errors.Join(errors.New("app: a published pack cannot be read"), errors.New(err.Error()))
	}
	return p.Sections, nil
}

// ParsedSections gives the sections that a document holds as text.
func ParsedSections(texts map[string]json.RawMessage) (map[string]any, error) {
	out := map[string]any{}
	for name, text := range texts {
		v, err := strictjson.Parse(text, strictjson.Depth)
		if err != nil {
			return nil, fmt.Errorf("app: section %s of a published pack cannot be read: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}
