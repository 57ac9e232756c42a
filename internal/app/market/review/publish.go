package review

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/install"
	"stoa/internal/market/pack"
	"stoa/internal/market/submission"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// release is a document on its way to the public, its package already in the blob store.
type release struct {
	document     catalog.Document
	owner        string
	visibility   catalog.Visibility
	channel      string
	submissionID string
	note         string
	featured     bool
	republish    bool // a mirrored item that the feeds show
	takeOver     bool // an operator's word that the new publisher becomes the owner
	artifacts    []catalog.Artifact
}

// prepare puts the release's packages on disk, before any row names them: the one that was submitted, and
// one built of the document where that holds everything.
func (a *Service) prepare(ctx context.Context, r *release) error {
	for _, artifact := range r.artifacts {
		there, err := a.Blobs.Has(ctx, artifact.SHA256)
		if err == nil && !there {
			err = browse.Missing(blob.ErrNotFound)
		}
		if err != nil {
			return err
		}
	}
	if r.document.Pack != nil && len(r.document.Pack.Contents) > 0 {
		return nil // the sections stand in the submitted package alone
	}
	zip, err := pack.Build(&r.document)
	if err != nil {
		return err
	}
	digest, size, err := a.Blobs.Put(ctx, bytes.NewReader(zip))
	if err != nil {
		return err
	}
	r.artifacts = append(r.artifacts, catalog.Artifact{
		ID: "artifact-" + core.NewID(), SHA256: digest, Filename: pack.Filename(r.document.ID, r.document.Version), Source: install.Built, SizeBytes: size,
	})
	return nil
}

// publish makes a prepared release the latest version of its item.
func (a *Service) publish(ctx context.Context, tx *store.Tx, c core.Caller, r *release) (marketdb.Item, error) {
	item, err := tx.Item(ctx, r.document.Kind, r.document.ID)
	isNew := errors.Is(err, sqldb.ErrNotFound)
	if err != nil && !isNew {
		return item, err
	}
	if err := submit.CheckVersion(r.document.Version); err != nil { // it was submitted before the rule
		return item, err
	}
	if !isNew && item.Owner != r.owner && !r.takeOver {
		return item, errs.Newf(errs.OwnershipConflict, "%s belongs to %s. Say --take-over if its owner is to change.", r.document.ID, submit.OwnerName(item.Owner))
	}
	if !isNew && item.Visibility != r.visibility {
		return item, errs.Newf(errs.SubmissionStateInvalid, "This version of %s cannot be published: its visibility %s.", item.ItemID, submit.Stays(item))
	}
	if o := r.document.Origin; o != nil {
		m, err := tx.Mirror(ctx, o.Mirror)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return item, err
		}
		r.republish = m.Republish
		if r.note == "" {
			r.note = fmt.Sprintf("From %s, %s: %s (sha256 %s).", o.Mirror, o.URL, o.ID, o.SHA256)
		}
	}
	var before []marketdb.Version
	if isNew {
		item = marketdb.Item{Kind: r.document.Kind, ItemID: r.document.ID, Featured: r.featured, FeaturedAt: featuredAt(tx, r.featured)}
		if item.Seq, err = tx.NextSeq(); err != nil {
			return item, err
		}
	} else if before, err = tx.Versions(ctx, item.Seq); err != nil {
		return item, err
	}
	r.fill(tx, &item)
	version := marketdb.Version{
		Seq: item.Seq, Version: r.document.Version, Ordinal: len(before) + 1, SubmissionID: r.submissionID, ContentDigest: r.document.ContentDigest(),
		RiskLevel: item.RiskLevel, ChangeNote: r.document.ChangeNote, PublishedAt: item.PublishedAt,
	}
	if err := tx.AddVersion(version, &r.document); err != nil {
		if errors.Is(err, sqldb.ErrConflict) {
			return item, errs.Newf(errs.SubmissionStateInvalid, "Version %s of %s was published before; a version never changes, also when it was withdrawn.", version.Version, item.ItemID)
		}
		return item, err
	}
	for _, artifact := range r.artifacts {
		if err := tx.AddArtifact(marketdb.Artifact{Artifact: artifact, Seq: item.Seq, Version: version.Version}); err != nil {
			return item, err
		}
	}
	write := tx.UpdateItem
	if isNew {
		write = tx.AddItem
	}
	if err := write(&item); err != nil {
		return item, err
	}
	if err := a.Index(ctx, tx, item, &r.document); err != nil {
		return item, err
	}
	if err := a.show(ctx, tx, item); err != nil {
		return item, err
	}
	return item, tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: r.owner, Action: "item.published", Kind: item.Kind, ItemID: item.ItemID, Target: r.submissionID, Status: "ok",
		Detail: map[string]any{"version": item.Version, "sha256": r.artifacts[0].SHA256},
	}))
}

