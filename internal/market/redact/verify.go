package redact

import (
	"encoding/json"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"stoa/internal/market/redact/detect"
)

// Verify searches the bytes that are about to leave for known secrets, in every encoding, and for anything that still
// looks like one. No finding means that they may go. In a JSON file findings name the path as section.key, the section
// being the file's name; known values that stand outside any field, and other texts, are told by line and column.
func (e *Engine) Verify(out []byte, file string, known []string) []detect.Finding {
	text := unsafe.String(unsafe.SliceData(out), len(out)) // read only while Verify runs
	var searched []string
	for _, k := range known {
		if detect.Distinctive(k) {
			searched = append(searched, k)
		}
	}
	f := newFinder(searched)
	var tree any
	isJSON := false
	if t := strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")); t != "" && strings.IndexByte("{[\"", t[0]) >= 0 {
		d := json.NewDecoder(strings.NewReader(t))
		d.UseNumber()
		isJSON = d.Decode(&tree) == nil && !d.More()
	}
	if !isJSON {
		scan := e.NewText(file)
		_, _ = scan.Write(out) // a TextScan takes everything
		return first(append(knownIn(f, text, file, false), scan.Findings()...))
	}
	findings := e.fields(tree, file, f)
	if len(findings) == 0 {
		findings = knownIn(f, text, file, true)
	}
	return first(findings)
}

func first(findings []detect.Finding) []detect.Finding {
	return findings[:min(len(findings), detect.MaxFindings)]
}

// fields searches the fields of a JSON file as Sections does.
func (e *Engine) fields(tree any, file string, f *finder) []detect.Finding {
	section := strings.TrimSuffix(path.Base(file), ".json")
	if section == "" || section == "." || section == "/" {
		section = "text"
	}
	w := &walk{e: e, o: Options{Mode: ExcludeSecrets}, mark: detect.Masked, budget: detect.NewBudget(), scanned: map[string][]detect.Span{}, known: map[string]bool{}, used: map[string]bool{}, finder: f, proving: true}
	w.sections(map[string]any{section: tree})
	w.clean()
	var out []detect.Finding
	if w.budget.Over() {
		out = append(out, detect.TooCostly(file, ""))
	}
	for _, m := range w.marks {
		out = append(out, detect.Finding{File: file, Path: m.Path, Rule: m.Rule, Why: m.Why, Length: m.Length})
	}
	return out
}

// knownIn searches raw bytes, and again with escapes of JSON and of addresses taken off.
// In JSON a quote as such ends a field, so a value with one cannot stand there unescaped.
func knownIn(f *finder, text, file string, isJSON bool) []detect.Finding {
	var out []detect.Finding
	at, line, column := 0, 1, 1
	report := func(start int, why string, length int) {
		if start >= at {
			passed := text[at:start]
			if n := strings.Count(passed, "\n"); n > 0 {
				line, column = line+n, 1
				passed = passed[strings.LastIndexByte(passed, '\n')+1:]
			}
			column += utf8.RuneCountInString(passed)
			at = start
		}
		out = append(out, detect.Finding{File: file, Line: line, Column: column, Rule: "known-value", Why: why, Length: length})
	}
	f.each(text, func(fm *form, start int) bool {
		if isJSON && fm.how == "" && strings.Contains(fm.text, `"`) {
			return true
		}
		why := "is a secret that had been taken out elsewhere"
		if fm.how != "" {
			why += ", " + fm.how
		}
		report(start, why, len(fm.text))
		return len(out) < detect.MaxFindings
	})
	if len(out) > 0 || len(f.forms) == 0 {
		return out
	}
	for start := 0; start < len(text); start += detect.ChunkBytes {
		piece := text[start:min(len(text), start+detect.ChunkBytes+detect.Overlap)]
		for _, view := range []string{unescapeJSON(piece), unescapePercent(piece)} {
			if view == "" {
				continue
			}
			f.each(view, func(fm *form, _ int) bool {
				if isJSON && strings.Contains(fm.text, `"`) {
					return true // its escaped forms were searched for above
				}
				report(start, "is a secret that had been taken out elsewhere, written with escapes, at or behind this place", len(fm.text))
				return false
			})
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// unescapeJSON takes the escapes of JSON off a text, however they are mixed; "" when there are none.
func unescapeJSON(text string) string {
	if !strings.Contains(text, `\`) {
		return ""
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b = append(b, text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'u':
			r, n := detect.EscapedUnit(text[i:])
			if utf16.IsSurrogate(r) && strings.HasPrefix(text[i+n:], `\`) {
				if low, m := detect.EscapedUnit(text[i+n+1:]); m > 1 {
					r, n = utf16.DecodeRune(r, low), n+1+m
				}
			}
			b = utf8.AppendRune(b, r)
			i += n - 1
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func unescapePercent(text string) string {
	if !strings.Contains(text, "%") {
		return ""
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && detect.HexDigit(text[i+1]) >= 0 && detect.HexDigit(text[i+2]) >= 0 {
			b = append(b, byte(detect.HexDigit(text[i+1])<<4|detect.HexDigit(text[i+2])))
			i += 2
			continue
		}
		b = append(b, text[i])
	}
	return string(b)
}
