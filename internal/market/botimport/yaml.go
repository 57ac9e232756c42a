package botimport

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stoa/internal/market/pack"
)

// Bounds of a YAML text.
const (
	maxYAMLBytes = 64 << 10
	maxYAMLNodes = 2_000
	maxYAMLDepth = 16
)

var errYAML = errors.New("the YAML cannot be read: it must be one mapping without aliases, at most 64 KiB")

// yamlObject reads a YAML mapping as JSON would have it. Aliases are refused: a few of them can stand for
// billions of nodes.
func yamlObject(text []byte) (map[string]any, error) {
	if len(text) > maxYAMLBytes {
		return nil, errYAML
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) != 1 {
		return nil, errYAML
	}
	left := maxYAMLNodes
	v, err := yamlValue(doc.Content[0], maxYAMLDepth, &left)
	if m, ok := v.(map[string]any); ok && err == nil && pack.PathsFit(m, maxNames) {
		return m, nil
	}
	return nil, errYAML
}

func yamlValue(n *yaml.Node, depth int, left *int) (any, error) {
	if *left--; *left < 0 || depth == 0 {
		return nil, errYAML
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return yamlScalar(n), nil
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := yamlValue(item, depth-1, left)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || strings.ContainsRune(key.Value, 0) {
				return nil, errYAML
			}
			if _, twice := out[key.Value]; twice {
				return nil, errYAML
			}
			v, err := yamlValue(n.Content[i+1], depth-1, left)
			if err != nil {
				return nil, err
			}
			out[key.Value] = v
		}
		return out, nil
	}
	return nil, errYAML
}

// yamlScalar keeps numbers only where JSON spells them the same; versions such as 1.10 stay as written.
func yamlScalar(n *yaml.Node) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on":
			return true
		case "false", "no", "off":
			return false
		}
	case "!!int":
		if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil && strconv.FormatInt(i, 10) == n.Value {
			return json.Number(n.Value)
		}
	case "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && strconv.FormatFloat(f, 'f', -1, 64) == n.Value {
			return json.Number(n.Value)
		}
	}
	return strings.ToValidUTF8(n.Value, "\uFFFD")
}

// frontMatter splits a Markdown text at its YAML front matter. Front matter that is no YAML, as descriptions with
// unquoted colons make it, is read line by line.
func frontMatter(text string) (front map[string]any, body string) {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !ok {
		return nil, text
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return nil, text
		}
		body = ""
	}
	head = strings.TrimPrefix(head, "\n")
	front, err := yamlObject([]byte(head))
	if err == nil {
		return front, body
	}
	if len(head) > maxYAMLBytes || strings.TrimSpace(head) == "" {
		return nil, body
	}
	front = map[string]any{}
	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(line, ":")
		if ok && key != "" && len(key) <= 64 && !strings.ContainsAny(key[:1], " \t#-") && len(front) < 50 {
			front[strings.TrimSpace(key)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return front, body
}
