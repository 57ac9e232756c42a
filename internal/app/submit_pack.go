package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/submission"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// SubmitPackInput says which draft is submitted and how. The names and texts may be given anew.
type SubmitPackInput struct {
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
	HeaderKey   string                   `json:"-"`
}

const routeSubmitPack = "profile-pack/submit"

// SubmitProfilePack makes a redacted pack of a draft and leaves it waiting for review.
func (a *App) SubmitProfilePack(ctx context.Context, c Caller, in SubmitPackInput) (PackSubmission, error) {
	userID, err := packMember(c, in)
	if err != nil {
		return PackSubmission{}, err
	}
	if in.Options.IdempotencyKey == "" {
		in.Options.IdempotencyKey = in.HeaderKey
	}
	in.Options = in.Options.Normalized()
	of := uploadOf{userID: userID, itemID: in.PackID, key: in.Options.IdempotencyKey, route: routeSubmitPack}
	try := store.Transfer{UserID: userID, Direction: transfer.Upload, JobType: transfer.ProfilePackSubmission, Metadata: "{}"}
	same := in
	same.UserID, same.HeaderKey, same.Options.IdempotencyKey = "", "", ""
	key := once{userID: userID, key: of.key, route: routeSubmitPack, digest: digestOf(same)}
	// Before the draft is looked for: it may be deleted by now, and the answer is the same all the same.
	out, found, err := a.replayPack(ctx, c, key, try, of)
	if err == nil && !found {
		var row store.Draft
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
func packMember(c Caller, in SubmitPackInput) (userID string, err error) {
	if userID, err = c.member(in.UserID); err == nil && in.ArtifactID == "" {
		err = errs.New(errs.PackSourceRequired, "Say which draft is submitted: artifact_id is missing. Importing a setup gives one.")
	}
	return userID, err
}

// packSource finds the draft that a request is about.
func (a *App) packSource(ctx context.Context, c Caller, in SubmitPackInput) (store.Draft, error) {
	if _, err := packMember(c, in); err != nil {
		return store.Draft{}, err
	}
	_, row, err := a.ownDraft(ctx, c, ImportRefInput{in.UserID, in.ArtifactID}, errs.PackNotFound)
	return row, err
}

func (a *App) submitPack(ctx context.Context, c Caller, in SubmitPackInput, row store.Draft, key once, try store.Transfer, of uploadOf) (PackSubmission, error) {
	built, err := a.buildPack(ctx, in, row)
	if err != nil {
		return PackSubmission{}, err
	}
	defer built.zip.Discard()
	s, err := a.newSubmission(ctx, submitted{document: built.document, report: built.report, filename: built.filename}, of.userID, in.Options.Visibility)
	if err != nil {
		return PackSubmission{}, err
	}
	in.Options.PackType = built.document.Pack.PackType
	s.PackType, s.ImportID, s.Facts.Submit = built.document.Pack.PackType, row.ArtifactID, &in.Options
	s.Facts.Pack.Matrix = built.matrix
	digest, size, err := built.zip.Keep()
	if err != nil {
		return PackSubmission{}, err
	}
	s.Facts.Artifact.SHA256, s.Facts.Artifact.SizeBytes, s.SHA256 = digest, size, digest
	try.SizeBytes, try.DoneBytes, try.SHA256 = size, size, digest
	of.itemID, of.filename = s.ItemID, built.filename
	var out PackSubmission
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		// Read again here: a draft that is deleted meanwhile must not be left with a submission.
		if _, err := tx.Draft(ctx, row.ArtifactID); errors.Is(err, store.ErrNotFound) {
			return unknownDraft(errs.PackNotFound, row.ArtifactID)
		} else if err != nil {
			return err
		}
		added, job, err := a.addSubmission(ctx, tx, c, s, key, in.Options.ReplaceExisting, try, of)
		if err != nil {
			return err
		}
		out = shownPackSubmission(added)
		out.LeaveReport, out.TransferJob, out.Matrix = added.Report, &job, &added.Facts.Pack.Matrix
		return key.keep(tx, out)
	})
	if errors.Is(err, errReplay) {
		var found bool
		out, found, err = a.replayPack(ctx, c, key, try, of)
		err = answered(found, err)
	}
	return out, err
}

