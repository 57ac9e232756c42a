package notebook

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/learning/graph"
)

// What a snapshot takes from the one before and what it reads anew are together what it would read of all notes, whatever was changed, moved
// from one note to another, or removed in between.
func TestSnapshotsFollowChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := map[string]*noteContent{}
		var last *NotesSnapshot
		var since map[string]*noteContent
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				id := fmt.Sprint("note", rapid.IntRange(0, 5).Draw(t, "note"))
				if _, known := since[id]; since != nil && !known {
					since[id] = now[id]
				}
				if rapid.Bool().Draw(t, "remove") {
					delete(now, id)
					continue
				}
				c := &noteContent{}
				for k := range rapid.IntRange(0, 3).Draw(t, "sections") {
					atom := fmt.Sprint(id, "#", k)
					a := graph.Atom{ID: atom, DocumentID: id, Content: rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "text")}
					if k == 2 {
						a.Role = graph.Part
					}
					c.Atoms, c.Spans = append(c.Atoms, a), append(c.Spans, graph.EvidenceSpan{ID: atom + "!", DocumentID: id})
				}
				now[id] = c
			}
			next, anew := &NotesSnapshot{}, &NotesSnapshot{}
			next.follow(last, since, now)
			anew.follow(nil, nil, now)
			if last != nil {
				for id, a := range next.Atoms {
					if last.Atoms[id] != a && !slices.Contains(next.touched, id) {
						t.Fatalf("%s is another and not named as touched", id)
					}
				}
			}
			for id := range anew.spans.base {
				if next.spans.get(id) != anew.spans.get(id) {
					t.Fatalf("%s is another passage", id)
				}
			}
			for id := range next.spans.over {
				if next.spans.get(id) != anew.spans.get(id) {
					t.Fatalf("%s is a passage still", id)
				}
			}
			for id := range next.spans.base {
				if next.spans.get(id) != anew.spans.get(id) {
					t.Fatalf("%s is a passage still", id)
				}
			}
			spans := next.spans
			next.touched, next.follows, next.spans, anew.spans = nil, 0, layered[*graph.EvidenceSpan]{}, layered[*graph.EvidenceSpan]{} // the other follows none
			if !reflect.DeepEqual(next, anew) {
				t.Fatalf("%v, not %v", next, anew)
			}
			next.spans = spans
			last, since = next, map[string]*noteContent{}
		}
	})
}
