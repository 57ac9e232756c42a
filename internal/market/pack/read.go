package pack

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// Files is a set of named files: an archive.Archive, or a folder on the member's own machine.
type Files interface {
	Names() []string                               // regular files, slash-separated
	Size(name string) int64                        // declared unpacked size, -1 if there is no such file
	Open(name string) (io.ReadCloser, error)       // a bounded stream
	Read(name string, limit int64) ([]byte, error) // a whole file, refused above limit
}

// Bounds of a profile pack.
const (
	maxSectionBytes = 8 << 20
	maxPackValues   = 200_000 // values of all sections: each costs some hundred bytes in memory
	maxDepth        = 64
	maxNoteBytes    = 256 << 10
)

// Profile is a profile pack that has been read: its manifest holds, its hashes fit.
type Profile struct {
	Manifest Manifest
	Sections map[string]any // as strictjson.Parse gives them
	Sealed   []byte         // secrets.age, nil if there is none
	Pictures []Picture      // for the item's page
}

// IsProfile tells whether files look like a profile pack rather than a bot's backup, which has a manifest.json of
// its own.
func IsProfile(files Files) bool {
	text, err := files.Read(manifestFile, maxManifestBytes)
	if err != nil {
		return false
	}
	v, err := strictjson.Parse(text, maxDepth)
	m, _ := v.(map[string]any)
	return err == nil && (m["pack_type"] != nil || m["pack_id"] != nil || m["redaction_policy"] != nil)
}

