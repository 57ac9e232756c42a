package catalog

import "stoa/internal/market/ranking"

// Engagement holds the usage counters of one item. Counters only ever grow;
// LastActivityAt is in microseconds since the Unix epoch, UTC, and 0 means never.
type Engagement struct {
	TrialRequests        int64
	Installs             int64
	PromptGenerations    int64
	PackageGenerations   int64
	CommunitySubmissions int64
	LastActivityAt       int64
}

// merge returns the field-wise maximum. Since every field only grows, merging
// absolute values is safe in any order and any number of times.
func (e Engagement) merge(o Engagement) Engagement {
	return Engagement{
		TrialRequests:        max(e.TrialRequests, o.TrialRequests),
		Installs:             max(e.Installs, o.Installs),
		PromptGenerations:    max(e.PromptGenerations, o.PromptGenerations),
		PackageGenerations:   max(e.PackageGenerations, o.PackageGenerations),
		CommunitySubmissions: max(e.CommunitySubmissions, o.CommunitySubmissions),
		LastActivityAt:       max(e.LastActivityAt, o.LastActivityAt),
	}
}

// Entry is one catalog item as the store hands it over, and as Get gives it back.
//
// Values that differ only in case are one value to filters and facets. A list
// that names such a value twice keeps the first spelling; empty values are dropped.
type Entry struct {
	// Seq is the dense positive number the store gave the item, below 2^32.
	// It is the item's identity here; ID is unique among live items.
	Seq int64

	ID, Version, Category, Maintainer  string
	SourceChannel, RiskLevel, PackType string
	Owner                              string // account that may see the item while Private

	Tags, ReviewLabels, WarningFlags []string
	FoldedTitles                     []string // titles folded for search ranking, kept as given

	// FoldedID and Names are the id and the titles as text filters compare them, folded by the caller; "" is the id itself.
	FoldedID string
	Names    []string

	Featured    bool
	Private     bool
	PublishedAt int64 // µs since the epoch, UTC
	Engagement  Engagement
	// Ranking is taken from an item that the index does not have; of one that it has SetRanking changes it.
	Ranking ranking.Counts
}

// VisibleTo tells whether viewer may see the item; "" is the anonymous viewer,
// who never sees a private item, not even one without an owner.
func (e *Entry) VisibleTo(viewer string) bool {
	return !e.Private || (viewer != "" && viewer == e.Owner)
}
