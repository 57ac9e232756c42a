package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is an object of the document.
type node map[string]any

func asNode(v any) node {
	switch v := v.(type) {
	case node:
		return v
	case map[string]any:
		return v
	}
	return nil
}

func (n node) at(name string) node     { return asNode(n[name]) }
func (n node) text(name string) string { s, _ := n[name].(string); return s }
func (n node) list(name string) []node {
	var out []node
	all, _ := n[name].([]any)
	for _, v := range all {
		out = append(out, asNode(v))
	}
	return out
}

// follow gives what a reference stands for.
func (g *generator) follow(n node) node {
	for n.text("$ref") != "" {
		at := g.doc
		for _, part := range strings.Split(strings.TrimPrefix(n.text("$ref"), "#/"), "/") {
			at = at.at(part)
		}
		n = at
	}
	return n
}

// merged is a schema with all parts of an allOf put together.
func (g *generator) merged(n node) node {
	n = g.follow(n)
	parts := n.list("allOf")
	if len(parts) == 0 {
		return n
	}
	out := node{"type": "object", "description": n["description"]}
	properties, required := node{}, []any{}
	for _, part := range append(parts, node{"properties": n["properties"], "required": n["required"]}) {
		part = g.merged(part)
		maps.Copy(properties, part.at("properties"))
		names, _ := part["required"].([]any)
		required = append(required, names...)
	}
	out["properties"], out["required"] = properties, required
	return out
}

// typeOf is the Go type of a schema; a struct that the contract does not name is called name.
func (g *generator) typeOf(n node, name string) string {
	if ref := n.text("$ref"); ref != "" {
		schema := exported(ref[strings.LastIndexByte(ref, '/')+1:])
		target := g.follow(n)
		if !g.structured(target) {
			return g.typeOf(target, schema)
		}
		g.declare(schema, target)
		return schema
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if kind, ok := g.oneType(n.list(choice), name); ok {
			return kind
		}
	}
	kind, null := kindOf(n)
	star := ""
	if null {
		star = "*"
	}
	switch kind {
	case "string":
		return star + "string"
	case "integer":
		return star + "int64"
	case "number":
		return star + "float64"
	case "boolean":
		return star + "bool"
	case "array":
		return "[]" + g.typeOf(n.at("items"), name+"Item")
	case "object":
		if g.structured(n) {
			g.declare(name, n)
			return star + name
		}
		if of, free := n["additionalProperties"]; free && asNode(of) != nil {
			return "map[string]" + g.typeOf(asNode(of), name+"Value")
		}
		return "map[string]any"
	}
	if _, constant := n["const"].(bool); constant {
		return "bool"
	}
	if n["const"] != nil || n["enum"] != nil {
		return "string"
	}
	return "json.RawMessage"
}

// oneType is the type of a choice between a schema and null, or of a list and a text, which means the list.
func (g *generator) oneType(choices []node, name string) (string, bool) {
	if len(choices) != 2 {
		return "", false
	}
	for i, c := range choices {
		other := choices[1-i]
		if kind, _ := kindOf(other); kind == "null" {
			of := g.typeOf(c, name)
			if strings.HasPrefix(of, "[]") || strings.HasPrefix(of, "map[") {
				return of, true
			}
			return "*" + of, true
		}
		if kind, _ := kindOf(c); kind == "array" {
			return g.typeOf(c, name), true
		}
	}
	return "", false
}

// kindOf is the type of a schema and whether it may be null. Of a list or a text the list is meant.
func kindOf(n node) (kind string, null bool) {
	if kind = n.text("type"); kind != "" {
		return kind, false
	}
	all, _ := n["type"].([]any)
	for _, v := range all {
		switch v {
		case "null":
			null = true
		case "string":
			if kind == "" {
				kind = "string"
			}
		default:
			kind, _ = v.(string)
		}
	}
	if kind == "" && (n["properties"] != nil || n["allOf"] != nil) {
		kind = "object"
	}
	return kind, null
}

func (g *generator) structured(n node) bool { return len(g.merged(n).at("properties")) > 0 }

// declare writes a struct, once.
func (g *generator) declare(name string, n node) {
	if _, done := g.types[name]; done {
		return
	}
	g.types[name] = "" // a schema may hold itself
	n = g.merged(n)
	required, _ := n["required"].([]any)
	var fields strings.Builder
	for _, property := range slices.Sorted(maps.Keys(n.at("properties"))) {
		p := n.at("properties").at(property)
		kind, tag := g.typeOf(p, name+exported(property)), property
		if !slices.Contains(required, any(property)) {
			tag += ",omitempty"
			if !strings.HasPrefix(kind, "[]") && !strings.HasPrefix(kind, "map[") && !strings.HasPrefix(kind, "*") && kind != "string" && kind != "json.RawMessage" {
				kind = "*" + kind
			}
		}
		fields.WriteString(comment("", g.about(p)))
		fmt.Fprintf(&fields, "%s %s `json:%q`\n", exported(property), kind, tag)
	}
	g.types[name] = fmt.Sprintf("%stype %s struct {\n%s}\n", comment(name, n.text("description")), name, fields.String())
}

// about is what is said of a property, with the values that it may have.
func (g *generator) about(p node) string {
	text := p.text("description")
	values, _ := g.follow(p)["enum"].([]any)
	var names []string
	for _, v := range values {
		if s, ok := v.(string); ok && s != "" {
			names = append(names, s)
		}
	}
	if len(names) > 0 {
		text = strings.TrimSpace(text + " One of " + strings.Join(names, ", ") + ".")
	}
	return text
}

// comment is a doc comment that begins with a name, or "" without a text.
func comment(name, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if name != "" && !strings.HasPrefix(text, "is ") {
		text = ": " + text
	} else if name != "" {
		text = " " + text
	}
	return "// " + name + text + "\n"
}

// initialisms are written in capitals, as Go writes them.
var initialisms = map[string]string{"id": "ID", "url": "URL", "json": "JSON", "api": "API", "ui": "UI", "ids": "IDs", "ttl": "TTL", "p95": "P95", "p50": "P50", "sha256": "SHA256", "html": "HTML", "md": "MD"}

// exported makes a Go name of one in camel case or with underscores.
func exported(name string) string {
	var words []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start := 0
		for i, r := range part {
			if i > start && unicode.IsUpper(r) && !unicode.IsUpper(rune(part[i-1])) {
				words = append(words, part[start:i])
				start = i
			}
		}
		words = append(words, part[start:])
	}
	var out strings.Builder
	for _, w := range words {
		if short, ok := initialisms[strings.ToLower(w)]; ok {
			out.WriteString(short)
			continue
		}
		r, size := utf8.DecodeRuneInString(w)
		out.WriteString(string(unicode.ToUpper(r)) + w[size:])
	}
	if s := out.String(); s != "" && unicode.IsDigit(rune(s[0])) {
		return "N" + s
	}
	return out.String()
}

func unexported(name string) string {
	e := exported(name)
	if strings.ToUpper(e) == e {
		return strings.ToLower(e)
	}
	return strings.ToLower(e[:1]) + e[1:]
}
