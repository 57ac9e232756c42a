package botimport

import (
	"io"
	"strings"
)

// memory is Files in memory.
type memory map[string]string

func (m memory) Names() []string { return sortedKeys(m) }

func (m memory) Size(name string) int64 {
	if text, ok := m[name]; ok {
		return int64(len(text))
	}
	return -1
}

func (m memory) Open(name string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(m[name])), nil
}

func (m memory) Read(name string, limit int64) ([]byte, error) {
	text, ok := m[name]
	if !ok || int64(len(text)) > limit {
		return nil, errNotThere
	}
	return []byte(text), nil
}
