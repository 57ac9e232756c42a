package anki

import (
	"cmp"
	"fmt"
	"slices"
)

// Merge adds a collection that was read to what is kept of its owner. Notes are the same by their GUID, cards by note and
// number, reviews by their id; of what both have, the newer one stays, and of two as old the one that comes. Nothing is
// removed. A collection merged with itself is itself.
func Merge(kept, in Collection) Collection {
	if len(kept.Notes)+len(kept.Models)+len(kept.Reviews) == 0 {
		return in
	}
	out := in
	out.Col = kept.Col
	out.Col.Modified = max(kept.Col.Modified, in.Col.Modified)
	if in.Schema == kept.Schema {
		out.Col.Conf, out.Col.Tags = cmp.Or(kept.Col.Conf, in.Col.Conf), cmp.Or(kept.Col.Tags, in.Col.Tags)
	} else {
		out.Col.Conf, out.Col.Tags = in.Col.Conf, in.Col.Tags
	}
	out.Models = union(kept.Models, in.Models, func(m *Model) int64 { return m.ID }, func(was, is *Model) bool { return is.Modified >= was.Modified })
	out.Decks = union(kept.Decks, in.Decks, func(d *Deck) int64 { return d.ID }, func(was, is *Deck) bool { return is.Modified >= was.Modified })
	out.Options = union(kept.Options, in.Options, func(o *Options) int64 { return o.ID }, func(was, is *Options) bool { return is.Modified >= was.Modified })
	out.Config = union(kept.Config, in.Config, func(s *Setting) string { return s.Key }, func(was, is *Setting) bool { return is.Modified >= was.Modified })
	out.Tags = union(kept.Tags, in.Tags, func(t *TagRow) string { return t.Tag }, func(_, _ *TagRow) bool { return true })
	out.Graves = union(kept.Graves, in.Graves, func(g *Grave) string { return fmt.Sprintf("%20d %d", g.ID, g.Type) }, func(_, _ *Grave) bool { return true })
	out.Media = union(kept.Media, in.Media, func(m *Media) string { return m.Name }, func(_, _ *Media) bool { return true })
	notes := mergeNotes(kept.Notes, in.Notes, &out)
	cards := mergeCards(kept, in, notes, &out)
	mergeReviews(kept.Reviews, in.Reviews, cards, &out)
	return out
}

// union gives what either has, by key and in its order; newer says whether the second of two takes the first one's place.
func union[T any, K cmp.Ordered](kept, in []T, key func(*T) K, newer func(was, is *T) bool) []T {
	out := slices.Clone(kept)
	at := make(map[K]int, len(out))
	for i := range out {
		at[key(&out[i])] = i
	}
	for i := range in {
		if k, ok := at[key(&in[i])]; !ok {
			at[key(&in[i])] = len(out)
			out = append(out, in[i])
		} else if newer(&out[k], &in[i]) {
			out[k] = in[i]
		}
	}
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(key(&a), key(&b)) })
	return out
}

// mergeNotes tells under which id each note that comes is kept.
func mergeNotes(kept, in []Note, out *Collection) map[int64]int64 {
	out.Notes = slices.Clone(kept)
	byGUID, byID, ids := make(map[string]int, len(kept)), map[int64]int{}, make(map[int64]bool, len(kept))
	for i := range kept {
		byGUID[kept[i].GUID], ids[kept[i].ID] = i, true
		if kept[i].Data == namedByID {
			byID[kept[i].ID] = i
		}
	}
	as := make(map[int64]int64, len(in))
	for _, n := range in {
		was := n.ID
		if i, ok := byGUID[n.GUID]; ok && n.GUID != "" {
			k := &out.Notes[i]
			if n.ID = k.ID; n.Modified >= k.Modified {
				if k.Data == namedByID {
					n.Data = namedByID
				}
				*k = n
			}
		} else if i, ok := byID[n.ID]; ok { // its GUID is known now
			k := &out.Notes[i]
			n.Data = namedByID
			if n.Modified >= k.Modified {
				*k = n
			}
			k.GUID = n.GUID
		} else {
			n.ID = free(ids, n.ID)
			byGUID[n.GUID] = len(out.Notes)
			out.Notes = append(out.Notes, n)
		}
		as[was] = n.ID
	}
	slices.SortFunc(out.Notes, func(a, b Note) int { return cmp.Compare(a.ID, b.ID) })
	return as
}

