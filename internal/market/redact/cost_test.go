package redact

import (
	"strings"
	"testing"

	"stoa/internal/market/redact/detect"
)

// Texts that once took up to 125 s of a processor for each MiB are given up after bounded work, and prose is far from it.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	e := New()
	work := func(text string) float64 {
		b := &detect.Budget{Left: 1 << 60}
		e.Scan(text, "", 0, b)
		return float64(1<<60-b.Left) / float64(len(text))
	}
	for _, unit := range []string{"?key=", "Authorization: ", "key=\u201c", "_gitlab_session=a", "key:["} {
		text := strings.Repeat(unit, (256<<10)/len(unit)) // long enough that none fits into what it is granted
		if w := work(text[:8<<10]); w < detect.ByteWork {
			t.Logf("%q takes %.0f units a byte", unit, w)
			continue
		}
		b := detect.NewBudget()
		b.Grant(len(text))
		granted := b.Left
		e.Scan(text, "", 0, b)
		if !b.Over() {
			t.Errorf("%q is searched to its end", unit)
		}
		if over := -b.Left; over > granted/4 {
			t.Errorf("%q: %d units more than the %d there were", unit, over, granted)
		}
		scan := e.NewText("a.txt")
		_, _ = scan.Write([]byte(text))
		if f := scan.Findings(); len(f) == 0 || f[len(f)-1].Rule != detect.RuleTooCostly {
			t.Errorf("%q is not refused by name: %v", unit, f)
		}
		if _, err := e.Sections(map[string]any{"s": map[string]any{"x": text}}, Options{}); err == nil {
			t.Errorf("%q as a field is not refused", unit)
		}
	}
	prose := strings.Repeat("The key to the garden is patience; set the token in the settings, and keep your password safe.\n", 2000)
	if w := work(prose); w > detect.ByteWork/4 {
		t.Errorf("prose takes %.0f units a byte of %d", w, int(detect.ByteWork))
	}
}

// What honest texts take is far below what they may.
func TestHonestTextsAreFarFromTheBound(t *testing.T) {
	e := New()
	for _, file := range []string{"catalog/agents.jsonl", "bots/cmd_config.json"} {
		text := string(dataFile(t, file))
		b := &detect.Budget{Left: 1 << 60}
		for len(text) > 0 {
			n := min(len(text), detect.ChunkBytes)
			e.Scan(text[:n], file, 0, b)
			text = text[n:]
		}
		spent := float64(1<<60-b.Left) / float64(len(dataFile(t, file)))
		t.Logf("%s: %.0f units a byte of %d", file, spent, int(detect.ByteWork))
		if spent > detect.ByteWork {
			t.Errorf("%s: too close", file)
		}
	}
}
