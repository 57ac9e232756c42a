package notebook

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/media"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/render"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

const (
	// MaxNoteMediaBytes is the largest picture or sound of a vault.
	MaxNoteMediaBytes = 32 << 20
	// VaultMedia begins the names of media that lie in a vault; their path follows.
	VaultMedia = "vault:"
	// longestMediaName bounds a name, in bytes.
	longestMediaName = 1024
)

// PutNoteMediaInput says where in the vault a file lies.
type PutNoteMediaInput struct {
	UserID string `json:"user_id"`
	Path   string `json:"sourcePath"`
}

// KeptMedia is a picture or a sound that is kept.
type KeptMedia struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Size   int64  `json:"size_bytes"`
	SHA256 string `json:"sha256"`
}

// PutNoteMediaFile keeps a picture, sound or film of the caller's vault that has arrived.
func (a *Service) PutNoteMediaFile(ctx context.Context, c core.Caller, in PutNoteMediaInput, f *File) (KeptMedia, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return KeptMedia{}, err
	}
	if f.Staged.Size() == 0 {
		return KeptMedia{}, errs.Invalid("content_base64", "holds no file")
	}
	if f.Staged.Size() > MaxNoteMediaBytes {
		return KeptMedia{}, errs.Newf(errs.PackageTooLarge, "A picture or a sound may have %d MiB at most.", MaxNoteMediaBytes>>20).With("max_size_bytes", MaxNoteMediaBytes)
	}
	return a.PutMedia(ctx, userID, in.Path, io.NewSectionReader(f.Staged, 0, f.Staged.Size()))
}

// PutMedia keeps a picture or sound of a member.
func (a *Service) PutMedia(ctx context.Context, owner, vaultPath string, content io.Reader) (KeptMedia, error) {
	name := VaultMedia + vaultName(vaultPath)
	if name == VaultMedia || len(name) > longestMediaName || !core.Storable(name) {
		return KeptMedia{}, errs.Invalid("sourcePath", "must be the path of a file in the vault")
	}
	head, err := io.ReadAll(io.LimitReader(content, media.HeadBytes))
	if err != nil {
		return KeptMedia{}, err
	}
	out := KeptMedia{Name: name, Kind: media.Kind(head)}
	if out.Kind == "" {
		return KeptMedia{}, errs.Invalid("content_base64", "is no picture, sound or film that a page can show")
	}
	if out.SHA256, out.Size, err = a.Blobs.Put(ctx, io.MultiReader(bytes.NewReader(head), content)); err != nil {
		return KeptMedia{}, err
	}
	return out, a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.PutNoteMedia(owner, schooldb.NoteMedia{Name: out.Name, SHA256: out.SHA256, SizeBytes: out.Size, Kind: out.Kind}); err != nil {
			return err
		}
		// With the new one counted, and not the one that it replaces.
		_, held, err := tx.NoteMediaHeld(ctx, owner)
		if err == nil && held > MostMedia {
			err = errs.Newf(errs.PackageTooLarge, "The pictures and sounds of your notes would take more than %d MiB.", MostMedia>>20)
		}
		return err
	})
}

// vaultName writes the path of a file in a vault in one way, without steps upwards.
func vaultName(p string) string {
	return strings.TrimPrefix(path.Clean("/"+CleanPath(p)), "/")
}

// noteLinks finds what the links of one note mean.
type noteLinks struct {
	lib        *library
	written    map[string][]*graph.Atom // by note
	documentID string
	dir        string            // of the note
	files      map[string]string // name by folded path
	kinds      map[string]string // by name
	bases      map[string]string // the shortest path of a file name
	found      map[[2]string]graph.Named
}

// LinksOf gives what a note links to.
func (a *Service) LinksOf(ctx context.Context, r *NotesSnapshot, documentID, notePath string) (*noteLinks, error) {
	list, err := a.Store.NoteMediaOf(ctx, r.owner)
	if err != nil {
		return nil, err
	}
	l := &noteLinks{
		lib: a.Notes.Of(r.owner), written: r.Written, documentID: documentID, dir: path.Dir(vaultName(notePath)), files: map[string]string{}, kinds: map[string]string{}, bases: map[string]string{}, found: map[[2]string]graph.Named{},
	}
	for _, m := range list {
		if m.Kind == "" {
			continue
		}
		l.kinds[m.Name] = m.Kind
		p, ok := strings.CutPrefix(m.Name, VaultMedia)
		if !ok {
			continue
		}
		folded := strings.ToLower(p)
		l.files[folded] = m.Name
		base := path.Base(folded)
		if other := l.bases[base]; other == "" || len(m.Name) < len(other) {
			l.bases[base] = m.Name
		}
	}
	return l, nil
}

// Note finds a note of the same owner.
func (l *noteLinks) Note(target, alternate string, byPath bool) (render.Target, bool) {
	key := [2]string{target, alternate}
	named, ok := l.found[key]
	if !ok {
		named = l.lib.resolve(l.documentID, notes.Link{Target: target, Alternate: alternate, Path: byPath})
		l.found[key] = named
	}
	return render.Target(named), named.DocumentID != ""
}

// Embed gives a note of the same owner whole, and what its own links mean.
func (l *noteLinks) Embed(documentID string) (string, render.Links, bool) {
	atoms := l.written[documentID]
	if len(atoms) == 0 {
		return "", nil, false
	}
	inner := *l
	inner.documentID, inner.dir, inner.found = documentID, path.Dir(vaultName(atoms[0].SourcePath)), map[[2]string]graph.Named{}
	text, _ := NoteSource(atoms)
	return text, &inner, true
}

// resolve finds the note that a link of another leads to.
func (l *library) resolve(documentID string, link notes.Link) graph.Named {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.graph == nil && (l.follow(context.Background(), l.store.Queries) != nil || l.graph == nil) { // it was let go of
		return graph.Named{}
	}
	named, _ := l.graph.Resolve(documentID, link)
	return named
}

// Media finds a file: by its path from the note, from the vault's root, or by its name alone, as Obsidian does; of a card
// by its name in the collection.
func (l *noteLinks) Media(target string) (name, kind string, ok bool) {
	target = CleanPath(target)
	folded := strings.ToLower(target)
	root, _, _ := strings.Cut(l.dir, "/")
	for _, p := range []string{path.Join(l.dir, folded), path.Join(root, folded), folded} {
		if name = l.files[strings.ToLower(vaultName(p))]; name != "" {
			return name, l.kinds[name], true
		}
	}
	if strings.HasPrefix(l.documentID, AnkiMedia) && l.kinds[AnkiMedia+target] != "" {
		return AnkiMedia + target, l.kinds[AnkiMedia+target], true
	}
	if name = l.bases[path.Base(folded)]; name != "" {
		return name, l.kinds[name], true
	}
	return "", "", false
}
