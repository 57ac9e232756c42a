package scan

import (
	"stoa/internal/market/scan/normal"
)

// What the other readings of one window may cost.
const (
	maxPieces = 64
	maxDepth  = 3
	maxGrowth = 4 // times the window
)

// window scans one stretch of a text: as it stands, what is hidden in it, and what it can be decoded to.
func (u *unit) window(t normal.Text, w place) {
	p := &pieces{u: u, w: w, left: maxPieces, bytes: maxGrowth*len(t.B) + 4096}
	p.signs(t, 0)
	plain := normal.Unescape(t)
	u.prose.read(plain.B)
	if len(plain.B) != len(t.B) {
		p.signs(plain, 0)
	}
	normal.Hidden(plain, func(kind string, piece normal.Text) { p.read(kind, piece, 1) })
	normal.Views(plain, func(kind string, piece normal.Text) { p.read(kind, piece, 1) })
	u.read(normal.Fold(plain), w)
}

type pieces struct {
	u     *unit
	w     place
	left  int
	bytes int
}

func (p *pieces) signs(t normal.Text, depth int) {
	normal.Signs(t, func(s normal.Sign) {
		if !p.w.fresh(s.At + s.Len) {
			return
		}
		known := hidden[s.Kind]
		f := p.u.finding(s.Kind, categoryHidden, known.severity, known.advice, t, 0, 0, p.w)
		f.Line, f.Column, _ = p.w.at(s.At)
		f.Excerpt, f.Confidence = known.what, .9
		f.why = known.what
		p.u.s.keep(f)
	}, func(kind string, piece normal.Text) { p.read(kind, piece, depth+1) })
}

// read scans one piece as a text of its own, and what is in it.
func (p *pieces) read(kind string, t normal.Text, depth int) {
	if p.left == 0 || len(t.B) > p.bytes || depth > maxDepth {
		return
	}
	p.left--
	p.bytes -= len(t.B)
	u := p.u.s.newUnit(p.u.file, p.u.path, p.u.role, kind)
	plain := normal.Unescape(t)
	if depth < maxDepth {
		p.signs(plain, depth)
		normal.Views(plain, func(k string, piece normal.Text) {
			if k != kind || k == normal.ViewBase64 || k == normal.ViewHex {
				p.read(k, piece, depth+1)
			}
		})
	}
	switch kind {
	case normal.ViewLeet, normal.ViewHyphens, normal.ViewTypos: // the same words, with others made of names between them
		u.prose = p.u.prose
	default:
		u.prose.read(plain.B)
	}
	u.read(normal.Fold(plain), p.w)
	u.finish()
}

// joinFields scans the short fields of a document in their order, as one text: an attack can be split over them.
func (s *Scanner) joinFields() {
	if s.fieldCount < 2 {
		return
	}
	u := s.newUnit("", "$", RolePrompt, normal.ViewFields)
	t := normal.Raw(s.fields)
	u.read(normal.Fold(normal.Unescape(t)), &whole{b: s.fields})
	if before := s.score; before < 0 { // else the parts have told
		u.finish()
	}
	s.fields = nil
}

// whole is a text that is one window.
type whole struct{ b []byte }

func (*whole) at(int) (line, column int, path string) { return 1, 1, "$" }
func (w *whole) source() []byte                       { return w.b }
func (*whole) fresh(int) bool                         { return true }
