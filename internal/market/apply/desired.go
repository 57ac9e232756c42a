package apply

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/market/disclosure"
	"stoa/internal/market/export"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/redact/detect"
	"stoa/internal/market/strictjson"
)

// skillName is what AstrBot takes as the name of a skill.
var skillName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// maxSkillText is the largest SKILL.md that AstrBot reads back, in bytes.
const maxSkillText = 512 << 10

// Wants says which kinds a plan takes out of a pack.
type Wants struct {
	Providers bool
	Config    bool
	Without   map[string]string // sections that the target has no place for, with why
}

// takes tells whether anything of a section comes into the bot.
func (w Wants) takes(section string) bool {
	if w.Without[section] != "" {
		return false
	}
	switch section {
	case pack.SectionPersonas, pack.SectionSkills, pack.SectionMCPServers:
		return true
	case pack.SectionProviders:
		return w.Providers
	case pack.SectionCore:
		return w.Config
	}
	return false
}

// wish gathers the objects of a package.
type wish struct {
	out  []Object
	left []export.Loss
	err  error
}

func (w *wish) lose(path, reason string) {
	w.left = append(w.left, export.Loss{Path: path, Reason: reason})
}

func (w *wish) add(kind Kind, id string, v any) {
	text, err := Canonical(v)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s %s: %w", kind, id, err)
	}
	key := Key{kind, id}
	if slices.ContainsFunc(w.out, func(o Object) bool { return o.Key == key }) {
		return // a pack may name a setting in two places; the first stands
	}
	w.out = append(w.out, Object{key, text})
}

// Template is what a template brings: one persona.
func Template(name, prompt string) ([]Object, []export.Loss, error) {
	w := &wish{}
	w.persona(name, "prompt", map[string]any{"system_prompt": prompt})
	return w.out, w.left, w.err
}

// OfSections is what the sections of a pack bring, what of them the bot has no place for, and how far the bot reaches by
// what comes in. What stays out of the bot widens nothing.
func OfSections(all map[string]any, wants Wants) ([]Object, []export.Loss, disclosure.Reach, error) {
	objects, left, err := Sections(all, wants)
	if err != nil {
		return nil, nil, disclosure.Reach{}, err
	}
	taken := map[string]any{}
	for name, section := range all {
		if wants.takes(name) {
			taken[name] = section
		}
	}
	report, err := disclosure.OfSections(taken, strictjson.Canonical, redact.Result{}, nil)
	return objects, left, report.Reach(), err
}

// Sections is what the sections of a pack bring, and what of them the bot has no place for.
func Sections(all map[string]any, wants Wants) ([]Object, []export.Loss, error) {
	w := &wish{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		section, _ := all[name].(map[string]any)
		if why := wants.Without[name]; why != "" {
			w.lose(name, why)
			continue
		}
		switch name {
		case pack.SectionPersonas:
			w.personas(section, wants)
		case pack.SectionSkills:
			w.skills(section)
		case pack.SectionMCPServers:
			w.servers(section)
		case pack.SectionProviders:
			w.providers(section, wants)
		case pack.SectionCore:
			w.core(section, wants)
		case pack.SectionMeta:
		default:
			w.lose(name, "It cannot be put into a running bot from outside.")
		}
	}
	return w.out, w.left, w.err
}

func (w *wish) personas(section map[string]any, wants Wants) {
	entries, _ := section["entries"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		path := pack.AppendKey(pack.SectionPersonas+".entries", name)
		if fields, ok := entries[name].(map[string]any); ok {
			w.persona(name, path, fields)
		} else {
			w.lose(path, "It is no persona.")
		}
	}
	runtime, _ := section["runtime"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(runtime)) {
		path := pack.AppendKey(pack.SectionPersonas+".runtime", key)
		if !wants.Config {
			w.lose(path, "Settings of the bot are left as they are, unless asked for.")
			continue
		}
		w.setting("provider_settings", pack.SectionPersonas+".runtime", map[string]any{key: runtime[key]})
	}
}

// personaFields are those that AstrBot keeps of a persona.
var personaFields = []string{"system_prompt", "begin_dialogs", "tools", "skills", "custom_error_message"}

// persona adds a persona as AstrBot answers it: texts trimmed, no list as an empty one, null for all tools or skills.
func (w *wish) persona(name, path string, fields map[string]any) {
	id := strings.TrimSpace(name)
	prompt, _ := fields["system_prompt"].(string)
	if prompt = strings.TrimSpace(prompt); prompt == "" || id == "" {
		w.lose(path, "A persona needs a name and a system prompt.")
		return
	}
	out := map[string]any{"system_prompt": prompt, "begin_dialogs": []any{}, "tools": nil, "skills": nil, "custom_error_message": nil}
	for _, key := range []string{"begin_dialogs", "tools", "skills"} {
		v := fields[key]
		if v == nil {
			continue
		}
		list, ok := v.([]any)
		for _, item := range list {
			if _, isText := item.(string); !isText {
				ok = false
			}
		}
		switch {
		case !ok:
			w.lose(pack.AppendKey(path, key), "AstrBot takes a list of texts here.")
		case key == "begin_dialogs" && len(list)%2 != 0:
			w.lose(pack.AppendKey(path, key), "AstrBot takes an even number of messages, user and assistant in turn.")
		default:
			out[key] = append([]any{}, list...)
		}
	}
	if s, ok := fields["custom_error_message"].(string); ok && strings.TrimSpace(s) != "" {
		out["custom_error_message"] = strings.TrimSpace(s)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(personaFields, key) && fields[key] != nil {
			w.lose(pack.AppendKey(path, key), "A persona of AstrBot has no field for it.")
		}
	}
	w.add(KindPersona, id, out)
}

