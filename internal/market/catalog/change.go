package catalog

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"stoa/internal/market/ranking"
)

// titleSep joins folded titles in a record; folding leaves no NUL in a title.
const titleSep = "\x00"

// upsert stores e under seq and puts it into every order.
func (s *state) upsert(seq uint32, e *Entry) {
	var before [numColumns]int64
	p, i := s.rows.at(seq)
	if replaced := p != nil; replaced {
		for c := range p.cols {
			before[c] = p.cols[c][i]
		}
		if id := p.recs[i].id; id != e.ID {
			s.trees.ids.Delete(id)
		}
		p, i = s.fill(seq, e)
		for c := range numColumns {
			s.trees.move(c, seq, before[c], p.cols[c][i])
		}
	} else {
		p, i = s.fill(seq, e)
		for c := range numColumns {
			s.trees.cols[c].Set(key{p.cols[c][i], seq})
		}
	}
	s.trees.ids.Set(e.ID, seq)
}

// fill writes the row and the bitmaps of e, but not the trees.
func (s *state) fill(seq uint32, e *Entry) (*page, uint32) {
	terms := s.dict.intern(e) // before the old ones go: most stay the same
	eng, stands := e.Engagement, e.Ranking
	p, i := s.rows.at(seq)
	if p != nil {
		eng, stands = eng.merge(p.engagement(i)), p.recs[i].ranking
		s.unindex(seq, &p.recs[i])
	} else {
		p, i = s.rows.put(seq)
	}
	p.forgetText()
	r := &p.recs[i]
	r.id, r.titles, r.terms, r.private = e.ID, strings.Join(e.FoldedTitles, titleSep), terms, e.Private
	r.folded, r.names = e.FoldedID, strings.Join(e.Names, titleSep)
	if r.folded == e.ID {
		r.folded = e.ID // one text in memory
	}
	r.featured = e.Featured
	p.cols[colPublished][i] = e.PublishedAt
	p.setEngagement(i, eng)
	p.setRanking(i, stands)

	s.dict.index(seq, terms, !e.Private)
	if e.Owner != "" {
		addTo(s.by, e.Owner, seq)
	}
	if !e.Private {
		s.public.Add(seq)
		return p, i
	}
	s.hidden++
	if e.Owner != "" {
		addTo(s.own, e.Owner, seq)
	}
	return p, i
}

func addTo(sets map[string]*roaring.Bitmap, name string, seq uint32) {
	if sets[name] == nil {
		sets[strings.Clone(name)] = roaring.New()
	}
	sets[name].Add(seq)
}

func takeFrom(sets map[string]*roaring.Bitmap, name string, seq uint32) {
	sets[name].Remove(seq)
	if sets[name].IsEmpty() {
		delete(sets, name)
	}
}

// unindex takes a row out of all bitmaps.
func (s *state) unindex(seq uint32, r *record) {
	owner := s.text(r, dimOwner)
	if owner != "" {
		takeFrom(s.by, owner, seq)
	}
	if !r.private {
		s.public.Remove(seq)
	} else {
		s.hidden--
		if owner != "" {
			takeFrom(s.own, owner, seq)
		}
	}
	s.dict.unindex(seq, r.terms)
}

func (s *state) remove(seq uint32) bool {
	p, i := s.rows.at(seq)
	if p == nil {
		return false
	}
	for c := range numColumns {
		s.trees.cols[c].Delete(key{p.cols[c][i], seq})
	}
	s.trees.ids.Delete(p.recs[i].id)
	s.unindex(seq, &p.recs[i])
	s.rows.drop(seq)
	return true
}

// raise merges e into the counters of seq; false if that changes nothing.
func (s *state) raise(seq uint32, e Engagement) bool {
	p, i := s.rows.at(seq)
	if p == nil {
		return false
	}
	old := p.engagement(i)
	now := old.merge(e)
	if now == old {
		return false
	}
	p.setEngagement(i, now)
	s.trees.move(colActivity, seq, old.LastActivityAt, now.LastActivityAt)
	s.trees.move(colTrials, seq, old.TrialRequests, now.TrialRequests)
	s.trees.move(colInstalls, seq, old.Installs, now.Installs)
	return true
}

// stand sets what the ranking of seq is made of; false if that changes nothing.
func (s *state) stand(seq uint32, c ranking.Counts) bool {
	p, i := s.rows.at(seq)
	if p == nil || p.recs[i].ranking == c {
		return false
	}
	before := p.cols[colRanking][i]
	p.setRanking(i, c)
	s.trees.move(colRanking, seq, before, p.cols[colRanking][i])
	return true
}

// intern returns the terms of all texts of e, each acquired once.
func (d *dict) intern(e *Entry) []uint32 {
	buf := make([]uint32, 0, 32)
	one := func(in dim, text string) {
		if text != "" {
			buf = append(buf, d.acquire(in, text))
		}
	}
	list := func(in dim, texts []string) {
		start := len(buf)
		for _, text := range texts {
			if text == "" {
				continue
			}
			id := d.acquire(in, text)
			same := func(o uint32) bool { return d.terms[o].value == d.terms[id].value }
			if slices.ContainsFunc(buf[start:], same) {
				d.release(id) // the value is there in another spelling
				continue
			}
			buf = append(buf, id)
		}
	}
	one(dimCategory, e.Category)
	one(dimMaintainer, e.Maintainer)
	one(dimSourceChannel, e.SourceChannel)
	one(dimRiskLevel, e.RiskLevel)
	one(dimPackType, e.PackType)
	one(dimOwner, e.Owner)
	one(dimVersion, e.Version)
	one(dimFeatured, flagText(e.Featured))
	list(dimTag, e.Tags)
	list(dimReviewLabel, e.ReviewLabels)
	list(dimWarningFlag, e.WarningFlags)
	return slices.Clip(slices.Clone(buf))
}

func flagText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// text returns a row's text in a dimension that holds at most one.
func (s *state) text(r *record, in dim) string {
	for _, id := range r.terms {
		if t := &s.dict.terms[id]; t.dim == in {
			return t.text
		}
	}
	return ""
}

// entry puts the item together again.
func (s *state) entry(seq uint32) (Entry, bool) {
	p, i := s.rows.at(seq)
	if p == nil {
		return Entry{}, false
	}
	r := &p.recs[i]
	e := Entry{
		Seq: int64(seq), ID: r.id, FoldedID: r.folded, Private: r.private,
		PublishedAt: p.cols[colPublished][i], Engagement: p.engagement(i), Ranking: r.ranking,
	}
	if r.titles != "" {
		e.FoldedTitles = strings.Split(r.titles, titleSep)
	}
	if r.names != "" {
		e.Names = strings.Split(r.names, titleSep)
	}
	for _, id := range r.terms {
		t := &s.dict.terms[id]
		switch t.dim {
		case dimCategory:
			e.Category = t.text
		case dimMaintainer:
			e.Maintainer = t.text
		case dimSourceChannel:
			e.SourceChannel = t.text
		case dimRiskLevel:
			e.RiskLevel = t.text
		case dimPackType:
			e.PackType = t.text
		case dimOwner:
			e.Owner = t.text
		case dimVersion:
			e.Version = t.text
		case dimFeatured:
			e.Featured = t.text == flagText(true)
		case dimTag:
			e.Tags = append(e.Tags, t.text)
		case dimReviewLabel:
			e.ReviewLabels = append(e.ReviewLabels, t.text)
		case dimWarningFlag:
			e.WarningFlags = append(e.WarningFlags, t.text)
		}
	}
	return e, true
}
