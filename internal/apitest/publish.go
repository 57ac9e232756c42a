package apitest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"stoa/internal/app/market/review"
	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// Import publishes catalog lines and fails the test when one is refused.
func (s *Server) Import(t testing.TB, o review.ImportOptions, lines ...string) review.ImportReport {
	t.Helper()
	if o.Channel == "" {
		o.Channel = catalog.ChannelImport
	}
	report, err := s.App.Import(context.Background(), strings.NewReader(strings.Join(lines, "\n")), o)
	if err != nil || len(report.Refused) > 0 {
		t.Fatalf("import: %v, refused %+v", err, report.Refused)
	}
	return report
}

// Submit leaves a template of a member waiting for review and answers the submission's id.
func (s *Server) Submit(t testing.TB, userID, id, version string, visibility catalog.Visibility) string {
	t.Helper()
	d := catalog.Document{
		Kind: catalog.KindTemplate, ID: id, Version: version, Category: "writing", Tags: []string{"letters"}, Maintainer: userID, SourceLocale: "en-US",
		Locales: map[string]catalog.Text{"en-US": {Title: "Quiet letters", Description: "Writes letters that nobody else reads.", Prompt: "Write quietly. " + version}},
		Scan:    scan.Scan(nil),
	}
	sub := marketdb.Submission{
		SubmissionID: uuid.Must(uuid.NewV7()).String(), Kind: d.Kind, ItemID: id, Version: version, UserID: userID, Status: submission.Pending,
		RiskLevel: d.Scan.RiskLevel, CreatedAt: clock.Micros(s.Clock.Now()), UpdatedAt: clock.Micros(s.Clock.Now()),
		Content: marketdb.SubmissionContent{Document: d, Visibility: visibility, Channel: catalog.ChannelCommunity},
	}
	if err := s.Store.Write(context.Background(), func(tx *store.Tx) error { return tx.AddSubmission(sub) }); err != nil {
		t.Fatal(err)
	}
	return sub.SubmissionID
}

// Private publishes a template that only its owner sees.
func (s *Server) Private(t testing.TB, userID, id string) {
	t.Helper()
	if _, err := s.App.Approve(context.Background(), s.Submit(t, userID, id, "1.0.0", catalog.Private), "", false); err != nil {
		t.Fatal(err)
	}
}
