package notebook

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
)

// mostShownEdges bounds the relations of one page.
const mostShownEdges = 10_000

// GraphCursor says what of a graph was sent. The pages are those of one moment: at is the time that states are told for, and
// order a digest of the nodes in their order, which another answer or note changes.
type GraphCursor struct {
	Nodes int64 // all that were sent
	First int64 // the first of the page whose edges are not all sent yet
	Edges int64 // of that page
	At    int64 // µs
	Order uint64
}

func (c GraphCursor) text() string {
	b, _ := binary.Append(nil, binary.BigEndian, c) // fixed numbers have no errors
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseGraphCursor reads where the next page of a graph begins.
func ParseGraphCursor(s string) (c GraphCursor, err error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if n, bad := binary.Decode(b, binary.BigEndian, &c); err != nil || bad != nil || n != len(b) || c.Edges < 0 || c.First < 0 || c.Nodes < c.First {
		return c, core.ErrCursor
	}
	return c, nil
}

// graphPage is a part of the graph: nodes, and the edges that lead from them to one another or to nodes of earlier pages.
type graphPage struct {
	Nodes []int // numbers of units
	Edges []*graph.Edge
	Next  string
}

// graphCursorKeep is how long the pages of one moment are told.
const graphCursorKeep = time.Hour

// Moment is the time that a page tells states for.
func (c GraphCursor) Moment(now time.Time) (time.Time, error) {
	at := time.UnixMicro(c.At).UTC()
	if c.At == 0 {
		return now, nil
	}
	if at.After(now) || now.Sub(at) > graphCursorKeep {
		return now, core.ErrCursor
	}
	return at, nil
}

// Page cuts a page of at most limit nodes out of all that are shown, in their order.
func (g *Curriculum) Page(shown []int, limit int, after GraphCursor, now time.Time) (p graphPage, err error) {
	digest := xxhash.New()
	at := make(map[string]int, len(shown))
	for k, i := range shown {
		_, _ = digest.WriteString(g.Units[i].ID + "\n")
		at[g.Units[i].ID] = k
	}
	from := int(after.Nodes)
	if from > 0 && (after.Order != digest.Sum64() || from > len(shown)) {
		return p, core.ErrCursor
	}
	first, to := int(after.First), from // of the nodes whose edges are sent
	if after.Edges == 0 {
		first = from
		to = min(from+limit, len(shown))
		p.Nodes = slices.Sorted(slices.Values(shown[from:to]))
	}
	for _, r := range []*NotesSnapshot{g.Shared, g.Own} {
		for _, e := range r.Edges {
			source, in := at[e.Source]
			target, too := at[e.Target]
			if last := max(source, target); in && too && e.Kind != notes.Reference && e.Kind != notes.Sequence && last >= first && last < to {
				p.Edges = append(p.Edges, e)
			}
		}
	}
	slices.SortStableFunc(p.Edges, func(a, b *graph.Edge) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.ID, b.ID))
	})
	sent := min(int(after.Edges), len(p.Edges))
	rest := p.Edges[sent:]
	p.Edges = rest[:min(len(rest), mostShownEdges)]
	c := GraphCursor{Nodes: int64(to), First: int64(to), At: now.UnixMicro(), Order: digest.Sum64()}
	switch {
	case len(p.Edges) < len(rest):
		c.First, c.Edges = int64(first), int64(sent+len(p.Edges))
		p.Next = c.text()
	case to < len(shown):
		p.Next = c.text()
	}
	return p, nil
}
