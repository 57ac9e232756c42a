package detect

import (
	"fmt"
	"strings"
)

// Place is where a finding stands, for people: the file and the path in it, or line and column.
func (f Finding) Place() string {
	place := f.File
	if f.Path != "" {
		place += " " + f.Path
	}
	if f.Line > 0 {
		place += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, place)
}
