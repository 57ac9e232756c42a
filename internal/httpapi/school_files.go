package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/school/cards"
	"stoa/internal/app/school/notebook"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
)

// longestAnki is the largest request that can hold an Anki package.
var longestAnki = int64(base64.StdEncoding.EncodedLen(notebook.MaxAnkiBytes)) + routes.MaxBody

// importAnki takes an Anki package in. Its bytes go to the disk as they come.
func (r *request) importAnki() error {
	return r.schoolFile(longestAnki, notebook.MaxAnkiBytes, "Imported.", func(values map[string]any, file *notebook.File) (any, error) {
		in, err := routes.Into[cards.AnkiImportInput](values)
		if err != nil {
			return nil, err
		}
		return atHome(r, r.localized(values), &in, func(a *app.App, ctx context.Context) (any, error) { return a.ImportAnkiFile(ctx, r.caller, in, file) })
	})
}

// longestMedia is the largest request that can hold a picture or a sound.
var longestMedia = int64(base64.StdEncoding.EncodedLen(notebook.MaxNoteMediaBytes)) + routes.MaxBody

// putNoteMedia stores a picture or a sound of a vault.
func (r *request) putNoteMedia() error {
	return r.schoolFile(longestMedia, notebook.MaxNoteMediaBytes, "Kept.", func(values map[string]any, file *notebook.File) (any, error) {
		in, err := routes.Into[notebook.PutNoteMediaInput](values)
		if err != nil {
			return nil, err
		}
		return atHome(r, r.caller, &in, func(a *app.App, ctx context.Context) (any, error) { return a.PutNoteMediaFile(ctx, r.caller, in, file) })
	})
}

// schoolFile reads a request that holds a file; the largest request and file are given in bytes.
func (r *request) schoolFile(longest int64, largest int, done string, take func(values map[string]any, file *notebook.File) (any, error)) error {
	if err := routes.JSONContent(r.Header.Get("Content-Type")); err != nil {
		return err
	}
	if err := r.server.uploads.Take(r.Context(), r.caller.UserID); err != nil {
		return err
	}
	defer r.server.uploads.Leave(r.caller.UserID)
	if r.ContentLength > longest {
		return errs.Newf(errs.PackageTooLarge, "The file is larger than %d MiB.", largest>>20).With("max_size_bytes", largest)
	}
	r.allowTime()
	file, err := r.server.app.BeginSchoolFile(r.caller)
	if err != nil {
		return err
	}
	defer file.Close()
	body := routes.Streamed{Src: http.MaxBytesReader(r.w, r.Body, longest+1), Name: r.route.Streamed, Sink: file}
	kept, err := body.Read()
	if err != nil {
		return err
	}
	values, err := r.route.Object(kept)
	if err != nil {
		return err
	}
	out, err := take(values, file)
	if err != nil {
		return err
	}
	succeed(r.w, r.route, http.StatusOK, done, out)
	return nil
}

// longestReviews is the largest request that can hold a review log, and mostReviews the largest log.
const mostReviews = 64 << 20

var longestReviews = int64(base64.StdEncoding.EncodedLen(mostReviews)) + routes.MaxBody

// importReviews takes a review log over.
func (r *request) importReviews() error {
	return r.schoolFile(longestReviews, mostReviews, "Imported.", func(values map[string]any, file *notebook.File) (any, error) {
		in, err := routes.Into[core.OwnInput](values)
		if err != nil {
			return nil, err
		}
		return atHome(r, r.caller, &in, func(a *app.App, ctx context.Context) (any, error) { return a.ImportReviews(ctx, r.caller, in, file) })
	})
}

// exportReviews sends the caller's answers.
func (r *request) exportReviews() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[core.OwnInput](values)
	if err != nil {
		return err
	}
	p, err := atHome(r, r.caller, &in, func(a *app.App, ctx context.Context) (*cards.AnkiPackage, error) {
		return a.ExportReviews(ctx, r.caller, in)
	})
	if err != nil {
		return err
	}
	return r.send(p.Filename, p.SHA256, p.Size, false, p)
}

// exportAnki sends the caller's cards as an Anki package.
func (r *request) exportAnki() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[cards.AnkiExportInput](values)
	if err != nil {
		return err
	}
	p, err := atHome(r, r.caller, &in, func(a *app.App, ctx context.Context) (*cards.AnkiPackage, error) {
		return a.ExportAnki(ctx, r.caller, in)
	})
	if err != nil {
		return err
	}
	return r.send(p.Filename, p.SHA256, p.Size, false, p)
}

// noteMedia sends a picture or a sound. It came from a stranger's file: the browser must show it as what it is and run
// nothing of it.
func (r *request) noteMedia() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[notebook.NoteMediaInput](values)
	if err != nil {
		return err
	}
	m, err := atHome(r, r.caller, &in, func(a *app.App, ctx context.Context) (notebook.NoteMedia, error) {
		return a.GetNoteMedia(ctx, r.caller, in)
	})
	if err != nil {
		return err
	}
	defer m.Content.Close()
	return r.inline(m.SHA256, m.Kind, m.Content)
}
