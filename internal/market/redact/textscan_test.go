package redact

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"stoa/internal/market/redact/detect"
)

func scanned(e *Engine, text string, piece int) []detect.Finding {
	s := e.NewText("f.md")
	for rest := text; rest != ""; {
		n := min(piece, len(rest))
		_, _ = s.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	return s.Findings()
}

// However a text is cut, the same places are found, with the right line and column in characters.
func TestTextInPieces(t *testing.T) {
	e := New()
	r := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	var want []string
	line := 1
	for i := range 12_000 {
		filler := fmt.Sprintf("第%d行 an ordinary sentence about 庭 and water. ", i)
		text.WriteString(filler)
		if i%80 == 79 {
			text.WriteString(parts("gh", "p_") + drawMixed(r, alnum, 36))
			want = append(want, fmt.Sprint(line, ":", utf8.RuneCountInString(filler)+1))
		}
		if i%1000 == 999 {
			text.WriteString(strings.Repeat("z", 70_000)) // a long line without a break
		}
		text.WriteString("\n")
		line++
	}
	for _, piece := range []int{1 << 22, 70_001, 4096} {
		var got []string
		for _, f := range scanned(e, text.String(), piece) {
			got = append(got, fmt.Sprint(f.Line, ":", f.Column))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("pieces of %d: %d of %d found\n%v\n%v", piece, len(got), len(want), got, want)
		}
	}
}

func TestTextEncodings(t *testing.T) {
	e := New()
	r := rand.New(rand.NewPCG(7, 8))
	text := "日本\n😀 x " + parts("gh", "p_") + drawMixed(r, alnum, 36) + " y"
	for name, bytes := range map[string][]byte{"utf-8": []byte(text), "bom": append([]byte("\xEF\xBB\xBF"), text...), "utf-16le": utf16Bytes(text, false), "utf-16be": utf16Bytes(text, true)} {
		for _, piece := range []int{1, 7, 1000} {
			s := e.NewText("a")
			for rest := bytes; len(rest) > 0; {
				n := min(piece, len(rest))
				_, _ = s.Write(rest[:n])
				rest = rest[n:]
			}
			f := s.Findings()
			if len(f) != 1 || f[0].Line != 2 || f[0].Column != 5 {
				t.Errorf("%s in pieces of %d: %v", name, piece, f)
			}
		}
	}
}

func utf16Bytes(text string, big bool) []byte {
	var out []byte
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestFindingsAreBounded(t *testing.T) {
	e := New()
	r := rand.New(rand.NewPCG(9, 9))
	s := e.NewText("a")
	for range 500 {
		_, _ = s.Write([]byte(parts("gh", "p_") + drawMixed(r, alnum, 36) + "\n"))
	}
	if len(s.Findings()) != detect.MaxFindings || !s.Truncated() {
		t.Errorf("%d findings, truncated %v", len(s.Findings()), s.Truncated())
	}
}

// A stream of any length takes bounded memory.
func TestTextMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector keeps memory of its own")
	}
	e := New()
	piece := []byte(strings.Repeat("An ordinary sentence about gardens and keys and tokens of love. ", 1000))
	scanned(e, string(piece), 1000)
	s := e.NewText("a")
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 60 { // 4 MiB, of which a quarter must not be held
		_, _ = s.Write(piece)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("%d KiB are held", grown>>10)
	}
	s.Findings()
}
