package scan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// Texts that were never trained on: the model, not its memory, must tell them apart. The bounds lie below what was
// measured (docs/scanning.md), so that a fall fails.
func TestTextsNeverTrainedOn(t *testing.T) {
	for name, least := range map[string]struct{ found, flagged int }{
		"testdata/fresh.jsonl": {77, 10}, // per cent
		"testdata/kinds.jsonl": {80, 10},
	} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var count, flagged [2]int // of ordinary texts and of attacks
		for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
			var text struct {
				Text, Kind string
				Label      int
			}
			if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
				t.Fatal(err)
			}
			s := NewScan(Options{})
			s.Field("prompt", "$", text.Text, RolePrompt)
			detected := s.Finish().Injection.Detected
			count[text.Label]++
			if detected {
				flagged[text.Label]++
			}
			if detected != (text.Label == 1) {
				t.Logf("label %d, %s: %.120q", text.Label, text.Kind, text.Text)
			}
		}
		if count[1] < 20 || flagged[1]*100 < count[1]*least.found || flagged[0]*100 > count[0]*least.flagged {
			t.Errorf("%s: %d of %d attacks found, %d of %d ordinary texts flagged", name, flagged[1], count[1], flagged[0], count[0])
		}
	}
}
