package folder

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/platform/errs"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func item(version string) Item {
	return Item{ID: "ada/x", Kind: "template", Version: version, SHA256: strings.Repeat("0", 64), Server: "http://s", Dir: "ada__x"}
}

func files(pairs ...string) []File {
	var out []File
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, File{Path: "ada__x/" + pairs[i], Data: []byte(pairs[i+1])})
	}
	return out
}

// tree is everything in a folder: paths, modes and bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(b)
		}
		rel, err := filepath.Rel(dir, path)
		out[rel] = info.Mode().String() + " " + text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t testing.TB, dir string) *Target {
	t.Helper()
	target, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target.Close() })
	return target
}

func apply(t testing.TB, dir string, version string, now time.Time, list []File) *Plan {
	t.Helper()
	target := open(t, dir)
	p, err := target.Plan(item(version), list)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Apply(p, now); err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPlanWritesNothing(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, "0", noon, files("a", "same", "b", "old"))
	write(t, dir+"/ada__x/b", "mine")
	before := tree(t, dir)
	p, err := open(t, dir).Plan(item("1"), files("a", "same", "b", "new", "c/d", "more"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range p.Steps {
		got[s.Path] = fmt.Sprint(s.Action, s.Edited)
	}
	if diff := cmp.Diff(map[string]string{"ada__x/a": "keepfalse", "ada__x/b": "changetrue", "ada__x/c/d": "addfalse"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	absent := filepath.Join(dir, "no/where")
	if _, err := open(t, absent).Plan(item("1"), files("a", "x")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("the plan made the folder")
	}
}

func TestUpdateRemovesWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, "1", noon, files("a", "1", "gone", "1", "edited", "1"))
	write(t, dir+"/ada__x/edited", "mine")
	p := apply(t, dir, "2", noon.Add(time.Second), files("a", "2"))
	if p.From != "1" {
		t.Errorf("from %q", p.From)
	}
	if _, err := os.Stat(dir + "/ada__x/gone"); err == nil {
		t.Error("a file of the old version is still there")
	}
	if b, _ := os.ReadFile(dir + "/ada__x/edited"); string(b) != "mine" {
		t.Error("an edited file of the old version is gone")
	}
}

// Any sequence of installations, undone one by one, gives back every earlier state, bytes and modes.
func TestUndoRestoresExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := filepath.Join(t.TempDir(), "bot")
		if rapid.Bool().Draw(rt, "exists") {
			write(t, dir+"/own.txt", "mine")
			if rapid.Bool().Draw(rt, "edited") {
				apply(t, dir, "0", noon, files("a", "0"))
				write(t, dir+"/ada__x/a", "mine")
				if err := os.Chmod(dir+"/ada__x/a", 0o640); err != nil {
					rt.Fatal(err)
				}
			}
		}
		var states []map[string]string
		installs := 0
		for n := rapid.IntRange(1, 3).Draw(rt, "installs"); n > 0; n-- {
			if _, err := os.Stat(dir); err == nil {
				states = append(states, tree(t, dir))
			} else {
				states = append(states, nil)
			}
			var list []File
			for _, name := range []string{"a", "c/d"} {
				if v := rapid.IntRange(0, 3).Draw(rt, name); v > 0 {
					list = append(list, files(name, fmt.Sprint(v))...)
				}
			}
			installs++
			at := noon.Add(time.Duration(installs) * time.Second)
			if len(states) > 1 && rapid.Bool().Draw(rt, "taken out") {
				takeOut(t, rt, dir, at)
				break
			}
			apply(t, dir, fmt.Sprint(installs), at, list)
		}
		for i := len(states) - 1; i >= 0; i-- {
			target := open(t, dir)
			if _, err := target.Undo(false); err != nil {
				rt.Fatal(err)
			}
			if states[i] == nil {
				if _, err := os.Stat(dir); err == nil {
					rt.Fatalf("the folder is still there: %v", tree(t, dir))
				}
				continue
			}
			if diff := cmp.Diff(states[i], tree(t, dir)); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

// takeOut takes the item of these tests out of a folder: nothing of it is left but what somebody changed.
func takeOut(t testing.TB, rt *rapid.T, dir string, at time.Time) {
	target := open(t, dir)
	plan, err := target.Removal("ada/x")
	if err == nil {
		err = target.Apply(plan, at)
	}
	if err != nil {
		rt.Fatal(err)
	}
	if items, err := target.Installed(); err != nil || len(items) > 0 {
		rt.Fatalf("it is still there: %v %v", items, err)
	}
	for name := range tree(t, dir) {
		if strings.HasPrefix(name, "ada__x/") && !slices.ContainsFunc(plan.Steps, func(s Step) bool {
			return s.Action == Keep && s.Edited && strings.HasPrefix(s.Path, strings.TrimSuffix(name, "/"))
		}) {
			rt.Fatalf("%s is left", name)
		}
	}
}

func TestUndoRefusesDrift(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, "1", noon, files("a", "1", "b", "1"))
	write(t, dir+"/ada__x/b", "mine")
	if _, err := open(t, dir).Undo(false); errs.CodeOf(err) != CodeDrift || !strings.Contains(err.Error(), "ada__x/b") || strings.Contains(err.Error(), "ada__x/a") {
		t.Fatal(err)
	}
	done, err := open(t, dir).Undo(true)
	if err != nil || len(done.Drift) != 1 {
		t.Fatal(done, err)
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Error(left)
	}
	if _, err := open(t, dir).Undo(false); errs.CodeOf(err) != CodeNothing {
		t.Error(err)
	}
}

// An installation that stops anywhere is seen as such, and undone.
func TestInterruption(t *testing.T) {
	for after := range 4 {
		dir := t.TempDir()
		apply(t, dir, "0", noon.Add(-time.Hour), files("a", "mine"))
		before := tree(t, dir)
		target := open(t, dir)
		p, err := target.Plan(item("1"), files("a", "1", "b", "1", "c", "1"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := target.save(p, false, noon); err != nil { // and then the machine goes down after some files
			t.Fatal(err)
		}
		for _, s := range p.Steps[:after] {
			if err := target.do(s); err != nil {
				t.Fatal(err)
			}
		}
		again := open(t, dir)
		if _, err := again.Plan(item("1"), files("a", "1")); errs.CodeOf(err) != CodeInterrupted {
			t.Fatalf("after %d files: %v", after, err)
		}
		if _, err := again.Undo(false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("after %d files: %s", after, diff)
		}
	}
}

func TestLinksOutAreRefused(t *testing.T) {
	for name, link := range map[string]func(dir, outside string) error{
		"the item's folder": func(dir, outside string) error { return os.Symlink(outside, dir+"/ada__x") },
		"a folder in it": func(dir, outside string) error {
			return os.Symlink(outside, dir+"/ada__x/c")
		},
		"a file":            func(dir, outside string) error { return os.Symlink(outside+"/victim", dir+"/ada__x/a") },
		"a relative one":    func(dir, _ string) error { return os.Symlink("../../outside", dir+"/ada__x/c") },
		"the notes":         func(dir, outside string) error { return os.Symlink(outside, dir+"/.stoa") },
		"a folder for file": func(dir, _ string) error { return os.MkdirAll(dir+"/ada__x/a", 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir, outside := top+"/bot", top+"/outside"
			write(t, outside+"/victim", "theirs")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if name != "the item's folder" && name != "the notes" {
				apply(t, dir, "0", noon.Add(-time.Hour), files("z", "1"))
			}
			if err := link(dir, outside); err != nil {
				t.Fatal(err)
			}
			before := tree(t, top)
			target, err := Open(dir)
			if err == nil {
				defer target.Close()
				_, err = target.Plan(item("1"), files("a", "1", "c/d", "1"))
			}
			if errs.CodeOf(err) != CodeOutside {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, tree(t, top)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlanIsOfTheFolderAsItWas(t *testing.T) {
	dir := t.TempDir()
	target := open(t, dir)
	p, err := target.Plan(item("1"), files("a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/ada__x/a", "mine")
	if err := target.Apply(p, noon); errs.CodeOf(err) != CodeDrift {
		t.Error(err)
	}
	for _, bad := range []string{"../x", "/x", "ada__y/x", "ada__x/../../x", ".stoa/lock.json"} {
		if _, err := target.Plan(item("1"), []File{{Path: bad}}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
