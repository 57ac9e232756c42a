package leakcheck

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Leak is a place in an output that holds a value which stood in a credential position. It never holds the value.
type Leak struct {
	File string
	Path string // in JSON: the place of the text, "" when it is told by the file alone
	How  string
}

// Search returns the places of one output that hold a value, in whatever form. At most one leak a text is told.
func (v *Values) Search(file string, data []byte) []Leak {
	var leaks []Leak
	if len(v.seen) > 0 {
		if how := v.find(data, 0); how != "" {
			leaks = v.locate(file, data, how)
		}
	}
	return append(leaks, left(file, data)...)
}

// locate names the texts of a JSON file that hold a value, the file alone when it is none or no text does.
func (v *Values) locate(file string, data []byte, how string) []Leak {
	var leaks []Leak
	if tree, ok := decode(data); ok {
		each(tree, place{path: sectionOf(file)}, func(text string, p place) {
			if how := v.find([]byte(text), 0); how != "" && len(leaks) < maxLeaks {
				leaks = append(leaks, Leak{file, p.path, "holds, " + how + ", a value that stood in a credential position"})
			}
		})
	}
	if len(leaks) == 0 {
		leaks = []Leak{{file, "", "holds, " + how + ", a value that stood in a credential position"}}
	}
	return leaks
}

// maxLeaks bounds what is told of one file.
const maxLeaks = 50

// left returns the credential positions of a JSON output that still hold a value of their own.
func left(file string, data []byte) []Leak {
	tree, ok := decode(data)
	if !ok {
		return nil
	}
	var leaks []Leak
	root := place{path: sectionOf(file)}
	root.settings = settingsName(squeeze(root.path))
	each(tree, root, func(text string, p place) {
		if p.settings && p.evidence() == named && !stands(text) && !address(text) && len(leaks) < maxLeaks {
			leaks = append(leaks, Leak{file, p.path, "still stands in a credential position"})
		}
	})
	return leaks
}

// address reports whether a text is an address without a login.
func address(text string) bool {
	u, err := url.Parse(strings.TrimSpace(text))
	return err == nil && u.Scheme != "" && u.Host != "" && u.User == nil
}

func decode(data []byte) (any, bool) {
	t := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
	if len(t) == 0 || t[0] != '{' && t[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(t))
	d.UseNumber()
	var tree any
	err := d.Decode(&tree)
	return tree, err == nil
}

func sectionOf(file string) string {
	name := strings.TrimSuffix(file, ".json")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// maxLayers is how many encodings are taken off, and maxUnpacked what a compressed run may unpack to, in bytes.
const (
	maxLayers   = 3
	maxUnpacked = 1 << 20
)

// find returns how a value stands in a text, "" when none does.
func (v *Values) find(data []byte, layer int) string {
	if how := v.raw.in(data); how != "" {
		return how
	}
	plain := unescape(data)
	lower := bytes.ToLower(unescape(plain)) // JSON holds other escapes in its own
	for _, view := range []struct {
		needles *needles
		text    []byte
	}{{&v.folded, bytes.ToLower(data)}, {&v.folded, bytes.ToLower(plain)}, {&v.folded, lower}, {&v.squeeze, squeezeBytes(lower)}} {
		if how := view.needles.in(view.text); how != "" {
			return how
		}
	}
	if layer >= maxLayers {
		return ""
	}
	for _, run := range coded.FindAll(plain, -1) {
		for _, inner := range decoded(run) {
			if how := v.find(inner, layer+1); how != "" {
				return how + ", inside an encoded text"
			}
		}
	}
	return ""
}

// coded is a run that may be base64 or hexadecimal.
var coded = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}`)

// decoded returns what a run may stand for, unpacked when it is compressed.
func decoded(run []byte) [][]byte {
	var out [][]byte
	take := func(b []byte, err error) {
		if err != nil || len(b) < minNeedle {
			return
		}
		if r := inflater(b); r != nil {
			b, _ = io.ReadAll(io.LimitReader(r, maxUnpacked)) // a damaged stream counts as far as it goes
		}
		if printable(b) {
			out = append(out, b)
		}
	}
	if len(run)%2 == 0 {
		b, err := hex.DecodeString(string(run))
		take(b, err)
	}
	body := run[:len(run)-b2i(len(run)%4 == 1)]
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(body, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(string(body))
	take(b, err)
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func inflater(b []byte) io.Reader {
	var r io.Reader
	var err error
	switch {
	case len(b) > 2 && b[0] == 0x1f && b[1] == 0x8b:
		r, err = gzip.NewReader(bytes.NewReader(b))
	case len(b) > 2 && b[0] == 0x78:
		r, err = zlib.NewReader(bytes.NewReader(b))
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return r
}

func printable(b []byte) bool {
	odd := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != 0 {
			odd++
		}
	}
	return len(b) > 0 && odd*20 <= len(b)
}

// squeezeBytes returns the letters and digits of a text in lower case.
func squeezeBytes(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				out = append(out, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = utf8.AppendRune(out, unicode.ToLower(r))
		}
		i += size
	}
	return out
}

// unescape takes the escapes of JSON, addresses and HTML off a text.
func unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 && bytes.IndexByte(text, '%') < 0 && bytes.IndexByte(text, '&') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		rest := text[i:min(len(text), i+12)]
		switch {
		case len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u':
			if n, err := strconv.ParseUint(string(rest[2:6]), 16, 16); err == nil {
				out = utf8.AppendRune(out, rune(n))
				i += 6
				continue
			}
		case len(rest) >= 3 && rest[0] == '%':
			if n, err := strconv.ParseUint(string(rest[1:3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 3
				continue
			}
		case rest[0] == '&':
			if stop := bytes.IndexByte(rest, ';'); stop > 1 {
				if plain := html.UnescapeString(string(rest[:stop+1])); plain != string(rest[:stop+1]) {
					out = append(out, plain...)
					i += stop + 1
					continue
				}
			}
		case len(rest) >= 2 && rest[0] == '\\' && strings.IndexByte(`"\/`, rest[1]) >= 0:
			out = append(out, rest[1])
			i += 2
			continue
		case len(rest) >= 2 && rest[0] == '\\' && strings.IndexByte("nrt", rest[1]) >= 0:
			out = append(out, ' ')
			i += 2
			continue
		}
		out = append(out, text[i])
		i++
	}
	return out
}

// maxFile is the longest file of a package that is read as settings, in bytes.
const maxFile = 2 << 20

// File is a file of a package whose credential positions are checked when all of it was written. It serves one goroutine.
type File struct {
	name string
	data []byte
	json bool
}

// NewFile begins a file; only JSON is kept.
func NewFile(name string) *File {
	return &File{name: name, json: strings.HasSuffix(strings.ToLower(name), ".json")}
}

// Write takes the next bytes. It never fails.
func (f *File) Write(p []byte) (int, error) {
	if f.json {
		if f.data = append(f.data, p...); len(f.data) > maxFile {
			f.json, f.data = false, nil
		}
	}
	return len(p), nil
}

// Leaks returns the credential positions of the file that hold a value.
func (f *File) Leaks() []Leak { return left(f.name, f.data) }
