package browse

import (
	"context"
	"encoding/json"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/scan"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// InstallInput says what to install and how.
type InstallInput struct {
	UserID     string          `json:"user_id"`
	SessionID  string          `json:"session_id"`
	TemplateID string          `json:"template_id"`
	Locale     string          `json:"locale"`
	Options    install.Options `json:"install_options"`
}

// PromptBundle is a template's prompt in one language.
type PromptBundle struct {
	TemplateID string `json:"template_id"`
	Version    string `json:"version"`
	Prompt     string `json:"prompt"`
	Locale     string `json:"locale"`
}

// PackageRef names the package that an answer is about.
type PackageRef struct {
	catalog.Artifact
	Version string `json:"version"`
}

// InstallResult is what an install call did, or with preflight would do.
type InstallResult struct {
	Status        string          `json:"status"`
	CanInstall    *bool           `json:"can_install,omitempty"`
	Would         string          `json:"would,omitempty"`
	TemplateID    string          `json:"template_id"`
	Kind          catalog.Kind    `json:"kind"`
	Version       string          `json:"version"`
	UserID        string          `json:"user_id"`
	SessionID     string          `json:"session_id"`
	InstalledAt   string          `json:"installed_at,omitempty"`
	Options       install.Options `json:"install_options"`
	ExecutionMode string          `json:"execution_mode"`
	Observe       bool            `json:"observe_task_details"`
	TaskDetails   *TaskDetails    `json:"task_details,omitempty"`
	PromptBundle  *PromptBundle   `json:"prompt_bundle,omitempty"`
	Package       PackageRef      `json:"package_artifact"`
	RiskLevel     string          `json:"risk_level"`
	ReviewNote    string          `json:"review_note"`
	ReviewLabels  []string        `json:"review_labels"`
	WarningFlags  []string        `json:"warning_flags"`
	Scan          scan.Summary    `json:"scan_summary"`
}

// InstallTemplate installs a template or a profile pack for a member.
func (a *Service) InstallTemplate(ctx context.Context, c core.Caller, in InstallInput) (InstallResult, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return InstallResult{}, err
	}
	if in.TemplateID == "" {
		return InstallResult{}, ErrTemplateID
	}
	if in.SessionID == "" {
		in.SessionID = DefaultSessionID
	}
	in.Options = in.Options.Normal()
	e, kind, err := a.findAny(ctx, c.As(userID), in.TemplateID)
	if err != nil {
		return InstallResult{}, notInstallable(err, in.TemplateID)
	}
	version, err := a.Cache.Version(ctx, e.Seq, e.Version)
	if err != nil {
		return InstallResult{}, notInstallable(err, in.TemplateID)
	}
	preference, err := a.Preference(ctx, userID)
	if err != nil {
		return InstallResult{}, err
	}
	item, err := a.Store.Item(ctx, kind, in.TemplateID)
	if err != nil {
		return InstallResult{}, notInstallable(err, in.TemplateID)
	}
	p := installPlan{caller: c, userID: userID, in: in, entry: e, kind: kind, version: version, preference: preference, note: item.Facts.ReviewNote}
	if in.Options.Preflight {
		return a.preflight(ctx, p)
	}
	return a.install(ctx, p)
}

// installPlan is everything an install needs to know before it writes.
type installPlan struct {
	caller     core.Caller
	userID     string
	in         InstallInput
	entry      catalog.Entry
	kind       catalog.Kind
	version    *CachedVersion
	preference memberdb.Preference
	note       string // the reviewer's, on the version
}

// noteOn gives what the reviewer said of a version, "" when nobody reviewed it.
func (a *Service) noteOn(ctx context.Context, seq int64, version string) (string, error) {
	versions, err := a.Store.Versions(ctx, seq)
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		if v.Version != version || v.SubmissionID == "" {
			continue
		}
		s, err := a.Store.Submission(ctx, v.SubmissionID)
		if errors.Is(err, sqldb.ErrNotFound) {
			return "", nil
		}
		return s.ReviewNote, err
	}
	return "", nil
}

func (p installPlan) artifact() marketdb.Artifact {
	_, uploaded := p.version.Artifact(install.Uploaded)
	if artifact, ok := p.version.Artifact(p.in.Options.Source(uploaded)); ok {
		return artifact
	}
	return p.version.Artifacts[0]
}

func (a *Service) preflight(ctx context.Context, p installPlan) (InstallResult, error) {
	_, err := a.Store.Installation(ctx, p.userID, p.in.TemplateID)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return InstallResult{}, err
	}
	out := p.result(install.PreflightReady, p.entry.Version, p.artifact(), p.version)
	yes := true
	out.CanInstall, out.Would = &yes, p.in.Options.Would(err == nil)
	return out, nil
}