// mergeCards tells under which id each card that comes is kept. Due days of reviews count from the day of their own
// collection.
func mergeCards(kept, in Collection, notes map[int64]int64, out *Collection) map[int64]int64 {
	shift := dayOf(in.Col.Created) - dayOf(kept.Col.Created)
	type side struct{ note, ord int64 }
	out.Cards = slices.Clone(kept.Cards)
	bySide, ids := make(map[side]int, len(kept.Cards)), make(map[int64]bool, len(kept.Cards))
	for i := range kept.Cards {
		bySide[side{kept.Cards[i].Note, kept.Cards[i].Ord}], ids[kept.Cards[i].ID] = i, true
	}
	as := make(map[int64]int64, len(in.Cards))
	for _, k := range in.Cards {
		was := k.ID
		if id, ok := notes[k.Note]; ok {
			k.Note = id
		}
		if k.inDays() {
			k.Due += shift
			if k.OriginalDue > 0 && k.OriginalDue < lastDay {
				k.OriginalDue += shift
			}
		}
		if i, ok := bySide[side{k.Note, k.Ord}]; ok {
			c := &out.Cards[i]
			if k.ID = c.ID; k.Modified >= c.Modified {
				*c = k
			}
		} else {
			k.ID = free(ids, k.ID)
			bySide[side{k.Note, k.Ord}] = len(out.Cards)
			out.Cards = append(out.Cards, k)
		}
		as[was] = k.ID
	}
	slices.SortFunc(out.Cards, func(a, b Card) int { return cmp.Compare(a.ID, b.ID) })
	return as
}

const (
	secondsOfDay = 86400
	// lastDay is above every day that cards are due; larger figures are seconds since 1970.
	lastDay = 1_000_000
)

func dayOf(seconds int64) int64 { return seconds / secondsOfDay }

// inDays reports whether a card's due figure is a day of its collection, not a place among new ones or a second.
func (k *Card) inDays() bool {
	return (k.Type == 2 || k.Queue == 2 || k.Queue == 3) && k.Due < lastDay
}

// mergeReviews adds the rows that are not there. Ids are times, so two cards may want the same one. Logs are far longer than all else, so
// no second copy of what is kept is made when nothing is new.
func mergeReviews(kept, in []Review, cards map[int64]int64, out *Collection) {
	kept, in = byID(kept), byID(in)
	var fresh []Review
	var latest Review          // of those that kept their id
	moved := map[int64]int64{} // cards, by the ids that rows were moved to
	has := func(id int64) (card int64, there bool) {
		if i, found := slices.BinarySearchFunc(kept, id, func(r Review, id int64) int { return cmp.Compare(r.ID, id) }); found {
			return kept[i].Card, true
		}
		if len(fresh) > len(moved) && latest.ID == id {
			return latest.Card, true
		}
		card, there = moved[id]
		return card, there
	}
	for _, r := range in {
		if id, ok := cards[r.Card]; ok {
			r.Card = id
		}
		id := r.ID
		card, there := has(id)
		for there && card != r.Card { // it may have been moved when it came before
			id++
			card, there = has(id)
		}
		if there {
			continue
		}
		if id == r.ID {
			latest = r
		} else {
			r.ID = id
			moved[id] = r.Card
		}
		fresh = append(fresh, r)
	}
	out.Reviews = kept
	if len(fresh) > 0 {
		out.Reviews = make([]Review, 0, len(kept)+len(fresh))
		out.Reviews = append(append(out.Reviews, kept...), fresh...)
		slices.SortFunc(out.Reviews, func(a, b Review) int { return cmp.Compare(a.ID, b.ID) })
	}
}

// byID gives rows in order, which they are as a rule.
func byID(list []Review) []Review {
	order := func(a, b Review) int { return cmp.Compare(a.ID, b.ID) }
	if slices.IsSortedFunc(list, order) {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, order)
	return list
}
