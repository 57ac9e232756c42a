package scan

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"stoa/internal/market/scan/normal"
)

const (
	windowBytes = 32 << 10
	overlap     = 512  // bytes that two windows of a text share, so that nothing hides between them
	sniffBytes  = 1024 // enough to tell text from other things
)

type fileKind int

const (
	unknownKind fileKind = iota
	textKind
	jsonKind
	yamlKind
	binaryKind
)

// fileWriter scans a file in windows.
type fileWriter struct {
	s     *Scanner
	name  string
	path  string
	role  Role
	kind  fileKind
	unit  *unit
	json  *jsonReader
	yaml  yamlKeys
	wide  *wideDecoder
	buf   []byte
	line  int // of buf[0], from 1
	col   int
	carry int // bytes at the start of buf that the last window held too
}

func newFile(s *Scanner, name, path string, role Role) *fileWriter {
	return &fileWriter{s: s, name: name, path: path, role: role, line: 1, col: 1}
}

// Write scans what is complete of p; it never fails.
func (f *fileWriter) Write(p []byte) (int, error) {
	f.s.digest.Write(p)
	n := len(p)
	for len(p) > 0 {
		part := p[:min(len(p), windowBytes)]
		p = p[len(part):]
		if f.wide != nil {
			f.buf = f.wide.decode(f.buf, part)
		} else {
			f.buf = append(f.buf, part...)
		}
		if f.kind == unknownKind && len(f.buf) >= sniffBytes {
			f.sniff()
		}
		for f.kind != unknownKind && len(f.buf) >= windowBytes {
			f.scan(false)
		}
	}
	return n, nil
}

func (f *fileWriter) finish() {
	if f.kind == unknownKind {
		f.sniff()
	}
	for len(f.buf) > windowBytes {
		f.scan(false)
	}
	if len(f.buf) > f.carry {
		f.scan(true)
	}
	if f.json != nil {
		f.json.finish()
	}
	if f.unit != nil {
		f.unit.finish()
	}
}

// sniff decides how to read the file from its first bytes and its name.
func (f *fileWriter) sniff() {
	switch {
	case bytes.HasPrefix(f.buf, []byte{0xff, 0xfe}), bytes.HasPrefix(f.buf, []byte{0xfe, 0xff}):
		f.wide = &wideDecoder{big: f.buf[0] == 0xfe}
		f.buf = f.wide.decode(nil, f.buf[2:])
	case bytes.HasPrefix(f.buf, []byte{0xef, 0xbb, 0xbf}):
		f.buf = f.buf[3:]
	}
	name := strings.ToLower(f.name)
	head := f.buf[:min(len(f.buf), sniffBytes)]
	switch {
	case bytes.IndexByte(head, 0) >= 0 || invalid(head)*10 > len(head)*3:
		f.kind = binaryKind
		if !media(name) {
			f.s.Incomplete(f.name, "not a text; only the words in it were read")
		}
	case f.path == "$" && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl")):
		f.kind = jsonKind
		f.json = newJSONReader(f)
		return
	case f.path == "$" && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")):
		f.kind = yamlKind
	default:
		f.kind = textKind
	}
	f.unit = f.s.newUnit(f.name, f.path, f.role, "")
}

func invalid(b []byte) (n int) {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		b = b[size:]
	}
	return n
}