func (a *Service) install(ctx context.Context, p installPlan) (InstallResult, error) {
	artifact := p.artifact()
	options, err := json.Marshal(p.in.Options)
	if err != nil {
		return InstallResult{}, err
	}
	var row marketdb.Installation
	var status string
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		now := clock.Micros(tx.Now)
		row = marketdb.Installation{
			UserID: p.userID, ItemID: p.in.TemplateID, Kind: string(p.kind), Seq: p.entry.Seq, Version: p.entry.Version, SHA256: artifact.SHA256,
			SizeBytes: artifact.SizeBytes, Source: artifact.Source, SessionID: p.in.SessionID, ExecutionMode: p.preference.ExecutionMode,
			Observe: p.preference.Observe, Options: string(options), InstalledAt: now, UpdatedAt: now,
		}
		var err error
		if status, err = writeInstallation(tx, &row, p.in.Options.ForceReinstall); err != nil || status == install.AlreadyInstalled {
			return err
		}
		if err := a.UseQuota(tx, p.userID, core.QuotaInstalls, 1); err != nil {
			return err
		}
		if err := tx.AddEvent(core.NewAuditEvent(tx, p.caller, core.AuditEntry{
			Owner: p.userID, Task: true, Action: "template.installed", Kind: p.kind, ItemID: row.ItemID, Target: artifact.ID, Status: status,
			Detail: map[string]any{"version": row.Version, "sha256": row.SHA256, "source": row.Source},
		})); err != nil {
			return err
		}
		return a.BumpEngagement(tx, p.kind, p.entry.Seq, p.entry.VisibleTo(""), marketdb.Installs)
	})
	if err != nil {
		return InstallResult{}, err
	}
	return a.installed(ctx, p, row, status)
}

func writeInstallation(tx *store.Tx, row *marketdb.Installation, force bool) (status string, err error) {
	if !force {
		current, added, err := tx.AddInstallation(*row)
		*row = current
		if added {
			return install.Installed, err
		}
		return install.AlreadyInstalled, err
	}
	current, replaced, err := tx.ReplaceInstallation(*row)
	*row = current
	if replaced {
		return install.Reinstalled, err
	}
	return install.Installed, err
}

// installed answers with what is recorded, which for a repeated install may be an older version.
func (a *Service) installed(ctx context.Context, p installPlan, row marketdb.Installation, status string) (InstallResult, error) {
	version := p.version
	if row.Seq != p.entry.Seq || row.Version != p.entry.Version {
		var err error
		if version, err = a.Cache.Version(ctx, row.Seq, row.Version); err != nil {
			return InstallResult{}, err
		}
		if p.note, err = a.noteOn(ctx, row.Seq, row.Version); err != nil {
			return InstallResult{}, err
		}
	}
	artifact, ok := version.Artifact(row.Source)
	if !ok {
		artifact = version.Artifacts[0]
	}
	if status == install.AlreadyInstalled {
		// Echo what the first install was asked for; what was stored by us reads back.
		_ = json.Unmarshal([]byte(row.Options), &p.in.Options)
		p.in.SessionID = row.SessionID
	}
	out := p.result(status, row.Version, artifact, version)
	if _, gone := a.Cache.withdrawal(row.Seq, row.Version); gone {
		out.PromptBundle = nil // what they took is theirs; it is not handed out again
	}
	out.InstalledAt = clock.Text(clock.FromMicros(row.InstalledAt))
	if p.preference.Observe {
		out.TaskDetails = &TaskDetails{"template.install", row.ItemID, row.SessionID, row.ExecutionMode, status}
	}
	return out, nil
}

func (p installPlan) result(status, version string, artifact marketdb.Artifact, v *CachedVersion) InstallResult {
	s := v.Document.Scan
	out := InstallResult{
		Status: status, TemplateID: p.in.TemplateID, Kind: p.kind, Version: version, UserID: p.userID, SessionID: p.in.SessionID,
		Options: p.in.Options, ExecutionMode: p.preference.ExecutionMode, Observe: p.preference.Observe,
		Package:   PackageRef{artifact.Artifact, version},
		RiskLevel: s.RiskLevel, ReviewNote: p.note, ReviewLabels: append([]string{}, p.entry.ReviewLabels...), WarningFlags: append([]string{}, p.entry.WarningFlags...), Scan: s,
	}
	if version != p.entry.Version {
		out.ReviewLabels, out.WarningFlags = s.ReviewLabels, s.WarningFlags
	}
	if p.kind == catalog.KindTemplate {
		out.PromptBundle = bundleOf(&v.Document, version, p.caller.Locale)
	}
	return out
}

func bundleOf(d *catalog.Document, version, locale string) *PromptBundle {
	text, tag := d.Text(locale)
	return &PromptBundle{TemplateID: d.ID, Version: version, Prompt: text.Prompt, Locale: tag}
}

func notInstallable(err error, id string) error {
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.New(errs.TemplateNotInstallable, "This template cannot be installed: it is not published here.").
			With("template_id", id).With("status", "not_installable")
	}
	return err
}
