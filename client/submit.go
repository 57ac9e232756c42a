package client

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
)

// Texts are what a submission may say beside its package. What the package says itself comes first.
type Texts struct {
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Maintainer  string   `json:"maintainer,omitempty"`
	ChangeNote  string   `json:"change_note,omitempty"`
}

// Template is a template to be submitted.
type Template struct {
	TemplateID string `json:"template_id"`
	Version    string `json:"version,omitempty"`
	Prompt     string `json:"prompt,omitempty"` // of a submission without a package
	Texts
	Options UploadOptions `json:"upload_options"`
}

// UploadOptions are the contract's upload_options.
type UploadOptions struct {
	ScanMode        string `json:"scan_mode,omitempty"`  // balanced or strict
	Visibility      string `json:"visibility,omitempty"` // community or private
	ReplaceExisting bool   `json:"replace_existing,omitempty"`
	IdempotencyKey  string `json:"idempotency_key,omitempty"`
}

// Pack is a draft to be submitted as a profile pack.
type Pack struct {
	ArtifactID string `json:"artifact_id"` // of the draft: Import.ArtifactID
	PackID     string `json:"pack_id,omitempty"`
	Version    string `json:"version,omitempty"`
	Texts
	Options SubmitOptions `json:"submit_options"`
}

// SubmitOptions are the contract's submit_options.
type SubmitOptions struct {
	UploadOptions
	PackType            string   `json:"pack_type,omitempty"`
	SelectedSections    []string `json:"selected_sections,omitempty"`
	SelectedItemPaths   []string `json:"selected_item_paths,omitempty"`
	RedactionMode       string   `json:"redaction_mode,omitempty"`
	MaskPaths           []string `json:"mask_paths,omitempty"`
	DropPaths           []string `json:"drop_paths,omitempty"`
	EncryptionRecipient string   `json:"encryption_recipient,omitempty"`
}

// Submission is a submission as its owner sees it.
type Submission struct {
	SubmissionID     string          `json:"submission_id"`
	Kind             string          `json:"kind"` // template or profile_pack
	TemplateID       string          `json:"template_id,omitempty"`
	PackID           string          `json:"pack_id,omitempty"`
	Version          string          `json:"version"`
	Status           string          `json:"status"` // pending, approved, rejected, replaced or withdrawn
	Title            string          `json:"title"`
	Visibility       string          `json:"visibility"`
	RiskLevel        string          `json:"risk_level"`
	ReviewNote       string          `json:"review_note"`
	ReviewLabels     []string        `json:"review_labels"`
	WarningFlags     []string        `json:"warning_flags"`
	CreatedAt        string          `json:"created_at"`
	UpdatedAt        string          `json:"updated_at"`
	Replaced         []string        `json:"replaced_submission_ids"`
	Returned         []string        `json:"returned"` // what a reviewer had asked to take out and stands in it
	IdempotentReplay bool            `json:"idempotent_replay,omitempty"`
	LeaveReport      json.RawMessage `json:"leave_report,omitempty"`
}

// ItemID is the id of the template or pack.
func (s *Submission) ItemID() string {
	if s.TemplateID != "" {
		return s.TemplateID
	}
	return s.PackID
}

// Import is a draft: a setup that was brought in and is not published.
type Import struct {
	ArtifactID    string          `json:"artifact_id"`
	Filename      string          `json:"filename"`
	SourceType    string          `json:"source_type"`
	PackID        string          `json:"pack_id"`
	PackType      string          `json:"pack_type"`
	Version       string          `json:"version"`
	Sections      []string        `json:"sections"`
	Compatibility string          `json:"compatibility"`
	LeaveReport   json.RawMessage `json:"leave_report,omitempty"`
}

// SubmitTemplate submits a template, with its package unless file is nil.
func (c *Client) SubmitTemplate(ctx context.Context, t Template, file *File) (Submission, error) {
	var s Submission
	if file == nil {
		err := c.post(ctx, "/api/templates/submit", t.Options.IdempotencyKey, t, true, &s)
		return s, err
	}
	fields := struct {
		Template
		PackageName string `json:"package_name"`
	}{t, file.Name}
	err := c.upload(ctx, "/api/templates/submit", t.Options.IdempotencyKey, fields, "package_base64", file, &s)
	return s, err
}

// ImportProfilePack brings a setup in as a draft. With a key the same call again answers the same draft.
func (c *Client) ImportProfilePack(ctx context.Context, file *File, key string) (Import, error) {
	var out Import
	err := c.upload(ctx, "/api/member/profile-pack/imports", key, map[string]string{"filename": file.Name}, "content_base64", file, &out)
	return out, err
}

// SubmitProfilePack submits a draft.
func (c *Client) SubmitProfilePack(ctx context.Context, p Pack) (Submission, error) {
	var s Submission
	err := c.post(ctx, "/api/profile-pack/submit", p.Options.IdempotencyKey, p, true, &s)
	return s, err
}

// SubmissionFilter narrows a list of submissions; the zero value is the newest 50 of all.
type SubmissionFilter struct {
	Status string
	Limit  int
	Cursor string
}

// SubmissionPage is a page of submissions, newest first.
type SubmissionPage struct {
	Submissions []Submission `json:"submissions"`
	NextCursor  string       `json:"next_cursor"`
}

// TemplateSubmissions lists the member's template submissions.
func (c *Client) TemplateSubmissions(ctx context.Context, f SubmissionFilter) (SubmissionPage, error) {
	return c.submissions(ctx, "/api/member/submissions", "template", f)
}

// PackSubmissions lists the member's profile-pack submissions.
func (c *Client) PackSubmissions(ctx context.Context, f SubmissionFilter) (SubmissionPage, error) {
	return c.submissions(ctx, "/api/member/profile-pack/submissions", "profile_pack", f)
}

func (c *Client) submissions(ctx context.Context, path, kind string, f SubmissionFilter) (SubmissionPage, error) {
	query := url.Values{}
	set(query, "status", f.Status, "cursor", f.Cursor)
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	var page SubmissionPage
	err := c.get(ctx, path, query, maxLong, &page)
	for i := range page.Submissions {
		page.Submissions[i].Kind = kind
	}
	return page, err
}

// WithdrawTemplateSubmission takes a pending template submission back.
func (c *Client) WithdrawTemplateSubmission(ctx context.Context, id string) (Submission, error) {
	return c.withdraw(ctx, "/api/member/submissions/withdraw", id)
}

// WithdrawPackSubmission takes a pending profile-pack submission back.
func (c *Client) WithdrawPackSubmission(ctx context.Context, id string) (Submission, error) {
	return c.withdraw(ctx, "/api/member/profile-pack/submissions/withdraw", id)
}

func (c *Client) withdraw(ctx context.Context, path, id string) (Submission, error) {
	var s Submission
	err := c.post(ctx, path, "", map[string]string{"submission_id": id}, false, &s)
	return s, err
}

// DownloadTemplateSubmission downloads the package of one of the member's own template submissions.
func (c *Client) DownloadTemplateSubmission(ctx context.Context, id string, d Download) (Downloaded, error) {
	return c.download(ctx, "/api/member/submissions/package/download", url.Values{"submission_id": {id}}, d)
}

// DownloadPackSubmission downloads the pack of one of the member's own profile-pack submissions.
func (c *Client) DownloadPackSubmission(ctx context.Context, id string, d Download) (Downloaded, error) {
	return c.download(ctx, "/api/member/profile-pack/submissions/export/download", url.Values{"submission_id": {id}}, d)
}

// set puts those of the pairs into a query that say something.
func set(query url.Values, pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
}
