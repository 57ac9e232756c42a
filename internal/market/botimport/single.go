package botimport

import (
	"io"
	"strings"

	"stoa/internal/market/pack"
)

// single is one file as Files.
type single struct {
	name string
	body []byte
}

func (s single) Names() []string { return []string{s.name} }

func (s single) Size(name string) int64 {
	if name != s.name {
		return -1
	}
	return int64(len(s.body))
}

func (s single) Open(name string) (io.ReadCloser, error) {
	if name != s.name {
		return nil, errNotThere
	}
	return io.NopCloser(strings.NewReader(string(s.body))), nil
}

func (s single) Read(name string, limit int64) ([]byte, error) {
	if name != s.name {
		return nil, errNotThere
	}
	if int64(len(s.body)) > limit {
		return nil, refuse(pack.ReasonFileTooLarge, name, pack.Clean(name)+" is larger than "+bytes(limit)+".")
	}
	return s.body, nil
}
