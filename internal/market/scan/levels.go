package scan

import (
	"slices"
	"strings"
)

// The levels of an item, by what its sections change (field facts, section 4).
const (
	levelPlain  = "L1"
	levelAgents = "L2" // agents, or how they are orchestrated
	levelRights = "L3" // the bot's providers, or which commands may run
)

// The sections that decide a level.
const (
	sectionProviders = "provider_settings"
	sectionCommands  = "command_permission"
	sectionSubagents = "subagent_orchestrator"
	sectionAgent     = "agent"
)

// levelOf is the level of each section that decides one.
var levelOf = map[string]string{
	sectionProviders: levelRights, sectionCommands: levelRights, sectionSubagents: levelAgents, sectionAgent: levelAgents,
}

// Labels of levels and of compatibility.
const (
	labelProviders     = "provider_override"
	labelAgents        = "agent_orchestration"
	labelCompatibility = "compatibility_review_needed"
)

// The values of a summary's compatibility.
const (
	compatible = "compatible"
	degraded   = "degraded"
)

// BundleSections returns the members of a template's bundle.json that decide its level, sorted. A member counts by
// being there, whatever it holds.
func BundleSections(members map[string]any) []string {
	var out []string
	for name := range members {
		if levelOf[name] != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// PackSections returns what a profile pack's sections change, named like the members of a bundle, sorted: a pack is
// judged by what stands in its sections, since every bot's configuration has a place for providers and subagents.
func PackSections(sections map[string]any) []string {
	found := map[string]bool{}
	core := object(sections["astrbot_core"])
	environment := object(sections["environment_manifest"])
	found[sectionProviders] = holds(sections["providers"]) || holds(environment["provider_sources"])
	settings := []map[string]any{sections, core}
	for _, profile := range object(core["config_profiles"]) {
		settings = append(settings, object(profile))
	}
	for _, s := range settings {
		found[sectionProviders] = found[sectionProviders] || choosesProvider(s)
		found[sectionCommands] = found[sectionCommands] || holds(s[sectionCommands]) || runsCommands(object(s[sectionProviders]))
		found[sectionAgent] = found[sectionAgent] || holds(s[sectionAgent])
	}
	for _, s := range append(settings, environment) {
		found[sectionSubagents] = found[sectionSubagents] || orchestrates(s[sectionSubagents])
	}
	var out []string
	for name, there := range found {
		if there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// choosesProvider reports whether one of the settings of providers (of the chat, of speech, of embeddings) names the
// provider or the models that are to answer.
func choosesProvider(settings map[string]any) bool {
	for name, group := range settings {
		if !strings.HasPrefix(name, "provider_") {
			continue
		}
		for key, value := range object(group) {
			if (strings.HasSuffix(key, "provider_id") || strings.HasSuffix(key, "_models")) && namesOne(value) {
				return true
			}
		}
	}
	return false
}

// namesOne reports whether a setting names something: a text, or a list of texts.
func namesOne(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		return slices.ContainsFunc(v, namesOne)
	}
	return false
}

// runsCommands reports whether settings let the model run commands on the bot's machine or in a sandbox.
func runsCommands(settings map[string]any) bool {
	runtime, _ := settings["computer_use_runtime"].(string)
	return runtime != "" && runtime != "none"
}

// orchestrates reports whether an orchestrator is on or has agents. The lists of agents that every configuration carries
// are empty until somebody makes one.
func orchestrates(v any) bool {
	o := object(v)
	if on, _ := o["main_enable"].(bool); on {
		return true
	}
	for key, value := range o {
		if strings.Contains(key, "agents") && holds(value) {
			return true
		}
	}
	return o == nil && holds(v)
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// holds reports whether a value says anything.
func holds(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// levels returns the levels of sections, sorted, each once; L1 when none decides.
func levels(sections []string) []string {
	out := []string{}
	for _, name := range sections {
		if level := levelOf[name]; level != "" && !slices.Contains(out, level) {
			out = append(out, level)
		}
	}
	if len(out) == 0 {
		return []string{levelPlain}
	}
	slices.Sort(out)
	return out
}
