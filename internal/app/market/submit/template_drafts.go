package submit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// TemplateTexts is what a member has written of a template, finished or not.
type TemplateTexts struct {
	TemplateID      string   `json:"template_id"`
	Version         string   `json:"version"`
	Title           string   `json:"title"`
	Description     string   `json:"description"`
	Category        string   `json:"category"`
	Tags            []string `json:"tags"`
	ChangeNote      string   `json:"change_note"`
	Prompt          string   `json:"prompt"`
	Visibility      string   `json:"visibility"`
	ScanMode        string   `json:"scan_mode"`
	ReplaceExisting bool     `json:"replace_existing"`
}

// TemplateDraftInput is what is to be kept of a draft. Revision is the one that the writer has seen, 0 for a new draft.
type TemplateDraftInput struct {
	UserID   string `json:"user_id"`
	DraftID  string `json:"draft_id"`
	Revision int64  `json:"revision"`
	TemplateTexts
}

// SavedTemplateDraft says as what a draft is kept.
type SavedTemplateDraft struct {
	UserID   string `json:"user_id"`
	DraftID  string `json:"draft_id"`
	Revision int64  `json:"revision"`
	SavedAt  string `json:"saved_at"`
}

// TemplateDraft is a draft whole.
type TemplateDraft struct {
	SavedTemplateDraft
	TemplateTexts
}

// TemplateDraftRow is a draft in a list.
type TemplateDraftRow struct {
	DraftID    string `json:"draft_id"`
	Revision   int64  `json:"revision"`
	SavedAt    string `json:"saved_at"`
	TemplateID string `json:"template_id"`
	Title      string `json:"title"`
}

// TemplateDraftList is a member's drafts, saved last first.
type TemplateDraftList struct {
	UserID string             `json:"user_id"`
	Count  int                `json:"count"`
	Drafts []TemplateDraftRow `json:"drafts"`
}

// DeletedTemplateDraft says which draft is gone.
type DeletedTemplateDraft struct {
	Deleted bool   `json:"deleted"`
	DraftID string `json:"draft_id"`
	UserID  string `json:"user_id"`
}

// TemplateDraftRef names a draft.
type TemplateDraftRef struct {
	UserID  string `json:"user_id"`
	DraftID string `json:"draft_id"`
}

// SaveTemplateDraft keeps what the caller has written. A draft that was saved from elsewhere since is left as it is; the same texts
// again are no change, so that a request whose answer was lost can be sent again.
func (a *Service) SaveTemplateDraft(ctx context.Context, c core.Caller, in TemplateDraftInput) (SavedTemplateDraft, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SavedTemplateDraft{}, err
	}
	in.Tags, in.Visibility, in.ScanMode = core.NonNil(in.Tags), cmp.Or(in.Visibility, "community"), cmp.Or(in.ScanMode, "balanced")
	texts, err := json.Marshal(in.TemplateTexts)
	if err != nil {
		return SavedTemplateDraft{}, err
	}
	row := marketdb.TemplateDraft{UserID: userID, ID: in.DraftID, Revision: in.Revision, TemplateID: in.TemplateID, Title: in.Title, Texts: texts}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		row.Revision = in.Revision // a transaction may run again
		// A member's drafts are saved one after another, and with their imports, as the quotas are of both.
		if _, err := tx.Use(userID, string(core.QuotaImports), 0); err != nil {
			return err
		}
		before, err := tx.TemplateDraft(ctx, userID, in.DraftID)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		if err == nil && bytes.Equal(before.Texts, texts) {
			row = before
			return nil
		}
		if before.Revision != in.Revision {
			return changedDraft(before)
		}
		if err := a.checkTemplateDraftQuota(ctx, tx, row, before); err != nil {
			return err
		}
		if row.Revision, err = tx.SaveTemplateDraft(row); errors.Is(err, sqldb.ErrNotFound) { // deleted just now
			return changedDraft(marketdb.TemplateDraft{ID: in.DraftID})
		} else if err != nil {
			return err
		}
		row.SavedAt = clock.Micros(tx.Now)
		// The page saves every few seconds: that a draft was made is told, and after that the days on which it was written.
		if before.Revision > 0 && sameDay(savedDraft(before).SavedAt, savedDraft(row).SavedAt) {
			return nil
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Action: "template.draft_saved", Kind: catalog.KindTemplate, Target: in.DraftID, Status: "ok",
		}))
	})
	return savedDraft(row), err
}

