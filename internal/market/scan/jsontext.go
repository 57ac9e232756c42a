package scan

import (
	"strconv"
	"strings"

	"stoa/internal/market/scan/normal"
)

const (
	ownUnit   = 160 // bytes from which a string is judged by itself
	joinedMax = 600 // bytes up to which it is judged together with its neighbours
	maxNest   = 64
)

// jsonReader finds the strings of a JSON text window by window. It reads every value, also of keys that occur twice,
// and what comes after a mistake.
type jsonReader struct {
	f      *fileWriter
	joined *unit
	own    *unit // of a string that goes on
	nest   []jsonFrame
	deeper int
	inside bool // a string
	isKey  bool
	escape bool
	key    []byte
	expect bool // a key comes next
}

type jsonFrame struct {
	array bool
	index int
	key   string
}

// jsonValue is a string in a window.
type jsonValue struct {
	from, to int
	path     string
	begins   bool // else it goes on from the window before
	ends     bool
}

func newJSONReader(f *fileWriter) *jsonReader {
	return &jsonReader{f: f, joined: f.s.newUnit(f.name, "$", f.role, "")}
}

func (j *jsonReader) finish() {
	if j.own != nil {
		j.own.finish()
		j.own = nil
	}
	j.joined.finish()
}

func (j *jsonReader) path() string {
	var b strings.Builder
	b.WriteByte('$')
	for _, f := range j.nest {
		if f.array {
			b.WriteString("[" + strconv.Itoa(f.index) + "]")
		} else {
			b.WriteString("." + f.key)
		}
	}
	return b.String()
}

// read scans the strings in a window of the file.
func (j *jsonReader) read(raw []byte, w *window) {
	values := j.values(raw)
	w.paths = values
	all := normal.Raw(raw)
	short := normal.Text{}
	for _, v := range values {
		t := all.Slice(v.from, v.to)
		n := len(t.B)
		if v.begins && v.ends && n <= joinedMax {
			short.B, short.At = append(short.B, t.B...), append(short.At, t.At[:n]...)
			short.B, short.At = append(short.B, '\n'), append(short.At, t.At[n])
			if n < ownUnit {
				continue
			}
		}
		if j.own == nil {
			j.own = j.f.s.newUnit(j.f.name, v.path, j.f.role, "")
		}
		j.own.window(t, w)
		if v.ends {
			j.own.finish()
			j.own = nil
		}
	}
	if len(short.B) > 0 {
		short.At = append(short.At, int32(len(raw)))
		j.joined.window(short, w)
	}
}

// values finds the strings of a window that are values, and keys that are long enough to say something.
func (j *jsonReader) values(raw []byte) (out []jsonValue) {
	from, begins := 0, false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if j.inside {
			switch {
			case j.escape:
				j.escape = false
			case c == '\\':
				j.escape = true
			case c == '"':
				j.inside = false
				if j.isKey {
					j.expect = false
					if len(j.key) < 200 {
						j.key = append(j.key, raw[from:i]...)
					}
					if n := len(j.nest); n > 0 && j.deeper == 0 {
						j.nest[n-1].key = string(j.key[:min(len(j.key), 80)])
					}
				}
				if !j.isKey || i-from > 30 {
					out = append(out, jsonValue{from, i, j.path(), begins, true})
				}
			}
			continue
		}
		switch c {
		case '"':
			j.inside, j.isKey = true, j.expect
			from, begins = i+1, true
			j.key = j.key[:0]
		case '{', '[':
			if len(j.nest) >= maxNest {
				j.deeper++
				j.f.s.Incomplete(j.f.name, "nested deeper than 64")
			} else {
				j.nest = append(j.nest, jsonFrame{array: c == '['})
			}
			j.expect = c == '{'
		case '}', ']':
			if j.deeper > 0 {
				j.deeper--
			} else if n := len(j.nest); n > 0 {
				j.nest = j.nest[:n-1]
			}
			j.expect = false
		case ',':
			if n := len(j.nest); n > 0 && j.deeper == 0 {
				if j.nest[n-1].array {
					j.nest[n-1].index++
				} else {
					j.expect = true
				}
			}
		case ':':
			j.expect = false
		}
	}
	if j.inside && from < len(raw) {
		if j.isKey {
			if len(j.key) < 200 {
				j.key = append(j.key, raw[from:]...)
			}
		}
		out = append(out, jsonValue{from, len(raw), j.path(), begins, false})
	}
	return out
}
