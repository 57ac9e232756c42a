package store_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// Sums over sessions equal a full recount for every filter and window, on both engines.
func TestStudySumsEqualARecount(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		ctx, base := context.Background(), int64(1_770_000_000_000_000)
		users := 0
		rapid.Check(t, func(t *rapid.T) {
			users++
			user := "learner" + string(rune('a'+users%26)) + string(rune('a'+users/26%26)) + string(rune('a'+users/676%26))
			n := rapid.IntRange(0, 8).Draw(t, "sessions")
			var all []schooldb.Study
			for range n {
				all = append(all, schooldb.Study{
					UserID: user, ID: uuid.Must(uuid.NewV7()).String(), ExecutedAt: base + rapid.Int64Range(0, 3*86400*1e6).Draw(t, "at"),
					StudyKey: schooldb.StudyKey{
						Kind:     rapid.SampledFrom([]string{"session", "retest"}).Draw(t, "kind"),
						Strategy: rapid.SampledFrom([]string{"balanced", "mastery_recovery", ""}).Draw(t, "strategy"),
						Source:   rapid.SampledFrom([]string{"explicit_request", "mode_fallback"}).Draw(t, "source"),
					},
					Delta: rapid.Int64Range(-500_000, 500_000).Draw(t, "delta"), Confidence: 800_000, Actions: rapid.Int64Range(0, 9).Draw(t, "actions"), Record: []byte("{}"),
				})
			}
			if err := s.Write(ctx, func(tx *store.Tx) error {
				for _, one := range all {
					if err := tx.AddStudy(one); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			f := schooldb.StudyFilter{UserID: user}
			if rapid.Bool().Draw(t, "by strategy") {
				f.Strategy = "balanced"
			}
			if rapid.Bool().Draw(t, "by kind") {
				f.Kinds = []string{"session"}
			}
			if rapid.Bool().Draw(t, "from") {
				f.From = base + rapid.Int64Range(0, 3*86400*1e6).Draw(t, "from")
			}
			if rapid.Bool().Draw(t, "to") {
				f.To = base + rapid.Int64Range(0, 3*86400*1e6).Draw(t, "to")
			}
			var want schooldb.StudySum
			for _, one := range all {
				if f.Strategy != "" && one.Strategy != f.Strategy || f.Kinds != nil && one.Kind != "session" ||
					f.From > 0 && one.ExecutedAt < f.From || f.To > 0 && one.ExecutedAt >= f.To {
					continue
				}
				want.Sessions++
				want.Actions += one.Actions
				want.Delta += one.Delta
				want.Confidence += one.Confidence
				if one.Delta > 0 {
					want.Positive++
				}
				if one.Delta < 0 {
					want.Negative++
				}
			}
			sums, err := s.StudySums(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
			var got schooldb.StudySum
			for _, sum := range sums {
				got = got.Plus(sum)
			}
			got.StudyKey = schooldb.StudyKey{}
			if got != want {
				t.Fatalf("filter %+v: got %+v, want %+v", f, got, want)
			}
			rows, err := s.Studies(ctx, f, 0, "", 0, 100)
			if err != nil || int64(len(rows)) != want.Sessions {
				t.Fatalf("%d rows, want %d: %v", len(rows), want.Sessions, err)
			}
		})
	})
}
