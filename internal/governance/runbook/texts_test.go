package runbook

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Every check stands in the page of the documentation, and the pages say in each language what it watches and what has happened when it turns.
func TestEveryCheckIsTold(t *testing.T) {
	page, err := os.ReadFile("../../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range Definitions {
		if !strings.Contains(string(page), "\n| `"+d.ID+"` | "+d.Sentence+" |\n") {
			t.Errorf("docs/runbook.md has no row for %s: %q", d.ID, d.Sentence)
		}
	}
	for _, language := range []string{"en-US", "zh-CN", "ja-JP"} {
		file := "../../../web/src/locales/runtime." + language + ".json"
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var words map[string]string
		if err := json.Unmarshal(text, &words); err != nil {
			t.Fatal(err)
		}
		for _, d := range Definitions {
			for _, key := range []string{"watch." + d.ID, "turned." + d.ID} {
				if words[key] == "" {
					t.Errorf("%s has no %s", file, key)
				}
			}
			delete(words, "watch."+d.ID)
			delete(words, "turned."+d.ID)
		}
		for key := range words {
			if strings.HasPrefix(key, "watch.") || strings.HasPrefix(key, "turned.") {
				t.Errorf("%s has %s for a check that there is not", file, key)
			}
		}
	}
}
