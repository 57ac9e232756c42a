package botimport

import (
	"path"
	"slices"
	"strings"
)

// layout says where in a set of files the parts of an AstrBot setup lie. Backups keep directories under
// directories/, a bot's own folder keeps them beside cmd_config.json.
type layout struct {
	base     string // folder in front of everything, "" or ending in /
	names    []string
	config   string   // cmd_config.json, "" if there is none
	profiles []string // abconf_*.json
	sqlite   string   // data_v4.db
	used     map[string]bool
}

// anchors are files that only an AstrBot setup has, in the order they are trusted.
var anchors = []string{"databases/main_db.json", "config/cmd_config.json", "cmd_config.json", "data_v4.db", "databases/kb_metadata.json"}

// outside are folders whose files are not the bot's own.
var outside = []string{"plugins/", "plugin_data/", "skills/", "temp/", "webchat/", "backups/", "site-packages/", "node_modules/", "attachments/"}

// findLayout looks for an AstrBot setup; ok is false when there is none.
func findLayout(files Files) (l layout, ok bool) {
	l = layout{names: slices.Sorted(slices.Values(files.Names())), used: map[string]bool{}}
	for _, anchor := range anchors {
		if name := l.shallowest(func(name string) bool { return name == anchor || strings.HasSuffix(name, "/"+anchor) }); name != "" {
			l.base, ok = strings.TrimSuffix(name, anchor), true
			break
		}
	}
	if !ok {
		name := l.shallowest(isProfile)
		if name == "" {
			return l, false
		}
		l.base = path.Dir(name) + "/"
		for _, dir := range []string{"config/", "directories/"} {
			l.base = strings.TrimSuffix(l.base, dir)
		}
		l.base = strings.TrimPrefix(l.base, "./")
	}
	l.config = l.first("config/cmd_config.json", "cmd_config.json")
	l.sqlite = l.first("data_v4.db", "data/data_v4.db")
	for _, name := range l.names {
		if dir := path.Dir(name) + "/"; isProfile(name) && (slices.Contains(l.roots("config"), dir) || dir == l.base || dir == "./") {
			l.profiles = append(l.profiles, name)
		}
	}
	return l, true
}

func isProfile(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "abconf_") && strings.HasSuffix(base, ".json")
}

// shallowest is the matching name with the fewest folders in front, the first of equal ones.
func (l *layout) shallowest(match func(name string) bool) string {
	best, depth := "", 0
	for _, name := range l.names {
		if !match(name) || slices.ContainsFunc(outside, func(dir string) bool { return strings.HasPrefix(name, dir) || strings.Contains(name, "/"+dir) }) {
			continue
		}
		if n := strings.Count(name, "/"); best == "" || n < depth {
			best, depth = name, n
		}
	}
	return best
}

// first is the first of some paths below the base that is there.
func (l *layout) first(paths ...string) string {
	for _, p := range paths {
		if _, ok := slices.BinarySearch(l.names, l.base+p); ok {
			return l.base + p
		}
	}
	return ""
}

// roots are the folders where a directory of the bot can lie.
func (l *layout) roots(dir string) []string {
	return []string{l.base + "directories/" + dir + "/", l.base + dir + "/"}
}

// below gives the name of a file inside a directory of the bot.
func (l *layout) below(dir, name string) (string, bool) {
	for _, root := range l.roots(dir) {
		if rest, ok := strings.CutPrefix(name, root); ok && rest != "" {
			return rest, true
		}
	}
	return "", false
}

// show is a file's name as the report tells it: without the folder in front of everything.
func (l *layout) show(name string) string { return strings.TrimPrefix(name, l.base) }
