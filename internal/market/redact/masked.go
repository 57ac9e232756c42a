package redact

import (
	"sort"
	"strings"

	"stoa/internal/market/redact/detect"
)

// maskedText is a text while secrets are taken out of it, with what stood at each mark.
type maskedText struct {
	text   string
	mark   string
	pieces []piece
}

// piece is one mark in a text and what it stands for.
type piece struct {
	start int
	value string
}

// apply puts marks in the place of spans, which are sorted and do not overlap. A span that touches a mark swallows it.
func (m *maskedText) apply(spans []detect.Span) {
	var text strings.Builder
	var pieces []piece
	at, next := 0, 0
	copyUntil := func(end int) {
		for next < len(m.pieces) && m.pieces[next].start < end {
			p := m.pieces[next]
			pieces = append(pieces, piece{text.Len() + p.start - at, p.value})
			next++
		}
		text.WriteString(m.text[at:end])
		at = end
	}
	for _, s := range spans {
		start, end := m.around(s.Start, s.End)
		if start < at {
			continue
		}
		copyUntil(start)
		pieces = append(pieces, piece{text.Len(), m.original(start, end)})
		text.WriteString(m.mark)
		for next < len(m.pieces) && m.pieces[next].start < end {
			next++
		}
		at = end
	}
	copyUntil(len(m.text))
	m.text, m.pieces = text.String(), pieces
}

// around widens a span so that it does not end inside a mark.
func (m *maskedText) around(start, end int) (int, int) {
	for _, p := range m.from(start) {
		if p.start >= end {
			break
		}
		start, end = min(start, p.start), max(end, p.start+len(m.mark))
	}
	return start, end
}

// from gives the marks that end behind a place.
func (m *maskedText) from(place int) []piece {
	return m.pieces[sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].start+len(m.mark) > place }):]
}

// original is what stood at a stretch before anything was masked.
func (m *maskedText) original(start, end int) string {
	var b strings.Builder
	for _, p := range m.from(start) {
		if p.start >= end {
			break
		}
		b.WriteString(m.text[start:p.start])
		b.WriteString(p.value)
		start = p.start + len(m.mark)
	}
	b.WriteString(m.text[start:end])
	return b.String()
}
