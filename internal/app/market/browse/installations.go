package browse

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// Installation is an installed item as its member sees it.
type Installation struct {
	TemplateID      string          `json:"template_id"`
	Kind            string          `json:"kind"`
	Status          string          `json:"status"`
	Title           string          `json:"title"`
	Version         string          `json:"version"`
	LatestVersion   string          `json:"latest_version"`
	UpdateAvailable bool            `json:"update_available"`
	Digest          string          `json:"digest"`
	Source          string          `json:"source"`
	InstalledAt     string          `json:"installed_at"`
	UpdatedAt       string          `json:"updated_at"`
	ExecutionMode   string          `json:"execution_mode"`
	Observe         bool            `json:"observe_task_details"`
	Options         install.Options `json:"install_options"`
	RiskLevel       string          `json:"risk_level"`
	ReviewLabels    []string        `json:"review_labels"`
	WarningFlags    []string        `json:"warning_flags"`
	SourceChannel   string          `json:"source_channel"`
	Maintainer      string          `json:"maintainer"`
	Published       bool            `json:"published"`
	// Notice is what its member should know of it, NoticeNone for nothing, since NoticeAt and for a reason.
	Notice       string `json:"notice"`
	NoticeAt     string `json:"notice_at"`
	NoticeReason string `json:"notice_reason"`
	// RiskBefore is the risk of the version before it was judged again, "" when it was not since it was installed.
	RiskBefore string             `json:"risk_before"`
	Engagement catalog.Engagement `json:"engagement"`
}

// What a member should know of something that they have installed.
const (
	NoticeNone      = ""
	NoticeWithdrawn = "withdrawn"
	NoticeJudged    = "judged_again"
)

// InstallationList is a page of installations.
type InstallationList struct {
	UserID        string         `json:"user_id"`
	Count         int            `json:"count"`
	Total         int            `json:"total"`
	Installations []Installation `json:"installations"`
	NextCursor    string         `json:"next_cursor"`
	RefreshedAt   string         `json:"refreshed_at,omitempty"`
}

// ListMemberInstallations answers what a member has installed, latest change first.
func (a *Service) ListMemberInstallations(ctx context.Context, c core.Caller, in core.PageInput) (InstallationList, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return InstallationList{}, err
	}
	at, id, err := decodeInstallationCursor(in.Cursor)
	if err != nil {
		return InstallationList{}, err
	}
	if err := a.Cache.wait(ctx); err != nil {
		return InstallationList{}, err
	}
	rows, err := a.Store.Installations(ctx, userID, at, id, in.Size()+1)
	if err != nil {
		return InstallationList{}, err
	}
	out := InstallationList{UserID: userID}
	if len(rows) > in.Size() {
		rows = rows[:in.Size()]
		last := rows[len(rows)-1]
		out.NextCursor = encodeInstallationCursor(last.UpdatedAt, last.ItemID)
	}
	if out.Total, err = a.Store.CountInstallations(ctx, userID); err != nil {
		return out, err
	}
	out.Installations, err = a.shownInstallations(ctx, c.As(userID), rows)
	out.Count = len(out.Installations)
	return out, err
}

// RefreshMemberInstallations is the same list, with the time at which it was compared with the catalog.
func (a *Service) RefreshMemberInstallations(ctx context.Context, c core.Caller, in core.PageInput) (InstallationList, error) {
	out, err := a.ListMemberInstallations(ctx, c, in)
	out.RefreshedAt = clock.Text(a.Clock())
	return out, err
}

func (a *Service) shownInstallations(ctx context.Context, c core.Caller, rows []marketdb.Installation) ([]Installation, error) {
	seqs := make([]int64, len(rows))
	for i, row := range rows {
		seqs[i] = row.Seq
	}
	texts, err := a.Cache.listings(ctx, a.reader(c), seqs, c.Locale)
	if err != nil {
		return nil, err
	}
	out := make([]Installation, len(rows))
	for i, row := range rows {
		out[i] = Installation{
			TemplateID: row.ItemID, Kind: row.Kind, Status: install.Installed, Title: row.ItemID, Version: row.Version, LatestVersion: row.Version,
			Digest: row.SHA256, Source: row.Source, InstalledAt: clock.Text(clock.FromMicros(row.InstalledAt)),
			UpdatedAt: clock.Text(clock.FromMicros(row.UpdatedAt)), ExecutionMode: row.ExecutionMode, Observe: row.Observe,
			RiskLevel: "low", ReviewLabels: []string{}, WarningFlags: []string{},
		}
		if err := json.Unmarshal([]byte(row.Options), &out[i].Options); err != nil {
			return nil, err
		}
		if err := a.verdictOf(ctx, c, &out[i], row); err != nil {
			return nil, err
		}
		e, ok := a.Cache.Index(catalog.Kind(row.Kind)).BySeq(row.Seq)
		if !ok || !e.VisibleTo(c.Viewer()) { // no longer published for this member: what they have stays theirs
			if err := a.whyGone(ctx, &out[i], row); err != nil {
				return nil, err
			}
			continue
		}
		out[i].Title = titleIn(texts[i], row.ItemID)
		out[i].compare(e)
		if w, gone := a.Cache.withdrawal(row.Seq, row.Version); gone {
			out[i].Notice, out[i].NoticeAt, out[i].NoticeReason = NoticeWithdrawn, clock.Text(clock.FromMicros(w.At)), w.Note
		}
	}
	return out, nil
}