// fill writes into the item what the new version says.
func (r *release) fill(tx *store.Tx, item *marketdb.Item) {
	d := &r.document
	item.Owner, item.Visibility, item.Version, item.Category, item.Maintainer = r.owner, r.visibility, d.Version, d.Category, d.Maintainer
	item.SourceChannel, item.RiskLevel, item.PublishedAt = r.channel, d.Scan.RiskLevel, clock.Micros(tx.Now)
	item.Revision++
	by := item.Facts.FeaturedBy
	if r.featured {
		by = core.Operator.UserID
	}
	item.Facts = marketdb.ItemFacts{Tags: d.Tags, ReviewLabels: slices.Clone(d.Scan.ReviewLabels), WarningFlags: d.Scan.WarningFlags, ReviewNote: r.note, FeaturedBy: by, Republish: r.republish, WithdrawnVersions: item.Facts.WithdrawnVersions}
	switch r.channel {
	case catalog.ChannelOfficial:
		item.Facts.ReviewLabels = append(item.Facts.ReviewLabels, "official_"+string(d.Kind))
	case catalog.ChannelCommunity:
		item.Facts.ReviewLabels = append(item.Facts.ReviewLabels, "manual_reviewed")
	}
	if !ids.New(d.ID) {
		item.Facts.ReviewLabels = append(item.Facts.ReviewLabels, submission.OddID)
	}
	if d.Pack != nil {
		item.PackType = d.Pack.PackType
	}
	item.Facts.Names = namesOf(d)
	for _, tag := range d.LocaleTags() {
		if folded := search.FoldTitle(d.Locales[tag].Title); !slices.Contains(item.Facts.FoldedTitles, folded) {
			item.Facts.FoldedTitles = append(item.Facts.FoldedTitles, folded)
		}
	}
}

// namesOf are the titles of a document in all its languages, folded, each once.
func namesOf(d *catalog.Document) []string {
	names := []string{}
	for _, tag := range d.LocaleTags() {
		if name := search.Fold(d.Locales[tag].Title); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// show renders the item in its languages and, once that is on disk, puts it into the catalog. It reads
// what is stored, so the page always agrees with the rows.
func (a *Service) show(ctx context.Context, tx *store.Tx, item marketdb.Item) error {
	d, err := tx.Document(ctx, item.Seq, item.Version)
	if err != nil {
		return err
	}
	p, err := published(ctx, tx, item, d)
	if err != nil {
		return err
	}
	texts := []marketdb.ItemText{{Locale: "", Listing: p.Listing(d.Fallback()), Detail: p.Detail(d.Fallback())}}
	for _, locale := range browse.PageLocales {
		if _, ok := d.Locales[locale]; ok && locale != d.Fallback() {
			texts = append(texts, marketdb.ItemText{Locale: locale, Listing: p.Listing(locale), Detail: p.Detail(locale)})
		}
	}
	if err := tx.PutTexts(item.Seq, texts); err != nil {
		return err
	}
	e, err := tx.Engagement(ctx, item.Seq)
	if err != nil {
		return err
	}
	tx.OnCommit(func() { a.Cache.Put(item, e) })
	return nil
}

func published(ctx context.Context, tx *store.Tx, item marketdb.Item, d catalog.Document) (*catalog.Published, error) {
	versions, err := tx.Versions(ctx, item.Seq)
	if err != nil {
		return nil, err
	}
	artifacts, err := tx.Artifacts(ctx, item.Seq, "")
	if err != nil {
		return nil, err
	}
	best := map[string]catalog.Artifact{}
	for _, a := range artifacts {
		if _, ok := best[a.Version]; !ok || a.Source == install.Uploaded {
			best[a.Version] = a.Artifact
		}
	}
	p := &catalog.Published{
		Document: d, Owner: item.Owner, Visibility: item.Visibility, Channel: item.SourceChannel, ReviewNote: item.Facts.ReviewNote,
		ReviewLabels: item.Facts.ReviewLabels, WarningFlags: item.Facts.WarningFlags, RiskLevel: item.RiskLevel, Featured: item.Featured,
		FeaturedNote: item.FeaturedNote, FeaturedBy: item.Facts.FeaturedBy, PublishedAt: clock.FromMicros(item.PublishedAt), Artifact: best[item.Version],
	}
	if item.Featured && item.FeaturedAt > 0 {
		p.FeaturedAt = clock.FromMicros(item.FeaturedAt)
	}
	if d.Pack != nil {
		m := browse.MatrixOf(&d)
		p.Matrix, _ = json.Marshal(m) // texts, numbers and lists always encode
		p.Evidence, _ = json.Marshal(browse.EvidenceOf(item.RiskLevel, item.Facts.ReviewLabels, item.Facts.WarningFlags, m, d.Pack.RedactionMode, d.Capabilities()))
	}
	for _, v := range versions {
		if w, gone := item.Facts.WithdrawnVersions[v.Version]; gone {
			p.Withdrawn = append(p.Withdrawn, withdrawnLine(v.Version, w))
			continue
		}
		if v.Version == item.Version {
			p.SubmissionID = v.SubmissionID
		}
		p.Versions = append(p.Versions, catalog.VersionLine{
			Version: v.Version, PublishedAt: clock.Text(clock.FromMicros(v.PublishedAt)), SHA256: best[v.Version].SHA256,
			SizeBytes: best[v.Version].SizeBytes, Source: best[v.Version].Source, RiskLevel: v.RiskLevel, ChangeNote: v.ChangeNote,
			Latest: v.Version == item.Version,
		})
	}
	return p, nil
}

// announce tells everybody who has an older version installed that there is a new one.
func announce(ctx context.Context, tx *store.Tx, item marketdb.Item) error {
	after := ""
	for {
		users, err := tx.Installers(ctx, item.Seq, item.Version, after, core.SweepBatch)
		if err != nil || len(users) == 0 {
			return err
		}
		for _, userID := range users {
			if item.Visibility == catalog.Private && userID != item.Owner {
				continue
			}
			if err := core.Notify(tx, userID, core.ToldUpdate, core.About{ItemID: item.ItemID, Kind: item.Kind}, "Version %s of %s is out.", item.Version, item.ItemID); err != nil {
				return err
			}
		}
		after = users[len(users)-1]
	}
}

func featuredAt(tx *store.Tx, featured bool) int64 {
	if !featured {
		return 0
	}
	return clock.Micros(tx.Now)
}
