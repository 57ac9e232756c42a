package pack

import (
	"maps"
	"slices"
	"strings"
)

// Host is where a pack is to run. The zero value is a market, which runs nothing: versions are not compared then.
type Host struct {
	Version       string // of the bot
	PluginVersion string // of the plugin that applies packs
	HoldsKey      bool   // the owner's key for secrets.age is at hand
}

// Diagnose lists what keeps a pack from working on a host as it stands, sorted by code. It is a pure function of its
// arguments; issues of a conversion are added by who converted.
func Diagnose(m Manifest, sections map[string]any, host Host) []Issue {
	var out []Issue
	add := func(code string, sections, paths []string) { out = append(out, NewIssue(code, sections, paths)) }
	if s := m.Signature; s != nil {
		code := IssueSignatureUntrusted
		if s.Algorithm != signatureAlgorithm {
			code = IssueSignatureAlgorithm
		}
		add(code, nil, nil)
	}
	out = append(out, host.misfits(m.HostVersion, m.PluginCompat)...)
	if paths := sealedPaths(sections); len(paths) > 0 && !host.HoldsKey {
		add(IssueEncryptedSecrets, firstSteps(paths), paths)
	}
	for _, need := range environmentNeeds {
		if paths := need.found(sections); len(paths) > 0 {
			add(need.code, firstSteps(paths), paths)
		}
	}
	slices.SortFunc(out, func(a, b Issue) int { return strings.Compare(a.Code, b.Code) })
	return out
}

// misfits judges the version clauses of a pack by what the host says of itself.
func (h Host) misfits(hostVersion, pluginCompat string) (out []Issue) {
	if h.Version != "" && !hostFits(hostVersion, h.Version) {
		out = append(out, NewIssue(IssueHostVersion, nil, nil))
	}
	if h.PluginVersion != "" {
		if c, err := ParseConstraint(pluginCompat); err != nil || !c.holds(h.PluginVersion) {
			out = append(out, NewIssue(IssuePluginCompat, nil, nil))
		}
	}
	return out
}

// On is a matrix as a market made it, judged for a host that says its versions.
func (m Matrix) On(h Host) Matrix {
	found := h.misfits(m.Manifest.HostVersion, m.Manifest.PluginCompat)
	if len(found) == 0 {
		return m
	}
	return NewMatrix(append(found, m.Details...), m.Manifest.HostVersion, m.Manifest.PluginCompat)
}

// hostFits compares as the format says, by text; clauses such as ">=4.20" are understood besides.
func hostFits(wanted, version string) bool {
	if wanted == "" || wanted == "*" || strings.EqualFold(wanted, "any") || wanted == version {
		return true
	}
	if !strings.ContainsAny(wanted, "<>=") {
		return false
	}
	c, err := ParseConstraint(wanted)
	return err == nil && c.holds(version)
}

// environmentNeed is something that a host must have made ready by hand, and how it is found.
type environmentNeed struct {
	code  string
	found func(sections map[string]any) []string
}

// environmentNeeds are members of a pack that a host must have made ready by hand.
var environmentNeeds = []environmentNeed{
	{IssueContainer, members(SectionEnvironment, "container_runtime", "container", "containers", "docker", "docker_compose")},
	{IssueSystemDependencies, members(SectionEnvironment, "system_dependencies", "system_packages")},
	{IssuePluginBinaries, members(SectionEnvironment, "plugin_binaries")},
	{IssueKnowledgeStorage, func(sections map[string]any) []string {
		bases, _ := sections[SectionKnowledge].(map[string]any)
		var paths []string
		for _, key := range slices.Sorted(maps.Keys(bases)) {
			paths = append(paths, AppendKey(SectionKnowledge, key))
		}
		return paths[:min(len(paths), maxRelated)]
	}},
}

// members finds the named members of a section that hold something.
func members(section string, names ...string) func(map[string]any) []string {
	return func(sections map[string]any) []string {
		object, _ := sections[section].(map[string]any)
		var paths []string
		for _, name := range names {
			switch v := object[name].(type) {
			case nil:
			case string:
				if strings.TrimSpace(v) != "" {
					paths = append(paths, AppendKey(section, name))
				}
			case []any:
				if len(v) > 0 {
					paths = append(paths, AppendKey(section, name))
				}
			case map[string]any:
				if len(v) > 0 {
					paths = append(paths, AppendKey(section, name))
				}
			case bool:
				if v {
					paths = append(paths, AppendKey(section, name))
				}
			}
		}
		return paths
	}
}

// sealedPaths finds values of the earlier service's cipher, which nobody here can open.
func sealedPaths(sections map[string]any) []string {
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		paths = findSealed(paths, Path{{Key: &name}}, sections[name])
	}
	return paths
}

func findSealed(found []string, path Path, v any) []string {
	if len(found) == maxRelated {
		return found
	}
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "enc-v1:") {
			found = append(found, path.String())
		}
	case []any:
		for i, item := range v {
			found = findSealed(found, append(path, Step{Index: i}), item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			found = findSealed(found, append(path, Step{Key: &key}), v[key])
		}
	}
	return found
}

// firstSteps are the sections that paths lie in.
func firstSteps(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, firstStep(p))
	}
	return sorted(out)
}

func firstStep(path string) string {
	if i := strings.IndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return path
}

// maxRelated bounds the paths that an issue lists.
const maxRelated = 100
