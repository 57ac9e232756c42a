package httpapi_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// capabilityNames reads testdata/capabilities.txt: the names that each role has, those of the roles before it included.
func capabilityNames(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/capabilities.txt")
	if err != nil {
		t.Fatal(err)
	}
	sets, role, all := map[string][]string{}, "", []string{}
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case !strings.Contains(line, "."):
			role = line
		default:
			all = append(all, line)
			sets[role] = slices.Clone(all)
		}
	}
	return sets
}

// A client locks the controls whose operation is not in the map: each name that the contract's clients know is there, for
// whoever may use the route.
func TestCapabilityMap(t *testing.T) {
	sets := capabilityNames(t)
	apitest.Each(t, apitest.Options{Anonymous: true}, func(t *testing.T, s *apitest.Server) {
		for role, c := range map[string]*apitest.Client{"anonymous": s.Nobody(t), "member": s.As(t, "ada")} {
			have := texts(c.Get("/api/ui/capabilities").OK(t).At("operations"))
			for _, name := range sets[role] {
				if !slices.Contains(have, name) {
					t.Errorf("%s is not in the map of a caller who is %s", name, role)
				}
			}
		}
		s.RestartWith(t, func(o *apitest.Options) { o.Anonymous = false })
		have := texts(s.Nobody(t).Get("/api/ui/capabilities").OK(t).At("operations"))
		for _, name := range sets["public"] {
			if !slices.Contains(have, name) {
				t.Errorf("%s is not in the public map", name)
			}
		}
	})
}

// The list is that of the field facts and of the contract's table of routes, where they are at hand.
func TestCapabilityNamesAreThoseOfTheFacts(t *testing.T) {
	dir := os.Getenv("STOA_CONTRACT_DIR")
	if dir == "" {
		dir = "/work/shared/contract"
	}
	facts, err := os.ReadFile(filepath.Join(dir, "marketplace-facts.md"))
	if err != nil {
		t.Skip("the field facts are not part of the repository; STOA_CONTRACT_DIR names their folder")
	}
	known := capabilityNames(t)["member"]
	name := regexp.MustCompile(`\b(?:[a-z_]+\.)+[a-z_]+\b`)
	lines := 0
	for line := range strings.Lines(string(facts)) {
		set, rest, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !ok || !slices.ContainsFunc([]string{"public (4)", "anonymous member = public +", "member = anonymous set +"}, func(s string) bool { return s == set }) {
			continue
		}
		lines++
		rest, _, _ = strings.Cut(rest, "(+") // what depends on a feature that Stoa has not
		prefix := ""
		for _, word := range strings.Fields(strings.NewReplacer("`", " ").Replace(rest)) {
			switch {
			case name.MatchString(word) && word[0] != '.':
				prefix = word[:strings.LastIndexByte(word, '.')]
			case strings.HasPrefix(word, "."): // the same but for its last part
				word = suffixed(prefix, word, known)
			default:
				continue
			}
			if !slices.Contains(known, word) {
				t.Errorf("the facts name %s, which testdata/capabilities.txt lacks", word)
			}
		}
	}
	if lines != 3 {
		t.Errorf("the table of names was found in %d lines, want 3", lines)
	}
	api, err := os.ReadFile(filepath.Join(dir, "marketplace-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (GET|POST) \| (/api/[a-z/-]+) \|`).FindAllStringSubmatch(string(api), -1) {
		if !slices.ContainsFunc(apitest.Operations(), func(o apitest.Operation) bool { return o.Method == row[1] && o.Path == row[2] && o.Capability != "" }) {
			t.Errorf("%s %s of the contract has no operation with a name in the map", row[1], row[2])
		}
	}
}

// suffixed completes a name of which a table gives the end alone, after one with the same beginning.
func suffixed(prefix, end string, known []string) string {
	if slices.Contains(known, prefix+end) {
		return prefix + end
	}
	return prefix[:max(0, strings.LastIndexByte(prefix, '.'))] + end
}

func texts(list any) (out []string) {
	all, _ := list.([]any)
	for _, v := range all {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
