package catalog

import "stoa/internal/market/ranking"

// Filter narrows a query. Every field is matched exactly but without regard to
// case; "" (nil for Featured) means no filter. A value nobody carries matches nothing.
type Filter struct {
	Category      string
	Tag           string
	SourceChannel string
	RiskLevel     string
	ReviewLabel   string
	WarningFlag   string
	PackType      string
	Maintainer    string
	Featured      *bool
	Owner         string // the account, letter by letter

	// IDPart is a part of the folded id, and TextPart one of the folded id, of a title or of a tag, wherever it stands in a
	// word. An item whose whole id one of them is comes first, whatever the order.
	IDPart, TextPart string
}

// Sort names an order of the list.
type Sort string

// The orders. Items with an equal key follow each other by Seq, in the same direction.
const (
	SortTemplateID     Sort = "template_id"     // by ID, bytewise; ascending unless asked otherwise
	SortRecentActivity Sort = "recent_activity" // by LastActivityAt; this and the rest descending
	SortTrialRequests  Sort = "trial_requests"
	SortInstalls       Sort = "installs"
	SortNewest         Sort = "newest"  // by PublishedAt
	SortRanking        Sort = "ranking" // featured items first, then by ranking.Counts.Score
)

// valid tells whether s is one of the orders; "" is not.
func (s Sort) valid() bool {
	switch s {
	case SortTemplateID, SortRecentActivity, SortTrialRequests, SortInstalls, SortNewest, SortRanking:
		return true
	}
	return false
}

// Order is the direction of a Sort; "" is the direction natural to the sort.
type Order string

// The directions.
const (
	Asc  Order = "asc"
	Desc Order = "desc"
)

// Page sizes, in items.
const (
	DefaultLimit = 50   // when Query.Limit is not positive
	MaxLimit     = 1000 // larger limits are cut: a reader must not hold the lock for long
)

// Query asks for one page.
type Query struct {
	Filter Filter
	Sort   Sort // an unknown sort counts as none given; check with Sort.Valid
	Order  Order
	Limit  int
	Cursor string // NextCursor of the page before, or ""
	Viewer string // account asking; its own private items are included

	// Ranked, if not nil, restricts the list to these distinct seqs: the result
	// of a search, best first. Their order is kept unless Sort is given.
	Ranked []int64

	Facets bool // count facet values too
}

// Hit is one listed item: what a caller needs to find its rendered form and to
// put the live counters into it. Everything in it is a copy.
type Hit struct {
	Seq        int64
	ID         string
	Engagement Engagement
	Ranking    ranking.Counts
}

// Page is the answer to a Query, taken at one instant.
type Page struct {
	Hits       []Hit
	Total      int     // items matching the query on all pages
	NextCursor string  // "" on the last page
	Facets     []Facet // nil unless asked for

	// The index's generations when the page was made.
	Generation, ContentGeneration uint64
}

// Facet counts the values of one field. The filter on that very field is left
// out of its counts, so a reader sees what choosing another value would give.
type Facet struct {
	Name   string
	Values []FacetValue // at most FacetValues, most frequent first, then by name
}

// FacetValue is one value in its first public spelling, and its number of visible items.
type FacetValue struct {
	Value string
	Count int
}

// FacetValues is the largest number of values counted out for one facet.
const FacetValues = 50
