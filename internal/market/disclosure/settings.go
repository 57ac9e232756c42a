package disclosure

import (
	"path"
	"strings"

	"stoa/internal/market/strictjson"
)

// maxSettings is how much of a file of settings is held to be taken apart; of a longer one the report says that it is cut.
const maxSettings = 256 << 10

var settingsEndings = set("json", "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "properties")

// settingsName says whether a file holds settings: there a key says what the address behind it is for.
func settingsName(name string) bool {
	return settingsEndings[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
}

// settings takes a file of settings apart: JSON as a tree, anything else line by line.
func (c *Collector) settings(text []byte, at place) {
	if tree, err := strictjson.Parse(text, maxTree); err == nil {
		c.tree(tree, at)
		return
	}
	var list string // the key whose list is being read
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		item := strings.HasPrefix(line, "- ")
		key, value, isPair := pair(strings.TrimPrefix(line, "- "))
		switch {
		case isPair:
			list = key
			c.field(key, value, at)
		case item && list != "":
			c.field(list, unquote(strings.TrimPrefix(line, "- ")), at)
		default:
			c.text(line, at)
		}
	}
}

// pair reads "key: value" or "key = value", with or without quotes.
func pair(line string) (key, value string, ok bool) {
	at := strings.IndexAny(line, ":=")
	if at <= 0 || strings.HasPrefix(line[at:], "://") {
		return "", "", false
	}
	key = unquote(strings.TrimPrefix(line[:at], "export "))
	if key == "" || len(key) > maxText || strings.ContainsAny(key, "#;<>(){}") {
		return "", "", false
	}
	return key, unquote(line[at+1:]), true
}

func unquote(text string) string { return strings.Trim(text, " \t\"',") }