// sameDay tells whether two times, as answers write them, are of one day in UTC.
func sameDay(a, b string) bool { return a[:len(time.DateOnly)] == b[:len(time.DateOnly)] }

// changedDraft is the answer to who writes on what is not there any more; d is what is there, its revision 0 when it is gone.
func changedDraft(d marketdb.TemplateDraft) error {
	return errs.New(errs.TemplateDraftChanged, "This draft was saved or deleted from elsewhere since. Read it again, or keep yours under a new id.").
		With("draft_id", d.ID).With("revision", d.Revision)
}

func savedDraft(d marketdb.TemplateDraft) SavedTemplateDraft {
	return SavedTemplateDraft{d.UserID, d.ID, d.Revision, clock.Text(clock.FromMicros(d.SavedAt))}
}

// checkTemplateDraftQuota refuses a draft beyond the member's quotas, which it shares with the setups that they brought in.
func (a *Service) checkTemplateDraftQuota(ctx context.Context, tx *store.Tx, d, before marketdb.TemplateDraft) error {
	kept, err := tx.Holdings(ctx, d.UserID)
	if err != nil {
		return err
	}
	if before.Revision == 0 {
		if err := a.CheckQuota(ctx, tx.Queries, d.UserID, core.QuotaDrafts, kept.Drafts, 1); err != nil {
			return err
		}
	}
	more := int64(len(d.Texts) - len(before.Texts))
	if more <= 0 {
		return nil
	}
	return a.CheckQuota(ctx, tx.Queries, d.UserID, core.QuotaDraftBytes, kept.DraftBytes, more)
}

// listedTemplateDrafts is more drafts than the quota leaves a member, unless the operator gives them more.
const listedTemplateDrafts = 200

// ListTemplateDrafts lists the caller's own drafts.
func (a *Service) ListTemplateDrafts(ctx context.Context, c core.Caller, in core.PageInput) (TemplateDraftList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TemplateDraftList{}, err
	}
	rows, err := a.Store.TemplateDrafts(ctx, userID, listedTemplateDrafts)
	out := TemplateDraftList{UserID: userID, Count: len(rows), Drafts: []TemplateDraftRow{}}
	for _, d := range rows {
		out.Drafts = append(out.Drafts, TemplateDraftRow{d.ID, d.Revision, clock.Text(clock.FromMicros(d.SavedAt)), d.TemplateID, d.Title})
	}
	return out, err
}

// GetTemplateDraft answers one of the caller's own drafts.
func (a *Service) GetTemplateDraft(ctx context.Context, c core.Caller, in TemplateDraftRef) (TemplateDraft, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TemplateDraft{}, err
	}
	row, err := a.Store.TemplateDraft(ctx, userID, in.DraftID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return TemplateDraft{}, unknownTemplateDraft(in.DraftID)
	}
	if err != nil {
		return TemplateDraft{}, err
	}
	out := TemplateDraft{SavedTemplateDraft: savedDraft(row)}
	return out, json.Unmarshal(row.Texts, &out.TemplateTexts)
}

// DeleteTemplateDraft deletes one of the caller's own drafts.
func (a *Service) DeleteTemplateDraft(ctx context.Context, c core.Caller, in TemplateDraftRef) (DeletedTemplateDraft, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return DeletedTemplateDraft{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.RemoveTemplateDraft(userID, in.DraftID); errors.Is(err, sqldb.ErrNotFound) {
			return unknownTemplateDraft(in.DraftID)
		} else if err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "template.draft_deleted", Kind: catalog.KindTemplate, Target: in.DraftID, Status: "ok",
		}))
	})
	return DeletedTemplateDraft{true, in.DraftID, userID}, err
}

func unknownTemplateDraft(id string) error {
	return errs.New(errs.TemplateDraftNotFound, "There is no such draft. Your list of drafts has those there are.").With("draft_id", id)
}
