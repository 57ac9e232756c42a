package ids

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	segment = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9])*$`)
	item    = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9])*(/[a-z0-9](-?[a-z0-9])*)?$`)
)

// The rule is that of the regular expressions, with the bounds.
func TestRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z0-9/-]{0,12}`), rapid.StringMatching(`[a-zA-Z0-9/._-]{0,6}`)).Draw(t, "id")
		if got, want := Segment(s), segment.MatchString(s) && len(s) <= MaxSegment; got != want {
			t.Errorf("Segment(%q) = %v", s, got)
		}
		namespace, name, _ := strings.Cut(s, "/")
		if got, want := Item(s), item.MatchString(s) && len(namespace) <= MaxSegment && len(name) <= MaxSegment && len(s) <= MaxItem; got != want {
			t.Errorf("Item(%q) = %v", s, got)
		}
	})
	for id, want := range map[string]bool{
		strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		strings.Repeat("a", 100) + "/" + strings.Repeat("a", 99): true, strings.Repeat("a", 100) + "/" + strings.Repeat("a", 100): false,
	} {
		if Item(id) != want {
			t.Errorf("%d bytes: %v", len(id), !want)
		}
	}
}

// Ids that are in use pass; those that could be taken for another do not.
func TestIdsInUse(t *testing.T) {
	for _, id := range []string{
		"a-1", "9-somboon", "community/basic", "profile/official-starter", "profile/imported-researcher-e679d2d4", "official/code-reviewer", "x", "0/1",
	} {
		if !Item(id) {
			t.Errorf("%s is refused", id)
		}
	}
	for _, id := range []string{
		"", "/", "a/", "/a", "a//b", "a/b/c", "-a", "a-", "a--b", "A-1", "a_1", "a.1", "..", ".ssh", "/etc/x", "a-1\u200b", "a\u00ad1", "\u202ea-1", "ａ-1", "а-1",
		"a 1", "a-1 ", "a\x00", "a\x1b", `a\b`, "a%20", "ä", "carol__garden",
	} {
		if Item(id) {
			t.Errorf("%q is taken", id)
		}
	}
}

func TestCatalogIDs(t *testing.T) {
	f, err := os.Open("/work/shared/data/catalog/agents.jsonl")
	if err != nil {
		t.Skip("the catalog is not on this machine")
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var line struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || !Item(line.ID) {
			t.Errorf("%q %v", line.ID, err)
		}
	}
	if n != 505 || lines.Err() != nil {
		t.Error(n, lines.Err())
	}
}

func TestReserved(t *testing.T) {
	for _, name := range []string{"stoa", "Stoa", "STOA official", "Official", "the operator", "support-team", "operator.", "Admin1", "admin", "administrator", "anonymous", "council", "mod", "moderator", "owner", "reviewer", "root", "security", "staff", "system", "verified", "webmaster"} {
		if !Reserved(name) {
			t.Errorf("%s is free", name)
		}
	}
	for _, name := range []string{"", "ada", "stoa-fan", "Official Ada", "adminewacc", "official 園", "…"} {
		if Reserved(name) {
			t.Errorf("%s is reserved", name)
		}
	}
}

func TestOfficial(t *testing.T) {
	for name, want := range map[string]bool{"Official Ada": true, "profile/official-x": true, "stoa": true, "unofficial": false, "stoas": false, "": false, "ada": false} {
		if Official(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestNamespace(t *testing.T) {
	if Namespace("ada/garden") != "ada" || Namespace("garden") != "" {
		t.Error(Namespace("ada/garden"), Namespace("garden"))
	}
}

// New ids hold no name that Windows opens a device for; ids that only begin or end with one, or hold one, do.
func TestNamesOfDevices(t *testing.T) {
	devices := []string{"con", "prn", "aux", "nul"}
	for n := range 10 {
		devices = append(devices, "com"+string(rune('0'+n)), "lpt"+string(rune('0'+n)))
	}
	for _, device := range devices {
		for _, id := range []string{device, "ada/" + device, device + "/garden"} {
			if New(id) {
				t.Errorf("%s may be the id of a new item", id)
			}
			if !Item(id) {
				t.Errorf("%s, which may be published already, is no id any more", id)
			}
		}
		for _, id := range []string{device + "-1", "a" + device, "ada/" + device + "0", "my-" + device + "/garden"} {
			if !New(id) {
				t.Errorf("%s is refused", id)
			}
		}
	}
	for _, id := range []string{"com", "lpt", "com10", "coma", "ada/garden"} {
		if !New(id) {
			t.Errorf("%s is refused", id)
		}
	}
	if New("") || New("a--b") || New("a/b/c") {
		t.Error("what is no id may be the id of a new item")
	}
}
