package graph

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"stoa/internal/learning/notes"
)

const (
	// maxLinks is how many links a Library keeps in all. Beyond it the notes with the most links keep their most specific ones
	// only, so that many notes that all link to each other cost no more than an honest vault.
	maxLinks = 64_000
	// minNoteLinks is how many a note may keep in any case.
	minNoteLinks = 8
	// readBy is how many documents are read before their links are counted.
	readBy = 16
)

// readAll reads documents and keeps their links within what the rest of the Library leaves of maxLinks. It ends when there
// would be more than most atoms, if most is not 0, and then gives how many there are at least.
func (l *Library) readAll(p plan, most int, at time.Time) (list []*reading, tooMany int) {
	room, atoms := maxLinks, 0
	replaced := map[string]bool{}
	for _, id := range p.deleted {
		replaced[id] = true
	}
	for i := range p.upserts {
		replaced[p.upserts[i].id] = true
	}
	for id, n := range l.docs {
		if !replaced[id] {
			room -= len(n.rec.Links)
			atoms += len(n.rec.Atoms)
		}
	}
	parsed := make([]*reading, len(p.upserts))
	held := 0
	for start := 0; start < len(parsed); start += readBy {
		part := parsed[start:min(start+readBy, len(parsed))]
		each(len(part), func(i int) {
			part[i] = l.read(p.upserts[start+i], at)
			p.upserts[start+i].parsed = nil
		})
		for _, r := range part {
			held += len(r.record.Links)
			atoms += len(r.record.Atoms)
		}
		if most > 0 && atoms > most {
			return nil, atoms
		}
		if held > maxLinks+maxLinks/4 { // what is trimmed now would be trimmed at the end too
			boundReadings(parsed[:start+len(part)], max(room, 0))
			held = 0
			for _, r := range parsed[:start+len(part)] {
				held += len(r.record.Links)
			}
		}
	}
	boundReadings(parsed, max(room, 0))
	return parsed, 0
}

func boundReadings(list []*reading, room int) {
	records := make([]*Record, len(list))
	for i, r := range list {
		records[i] = &r.record
	}
	for _, i := range boundLinks(records, room) {
		list[i].dropSpans()
	}
}

// boundLinks trims records so that they have at most room links together, or minNoteLinks each, and returns which it trimmed.
// All are cut to one length: those with fewer links keep all of them.
func boundLinks(records []*Record, room int) (trimmed []int) {
	total := 0
	counts := make([]int, len(records))
	for i, r := range records {
		counts[i] = len(r.Links)
		total += counts[i]
	}
	if total <= room {
		return nil
	}
	slices.Sort(counts)
	length := 0
	for i, n := range counts {
		length = room / (len(counts) - i) // what is left for each of those with at least n
		if n > length {
			break
		}
		room -= n
	}
	length = max(length, minNoteLinks)
	for i, r := range records {
		if r.trim(length) {
			trimmed = append(trimmed, i)
		}
	}
	return trimmed
}

// trim keeps the most specific links, in their order: those of the path, those that say what they mean, those that are marked
// as links, and of each of these the first.
func (r *Record) trim(length int) bool {
	if len(r.Links) <= length {
		return false
	}
	order := make([]int, len(r.Links))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Links[a].vagueness(), r.Links[b].vagueness()) })
	kept := slices.Clone(order[:length])
	slices.Sort(kept)
	links := make([]LinkRecord, length) // a new array, so that the old one is given back
	for i, at := range kept {
		links[i] = r.Links[at]
	}
	r.Folded += len(r.Links) - length
	r.Links = links
	return true
}

func (k *LinkRecord) vagueness() int {
	switch {
	case k.Inferred:
		return 0
	case k.Kind != notes.None && k.Kind != notes.Reference:
		return 1
	case !k.Plain:
		return 2
	}
	return 3
}

// dropSpans drops the evidence of links that were trimmed.
func (r *reading) dropSpans() {
	used := map[string]bool{}
	for i := range r.record.Links {
		used[r.record.Links[i].Span] = true
	}
	for i := range r.record.Atoms {
		used[r.record.Atoms[i].Span] = true
	}
	kept := make([]EvidenceSpan, 0, len(used))
	for _, s := range r.spans {
		if used[s.ID] {
			kept = append(kept, s)
		}
	}
	r.spans = kept
}

// boundRecords trims what an earlier version has kept.
func boundRecords(records []Record) {
	list := make([]*Record, len(records))
	for i := range records {
		list[i] = &records[i]
	}
	boundLinks(list, maxLinks)
}

// parsedEarly holds parsed notes while their links and atoms are within a quarter of maxLinks together; of others only the id
// is kept.
type parsedEarly struct {
	docs []*notes.Document
	ids  []string
	done []bool
	held atomic.Int64
}

func (p *parsedEarly) parse(i int, d Document) {
	doc := parse(d)
	p.ids[i], p.done[i] = doc.ID, true
	if p.held.Add(int64(len(doc.Links)+len(doc.Atoms))) <= maxLinks/4 {
		p.docs[i] = doc
	}
}

// of returns the id that a note gives itself, and the note if it is still at hand.
func (p *parsedEarly) of(i int, d Document) (id string, doc *notes.Document) {
	if !p.done[i] {
		p.parse(i, d)
	}
	return p.ids[i], p.docs[i]
}
