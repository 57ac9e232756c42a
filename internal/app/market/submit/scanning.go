package submit

import (
	"encoding/json"

	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
)

// aboutBundle is what a scan of a template's package has to know beside its texts.
func aboutBundle(b pack.Bundle) scan.About {
	return scan.About{Sections: scan.BundleSections(b.Other)}
}

// AboutSections is the same of a profile pack.
func AboutSections(sections map[string]any, compatibility string) scan.About {
	return scan.About{Sections: scan.PackSections(sections), Compatibility: compatibility}
}

// AboutDocument is the same of a document that holds everything it says: a template's texts, or a pack whose sections are
// not left to its package.
func AboutDocument(d *catalog.Document) scan.About {
	if d.Pack == nil {
		return scan.About{}
	}
	return AboutSections(LooseSections(d.Pack.Sections), d.Pack.Compatibility)
}

// Diagnose says what keeps a pack of a catalog file from working as it stands.
func Diagnose(id string, p *catalog.Pack) {
	issues := pack.Diagnose(pack.Manifest{PackID: id, HostVersion: p.HostVersion, PluginCompat: p.PluginCompat}, LooseSections(p.Sections), pack.Host{})
	browse.KeepMatrix(p, pack.NewMatrix(issues, p.HostVersion, p.PluginCompat))
}

// LooseSections reads the sections of a catalog file, which are not held to the format of packs.
func LooseSections(texts map[string]json.RawMessage) map[string]any {
	sections := map[string]any{}
	for name, text := range texts {
		var v any
		if json.Unmarshal(text, &v) == nil {
			sections[name] = v
		}
	}
	return sections
}
