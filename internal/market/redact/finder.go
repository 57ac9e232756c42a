package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/bits"
	"net/url"
	"strings"
	"unicode/utf16"

	"stoa/internal/market/redact/detect"
)

// A form is one way in which a known value may be written. Encoded forms are the part that does not depend on what
// stands around the value, so the run they are found in is taken as a whole.
type form struct {
	text    string
	known   int
	encoded bool
	how     string
}

// finder searches a text for many known values at once. Every form is represented by one window of six bytes, chosen
// so that few forms share one; the text is hashed window by window. Time is linear in the text unless thousands of
// values consist of the same few windows.
type finder struct {
	known  []string
	forms  []form
	offset []int32 // of the window in its form
	next   []int32 // the next form with the same window, -1 at the end
	heads  map[uint64]int32
	filter []uint64
	shift  uint
}

const windowBytes = 6

// noFinder knows nothing.
var noFinder = newFinder(nil)

func newFinder(known []string) *finder {
	f := &finder{known: known}
	for i, k := range known {
		f.forms = append(f.forms, formsOf(k, i)...)
	}
	size := bits.Len(uint(len(f.forms)*64 + 1024)) // bits of the filter, as a power of two
	f.shift = uint(64 - size)
	f.filter = make([]uint64, 1<<(size-6))
	f.heads = make(map[uint64]int32, len(f.forms))
	f.offset, f.next = make([]int32, len(f.forms)), make([]int32, len(f.forms))
	load := make(map[uint64]int32, len(f.forms))
	for i, fm := range f.forms {
		best, at, key := int32(1<<30), 0, uint64(0)
		for o := 0; o+windowBytes <= len(fm.text) && o < 64; o++ {
			w := windowAt(fm.text, o)
			if cost := load[w]*8 + sameness(fm.text[o:o+windowBytes]); cost < best {
				best, at, key = cost, o, w
			}
		}
		f.offset[i] = int32(at)
		f.next[i] = -1
		if head, ok := f.heads[key]; ok {
			f.next[i] = head
		}
		f.heads[key] = int32(i)
		load[key]++
		h := f.hash(key)
		f.filter[h>>6] |= 1 << (h & 63)
	}
	return f
}

func windowAt(text string, o int) (w uint64) {
	for i := range windowBytes {
		w |= uint64(text[o+i]) << (8 * i)
	}
	return w
}

// sameness is high for windows that ordinary texts are full of.
func sameness(w string) int32 {
	n := int32(0)
	for i := range len(w) {
		if !detect.IsDigit(w[i]) && !detect.IsUpper(w[i]) {
			n++
		}
		if i > 0 && w[i] == w[i-1] {
			n += 2
		}
	}
	return n
}

func (f *finder) hash(w uint64) uint64 { return w * 0x9E3779B97F4A7C15 >> f.shift }

// each calls found(form, start) for every occurrence, until it says no.
func (f *finder) each(text string, found func(fm *form, start int) bool) {
	if len(f.forms) == 0 || len(text) < windowBytes {
		return
	}
	w := windowAt(text, 0) << 8
	for i := 0; i+windowBytes <= len(text); i++ {
		w = w>>8 | uint64(text[i+windowBytes-1])<<40
		h := f.hash(w)
		if f.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		n, ok := f.heads[w]
		if !ok {
			continue
		}
		for ; n >= 0; n = f.next[n] {
			fm := &f.forms[n]
			start := i - int(f.offset[n])
			if start < 0 || start+len(fm.text) > len(text) || text[start:start+len(fm.text)] != fm.text || !standsAlone(text, start, fm) {
				continue
			}
			if !found(fm, start) {
				return
			}
		}
	}
}

// standsAlone keeps numbers from being found inside longer numbers.
func standsAlone(text string, start int, fm *form) bool {
	if fm.encoded || strings.Trim(fm.text, "0123456789") != "" {
		return true
	}
	end := start + len(fm.text)
	return (start == 0 || !detect.IsDigit(text[start-1])) && (end == len(text) || !detect.IsDigit(text[end]))
}

// formsOf gives the ways in which a value may stand in a text: as it is, base64 in two alphabets and three alignments,
// escaped for addresses and for JSON, in hexadecimal.
func formsOf(value string, known int) []form {
	seen := map[string]bool{}
	var forms []form
	add := func(text, how string, encoded bool) {
		if len(text) >= windowBytes && !seen[text] {
			seen[text] = true
			forms = append(forms, form{text, known, encoded, how})
		}
	}
	add(value, "", false)
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			e := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
			from := (shift*8 + 5) / 6 // the first characters depend on what stands before
			to := (len(value) + shift) * 8 / 6
			add(e[from:to], "base64", true)
		}
	}
	add(url.QueryEscape(value), "escaped for an address", false)
	add(url.PathEscape(value), "escaped for an address", false)
	p := percent(value)
	add(p, "escaped for an address", false)
	add(strings.ToUpper(p), "escaped for an address", false)
	for _, v := range jsonForms(value) {
		add(v, "escaped for JSON", false)
	}
	h := hex.EncodeToString([]byte(value))
	add(h, "hexadecimal", true)
	add(strings.ToUpper(h), "hexadecimal", true)
	return forms
}

const hexDigits = "0123456789abcdef"

// percent escapes every byte.
func percent(value string) string {
	b := make([]byte, 0, 3*len(value))
	for i := range len(value) {
		b = append(b, '%', hexDigits[value[i]>>4], hexDigits[value[i]&15])
	}
	return string(b)
}

// jsonForms gives what encoders of JSON make of a value: with and without care for HTML, with escaped slashes, with
// everything or everything beyond ASCII as \u, and as JSON within JSON.
func jsonForms(value string) []string {
	full, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	html := string(full[1 : len(full)-1])
	bare := html
	if strings.Contains(html, `\u00`) {
		bare = withoutHTML.Replace(html)
	}
	var all, wide []byte
	for _, u := range utf16.Encode([]rune(value)) {
		escape := []byte{'\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15]}
		all = append(all, escape...)
		if u < 0x80 {
			wide = append(wide, byte(u))
		} else {
			wide = append(wide, escape...)
		}
	}
	forms := []string{html, bare, string(all), upperEscapes(string(all)), string(wide), strings.ReplaceAll(bare, "/", `\/`)}
	if strings.ContainsAny(bare, `\"`) {
		twice, _ := json.Marshal(bare)
		forms = append(forms, string(twice[1:len(twice)-1]))
	}
	return forms
}

var withoutHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func upperEscapes(v string) string {
	return strings.ReplaceAll(strings.ToUpper(v), `\U`, `\u`)
}

// spans gives the places of known values in a field's text; a run of base64 or hexadecimal that holds one is taken whole.
func (f *finder) spans(text string) []detect.Span {
	var out []detect.Span
	f.each(text, func(fm *form, start int) bool {
		end := start + len(fm.text)
		why := "is a credential that was found elsewhere in this pack"
		if fm.encoded {
			for start > 0 && detect.EncodedByte[text[start-1]] {
				start--
			}
			for end < len(text) && (detect.EncodedByte[text[end]] || text[end] == '=') {
				end++
			}
			why = "holds, in " + fm.how + ", a credential that was found elsewhere in this pack"
		}
		out = append(out, detect.Span{Start: start, End: end, Rule: "known-value", Why: why})
		return true
	})
	return out
}