func (a *App) replayPack(ctx context.Context, c Caller, key once, try store.Transfer, of uploadOf) (out PackSubmission, found bool, err error) {
	if found, err = a.replay(ctx, key, &out); !found || err != nil {
		return out, found, err
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
}

// PreviewProfilePack answers what a submit would send. It writes nothing.
func (a *App) PreviewProfilePack(ctx context.Context, c Caller, in SubmitPackInput) (PackPreview, error) {
	row, err := a.packSource(ctx, c, in)
	if err != nil {
		return PackPreview{}, err
	}
	in.Options = in.Options.Normalized()
	built, err := a.buildPack(ctx, in, row)
	if err != nil {
		return PackPreview{}, err
	}
	defer built.zip.Discard()
	d := built.document
	return PackPreview{
		PackID: d.ID, PackType: d.Pack.PackType, Version: d.Version, Filename: built.filename, SizeBytes: built.zip.Size(), SHA256: built.zip.Digest(),
		RedactionMode: d.Pack.RedactionMode, Sections: d.SectionNames(), SelectionTree: built.tree, Scan: d.Scan, LeaveReport: built.report, Matrix: built.matrix,
	}, nil
}

// builtPack is a pack made of a draft, its bytes not yet kept.
type builtPack struct {
	document catalog.Document
	zip      *blob.Staged
	filename string
	report   disclosure.Report
	matrix   pack.Matrix
	tree     []pack.Section
}

// buildPack reads a draft again, takes what is chosen, redacts it, writes the pack and proves over its
// bytes that no secret is left.
func (a *App) buildPack(ctx context.Context, in SubmitPackInput, row store.Draft) (builtPack, error) {
	if err := a.inspect(ctx); err != nil {
		return builtPack{}, err
	}
	defer a.inspected()
	setup, err := a.openDraft(ctx, row)
	if err != nil {
		return builtPack{}, err
	}
	sealed, err := sealedBefore(setup, in)
	if err != nil {
		return builtPack{}, err
	}
	setup.PackID, setup.Version = either(in.PackID, setup.PackID), either(in.Version, setup.Version)
	chosen, err := choose(setup, in.Options)
	if err != nil {
		return builtPack{}, err
	}
	mode, recipient := redact.Mode(in.Options.RedactionMode), in.Options.EncryptionRecipient
	if sealed != nil {
		mode = redact.ExcludeSecrets // nobody can add to what is sealed; what is found besides is masked
	}
	if mode == redact.IncludeEncryptedSecrets && recipient == "" {
		p, err := a.preference(ctx, row.UserID)
		if err != nil {
			return builtPack{}, err
		}
		recipient = p.Recipient
	}
	clean, err := a.secrets.Sections(chosen, redact.Options{
		Mode: mode, MaskPaths: in.Options.MaskPaths, DropPaths: in.Options.DropPaths, Recipient: recipient, Binding: setup.PackID,
	})
	if err != nil {
		return builtPack{}, err
	}
	if sealed != nil {
		clean.Sealed = sealed
	}
	if len(clean.Sections) == 0 {
		return builtPack{}, errs.New(errs.InvalidProfileSection, "Nothing is left to submit with these options. Choose more sections or another redaction mode.")
	}
	return a.writePack(setup, clean, in, row)
}

// sealedBefore gives the secrets that a pack brought along sealed. They are bound to its id.
func sealedBefore(setup *botimport.Draft, in SubmitPackInput) ([]byte, error) {
	if setup.Profile == nil || setup.Profile.Sealed == nil || in.Options.RedactionMode != string(redact.IncludeEncryptedSecrets) {
		return nil, nil
	}
	if in.PackID != "" && in.PackID != setup.PackID {
		return nil, errs.Newf(errs.InvalidProfilePackPayload, "The sealed secrets in this pack belong to the id %s. Submit it under that id, or make a new pack with `stoa pack`.", pack.Clean(setup.PackID))
	}
	return setup.Profile.Sealed, nil
}

// openDraft reads the setup that a draft was made of.
func (a *App) openDraft(ctx context.Context, row store.Draft) (*botimport.Draft, error) {
	file, err := a.blobs.Open(row.Blob)
	if err != nil {
		return nil, missing(err)
	}
	defer file.Close()
	plain, err := unseal(file, row.Key)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(plain, MaxPackageBytes+1))
	if err != nil {
		return nil, err
	}
	return botimport.Read(ctx, row.Filename, row.Fingerprint, bytes.NewReader(raw), int64(len(raw)), archive.Default)
}

