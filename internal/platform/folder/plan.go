package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"stoa/internal/platform/errs"
)

// The codes of what goes wrong in a folder.
const (
	CodeDrift       errs.Code = "files_changed"
	CodeOutside     errs.Code = "leads_outside"
	CodeInterrupted errs.Code = "install_interrupted"
	CodeNothing     errs.Code = "nothing_to_undo"
	CodeForeign     errs.Code = "foreign_folder"
)

// own is the folder that this package keeps its notes in.
const own = ".stoa"

// File is a file to be installed. Path is relative to the folder, with slashes.
type File struct {
	Path string
	Data []byte
	Mode fs.FileMode // of a new file; 0 means 0644. One that is there keeps its own.
}

// Item is what the files belong to.
type Item struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the package
	Server  string `json:"server"`
	Dir     string `json:"dir"`                  // the folder inside the folder that is the item's
	Risk    string `json:"risk_level,omitempty"` // of the version, as the server said it then
}

// Actions on a file.
const (
	Add    = "add"
	Change = "change"
	Keep   = "keep"
	Remove = "remove"
)

// Step is what happens to one file.
type Step struct {
	Path   string `json:"path"`
	Action string `json:"action"`
	Before string `json:"before_sha256,omitempty"`
	After  string `json:"after_sha256,omitempty"`
	Size   int64  `json:"size_bytes"`
	// Edited: the file is not as it was installed, or was not installed by Stoa. A copy is kept.
	Edited bool `json:"edited,omitempty"`

	mode fs.FileMode
	data []byte
}

// Plan is what an installation would do.
type Plan struct {
	Item  Item   `json:"item"`
	From  string `json:"from_version,omitempty"` // the version that is installed now
	Steps []Step `json:"steps"`
	Gone  bool   `json:"gone,omitempty"` // the item is taken out
}

// Changes tells whether anything would be written.
func (p *Plan) Changes() bool {
	return p.Gone || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Keep })
}

// Target is a folder to install into.
type Target struct {
	dir  string
	root *os.Root // nil while there is no such folder
}

// Open opens a folder. One that is not there counts as empty and is made by Apply.
func Open(dir string) (*Target, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &Target{dir: dir}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened as a folder", dir)
	}
	t := &Target{dir: dir, root: root}
	if err := t.plainOwn(); err != nil {
		_ = root.Close()
		return nil, err
	}
	return t, nil
}

// plainOwn refuses a folder of notes that is a link: what is kept for undoing must lie here.
func (t *Target) plainOwn() error {
	for _, name := range []string{own, snapshots} {
		info, err := t.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return outside(name)
		}
	}
	return nil
}

// Close ends the use of the folder.
func (t *Target) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// DirOf returns the folder of an item: the one that it is installed in, else its Slug.
func (t *Target) DirOf(id, kind, server string) (string, error) {
	lock, err := t.lock()
	if err != nil {
		return "", err
	}
	for dir, there := range lock.Items {
		if there.ID == id && there.Kind == kind && there.Server == server && plainDir(dir) {
			return dir, nil
		}
	}
	return slug(id), nil
}

// plainDir reports whether a name from a lock file is that of a folder of an item.
func plainDir(dir string) bool {
	return fs.ValidPath(dir) && !strings.ContainsAny(dir, `/\:`) && !strings.HasPrefix(dir, ".")
}

// ours refuses a folder that was not made for the item.
func (t *Target) ours(item Item, before Installed) error {
	if !plainDir(item.Dir) {
		return errs.Newf(CodeForeign, "%q is no name for the folder of an item.", item.Dir)
	}
	if before.ID != "" {
		if before.ID == item.ID && before.Kind == item.Kind && before.Server == item.Server {
			return nil
		}
		return errs.Newf(CodeForeign, "%s holds %s from %s. Take that back first, or install into another folder.", path.Join(t.dir, item.Dir), before.ID, before.Server)
	}
	if t.root == nil {
		return nil
	}
	info, err := t.root.Lstat(item.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return outside(item.Dir)
	}
	if entries, err := fs.ReadDir(t.root.FS(), item.Dir); err != nil || len(entries) > 0 {
		return errs.Newf(CodeForeign, "%s is there already and was not made by Stoa, so nothing is written into it. Move it away, or install into another folder.", path.Join(t.dir, item.Dir))
	}
	return nil
}

