package catalog

import "github.com/RoaringBitmap/roaring/v2"

// Query answers one page. The only error is ErrCursor.
func (x *Index) Query(q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit = min(q.Limit, MaxLimit)
	byRank := q.Ranked != nil && !q.Sort.valid()
	var ranked *roaring.Bitmap // made before the lock is taken
	if q.Ranked != nil && (!byRank || q.Facets) {
		ranked = seqSet(q.Ranked)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var (
		page Page
		err  error
		sc   = x.s.scope(&q, ranked)
	)
	if byRank {
		page, err = x.s.rankedPage(&q, &sc)
	} else {
		page, err = x.s.sortedPage(&q, &sc)
	}
	if err != nil {
		return Page{}, err
	}
	if q.Facets {
		page.Facets = x.s.facets(&sc, q.Viewer)
	}
	page.Generation, page.ContentGeneration = x.gen, x.content
	return page, nil
}

func (q *Query) ordering() ordering {
	o := ordering{desc: true}
	switch q.Sort {
	case SortRecentActivity:
		o.col = colActivity
	case SortTrialRequests:
		o.col = colTrials
	case SortInstalls:
		o.col = colInstalls
	case SortNewest:
		o.col = colPublished
	case SortRanking:
		o.col = colRanking
	default:
		o = ordering{byID: true}
	}
	switch q.Order {
	case Asc:
		o.desc = false
	case Desc:
		o.desc = true
	}
	return o
}

func (s *state) sortedPage(q *Query, sc *scope) (Page, error) {
	o := q.ordering()
	var after position
	if q.Cursor != afterFirst {
		var err error
		if after, err = decodeCursor(o, q.Cursor); err != nil {
			return Page{}, err
		}
	}
	set := sc.result(numFacets)
	page := Page{Total: s.size(set)}
	limit := q.Limit
	if first, ok := sc.first(set); ok {
		set = set.Clone()
		set.Remove(first)
		if q.Cursor == "" {
			page.Hits, limit = append(page.Hits, s.hit(first)), limit-1
		}
	}
	seqs := s.pick(set, s.size(set), o, after, limit+1) // one more tells whether there is a next page
	if len(seqs) > limit {
		seqs = seqs[:limit]
		page.NextCursor = afterFirst
		if limit > 0 {
			page.NextCursor = encodeCursor(o, s.positionOf(o, seqs[limit-1]))
		}
	}
	for _, seq := range seqs {
		page.Hits = append(page.Hits, s.hit(seq))
	}
	return page, nil
}

// rankedPage filters a search result, keeping its order.
func (s *state) rankedPage(q *Query, sc *scope) (Page, error) {
	start, err := decodeRank(q.Cursor, q.Ranked)
	if err != nil {
		return Page{}, err
	}
	set := sc.result(numFacets)
	var (
		page Page
		last int // rank of the last hit
	)
	page.Hits = make([]Hit, 0, min(q.Limit, len(q.Ranked)))
	for rank, n := range q.Ranked {
		seq, ok := checkSeq(n)
		if !ok || !s.has(set, seq) {
			continue
		}
		page.Total++
		if rank < start {
			continue
		}
		if len(page.Hits) < q.Limit {
			page.Hits = append(page.Hits, s.hit(seq))
			last = rank
		} else if page.NextCursor == "" {
			page.NextCursor = encodeRank(last, q.Ranked[last])
		}
	}
	return page, nil
}

// has tells whether a result set holds seq; the set of everything holds live rows only.
func (s *state) has(set *roaring.Bitmap, seq uint32) bool {
	if set != nil {
		return set.Contains(seq)
	}
	p, _ := s.rows.at(seq)
	return p != nil
}

func (s *state) hit(seq uint32) Hit {
	p, i := s.rows.at(seq)
	return Hit{Seq: int64(seq), ID: p.recs[i].id, Engagement: p.engagement(i), Ranking: p.recs[i].ranking}
}

func (s *state) positionOf(o ordering, seq uint32) position {
	p, i := s.rows.at(seq)
	if o.byID {
		return position{set: true, id: p.recs[i].id, seq: seq}
	}
	return position{set: true, num: p.cols[o.col][i], seq: seq}
}
