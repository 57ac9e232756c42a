package redact

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// corpus calls do for each harmless text of the shared data: prompts, skills, agent files, documentation, notes.
func corpus(t *testing.T, do func(source, text string)) (names []string) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(dataFile(t, "injection/dev2.jsonl")))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row struct {
			Text, Source string
			Label        int
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Label == 0 {
			do(row.Source, row.Text)
		}
	}
	for _, name := range []string{"vault/mathwiki.tar.gz", "vault/dendron-site.tar.gz"} {
		z, err := gzip.NewReader(bytes.NewReader(dataFile(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		for files := tar.NewReader(z); ; {
			h, err := files.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, h.Name)
			if text, err := io.ReadAll(files); err != nil {
				t.Fatal(err)
			} else if strings.HasSuffix(h.Name, ".md") {
				do(name, string(text))
			}
		}
	}
	return names
}

// TestHonestTexts counts the harmless texts of other people in which something is masked. STOA_MATRIX prints what.
func TestHonestTexts(t *testing.T) {
	if testing.Short() || raceEnabled || !everything {
		t.Skip("27,000 texts; set STOA_MATRIX")
	}
	e := New()
	texts, touched := 0, 0
	byRule := map[string]int{}
	names := corpus(t, func(source, text string) {
		texts++
		scan := e.NewText("f.md")
		_, _ = scan.Write([]byte(text))
		found := scan.Findings()
		if len(found) == 0 {
			return
		}
		touched++
		for _, f := range found {
			byRule[f.Rule]++
			line := []rune(strings.Split(text, "\n")[max(f.Line-1, 0)])
			from := min(max(0, f.Column-31), len(line))
			t.Logf("%s %s: %.110q", f.Rule, source, string(line[from:min(len(line), f.Column+f.Length+20)]))
		}
	})
	if found := e.VerifyNames(names, "names"); len(found) > 0 {
		t.Errorf("%d of %d names of files: %v", len(found), len(names), found)
	}
	rules := make([]string, 0, len(byRule))
	for r := range byRule {
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b string) int { return byRule[b] - byRule[a] })
	for _, r := range rules {
		t.Logf("rule %s: %d", r, byRule[r])
	}
	t.Logf("%d texts, %d with something that is masked (%.2f %%)", texts, touched, 100*float64(touched)/float64(texts))
	if touched*100 > texts {
		t.Error("more than one in a hundred")
	}
}
