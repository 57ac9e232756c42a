package submit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/pack"
	"stoa/internal/market/submission"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// TemplateInput is a template that a member submits. With a package its bundle.json says what the
// template is; without one the texts here do.
type TemplateInput struct {
	UserID      string                   `json:"user_id"`
	TemplateID  string                   `json:"template_id"`
	Version     string                   `json:"version"`
	PackageName string                   `json:"package_name"`
	Prompt      string                   `json:"prompt"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Category    string                   `json:"category"`
	Tags        []string                 `json:"tags"`
	Maintainer  string                   `json:"maintainer"`
	ChangeNote  string                   `json:"change_note"`
	Options     submission.UploadOptions `json:"upload_options"`
	HeaderKey   string                   `json:"-"`
}

// routeSubmitTemplate names the route in idempotency records.
const routeSubmitTemplate = "templates/submit"

// firstVersion is that of a submission that names none.
const firstVersion = "1.0.0"

// SubmitTemplate takes a template in for review. file holds the package, or nothing.
func (a *Service) SubmitTemplate(ctx context.Context, c core.Caller, in TemplateInput, file *Upload) (TemplateSubmission, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TemplateSubmission{}, err
	}
	if err := c.MaySubmit(in.TemplateID); err != nil {
		return TemplateSubmission{}, err
	}
	if in.Options.IdempotencyKey == "" {
		in.Options.IdempotencyKey = in.HeaderKey
	}
	in.Options = in.Options.Normalized()
	if file.Size() == 0 && in.PackageName == "" && file.problem == nil {
		file.job.JobType = transfer.TemplateSubmission
	}
	of := uploadOf{userID: userID, itemID: in.TemplateID, version: cmp.Or(in.Version, firstVersion), filename: in.PackageName, key: in.Options.IdempotencyKey, route: routeSubmitTemplate}
	out, err := a.submitTemplate(ctx, c, in, file, of)
	if err != nil {
		action := "submission.rejected_upload"
		if errs.CodeOf(err) == errs.IdempotencyConflict {
			action = "submission.idempotency_conflict"
		}
		return TemplateSubmission{}, a.failed(ctx, c, file.attempt(), of, action, catalog.KindTemplate, err)
	}
	return out, nil
}

func (a *Service) submitTemplate(ctx context.Context, c core.Caller, in TemplateInput, file *Upload, of uploadOf) (TemplateSubmission, error) {
	if file.problem != nil {
		return TemplateSubmission{}, file.problem
	}
	if in.TemplateID == "" {
		return TemplateSubmission{}, browse.ErrTemplateID
	}
	options := in.Options
	options.IdempotencyKey = ""
	same := in
	same.UserID, same.HeaderKey, same.Options = "", "", options
	key := a.IdempotencyKey(of.userID, of.key, routeSubmitTemplate, core.RequestDigest(same, file.Size(), file.staged.Digest()))
	if out, found, err := a.replayTemplate(ctx, c, key, file, of); found || err != nil {
		return out, err
	}
	stands, err := a.ItemStateOf(ctx, catalog.KindTemplate, in.TemplateID, of.userID)
	if err != nil {
		return TemplateSubmission{}, err
	}
	if err := stands.checkNew(catalog.KindTemplate, in.TemplateID); err != nil {
		return TemplateSubmission{}, err
	}
	made, err := a.templateOf(ctx, in, stands, file)
	if err != nil {
		return TemplateSubmission{}, err
	}
	made.sections = func() (map[string]any, error) { return textsOf(&made.document), nil }
	s, err := a.newSubmission(ctx, made, stands, in.Options.Visibility)
	if err != nil {
		return TemplateSubmission{}, err
	}
	s.Facts.Upload = &in.Options
	if err := a.keepPackage(ctx, file, &s); err != nil {
		return TemplateSubmission{}, err
	}
	if err := a.carryExamples(ctx, c, stands, &s, made.unread); err != nil {
		return TemplateSubmission{}, err
	}
	var out TemplateSubmission
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		added, job, err := a.addSubmission(ctx, tx, c, s, key, in.Options.ReplaceExisting, file.attempt(), of)
		if err != nil {
			return err
		}
		if made.unread {
			if err := tx.AddScanJob(added.SubmissionID); err != nil {
				return err
			}
			tx.OnCommit(a.wantScan)
		}
		out = templateSubmissionView(added)
		out.PromptPreview, out.PromptLength = added.Facts.PromptPreview, added.Facts.PromptLength
		out.LeaveReport, out.TransferJob = added.Report, &job
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) { // another request with the same key was first
		var found bool
		out, found, err = a.replayTemplate(ctx, c, key, file, of)
		err = core.RequireReplay(found, err)
	}
	return out, err
}

// replayTemplate answers a request whose key was answered before, and counts the attempt.
func (a *Service) replayTemplate(ctx context.Context, c core.Caller, key core.IdempotencyKey, file *Upload, of uploadOf) (out TemplateSubmission, found bool, err error) {
	if found, err = a.Replay(ctx, key, &out); !found || err != nil {
		return out, found, err
	}
	out.IdempotentReplay = true
	return out, true, a.noteReplay(ctx, c, file.attempt(), of, catalog.KindTemplate, out.SubmissionID, "submission.idempotency_replayed")
}

func (a *Service) noteReplay(ctx context.Context, c core.Caller, try marketdb.Transfer, of uploadOf, kind catalog.Kind, id, action string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := recordTransferOutcome(tx, try, of, id, transfer.Done, "", ""); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: of.userID, Task: true, Action: action, Kind: kind, ItemID: of.itemID, Target: id, Status: "ok"}))
	})
}

// submitted is what a request turned out to submit.
type submitted struct {
	document catalog.Document
	unread   bool // too large to be scanned before the answer
	report   any
	filename string // of its package, "" without one
	// sections are what it holds.
	sections func() (map[string]any, error)
}

// templateOf makes the document that is submitted, from the package or from the texts of the request.
func (a *Service) templateOf(ctx context.Context, in TemplateInput, stands itemState, file *Upload) (submitted, error) {
	if file.Size() > 0 {
		return a.templateOfPackage(ctx, in, stands, file)
	}
	if in.PackageName != "" {
		return submitted{}, errs.New(errs.InvalidPackagePayload, "The package is empty. Send its bytes as package_base64.")
	}
	if in.Version == "" {
		in.Version = firstVersion
	}
	text := catalog.Text{Title: in.Title, Description: in.Description, Prompt: in.Prompt}
	if text.Title == "" {
		text.Title = in.TemplateID
	}
	if text.Prompt == "" { // an announcement: something must stand in the package
		text.Prompt = fmt.Sprintf("Template %s, version %s.", in.TemplateID, in.Version)
	}
	locale := catalog.LocaleOf(text.Title + " " + text.Prompt)
	d := catalog.Document{
		Kind: catalog.KindTemplate, ID: in.TemplateID, Version: in.Version, Category: in.Category, Maintainer: in.Maintainer, ChangeNote: in.ChangeNote,
		SourceLocale: locale, Locales: map[string]catalog.Text{locale: text}, Tags: []string{},
	}
	return a.templateOfTexts(ctx, d, in, stands)
}

// templateOfTexts checks a document that came as texts.
func (a *Service) templateOfTexts(ctx context.Context, d catalog.Document, in TemplateInput, stands itemState) (submitted, error) {
	ReadTags(&d, in.Tags)
	if d.Maintainer == "" {
		d.Maintainer = stands.userID
	}
	if err := CheckNames(&d); err != nil {
		return submitted{}, errs.Newf(errs.InvalidRequest, "The template cannot be taken: %s.", err)
	}
	done, err := a.Inspect(ctx, stands.userID)
	if err != nil {
		return submitted{}, err
	}
	defer done()
	look := a.inspectContent(stands.scanOptions(in.Options.ScanMode))
	defer look.close()
	for _, s := range Sources(&d) {
		look.text(s.File, s.Path, s.Text)
	}
	look.checkMetadata(in, &d)
	found, err := look.finish()
	if err != nil {
		return submitted{}, err
	}
	d.Scan, d.Reach = found.scan, ReachOf(found.report)
	return submitted{document: d, report: found.report}, nil
}

// templateOfPackage reads the package that was uploaded.
func (a *Service) templateOfPackage(ctx context.Context, in TemplateInput, stands itemState, file *Upload) (submitted, error) {
	look := a.inspectContent(stands.scanOptions(in.Options.ScanMode))
	defer look.close()
	bundle, err := a.readTemplate(ctx, file, look)
	if err != nil {
		return submitted{}, err
	}
	look.about(aboutBundle(bundle))
	if bundle.TemplateID != in.TemplateID || in.Version != "" && bundle.Version != in.Version {
		return submitted{}, pack.Refuse(errs.InvalidPackagePayload, "id_mismatch", "bundle.json", fmt.Sprintf(
			"bundle.json says %s %s, the request %s %s. Both must name the same template and version.",
			pack.Clean(bundle.TemplateID), pack.Clean(bundle.Version), in.TemplateID, in.Version))
	}
	d := catalog.Document{
		Kind: catalog.KindTemplate, ID: bundle.TemplateID, Version: bundle.Version, ChangeNote: in.ChangeNote, Tags: []string{}, Locales: map[string]catalog.Text{},
		Category: cmp.Or(bundle.Category, in.Category), Maintainer: cmp.Or(cmp.Or(bundle.Maintainer, in.Maintainer), stands.userID),
	}
	tags := bundle.Tags
	if len(tags) == 0 {
		tags = in.Tags
	}
	ReadTags(&d, tags)
	locales, source := bundleTexts(bundle, cmp.Or(in.Title, bundle.TemplateID))
	d.SourceLocale = source
	if _, err := ReadLocales(&d, locales); err != nil {
		return submitted{}, pack.Refuse(errs.InvalidPackagePayload, pack.ReasonBadBundle, "bundle.json", "bundle.json: "+err.Error()+".")
	}
	if err := CheckNames(&d); err != nil {
		return submitted{}, pack.Refuse(errs.InvalidPackagePayload, pack.ReasonBadBundle, "bundle.json", "bundle.json: "+err.Error()+".")
	}
	look.checkMetadata(in, &d)
	found, err := look.finish()
	if err != nil {
		return submitted{}, err
	}
	d.Scan, d.Reach = found.scan, ReachOf(found.report)
	return submitted{document: d, unread: look.scan == nil, report: found.report, filename: cmp.Or(in.PackageName, pack.Filename(d.ID, d.Version))}, nil
}

// newSubmission is the pending submission of a document, with how it stands to what is published.
func (a *Service) newSubmission(ctx context.Context, made submitted, stands itemState, visibility catalog.Visibility) (marketdb.Submission, error) {
	d := made.document
	if err := checkShown(&d, stands.userID); err != nil {
		return marketdb.Submission{}, err
	}
	report, err := json.Marshal(made.report)
	if err != nil {
		return marketdb.Submission{}, err
	}
	s := marketdb.Submission{
		SubmissionID: core.NewID(), Kind: d.Kind, ItemID: d.ID, Version: d.Version, UserID: stands.userID, Status: submission.Pending, RiskLevel: d.Scan.RiskLevel,
		FoldedID: search.Fold(d.ID), Facts: FactsOf(&d), Report: report,
		Content: marketdb.SubmissionContent{Document: d, Visibility: visibility, Channel: catalog.ChannelCommunity},
	}
	if made.filename != "" {
		s.Facts.Artifact = &catalog.Artifact{ID: "artifact-" + core.NewID(), Filename: made.filename, Source: install.Uploaded}
	}
	labels, err := a.labels(ctx, stands, &d, visibility)
	if err != nil {
		return s, err
	}
	s.Facts.ReviewLabels = slices.Concat(s.Facts.ReviewLabels, labels, nameLabels(&d))
	back, err := a.returned(ctx, s.UserID, s.Kind, s.ItemID, made.sections)
	for _, r := range back {
		s.Facts.Returned = append(s.Facts.Returned, r.What)
	}
	if len(back) > 0 {
		s.Facts.ReviewLabels = append(s.Facts.ReviewLabels, submission.RemovalReturned)
	}
	return s, err
}

// keepPackage puts the uploaded bytes on disk for good, before any row names them.
func (a *Service) keepPackage(ctx context.Context, file *Upload, s *marketdb.Submission) error {
	if s.Facts.Artifact == nil {
		return nil
	}
	digest, size, err := file.staged.Keep(ctx)
	s.Facts.Artifact.SHA256, s.Facts.Artifact.SizeBytes, s.SHA256 = digest, size, digest
	return err
}

// addSubmission writes a submission with everything that belongs to it.
func (a *Service) addSubmission(ctx context.Context, tx *store.Tx, c core.Caller, s marketdb.Submission, key core.IdempotencyKey, replace bool, try marketdb.Transfer, of uploadOf) (marketdb.Submission, TransferJob, error) {
	if err := key.Reserve(tx, s.SubmissionID); err != nil {
		return s, TransferJob{}, err
	}
	s.CreatedAt, s.UpdatedAt = clock.Micros(tx.Now), clock.Micros(tx.Now)
	if err := a.UseQuota(tx, s.UserID, core.QuotaSubmissions, 1); err != nil {
		return s, TransferJob{}, err
	}
	if replace {
		replaced, err := tx.ReplacePending(s.Kind, s.ItemID, s.UserID)
		if err != nil {
			return s, TransferJob{}, err
		}
		s.Facts.Replaced = replaced
		for _, id := range replaced {
			if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
				Owner: s.UserID, Task: true, Action: actionOf(s.Kind, "pending_replaced"), Kind: s.Kind, ItemID: s.ItemID, Target: id, Status: submission.Replaced,
				Detail: map[string]any{"by": s.SubmissionID},
			})); err != nil {
				return s, TransferJob{}, err
			}
		}
	}
	if err := tx.AddSubmission(s); err != nil {
		return s, TransferJob{}, err
	}
	if err := a.checkSubmissionQuota(ctx, tx, s); err != nil {
		return s, TransferJob{}, err
	}
	metadata, err := json.Marshal(map[string]any{"version": s.Version, "replaced_submission_count": len(s.Facts.Replaced)})
	if err != nil {
		return s, TransferJob{}, err
	}
	of.metadata = string(metadata)
	job, err := recordTransferOutcome(tx, try, of, s.SubmissionID, transfer.Done, "", "")
	if err != nil {
		return s, TransferJob{}, err
	}
	if item, err := tx.Item(ctx, s.Kind, s.ItemID); err == nil {
		if err := a.BumpEngagement(tx, s.Kind, item.Seq, item.Visibility != catalog.Private, marketdb.CommunitySubmissions); err != nil {
			return s, TransferJob{}, err
		}
	} else if !errors.Is(err, sqldb.ErrNotFound) {
		return s, TransferJob{}, err
	}
	action := "created"
	if s.Kind == catalog.KindTemplate && s.Facts.Artifact != nil {
		action = "package_uploaded"
	}
	return s, transferView(job), tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: s.UserID, Task: true, Action: actionOf(s.Kind, action), Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: submission.Pending,
		Detail: map[string]any{"version": s.Version, "sha256": s.SHA256, "labels": s.Facts.ReviewLabels, "job_id": job.JobID},
	}))
}

// actionOf names an audit action as the field facts do.
func actionOf(kind catalog.Kind, what string) string {
	switch {
	case kind == catalog.KindTemplate:
		return "submission." + what
	case what == "created":
		return "profile_pack.submission_created"
	}
	return "profile_pack.submission." + what
}
