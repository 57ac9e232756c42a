package graph

import (
	"path"
	"slices"
	"strings"

	"stoa/internal/learning/notes"
)

// claim is a document that answers to a name, with how well: lower is better.
type claim struct {
	doc  string
	rank int
}

// Ranks of names.
const (
	byPath = iota
	byBase
	byTitle
	byID
	byAlias
)

// indexNames are the file names that stand for their folder.
var indexNames = map[string]bool{"index": true, "readme": true, "_index": true, "root": true}

// claims gives the names a document answers to. Paths begin with a slash: the whole path and its last parts.
func claims(r *Record) map[string]int {
	names := map[string]int{}
	put := func(name string, rank int) {
		if name == "" || name == "/" {
			return
		}
		if old, ok := names[name]; !ok || rank < old {
			names[name] = rank
		}
	}
	full := cleanPath(r.Path)
	put("/"+full, byPath)
	for i, parts := 0, strings.Split(full, "/"); i < len(parts) && i < 6; i++ {
		put("/"+strings.Join(parts[len(parts)-1-i:], "/"), byPath)
	}
	base := path.Base(full)
	put(base, byBase)
	if dir := path.Dir(full); indexNames[base] && dir != "." {
		put(path.Base(dir), byAlias)
		put("/"+dir, byAlias)
	}
	put(notes.Fold(r.Title), byTitle)
	put(notes.Fold(r.FrontID), byID)
	put(notes.Fold(r.DocumentID), byID)
	for _, n := range r.Names {
		put(notes.Fold(n), byAlias)
	}
	return names
}

// cleanPath is a path as names compare it: folded, slashes, without extension and dots.
func cleanPath(p string) string {
	p = path.Clean("/" + strings.ReplaceAll(p, `\`, "/"))[1:]
	switch ext := strings.ToLower(path.Ext(p)); ext {
	case ".md", ".markdown", ".mdx", ".txt":
		p = p[:len(p)-len(ext)]
	}
	return notes.Fold(p)
}

// keys gives the names under which a link's note is looked for, the likeliest first.
func keys(from string, l notes.Link) []string {
	var list []string
	add := func(k string) {
		if k != "" && k != "/" && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	one := func(target string) {
		if target == "" {
			return
		}
		clean := cleanPath(target)
		if l.Path {
			if !strings.HasPrefix(target, "/") {
				add("/" + cleanPath(path.Join(path.Dir(strings.ReplaceAll(from, `\`, "/")), target)))
			}
			add("/" + clean)
			add(path.Base(clean))
			return
		}
		if strings.Contains(target, "/") {
			if strings.HasPrefix(target, ".") {
				add("/" + cleanPath(path.Join(path.Dir(strings.ReplaceAll(from, `\`, "/")), target)))
			}
			add("/" + clean)
		}
		add(notes.Fold(target))
		add(clean)
	}
	one(l.Target)
	one(l.Alternate)
	return list
}

// nameIndex finds documents by name.
type nameIndex map[string][]claim

// change takes claims out and puts claims in, name by name, so that a batch costs no more than what it touches.
func (x nameIndex) change(out map[string]map[string]bool, in map[string][]claim) {
	for name, gone := range out {
		list := slices.DeleteFunc(x[name], func(c claim) bool { return gone[c.doc] })
		if len(list) == 0 {
			delete(x, name)
		} else {
			x[name] = list
		}
	}
	for name, come := range in {
		list := append(x[name], come...)
		slices.SortFunc(list, func(a, b claim) int { return strings.Compare(a.doc, b.doc) })
		x[name] = list
	}
}

// find resolves the keys of a link. Of several documents with a name, one in the linking note's own folder wins, then
// the better kind of name, the shorter path, the smaller id.
func (l *Library) find(from *node, keys []string) *node {
	for _, key := range keys {
		var best *node
		var bestScore [3]int
		for i, c := range l.names[key] {
			if i >= maxNamesakes {
				break
			}
			n := l.docs[c.doc]
			score := [3]int{1, c.rank, len(n.rec.Path)}
			if n.dir == from.dir {
				score[0] = 0
			}
			if c.rank == byPath && len(key) > 1 && key[0] == '/' && key[1:] == n.clean {
				score[0] = -1
			}
			if best == nil || slices.Compare(score[:], bestScore[:]) < 0 {
				best, bestScore = n, score
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// maxNamesakes bounds the documents of one name that are looked at.
const maxNamesakes = 64

// Named is a document that a link leads to.
type Named struct{ DocumentID, Title string }

// Resolve finds the document that a link in another one leads to; false when none has that name.
func (l *Library) Resolve(documentID string, link notes.Link) (Named, bool) {
	from := l.docs[documentID]
	if from == nil {
		return Named{}, false
	}
	to := l.find(from, keys(from.rec.Path, link))
	if to == nil {
		return Named{}, false
	}
	return Named{to.rec.DocumentID, to.rec.Title}, true
}
