package httpapi_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// interrupted is a context that runs a function at the nth time that somebody asks whether it has ended: database/sql does
// before each statement, and from a goroutine of each transaction.
type interrupted struct {
	context.Context
	left atomic.Int64
	then func()
}

// Done counts down.
func (c *interrupted) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		c.then()
	}
	return c.Context.Done()
}

// However a scan that ends falls between the statements of an approval, what is published says what the scan found.
func TestApprovalPublishesWhatTheScanFound(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		refused, published := 0, 0
		for n := range 24 {
			id := fmt.Sprintf("race/number-%d", n)
			submitted := s.As(t, "bob").Post("/api/templates/submit", m{"template_id": id, "prompt": "You write letters.", "version": "1.0.0"}).OK(t).Str("data.submission_id")
			finish := unscan(t, s, submitted)
			ctx := &interrupted{Context: t.Context(), then: finish}
			ctx.left.Store(int64(n + 1))
			_, err := s.App.Approve(ctx, submitted, "", false)
			switch {
			case err == nil:
				published++
			case errs.CodeOf(err) == errs.SubmissionStateInvalid:
				refused++
				continue
			default:
				t.Fatal(err)
			}
			if status := s.Nobody(t).Get("/api/templates/detail", "template_id", id).OK(t).Str("data.scan_summary.status"); status != scan.Clean {
				t.Errorf("published after %d statements with a scan that is %q", n+1, status)
			}
		}
		if refused == 0 {
			t.Error("no approval met a scan that was running")
		}
		t.Logf("%d refused, %d published", refused, published)
	})
}

// unscan puts a submission back to where its scan is running elsewhere, and gives what ends the scan.
func unscan(t *testing.T, s *apitest.Server, id string) (finish func()) {
	t.Helper()
	whole, err := s.Store.Submission(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	open := whole
	open.RiskLevel, open.Facts.Scan.Status, open.Content.Document.Scan.Status = "medium", scan.Incomplete, scan.Incomplete
	open.Facts.ReviewLabels = []string{submission.ScanPending}
	write(t, s, func(tx *store.Tx) error {
		if err := tx.AddScanJob(id); err != nil {
			return err
		}
		if err := tx.FinishScan(open); err != nil {
			return err
		}
		if err := tx.AddScanJob(id); err != nil {
			return err
		}
		_, err := tx.TakeScanJob(clock.Micros(tx.Now)) // so that nobody scans it again
		return err
	})
	return func() { write(t, s, func(tx *store.Tx) error { return tx.FinishScan(whole) }) }
}
