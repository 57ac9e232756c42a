package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"stoa/internal/platform/errs"
)

const (
	lockFile  = own + "/lock.json"
	snapshots = own + "/snapshots"
)

// Lock is lock.json: what is installed in a folder.
type Lock struct {
	Format int                  `json:"format"`
	Items  map[string]Installed `json:"items"` // by the item's folder
	// Snapshot is the one that the last finished installation made; "" when everything was undone.
	Snapshot string `json:"snapshot"`
}

// Installed is one installed item.
type Installed struct {
	Item
	InstalledAt string            `json:"installed_at"`
	Files       map[string]string `json:"files"` // path → SHA-256
}

const lockFormat = 1

func (t *Target) lock() (Lock, error) {
	l := Lock{Format: lockFormat, Items: map[string]Installed{}}
	if t.root == nil {
		return l, nil
	}
	text, err := t.root.ReadFile(lockFile)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("cannot read %s", path.Join(t.dir, lockFile))
	}
	if err := json.Unmarshal(text, &l); err != nil || l.Format != lockFormat || l.Items == nil {
		return l, fmt.Errorf("%s is damaged or of another version of Stoa", path.Join(t.dir, lockFile))
	}
	return l, nil
}

// Checked is an installed item with those of its files that are not as they were installed.
type Checked struct {
	Item
	Changed []string
}

// Installed lists what is installed in the folder, by name, and holds its files against what was written.
func (t *Target) Installed() ([]Checked, error) {
	l, err := t.lock()
	if err != nil {
		return nil, err
	}
	out := []Checked{}
	for _, dir := range slices.Sorted(maps.Keys(l.Items)) {
		there := l.Items[dir]
		c := Checked{there.Item, []string{}}
		for _, name := range slices.Sorted(maps.Keys(there.Files)) {
			if sum, _, _, err := t.digest(name); err != nil || sum != there.Files[name] {
				c.Changed = append(c.Changed, name)
			}
		}
		out = append(out, c)
	}
	return out, t.whole(l)
}

// newest is the name of the newest snapshot, "" when there is none. Names sort by time.
func (t *Target) newest() (string, error) {
	if t.root == nil {
		return "", nil
	}
	entries, err := fs.ReadDir(t.root.FS(), snapshots)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		if _, err := time.Parse(snapshotTime, e.Name()); err == nil && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return slices.Max(names), nil
}

// whole refuses to go on over an installation that was interrupted.
func (t *Target) whole(l Lock) error {
	newest, err := t.newest()
	if err != nil || newest == l.Snapshot {
		return err
	}
	return errs.Newf(CodeInterrupted, "An installation in %s was interrupted. `stoa install --undo %s` takes it back; then install again.", t.dir, t.dir)
}
