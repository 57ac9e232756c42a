package stores

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/pack"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// items publishes the templates from (inclusive) to before in one transaction.
func (b *builder) items(ctx context.Context, from, before int) error {
	return b.store.Write(ctx, func(tx *store.Tx) error {
		// All numbers at once: a statement that answers makes FTS5 write out what it holds.
		if _, err := tx.Querier().ExecContext(ctx, `UPDATE counter SET value = $1 WHERE name = 'item'`, before-1); err != nil {
			return err
		}
		for n := from; n < before; n++ {
			if err := b.item(ctx, tx, int64(n), template(n)); err != nil {
				return fmt.Errorf("template %d: %w", n, err)
			}
		}
		return nil
	})
}

// item writes the rows that internal/app writes when it publishes the first version of a template, but
// for the submission, which no measured path reads.
func (b *builder) item(ctx context.Context, tx *store.Tx, seq int64, m made) error {
	d := &m.document
	now := clock.Micros(tx.Now)
	title := d.Locales[catalog.DefaultLocale].Title
	i := marketdb.Item{
		Seq: seq, Kind: d.Kind, ItemID: d.ID, Visibility: catalog.Community, Version: d.Version, Category: d.Category, Maintainer: d.Maintainer,
		SourceChannel: m.channel, RiskLevel: d.Scan.RiskLevel, Featured: m.featured, PublishedAt: now - m.age, Revision: 1,
		Facts: marketdb.ItemFacts{
			Tags: d.Tags, ReviewLabels: d.Scan.ReviewLabels, WarningFlags: d.Scan.WarningFlags, FoldedTitles: []string{search.FoldTitle(title)},
		},
	}
	a := catalog.Artifact{
		ID: "artifact-" + newID(), SHA256: b.digest, Filename: pack.Filename(d.ID, d.Version), Source: install.Built, SizeBytes: b.size,
	}
	v := marketdb.Version{
		Seq: seq, Version: d.Version, Ordinal: 1, SubmissionID: newID(), ContentDigest: d.ContentDigest(), RiskLevel: i.RiskLevel, PublishedAt: i.PublishedAt,
	}
	p := shown(i, v, a, *d)
	e := store.Event{EventID: newID(), At: now, Actor: "operator", Action: "item.published", Kind: string(d.Kind), ItemID: d.ID, OK: true, Status: "ok", Detail: "{}"}
	for _, step := range []func() error{
		func() error { return tx.AddVersion(v, d) },
		func() error { return tx.AddArtifact(marketdb.Artifact{Artifact: a, Seq: seq, Version: d.Version}) },
		func() error { return tx.AddItem(&i) },
		func() error { return b.store.Search().Put(ctx, tx.Querier(), seq, 1, searched(d)) },
		func() error {
			return tx.PutTexts(seq, []marketdb.ItemText{{Listing: p.Listing(catalog.DefaultLocale), Detail: p.Detail(catalog.DefaultLocale)}})
		},
		func() error { return tx.AddEvent(e) },
		func() error { return engage(ctx, tx, seq, m.engagement, now) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func engage(ctx context.Context, tx *store.Tx, seq int64, e catalog.Engagement, now int64) error {
	_, err := tx.Querier().ExecContext(ctx, `UPDATE engagement SET trial_requests = $2, installs = $3, prompt_generations = $4,
		package_generations = $5, last_activity_at = $6 WHERE seq = $1`,
		seq, e.TrialRequests, e.Installs, e.PromptGenerations, e.PackageGenerations, now-e.Installs%1000*3600*1e6)
	return err
}

func shown(i marketdb.Item, v marketdb.Version, a catalog.Artifact, d catalog.Document) *catalog.Published {
	at := clock.FromMicros(i.PublishedAt)
	return &catalog.Published{
		Document: d, Visibility: i.Visibility, Channel: i.SourceChannel, SubmissionID: v.SubmissionID, ReviewLabels: i.Facts.ReviewLabels,
		WarningFlags: i.Facts.WarningFlags, RiskLevel: i.RiskLevel, Featured: i.Featured, PublishedAt: at, Artifact: a,
		Versions: []catalog.VersionLine{{
			Version: v.Version, PublishedAt: clock.Text(at), SHA256: a.SHA256, SizeBytes: a.SizeBytes, Source: a.Source, RiskLevel: v.RiskLevel, Latest: true,
		}},
	}
}

// searched is what search may find of a template, as in internal/app.
func searched(d *catalog.Document) search.Document {
	text := d.Locales[catalog.DefaultLocale]
	return search.Document{
		Kind: search.Template, ID: d.ID, Keywords: append([]string{d.Category, d.Maintainer}, d.Tags...),
		Titles: []string{text.Title}, Descriptions: []string{text.Description}, Bodies: []string{text.Prompt},
	}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
