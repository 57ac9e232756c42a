package pack

import (
	"maps"
	"slices"
	"strings"
)

// The states of a plugin plan.
const (
	PluginsNotRequired = "not_required"
	PluginsToConfirm   = "confirmation_required"
)

// PluginCandidate is a plugin that a pack names, and whether installing the pack would install it.
type PluginCandidate struct {
	PluginID           string `json:"plugin_id"`
	Version            string `json:"version"`
	Source             string `json:"source"`
	Hash               string `json:"hash"`
	InstallCmd         string `json:"install_cmd"`
	HasInstallMetadata bool   `json:"has_install_metadata"`
	PresentInRuntime   bool   `json:"present_in_runtime"`
	InstallRequired    bool   `json:"install_required"`
	SourceRisk         string `json:"source_risk"`
}

// PluginPlan is the plugin_install of the contract: what a member is to confirm before the plugins of a pack are installed.
// A market installs none itself, so nothing is confirmed or executed here.
type PluginPlan struct {
	ImportID             string            `json:"import_id"`
	PackType             string            `json:"pack_type"`
	PackID               string            `json:"pack_id"`
	Status               string            `json:"status"`
	ExecutionRequired    bool              `json:"execution_required"`
	ConfirmationRequired bool              `json:"confirmation_required"`
	Required             []string          `json:"required_plugins"`
	Confirmed            []string          `json:"confirmed_plugins"`
	Missing              []string          `json:"missing_plugins"`
	Candidates           []PluginCandidate `json:"candidates"`
	LatestExecution      *struct{}         `json:"latest_execution"`
}

// PlanPlugins lists the plugins of a pack, by id. present are the plugins of the bot that the pack is for, nil when it is not
// known; a plugin that is there in the same version, source and hash needs no installing.
func PlanPlugins(plugins, present any) PluginPlan {
	plan := PluginPlan{Status: PluginsNotRequired, Required: []string{}, Confirmed: []string{}, Missing: []string{}, Candidates: []PluginCandidate{}}
	all, there := entriesOf(plugins), entriesOf(present)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		c := candidate(id, all[id])
		if known, ok := there[id]; ok {
			k := candidate(id, known)
			c.PresentInRuntime = true
			c.InstallRequired = c.InstallRequired && (c.Version != k.Version || c.Source != k.Source || c.Hash != k.Hash)
		}
		plan.Candidates = append(plan.Candidates, c)
		if c.InstallRequired {
			plan.Required, plan.Missing = append(plan.Required, id), append(plan.Missing, id)
		}
	}
	if len(plan.Required) > 0 {
		plan.Status, plan.ConfirmationRequired = PluginsToConfirm, true
	}
	return plan
}

// entriesOf reads plugins, which are keyed by id or, in older packs, a list of objects that name themselves.
func entriesOf(v any) map[string]map[string]any {
	out := map[string]map[string]any{}
	switch v := v.(type) {
	case map[string]any:
		for id, entry := range v {
			object, _ := entry.(map[string]any)
			out[id] = object
		}
	case []any:
		for _, entry := range v {
			object, _ := entry.(map[string]any)
			if id := firstText(object, "id", "plugin_id", "name"); id != "" {
				out[id] = object
			}
		}
	}
	return out
}

func candidate(id string, entry map[string]any) PluginCandidate {
	c := PluginCandidate{
		PluginID: id, Version: firstText(entry, "version"), Source: firstText(entry, "source", "repo"), Hash: firstText(entry, "hash"),
		InstallCmd: firstText(entry, "install_cmd"), SourceRisk: "low",
	}
	c.HasInstallMetadata = c.Version+c.Source+c.Hash+c.InstallCmd != ""
	c.InstallRequired = c.HasInstallMetadata
	switch from := strings.ToLower(c.Source + " " + c.InstallCmd); {
	case strings.Contains(from, "http://"):
		c.SourceRisk = "high"
	case c.Source != "", strings.Contains(from, "https://"), strings.Contains(from, "git+"):
		c.SourceRisk = "medium"
	}
	return c
}

func firstText(object map[string]any, names ...string) string {
	for _, name := range names {
		if text, ok := object[name].(string); ok && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
