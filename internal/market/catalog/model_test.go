package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// model is the index as anyone would write it at first: a map and loops.
type model map[int64]Entry

func (m model) upsert(e Entry) {
	for seq, o := range m {
		if o.ID == e.ID && seq != e.Seq {
			delete(m, seq)
		}
	}
	if old, ok := m[e.Seq]; ok {
		e.Engagement, e.Ranking = e.Engagement.merge(old.Engagement), old.Ranking
	}
	e.Tags, e.ReviewLabels, e.WarningFlags = distinct(e.Tags), distinct(e.ReviewLabels), distinct(e.WarningFlags)
	m[e.Seq] = e
}

func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// facetTexts are the values of an entry in one facet.
func facetTexts(e *Entry, name string) []string {
	switch name {
	case "category":
		return []string{e.Category}
	case "tag":
		return e.Tags
	case "maintainer":
		return []string{e.Maintainer}
	case "source_channel":
		return []string{e.SourceChannel}
	case "risk_level":
		return []string{e.RiskLevel}
	case "review_label":
		return e.ReviewLabels
	case "warning_flag":
		return e.WarningFlags
	case "pack_type":
		return []string{e.PackType}
	}
	return []string{flagText(e.Featured)}
}

func filterText(f *Filter, name string) string {
	switch name {
	case "category":
		return f.Category
	case "tag":
		return f.Tag
	case "maintainer":
		return f.Maintainer
	case "source_channel":
		return f.SourceChannel
	case "risk_level":
		return f.RiskLevel
	case "review_label":
		return f.ReviewLabel
	case "warning_flag":
		return f.WarningFlag
	case "pack_type":
		return f.PackType
	}
	if f.Featured == nil {
		return ""
	}
	return flagText(*f.Featured)
}

func (m model) matches(e *Entry, q *Query, without string) bool {
	if e.Private && (q.Viewer == "" || e.Owner != q.Viewer) {
		return false
	}
	if q.Ranked != nil && !slices.Contains(q.Ranked, e.Seq) {
		return false
	}
	for _, name := range facetNames {
		want := filterText(&q.Filter, name)
		same := func(s string) bool { return strings.EqualFold(s, want) }
		if name != without && want != "" && !slices.ContainsFunc(facetTexts(e, name), same) {
			return false
		}
	}
	return true
}

// list returns all pages at once.
func (m model) list(q Query) []Hit {
	var all []Entry
	for _, e := range m {
		if m.matches(&e, &q, "") {
			all = append(all, e)
		}
	}
	num := func(e *Entry) int64 {
		switch q.Sort {
		case SortRecentActivity:
			return e.Engagement.LastActivityAt
		case SortTrialRequests:
			return e.Engagement.TrialRequests
		case SortInstalls:
			return e.Engagement.Installs
		case SortRanking:
			n := int64(e.Ranking.Score() * 1e6)
			if e.Featured {
				n += 1e12
			}
			return n
		}
		return e.PublishedAt
	}
	slices.SortFunc(all, func(a, b Entry) int {
		if q.Ranked != nil && q.Sort == "" {
			return slices.Index(q.Ranked, a.Seq) - slices.Index(q.Ranked, b.Seq)
		}
		byID := q.Sort == "" || q.Sort == SortTemplateID
		c := cmp.Or(cmp.Compare(num(&a), num(&b)), cmp.Compare(a.Seq, b.Seq))
		if byID {
			c = strings.Compare(a.ID, b.ID)
		}
		if q.Order == Desc || (q.Order == "" && !byID) {
			c = -c
		}
		return c
	})
	hits := make([]Hit, len(all))
	for i, e := range all {
		hits[i] = Hit{e.Seq, e.ID, e.Engagement, e.Ranking}
	}
	return hits
}

// facets counts by folded value; the few values of the tests all fit in the top.
func (m model) facets(q Query) map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, name := range facetNames {
		out[name] = map[string]int{}
		for _, e := range m {
			if !m.matches(&e, &q, name) {
				continue
			}
			for _, text := range facetTexts(&e, name) {
				if text != "" {
					out[name][fold(text)]++
				}
			}
		}
	}
	return out
}