// ReadProfile reads a profile pack. What does not fit the format is refused with invalid_profile_pack_payload and
// a reason. Sections are decoded one at a time.
func ReadProfile(ctx context.Context, files Files) (*Profile, error) {
	names := files.Names()
	if !slices.Contains(names, manifestFile) {
		return nil, Refuse(errs.InvalidProfilePackPayload, ReasonMissingFile, manifestFile, missingManifest(names))
	}
	text, err := files.Read(manifestFile, maxManifestBytes)
	if err != nil {
		return nil, unreadable(errs.InvalidProfilePackPayload, manifestFile, err)
	}
	m, err := ParseManifest(text)
	if err != nil {
		return nil, err
	}
	p := &Profile{Manifest: m, Sections: map[string]any{}}
	if err := p.checkFiles(files, names); err != nil {
		return nil, err
	}
	values := 0
	for _, name := range m.Sections {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.readSection(files, name, &values); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func missingManifest(names []string) string {
	for _, name := range names {
		if strings.HasSuffix(name, "/"+manifestFile) {
			return "manifest.json does not lie at the top of the zip but in a folder. Zip the files themselves, not the folder around them."
		}
	}
	return "The zip holds no manifest.json at its top: it is no profile pack."
}

// checkFiles refuses files that the format does not know, and reads secrets.age.
func (p *Profile) checkFiles(files Files, names []string) error {
	for _, name := range names {
		section, isSection := strings.CutPrefix(name, "sections/")
		section, isJSON := strings.CutSuffix(section, ".json")
		switch {
		case name == manifestFile:
		case isSection && isJSON && slices.Contains(p.Manifest.Sections, section):
		case isSection && isJSON && KnownSection(section):
			return Refuse(errs.InvalidProfilePackPayload, ReasonUnexpectedFile, name, name+" is in the zip but not among the manifest's sections.")
		case name == SecretsFile:
			sealed, err := files.Read(name, maxSealedBytes)
			if err != nil {
				return unreadable(errs.InvalidProfilePackPayload, name, err)
			}
			if err := checkSealed(p.Manifest, sealed); err != nil {
				return Refuse(errs.InvalidProfilePackPayload, ReasonUnexpectedFile, name, err.Error()+".")
			}
			p.Sealed = sealed
		case isNote(name):
			if err := checkNote(files, name); err != nil {
				return err
			}
		case IsPicture(name):
			if err := p.readPicture(files, name); err != nil {
				return err
			}
		default:
			return Refuse(errs.InvalidProfilePackPayload, ReasonUnexpectedFile, name,
				Clean(name)+" does not belong into a profile pack: it holds manifest.json, sections/*.json, README and LICENSE, and pictures (PNG, JPEG) in screenshots/. Take the file out.")
		}
	}
	return nil
}

func (p *Profile) readPicture(files Files, name string) error {
	in, err := files.Open(name)
	if err != nil {
		return unreadable(errs.InvalidProfilePackPayload, name, err)
	}
	defer in.Close()
	picture, err := readPicture(errs.InvalidProfilePackPayload, name, in)
	if err != nil {
		return unreadable(errs.InvalidProfilePackPayload, name, err)
	}
	p.Pictures = append(p.Pictures, picture)
	return checkPictures(errs.InvalidProfilePackPayload, p.Pictures)
}

// isNote tells whether a file is a README or a LICENSE at the top.
func isNote(name string) bool {
	upper := strings.ToUpper(name)
	return !strings.Contains(name, "/") && (strings.HasPrefix(upper, "README") || strings.HasPrefix(upper, "LICENSE"))
}

func checkNote(files Files, name string) error {
	text, err := files.Read(name, maxNoteBytes)
	if err != nil {
		return unreadable(errs.InvalidProfilePackPayload, name, err)
	}
	var c textCheck
	if _, err := c.Write(text); err != nil || c.end() != nil {
		return Refuse(errs.InvalidProfilePackPayload, ReasonBinaryFile, name, Clean(name)+" is no text in UTF-8.")
	}
	return nil
}

func (p *Profile) readSection(files Files, name string, values *int) error {
	file := sectionFile(name)
	if files.Size(file) < 0 {
		return Refuse(errs.InvalidProfilePackPayload, ReasonMissingFile, file, "The manifest names the section "+name+" but "+file+" is not in the zip.")
	}
	text, err := files.Read(file, maxSectionBytes)
	if err != nil {
		return unreadable(errs.InvalidProfilePackPayload, file, err)
	}
	if *values += countValues(text); *values > maxPackValues {
		return Refuse(errs.InvalidProfilePackPayload, ReasonTooManyValues, file, fmt.Sprintf("The sections hold more than %d values together. Split the pack.", maxPackValues))
	}
	v, err := strictjson.Parse(text, maxDepth)
	if err != nil {
		return refuseJSON(errs.InvalidProfilePackPayload, ReasonBadSection, file, err)
	}
	if !PathsFit(v, MaxPath) {
		return Refuse(errs.InvalidProfilePackPayload, ReasonBadSection, file, longPaths(name))
	}
	if err := checkShape(name, v); err != nil {
		return Refuse(errs.InvalidProfilePackPayload, ReasonBadSection, file, file+": "+err.Error()+".")
	}
	canonical, err := strictjson.Canonical(v)
	if err != nil {
		return Refuse(errs.InvalidProfilePackPayload, ReasonBadSection, file, file+" cannot be written in canonical form.")
	}
	if Digest(canonical) != strings.ToLower(p.Manifest.Hashes[file]) {
		return Refuse(errs.InvalidProfilePackPayload, ReasonHashMismatch, file,
			"The section "+name+" does not fit its hash in manifest.json: it was changed after the pack was made. Export the pack again.").With("section", name)
	}
	p.Sections[name] = v
	return nil
}

func longPaths(section string) string {
	return fmt.Sprintf("The section %s holds names that make paths longer than %d bytes. Shorten them.", Clean(section), MaxPath)
}

// checkShape holds a section to its outer form: conversation_history is a list, every other an object.
func checkShape(name string, v any) error {
	switch v.(type) {
	case map[string]any:
		if name != SectionConversations {
			return nil
		}
	case []any:
		if name == SectionConversations {
			return nil
		}
	}
	if name == SectionConversations {
		return fmt.Errorf("the section %s must be a JSON list", Clean(name))
	}
	return fmt.Errorf("the section %s must be a JSON object", Clean(name))
}

// CheckBounds refuses sections that no pack could carry: larger than 8 MiB in canonical form, with more than 200,000
// values together, or with names that make paths longer than MaxPath.
func CheckBounds(sections map[string]any) error {
	_, err := canonicals(sections)
	return err
}

// canonicals writes sections in canonical form, within the bounds.
func canonicals(sections map[string]any) (map[string][]byte, error) {
	values, out := 0, make(map[string][]byte, len(sections))
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		refuse := func(reason, message string) error {
			return Refuse(errs.InvalidProfilePackPayload, reason, sectionFile(name), message).With("section", Clean(name))
		}
		text, err := strictjson.Canonical(sections[name])
		if err != nil {
			return nil, refuse(ReasonBadSection, "The section "+Clean(name)+" cannot be written as JSON.")
		}
		values += countValues(text)
		switch {
		case !PathsFit(sections[name], MaxPath):
			return nil, refuse(ReasonBadSection, longPaths(name))
		case len(text) > maxSectionBytes:
			return nil, refuse(ReasonFileTooLarge, "The section "+Clean(name)+" is larger than 8 MiB. Leave out some of it.")
		case values > maxPackValues:
			return nil, refuse(ReasonTooManyValues, fmt.Sprintf("The sections hold more than %d values together. Split the pack.", maxPackValues))
		}
		out[name] = text
	}
	return out, nil
}

// countValues is an upper bound of the values in a JSON text, without building any.
func countValues(text []byte) int {
	n, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// unreadable turns an error of Files into a refusal; one that is a refusal already keeps its reason.
func unreadable(code errs.Code, entry string, err error) error {
	if e, ok := errs.As(RefusedArchive(code, err)); ok {
		return e
	}
	return Refuse(code, ReasonUnreadable, entry, Clean(entry)+" cannot be read: it is too large or damaged.")
}
