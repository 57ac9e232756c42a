package browse

import (
	"bytes"
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/archive"
	"stoa/internal/market/install"
	"stoa/internal/market/pack"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
)

// Picture is a screenshot that came with a package.
type Picture struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// PictureInput names a picture of an item's latest version.
type PictureInput struct {
	ItemID string `json:"item_id"`
	Name   string `json:"name"`
}

// PictureFile are the bytes of a picture.
type PictureFile struct {
	Content *bytes.Reader
	SHA256  string
	Kind    string
}

// packagePictures reads the pictures of a version's own package: which there are, and the bytes of the one that is wanted.
func (a *Service) packagePictures(ctx context.Context, v *CachedVersion, wanted string) (pictures []Picture, content []byte, err error) {
	artifact, there := v.Artifact(install.Uploaded)
	if !there {
		return nil, nil, nil
	}
	file, err := a.Blobs.Open(ctx, artifact.SHA256)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil, nil // whoever downloads it is told
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	opened, err := archive.Open(file, artifact.SizeBytes, archive.Default)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range opened.Names() {
		if !pack.IsPicture(name) || wanted != "" && wanted != name {
			continue
		}
		if content, err = opened.Read(name, archive.Default.File); err != nil {
			return nil, nil, err
		}
		width, height, _ := pack.PictureSize(name, content)
		pictures = append(pictures, Picture{name, width, height})
	}
	return pictures, content, nil
}

// GetItemPicture opens a picture of an item that the caller may see.
func (a *Service) GetItemPicture(ctx context.Context, c core.Caller, in PictureInput) (PictureFile, error) {
	if in.ItemID == "" {
		return PictureFile{}, errs.Invalid("item_id", "is missing")
	}
	none := errs.New(errs.NotFound, "There is no such picture.").With("item_id", in.ItemID)
	if !pack.IsPicture(in.Name) {
		return PictureFile{}, none
	}
	e, _, err := a.findAny(ctx, c, in.ItemID)
	if err != nil {
		return PictureFile{}, notThere(err, in.ItemID)
	}
	v, err := a.Cache.Version(ctx, e.Seq, e.Version)
	if err != nil {
		return PictureFile{}, notThere(err, in.ItemID)
	}
	_, content, err := a.packagePictures(ctx, v, in.Name)
	if err != nil {
		return PictureFile{}, err
	}
	if content == nil {
		return PictureFile{}, none
	}
	return PictureFile{bytes.NewReader(content), pack.Digest(content), pack.PictureKind(in.Name)}, nil
}
