package apitest

import (
	"context"
	"testing"

	"stoa/internal/market/scan"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// AgeScans makes everything that is published or pending look as a scanner without levels left it.
func (s *Server) AgeScans(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	old := scan.Summary{Status: scan.Clean, ScannerVersion: "scan-2-00000000", RiskLevel: "low", ReviewLabels: []string{"risk_low"}, Levels: []string{"L1"}}.Filled()
	versions, err := s.Store.VersionsToRescan(ctx, "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	pending, err := s.Store.SubmissionsToRescan(ctx, "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var items []marketdb.Item
	err = s.Store.Write(ctx, func(tx *store.Tx) error {
		for _, v := range versions {
			d, err := tx.Document(ctx, v.Seq, v.Version)
			if err != nil {
				return err
			}
			d.Scan = old
			if err := tx.RejudgeVersion(v.Seq, v.Version, &d); err != nil {
				return err
			}
			item, err := tx.Item(ctx, v.Kind, v.ItemID)
			if err != nil {
				return err
			}
			item.RiskLevel, item.Facts.ReviewLabels = "low", []string{"risk_low", "manual_reviewed"}
			items = append(items, item)
			if err := tx.UpdateItem(&item); err != nil {
				return err
			}
		}
		for _, id := range pending {
			sub, err := tx.Submission(ctx, id)
			if err != nil {
				return err
			}
			sub.RiskLevel, sub.Facts.Scan, sub.Content.Document.Scan, sub.Facts.ReviewLabels = "low", old, old, old.ReviewLabels
			if err := tx.RejudgeSubmission(sub); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items { // rendered as they are now
		if err := s.App.Feature(ctx, item.Kind, item.ItemID, item.FeaturedNote, item.Featured); err != nil {
			t.Fatal(err)
		}
	}
}
