package app

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/app/school/cards"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// AccountArchive is a zip with everything that is kept of a member. Whoever gets one must Close it.
type AccountArchive struct {
	Filename string
	Size     int64
	*io.SectionReader
	staged *blob.Staged
}

// Close removes the bytes.
func (p *AccountArchive) Close() error {
	p.staged.Discard()
	return nil
}

// exportsAtOnce is how many archives are made at a time.
const exportsAtOnce = 2

// ExportAccount gives everything that is kept of the caller as a zip: the rows of every table that has an owner, notes as
// Markdown, pictures and sounds, cards, packages, and setups as they were uploaded. Of each table one row is in memory at a
// time; the zip is written to the disk before it is sent, so that a slow reader holds no connection to the database.
func (a *App) ExportAccount(ctx context.Context, c core.Caller, in accounts.AccountInput) (*AccountArchive, error) {
	userID, err := a.BeginExport(ctx, c, in)
	if err != nil {
		return nil, err
	}
	select {
	case a.exports <- struct{}{}:
		defer func() { <-a.exports }()
	case <-ctx.Done():
		return nil, errs.New(errs.ServiceUnavailable, "Too many exports are being made. Try again in a minute.")
	}
	a.Tracer.Flush(ctx) // what is still in memory goes too
	if home, err := a.homeOf(ctx, userID); err == nil {
		home.Flush(ctx)
	}
	staged, err := a.Blobs.Stage()
	if err != nil {
		return nil, err
	}
	w := &archiveWriter{zip: zip.NewWriter(staged), used: map[string]bool{}, again: map[string]int{}}
	err = a.writeArchive(ctx, w, userID)
	if err == nil {
		err = w.zip.Close()
	}
	if err == nil {
		err = a.Store.Write(ctx, func(tx *store.Tx) error {
			return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "account.exported", Status: "ok", Detail: map[string]any{"bytes": staged.Size(), "files": len(w.used)}}))
		})
	}
	if err != nil {
		staged.Discard()
		return nil, err
	}
	out := &AccountArchive{Filename: "stoa-" + userID + ".zip", Size: staged.Size(), staged: staged}
	out.SectionReader = io.NewSectionReader(staged, 0, out.Size)
	return out, nil
}

func (a *App) writeArchive(ctx context.Context, w *archiveWriter, userID string) error {
	for _, write := range []func(context.Context, *archiveWriter, string) error{a.archiveRows, a.archiveItems, a.archiveNotes, a.archiveCards, a.archivePackages, a.archiveDrafts} {
		if err := write(ctx, w, userID); err != nil {
			return err
		}
	}
	return w.file("README.txt", strings.NewReader(archiveNote(userID, clock.Text(a.Clock()), w.missing)))
}

func archiveNote(userID, at string, missing []string) string {
	note := "Everything that Stoa keeps of " + userID + ", at " + at + ".\n\n" +
		"data/         the rows of each table; times are microseconds since 1970. Passwords, tokens and keys are left out.\n" +
		"notes/        your notes as Markdown\n" +
		"media/        pictures and sounds of your notes and cards\n" +
		"cards.apkg    what you learn, with your answers, for Anki\n" +
		"packages/     what you have published\n" +
		"submissions/  packages that you have submitted\n" +
		"drafts/       setups as you uploaded them, with whatever secrets were in them: keep this file to yourself\n"
	if len(missing) > 0 {
		note += "\nNo longer kept:\n  " + strings.Join(missing, "\n  ") + "\n"
	}
	return note
}

