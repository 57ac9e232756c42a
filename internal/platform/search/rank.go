package search

import (
	"cmp"
	"slices"
	"strings"
)

// Candidate is what the order of hits needs to know of an item.
type Candidate struct {
	ID           string
	FoldedTitles []string // FoldTitle of the title in each locale
	Installs     int64
}

// Hit is one item found.
type Hit struct {
	Seq  int64
	ID   string
	Tier Tier
	// Weight of the terms matched (Rarity); 0 where all of them are.
	Weight int

	coverage int   // share of the best title that the query names, in thousandths
	installs int64 // tie breaker
}

// Result is the answer to a search.
type Result struct {
	Hits []Hit // best first
	// Capped tells that more may match than were looked at: the number of hits
	// is then a lower bound, to be shown as "500+".
	Capped bool
	// Corrected are the words that were searched for beside those that were asked for; "" for none.
	Corrected string
}

// FoldTitle prepares a title for Candidate.FoldedTitles: its word stems and
// pairs of characters, separated by spaces. Call it once when a title changes.
func FoldTitle(title string) string {
	var parts []string
	for _, u := range segment(Fold(clip(title, maxQuery))) {
		switch pairs := grams(u.text, 2); {
		case !u.cjk:
			parts = append(parts, stem(u.whole()))
		case len(pairs) == 0:
			parts = append(parts, u.text)
		default:
			parts = append(parts, pairs...)
		}
	}
	return strings.Join(parts, " ")
}

// mark adds what a query unit covers in a folded title.
func (u unit) mark(marks map[string]struct{}) {
	if u.cjk {
		for n := 1; n <= 2; n++ {
			for _, gram := range grams(u.text, n) {
				marks[gram] = struct{}{}
			}
		}
		return
	}
	marks[stem(u.whole())] = struct{}{}
	for _, part := range u.parts {
		marks[stem(part)] = struct{}{}
	}
}

// Judge makes a hit of a candidate found in a tier.
func (q Query) Judge(seq int64, tier Tier, weight int, c Candidate) Hit {
	return Hit{
		Seq: seq, ID: c.ID, Tier: tier, Weight: weight,
		coverage: q.coverage(c.FoldedTitles, tier),
		installs: c.Installs,
	}
}

// coverage is the largest share of a title that the query names, in thousandths.
func (q Query) coverage(titles []string, tier Tier) int {
	best := 0
	byPrefix := tier == TierTitlePrefix || tier > TierTitlePrefix && tier != TierBody
	for _, title := range titles {
		total, named := 0, 0
		for part := range strings.SplitSeq(title, " ") {
			total++
			if _, ok := q.marks[part]; ok || byPrefix && hasAnyPrefix(part, q.ends) {
				named++
			}
		}
		best = max(best, named*1000/total)
	}
	return best
}

func hasAnyPrefix(word string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(word, prefix) })
}

// Rank orders hits in place: tier, weight of the terms, quarter of the title named,
// installs, exact share of the title, id. Coverage counts first by quarters so
// that a popular item beats an unused one with a slightly shorter title.
func Rank(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(
			cmp.Compare(a.Tier, b.Tier),
			cmp.Compare(b.Weight, a.Weight),
			cmp.Compare(b.coverage/250, a.coverage/250),
			cmp.Compare(b.installs, a.installs),
			cmp.Compare(b.coverage, a.coverage),
			strings.Compare(a.ID, b.ID),
			cmp.Compare(a.Seq, b.Seq),
		)
	})
}
