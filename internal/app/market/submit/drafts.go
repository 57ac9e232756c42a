package submit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"

	"stoa/internal/app/core"
	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/submission"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// ImportInput is a file that a member brings in.
type ImportInput struct {
	UserID    string `json:"user_id"`
	Filename  string `json:"filename"`
	Key       string `json:"idempotency_key"`
	HeaderKey string `json:"-"`
}

// ImportListing is a draft as lists show it. ImportID, ArtifactID and SourceArtifactID are the same id.
type ImportListing struct {
	ImportID            string              `json:"import_id"`
	ArtifactID          string              `json:"artifact_id"`
	SourceArtifactID    string              `json:"source_artifact_id"`
	ImportedAt          string              `json:"imported_at"`
	UserID              string              `json:"user_id"`
	Filename            string              `json:"filename"`
	SizeBytes           int64               `json:"size_bytes"`
	SourceFingerprint   string              `json:"source_fingerprint"`
	SourceType          string              `json:"source_type"`
	ImportOrigin        string              `json:"import_origin"`
	PackType            string              `json:"pack_type"`
	PackID              string              `json:"pack_id"`
	Version             string              `json:"version"`
	Sections            []string            `json:"sections"`
	Capabilities        []string            `json:"capabilities"`
	Compatibility       string              `json:"compatibility"`
	CompatibilityIssues []string            `json:"compatibility_issues"`
	IssueGroups         map[string][]string `json:"compatibility_issue_groups"`
	DeleteAllowed       bool                `json:"delete_allowed"`
}

// ImportDetail is what a draft says beyond its listing.
type ImportDetail struct {
	IssueDetails  []pack.Issue      `json:"compatibility_issue_details"`
	Scan          scan.Summary      `json:"scan_summary"`
	Summary       importSummary     `json:"import_summary"`
	SelectionTree []pack.Section    `json:"selection_tree"`
	LeaveReport   disclosure.Report `json:"leave_report"`
}

// importSummary is the import_summary of the field facts: what was found, and what became of each field.
type importSummary struct {
	botimport.Summary
	botimport.Report
	Source botimport.Source `json:"source"`
}

// ImportDraft is a draft whole.
type ImportDraft struct {
	ImportListing
	ImportDetail
	IdempotentReplay bool         `json:"idempotent_replay,omitempty"`
	TransferJob      *TransferJob `json:"transfer_job,omitempty"`
	// Choices are what the member has chosen so far, or chose for the version before.
	Choices *DraftChoices `json:"choices,omitempty"`
}

const routeImport = "member/profile-pack/imports"

// MemberImportProfilePack reads a setup that a member brings in and keeps it as their draft.
func (a *Service) MemberImportProfilePack(ctx context.Context, c core.Caller, in ImportInput, file *Upload) (ImportDraft, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ImportDraft{}, err
	}
	of := uploadOf{userID: userID, filename: in.Filename, key: submission.NormalKey(cmp.Or(in.Key, in.HeaderKey)), route: routeImport}
	out, err := a.importPack(ctx, c, in, file, of)
	if err != nil {
		return ImportDraft{}, a.failed(ctx, c, file.attempt(), of, "profile_pack.import_refused", catalog.KindProfilePack, err)
	}
	return out, nil
}

func (a *Service) importPack(ctx context.Context, c core.Caller, in ImportInput, file *Upload, of uploadOf) (ImportDraft, error) {
	if file.problem != nil {
		if e, ok := errs.As(file.problem); ok && e.Code == errs.InvalidPackagePayload {
			return ImportDraft{}, errs.New(errs.InvalidProfilePackPayload, e.Message)
		}
		return ImportDraft{}, file.problem
	}
	if in.Filename == "" || file.Size() == 0 {
		return ImportDraft{}, errs.New(errs.PackPayloadRequired, "Send the file's name as filename and its bytes as content_base64.")
	}
	key := a.IdempotencyKey(of.userID, of.key, routeImport, core.RequestDigest(in.Filename, file.Size(), file.staged.Digest()))
	if out, found, err := a.replayImport(ctx, c, key, file, of); found || err != nil {
		return out, err
	}
	out, err := a.readDraft(ctx, in.Filename, file)
	if err != nil {
		return ImportDraft{}, err
	}
	row, shared, err := a.keepDraft(ctx, file, &out, of.userID, in.Filename)
	if err != nil {
		return ImportDraft{}, err
	}
	if out.Choices, err = a.choicesOf(ctx, row, out.PackID); err != nil {
		return ImportDraft{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := key.Reserve(tx, row.ArtifactID); err != nil {
			return err
		}
		row.CreatedAt = clock.Micros(tx.Now)
		out.ImportedAt = clock.Text(tx.Now)
		var err error
		if row.Listing, err = json.Marshal(out.ImportListing); err != nil {
			return err
		}
		if row.Detail, err = json.Marshal(out.ImportDetail); err != nil {
			return err
		}
		if err := a.checkDraftQuota(ctx, tx, &row, shared); err != nil {
			return err
		}
		if err := tx.AddDraft(row); err != nil {
			return err
		}
		about := of
		about.itemID = out.PackID
		job, err := recordTransferOutcome(tx, file.attempt(), about, row.ArtifactID, transfer.Done, "", "")
		if err != nil {
			return err
		}
		shown := transferView(job)
		out.TransferJob = &shown
		if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: of.userID, Task: true, Action: "profile_pack.imported", Kind: catalog.KindProfilePack, ItemID: out.PackID, Target: row.ArtifactID, Status: "ok",
			Detail: map[string]any{"filename": in.Filename, "source_type": out.SourceType, "job_id": job.JobID},
		})); err != nil {
			return err
		}
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) {
		var found bool
		out, found, err = a.replayImport(ctx, c, key, file, of)
		err = core.RequireReplay(found, err)
	}
	return out, err
}

