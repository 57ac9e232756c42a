package notebook

import (
	"maps"
	"slices"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

// follow takes the atoms and spans of the notes from before and reads those that are others now: since has what these were; without it
// everything is read.
func (r *NotesSnapshot) follow(before *NotesSnapshot, since, now map[string]*noteContent) {
	if before == nil || since == nil {
		atoms, spans := 0, 0
		for _, c := range now {
			atoms, spans = atoms+len(c.Atoms), spans+len(c.Spans)
		}
		r.Atoms, r.spans, r.Written = make(map[string]*graph.Atom, atoms), newLayered[*graph.EvidenceSpan](spans), make(map[string][]*graph.Atom, len(now))
		r.sizes = make(map[string]int, len(now))
		for id, c := range now {
			r.enter(id, c)
		}
		return
	}
	r.Atoms, r.spans, r.Written, r.sizes = maps.Clone(before.Atoms), before.spans.follow(), maps.Clone(before.Written), maps.Clone(before.sizes)
	r.touched, r.follows, r.Bytes = []string{}, before.Version, before.Bytes
	for id, c := range since {
		if c != nil && c != now[id] {
			r.leave(id, c)
		}
	}
	for id, c := range since {
		if is := now[id]; is != nil && is != c {
			r.enter(id, is)
		}
	}
	slices.Sort(r.touched)
	r.touched = slices.Compact(r.touched) // most of a changed note's atoms keep their ids
}

// leave takes out what a note was.
func (r *NotesSnapshot) leave(id string, c *noteContent) {
	for _, a := range c.bound {
		delete(r.Atoms, a.ID)
		r.touched = append(r.touched, a.ID)
	}
	r.Bytes -= r.sizes[id]
	delete(r.sizes, id)
	for i := range c.Spans {
		r.spans.set(c.Spans[i].ID, nil)
	}
	delete(r.Written, id)
}

// enter puts in what a note is.
func (r *NotesSnapshot) enter(id string, c *noteContent) {
	c.bind()
	for _, a := range c.bound {
		r.Atoms[a.ID] = a
		if r.touched != nil {
			r.touched = append(r.touched, a.ID)
		}
	}
	r.sizes[id] = c.bytes()
	r.Bytes += r.sizes[id]
	if len(c.written) > 0 {
		r.Written[id] = c.written
	}
	for i := range c.Spans {
		r.spans.set(c.Spans[i].ID, &c.Spans[i])
	}
}

// bind works out once which atoms of a note are shown. Settings of a vault are a document like others and nothing to learn or to find.
func (c *noteContent) bind() {
	if c.bound != nil {
		return
	}
	if obsidian.IsSettings(c.path) {
		c.bound = []*graph.Atom{}
		for i := range c.Atoms {
			c.written = append(c.written, &c.Atoms[i])
		}
		return
	}
	c.bound = make([]*graph.Atom, len(c.Atoms))
	for i := range c.Atoms {
		a := bound(&c.Atoms[i])
		if c.bound[i] = a; a.Role != graph.Part {
			c.written = append(c.written, a)
		}
	}
}

// list gives the notes in the order in which units are built: those of before, with what changed since in the place of what it was.
func (l *library) list(before *NotesSnapshot) []*units.Prepared {
	list := make([]*units.Prepared, 0, len(l.content))
	put := func(r *graph.Record) {
		if c := l.content[r.DocumentID]; c != nil {
			list = append(list, c.prepare(r, l.vaults.Of(r.Path)))
		}
	}
	if before == nil || l.since == nil || l.settingsChanged() {
		l.vaults = l.readSettings()
		l.graph.EachRecord(func(r *graph.Record) bool { put(r); return true })
		units.Sort(list)
	} else {
		for id := range l.since {
			if r := l.graph.RecordOf(id); r != nil {
				put(r)
			}
		}
		list = units.Replace(l.listed, list, func(p *units.Prepared) bool { _, changed := l.since[p.ID]; return changed })
	}
	l.listed = list
	return list
}

// settingsChanged reports whether one of the documents that changed holds settings of a vault, or held them.
func (l *library) settingsChanged() bool {
	for id, was := range l.since {
		is := l.content[id]
		if was != nil && obsidian.IsSettings(was.path) || is != nil && obsidian.IsSettings(is.path) {
			return true
		}
	}
	return false
}

// readSettings reads the settings of the vaults among the notes.
func (l *library) readSettings() obsidian.Vaults {
	all := obsidian.Vaults{}
	for _, c := range l.content {
		if obsidian.IsSettings(c.path) && len(c.Atoms) > 0 {
			all.Add(c.path, c.Atoms[0].Content)
		}
	}
	return all
}