// media are files that hold no instructions for anyone but in their texts, which are read.
func media(name string) bool {
	for _, end := range []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".avif", ".woff", ".woff2", ".ttf", ".otf", ".mp3", ".wav", ".ogg", ".mp4", ".webm"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// scan reads one window from the start of the buffer.
func (f *fileWriter) scan(last bool) {
	n := min(len(f.buf), windowBytes)
	if !last {
		n = cutAt(f.buf[:n])
	}
	raw := f.buf[:n]
	keep := 0
	w := &window{f: f, raw: raw}
	switch f.kind {
	case jsonKind:
		f.json.read(raw, w)
	case binaryKind:
		f.unit.window(printable(raw), w)
	default:
		if !utf8.Valid(raw) {
			f.s.Incomplete(f.name, "not valid UTF-8")
		}
		f.unit.window(normal.Raw(raw), w)
		if !last {
			keep = min(overlap, n/2)
			for keep > 0 && !utf8.RuneStart(raw[n-keep]) {
				keep--
			}
		}
	}
	if f.kind == yamlKind {
		f.yaml.read(raw[:n-keep])
	}
	f.line, f.col = position(raw[:n-keep], f.line, f.col)
	f.buf = append(f.buf[:0], f.buf[n-keep:]...)
	f.carry = keep
}

// cutAt finds where to end a window: after a line, a space, or at least a whole character.
func cutAt(b []byte) int {
	half := len(b) / 2
	if i := bytes.LastIndexByte(b, '\n'); i > half {
		return i + 1
	}
	if i := bytes.LastIndexByte(b, ' '); i > half {
		return i + 1
	}
	n := len(b)
	for i := 1; i <= 4 && i < n; i++ {
		if utf8.RuneStart(b[n-i]) {
			if !utf8.FullRune(b[n-i:]) {
				return n - i
			}
			break
		}
	}
	return n
}

func position(b []byte, line, column int) (int, int) {
	if n := bytes.Count(b, []byte{'\n'}); n > 0 {
		line += n
		column = 1
		b = b[bytes.LastIndexByte(b, '\n')+1:]
	}
	return line, column + utf8.RuneCount(b)
}

// window is a place in a file.
type window struct {
	f   *fileWriter
	raw []byte
	// paths are where values begin in the window, for JSON.
	paths []jsonValue
}

func (w *window) at(offset int) (line, column int, path string) {
	offset = min(offset, len(w.raw))
	line, column = position(w.raw[:offset], w.f.line, w.f.col)
	switch w.f.kind {
	case jsonKind:
		path = "$"
		for _, v := range w.paths {
			if v.from <= offset {
				path = v.path
			}
		}
	case yamlKind:
		keys := w.f.yaml.clone()
		end := bytes.IndexByte(w.raw[offset:], '\n')
		if end < 0 {
			end = len(w.raw) - offset
		}
		keys.read(w.raw[:offset+end])
		path = keys.path()
	}
	return line, column, path
}

func (w *window) source() []byte { return w.raw }

func (w *window) fresh(end int) bool { return end > w.f.carry }

// printable gives the runs of text in bytes that are none, like the program strings.
func printable(b []byte) normal.Text {
	const least = 12
	t := normal.Text{}
	for i := 0; i < len(b); {
		j := i
		for j < len(b) {
			r, size := utf8.DecodeRune(b[j:])
			if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) && r != '\n' && r != '\t' {
				break
			}
			j += size
		}
		if j-i >= least {
			for k := i; k < j; k++ {
				t.B, t.At = append(t.B, b[k]), append(t.At, int32(k))
			}
			t.B, t.At = append(t.B, '\n'), append(t.At, int32(j))
		}
		i = j + 1
	}
	t.At = append(t.At, int32(len(b)))
	return t
}

// wideDecoder turns UTF-16 into UTF-8.
type wideDecoder struct {
	big  bool
	odd  []byte
	high rune
}

func (d *wideDecoder) decode(out, in []byte) []byte {
	in = append(d.odd, in...)
	for len(in) >= 2 {
		r := rune(in[0]) | rune(in[1])<<8
		if d.big {
			r = rune(in[0])<<8 | rune(in[1])
		}
		in = in[2:]
		switch {
		case d.high != 0:
			out = utf8.AppendRune(out, utf16.DecodeRune(d.high, r))
			d.high = 0
		case utf16.IsSurrogate(r):
			d.high = r
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	d.odd = append([]byte(nil), in...)
	return out
}

// yamlKeys follows the keys of a YAML text by their indentation.
type yamlKeys struct {
	keys []yamlKey
	rest []byte // an unfinished line
}

type yamlKey struct {
	indent int
	name   string
}

func (y *yamlKeys) clone() *yamlKeys {
	return &yamlKeys{append([]yamlKey(nil), y.keys...), append([]byte(nil), y.rest...)}
}

func (y *yamlKeys) read(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			y.line(append(y.rest, b...))
			if len(b) < 4096 {
				y.rest = append([]byte(nil), append(y.rest, b...)...)
			}
			return
		}
		y.line(append(y.rest, b[:i]...))
		y.rest = nil
		b = b[i+1:]
	}
}

func (y *yamlKeys) line(b []byte) {
	indent := 0
	for indent < len(b) && (b[indent] == ' ' || b[indent] == '-') {
		indent++
	}
	i := bytes.IndexByte(b[min(indent, len(b)):], ':')
	if i <= 0 || i > 60 || indent > 120 {
		return
	}
	name := b[indent : indent+i]
	if end := indent + i + 1; end < len(b) && b[end] != ' ' && b[end] != '\r' || bytes.ContainsAny(name, " #{}[],") {
		return
	}
	for len(y.keys) > 0 && y.keys[len(y.keys)-1].indent >= indent {
		y.keys = y.keys[:len(y.keys)-1]
	}
	y.keys = append(y.keys, yamlKey{indent, strings.Trim(string(name), `"'`)})
}

func (y *yamlKeys) path() string {
	var p strings.Builder
	p.WriteByte('$')
	for _, k := range y.keys {
		p.WriteByte('.')
		p.WriteString(k.name)
	}
	return p.String()
}
