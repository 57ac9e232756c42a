package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/market/trial"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// Bounds of what a recording may send. What is kept of it is what an item's page shows; see item_page.go.
const (
	mostRecorded = 200 // messages
	longestModel = 200 // bytes
)

// SaveExampleInput is a conversation that an author held with what they submitted, or with what they published. Without messages
// the persona's example goes.
type SaveExampleInput struct {
	UserID       string         `json:"user_id"`
	SubmissionID string         `json:"submission_id"`
	ItemID       string         `json:"item_id"`
	Persona      string         `json:"persona"`
	Model        string         `json:"model"`
	Messages     []catalog.Line `json:"messages"`
}

// ExampleSaved says which submission holds the examples now, which of them, and in how many messages a secret was masked.
type ExampleSaved struct {
	SubmissionID string            `json:"submission_id"`
	ItemID       string            `json:"item_id"`
	Version      string            `json:"version"`
	Status       string            `json:"status"`
	Masked       int               `json:"masked"`
	Examples     []catalog.Example `json:"examples"`
}

// exampleSources are the texts of examples, for the scanner.
func exampleSources(examples []catalog.Example) []scan.Source {
	var out []scan.Source
	for n, x := range examples {
		for i, l := range x.Lines {
			out = append(out, scan.Source{File: PartExamples, Path: fmt.Sprintf("$[%d].messages[%d]", n, i), Text: l.Content})
		}
	}
	return out
}

// SaveExample keeps a conversation as the example of a persona. It is masked, scanned with the rest, and shown to nobody before a
// reviewer approved it: a pending submission holds it; of a published item a submission is made that changes nothing else.
func (a *Service) SaveExample(ctx context.Context, c core.Caller, in SaveExampleInput) (ExampleSaved, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ExampleSaved{}, err
	}
	s, isNew, err := a.holderOfExamples(ctx, c.As(userID), in)
	if err != nil {
		return ExampleSaved{}, err
	}
	if err := c.MaySubmit(s.ItemID); err != nil {
		return ExampleSaved{}, err
	}
	was := s.Content.Document.ExamplesDigest()
	masked, err := a.setExample(ctx, c.As(userID), &s, in)
	if err != nil {
		return ExampleSaved{}, err
	}
	stands, err := a.ItemStateOf(ctx, s.Kind, s.ItemID, userID)
	if err != nil {
		return ExampleSaved{}, err
	}
	if err := a.judgeExamples(ctx, stands, &s, isNew); err != nil {
		return ExampleSaved{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error { return a.keepExamples(ctx, tx, c.As(userID), s, was, isNew) })
	out := ExampleSaved{SubmissionID: s.SubmissionID, ItemID: s.ItemID, Version: s.Version, Status: s.Status, Masked: masked, Examples: s.Content.Document.Examples}
	if out.Examples == nil {
		out.Examples = []catalog.Example{}
	}
	return out, err
}

// holderOfExamples finds the pending submission that a conversation goes into. Of a published item it is the one that waits with
// examples already, else a new one.
func (a *Service) holderOfExamples(ctx context.Context, c core.Caller, in SaveExampleInput) (s marketdb.Submission, isNew bool, err error) {
	if in.SubmissionID != "" {
		if _, s, err = a.threadOf(ctx, c, ThreadInput{SubmissionID: in.SubmissionID}); err == nil && s.Status != submission.Pending {
			err = errs.Newf(errs.SubmissionStateInvalid, "This submission is %s already. Record the conversation on the page of the published item.", s.Status)
		}
		if err == nil {
			err = ScannedFirst(ctx, a.Store.Queries, s.SubmissionID)
		}
		return s, false, err
	}
	if in.ItemID == "" {
		return s, false, errs.Invalid("item_id", "is missing")
	}
	v, e, kind, err := a.VersionFor(ctx, c, in.ItemID, "")
	if err != nil {
		return s, false, err
	}
	if e.Owner != c.UserID {
		return s, false, core.ErrNotYours
	}
	filter := marketdb.SubmissionFilter{Status: submission.Pending, IDPart: e.FoldedID, ReviewLabel: submission.ExamplesOnly}
	waiting, err := a.Store.MemberSubmissions(ctx, c.UserID, kind, filter, "", textBatch)
	if err != nil {
		return s, false, err
	}
	for _, w := range waiting {
		if w.ItemID == e.ID && w.Version == e.Version {
			s, err = a.Store.Submission(ctx, w.SubmissionID)
			return s, false, err
		}
	}
	item, err := a.Store.Item(ctx, kind, e.ID)
	if err != nil {
		return s, false, err
	}
	d := v.Document
	s = marketdb.Submission{
		SubmissionID: core.NewID(), Kind: kind, ItemID: e.ID, Version: e.Version, UserID: c.UserID, Status: submission.Pending, FoldedID: e.FoldedID, PackType: item.PackType,
		Facts: FactsOf(&d), Content: marketdb.SubmissionContent{Document: d, Visibility: item.Visibility, Channel: item.SourceChannel},
	}
	s.Facts.ExamplesOnly = true
	if artifact, there := v.Artifact(install.Uploaded); there {
		s.Facts.Artifact, s.SHA256 = &artifact.Artifact, artifact.SHA256
	}
	return s, true, nil
}

