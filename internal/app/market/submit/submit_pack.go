package submit

import (
	"context"
	"errors"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// PackInput says which draft is submitted and how. The names and texts may be given again.
type PackInput struct {
	UserID      string                   `json:"user_id"`
	ArtifactID  string                   `json:"artifact_id"`
	PackID      string                   `json:"pack_id"`
	Version     string                   `json:"version"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Category    string                   `json:"category"`
	Tags        []string                 `json:"tags"`
	Maintainer  string                   `json:"maintainer"`
	ChangeNote  string                   `json:"change_note"`
	Options     submission.SubmitOptions `json:"submit_options"`
	// Pictures are for the item's page; none keeps those of a draft that is a profile pack.
	Pictures  []SubmittedPicture `json:"pictures"`
	HeaderKey string             `json:"-"`
}

// SubmittedPicture is a PNG or JPEG as it was chosen on the page.
type SubmittedPicture struct {
	Name    string `json:"name"`
	Content []byte `json:"content_base64"`
}

// pictures reads what was sent as pictures, without what they say beside the picture.
func (in PackInput) pictures() ([]pack.Picture, error) {
	var out []pack.Picture
	for _, sent := range in.Pictures {
		p, err := pack.NewPicture(sent.Name, sent.Content)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(one pack.Picture) bool { return one.Name == p.Name }) {
			return nil, errs.Invalid("pictures", "must each have a name of their own")
		}
		out = append(out, p)
	}
	return out, nil
}

const routeSubmitPack = "profile-pack/submit"

// SubmitProfilePack makes a redacted pack of a draft and leaves it waiting for review.
func (a *Service) SubmitProfilePack(ctx context.Context, c core.Caller, in PackInput) (PackSubmission, error) {
	userID, err := packMember(c, in)
	if err != nil {
		return PackSubmission{}, err
	}
	if in.Options.IdempotencyKey == "" {
		in.Options.IdempotencyKey = in.HeaderKey
	}
	in.Options = in.Options.Normalized()
	of := uploadOf{userID: userID, itemID: in.PackID, version: in.Version, key: in.Options.IdempotencyKey, route: routeSubmitPack}
	try := marketdb.Transfer{UserID: userID, Direction: transfer.Upload, JobType: transfer.ProfilePackSubmission, Metadata: "{}"}
	same := in
	same.UserID, same.HeaderKey, same.Options.IdempotencyKey = "", "", ""
	key := a.IdempotencyKey(userID, of.key, routeSubmitPack, core.RequestDigest(same))
	// Before the draft is looked for: it may be deleted by now, and the answer is the same all the same.
	out, found, err := a.replayPack(ctx, c, key, try, of)
	if err == nil && !found {
		var row marketdb.Draft
		if row, err = a.packSource(ctx, c, in); err != nil {
			return PackSubmission{}, err
		}
		of.filename = row.Filename
		out, err = a.submitPack(ctx, c, in, row, key, try, of)
	}
	if err != nil {
		action := "profile_pack.submission_refused"
		if errs.CodeOf(err) == errs.IdempotencyConflict {
			action = "profile_pack.submission.idempotency_conflict"
		}
		return PackSubmission{}, a.failed(ctx, c, try, of, action, catalog.KindProfilePack, err)
	}
	return out, nil
}

// packMember is whose draft a request is about.
func packMember(c core.Caller, in PackInput) (userID string, err error) {
	if userID, err = c.Member(in.UserID); err == nil && in.ArtifactID == "" {
		err = errs.New(errs.PackSourceRequired, "Say which draft is submitted: artifact_id is missing. Importing a setup gives one.")
	}
	return userID, err
}

// packSource finds the draft that a request is about.
func (a *Service) packSource(ctx context.Context, c core.Caller, in PackInput) (marketdb.Draft, error) {
	if _, err := packMember(c, in); err != nil {
		return marketdb.Draft{}, err
	}
	_, row, err := a.ownDraft(ctx, c, ImportRefInput{in.UserID, in.ArtifactID}, errs.PackNotFound)
	return row, err
}

func (a *Service) submitPack(ctx context.Context, c core.Caller, in PackInput, row marketdb.Draft, key core.IdempotencyKey, try marketdb.Transfer, of uploadOf) (PackSubmission, error) {
	built, err := a.packOf(ctx, in, row, true)
	if err != nil {
		return PackSubmission{}, err
	}
	defer built.zip.Discard()
	if err := c.MaySubmit(built.document.ID); err != nil {
		return PackSubmission{}, err
	}
	s, err := a.newSubmission(ctx, submitted{document: built.document, report: built.report, filename: built.filename, sections: built.sections(ctx)}, built.stands, in.Options.Visibility)
	if err != nil {
		return PackSubmission{}, err
	}
	in.Options.PackType = built.document.Pack.PackType
	s.PackType, s.ImportID, s.Facts.Submit = built.document.Pack.PackType, row.ArtifactID, &in.Options
	digest, size, err := built.zip.Keep(ctx)
	if err != nil {
		return PackSubmission{}, err
	}
	s.Facts.Artifact.SHA256, s.Facts.Artifact.SizeBytes, s.SHA256 = digest, size, digest
	if err := a.carryExamples(ctx, c, built.stands, &s, false); err != nil {
		return PackSubmission{}, err
	}
	try.SizeBytes, try.DoneBytes, try.SHA256 = size, size, digest
	of.itemID, of.filename = s.ItemID, built.filename
	var out PackSubmission
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		// Read again here: a draft that is deleted meanwhile must not be left with a submission.
		if _, err := tx.Draft(ctx, row.ArtifactID); errors.Is(err, sqldb.ErrNotFound) {
			return unknownDraft(errs.PackNotFound, row.ArtifactID)
		} else if err != nil {
			return err
		}
		added, job, err := a.addSubmission(ctx, tx, c, s, key, in.Options.ReplaceExisting, try, of)
		if err != nil {
			return err
		}
		out = packSubmissionView(added)
		out.LeaveReport, out.TransferJob = added.Report, &job
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) {
		var found bool
		out, found, err = a.replayPack(ctx, c, key, try, of)
		err = core.RequireReplay(found, err)
	}
	return out, err
}

func (a *Service) replayPack(ctx context.Context, c core.Caller, key core.IdempotencyKey, try marketdb.Transfer, of uploadOf) (out PackSubmission, found bool, err error) {
	if found, err = a.Replay(ctx, key, &out); !found || err != nil {
		return out, found, err
	}
	if err := c.MaySubmit(out.PackID); err != nil {
		return PackSubmission{}, true, err
	}
	out.IdempotentReplay = true
	of.itemID, of.filename = out.PackID, out.Filename
	try.SizeBytes, try.DoneBytes, try.SHA256 = out.SizeBytes, out.SizeBytes, out.SHA256
	return out, true, a.noteReplay(ctx, c, try, of, catalog.KindProfilePack, out.SubmissionID, "profile_pack.submission.idempotency_replayed")
}

// PackPreview is what a submit with the same options would send.
type PackPreview struct {
	PackID        string            `json:"pack_id"`
	PackType      string            `json:"pack_type"`
	Version       string            `json:"version"`
	Filename      string            `json:"filename"`
	SizeBytes     int64             `json:"size_bytes"`
	SHA256        string            `json:"sha256"`
	RedactionMode string            `json:"redaction_mode"`
	Sections      []string          `json:"sections"`
	SelectionTree []pack.Section    `json:"selection_tree"`
	Scan          scan.Summary      `json:"scan_summary"`
	LeaveReport   disclosure.Report `json:"leave_report"`
	Matrix        pack.Matrix       `json:"compatibility_matrix"`
	// Returns are what a reviewer asked to take out of the pack and stands in it.
	Returns []Removal `json:"returns"`
}

// PreviewProfilePack answers what a submit would send. It writes nothing.
func (a *Service) PreviewProfilePack(ctx context.Context, c core.Caller, in PackInput) (PackPreview, error) {
	row, err := a.packSource(ctx, c, in)
	if err != nil {
		return PackPreview{}, err
	}
	in.Options = in.Options.Normalized()
	built, err := a.packOf(ctx, in, row, false)
	if err != nil {
		return PackPreview{}, err
	}
	defer built.zip.Discard()
	d := built.document
	back, err := a.returned(ctx, row.UserID, catalog.KindProfilePack, d.ID, built.sections(ctx))
	if err != nil {
		return PackPreview{}, err
	}
	return PackPreview{
		PackID: d.ID, PackType: d.Pack.PackType, Version: d.Version, Filename: built.filename, SizeBytes: built.zip.Size(), SHA256: built.zip.Digest(),
		RedactionMode: d.Pack.RedactionMode, Sections: d.SectionNames(), SelectionTree: built.tree, Scan: d.Scan, LeaveReport: built.report, Matrix: built.matrix, Returns: back,
	}, nil
}
