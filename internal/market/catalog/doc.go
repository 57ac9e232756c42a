// Package catalog is the index in memory behind every public list of templates
// and profile packs: filters, orders, pages, totals, facets, and who may see what.
//
// The database is the truth. The application layer (internal/app) fills the index
// with LoadAll at start and repeats every committed change with Upsert, Remove and
// SetEngagement; it is also the only one to ask. The package knows no SQL, no HTTP
// and no clock. The index does not hold rendered items: a Hit names an item and
// copies its counters. What an item is and how it is rendered once, when it is
// published, stands beside it (document.go, render.go, engagement_json.go).
//
// How it is made. Rows lie in pages by seq (rows.go), their texts interned
// (dict.go). Each facet value has a bitmap of the seqs carrying it, so filters,
// totals and facet counts are intersections (filter.go, facets.go). Each order has
// a tree (trees.go); a page comes from walking that tree or from selecting among
// the members of the result, whichever is cheaper (pick.go), and is continued from
// the last item's place in the order (cursor.go). Private items are left out of the
// set every query starts from, so they show in no list, total or count but their
// owner's.
//
// Measured on 2 shared cores, pages of 50, 0 to 3 random filters:
//
//	                          100,000 items     1,000,000 items
//	list, median / p99        8 / 55 µs         40 / 450 µs
//	list by ID                9 / 130 µs        60 / 790 µs
//	page with all facets      0.9 / 5 ms        11 / 50 ms
//	SetEngagement             1 µs              2 µs
//	LoadAll                   0.21 s            2.9 s
//	heap per entry            505 B             (2026-11-23; 424 B before what an item stands on)
//
// (heap: all strings included, 1,400 tags, 5,000 maintainers; BenchmarkLoadAll
// prints it). A facet value used by one item only costs about 320 bytes more. Counting facets
// holds the read lock all the time it takes; since counts change only with
// ContentGeneration, keep them when a catalog is large.
package catalog
