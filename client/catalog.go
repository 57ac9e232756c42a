package client

import (
	"context"
	"net/url"
	"slices"
)

// Item is a published template or profile pack.
type Item struct {
	TemplateID    string       `json:"template_id,omitempty"`
	PackID        string       `json:"pack_id,omitempty"`
	Version       string       `json:"version"`
	Title         string       `json:"title"`
	Description   string       `json:"description"`
	Category      string       `json:"category"`
	Tags          []string     `json:"tags"`
	Maintainer    string       `json:"maintainer"`
	Owner         string       `json:"owner"`
	Visibility    string       `json:"visibility"`
	RiskLevel     string       `json:"risk_level"`
	ReviewLabels  []string     `json:"review_labels"`
	WarningFlags  []string     `json:"warning_flags"`
	PackType      string       `json:"pack_type,omitempty"`
	Sections      []string     `json:"sections,omitempty"`
	RedactionMode string       `json:"redaction_mode,omitempty"`
	Compatibility string       `json:"compatibility,omitempty"`
	Issues        []string     `json:"compatibility_issues,omitempty"`
	Capabilities  Capabilities `json:"capability_summary"`
	Versions      []Version    `json:"versions"` // newest first
	Withdrawn     []Withdrawn  `json:"withdrawn_versions,omitempty"`
	Package       *Artifact    `json:"package_artifact,omitempty"`
	SHA256        string       `json:"sha256,omitempty"` // of a pack's package
	SizeBytes     int64        `json:"size_bytes,omitempty"`
}

// ID is the id of the template or pack.
func (i *Item) ID() string {
	if i.TemplateID != "" {
		return i.TemplateID
	}
	return i.PackID
}

// Capabilities are what a pack declares and what was found in its bytes.
type Capabilities struct {
	Declared []string `json:"declared"`
	Derived  []string `json:"derived"`
	HighRisk []string `json:"high_risk_declared"`
}

// Artifact is a package that can be downloaded.
type Artifact struct {
	ID        string `json:"artifact_id"`
	SHA256    string `json:"sha256"`
	Filename  string `json:"filename"`
	Source    string `json:"source"`
	SizeBytes int64  `json:"size_bytes"`
}

// Version is one line of an item's history.
type Version struct {
	Version     string `json:"version"`
	PublishedAt string `json:"published_at"`
	SHA256      string `json:"sha256"`
	SizeBytes   int64  `json:"size_bytes"`
	RiskLevel   string `json:"risk_level"`
	ChangeNote  string `json:"change_note"`
	Latest      bool   `json:"latest"`
}

// Withdrawn is a version that the author of an item took out of its history.
type Withdrawn struct {
	Version string `json:"version"`
	At      string `json:"withdrawn_at"`
	Note    string `json:"note"`
}

// Digest is the SHA-256 of a version's package as the catalog tells it; "" when there is no such version.
func (i *Item) Digest(version string) string {
	if version == i.Version && i.Package != nil && i.Package.SHA256 != "" {
		return i.Package.SHA256
	}
	if version == i.Version && i.SHA256 != "" {
		return i.SHA256
	}
	for _, v := range i.Versions {
		if v.Version == version {
			return v.SHA256
		}
	}
	return ""
}

// RiskOf is the risk of a version; "" when there is no such version.
func (i *Item) RiskOf(version string) string {
	for _, v := range i.Versions {
		if v.Version == version {
			return v.RiskLevel
		}
	}
	if version == i.Version {
		return i.RiskLevel
	}
	return ""
}

// Has reports whether the catalog names a version.
func (i *Item) Has(version string) bool {
	return version == i.Version || slices.ContainsFunc(i.Versions, func(v Version) bool { return v.Version == version })
}

// Template answers a published template.
func (c *Client) Template(ctx context.Context, id string) (Item, error) {
	var out Item
	err := c.get(ctx, "/api/templates/detail", url.Values{"template_id": {id}}, 0, &out)
	return out, err
}

// ProfilePack answers a published profile pack.
func (c *Client) ProfilePack(ctx context.Context, id string) (Item, error) {
	var out Item
	err := c.get(ctx, "/api/profile-pack/catalog/detail", url.Values{"pack_id": {id}}, 0, &out)
	return out, err
}

// DownloadTemplate downloads the package of a template; version "" is the latest.
func (c *Client) DownloadTemplate(ctx context.Context, id, version string, d Download) (Downloaded, error) {
	query := url.Values{"template_id": {id}}
	set(query, "version", version)
	return c.download(ctx, "/api/templates/package/download", query, d)
}

// DownloadProfilePack downloads a published profile pack; version "" is the latest.
func (c *Client) DownloadProfilePack(ctx context.Context, id, version string, d Download) (Downloaded, error) {
	query := url.Values{"pack_id": {id}}
	set(query, "version", version)
	return c.download(ctx, "/api/profile-pack/package/download", query, d)
}

// ItemPicture downloads a screenshot of an item by its name in the package.
func (c *Client) ItemPicture(ctx context.Context, id, name string, d Download) (Downloaded, error) {
	return c.download(ctx, "/api/market/picture", url.Values{"item_id": {id}, "name": {name}}, d)
}

// Installation is what the server recorded.
type Installation struct {
	Status      string `json:"status"` // installed, already_installed or reinstalled
	Version     string `json:"version"`
	InstalledAt string `json:"installed_at"`
}

// Install records that the member installed an item. Without force one that is recorded already stays as it is.
func (c *Client) Install(ctx context.Context, id string, sections []string, force bool) (Installation, error) {
	options := map[string]any{"force_reinstall": force}
	if len(sections) > 0 {
		options["selected_sections"] = sections
	}
	var out Installation
	err := c.post(ctx, "/api/templates/install", "", map[string]any{"template_id": id, "install_options": options}, false, &out)
	return out, err
}

// Uninstall records that the member no longer has an item. One that is not recorded is no error.
func (c *Client) Uninstall(ctx context.Context, id string) error {
	err := c.post(ctx, "/api/member/installations/uninstall", "", map[string]any{"template_id": id}, false, nil)
	if CodeOf(err) == "member_installation_not_found" {
		return nil
	}
	return err
}