func (a *Service) replayImport(ctx context.Context, c core.Caller, key core.IdempotencyKey, file *Upload, of uploadOf) (out ImportDraft, found bool, err error) {
	if found, err = a.Replay(ctx, key, &out); !found || err != nil {
		return out, found, err
	}
	out.IdempotentReplay = true
	of.itemID = out.PackID
	return out, true, a.noteReplay(ctx, c, file.attempt(), of, catalog.KindProfilePack, out.ImportID, "profile_pack.import.idempotency_replayed")
}

// readDraft reads the uploaded file and says what is in it. Everything that is shown comes of the sections
// with their secrets masked.
func (a *Service) readDraft(ctx context.Context, filename string, file *Upload) (ImportDraft, error) {
	done, err := a.Inspect(ctx, file.caller.UserID)
	if err != nil {
		return ImportDraft{}, err
	}
	defer done()
	setup, err := botimport.Read(ctx, filename, file.staged.Digest(), file.staged, file.Size(), archive.Default)
	if err != nil {
		return ImportDraft{}, err
	}
	masked, err := a.Secrets.Sections(setup.Sections, redact.Options{Mode: redact.ExcludeSecrets, Binding: setup.PackID})
	if err != nil {
		return ImportDraft{}, err
	}
	texts, err := Canonical(masked.Sections)
	if err != nil {
		return ImportDraft{}, err
	}
	if err := packing.LeftOver(setup.Sections, texts); err != nil {
		return ImportDraft{}, err
	}
	report, err := disclosure.OfSections(masked.Sections, strictjson.Canonical, masked, setup.Capabilities)
	if err != nil {
		return ImportDraft{}, err
	}
	issues := issuesOf(setup.Issues, pack.Diagnose(setup.Manifest("", string(redact.ExcludeSecrets)), masked.Sections, pack.Host{}), nil)
	return ImportDraft{
		ImportListing: ImportListing{
			SourceType: setup.Source.Type, PackType: setup.PackType, PackID: setup.PackID, Version: setup.Version, Sections: SectionNames(masked.Sections),
			Capabilities: core.NonNil(setup.Capabilities), Compatibility: pack.Compatibility(issues), CompatibilityIssues: pack.Codes(issues),
			IssueGroups: pack.Groups(issues), DeleteAllowed: true,
		},
		ImportDetail: ImportDetail{
			IssueDetails: issues, Scan: scanned(scan.Options{About: AboutSections(masked.Sections, pack.Compatibility(issues))}, texts),
			Summary:       summaryOf(setup, botimport.MarkRedacted(setup.Report, marked(masked))),
			SelectionTree: pack.SelectionTree(masked.Sections),
			LeaveReport:   report,
		},
	}, nil
}

// summaryOf is the summary with its lists there, also where there is nothing in them.
func summaryOf(setup *botimport.Draft, r botimport.Report) importSummary {
	s := setup.Summary
	s.PersonaPool, s.PersonaIDs, s.SubagentIDs = core.NonNil(s.PersonaPool), core.NonNil(s.PersonaIDs), core.NonNil(s.SubagentIDs)
	if r.Fields == nil {
		r.Fields = []botimport.Field{}
	}
	if r.Outcomes == nil {
		r.Outcomes = map[string]int{}
	}
	return importSummary{s, r, setup.Source}
}

