package model

import "bytes"

// Class is a kind of text that has thresholds of its own: by its form, and by its length when it has none.
type Class int

// The classes. What is written as a document says much that only looks like an attack in a single sentence, so the
// scores of its parts stand out more and its threshold lies lower.
const (
	Short      Class = iota // prose of fewer than ShortBytes: a question, a sentence
	Middle                  // prose
	Long                    // prose of at least LongBytes
	Structured              // with headings or blocks of code
	Front                   // begins as skills and agent files do, with a name and a description
	ClassCount
)

// Prose of fewer folded bytes is short, that of at least as many is long.
const (
	ShortBytes = 200
	LongBytes  = 2000
)

// form gathers what tells the class of a text, window by window.
type form struct {
	bytes, headings, fences int
	front                   bool
}

func (f *form) read(b []byte) {
	if f.bytes == 0 {
		f.front = frontMatter(b)
		if bytes.HasPrefix(b, []byte("#")) {
			f.headings++
		}
	}
	f.bytes += len(b)
	for i := bytes.IndexByte(b, '\n'); i >= 0 && i+1 < len(b); {
		line := b[i+1:]
		if bytes.HasPrefix(line, []byte("```")) {
			f.fences++
		} else if line[0] == '#' && bytes.HasPrefix(bytes.TrimLeft(line[:min(len(line), 5)], "#"), []byte(" ")) {
			f.headings++
		}
		next := bytes.IndexByte(line, '\n')
		if next < 0 {
			break
		}
		i += 1 + next
	}
}

// ClassOf returns the class of a folded text.
func ClassOf(folded []byte) Class {
	var f form
	f.read(folded)
	return f.class()
}

func (f *form) class() Class {
	switch {
	case f.front:
		return Front
	case f.headings > 1 || f.fences > 0:
		return Structured
	case f.bytes < ShortBytes:
		return Short
	case f.bytes < LongBytes:
		return Middle
	}
	return Long
}

// frontMatter reports whether folded text begins as skills and agent files do: with a name or a description between
// lines of dashes, a comment before them allowed.
func frontMatter(b []byte) bool {
	head := b[:min(len(b), 1200)]
	from := bytes.Index(head, []byte("---"))
	if from < 0 || from > 400 || from > 0 && head[from-1] != '\n' {
		return false
	}
	return bytes.Contains(head[from:], []byte("description:"))
}
