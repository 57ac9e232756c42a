package notebook

import (
	"context"
	"errors"
	"io"

	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/sqldb"
)

// MostMedia bounds the bytes of pictures and sounds that a member keeps.
const MostMedia = 1 << 30

// AnkiMedia begins the names of media that came with a collection.
const AnkiMedia = "anki:"

// File reads an uploaded file that is not kept as it is. It is an io.Writer that must be closed.
type File struct {
	Staged *blob.Staged
}

// BeginSchoolFile opens a place for the bytes of a file.
func (a *Service) BeginSchoolFile(c core.Caller) (*File, error) {
	if _, err := c.Member(""); err != nil {
		return nil, err
	}
	staged, err := a.Blobs.Stage()
	if err != nil {
		return nil, err
	}
	return &File{Staged: staged}, nil
}

// Write adds the next bytes; package_too_large when they are too many.
func (f *File) Write(p []byte) (int, error) {
	if f.Staged.Size()+int64(len(p)) > MaxAnkiBytes {
		return 0, errs.Newf(errs.PackageTooLarge, "The file is larger than %d MiB. Export the deck from Anki without media, or use `stoa ingest` on the server.", MaxAnkiBytes>>20).With("max_size_bytes", MaxAnkiBytes)
	}
	return f.Staged.Write(p)
}

// Close removes the bytes.
func (f *File) Close() {
	f.Staged.Discard()
}

// NoteMediaInput names a picture or a sound of one's notes.
type NoteMediaInput struct {
	UserID string `json:"user_id"`
	Name   string `json:"name"`
}

// NoteMedia is a picture or a sound with its bytes. Whoever gets one must close Content.
type NoteMedia struct {
	Kind, SHA256 string
	Size         int64
	Content      io.ReadSeekCloser
}

// GetNoteMedia gives a picture or a sound of the caller's notes, or of core.SharedOwner's. What is neither is not handed out.
func (a *Service) GetNoteMedia(ctx context.Context, c core.Caller, in NoteMediaInput) (NoteMedia, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NoteMedia{}, err
	}
	m, err := a.Store.NoteMedium(ctx, userID, in.Name)
	if errors.Is(err, sqldb.ErrNotFound) {
		m, err = a.Store.NoteMedium(ctx, core.SharedOwner, in.Name)
	}
	if errors.Is(err, sqldb.ErrNotFound) || err == nil && m.Kind == "" {
		return NoteMedia{}, errs.New(errs.NotFound, "There is no picture or sound of this name.")
	}
	if err != nil {
		return NoteMedia{}, err
	}
	content, err := a.Blobs.Open(ctx, m.SHA256)
	if err != nil {
		return NoteMedia{}, err
	}
	return NoteMedia{Kind: m.Kind, SHA256: m.SHA256, Size: m.SizeBytes, Content: content}, nil
}

// MediaOf gives the name under which the page asks for each file that a card shows.
func MediaOf(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if anki.MediaName(n) {
			out = append(out, AnkiMedia+n)
		}
	}
	return out
}

// FilesOf gives the digests of what is kept of a learner as files: the Anki collection, pictures and sounds.
func (a *Service) FilesOf(ctx context.Context, userID string) ([]string, error) {
	var digests []string
	row, err := a.Store.AnkiCollection(ctx, userID)
	if err == nil {
		digests = append(digests, row.SHA256)
	} else if !errors.Is(err, sqldb.ErrNotFound) {
		return nil, err
	}
	list, err := a.Store.NoteMediaOf(ctx, userID)
	for _, m := range list {
		digests = append(digests, m.SHA256)
	}
	return digests, err
}

// RemoveFiles removes files that no row names any more. What cannot be removed now the sweep removes.
func (a *Service) RemoveFiles(ctx context.Context, digests []string) {
	for _, digest := range digests {
		used, err := a.Store.BlobInUse(ctx, digest)
		if err == nil && !used {
			_, err = a.Blobs.RemoveOld(ctx, digest, a.Clock())
		}
		if err != nil {
			a.Log.Warn("erase: a file is left for the sweep", "error", err)
		}
	}
}

// MaxAnkiBytes is the largest Anki package that a member can send.
const MaxAnkiBytes = 256 << 20