func (w *wish) skills(section map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(section)) {
		path := pack.AppendKey(pack.SectionSkills, name)
		fields, _ := section[name].(map[string]any)
		text, _ := fields["text"].(string)
		switch {
		case !skillName.MatchString(name) || strings.Trim(name, ".") == "":
			w.lose(path, "AstrBot takes letters, digits, dot, - and _ in the name of a skill.")
		case strings.TrimSpace(text) == "" || len(text) > maxSkillText:
			w.lose(path, "A skill needs a SKILL.md of at most 512 KiB.")
		default:
			w.add(KindSkill, name, map[string]any{"text": text})
			if files, _ := fields["files"].([]any); len(files) > 0 {
				w.lose(path+".files", "The other files of the skill are not in the pack.")
			}
		}
	}
}

// servers adds MCP servers. One that needs a secret is left to the member: the bot starts a server to test it when it is added.
func (w *wish) servers(section map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(section)) {
		path := pack.AppendKey(pack.SectionMCPServers, name)
		config, ok := section[name].(map[string]any)
		if !ok {
			w.lose(path, "It is no MCP server.")
			continue
		}
		if masked(config) {
			w.lose(path, "It needs values that only you have; add it in the bot's dashboard.")
			continue
		}
		out := map[string]any{"active": true}
		for key, v := range config {
			switch key {
			case "name", "oldName", "tools", "errlogs", "connected", "enabled":
			default:
				out[key] = v
			}
		}
		w.add(KindServer, name, out)
	}
}

// providers adds models without their keys, switched off where a key is missing.
func (w *wish) providers(section map[string]any, wants Wants) {
	for _, id := range slices.Sorted(maps.Keys(section)) {
		path := pack.AppendKey(pack.SectionProviders, id)
		config, ok := section[id].(map[string]any)
		switch {
		case !ok:
			w.lose(path, "It is no provider.")
		case !wants.Providers:
			w.lose(path, "Models of the bot are left as they are, unless asked for.")
		default:
			out, _ := unmasked(config).(map[string]any)
			out["id"] = id
			if out["enable"] == nil {
				out["enable"] = true // as the bot fills it in
			}
			if masked(config) {
				out["enable"] = false
				w.lose(path, "Its key is yours to fill in; until then it is switched off.")
			}
			w.add(KindProvider, id, out)
		}
	}
}

// untouched are settings that no pack may change: logins, accounts of people, what has routes of its own.
var untouched = []string{
	"dashboard", "admins_id", "provider", "provider_sources", "platform", "persona", "config_version", "config_profiles", "security",
	"http_proxy", "pip_install_arg", "pypi_index_url", "log_file_path",
}

// secretName matches names of credentials, as words of their own in any spelling: max_tokens and monkey are none.
var secretName = regexp.MustCompile(`(?i:(^|[_\- ])(passw(or)?ds?|secrets?|token|keys?|credentials?)$)|(?i:(api|access|secret|private|auth|bearer)[_\- ]?(keys?|tokens?)$)|[a-z0-9](Passw(or)?ds?|Secrets?|Token|Keys?|Credentials?)$`)

// addressable says whether a setting can be named in the path of a bot's configuration. Names that objects have of their own in
// JavaScript are none: the bot's dashboard would take them for those.
func addressable(key string) bool {
	return key != "" && !strings.Contains(key, ".") && !slices.Contains([]string{"__proto__", "constructor", "prototype"}, key)
}

// namesSecret says whether a credential is named within a list: a list is written whole, and would bring one or blank the member's.
func namesSecret(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, namesSecret)
	case map[string]any:
		for key, item := range v {
			if secretName.MatchString(key) || namesSecret(item) {
				return true
			}
		}
	}
	return false
}

// core adds single settings, so that those of the member beside them stay.
func (w *wish) core(section map[string]any, wants Wants) {
	for _, key := range slices.Sorted(maps.Keys(section)) {
		path := pack.AppendKey(pack.SectionCore, key)
		switch {
		case slices.Contains(untouched, key):
			w.lose(path, "No pack may change this setting of a bot.")
		case !addressable(key):
			w.lose(path, "Its name cannot be addressed.")
		case !wants.Config:
			w.lose(path, "Settings of the bot are left as they are, unless asked for.")
		default:
			w.setting(key, path, section[key])
		}
	}
}

func (w *wish) setting(id, path string, v any) {
	if m, ok := v.(map[string]any); ok && len(m) > 0 {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !addressable(key) {
				w.lose(pack.AppendKey(path, key), "Its name cannot be addressed.")
				continue
			}
			w.setting(id+"."+key, pack.AppendKey(path, key), m[key])
		}
		return
	}
	if name := id[strings.LastIndexByte(id, '.')+1:]; secretName.MatchString(name) || masked(v) || namesSecret(v) {
		w.lose(path, "Secrets are yours to fill in.")
		return
	}
	w.add(KindConfig, id, v)
}

func masked(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, detect.Masked) || strings.Contains(v, detect.Sealed)
	case []any:
		return slices.ContainsFunc(v, masked)
	case map[string]any:
		for _, item := range v {
			if masked(item) {
				return true
			}
		}
	}
	return false
}

// unmasked copies a value with "" for what was masked; a list of nothing but masked texts becomes empty.
func unmasked(v any) any {
	switch v := v.(type) {
	case string:
		if masked(v) {
			return ""
		}
	case []any:
		out := []any{}
		for _, item := range v {
			if !masked(item) {
				out = append(out, unmasked(item))
			}
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = unmasked(item)
		}
		return out
	}
	return v
}
