package disclosure

import (
	"slices"
	"strings"
)

// Reach is how far a setup reaches once it is installed: what a version may widen without anybody reading all of it.
// Its lists are sorted.
type Reach struct {
	Capabilities []string `json:"capabilities"`
	Hosts        []string `json:"hosts"`         // that settings or commands contact
	Plugins      []string `json:"plugins"`       // with where they come from and how they are installed
	Environment  []string `json:"environment"`   // variables that it wants to be given
	Cut          bool     `json:"cut,omitempty"` // there is more than is listed
}

// Reach is the part of a report that one version is held against another by.
func (r Report) Reach() Reach {
	out := Reach{Capabilities: []string{}, Hosts: []string{}, Plugins: []string{}, Environment: []string{}, Cut: r.Truncated}
	for _, v := range r.Environment {
		out.Environment = append(out.Environment, v.Name)
	}
	for _, c := range r.Capabilities {
		out.Capabilities = append(out.Capabilities, c.Name)
	}
	for _, h := range r.Hosts {
		if h.Use == Contacted {
			out.Hosts = append(out.Hosts, h.Host)
		}
	}
	for _, p := range r.Plugins {
		out.Plugins = append(out.Plugins, strings.Join(strings.Fields(p.ID+" "+p.Source+" "+p.InstallCmd), " "))
	}
	for _, list := range []*[]string{&out.Capabilities, &out.Hosts, &out.Plugins, &out.Environment} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return out
}

// Beyond names what r reaches and before did not, such as "host api.example.org"; empty when r is no wider.
// What could not be listed whole is wider than anything that could.
func (r Reach) Beyond(before Reach) []string {
	out := []string{}
	for _, kind := range []struct {
		name     string
		now, was []string
	}{{"capability", r.Capabilities, before.Capabilities}, {"host", r.Hosts, before.Hosts}, {"plugin", r.Plugins, before.Plugins}, {"variable", r.Environment, before.Environment}} {
		for _, what := range kind.now {
			if _, known := slices.BinarySearch(kind.was, what); !known {
				out = append(out, kind.name+" "+what)
			}
		}
	}
	if r.Cut && !before.Cut {
		out = append(out, "more than can be listed")
	}
	return out
}