// verdictOf fills in what the version that is installed is called and what the scan says of it, whether or not a newer one is out.
func (a *Service) verdictOf(ctx context.Context, c core.Caller, i *Installation, row marketdb.Installation) error {
	v, err := a.Cache.Version(ctx, row.Seq, row.Version)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil // its author's account was deleted with all that was theirs
	}
	if err != nil {
		return err
	}
	if text, _ := v.Document.Text(c.Locale); text.Title != "" {
		i.Title = text.Title
	}
	s := v.Document.Scan
	i.RiskLevel, i.ReviewLabels, i.WarningFlags = s.RiskLevel, core.NonNil(s.ReviewLabels), core.NonNil(s.WarningFlags)
	if j := v.Document.Judged; j != nil && j.At > row.UpdatedAt {
		i.Notice, i.NoticeAt, i.RiskBefore = NoticeJudged, clock.Text(clock.FromMicros(j.At)), j.RiskBefore
		i.NoticeReason = strings.Join(j.FlagsAdded, ", ")
	}
	return nil
}

// whyGone fills in why an item is no longer in the catalog.
func (a *Service) whyGone(ctx context.Context, i *Installation, row marketdb.Installation) error {
	i.Notice, i.NoticeAt, i.NoticeReason = NoticeWithdrawn, "", ""
	item, err := a.Store.Item(ctx, catalog.Kind(row.Kind), row.ItemID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil
	}
	if w := item.Facts.Withdrawal; err == nil && item.Seq == row.Seq && w != nil {
		i.NoticeAt, i.NoticeReason = clock.Text(clock.FromMicros(w.At)), w.Note
	}
	return err
}

// compare fills in what the catalog says today.
func (i *Installation) compare(e catalog.Entry) {
	i.Published, i.LatestVersion, i.UpdateAvailable = true, e.Version, e.Version != i.Version
	i.SourceChannel, i.Maintainer, i.Engagement = e.SourceChannel, e.Maintainer, e.Engagement
	if !i.UpdateAvailable { // what people added to the latest version
		i.RiskLevel, i.ReviewLabels, i.WarningFlags = e.RiskLevel, core.NonNil(e.ReviewLabels), core.NonNil(e.WarningFlags)
	}
}

func titleIn(listing []byte, fallback string) string {
	var l struct {
		Title string `json:"title"`
	}
	if listing == nil || json.Unmarshal(listing, &l) != nil || l.Title == "" {
		return fallback
	}
	return l.Title
}

// UninstallResult says what was removed.
type UninstallResult struct {
	UserID        string `json:"user_id"`
	TemplateID    string `json:"template_id"`
	Status        string `json:"status"`
	Version       string `json:"version"`
	UninstalledAt string `json:"uninstalled_at"`
}

// UninstallMemberInstallation removes an installation.
func (a *Service) UninstallMemberInstallation(ctx context.Context, c core.Caller, in TemplateInput) (UninstallResult, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return UninstallResult{}, err
	}
	if in.TemplateID == "" {
		return UninstallResult{}, ErrTemplateID
	}
	out := UninstallResult{UserID: userID, TemplateID: in.TemplateID, Status: "uninstalled"}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.RemoveInstallation(userID, in.TemplateID)
		if err != nil {
			return err
		}
		out.Version, out.UninstalledAt = row.Version, clock.Text(tx.Now)
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "template.uninstalled", Kind: catalog.Kind(row.Kind), ItemID: row.ItemID, Status: "uninstalled",
			Detail: map[string]any{"version": row.Version},
		}))
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.MemberInstallationNotFound, "This is not installed.").With("template_id", in.TemplateID)
	}
	return out, err
}

func encodeInstallationCursor(at int64, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at, 36) + ":" + id))
}

func decodeInstallationCursor(cursor string) (at int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, id, ok := strings.Cut(string(text), ":")
	if err == nil && ok {
		at, err = strconv.ParseInt(number, 36, 64)
	}
	if err != nil || !ok || at <= 0 || !core.Storable(id) {
		return 0, "", core.ErrCursor
	}
	return at, id, nil
}
