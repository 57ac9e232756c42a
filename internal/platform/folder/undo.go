package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"stoa/internal/platform/errs"
)

// Undone says what Undo did.
type Undone struct {
	Item     Item     `json:"item"`
	Restored []string `json:"restored"` // files that have their old bytes again
	Removed  []string `json:"removed"`
	Drift    []string `json:"drift"` // files that had been changed since, overwritten with force
}

// Undo takes the last installation back, also one that was interrupted. When a file was changed since, it refuses and
// names it, unless force.
func (t *Target) Undo(force bool) (Undone, error) {
	name, s, err := t.last()
	if err != nil {
		return Undone{}, err
	}
	out := Undone{Item: s.Item, Restored: []string{}, Removed: []string{}, Drift: []string{}}
	for _, f := range s.Files {
		now, _, _, err := t.digest(f.Path)
		if err != nil {
			return out, err
		}
		if now != f.After && now != f.Before {
			out.Drift = append(out.Drift, f.Path)
		}
	}
	if len(out.Drift) > 0 && !force {
		e := errs.Newf(CodeDrift, "These were changed after the installation: %s. Keep what you need of them, then say --force.",
			strings.Join(out.Drift[:min(len(out.Drift), 10)], ", "))
		for _, name := range out.Drift {
			e.Details = append(e.Details, errs.Detail{Field: name, Problem: "was changed since"})
		}
		return out, e
	}
	dir := snapshots + "/" + name
	for i, f := range s.Files {
		if err := t.restore(f, fmt.Sprintf("%s/%d", dir, i), &out); err != nil {
			return out, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	for i := len(s.Dirs) - 1; i >= 0; i-- {
		_ = t.root.Remove(s.Dirs[i]) // stays when something of somebody else's lies in it
	}
	if s.Lock != nil {
		err = t.put(lockFile, strings.NewReader(*s.Lock), 0o644)
	} else if err = t.root.Remove(lockFile); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return out, err
	}
	if err := t.root.RemoveAll(dir); err != nil {
		return out, err
	}
	for _, left := range []string{snapshots, own} {
		_ = t.root.Remove(left) // only when empty
	}
	if s.MadeDir {
		_ = os.Remove(t.dir) // likewise
	}
	return out, nil
}

// last reads the newest snapshot.
func (t *Target) last() (string, snapshot, error) {
	var s snapshot
	name, err := t.newest()
	if err != nil {
		return "", s, err
	}
	if name == "" {
		return "", s, errs.Newf(CodeNothing, "There is no installation in %s that could be taken back.", t.dir)
	}
	text, err := t.root.ReadFile(snapshots + "/" + name + "/" + snapshotFile)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return "", s, fmt.Errorf("the snapshot %s/%s is damaged", snapshots, name)
	}
	for _, f := range s.Files {
		if !fs.ValidPath(f.Path) || strings.EqualFold(strings.SplitN(f.Path, "/", 2)[0], own) {
			return "", s, fmt.Errorf("the snapshot %s/%s is damaged", snapshots, name)
		}
	}
	return name, s, nil
}

// restore brings one file back to what it was.
func (t *Target) restore(f saved, from string, out *Undone) error {
	now, _, _, err := t.digest(f.Path)
	if err != nil || now == f.Before {
		return err
	}
	if f.Before == "" {
		out.Removed = append(out.Removed, f.Path)
		return t.root.Remove(f.Path)
	}
	if kept, _, _, err := t.digest(from); err != nil || kept != f.Before {
		return errors.New("its copy in the snapshot is damaged, so it was left as it is")
	}
	if err := t.root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	in, err := t.root.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out.Restored = append(out.Restored, f.Path)
	return t.put(f.Path, in, f.Mode)
}
