package botimport

import (
	"slices"
	"strconv"

	"stoa/internal/market/pack"
)

// configKeys tell an AstrBot configuration from other JSON.
var configKeys = []string{"provider", "provider_settings", "provider_sources", "plugin_set", "dashboard", "platform", "timezone", "platform_settings"}

// isConfig tells whether v looks like an AstrBot configuration.
func isConfig(v any) bool {
	m := object(v)
	if _, list := m["persona"].([]any); list { // what older versions kept their personas in
		return true
	}
	return slices.ContainsFunc(configKeys, func(key string) bool { _, ok := m[key]; return ok })
}

// config maps a main configuration. source is its file's name in the report.
func (b *builder) config(cfg map[string]any, source string) {
	for _, key := range sortedKeys(cfg) {
		at := inside(source, key)
		switch v := cfg[key]; key {
		case "persona":
			b.oldPersonas(v, at)
		case "provider":
			b.providers(v, at)
		case "provider_sources", "platform", "subagent_orchestrator":
			b.environment(key, v, at)
		case "plugin_set":
			// with the plugins, once those are known
		case "dashboard", "admins_id":
			b.operator(at)
		default:
			b.section(pack.SectionCore)[key] = b.take(v, at, pack.AppendKey(pack.SectionCore, key))
		}
	}
	b.runtime(object(cfg["provider_settings"]), source)
}

// runtime notes which persona the bot speaks as.
func (b *builder) runtime(settings map[string]any, source string) {
	if settings == nil {
		return
	}
	b.sum.DefaultPersonality = clip(text(settings["default_personality"]), 120)
	b.sum.PersonaPool = some(texts(settings["persona_pool"]))
	run := map[string]any{}
	for _, key := range []string{"default_personality", "persona_pool"} {
		if v, ok := settings[key]; ok && v != nil {
			run[key] = v
			b.rep.mapped(inside(inside(source, "provider_settings"), key), pack.AppendKey("personas.runtime", key))
		}
	}
	if len(run) > 0 {
		b.section(pack.SectionPersonas)["runtime"] = run
	}
}

// providers maps models by their id. Older versions and people's own tools write an object instead of a list.
func (b *builder) providers(v any, source string) {
	into := b.section(pack.SectionProviders)
	put := func(id string, cfg map[string]any, at string) {
		if b.full(len(into), at, "providers") {
			return
		}
		id = free(into, clip(id, maxName))
		into[id] = b.take(cfg, at, pack.AppendKey(pack.SectionProviders, id))
	}
	for i, item := range list(v) {
		at := pack.AppendIndex(source, i)
		cfg := object(item)
		if cfg == nil {
			b.odd(at, "a provider must be an object")
			continue
		}
		id := first(cfg, "id", "name", "type", "model")
		if id == "" {
			id = "provider-" + strconv.Itoa(i+1)
		}
		put(id, cfg, at)
	}
	m := object(v)
	for _, id := range sortedKeys(m) {
		at := pack.AppendKey(source, id)
		if cfg := object(m[id]); cfg != nil {
			put(id, cfg, at)
		} else {
			b.odd(at, "a provider must be an object")
		}
	}
	b.sum.ProviderCount = len(into)
	if len(into) == 0 {
		delete(b.sections, pack.SectionProviders)
	}
}

// environment maps what ties a bot to its surroundings: connections, sources of models, subagents.
func (b *builder) environment(key string, v any, source string) {
	if len(object(v)) == 0 && len(list(v)) == 0 {
		return
	}
	into := b.section(pack.SectionEnvironment)
	into[key] = b.take(v, source, pack.AppendKey(pack.SectionEnvironment, key))
	switch key {
	case "platform":
		b.sum.PlatformCount = len(list(v))
	case "provider_sources":
		b.sum.ProviderSourceCount = len(list(v))
	case "subagent_orchestrator":
		var enabled []string
		for _, item := range list(object(v)["agents"]) {
			agent := object(item)
			name := first(agent, "name", "id")
			if name == "" {
				continue
			}
			if on, ok := agent["enabled"].(bool); !ok || on {
				enabled = append(enabled, name)
			}
		}
		b.sum.SubagentCount, b.sum.SubagentIDs = len(enabled), some(enabled)
		into["enabled_agents"] = anys(enabled)
	}
}

// profile maps another configuration profile of the bot. It goes under the core as a whole; its models and
// personas, rare in profiles, join the others.
func (b *builder) profile(name string, cfg map[string]any, source string) {
	into := member(b.section(pack.SectionCore), "config_profiles")
	if b.full(len(into), source, "configuration profiles") {
		return
	}
	name = free(into, clip(name, maxName))
	target := pack.AppendKey(pack.AppendKey(pack.SectionCore, "config_profiles"), name)
	out := map[string]any{}
	for _, key := range sortedKeys(cfg) {
		at := inside(source, key)
		switch v := cfg[key]; key {
		case "persona":
			b.oldPersonas(v, at)
		case "provider":
			b.providers(v, at)
		case "dashboard", "admins_id":
			b.operator(at)
		default:
			out[key] = b.take(v, at, pack.AppendKey(target, key))
		}
	}
	into[name] = out
	b.sum.ProfileCount++
}

// odd reports a value of the wrong type.
func (b *builder) odd(source, note string) {
	b.rep.add(Field{SourcePath: source, Outcome: NeedsAPerson, Note: note + "; this one was left out"})
}
