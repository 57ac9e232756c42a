package botimport

import (
	"path"
	"slices"
	"strings"

	"stoa/internal/market/pack"
)

// pluginFields are what metadata.yaml says that is kept, under the names of the pack.
var pluginFields = []struct{ from, to string }{
	{"version", "version"},
	{"repo", "source"},
	{"repository", "source"},
	{"author", "author"},
	{"display_name", "display_name"},
	{"desc", "description"},
	{"description", "description"},
	{"astrbot_version", "astrbot_version"},
	{"support_platforms", "support_platforms"},
	{"tags", "tags"},
}

// plugins maps the plugins found in folders, the list in the configuration, and the plugins' configurations.
// set is the configuration's plugin_set, at its place in the report.
func (b *builder) plugins(l *layout, db *database, set any, at string) {
	chosen := texts(set)
	for i := range chosen {
		chosen[i] = clip(chosen[i], maxName)
	}
	all := slices.Contains(chosen, "*") || set == nil
	into := map[string]any{}
	dirs := map[string]string{} // folder → id
	for _, dir := range pluginDirs(l) {
		if b.full(len(into), dir, "plugins") {
			break
		}
		b.plugin(l, db, dir, into, dirs, all, chosen)
	}
	for i, name := range chosen {
		if name == "*" || into[name] != nil || dirs[name] != "" || b.full(len(into), at, "plugins") {
			continue
		}
		into[name] = map[string]any{"enabled": !db.off(name)}
		dirs[name] = name
		b.rep.mapped(pack.AppendIndex(at, i), pack.AppendKey(pack.SectionPlugins, name)+".enabled")
	}
	fromFolders := len(dirs) > 0
	b.pluginConfigs(l, db, into, dirs)
	if slices.Contains(chosen, "*") {
		f := Field{SourcePath: at, Outcome: Mapped, Note: "every plugin is meant; those found in the backup are listed"}
		if !fromFolders {
			f = Field{SourcePath: at, Outcome: NeedsAPerson, IssueCode: pack.IssueWildcardUnresolved, Note: "every plugin is meant, but the plugins are not part of what was imported; import a backup, or list the plugins by name"}
		}
		b.rep.add(f)
	}
	if len(into) > 0 {
		b.sections[pack.SectionPlugins] = into
	}
	b.sum.PluginCount = len(into)
}

// pluginDirs are the folders that hold plugins, sorted.
func pluginDirs(l *layout) []string {
	var dirs []string
	for _, name := range l.names {
		rest, ok := l.below("plugins", name)
		dir, _, inside := strings.Cut(rest, "/")
		if !ok || !inside || strings.HasPrefix(dir, ".") || dir == "__pycache__" || len(dirs) > 0 && dirs[len(dirs)-1] == dir || slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return dirs
}

func (b *builder) plugin(l *layout, db *database, dir string, into map[string]any, dirs map[string]string, all bool, chosen []string) {
	meta, file := b.pluginMetadata(l, dir)
	id := first(meta, "name", "id")
	if id == "" {
		id = dir
	}
	id = free(into, clip(id, maxName))
	dirs[dir] = id
	target := pack.AppendKey(pack.SectionPlugins, id)
	enabled := (all || slices.Contains(chosen, id) || slices.Contains(chosen, dir)) && !db.off(dir)
	out := map[string]any{"enabled": enabled}
	if file == "" {
		b.rep.add(Field{SourcePath: "plugins/" + dir, TargetPath: target, Outcome: NeedsAPerson, Note: "this plugin has no metadata.yaml, so where to install it from is not known"})
	}
	for _, f := range pluginFields {
		v, ok := meta[f.from]
		if !ok || v == nil || out[f.to] != nil {
			continue
		}
		if s := text(v); f.from == "version" && s != "" {
			v = strings.TrimPrefix(strings.TrimPrefix(s, "v"), "V")
		}
		out[f.to] = b.take(v, file+":"+f.from, target+"."+f.to)
	}
	into[id] = out
}

// pluginMetadata reads what a plugin says about itself; file is where it says so, "" if nowhere.
func (b *builder) pluginMetadata(l *layout, dir string) (meta map[string]any, file string) {
	for _, root := range l.roots("plugins") {
		for _, base := range []string{"metadata.yaml", "metadata.yml"} {
			name := root + dir + "/" + base
			if _, ok := slices.BinarySearch(l.names, name); !ok {
				continue
			}
			l.used[name] = true
			body, err := b.files.Read(name, maxYAMLBytes)
			if err == nil {
				meta, err = yamlObject(decoded(body))
			}
			if err != nil {
				b.unreadable(l.show(name), err)
				continue
			}
			return meta, l.show(name)
		}
	}
	return nil, ""
}

// pluginConfigs maps config/<folder>_config.json to their plugins. Where no plugin folders were found, these files
// are the best list of plugins there is.
func (b *builder) pluginConfigs(l *layout, db *database, into map[string]any, dirs map[string]string) {
	known := len(dirs) > 0
	for _, name := range l.names {
		base, ok := l.below("config", name)
		dir, isConfig := strings.CutSuffix(base, "_config.json")
		if !ok || !isConfig || strings.Contains(dir, "/") || base == "cmd_config.json" || isProfile(name) {
			continue
		}
		l.used[name] = true
		shown := l.show(name)
		id := dirs[dir]
		if id == "" && into[dir] != nil {
			id = dir
		}
		if id == "" {
			if known {
				b.rep.add(Field{SourcePath: shown, Outcome: Omitted, Note: "settings of a plugin that is not installed any more"})
				continue
			}
			if b.full(len(into), shown, "plugins") {
				continue
			}
			id = dir
			into[id] = map[string]any{"enabled": !db.off(dir)}
		}
		cfg := b.json(name, shown)
		if cfg == nil {
			continue
		}
		if object(cfg) == nil {
			b.odd(shown, "a plugin's settings must be an object")
			continue
		}
		object(into[id])["config"] = b.take(cfg, shown, pack.AppendKey(pack.SectionPlugins, id)+".config")
	}
}

// profiles maps the other configuration profiles.
func (b *builder) profiles(l *layout, db *database, names []string) {
	for _, name := range names {
		l.used[name] = true
		cfg := b.json(name, l.show(name))
		if cfg == nil {
			continue
		}
		if object(cfg) == nil {
			b.odd(l.show(name), "a configuration must be an object")
			continue
		}
		title := db.profiles[path.Base(name)]
		if title == "" {
			title = strings.TrimSuffix(path.Base(name), ".json")
		}
		b.profile(title, object(cfg), l.show(name))
	}
}
