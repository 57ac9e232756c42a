package submit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// DraftChoices are what a member has chosen for a draft and not submitted yet.
type DraftChoices struct {
	Source          string   `json:"source"` // saved or version_before
	SavedAt         string   `json:"saved_at"`
	PackID          string   `json:"pack_id"`
	Version         string   `json:"version"`
	Title           string   `json:"title"`
	Description     string   `json:"description"`
	Category        string   `json:"category"`
	Tags            []string `json:"tags"`
	ChangeNote      string   `json:"change_note"`
	LeftOut         []string `json:"left_out"` // paths of the selection tree
	RedactionMode   string   `json:"redaction_mode"`
	Visibility      string   `json:"visibility"`
	ScanMode        string   `json:"scan_mode"`
	ReplaceExisting bool     `json:"replace_existing"`
}

const (
	choicesSaved         = "saved"
	choicesVersionBefore = "version_before"
	// maxChoicesBytes bounds what is kept of a draft's choices.
	maxChoicesBytes = 256 << 10
	// choicesLookedAt is among how many earlier drafts the choices for the same pack are looked for.
	choicesLookedAt = 20
)

// DraftChoicesInput is what is to be kept for a draft.
type DraftChoicesInput struct {
	UserID          string   `json:"user_id"`
	ImportID        string   `json:"import_id"`
	PackID          string   `json:"pack_id"`
	Version         string   `json:"version"`
	Title           string   `json:"title"`
	Description     string   `json:"description"`
	Category        string   `json:"category"`
	Tags            []string `json:"tags"`
	ChangeNote      string   `json:"change_note"`
	LeftOut         []string `json:"left_out"`
	RedactionMode   string   `json:"redaction_mode"`
	Visibility      string   `json:"visibility"`
	ScanMode        string   `json:"scan_mode"`
	ReplaceExisting bool     `json:"replace_existing"`
}

// SaveProfilePackImportChoices keeps what the caller has chosen for one of their own drafts.
func (a *Service) SaveProfilePackImportChoices(ctx context.Context, c core.Caller, in DraftChoicesInput) (DraftChoices, error) {
	userID, row, err := a.ownDraft(ctx, c, ImportRefInput{UserID: in.UserID, ImportID: in.ImportID}, errs.ImportNotFound)
	if err != nil {
		return DraftChoices{}, err
	}
	out := DraftChoices{
		choicesSaved, clock.Text(a.Clock()), in.PackID, in.Version, in.Title, in.Description, in.Category, core.NonNil(in.Tags), in.ChangeNote,
		core.NonNil(in.LeftOut), cmp.Or(in.RedactionMode, "exclude_secrets"), cmp.Or(in.Visibility, "community"), cmp.Or(in.ScanMode, "balanced"), in.ReplaceExisting,
	}
	var before DraftChoices
	if len(row.Choices) > 0 {
		if err := json.Unmarshal(row.Choices, &before); err != nil {
			return DraftChoices{}, err
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return DraftChoices{}, err
	}
	if len(text) > maxChoicesBytes {
		return DraftChoices{}, errs.Newf(errs.InvalidRequest, "The choices take more than %d KiB. Leave out whole sections instead of single items.", maxChoicesBytes>>10)
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetDraftChoices(row.ArtifactID, text); errors.Is(err, sqldb.ErrNotFound) {
			return unknownDraft(errs.ImportNotFound, row.ArtifactID)
		} else if err != nil {
			return err
		}
		if before.SavedAt != "" && sameDay(before.SavedAt, out.SavedAt) {
			return nil // the page saves every few seconds
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Action: "profile_pack.import_choices_saved", Kind: catalog.KindProfilePack, Target: row.ArtifactID, Status: "ok",
		}))
	})
	return out, err
}

// choicesOf is what a member has chosen for a draft. Before they choose anything it is what they chose for the newest
// earlier draft of the same pack or of a file of the same name, and before that what their published version says of itself; nil for a pack of nobody's
// or somebody else's.
func (a *Service) choicesOf(ctx context.Context, row marketdb.Draft, packID string) (*DraftChoices, error) {
	if len(row.Choices) > 0 {
		var out DraftChoices
		return &out, json.Unmarshal(row.Choices, &out)
	}
	published, version, err := a.publishedFields(ctx, row.UserID, packID)
	if err != nil {
		return nil, err
	}
	earlier, err := a.Store.EarlierChoices(ctx, row.UserID, row.ArtifactID, choicesLookedAt)
	if err != nil {
		return nil, err
	}
	// An id is often made from the file's bytes: the newest draft of a file of the same name comes second.
	var before *DraftChoices
	for _, d := range earlier {
		var out DraftChoices
		if err := json.Unmarshal(d.Choices, &out); err != nil {
			return nil, err
		}
		if out.PackID == packID {
			before = &out
			break
		}
		if before == nil && d.Filename == row.Filename {
			before = &out
		}
	}
	if before == nil {
		return published, nil
	}
	if before.PackID != packID {
		if _, version, err = a.publishedFields(ctx, row.UserID, before.PackID); err != nil {
			return nil, err
		}
	}
	before.Source, before.ChangeNote, before.ReplaceExisting = choicesVersionBefore, "", false
	if version != "" {
		before.Version = following(version)
	}
	return before, nil
}

// publishedFields is what the member's published version of a pack says of itself, nil when they have none.
func (a *Service) publishedFields(ctx context.Context, userID, packID string) (out *DraftChoices, version string, err error) {
	item, err := a.Store.Item(ctx, catalog.KindProfilePack, packID)
	if errors.Is(err, sqldb.ErrNotFound) || err == nil && item.Owner != userID {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	v, err := a.Cache.Version(ctx, item.Seq, item.Version)
	if err != nil {
		return nil, "", err
	}
	d := v.Document
	text, _ := d.Text("")
	visibility := "community"
	if item.Visibility == catalog.Private {
		visibility = "private"
	}
	return &DraftChoices{
		Source: choicesVersionBefore, SavedAt: clock.Text(clock.FromMicros(item.ChangedAt)), PackID: packID, Version: following(item.Version), Title: text.Title,
		Description: text.Description, Category: d.Category, Tags: core.NonNil(d.Tags), LeftOut: []string{}, RedactionMode: "exclude_secrets", Visibility: visibility, ScanMode: "balanced",
	}, item.Version, nil
}
