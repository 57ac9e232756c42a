package detect

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Finding is a place in a text or an output that holds a secret. It never holds the value.
type Finding struct {
	File   string `json:"file"`
	Path   string `json:"path"`   // in JSON: the place as section.key[0]
	Line   int    `json:"line"`   // from 1; 0 where Path says it
	Column int    `json:"column"` // from 1, in characters
	Rule   string `json:"rule"`
	Why    string `json:"why"`
	Length int    `json:"length"` // of the secret, in bytes
}

// Bounds of a scan.
const (
	ChunkBytes  = 192 << 10 // read at once
	Overlap     = 40 << 10  // looked at again with what follows: no secret is longer
	lookback    = 512       // kept in front, for the names beside values
	MaxFindings = 200
)

// TextScan reads a text of any length in pieces and finds the secrets in it, in less than 1 MiB of memory. UTF-16 with a
// byte order mark is understood. It serves one goroutine.
type TextScan struct {
	e         *Engine
	file      string
	encoding  encoding
	head      []byte // up to the byte order mark
	odd       []byte // half a unit of UTF-16
	surrogate uint16
	buf       []byte
	skip      int // bytes of buf that were reported on already
	line      int // of cursor
	column    int
	cursor    int // in buf
	done      bool
	findings  []Finding
	truncated bool
	budget    *Budget
}

type encoding uint8

const (
	unknown encoding = iota
	utf8Text
	utf16Little
	utf16Big
)

// NewText begins to scan a text; file is what its findings are reported under.
func (e *Engine) NewText(file string) *TextScan { return e.NewTextWithin(NewBudget(), file) }

// NewTextWithin is NewText for one of many texts that share a budget: the files of a package. They are scanned one after
// the other.
func (e *Engine) NewTextWithin(budget *Budget, file string) *TextScan {
	return &TextScan{e: e, file: file, line: 1, column: 1, budget: budget}
}

// Write takes the next piece. It never fails.
func (t *TextScan) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && !t.truncated { // what has that many findings is refused: the rest need not be read
		take := min(len(p), 64<<10)
		t.budget.Grant(take)
		t.decode(p[:take])
		p = p[take:]
		if len(t.buf) >= ChunkBytes+Overlap {
			t.look(false)
		}
	}
	return n, nil
}

// Findings ends the text and gives what was found, in order, at most 200.
func (t *TextScan) Findings() []Finding {
	if !t.done {
		t.done = true
		if t.encoding == unknown && len(t.head) > 0 {
			t.buf = append(t.buf, t.head...)
		}
		if !t.truncated {
			t.look(true)
		}
		t.buf = nil
	}
	return t.findings
}

// Truncated says whether there were more findings than are kept; what follows the last was not read.
func (t *TextScan) Truncated() bool { return t.truncated }

func (t *TextScan) decode(p []byte) {
	if t.encoding == unknown {
		t.head = append(t.head, p...)
		if len(t.head) < 3 {
			return
		}
		p = t.head
		switch {
		case bytes.HasPrefix(p, []byte("\xEF\xBB\xBF")):
			t.encoding, p = utf8Text, p[3:]
		case p[0] == 0xFF && p[1] == 0xFE:
			t.encoding, p = utf16Little, p[2:]
		case p[0] == 0xFE && p[1] == 0xFF:
			t.encoding, p = utf16Big, p[2:]
		default:
			t.encoding = utf8Text
		}
		t.head = nil
	}
	if t.encoding == utf8Text {
		t.buf = append(t.buf, p...)
		return
	}
	t.odd = append(t.odd, p...)
	i := 0
	for ; i+1 < len(t.odd); i += 2 {
		u := uint16(t.odd[i]) | uint16(t.odd[i+1])<<8
		if t.encoding == utf16Big {
			u = u<<8 | u>>8
		}
		switch {
		case u >= 0xD800 && u < 0xDC00:
			t.surrogate = u
		case t.surrogate != 0:
			t.buf = utf8.AppendRune(t.buf, utf16.DecodeRune(rune(t.surrogate), rune(u)))
			t.surrogate = 0
		default:
			t.buf = utf8.AppendRune(t.buf, rune(u))
		}
	}
	t.odd = append(t.odd[:0], t.odd[i:]...)
}

// look searches what is buffered and keeps the end of it for the next time.
func (t *TextScan) look(last bool) {
	text := string(t.buf)
	cut := len(text)
	if !last {
		cut -= Overlap
		if i := strings.LastIndexByte(text[cut-lookback:cut], '\n'); i >= 0 {
			cut = cut - lookback + i + 1
		}
	}
	spans := t.e.Scan(text, t.file, 0, t.budget)
	if t.budget.Over() {
		t.findings = append(t.findings, TooCostly(t.file, ""))
		t.truncated = true
		return
	}
	for _, s := range spans {
		if s.Start >= cut {
			break
		}
		if s.Start < t.skip {
			continue
		}
		t.skip = s.End
		t.advance(text, s.Start)
		if len(t.findings) == MaxFindings {
			t.truncated = true
			t.buf = nil
			return
		}
		t.findings = append(t.findings, Finding{File: t.file, Line: t.line, Column: t.column, Rule: s.Rule, Why: s.Why, Length: s.End - s.Start})
	}
	if last {
		return
	}
	t.skip = max(t.skip, cut)
	drop := max(0, cut-lookback)
	t.advance(text, max(t.cursor, drop))
	t.buf = append(t.buf[:0], t.buf[drop:]...)
	t.skip -= drop
	t.cursor -= drop
}

// advance moves the count of lines and columns to a place in the text.
func (t *TextScan) advance(text string, to int) {
	if to <= t.cursor {
		return
	}
	passed := text[t.cursor:to]
	if n := strings.Count(passed, "\n"); n > 0 {
		t.line += n
		t.column = 1
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	t.column += utf8.RuneCountInString(passed)
	t.cursor = to
}
