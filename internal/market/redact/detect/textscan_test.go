package detect

import (
	"fmt"
	"strings"
	"testing"
)

// writtenInPieces scans bytes in pieces of a size.
func writtenInPieces(text []byte, piece int) *TextScan {
	s := shared.NewText("f")
	for len(text) > 0 {
		n := min(piece, len(text))
		_, _ = s.Write(text[:n])
		text = text[n:]
	}
	return s
}

func TestPlacesOfFindings(t *testing.T) {
	key := filled("rpa_{a40}")
	text := key + "\n日本 " + key + ", " + key + "\n\n" + strings.Repeat("The garden is quiet.\n", 12_000) + strings.Repeat("é", 60_000) + " " + key + " x"
	want := "1:1 44 2:4 44 2:50 44 12004:60002 44"
	for _, piece := range []int{1 << 20, 100_000, 4097} {
		var got []string
		s := writtenInPieces([]byte(text), piece)
		for _, f := range s.Findings() {
			got = append(got, fmt.Sprintf("%d:%d %d", f.Line, f.Column, f.Length))
			if f.File != "f" || f.Rule != "vendor-key" || f.Why == "" {
				t.Errorf("%+v", f)
			}
		}
		if strings.Join(got, " ") != want || s.Truncated() || len(s.Findings()) != 4 {
			t.Errorf("in pieces of %d: %v", piece, got)
		}
	}
}

// However a secret lies between two looks, it is told once.
func TestSecretsBetweenTwoLooks(t *testing.T) {
	key := filled("rpa_{a40}")
	for _, at := range []int{0, Overlap, Overlap + lookback} {
		for d := -60; d <= 60; d += 20 {
			front := ChunkBytes + Overlap - at + d
			for _, line := range []string{"x\n", "xx"} {
				text := strings.Repeat(line, front/2) + "\n" + key + "\n" + strings.Repeat("y ", Overlap)
				if f := writtenInPieces([]byte(text), 64<<10).Findings(); len(f) != 1 || f[0].Length != 44 {
					t.Fatalf("%d bytes in front: %v", front, f)
				}
			}
		}
	}
}

func TestTextsInOtherEncodings(t *testing.T) {
	key := filled("rpa_{a40}")
	text := "日\n😀 x " + key + " y"
	for name, b := range map[string][]byte{"plain": []byte(text), "marked": []byte("\xEF\xBB\xBF" + text), "little": wide(text, false, true), "big": wide(text, true, true)} {
		for _, piece := range []int{1, 2, 3, 7, 1000} {
			if f := writtenInPieces(b, piece).Findings(); len(f) != 1 || f[0].Line != 2 || f[0].Column != 5 || f[0].Length != 44 {
				t.Errorf("%s in pieces of %d: %v", name, piece, f)
			}
		}
	}
	if f := writtenInPieces([]byte("ab"), 1).Findings(); len(f) != 0 {
		t.Error(f)
	}
	s := shared.NewText("f")
	if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
		t.Error(n, err)
	}
}

func TestMostFindings(t *testing.T) {
	line := filled("rpa_{a40}\n")
	if s := writtenInPieces([]byte(strings.Repeat(line, 200)), 1000); len(s.Findings()) != 200 || s.Truncated() {
		t.Error(len(s.Findings()), s.Truncated())
	}
	s := writtenInPieces([]byte(strings.Repeat(line, 201)), 1000)
	if len(s.Findings()) != 200 || !s.Truncated() {
		t.Error(len(s.Findings()), s.Truncated())
	}
}

// A text that costs more than it may is refused by name, and nothing more of it is read.
func TestDearTexts(t *testing.T) {
	s := shared.NewTextWithin(&Budget{Left: -1 << 40}, "f")
	_, _ = s.Write([]byte(strings.Repeat("password: ", 100)))
	if f := s.Findings(); len(f) != 1 || f[0].Rule != RuleTooCostly || f[0].File != "f" || !s.Truncated() {
		t.Errorf("%v", f)
	}
	b := &Budget{}
	s = shared.NewTextWithin(b, "f")
	_, _ = s.Write([]byte("plain words"))
	if f := s.Findings(); len(f) != 0 || b.Left != 11*(ByteWork-literalWork) {
		t.Errorf("%v, %d units are left", f, b.Left)
	}
}
