package catalog

import (
	"bytes"
	"slices"
)

// CapabilitySummary sets what a pack says it needs against what its sections give it.
type CapabilitySummary struct {
	Declared         []string `json:"declared"`
	Derived          []string `json:"derived"`
	HighRiskDeclared []string `json:"high_risk_declared"`
	MissingDeclared  []string `json:"missing_declared"`
	HighRiskCount    int      `json:"high_risk_count"`
}

// NoCapabilities is the summary of what has none.
func NoCapabilities() CapabilitySummary {
	return CapabilitySummary{Declared: []string{}, Derived: []string{}, HighRiskDeclared: []string{}, MissingDeclared: []string{}}
}

var highRisk = []string{"network.outbound", "file.write", "command.exec", "provider.access", "mcp.invoke"}

var bySection = map[string]string{
	"providers":            "provider.access",
	"mcp_servers":          "mcp.invoke",
	"memory_store":         "memory.export",
	"conversation_history": "conversation.export",
	"knowledge_base":       "knowledge.export",
	"environment_manifest": "environment.reconfigure",
}

// Capabilities derives a pack's capabilities from its sections; see the field facts, 3.2.
func (d *Document) Capabilities() CapabilitySummary {
	s := CapabilitySummary{Declared: list(d.Pack.Capabilities), Derived: []string{"file.read", "file.write"}, HighRiskDeclared: []string{}, MissingDeclared: []string{}}
	s.Derived = append(s.Derived, d.Pack.Derived...)
	for _, name := range d.SectionNames() {
		if c, ok := bySection[name]; ok {
			s.Derived = append(s.Derived, c)
		}
	}
	if plugins := d.Pack.Sections["plugins"]; slices.ContainsFunc([]string{`"version"`, `"source"`, `"hash"`, `"install_cmd"`}, func(key string) bool {
		return bytes.Contains(plugins, []byte(key))
	}) {
		s.Derived = append(s.Derived, "command.exec", "network.outbound")
	}
	slices.Sort(s.Derived)
	s.Derived = slices.Compact(s.Derived)
	for _, c := range s.Declared {
		if slices.Contains(highRisk, c) {
			s.HighRiskDeclared = append(s.HighRiskDeclared, c)
		}
	}
	for _, c := range s.Derived {
		if !slices.Contains(s.Declared, c) {
			s.MissingDeclared = append(s.MissingDeclared, c)
		}
	}
	s.HighRiskCount = len(s.HighRiskDeclared)
	return s
}