// setExample puts the conversation into a submission, its secrets masked, cut to what a page shows.
func (a *Service) setExample(ctx context.Context, c core.Caller, s *marketdb.Submission, in SaveExampleInput) (masked int, err error) {
	_, personas, err := a.personasOf(ctx, c, submittedVersion(*s))
	if err != nil {
		return 0, err
	}
	name := in.Persona
	if !slices.ContainsFunc(personas, func(p trial.Persona) bool { return p.Name == name }) && (s.Kind != catalog.KindTemplate || len(personas) == 0) {
		return 0, errs.Invalid("persona", "must be one of the item's")
	}
	if s.Kind == catalog.KindTemplate {
		name = ""
	}
	kept := slices.DeleteFunc(slices.Clone(s.Content.Document.Examples), func(x catalog.Example) bool { return x.Persona == name })
	s.Content.Document.Examples = kept
	if len(in.Messages) == 0 {
		return 0, nil
	}
	if len(kept) >= browse.MostExchanges {
		return 0, errs.Newf(errs.QuotaExceeded, "An item has at most %d example conversations. Remove one first.", browse.MostExchanges)
	}
	if in.Model = strings.TrimSpace(in.Model); in.Model == "" || len(in.Model) > longestModel {
		return 0, errs.Invalid("model", "must name the model that answered")
	}
	if err := checkLines(in.Messages); err != nil {
		return 0, err
	}
	x, masked, err := a.maskExample(catalog.Example{Persona: name, Model: in.Model, Lines: in.Messages})
	if err != nil {
		return 0, err
	}
	s.Content.Document.Examples = append(kept, shortened(x))
	return masked, nil
}

// checkLines refuses what is no conversation: questions and answers in turn, each saying something.
func checkLines(lines []catalog.Line) error {
	size := 0
	for i, l := range lines {
		if l.Role != []string{"user", "assistant"}[i%2] || strings.TrimSpace(l.Content) == "" {
			return errs.Invalid("messages", "must be questions of the user and answers of the assistant in turn, none empty")
		}
		size += len(l.Content)
	}
	if len(lines)%2 != 0 || len(lines) > mostRecorded || size > mostTrialText {
		return errs.Invalid("messages", "must end with an answer, and be at most 200 with 256 KiB of text together")
	}
	return nil
}

// maskExample takes the secrets out of a conversation and counts the messages that held some.
func (a *Service) maskExample(x catalog.Example) (out catalog.Example, masked int, err error) {
	lines := []any{}
	for _, l := range x.Lines {
		lines = append(lines, l.Content)
	}
	clean, err := a.Masked(map[string]any{"examples": map[string]any{"model": x.Model, "messages": lines}})
	if err != nil {
		return x, 0, err
	}
	text, err := json.Marshal(clean["examples"])
	if err != nil {
		return x, 0, err
	}
	var after struct {
		Model    string   `json:"model"`
		Messages []string `json:"messages"`
	}
	if err := json.Unmarshal(text, &after); err != nil || len(after.Messages) != len(x.Lines) {
		return x, 0, errors.Join(err, errors.New("app: a conversation was not masked line by line"))
	}
	out = catalog.Example{Persona: x.Persona, Model: after.Model}
	for i, l := range x.Lines {
		if after.Messages[i] != l.Content {
			masked++
		}
		out.Lines = append(out.Lines, catalog.Line{Role: l.Role, Content: after.Messages[i]})
	}
	return out, masked, nil
}