// choose takes of a setup the sections and items that are wanted, and settles the pack's type.
func choose(setup *botimport.Draft, o submission.SubmitOptions) (map[string]any, error) {
	sections := setup.Sections
	if o.PackType != "" && o.PackType != setup.PackType {
		setup.PackType = o.PackType
		allowed := pack.AllowedSections(o.PackType)
		sections = maps.Clone(sections)
		if len(o.SelectedSections) == 0 && len(o.SelectedItemPaths) == 0 {
			maps.DeleteFunc(sections, func(name string, _ any) bool { return !slices.Contains(allowed, name) })
		}
		for _, name := range o.SelectedSections {
			if !slices.Contains(allowed, name) {
				return nil, errs.Newf(errs.InvalidProfileSection, "An extension pack holds %v only, not %s.", allowed, pack.Clean(name)).With("section", pack.Clean(name))
			}
		}
	}
	return pack.Select(sections, o.SelectedSections, o.SelectedItemPaths)
}

// writePack writes the redacted sections as a pack, and looks at the result as a stranger would.
func (a *App) writePack(setup *botimport.Draft, clean redact.Result, in SubmitPackInput, row store.Draft) (_ builtPack, err error) {
	manifest := setup.Manifest(clock.Text(clock.FromMicros(row.CreatedAt)), in.Options.RedactionMode)
	manifest.Redaction.MaskPaths, manifest.Redaction.DropPaths = in.Options.MaskPaths, in.Options.DropPaths
	zip, err := a.blobs.Stage()
	if err != nil {
		return builtPack{}, err
	}
	defer func() {
		if err != nil {
			zip.Discard()
		}
	}()
	if manifest, err = pack.Write(zip, manifest, clean.Sections, clean.Sealed); err != nil {
		return builtPack{}, unwritable(err)
	}
	texts, err := canonical(clean.Sections)
	if err != nil {
		return builtPack{}, err
	}
	if err := a.verify(in, manifest, texts, clean.Known); err != nil {
		return builtPack{}, err
	}
	report, err := disclosure.OfSections(clean.Sections, strictjson.Canonical, clean, manifest.Capabilities)
	if err != nil {
		return builtPack{}, err
	}
	issues := issuesOf(setup.Issues, pack.Diagnose(manifest, clean.Sections, pack.Host{}))
	d, err := packDocument(in, manifest, row.UserID)
	if err != nil {
		return builtPack{}, err
	}
	for _, name := range manifest.Sections {
		text := texts[name]
		d.Pack.Contents = append(d.Pack.Contents, catalog.SectionRef{Name: name, SHA256: pack.Digest(text), Size: int64(len(text))})
	}
	d.Pack.Derived, d.Pack.Compatibility, d.Pack.CompatibilityWhy = capabilityNames(report), pack.Compatibility(issues), pack.Codes(issues)
	d.Scan = scanned(in.Options.ScanMode, texts)
	return builtPack{
		document: d, zip: zip, filename: pack.Filename(d.ID, d.Version), report: report, tree: pack.SelectionTree(clean.Sections),
		matrix: pack.NewMatrix(issues, manifest.HostVersion, manifest.PluginCompat),
	}, nil
}

