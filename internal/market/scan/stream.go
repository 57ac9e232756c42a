package scan

import (
	"bytes"
	"io"
)

// Mode is how readily a scan flags.
type Mode string

// The modes.
const (
	Balanced Mode = "balanced"
	Strict   Mode = "strict"
)

// Role is what a file is for.
type Role int

// RoleOf guesses a file's role from its name.
func RoleOf(string) Role { return 0 }

// Options of a scan.
type Options struct{ Mode Mode }

// Scan takes in files and fields and gives one summary.
type Streaming struct {
	sources []Source
	files   []*fileText
}

type fileText struct {
	name string
	bytes.Buffer
}

// NewScan begins a scan.
func NewScan(Options) *Streaming { return &Streaming{} }

// File gives a writer for a file's bytes.
func (s *Streaming) File(name string, _ Role) io.Writer {
	f := &fileText{name: name}
	s.files = append(s.files, f)
	return f
}

// Field takes in one text.
func (s *Streaming) Field(file, path, text string) {
	s.sources = append(s.sources, Source{file, path, text})
}

// Finish gives the summary.
func (s *Streaming) Finish() Summary {
	for _, f := range s.files {
		s.sources = append(s.sources, Source{f.name, "$", f.String()})
	}
	return Scan(s.sources)
}
