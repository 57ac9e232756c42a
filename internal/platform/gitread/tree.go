package gitread

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
)

// Tree is what a commit holds. It is read only and may be used by several at once.
type Tree struct {
	Commit  string
	objects objects
	root    plumbing.Hash
	limits  Limits
	looked  atomic.Int64 // bytes of folders that were looked through
}

// Size is how many bytes its files and folders have.
func (t *Tree) Size() (n int64) {
	for _, o := range t.objects {
		n += int64(len(o.data))
	}
	return n
}

// entry is a file or folder of a folder.
type entry struct {
	name   string
	hash   plumbing.Hash
	folder bool
}

func treeOf(all objects, commit string, l Limits) (*Tree, error) {
	hash := plumbing.NewHash(commit)
	for range 5 { // an id may be a tag's, which names a commit
		o, ok := all[hash]
		line, _, _ := bytes.Cut(o.data, []byte("\n"))
		kind, id, _ := strings.Cut(string(line), " ")
		switch {
		case !ok || !isHash(id):
			return nil, fmt.Errorf("%w: it was not sent", ErrNoCommit)
		case o.kind == plumbing.TagObject && kind == "object":
			hash = plumbing.NewHash(id)
		case o.kind == plumbing.CommitObject && kind == "tree":
			return &Tree{Commit: hash.String(), objects: all, root: plumbing.NewHash(id), limits: l}, nil
		default:
			return nil, ErrPack
		}
	}
	return nil, ErrPack
}

// entries reads a folder. Links and the repositories of others that it may hold are left out.
func (t *Tree) entries(hash plumbing.Hash) ([]entry, error) {
	o, ok := t.objects[hash]
	if !ok || o.kind != plumbing.TreeObject {
		return nil, ErrPack
	}
	// A large folder may stand in thousands of places, and be asked for by thousands of names.
	if t.looked.Add(int64(len(o.data))) > t.limits.Folders {
		return nil, ErrTooMuch
	}
	var out []entry
	for rest := o.data; len(rest) > 0; {
		head, after, ok := bytes.Cut(rest, []byte{0})
		mode, name, two := strings.Cut(string(head), " ")
		if !ok || !two || len(after) < 20 {
			return nil, ErrPack
		}
		e := entry{name: name, hash: plumbing.Hash(after[:20]), folder: mode == "40000" || mode == "040000"}
		rest = after[20:]
		if !safeName(name) || !e.folder && !strings.HasPrefix(mode, "100") {
			continue
		}
		out = append(out, e)
	}
	return out, nil
}

func safeName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.EqualFold(name, ".git") && utf8.ValidString(name) && len(name) <= 255 && !strings.ContainsAny(name, "/\\\x00\n\r")
}

// find follows a path from the top.
func (t *Tree) find(name string) (e entry, err error) {
	e = entry{hash: t.root, folder: true}
	for _, part := range strings.Split(strings.Trim(path.Clean("/"+name), "/"), "/") {
		if part == "" {
			continue
		}
		if !e.folder {
			return entry{}, fmt.Errorf("%w: %.100q", ErrNoFile, name)
		}
		all, err := t.entries(e.hash)
		if err != nil {
			return entry{}, err
		}
		found := false
		for _, one := range all {
			if one.name == part {
				e, found = one, true
				break
			}
		}
		if !found {
			return entry{}, fmt.Errorf("%w: %.100q", ErrNoFile, name)
		}
	}
	return e, nil
}

// ErrNoFile says that a commit does not hold a file or folder.
var ErrNoFile = fmt.Errorf("the commit does not hold it")

// Hash is the id of a file or folder: another one when anything in it is another.
func (t *Tree) Hash(name string) (string, error) {
	e, err := t.find(name)
	return e.hash.String(), err
}

// File reads a file.
func (t *Tree) File(name string) ([]byte, error) {
	e, err := t.find(name)
	if err != nil {
		return nil, err
	}
	o, ok := t.objects[e.hash]
	if e.folder {
		return nil, fmt.Errorf("%w: %.100q", ErrNoFile, name)
	}
	if !ok || o.kind != plumbing.BlobObject {
		return nil, fmt.Errorf("%w: the file %.100q", ErrTooMuch, name)
	}
	return o.data, nil
}

// Files reads all files of a folder and the folders in it, by their paths from there.
func (t *Tree) Files(folder string) (map[string]string, error) {
	e, err := t.find(folder)
	if err != nil {
		return nil, err
	}
	if !e.folder {
		return nil, fmt.Errorf("%w: %.100q is no folder", ErrNoFile, folder)
	}
	out, visited, held := map[string]string{}, 0, int64(0)
	var walk func(hash plumbing.Hash, at string, depth int) error
	walk = func(hash plumbing.Hash, at string, depth int) error {
		all, err := t.entries(hash)
		if err != nil {
			return err
		}
		for _, e := range all {
			// The same folder may stand in many places, so places are counted, not objects.
			if visited++; visited > 4*t.limits.Files || depth > 32 {
				return ErrTooMuch
			}
			name := path.Join(at, e.name)
			if e.folder {
				if err := walk(e.hash, name, depth+1); err != nil {
					return err
				}
				continue
			}
			o, ok := t.objects[e.hash]
			if !ok || o.kind != plumbing.BlobObject {
				return fmt.Errorf("%w: the file %.100q", ErrTooMuch, name)
			}
			if held += int64(len(o.data)); len(out) == t.limits.Files || held > t.limits.Unpacked {
				return ErrTooMuch
			}
			out[name] = string(o.data)
		}
		return nil
	}
	return out, walk(e.hash, "", 0)
}