// verify proves that no secret is left in the pack's bytes or in the texts that go with it.
func (a *App) verify(in SubmitPackInput, manifest pack.Manifest, texts map[string][]byte, known []string) error {
	around, err := json.Marshal([]any{in.PackID, in.Version, in.Title, in.Description, in.Category, in.Tags, in.Maintainer, in.ChangeNote})
	if err != nil {
		return err
	}
	head, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	leaks := append(a.secrets.Verify(around, "the texts of the submission", known), a.secrets.Verify(head, "manifest.json", known)...)
	for _, name := range manifest.Sections {
		leaks = append(leaks, a.secrets.Verify(texts[name], "sections/"+name+".json", known)...)
	}
	if len(leaks) > 0 {
		return leaked(leaks)
	}
	return nil
}

// packDocument is the document of a pack without its sections, which stand in its package.
func packDocument(in SubmitPackInput, m pack.Manifest, userID string) (catalog.Document, error) {
	text := catalog.Text{Title: either(in.Title, m.PackID), Description: in.Description}
	locale := catalog.LocaleOf(text.Title + " " + text.Description)
	d := catalog.Document{
		Kind: catalog.KindProfilePack, ID: m.PackID, Version: m.Version, Category: in.Category, Maintainer: either(in.Maintainer, userID), Tags: []string{},
		SourceLocale: locale, Locales: map[string]catalog.Text{locale: text}, ChangeNote: in.ChangeNote,
		Pack: &catalog.Pack{
			PackType: m.PackType, Capabilities: m.Capabilities, RedactionMode: m.Redaction.Mode, HostVersion: m.HostVersion, PluginCompat: m.PluginCompat,
		},
	}
	readTags(&d, in.Tags)
	for _, err := range []error{catalog.CheckID("pack_id", d.ID), catalog.CheckVersion(d.Version), catalog.CheckName("category", d.Category, catalog.MaxCategory)} {
		if err != nil {
			return d, errs.Newf(errs.InvalidRequest, "The pack cannot be taken: %s.", err)
		}
	}
	return d, nil
}

func unwritable(err error) error {
	if _, ok := errs.As(err); ok {
		return err
	}
	return errs.Wrap(errs.InvalidProfilePackPayload, "No pack can be made of this draft as it stands.", err)
}

// canonical writes each section the way its hash is taken.
func canonical(sections map[string]any) (map[string][]byte, error) {
	out := make(map[string][]byte, len(sections))
	for name, section := range sections {
		text, err := strictjson.Canonical(section)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

// scanned scans sections.
func scanned(mode string, texts map[string][]byte) scan.Summary {
	s := scan.NewScan(scanOptions(mode))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := "sections/" + name + ".json"
		_, _ = s.File(file, scan.RoleOf(file)).Write(texts[name]) // never fails
	}
	return s.Finish()
}

func sectionNames(sections map[string]any) []string { return slices.Sorted(maps.Keys(sections)) }

// marked are the paths that a redaction touched.
func marked(r redact.Result) []string {
	var out []string
	for _, list := range [][]redact.Mark{r.Masked, r.Dropped} {
		for _, m := range list {
			out = append(out, m.Path)
		}
	}
	return out
}

// issuesOf are the issues of reading a setup and of the pack made of it, each once. What was said of the
// setup's signature does not hold for a pack that carries none.
func issuesOf(read, made []pack.Issue) []pack.Issue {
	out := slices.Clone(made)
	for _, issue := range read {
		if strings.HasPrefix(issue.Code, "signature_") || slices.ContainsFunc(out, func(i pack.Issue) bool { return i.Code == issue.Code }) {
			continue
		}
		out = append(out, issue)
	}
	slices.SortFunc(out, func(a, b pack.Issue) int { return strings.Compare(a.Code, b.Code) })
	return out
}

func capabilityNames(r disclosure.Report) []string {
	out := []string{}
	for _, c := range r.Capabilities {
		out = append(out, c.Name)
	}
	return out
}
