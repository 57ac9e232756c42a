package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"stoa/internal/market/catalog"
)

// stamp is the time of every entry: the oldest that zip can hold, since a real one would change the bytes.
var stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

type entry struct {
	name string
	data []byte
}

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
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: stamp})
		if err != nil {
			return nil, fmt.Errorf("pack: %w", err)
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, fmt.Errorf("pack: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}

// Digest is the SHA-256 of a package in lower-case hex.
func Digest(zip []byte) string {
	sum := sha256.Sum256(zip)
	return hex.EncodeToString(sum[:])
}

// Filename is the name under which a package is downloaded.
func Filename(id, version string) string {
	return safe(id) + "-" + safe(version) + ".zip"
}

// safe keeps what is fit for a file name and a header on every system.
func safe(s string) string {
	s = strings.ReplaceAll(s, "/", "__")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-+@", r):
			return r
		}
		return '_'
	}, s)
}

// bundle is bundle.json of a template package.
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
	return []entry{{"bundle.json", text}, {"README.txt", []byte(readme)}}, nil
}

// manifest is manifest.json of a profile pack.
type manifest struct {
	PackType     string            `json:"pack_type"`
	PackID       string            `json:"pack_id"`
	Version      string            `json:"version"`
	CreatedAt    string            `json:"created_at"`
	HostVersion  string            `json:"astrbot_version"`
	PluginCompat string            `json:"plugin_compat"`
	Sections     []string          `json:"sections"`
	Capabilities []string          `json:"capabilities"`
	Redaction    redactionPolicy   `json:"redaction_policy"`
	Hashes       map[string]string `json:"hashes"`
}

type redactionPolicy struct {
	Mode            string   `json:"mode"`
	IncludeSections []string `json:"include_sections"`
	MaskPaths       []string `json:"mask_paths"`
	DropPaths       []string `json:"drop_paths"`
}

func packEntries(d *catalog.Document) ([]entry, error) {
	names := d.SectionNames()
	m := manifest{
		PackType: d.Pack.PackType, PackID: d.ID, Version: d.Version, HostVersion: d.Pack.HostVersion, PluginCompat: d.Pack.PluginCompat,
		Sections: names, Capabilities: d.Pack.Capabilities, Hashes: map[string]string{},
		Redaction: redactionPolicy{Mode: d.Pack.RedactionMode, IncludeSections: names, MaskPaths: []string{}, DropPaths: []string{}},
	}
	var sections []entry
	for _, name := range names {
		canonical, err := Canonical(d.Pack.Sections[name])
		if err != nil {
			return nil, fmt.Errorf("pack: section %s: %w", name, err)
		}
		file := "sections/" + name + ".json"
		m.Hashes[file] = Digest(canonical)
		sections = append(sections, entry{file, canonical})
	}
	text, err := indented(m)
	if err != nil {
		return nil, err
	}
	return append([]entry{{"manifest.json", text}}, sections...), nil
}

// Canonical rewrites JSON with sorted keys, no blanks and unescaped UTF-8: the form that section
// hashes are taken of.
func Canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // numbers keep their spelling
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}