// archiveRows writes the rows of every table that has an owner.
func (a *App) archiveRows(ctx context.Context, w *archiveWriter, userID string) error {
	home, err := a.homeOf(ctx, userID)
	if err != nil {
		return err
	}
	for _, table := range store.Registry {
		if table.Owner == "" {
			continue
		}
		err := w.rows(table.Name, func(each func(map[string]any) error) error {
			err := a.Store.RowsOf(ctx, table, userID, each)
			if err == nil && home != a {
				err = home.Store.RowsOf(ctx, table, userID, each)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// archiveItems writes the versions and texts of what a member has published.
func (a *App) archiveItems(ctx context.Context, w *archiveWriter, userID string) error {
	for _, table := range []string{"item_version", "item_text"} {
		if err := w.rows(table, func(each func(map[string]any) error) error { return a.Store.ItemRowsOf(ctx, table, userID, each) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) archiveNotes(ctx context.Context, w *archiveWriter, userID string) error {
	home, err := a.homeOf(ctx, userID)
	if err != nil {
		return err
	}
	err = home.EachOwnNote(ctx, userID, func(name, text string) error { return w.file("notes/"+name, strings.NewReader(text)) })
	if err != nil {
		return err
	}
	media, err := home.Store.NoteMediaOf(ctx, userID)
	for _, m := range media {
		if err == nil {
			err = w.blob(ctx, home.Blobs, "media/"+strings.Replace(m.Name, ":", "/", 1), m.SHA256)
		}
	}
	return err
}

func (a *App) archiveCards(ctx context.Context, w *archiveWriter, userID string) error {
	home, err := a.homeOf(ctx, userID)
	if err != nil {
		return err
	}
	p, err := home.AnkiPackage(ctx, userID, cards.AnkiExportInput{UserID: userID})
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }() // it is only read
	if p.Notes == 0 {
		return nil
	}
	return w.file("cards.apkg", p)
}

func (a *App) archivePackages(ctx context.Context, w *archiveWriter, userID string) error {
	packages, err := a.Store.OwnPackages(ctx, userID)
	for _, p := range packages {
		if err == nil {
			err = w.blob(ctx, a.Blobs, fmt.Sprintf("packages/%s/%s-%s.zip", p.ItemID, p.Version, p.Source), p.SHA256)
		}
	}
	if err != nil {
		return err
	}
	submitted, err := a.Store.SubmittedPackages(ctx, userID)
	for id, digest := range submitted {
		if err == nil {
			err = w.blob(ctx, a.Blobs, "submissions/"+id+".zip", digest)
		}
	}
	return err
}

func (a *App) archiveDrafts(ctx context.Context, w *archiveWriter, userID string) error {
	return a.EachOwnDraft(ctx, userID, func(id, filename string, content io.Reader) error {
		return w.file("drafts/"+id+"/"+path.Base(filename), content)
	})
}

// archiveWriter writes the files of an archive.
type archiveWriter struct {
	zip     *zip.Writer
	used    map[string]bool
	again   map[string]int // how often a name that is taken was wished for
	missing []string       // files that are named and not kept any more
}

// name makes a path that stays within the archive and is not taken.
func (w *archiveWriter) name(wish string) string {
	clean := strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(wish, `\`, "/")), "/")
	name, folded := clean, strings.ToLower(clean)
	for w.used[strings.ToLower(name)] {
		w.again[folded]++ // goes on where it was: a member may have ten thousand notes of one name
		name = fmt.Sprintf("%s~%d%s", strings.TrimSuffix(clean, path.Ext(clean)), w.again[folded]+1, path.Ext(clean))
	}
	w.used[strings.ToLower(name)] = true
	return name
}

func (w *archiveWriter) file(name string, content io.Reader) error {
	entry, err := w.zip.Create(w.name(name))
	if err == nil {
		_, err = io.Copy(entry, content)
	}
	return err
}

func (w *archiveWriter) blob(ctx context.Context, blobs blob.Store, name, digest string) error {
	content, err := blobs.Open(ctx, digest)
	if errors.Is(err, blob.ErrNotFound) {
		w.missing = append(w.missing, name)
		return nil
	}
	if err != nil {
		return err
	}
	defer content.Close()
	return w.file(name, content)
}

// rows writes rows as a JSON array; no file when there are none.
func (w *archiveWriter) rows(table string, all func(each func(map[string]any) error) error) error {
	var out *bufio.Writer
	err := all(func(row map[string]any) error {
		before := ",\n"
		if out == nil {
			entry, err := w.zip.Create(w.name("data/" + table + ".json"))
			if err != nil {
				return err
			}
			out, before = bufio.NewWriter(entry), "[\n"
		}
		text, err := json.Marshal(core.ReadableRow(row))
		if err == nil {
			_, err = out.WriteString(before + string(text))
		}
		return err
	})
	if err != nil || out == nil {
		return err
	}
	if _, err := out.WriteString("\n]\n"); err != nil {
		return err
	}
	return out.Flush()
}
