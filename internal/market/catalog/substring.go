package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// The texts that filters look through.
const (
	textIDs   = iota // folded ids
	textNames        // folded ids and titles
	numTexts
)

// pageText is one text of all records of a page, laid end to end: a filter then reads memory in order, some gigabytes a
// second, where records lie anywhere. A record's part ends at ends, with titleSep.
type pageText struct {
	text string
	ends [pageSize]uint32
}

// forgetText drops the texts of a page that changes. Its caller holds the index's lock alone.
func (p *page) forgetText() {
	for i := range p.text {
		p.text[i].Store(nil)
	}
}

// textOf gives a text of a page, made when it is asked for first. Several readers may make the same one at a time.
func (p *page) textOf(kind int) *pageText {
	if t := p.text[kind].Load(); t != nil {
		return t
	}
	t := &pageText{}
	var b strings.Builder
	for i := range p.recs {
		if r := &p.recs[i]; r.present {
			b.WriteString(r.foldedID())
			if kind == textNames && r.names != "" {
				b.WriteString(titleSep)
				b.WriteString(r.names)
			}
			b.WriteString(titleSep)
		}
		t.ends[i] = uint32(b.Len())
	}
	t.text = b.String()
	p.text[kind].Store(t)
	return t
}

func (r *record) foldedID() string {
	if r.folded == "" {
		return r.id
	}
	return r.folded
}

// each visits the places of the records in which part stands, and says of each whether part is all of its first text, the id.
func (t *pageText) each(part string, visit func(i uint32, whole bool)) {
	i := 0
	for at := 0; ; {
		n := strings.Index(t.text[at:], part)
		if n < 0 {
			return
		}
		for at += n; int(t.ends[i]) <= at; {
			i++
		}
		begin := 0
		if i > 0 {
			begin = int(t.ends[i-1])
		}
		id := t.text[begin:t.ends[i]]
		visit(uint32(i), len(id) > len(part) && id[len(part):len(part)+1] == titleSep && strings.HasPrefix(id, part))
		at = int(t.ends[i])
	}
}

// textScope resolves the text filters.
func (s *state) textScope(f *Filter, sc *scope) {
	for _, filter := range []struct {
		kind int
		part string
	}{{textIDs, f.IDPart}, {textNames, f.TextPart}} {
		if filter.part == "" {
			continue
		}
		found := roaring.New()
		if !strings.Contains(filter.part, titleSep) {
			sc.whole = append(sc.whole, s.withPart(filter.kind, filter.part, found)...)
		}
		if filter.kind == textNames {
			s.tagged(filter.part, found)
		}
		if sc.text != nil {
			found.And(sc.text)
		}
		sc.text = found
	}
}

// withPart adds the records whose text has the part in it, and returns those of which it is the whole id.
func (s *state) withPart(kind int, part string, found *roaring.Bitmap) (whole []uint32) {
	var place [pageSize]uint32
	for _, number := range slices.Sorted(maps.Keys(s.rows.pages)) { // in order, which bitmaps are filled fastest in
		seqs := place[:0]
		s.rows.pages[number].textOf(kind).each(part, func(i uint32, all bool) {
			seqs = append(seqs, number<<pageBits|i)
			if all {
				whole = append(whole, number<<pageBits|i)
			}
		})
		if len(seqs) > 0 {
			found.AddMany(seqs)
		}
	}
	return whole
}

// tagged adds the items with a tag that has the part in it.
func (s *state) tagged(part string, found *roaring.Bitmap) {
	for key, id := range s.dict.byKey[dimTag] {
		if strings.Contains(key, part) {
			found.Or(s.dict.values[id].bits)
		}
	}
}

// first is the item that comes first in a list: one of the result set whose whole id a text filter names.
func (sc *scope) first(set *roaring.Bitmap) (seq uint32, ok bool) {
	for _, candidate := range sc.whole {
		if set.Contains(candidate) && (!ok || candidate < seq) {
			seq, ok = candidate, true
		}
	}
	return seq, ok
}