// shortened keeps of a conversation what an item's page shows.
func shortened(x catalog.Example) catalog.Example {
	x.Cut = len(x.Lines) > browse.MostMessages
	x.Lines = x.Lines[:min(browse.MostMessages, len(x.Lines))]
	for i := range x.Lines {
		if short := core.Truncate(x.Lines[i].Content, browse.LongestMessage); short != x.Lines[i].Content {
			x.Lines[i].Content, x.Cut = short, true
		}
	}
	return x
}

// carryExamples keeps the examples of the published version in a submission of its owner's next one, for whoever says the same
// there. They are scanned with the rest, now or, of a package that is scanned later, then.
func (a *Service) carryExamples(ctx context.Context, c core.Caller, stands itemState, s *marketdb.Submission, scannedLater bool) error {
	if !stands.Ours() || len(stands.Published.Examples) == 0 {
		return nil
	}
	c = c.As(s.UserID)
	c.Locale = stands.Published.SourceLocale
	published, err := a.Cache.Version(ctx, stands.Item.Seq, stands.Item.Version)
	if err != nil {
		return err
	}
	_, before, err := a.personasOf(ctx, c, published)
	if err != nil {
		return err
	}
	_, after, err := a.personasOf(ctx, c, submittedVersion(*s))
	if err != nil {
		return err
	}
	kept := trial.Kept(published.Document.Examples, before, after)
	if len(kept) == 0 {
		return nil
	}
	s.Content.Document.Examples = kept
	if scannedLater {
		return nil
	}
	return a.judgeExamples(ctx, stands, s, false)
}

// judgeExamples searches the examples for secrets once more, by the rules of everything that is submitted, and scans the whole
// submission with them.
func (a *Service) judgeExamples(ctx context.Context, stands itemState, s *marketdb.Submission, isNew bool) error {
	d := &s.Content.Document
	mode := ScanModeOf(*s)
	look := a.inspectContent(stands.scanOptions(mode))
	defer look.close()
	for _, f := range exampleSources(d.Examples) {
		look.text(f.File, f.Path, f.Text)
	}
	found, err := look.finish()
	if err != nil {
		return err
	}
	if isNew {
		if s.Report, err = json.Marshal(found.report); err != nil {
			return err
		}
	}
	old := d.Scan
	if d.Scan, err = a.ScanDocument(ctx, d, s.SHA256, stands.scanOptions(mode)); err != nil {
		return err
	}
	s.RiskLevel, s.Facts.Scan = d.Scan.RiskLevel, d.Scan
	s.Facts.ReviewLabels = Replaced(s.Facts.ReviewLabels, old.ReviewLabels, d.Scan.ReviewLabels)
	s.Facts.WarningFlags = Replaced(s.Facts.WarningFlags, old.WarningFlags, d.Scan.WarningFlags)
	if s.Facts.ExamplesOnly && !slices.Contains(s.Facts.ReviewLabels, submission.ExamplesOnly) {
		s.Facts.ReviewLabels = append(s.Facts.ReviewLabels, submission.ExamplesOnly)
	}
	return nil
}

// keepExamples writes the submission, unless its examples are not those any more that were read.
func (a *Service) keepExamples(ctx context.Context, tx *store.Tx, c core.Caller, s marketdb.Submission, was string, isNew bool) error {
	if err := a.UseQuota(tx, s.UserID, core.QuotaSubmissions, 1); err != nil {
		return err
	}
	if isNew {
		s.CreatedAt, s.UpdatedAt = clock.Micros(tx.Now), clock.Micros(tx.Now)
		if err := tx.AddSubmission(s); err != nil {
			return err
		}
		if err := a.checkSubmissionQuota(ctx, tx, s); err != nil {
			return err
		}
	} else {
		changed := errs.New(errs.SubmissionStateInvalid, "The submission was changed or decided meanwhile. Look at it again.")
		if err := tx.HoldPending(s.SubmissionID); errors.Is(err, sqldb.ErrNotFound) {
			return changed
		} else if err != nil {
			return err
		}
		stored, err := tx.Submission(ctx, s.SubmissionID)
		if err != nil {
			return err
		}
		if stored.Content.Document.ExamplesDigest() != was {
			return changed
		}
		if err := tx.RejudgeSubmission(s); err != nil {
			return err
		}
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: s.UserID, Action: "submission.example_saved", Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: submission.Pending,
		Detail: map[string]any{"version": s.Version, "examples": len(s.Content.Document.Examples)},
	}))
}

// PartExamples are the recorded conversations. No file of a package can have a colon in its name.
const PartExamples = "examples: recorded"
