package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"stoa/internal/market/visible"
)

// screen is the writer that everything a command prints goes through, text and JSON: it writes what a terminal would act
// on, and what nobody can see, as \u and four hex digits, so that JSON stays the same JSON. Newlines and tabs pass.
type screen struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte // of a character that is not whole yet
	last rune
}

// NewScreen makes the writer that everything a command prints goes through.
func NewScreen(to io.Writer) *screen { return &screen{to: to} }

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p
	if len(s.rest) > 0 {
		text = append(s.rest, p...)
	}
	var out bytes.Buffer
	out.Grow(len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out.WriteRune(utf8.RuneError)
		case visible.Plain(r) || visible.Joins(s.last, r):
			out.Write(text[:n])
		default:
			out.WriteString(visible.Escape(r))
		}
		s.last, text = r, text[n:]
	}
	s.rest = bytes.Clone(text)
	if _, err := s.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Raw is the writer below a screen, for messages to a program: what a terminal must not get is escaped there as JSON has it.
func Raw(to io.Writer) io.Writer {
	if s, ok := to.(*screen); ok {
		return s.to
	}
	return to
}

// Printable writes a stranger's text for one line.
func Printable(s string) string { return visible.Line(s) }

// Printables are strangers' texts for one line.
func Printables(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Printable(s)
	}
	return strings.Join(out, ", ")
}

// Marked writes a text of several lines, each after a margin, so that none of them can be taken for the command's own,
// and everything that cannot be seen marked.
func Marked(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "  | %s\n", visible.Marked(strings.TrimSuffix(line, "\n")))
	}
}

// DrawnOn returns the terminal that progress is drawn on, nil when there is none or JSON is wanted.
func (o Output) DrawnOn() *os.File {
	s, ok := o.Err.(*screen)
	if !ok || o.JSON {
		return nil
	}
	file, ok := s.to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}
