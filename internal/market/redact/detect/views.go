package detect

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/binary"
	"html"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxInflated bounds what a run of base64 may unpack to.
const maxInflated = 64 << 10

// Unpacked returns the text that decoded bytes hold when they are none themselves: UTF-16, or compressed with zlib or gzip.
func Unpacked(b []byte) (string, bool) {
	if len(b) < 8 {
		return "", false
	}
	var r io.Reader
	var err error
	switch {
	case b[0] == 0x1f && b[1] == 0x8b:
		r, err = gzip.NewReader(bytes.NewReader(b))
	case b[0]&0x0f == 8 && (int(b[0])<<8|int(b[1]))%31 == 0:
		r, err = zlib.NewReader(bytes.NewReader(b))
	default:
		return utf16Of(b)
	}
	if err != nil {
		return "", false
	}
	out, _ := io.ReadAll(io.LimitReader(r, maxInflated)) // what a damaged stream gave before its end counts
	return string(out), Readable(out)
}

// utf16Of reads bytes as UTF-16 when every second one of the first is zero, or a byte order mark says so.
func utf16Of(b []byte) (string, bool) {
	var order binary.ByteOrder
	switch {
	case b[0] == 0xFF && b[1] == 0xFE:
		order, b = binary.LittleEndian, b[2:]
	case b[0] == 0xFE && b[1] == 0xFF:
		order, b = binary.BigEndian, b[2:]
	case b[1] == 0 && b[3] == 0 && b[5] == 0:
		order = binary.LittleEndian
	case b[0] == 0 && b[2] == 0 && b[4] == 0:
		order = binary.BigEndian
	default:
		return "", false
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	text := string(utf16.Decode(units))
	return text, Readable([]byte(text))
}

// base32Of decodes a run of capitals and the digits 2 to 7.
func base32Of(run string) (string, bool) {
	run = strings.TrimRight(run, "=")
	if len(run) < minRun || strings.Trim(run, Uppers+"234567") != "" {
		return "", false
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run)
	return string(b), err == nil && Readable(b)
}

// unescapedView is a text with its escapes taken off, and where each of its bytes came from.
type unescapedView struct {
	text []byte
	from []int32
}

func (v *unescapedView) add(text string, at int) {
	for i := range len(text) {
		v.text, v.from = append(v.text, text[i]), append(v.from, int32(at))
	}
}

// escapes looks under the escapes of addresses, HTML and JSON: where there are several, the text is searched again
// without them.
func (s *scanning) escapes() {
	if s.depth >= MaxDepth {
		return
	}
	for _, e := range []struct {
		sign string
		need int
		one  func(text string) (string, int)
	}{
		{"%", 3, percentEscape},
		{"&", 2, entity},
		{`\`, 4, unicodeEscape},
	} {
		if strings.Count(s.text, e.sign) < e.need {
			continue
		}
		v, n := s.unescape(e.sign[0], e.one)
		if n < e.need || !s.budget.Spend(8*len(s.text)) {
			continue
		}
		for _, in := range s.e.Scan(string(v.text), s.file, s.depth+1, s.budget) {
			start, end := int(v.from[in.Start]), len(s.text)
			if in.End < len(v.from) {
				end = int(v.from[in.End])
			}
			s.add(start, end, in.Rule, in.Why, append([]string{s.text[start:end]}, in.Values...)...)
		}
	}
}

// unescape returns the text without the escapes that begin with a sign, and how many there were.
func (s *scanning) unescape(sign byte, one func(string) (string, int)) (v unescapedView, n int) {
	v.text, v.from = make([]byte, 0, len(s.text)), make([]int32, 0, len(s.text)+1)
	for i := 0; i < len(s.text); {
		if s.text[i] == sign {
			if plain, size := one(s.text[i:min(len(s.text), i+12)]); size > 0 {
				v.add(plain, i)
				i += size
				n++
				continue
			}
		}
		v.add(s.text[i:i+1], i)
		i++
	}
	return v, n
}

func percentEscape(text string) (string, int) {
	if len(text) < 3 || HexDigit(text[1]) < 0 || HexDigit(text[2]) < 0 {
		return "", 0
	}
	return string([]byte{byte(HexDigit(text[1])<<4 | HexDigit(text[2]))}), 3
}

func entity(text string) (string, int) {
	stop := strings.IndexByte(text, ';')
	if stop < 2 {
		return "", 0
	}
	plain := html.UnescapeString(text[:stop+1])
	if plain == text[:stop+1] {
		return "", 0
	}
	return plain, stop + 1
}

func unicodeEscape(text string) (string, int) {
	if strings.HasPrefix(text, `\x`) && len(text) >= 4 && HexDigit(text[2]) >= 0 && HexDigit(text[3]) >= 0 {
		return string(rune(HexDigit(text[2])<<4 | HexDigit(text[3]))), 4
	}
	if len(text) < 6 || text[1] != 'u' {
		return "", 0
	}
	r, n := EscapedUnit(text[1:])
	if n != 5 || utf16.IsSurrogate(r) || r == utf8.RuneError {
		return "", 0
	}
	return string(r), 6
}

// EscapedUnit reads uXXXX and says how long it was.
func EscapedUnit(text string) (rune, int) {
	if len(text) < 5 || text[0] != 'u' {
		return 'u', 1
	}
	r := rune(0)
	for i := 1; i < 5; i++ {
		d := HexDigit(text[i])
		if d < 0 {
			return 'u', 1
		}
		r = r<<4 | rune(d)
	}
	return r, 5
}

// HexDigit is the value of a hex digit, -1 for another byte.
func HexDigit(c byte) int {
	switch {
	case IsDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
