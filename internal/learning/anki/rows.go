package anki

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// namedByID stands in Note.Data, which Anki does not use, of a note that came without its GUID: AnkiConnect does not tell it.
const namedByID = "stoa:by-id"

// NameByID marks a note that is known by its id alone and gives it a GUID of its own until Anki's is known.
func NameByID(n *Note) { n.GUID, n.Data = "stoa"+strconv.FormatInt(n.ID, 36), namedByID }

// MergeRows adds rows that were read one by one out of the collection that is kept, as AnkiConnect tells them: notes and cards are
// the same by their ids, of reviews there are only new ones. What such rows do not tell (GUIDs, FSRS states, the decks that filtered decks
// took cards from, the collection's own settings) stays as it is kept.
func MergeRows(kept, in Collection) Collection {
	if len(kept.Notes)+len(kept.Models)+len(kept.Reviews) == 0 {
		return in
	}
	out := kept
	out.Col.Modified = max(kept.Col.Modified, in.Col.Modified)
	out.Models = union(kept.Models, in.Models, func(m *Model) int64 { return m.ID }, func(was, is *Model) bool { return !was.same(is) })
	out.Decks = slices.Clone(kept.Decks)
	for _, d := range in.Decks {
		if i := slices.IndexFunc(out.Decks, func(k Deck) bool { return k.ID == d.ID }); i < 0 {
			out.Decks = append(out.Decks, d)
		} else if out.Decks[i].Name != d.Name {
			out.Decks[i].rename(d.Name)
		}
	}
	slices.SortStableFunc(out.Decks, func(a, b Deck) int { return cmp.Compare(a.ID, b.ID) })
	out.Notes = union(kept.Notes, noteRows(kept.Notes, in.Notes), func(n *Note) int64 { return n.ID }, func(was, is *Note) bool { return is.Modified >= was.Modified })
	out.Cards = union(kept.Cards, cardRows(kept.Cards, in.Cards), func(k *Card) int64 { return k.ID }, func(was, is *Card) bool { return is.Modified >= was.Modified })
	mergeReviews(kept.Reviews, in.Reviews, map[int64]int64{}, &out)
	return out
}

// noteRows gives notes that come what only the kept ones say.
func noteRows(kept, in []Note) []Note {
	own := make(map[int64]*Note, len(kept))
	for i := range kept {
		own[kept[i].ID] = &kept[i]
	}
	out := slices.Clone(in)
	for i := range out {
		n := &out[i]
		k := own[n.ID]
		if k == nil {
			continue
		}
		n.GUID, n.Data, n.Flags = k.GUID, k.Data, k.Flags
		n.Sort, n.Checksum = "", 0
		if len(k.Fields) > 0 && len(n.Fields) > 0 && k.Fields[0] == n.Fields[0] {
			n.Sort, n.Checksum = k.Sort, k.Checksum
		}
	}
	return out
}

func cardRows(kept, in []Card) []Card {
	own := make(map[int64]*Card, len(kept))
	for i := range kept {
		own[kept[i].ID] = &kept[i]
	}
	out := slices.Clone(in)
	for i := range out {
		if k := own[out[i].ID]; k != nil {
			out[i].Data, out[i].OriginalDeck, out[i].OriginalDue = k.Data, k.OriginalDeck, k.OriginalDue
		}
	}
	return out
}

// same says that two note types make the same cards.
func (m *Model) same(o *Model) bool {
	return m.Name == o.Name && m.Cloze == o.Cloze && m.CSS == o.CSS && slices.Equal(m.Fields, o.Fields) && slices.EqualFunc(m.Templates, o.Templates, func(a, b Template) bool {
		return a.Name == b.Name && a.Front == b.Front && a.Back == b.Back
	})
}

func (d *Deck) rename(name string) {
	d.Name = name
	if len(d.Raw) == 0 {
		return
	}
	all := map[string]json.RawMessage{}
	text, err := json.Marshal(name)
	if err != nil || json.Unmarshal(d.Raw, &all) != nil {
		return
	}
	all["name"] = text
	if raw, err := json.Marshal(all); err == nil {
		d.Raw = raw
	}
}
