package pack

import (
	"bytes"
	"fmt"

	"stoa/internal/market/catalog"
	"stoa/internal/market/strictjson"
)

// Build writes the package of a document: bundle.json and README.txt for a template, manifest.json
// and sections/*.json for a profile pack.
func Build(d *catalog.Document) ([]byte, error) {
	entries, err := templateEntries(d)
	if d.Kind == catalog.KindProfilePack {
		entries, err = packEntries(d)
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := writeZip(&out, entries); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// bundle is bundle.json of a template package as it is written.
type bundle struct {
	TemplateID  string                  `json:"template_id"`
	Version     string                  `json:"version"`
	Prompt      string                  `json:"prompt"`
	Title       string                  `json:"title,omitempty"`
	Description string                  `json:"description,omitempty"`
	Category    string                  `json:"category,omitempty"`
	Tags        []string                `json:"tags,omitempty"`
	Maintainer  string                  `json:"maintainer,omitempty"`
	Locales     map[string]catalog.Text `json:"locales,omitempty"`
}

func templateEntries(d *catalog.Document) ([]entry, error) {
	main, _ := d.Text(d.Fallback())
	text, err := indented(bundle{
		TemplateID: d.ID, Version: d.Version, Prompt: main.Prompt, Title: main.Title, Description: main.Description,
		Category: d.Category, Tags: d.Tags, Maintainer: d.Maintainer, Locales: d.Locales,
	})
	if err != nil {
		return nil, err
	}
	readme := fmt.Sprintf("%s\n\n%s\n\nTemplate %s, version %s", main.Title, main.Description, d.ID, d.Version)
	if d.Maintainer != "" {
		readme += ", by " + d.Maintainer
	}
	readme += ".\nThe prompt and its translations are in bundle.json.\n"
	return []entry{{bundleFile, text}, {"README.txt", []byte(readme)}}, nil
}

// packEntries is Write without its checks: an operator's import may name sections of its own.
func packEntries(d *catalog.Document) ([]entry, error) {
	names := d.SectionNames()
	m := Manifest{
		PackType: d.Pack.PackType, PackID: d.ID, Version: d.Version, HostVersion: d.Pack.HostVersion, PluginCompat: d.Pack.PluginCompat,
		Sections: names, Capabilities: d.Pack.Capabilities, Hashes: map[string]string{},
		Redaction: Redaction{Mode: d.Pack.RedactionMode, IncludeSections: names, MaskPaths: []string{}, DropPaths: []string{}},
	}
	if m.Capabilities == nil {
		m.Capabilities = []string{}
	}
	entries := []entry{{name: manifestFile}}
	for _, name := range names {
		value, err := strictjson.Parse(d.Pack.Sections[name], maxDepth)
		if err != nil {
			return nil, fmt.Errorf("pack: section %s: %w", name, err)
		}
		canonical, err := strictjson.Canonical(value)
		if err != nil {
			return nil, fmt.Errorf("pack: section %s: %w", name, err)
		}
		m.Hashes[sectionFile(name)] = Digest(canonical)
		entries = append(entries, entry{sectionFile(name), canonical})
	}
	text, err := indented(m)
	if err != nil {
		return nil, err
	}
	entries[0].data = text
	return entries, nil
}
