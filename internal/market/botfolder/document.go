package botfolder

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stoa/internal/market/apply"
)

// document is a JSON file with what its writer does about it.
type document struct {
	mark   []byte // a byte order mark, or nothing
	body   []byte
	indent string
	end    string // of the file: a line end or nothing
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// read takes a file apart; an empty one is an object without members.
func read(text []byte) document {
	d := document{body: text, indent: "  "}
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		d.mark, d.body = byteOrderMark, rest
	}
	if rest := bytes.TrimRight(d.body, "\r\n"); len(rest) < len(d.body) {
		d.body, d.end = rest, "\n"
	}
	if len(bytes.TrimSpace(d.body)) == 0 {
		d.body = []byte("{}")
	}
	if _, line, ok := strings.Cut(string(d.body), "\n"); ok {
		if n := len(line) - len(strings.TrimLeft(line, " \t")); n > 0 {
			d.indent = line[:n]
		}
	}
	return d
}

// written is the file with another body, indented as it was.
func (d document) written(body []byte) []byte {
	v := jsontext.Value(slices.Clone(body))
	if v.Indent(jsontext.WithIndent(d.indent)) != nil {
		v = body
	}
	return slices.Concat(d.mark, v, []byte(d.end))
}

func (d document) has(name string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(d.body, &members) == nil && members[name] != nil
}

func quote(s string) []byte {
	out, _ := jsontext.AppendQuote(nil, s) // of valid UTF-8: it came out of JSON
	return out
}

// withMember rewrites one member of an object and leaves the others as they are spelled; nil takes it out. The objects above it
// must be there.
func withMember(text []byte, at []string, v []byte) ([]byte, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	out, known := []byte{'{'}, false
	add := func(name, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	for d.PeekKind() != '}' {
		raw, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		name := slices.Clone(raw)
		var key string
		value, err := d.ReadValue()
		if err != nil || json.Unmarshal(name, &key) != nil {
			return nil, false
		}
		switch {
		case key != at[0]:
			add(name, value)
		case len(at) > 1:
			inner, ok := withMember(value, at[1:], v)
			if !ok {
				return nil, false
			}
			known = true
			add(name, inner)
		default:
			if known = true; v != nil {
				add(name, v)
			}
		}
	}
	if !known && len(at) > 1 {
		return nil, false
	}
	if !known && v != nil {
		add(quote(at[0]), v)
	}
	return append(out, '}'), true
}

// elements are the objects of a list, each as it is spelled.
type elements struct {
	items []json.RawMessage
	name  func(json.RawMessage) string
}

func (e *elements) find(id string) int {
	return slices.IndexFunc(e.items, func(item json.RawMessage) bool { return e.name(item) == id })
}

// set replaces an element where it stands, puts a new one last, or takes one out.
func (e *elements) set(id string, v json.RawMessage) {
	switch i := e.find(id); {
	case i >= 0 && v == nil:
		e.items = slices.Delete(e.items, i, i+1)
	case i >= 0:
		e.items[i] = v
	case v != nil:
		e.items = append(e.items, v)
	}
}

func (e *elements) text() []byte {
	return slices.Concat([]byte{'['}, bytes.Join(asBytes(e.items), []byte{','}), []byte{']'})
}

func asBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

// people is a file of personas.
type people struct {
	elements
	document
	bare bool // the list is the whole file
}

func (f *Folder) personas() (people, error) {
	text, err := f.text(f.file)
	if err != nil {
		return people{}, err
	}
	p := people{document: read(text), elements: elements{name: personaName}}
	var whole struct {
		Personas []json.RawMessage `json:"personas"`
	}
	p.bare = json.Unmarshal(p.body, &p.items) == nil
	if !p.bare {
		if json.Unmarshal(p.body, &whole) != nil || whole.Personas == nil && len(bytes.TrimSpace(text)) > 0 {
			return p, f.odd(f.file)
		}
		p.items = whole.Personas
	}
	if slices.ContainsFunc(p.items, func(item json.RawMessage) bool { return personaName(item) == "" }) {
		return p, f.odd(f.file)
	}
	return p, nil
}

// The members under which programs keep the name and the prompt of a persona, the usual ones first.
var (
	nameKeys   = []string{"persona_id", "name"}
	promptKeys = []string{"system_prompt", "prompt"}
)

func firstOf(members map[string]json.RawMessage, keys []string) (key, text string) {
	for _, key := range keys {
		if json.Unmarshal(members[key], &text) == nil && text != "" {
			return key, text
		}
	}
	return keys[0], ""
}

func personaName(item json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil {
		return ""
	}
	_, name := firstOf(members, nameKeys)
	return name
}

// personaValue is a persona as it is compared: as the bot's API answers it, with whatever else the file says of it.
func personaValue(item json.RawMessage) map[string]json.RawMessage {
	v := map[string]json.RawMessage{"begin_dialogs": json.RawMessage("[]"), "tools": nil, "skills": nil, "custom_error_message": nil}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(item, &members) // personaName read it
	name, _ := firstOf(members, nameKeys)
	prompt, text := firstOf(members, promptKeys)
	for key, member := range members {
		if key != name && key != prompt {
			v[key] = member
		}
	}
	v["system_prompt"], _ = json.Marshal(strings.TrimSpace(text))
	return v
}

func (f *Folder) writePersona(id string, after apply.Value) error {
	p, err := f.personas()
	if err != nil {
		return err
	}
	var item json.RawMessage
	if after != nil {
		if item, err = p.spelled(id, after); err != nil {
			return err
		}
	}
	p.set(id, item)
	next := p.text()
	if !p.bare {
		var ok bool
		if next, ok = withMember(p.body, []string{"personas"}, next); !ok {
			return f.odd(f.file)
		}
	}
	return f.put(f.file, p.written(next))
}

// spelled is a persona with the names of members that this file uses.
func (p *people) spelled(id string, after apply.Value) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(after, &members); err != nil {
		return nil, err
	}
	nameKey, promptKey := nameKeys[0], promptKeys[0]
	if len(p.items) > 0 {
		var first map[string]json.RawMessage
		_ = json.Unmarshal(p.items[0], &first)
		nameKey, _ = firstOf(first, nameKeys)
		promptKey, _ = firstOf(first, promptKeys)
	}
	out := slices.Concat([]byte{'{'}, quote(nameKey), []byte{':'}, quote(id), []byte{','}, quote(promptKey), []byte{':'}, members["system_prompt"])
	for _, key := range slices.Sorted(maps.Keys(members)) {
		empty := string(members[key]) == "null" || key == "begin_dialogs" && string(members[key]) == "[]"
		if key != "system_prompt" && !empty {
			out = slices.Concat(out, []byte{','}, quote(key), []byte{':'}, members[key])
		}
	}
	return append(out, '}'), nil
}