// installable reports whether a path may be written for an item: below its folder, and nothing that a version control
// system would take for its own and run.
func installable(name, dir string) bool {
	if !fs.ValidPath(name) || !strings.HasPrefix(name, dir+"/") {
		return false
	}
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		switch part {
		case own, ".git", ".hg", ".svn", ".bzr", "git~1":
			return false
		}
	}
	return true
}

// Plan says what installing files would do. It writes nothing. Files of the version installed before that are no more in
// the new one are removed, unless somebody changed them.
func (t *Target) Plan(item Item, files []File) (*Plan, error) {
	lock, err := t.lock()
	if err != nil {
		return nil, err
	}
	if err := t.whole(lock); err != nil {
		return nil, err
	}
	before := lock.Items[item.Dir]
	if err := t.ours(item, before); err != nil {
		return nil, err
	}
	p := &Plan{Item: item, From: before.Version}
	for _, f := range files {
		if !installable(f.Path, item.Dir) {
			return nil, errs.Newf(CodeOutside, "The package holds %q, which is not installed: it would lie outside of %s, or be taken for settings of a version control system.", f.Path, item.Dir)
		}
		step, err := t.step(f, before)
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, step)
	}
	for name, sum := range before.Files {
		if !installable(name, item.Dir) {
			return nil, fmt.Errorf("%s is damaged: it names %q", path.Join(t.dir, lockFile), name)
		}
		if slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			continue
		}
		now, size, mode, err := t.digest(name)
		if err != nil {
			return nil, err
		}
		switch now {
		case "":
		case sum:
			p.Steps = append(p.Steps, Step{Path: name, Action: Remove, Before: now, Size: size, mode: mode})
		default:
			p.Steps = append(p.Steps, Step{Path: name, Action: Keep, Before: now, After: now, Size: size, Edited: true})
		}
	}
	slices.SortFunc(p.Steps, func(a, b Step) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// Removal says what taking an item out would do: its files are removed, but for those that somebody changed. It writes nothing.
func (t *Target) Removal(id string) (*Plan, error) {
	lock, err := t.lock()
	if err != nil {
		return nil, err
	}
	for _, there := range lock.Items {
		if there.ID == id {
			p, err := t.Plan(there.Item, nil)
			if err == nil {
				p.Gone = true
			}
			return p, err
		}
	}
	return nil, errs.Newf(CodeNothing, "%s is not in %s. `stoa verify --installed %s` lists what is.", id, t.dir, t.dir)
}

func (t *Target) step(f File, before Installed) (Step, error) {
	sum := sha256.Sum256(f.Data)
	step := Step{Path: f.Path, Action: Add, After: hex.EncodeToString(sum[:]), Size: int64(len(f.Data)), mode: f.Mode, data: f.Data}
	if step.mode == 0 {
		step.mode = 0o644
	}
	now, _, mode, err := t.digest(f.Path)
	switch {
	case err != nil:
		return step, err
	case now == "":
		return step, nil
	case now == step.After:
		step.Action, step.Before = Keep, now
	default:
		step.Action, step.Before, step.mode, step.Edited = Change, now, mode, before.Files[f.Path] != now
	}
	return step, nil
}

// digest is the SHA-256, size and mode of a file, "" when there is none. A link is refused: what is behind it is
// somebody else's.
func (t *Target) digest(name string) (sum string, size int64, mode fs.FileMode, err error) {
	if t.root == nil {
		return "", 0, 0, nil
	}
	info, err := t.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", 0, 0, nil
	case err != nil: // os.Root refuses links that lead out
		return "", 0, 0, outside(name)
	case !info.Mode().IsRegular():
		return "", 0, 0, outside(name)
	}
	f, err := t.root.Open(name)
	if err != nil {
		return "", 0, 0, fmt.Errorf("cannot read %s", path.Join(t.dir, name))
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, info.Mode().Perm(), err
}

func outside(name string) error {
	return errs.Newf(CodeOutside, "%s is or lies behind a symbolic link, or is no ordinary file; nothing is written there. Put an ordinary folder in its place.", name)
}
