package folder

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/market/ids"
	"stoa/internal/platform/errs"
)

// idOf reads a slug back, which is the proof that no two ids share one.
func idOf(t interface{ Fatalf(string, ...any) }, slug string) string {
	var out strings.Builder
	for i := 0; i < len(slug); i++ {
		switch {
		case slug[i] == '%':
			b, err := hex.DecodeString(slug[i+1 : i+3])
			if err != nil {
				t.Fatalf("%s: %v", slug, err)
			}
			out.Write(b)
			i += 2
		case strings.HasPrefix(slug[i:], "__"):
			out.WriteByte('/')
			i++
		default:
			out.WriteByte(slug[i])
		}
	}
	return out.String()
}

func TestSlugsAreInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-cA-C_./%~ -]{0,8}`), rapid.StringMatching(`(con|nul|aux|com1|lpt9|CON)[./]?[a-z]{0,2}`)).Draw(t, "id")
		slug := slug(id)
		if strings.HasPrefix(slug, "%id-") {
			if id != "" && len(id) < 60 {
				t.Fatalf("%q is named by its digest", id)
			}
		} else if got := idOf(t, slug); got != id {
			t.Fatalf("%q became %s, which is %q", id, slug, got)
		}
		if slug != strings.ToLower(slug) || strings.ContainsAny(slug, `./\: `) || len(slug) > maxSlug || ids.Device(slug) || !plainDir(slug) {
			t.Fatalf("%q became %q", id, slug)
		}
	})
	for id, want := range map[string]string{
		"ada/garden": "ada__garden", "a-1": "a-1", "profile/imported-x-e679d2d4": "profile__imported-x-e679d2d4", "carol__garden": "carol%5f%5fgarden",
		".ssh": "%2essh", "..": "%2e%2e", ".STOA": "%2e%53%54%4f%41", "/etc/x": "%2fetc__x", "con": "%63on", "Ada/x": "%41da__x", "-rf": "%2drf",
	} {
		if got := slug(id); got != want {
			t.Errorf("%s became %s, not %s", id, got, want)
		}
	}
	if a, b := slug(strings.Repeat("a", 201)), slug(strings.Repeat("a", 202)); a == b || len(a) > maxSlug {
		t.Error(a, b)
	}
}

// What somebody else made, or another item, is left alone.
func TestForeignFoldersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/data/cmd_config.json", "mine")
	write(t, dir+"/file", "mine")
	if err := os.Mkdir(dir+"/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	apply(t, dir, "1", noon, files("a", "1"))
	before := tree(t, dir)
	for _, tc := range []struct {
		item Item
		want errs.Code
	}{
		{Item{ID: "data", Dir: "data"}, CodeForeign},
		{Item{ID: "file", Dir: "file"}, CodeOutside},
		{Item{ID: "ada__x", Kind: "template", Server: "http://s", Dir: "ada__x"}, CodeForeign},
		{Item{ID: "ada/x", Kind: "template", Server: "http://other", Dir: "ada__x"}, CodeForeign},
		{Item{ID: "ada/x", Kind: "profile_pack", Server: "http://s", Dir: "ada__x"}, CodeForeign},
		{Item{ID: "x", Dir: ".ssh"}, CodeForeign},
		{Item{ID: "x", Dir: ".."}, CodeForeign},
		{Item{ID: "x", Dir: ".STOA"}, CodeForeign},
		{Item{ID: "x", Dir: "/tmp"}, CodeForeign},
		{Item{ID: "x", Dir: "a/b"}, CodeForeign},
		{Item{ID: "x", Dir: `a\b`}, CodeForeign},
		{Item{ID: "x", Dir: ""}, CodeForeign},
	} {
		_, err := open(t, dir).Plan(tc.item, []File{{Path: tc.item.Dir + "/cmd_config.json", Data: []byte("theirs")}})
		if errs.CodeOf(err) != tc.want {
			t.Errorf("%+v: %v", tc.item, err)
		}
	}
	for _, name := range []string{".git/config", "c/.GIT/hooks/post-checkout", ".stoa/lock.json", ".hg/hgrc", "git~1/config"} {
		if _, err := open(t, dir).Plan(item("2"), files(name, "x")); errs.CodeOf(err) != CodeOutside {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := open(t, dir).Plan(Item{ID: "empty", Dir: "empty"}, []File{{Path: "empty/a", Data: []byte("x")}}); err != nil {
		t.Error(err)
	}
}

// What was installed before folders were named as they are now is found again, updated in its place and taken back.
func TestEarlierFoldersAreFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bot")
	odd := Item{ID: "Ada/X_1", Kind: "template", Version: "1", Server: "http://s", Dir: "Ada__X_1"}
	install := func(i Item, now time.Time, text string) {
		target := open(t, dir)
		p, err := target.Plan(i, []File{{Path: i.Dir + "/a", Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Apply(p, now); err != nil {
			t.Fatal(err)
		}
	}
	install(odd, noon, "1")
	before := tree(t, dir)
	got, err := open(t, dir).DirOf(odd.ID, odd.Kind, odd.Server)
	if err != nil || got != odd.Dir {
		t.Fatal(got, err)
	}
	if got, _ := open(t, dir).DirOf(odd.ID, odd.Kind, "http://other"); got != slug(odd.ID) {
		t.Error(got)
	}
	odd.Version = "2"
	install(odd, noon.Add(time.Hour), "2")
	if _, err := open(t, dir).Undo(false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}
