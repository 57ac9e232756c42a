package redact

import (
	"strings"
	"testing"
)

// Texts that once took up to 125 s of a processor for each MiB are given up after bounded work, and prose is far from it.
func TestWorkIsBounded(t *testing.T) {
	e := New()
	work := func(text string) float64 {
		b := &Budget{left: 1 << 60}
		e.scan(text, "", 0, b)
		return float64(1<<60-b.left) / float64(len(text))
	}
	for _, unit := range []string{"?key=", "Authorization: ", "key=\u201c", "_gitlab_session=a", "key:["} {
		text := strings.Repeat(unit, (1<<20)/len(unit))
		if w := work(text[:8<<10]); w < byteWork {
			t.Logf("%q takes %.0f units a byte", unit, w)
			continue
		}
		b := NewBudget()
		b.grant(len(text))
		granted := b.left
		e.scan(text, "", 0, b)
		if !b.Over() {
			t.Errorf("%q is searched to its end", unit)
		}
		if over := -b.left; over > granted/4 {
			t.Errorf("%q: %d units more than the %d there were", unit, over, granted)
		}
		scan := e.NewText("a.txt")
		_, _ = scan.Write([]byte(text))
		if f := scan.Findings(); len(f) == 0 || f[len(f)-1].Rule != RuleTooCostly {
			t.Errorf("%q is not refused by name: %v", unit, f)
		}
		if _, err := e.Sections(map[string]any{"s": map[string]any{"x": text}}, Options{}); err == nil {
			t.Errorf("%q as a field is not refused", unit)
		}
	}
	prose := strings.Repeat("The key to the garden is patience; set the token in the settings, and keep your password safe.\n", 2000)
	if w := work(prose); w > byteWork/4 {
		t.Errorf("prose takes %.0f units a byte of %d", w, int(byteWork))
	}
}

// What honest texts take is far below what they may.
func TestHonestTextsAreFarFromTheBound(t *testing.T) {
	e := New()
	for _, file := range []string{"catalog/agents.jsonl", "bots/cmd_config.json"} {
		text := string(dataFile(t, file))
		b := &Budget{left: 1 << 60}
		for len(text) > 0 {
			n := min(len(text), chunkBytes)
			e.scan(text[:n], file, 0, b)
			text = text[n:]
		}
		spent := float64(1<<60-b.left) / float64(len(dataFile(t, file)))
		t.Logf("%s: %.0f units a byte of %d", file, spent, int(byteWork))
		if spent > byteWork {
			t.Errorf("%s: too close", file)
		}
	}
}
