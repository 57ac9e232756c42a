package submission

import (
	"slices"
	"strings"

	"stoa/internal/market/catalog"
)

// The scan modes.
const (
	Balanced = "balanced"
	Strict   = "strict"
)

// UploadOptions are the upload_options of a template submission.
type UploadOptions struct {
	ScanMode        string             `json:"scan_mode"`
	Visibility      catalog.Visibility `json:"visibility"`
	ReplaceExisting bool               `json:"replace_existing"`
	IdempotencyKey  string             `json:"idempotency_key,omitempty"`
}

// Normalized fills in the defaults.
func (o UploadOptions) Normalized() UploadOptions {
	if o.ScanMode == "" {
		o.ScanMode = Balanced
	}
	if o.Visibility == "" {
		o.Visibility = catalog.Community
	}
	o.IdempotencyKey = NormalKey(o.IdempotencyKey)
	return o
}

// SubmitOptions are the submit_options of a profile-pack submission.
type SubmitOptions struct {
	PackType            string             `json:"pack_type"`
	SelectedSections    []string           `json:"selected_sections"`
	SelectedItemPaths   []string           `json:"selected_item_paths"`
	RedactionMode       string             `json:"redaction_mode"`
	MaskPaths           []string           `json:"mask_paths"`
	DropPaths           []string           `json:"drop_paths"`
	ScanMode            string             `json:"scan_mode"`
	Visibility          catalog.Visibility `json:"visibility"`
	ReplaceExisting     bool               `json:"replace_existing"`
	EncryptionRecipient string             `json:"encryption_recipient,omitempty"`
	IdempotencyKey      string             `json:"idempotency_key,omitempty"`
}

// Normalized fills in the defaults and brings the lists into one order, so that the same wish always
// reads the same.
func (o SubmitOptions) Normalized() SubmitOptions {
	if o.ScanMode == "" {
		o.ScanMode = Balanced
	}
	if o.Visibility == "" {
		o.Visibility = catalog.Community
	}
	if o.RedactionMode == "" {
		o.RedactionMode = "exclude_secrets"
	}
	for _, list := range []*[]string{&o.SelectedSections, &o.SelectedItemPaths, &o.MaskPaths, &o.DropPaths} {
		*list = slices.Clone(*list)
		slices.Sort(*list)
		if *list = slices.Compact(*list); *list == nil {
			*list = []string{}
		}
	}
	o.EncryptionRecipient = strings.TrimSpace(o.EncryptionRecipient)
	o.IdempotencyKey = NormalKey(o.IdempotencyKey)
	return o
}

// maxKey is how many characters of an idempotency key count.
const maxKey = 128

// NormalKey keeps of an idempotency key what counts: letters, digits and - _ . : up to 128 characters
// (field facts, 1.15).
func NormalKey(key string) string {
	key = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:", r)) {
			return r
		}
		return -1
	}, key)
	return key[:min(len(key), maxKey)]
}
