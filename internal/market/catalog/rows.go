package catalog

import (
	"sync/atomic"

	"stoa/internal/market/ranking"
)

// column is a numeric field that lists can be sorted by.
type column uint8

const (
	colActivity column = iota
	colTrials
	colInstalls
	colPublished
	colRanking
	numColumns
)

const (
	pageBits = 8
	pageSize = 1 << pageBits
)

// record is the part of an entry that is not a sort column.
type record struct {
	id                           string
	titles                       string   // folded titles joined by titleSep
	folded                       string   // Entry.FoldedID
	names                        string   // Entry.Names joined by titleSep
	terms                        []uint32 // interned texts of all dimensions
	prompts, packages, community int64
	ranking                      ranking.Counts
	present, private, featured   bool
}

// page holds pageSize neighbouring seqs. The sort columns lie apart from the
// records: choosing the best of many rows then reads 8 bytes of each, in order.
type page struct {
	used int
	text [numTexts]atomic.Pointer[pageText] // nil until a text filter asks for it, and after a change
	cols [numColumns][pageSize]int64
	recs [pageSize]record
}

func (p *page) engagement(i uint32) Engagement {
	r := &p.recs[i]
	return Engagement{
		TrialRequests:        p.cols[colTrials][i],
		Installs:             p.cols[colInstalls][i],
		PromptGenerations:    r.prompts,
		PackageGenerations:   r.packages,
		CommunitySubmissions: r.community,
		LastActivityAt:       p.cols[colActivity][i],
	}
}

func (p *page) setEngagement(i uint32, e Engagement) {
	r := &p.recs[i]
	p.cols[colTrials][i], p.cols[colInstalls][i], p.cols[colActivity][i] = e.TrialRequests, e.Installs, e.LastActivityAt
	r.prompts, r.packages, r.community = e.PromptGenerations, e.PackageGenerations, e.CommunitySubmissions
}

// rankingFeatured lifts featured items above all others; a score has at most 100 points.
const rankingFeatured = 1 << 40

// setRanking keeps what an item's ranking is made of, and sets the column that lists are sorted by, in millionths of a point.
func (p *page) setRanking(i uint32, s ranking.Counts) {
	r := &p.recs[i]
	r.ranking = s
	n := int64(s.Score() * 1e6)
	if r.featured {
		n += rankingFeatured
	}
	p.cols[colRanking][i] = n
}

// rows stores records by seq in pages that exist only while something lives in them.
type rows struct {
	pages map[uint32]*page
	count int
}

// at returns the page and the place in it of a present record; nil if there is none.
func (t *rows) at(seq uint32) (*page, uint32) {
	p, i := t.pages[seq>>pageBits], seq%pageSize
	if p == nil || !p.recs[i].present {
		return nil, 0
	}
	return p, i
}

// put makes room for a record that is not present and returns its place.
func (t *rows) put(seq uint32) (*page, uint32) {
	p := t.pages[seq>>pageBits]
	if p == nil {
		p = &page{}
		t.pages[seq>>pageBits] = p
	}
	i := seq % pageSize
	p.recs[i].present = true
	p.used++
	t.count++
	return p, i
}

// drop frees the place of a present record.
func (t *rows) drop(seq uint32) {
	p, i := t.pages[seq>>pageBits], seq%pageSize
	p.forgetText()
	p.recs[i] = record{}
	for c := range p.cols {
		p.cols[c][i] = 0
	}
	t.count--
	if p.used--; p.used == 0 {
		delete(t.pages, seq>>pageBits)
	}
}
