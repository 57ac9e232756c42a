package catalog

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/market/ids"
)

// Longest names, in characters.
const (
	MaxID       = 200
	MaxVersion  = ids.MaxVersion
	MaxCategory = 64
	MaxAuthor   = 128
)

// CheckName is the one rule for ids, versions and other names of items: at most limit characters, valid
// UTF-8, no control characters. The error names the field and never shows the text.
func CheckName(field, text string, limit int) error {
	switch {
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not valid UTF-8", field)
	case utf8.RuneCountInString(text) > limit:
		return fmt.Errorf("%s is longer than %d characters", field, limit)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%s holds a control character", field)
	}
	return nil
}

// CheckID is CheckName for a template_id or pack_id, which must be there.
func CheckID(field, id string) error {
	if strings.TrimSpace(id) == "" {
		return fmt.Errorf("%s is missing", field)
	}
	return CheckName(field, id, MaxID)
}

// CheckVersion is CheckName for a version, which must be there.
func CheckVersion(version string) error {
	if strings.TrimSpace(version) == "" {
		return fmt.Errorf("version is missing")
	}
	return CheckName("version", version, MaxVersion)
}
