package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

const bundleFile = "bundle.json"

// Bounds of a template package.
const (
	maxBundleBytes  = 1 << 20
	maxBundleValues = 20_000
)

// Bundle is bundle.json of a template package. Members that are not named here are in Other: provider_settings,
// command_permission and the like, which matter to the scanner.
type Bundle struct {
	TemplateID  string
	Version     string
	Prompt      string // prompt, else prompt_template
	Title       string
	Description string
	Category    string
	Tags        []string
	Maintainer  string
	Locales     map[string]catalog.Text
	Other       map[string]any
	Files       []string // the other texts of the package, in archive order
	Pictures    []Picture
}

// bundleIn is what bundle.json may say; everything is checked afterwards.
type bundleIn struct {
	TemplateID     string                  `json:"template_id"`
	Version        string                  `json:"version"`
	Prompt         string                  `json:"prompt"`
	PromptTemplate string                  `json:"prompt_template"`
	Title          string                  `json:"title"`
	Description    string                  `json:"description"`
	Category       string                  `json:"category"`
	Tags           []string                `json:"tags"`
	Maintainer     string                  `json:"maintainer"`
	Locales        map[string]catalog.Text `json:"locales"`
}

var bundleMembers = []string{
	"template_id", "version", "prompt", "prompt_template", "title", "description", "category", "tags", "maintainer", "locales",
}

// ReadTemplate reads a template package in one pass over its files, in archive order. each, if not nil, is asked
// once for every text, bundle.json included, for a writer that gets the file's bytes (nil for none); an error of
// that writer ends the reading and is returned as it is. What does not fit the format is refused with
// invalid_package_payload and a reason.
func ReadTemplate(ctx context.Context, a *archive.Archive, each func(name string) io.Writer) (Bundle, error) {
	var b Bundle
	found := false
	err := a.Each(ctx, func(name string, r io.Reader) error {
		if IsPicture(name) {
			picture, err := readPicture(errs.InvalidPackagePayload, name, r)
			picture.Content = nil
			if b.Pictures = append(b.Pictures, picture); err == nil {
				err = checkPictures(errs.InvalidPackagePayload, b.Pictures)
			}
			return err
		}
		sink := io.Discard
		if each != nil {
			if w := each(name); w != nil {
				sink = w
			}
		}
		if name != bundleFile {
			b.Files = append(b.Files, name)
			return readText(name, r, sink)
		}
		found = true
		text, err := io.ReadAll(io.LimitReader(io.TeeReader(r, sink), maxBundleBytes+1))
		if err != nil {
			return err
		}
		if len(text) > maxBundleBytes {
			return Refuse(errs.InvalidPackagePayload, ReasonFileTooLarge, name, "bundle.json is larger than 1 MiB.")
		}
		files, pictures := b.Files, b.Pictures
		b, err = ParseBundle(text)
		b.Files, b.Pictures = files, pictures
		return err
	})
	if err != nil {
		return Bundle{}, RefusedArchive(errs.InvalidPackagePayload, err)
	}
	if !found {
		return Bundle{}, Refuse(errs.InvalidPackagePayload, ReasonMissingFile, bundleFile, missingBundle(b.Files))
	}
	return b, nil
}

func missingBundle(names []string) string {
	for _, name := range names {
		if strings.HasSuffix(name, "/"+bundleFile) {
			return "bundle.json does not lie at the top of the zip but in a folder. Zip the files themselves, not the folder around them."
		}
	}
	return "The zip holds no bundle.json at its top: it is no template package."
}

// readText passes a file on and refuses what is no text.
func readText(name string, r io.Reader, sink io.Writer) error {
	var c textCheck
	_, err := io.Copy(io.MultiWriter(&c, sink), r)
	if err == nil {
		err = c.end()
	}
	if errors.Is(err, errBinary) {
		return Refuse(errs.InvalidPackagePayload, ReasonBinaryFile, name,
			Clean(name)+" is no text in UTF-8 or UTF-16. A template package holds bundle.json, text files, and pictures (PNG, JPEG) in screenshots/.")
	}
	return err
}

// twiceFolded returns a name that an object of v has twice but for case, "" when there is none. Many readers of JSON
// ignore case, and which of the two they take is chance.
func twiceFolded(v any) string {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			if name := twiceFolded(child); name != "" {
				return name
			}
		}
	case map[string]any:
		seen := make(map[string]bool, len(v))
		for name, child := range v {
			folded := strings.Map(leastFold, name)
			if seen[folded] {
				return name
			}
			seen[folded] = true
			if name := twiceFolded(child); name != "" {
				return name
			}
		}
	}
	return ""
}

// leastFold returns the first of the characters that are equal to r but for case.
func leastFold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// ParseBundle reads and checks bundle.json.
func ParseBundle(text []byte) (Bundle, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if countValues(text) > maxBundleValues {
		return Bundle{}, Refuse(errs.InvalidPackagePayload, ReasonTooManyValues, bundleFile, fmt.Sprintf("bundle.json holds more than %d values.", maxBundleValues))
	}
	var in bundleIn
	v, err := strictjson.Parse(text, maxDepth)
	if err == nil {
		err = strictjson.Decode(text, maxDepth, &in, true)
	}
	if err != nil {
		return Bundle{}, refuseJSON(errs.InvalidPackagePayload, ReasonBadBundle, bundleFile, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return Bundle{}, Refuse(errs.InvalidPackagePayload, ReasonBadBundle, bundleFile, "bundle.json must be a JSON object.")
	}
	if name := twiceFolded(object); name != "" {
		return Bundle{}, Refuse(errs.InvalidPackagePayload, ReasonBadBundle, bundleFile,
			"bundle.json has "+Clean(name)+" twice in one object, in upper and in lower case. Keep one: some readers take the other.")
	}
	for _, name := range bundleMembers {
		delete(object, name)
	}
	b := Bundle{
		TemplateID: strings.TrimSpace(in.TemplateID), Version: strings.TrimSpace(in.Version), Prompt: in.Prompt, Title: strings.TrimSpace(in.Title),
		Description: strings.TrimSpace(in.Description), Category: strings.TrimSpace(in.Category), Tags: in.Tags,
		Maintainer: strings.TrimSpace(in.Maintainer), Locales: in.Locales, Other: object,
	}
	if strings.TrimSpace(b.Prompt) == "" {
		b.Prompt = in.PromptTemplate
	}
	if err := b.check(); err != nil {
		return Bundle{}, Refuse(errs.InvalidPackagePayload, ReasonBadBundle, bundleFile, "bundle.json: "+err.Error()+".")
	}
	return b, nil
}

func (b *Bundle) check() error {
	if err := catalog.CheckID("template_id", b.TemplateID); err != nil {
		return err
	}
	if err := catalog.CheckVersion(b.Version); err != nil {
		return err
	}
	if err := catalog.CheckName("category", b.Category, catalog.MaxCategory); err != nil {
		return err
	}
	if err := catalog.CheckName("maintainer", b.Maintainer, catalog.MaxAuthor); err != nil {
		return err
	}
	if strings.TrimSpace(b.Prompt) != "" {
		return nil
	}
	for _, text := range b.Locales {
		if strings.TrimSpace(text.Prompt) != "" {
			return nil
		}
	}
	return errors.New("prompt is missing")
}
