package catalog

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// dim is a field of an entry whose text is interned. Dimensions before numFacets
// are facets: their values are also indexed by bitmaps.
type dim uint8

const (
	dimCategory dim = iota
	dimTag
	dimMaintainer
	dimSourceChannel
	dimRiskLevel
	dimReviewLabel
	dimWarningFlag
	dimPackType
	dimFeatured // the texts "true" and "false": a flag is a facet like any other
	numFacets

	dimOwner   = numFacets
	dimVersion = numFacets + 1
	numDims    = numFacets + 2
)

var facetNames = [numFacets]string{
	"category", "tag", "maintainer", "source_channel", "risk_level",
	"review_label", "warning_flag", "pack_type", "featured",
}

// term is one exact spelling in one dimension, shared by all entries using it.
type term struct {
	text  string
	dim   dim
	value uint32 // its facet value; meaningless outside facets
	refs  uint32 // entries using it; at 0 the slot is free
}

// value is one facet value: all spellings that fold to key.
type value struct {
	key   string
	shown string // first spelling seen on a public item, "" until then
	dim   dim
	terms uint32 // spellings alive; at 0 the slot is free
	bits  *roaring.Bitmap
}

// dict interns terms and keeps the bitmap of every facet value. Slots of terms
// and values no longer used are reused, so it grows with what lives, not with history.
type dict struct {
	terms      []term
	values     []value
	freeTerms  []uint32
	freeValues []uint32
	byText     [numDims]map[string]uint32   // spelling → term
	byKey      [numFacets]map[string]uint32 // folded key → value
}

func newDict() *dict {
	d := &dict{}
	for i := range d.byText {
		d.byText[i] = map[string]uint32{}
	}
	for i := range d.byKey {
		d.byKey[i] = map[string]uint32{}
	}
	return d
}

// acquire returns the term for text, counting one more user.
func (d *dict) acquire(in dim, text string) uint32 {
	if id, ok := d.byText[in][text]; ok {
		d.terms[id].refs++
		return id
	}
	text = strings.Clone(text) // the caller's may be part of something large
	t := term{text: text, dim: in, refs: 1}
	if in < numFacets {
		t.value = d.valueFor(in, fold(text))
		d.values[t.value].terms++
	}
	id := slot(&d.terms, &d.freeTerms, t)
	d.byText[in][text] = id
	return id
}

// release gives back one use of a term.
func (d *dict) release(id uint32) {
	t := &d.terms[id]
	if t.refs--; t.refs > 0 {
		return
	}
	delete(d.byText[t.dim], t.text)
	if t.dim < numFacets {
		v := &d.values[t.value]
		if v.terms--; v.terms == 0 {
			delete(d.byKey[v.dim], v.key)
			*v = value{}
			d.freeValues = append(d.freeValues, t.value)
		}
	}
	*t = term{}
	d.freeTerms = append(d.freeTerms, id)
}

func (d *dict) valueFor(in dim, key string) uint32 {
	if id, ok := d.byKey[in][key]; ok {
		return id
	}
	id := slot(&d.values, &d.freeValues, value{key: key, dim: in, bits: roaring.New()})
	d.byKey[in][key] = id
	return id
}

// index marks seq as carrying the facet terms given; the spelling of a public
// item becomes the one shown, that of a private item must not.
func (d *dict) index(seq uint32, terms []uint32, public bool) {
	for _, id := range terms {
		t := &d.terms[id]
		if t.dim >= numFacets {
			continue
		}
		v := &d.values[t.value]
		v.bits.Add(seq)
		if public && v.shown == "" {
			v.shown = t.text
		}
	}
}

// unindex undoes index and releases the terms.
func (d *dict) unindex(seq uint32, terms []uint32) {
	for _, id := range terms {
		if t := &d.terms[id]; t.dim < numFacets {
			d.values[t.value].bits.Remove(seq)
		}
		d.release(id)
	}
}

// lookup finds the bitmap of a filter value; nil if no entry carries it.
func (d *dict) lookup(in dim, text string) *roaring.Bitmap {
	if id, ok := d.byKey[in][fold(text)]; ok {
		return d.values[id].bits
	}
	return nil
}

// slot stores x in a free place of list, or at its end, and returns where.
func slot[T any](list *[]T, free *[]uint32, x T) uint32 {
	if n := len(*free); n > 0 {
		id := (*free)[n-1]
		*free = (*free)[:n-1]
		(*list)[id] = x
		return id
	}
	*list = append(*list, x)
	return uint32(len(*list) - 1)
}