// keepDraft puts the uploaded bytes on disk, encrypted to a key that only the rows of the member's drafts of the same bytes
// hold.
func (a *Service) keepDraft(ctx context.Context, file *Upload, out *ImportDraft, userID, filename string) (row marketdb.Draft, shared bool, err error) {
	row = marketdb.Draft{ArtifactID: core.NewID(), UserID: userID, Filename: filename, Fingerprint: file.staged.Digest(), SizeBytes: file.Size()}
	row.Blob, row.Key, err = a.Store.DraftWithBytes(ctx, userID, row.Fingerprint)
	shared = err == nil
	if errors.Is(err, sqldb.ErrNotFound) {
		row.Blob, row.Key, err = a.sealDraft(ctx, file)
	}
	if err != nil {
		return row, shared, err
	}
	out.ImportID, out.ArtifactID, out.SourceArtifactID = row.ArtifactID, row.ArtifactID, row.ArtifactID
	out.UserID, out.Filename, out.SizeBytes, out.SourceFingerprint = userID, filename, row.SizeBytes, row.Fingerprint
	return row, shared, nil
}

func (a *Service) sealDraft(ctx context.Context, file *Upload) (digest, key string, err error) {
	staged, err := a.Blobs.Stage()
	if err != nil {
		return "", "", err
	}
	defer staged.Discard()
	if key, err = seal(staged, io.NewSectionReader(file.staged, 0, file.Size())); err != nil {
		return "", "", err
	}
	digest, _, err = staged.Keep(ctx)
	return digest, key, err
}

// ImportRefInput names a draft.
type ImportRefInput struct {
	UserID   string `json:"user_id"`
	ImportID string `json:"import_id"`
}

// MemberGetProfilePackImport answers one of the caller's own drafts.
func (a *Service) MemberGetProfilePackImport(ctx context.Context, c core.Caller, in ImportRefInput) (ImportDraft, error) {
	_, row, err := a.ownDraft(ctx, c, in, errs.ImportNotFound)
	if err != nil {
		return ImportDraft{}, err
	}
	var out ImportDraft
	if err := json.Unmarshal(row.Listing, &out.ImportListing); err != nil {
		return out, err
	}
	if err := json.Unmarshal(row.Detail, &out.ImportDetail); err != nil {
		return out, err
	}
	if out.IssueDetails == nil { // stored before it was always a list
		out.IssueDetails = []pack.Issue{}
	}
	if out.Choices, err = a.choicesOf(ctx, row, out.PackID); err != nil {
		return out, err
	}
	used, err := a.Store.SubmissionUsesImport(ctx, row.ArtifactID)
	out.DeleteAllowed = !used
	return out, err
}

// DeletedImport says which draft is gone.
type DeletedImport struct {
	Deleted  bool   `json:"deleted"`
	ImportID string `json:"import_id"`
	UserID   string `json:"user_id"`
}

// MemberDeleteProfilePackImport deletes one of the caller's own drafts. With its row goes the key of its
// bytes; the bytes themselves follow with the next sweep.
func (a *Service) MemberDeleteProfilePackImport(ctx context.Context, c core.Caller, in ImportRefInput) (DeletedImport, error) {
	userID, row, err := a.ownDraft(ctx, c, in, errs.ImportNotFound)
	if err != nil {
		return DeletedImport{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		used, err := tx.SubmissionUsesImport(ctx, row.ArtifactID)
		if err != nil {
			return err
		}
		if used {
			return errs.New(errs.ImportInUse, "A submission made of this draft waits for review. Withdraw it first.").With("import_id", row.ArtifactID)
		}
		if err := tx.RemoveDraft(row.ArtifactID); errors.Is(err, sqldb.ErrNotFound) {
			return unknownDraft(errs.ImportNotFound, row.ArtifactID)
		} else if err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "profile_pack.import_deleted", Kind: catalog.KindProfilePack, Target: row.ArtifactID, Status: "ok",
		}))
	})
	if err != nil {
		return DeletedImport{}, err
	}
	a.built.forget(row.ArtifactID)
	ctx = context.WithoutCancel(ctx)
	used, err := a.Store.BlobInUse(ctx, row.Blob) // by another draft of the same bytes
	if err == nil && !used {
		err = a.Blobs.Remove(ctx, row.Blob)
	}
	if err != nil {
		a.Log.Warn("drafts: the bytes of a deleted draft are still there", "error", err)
	}
	return DeletedImport{true, row.ArtifactID, userID}, nil
}

// ownDraft finds a draft of the caller; code is that of the answer when there is none.
func (a *Service) ownDraft(ctx context.Context, c core.Caller, in ImportRefInput, code errs.Code) (string, marketdb.Draft, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return "", marketdb.Draft{}, err
	}
	row, err := a.Store.Draft(ctx, in.ImportID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return "", row, unknownDraft(code, in.ImportID)
	}
	if err != nil {
		return "", row, err
	}
	if row.UserID != userID {
		return "", marketdb.Draft{}, core.ErrNotYours
	}
	return userID, row, nil
}

func unknownDraft(code errs.Code, id string) error {
	return errs.New(code, "There is no such draft. Your list of imports has those there are.").With("import_id", id)
}
