package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"time"

	"stoa/internal/platform/errs"
)

// snapshotTime names snapshots, so that they sort by time.
const snapshotTime = "20060102T150405.000000000Z"

// snapshot is what must be known to take an installation back.
type snapshot struct {
	Item    Item     `json:"item"`
	Lock    *string  `json:"lock"`     // lock.json before, nil when there was none
	MadeDir bool     `json:"made_dir"` // the folder itself was made
	Dirs    []string `json:"dirs"`     // folders that were made, the outer ones first
	Files   []saved  `json:"files"`
}

// saved is one file before and after. Its old bytes lie in the snapshot under its number.
type saved struct {
	Path   string      `json:"path"`
	Before string      `json:"before_sha256"` // "" when there was none
	After  string      `json:"after_sha256"`  // "" when it is removed
	Mode   fs.FileMode `json:"mode"`
}

const snapshotFile = "snapshot.json"

// Apply does what a plan says, at a time. It checks first that the folder is still as it was planned for.
func (t *Target) Apply(p *Plan, now time.Time) error {
	made := t.root == nil
	if made {
		if err := os.MkdirAll(t.dir, 0o755); err != nil {
			return fmt.Errorf("cannot make %s", t.dir)
		}
		root, err := os.OpenRoot(t.dir)
		if err != nil {
			return err
		}
		t.root = root
	}
	lock, err := t.lock()
	if err != nil {
		return err
	}
	if err := t.whole(lock); err != nil {
		return err
	}
	if err := t.unchanged(p); err != nil {
		return err
	}
	name, err := t.save(p, made, now)
	if err != nil {
		return err
	}
	for _, s := range p.Steps {
		if err := t.do(s); err != nil {
			return fmt.Errorf("%s: %w (`stoa install --undo %s` takes back what was done)", s.Path, err, t.dir)
		}
	}
	installed := Installed{Item: p.Item, InstalledAt: now.UTC().Format("2006-01-02T15:04:05.000Z"), Files: map[string]string{}}
	for _, s := range p.Steps {
		if s.Action != Remove {
			installed.Files[s.Path] = s.After
		}
	}
	lock.Items, lock.Snapshot = maps.Clone(lock.Items), name
	if lock.Items[p.Item.Dir] = installed; p.Gone {
		delete(lock.Items, p.Item.Dir)
	}
	t.removeEmpty(p.Steps)
	return t.writeJSON(lockFile, lock, 0o644)
}

// removeEmpty removes the folders in which nothing is left of what was removed.
func (t *Target) removeEmpty(steps []Step) {
	for _, s := range steps {
		for dir := path.Dir(s.Path); s.Action == Remove && dir != "."; dir = path.Dir(dir) {
			if t.root.Remove(dir) != nil { // stays when something lies in it
				break
			}
		}
	}
}

// unchanged checks that nobody changed a file since the plan was made.
func (t *Target) unchanged(p *Plan) error {
	for _, s := range p.Steps {
		now, _, _, err := t.digest(s.Path)
		if err != nil {
			return err
		}
		if now != s.Before {
			return errs.Newf(CodeDrift, "%s was changed while you looked at the plan. Look again.", s.Path)
		}
	}
	return nil
}

// save makes the snapshot. It is whole, and on disk, before anything is changed.
func (t *Target) save(p *Plan, made bool, now time.Time) (string, error) {
	s := snapshot{Item: p.Item, MadeDir: made, Dirs: []string{}, Files: []saved{}}
	if text, err := t.root.ReadFile(lockFile); err == nil {
		before := string(text)
		s.Lock = &before
	}
	name := now.UTC().Format(snapshotTime)
	dir := snapshots + "/" + name
	for _, part := range []string{own, snapshots} {
		if err := t.root.Mkdir(part, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	building := dir + ".part"
	if err := t.root.Mkdir(building, 0o700); err != nil {
		return "", errs.Newf(CodeInterrupted, "Another installation into %s is running.", t.dir)
	}
	missing := map[string]bool{}
	for _, step := range p.Steps {
		if step.Action == Keep {
			continue
		}
		s.Files = append(s.Files, saved{step.Path, step.Before, step.After, step.mode})
		if step.Before != "" {
			if err := t.copy(step.Path, fmt.Sprintf("%s/%d", building, len(s.Files)-1)); err != nil {
				return "", err
			}
		}
		for _, parent := range parents(step.Path) {
			if _, err := t.root.Lstat(parent); errors.Is(err, fs.ErrNotExist) && !missing[parent] {
				missing[parent] = true
				s.Dirs = append(s.Dirs, parent)
			}
		}
	}
	if err := t.writeJSON(building+"/"+snapshotFile, s, 0o600); err != nil {
		return "", err
	}
	if err := t.root.Rename(building, dir); err != nil {
		return "", err
	}
	return name, t.sync(snapshots)
}

// parents are the folders above a file, the outer ones first.
func parents(name string) []string {
	var out []string
	for i, r := range name {
		if r == '/' {
			out = append(out, name[:i])
		}
	}
	return out
}

// do does one step.
func (t *Target) do(s Step) error {
	switch s.Action {
	case Keep:
		return nil
	case Remove:
		if err := t.root.Remove(s.Path); err != nil {
			return err
		}
		return t.sync(path.Dir(s.Path))
	}
	if err := t.root.MkdirAll(path.Dir(s.Path), 0o755); err != nil {
		return err
	}
	return t.put(s.Path, bytes.NewReader(s.data), s.mode)
}

// put writes a file beside its place and renames it.
func (t *Target) put(name string, in io.Reader, mode fs.FileMode) error {
	temp := path.Join(path.Dir(name), ".stoa-"+path.Base(name)+".part")
	if err := t.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := t.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = t.root.Remove(temp) }() // gone after the rename
	defer f.Close()
	if _, err := io.Copy(f, in); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := t.root.Rename(temp, name); err != nil {
		return err
	}
	return t.sync(path.Dir(name))
}

func (t *Target) copy(from, to string) error {
	f, err := t.root.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return t.put(to, f, 0o600)
}

func (t *Target) writeJSON(name string, v any, mode fs.FileMode) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return t.put(name, strings.NewReader(string(text)+"\n"), mode)
}

// sync makes a renaming last.
func (t *Target) sync(dir string) error {
	d, err := t.root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
