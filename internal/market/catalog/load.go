package catalog

import "iter"

// LoadAll replaces the whole content by the entries given, in a fraction of the
// time of as many Upserts. The index answers from its old content meanwhile, and
// changes made meanwhile are lost: load before serving. Of entries with equal Seq
// the last one counts, of entries with equal ID the one with the highest Seq.
func (x *Index) LoadAll(entries iter.Seq[Entry]) {
	s := newState()
	for e := range entries {
		if seq, ok := checkSeq(e.Seq); ok && e.ID != "" {
			s.fill(seq, &e)
		}
	}
	s.plant()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.s = s
	x.changed()
}

// plant builds the trees of a state that has its rows.
func (s *state) plant() {
	ids := make([]idKey, 0, s.rows.count)
	s.eachRow(func(seq uint32, p *page, i uint32) {
		ids = append(ids, idKey{p.recs[i].id, seq})
	})
	sortIDs(ids)
	kept := ids[:0]
	for i, k := range ids {
		if i+1 < len(ids) && ids[i+1].id == k.id {
			p, at := s.rows.at(k.seq)
			s.unindex(k.seq, &p.recs[at])
			s.rows.drop(k.seq)
			continue
		}
		kept = append(kept, k)
	}
	s.trees.loadIDs(kept)

	keys := make([]key, 0, s.rows.count)
	for c := range numColumns {
		keys = keys[:0]
		s.eachRow(func(seq uint32, p *page, i uint32) {
			keys = append(keys, key{p.cols[c][i], seq})
		})
		s.trees.loadKeys(c, keys)
	}
}

func (s *state) eachRow(visit func(seq uint32, p *page, i uint32)) {
	for n, p := range s.rows.pages {
		for i := range uint32(pageSize) {
			if p.recs[i].present {
				visit(n<<pageBits|i, p, i)
			}
		}
	}
}
