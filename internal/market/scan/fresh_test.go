package scan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// Texts that were never trained on: the model, not its memory, must tell them apart. The bounds lie two standard errors
// below what was measured (docs/scanning.md).
func TestTextsNeverTrainedOn(t *testing.T) {
	b, err := os.ReadFile("testdata/fresh.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var attacks, found, ordinary, flagged int
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var text struct {
			Text  string
			Label int
		}
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			t.Fatal(err)
		}
		s := NewScan(Options{})
		s.Field("prompt", "$", text.Text, RolePrompt)
		hit := 0
		if s.Finish().Injection.Detected {
			hit = 1
		}
		if text.Label == 1 {
			attacks, found = attacks+1, found+hit
		} else {
			ordinary, flagged = ordinary+1, flagged+hit
		}
	}
	if attacks < 50 || found*100 < attacks*70 || flagged*100 > ordinary*20 {
		t.Errorf("%d of %d attacks found, %d of %d ordinary texts flagged", found, attacks, flagged, ordinary)
	}
}
