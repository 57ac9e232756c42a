package member

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/schollz/progressbar/v3"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
)

// PublishCmd is `stoa publish`.
type PublishCmd struct {
	File       string `arg:"" help:"A template package or a profile pack, as stoa pack writes it."`
	Visibility string `help:"Who will see it: ${enum}." enum:"community,private" default:"community"`
	ScanMode   string `help:"How strictly it is scanned: ${enum}." enum:"balanced,strict" default:"balanced"`
	Replace    bool   `help:"Take the place of your own pending submissions of the same id."`
	listingFlags
	ChangeNote string `help:"What is new in this version."`
	Key        string `help:"Idempotency key; without it one is made of the file and the options, so that the same command twice submits once."`
	UploadRaw  bool   `help:"Send a raw setup as it is, secrets included, and let the server redact it."`
	runFlags
	ServerFlags
}

// submitFunc sends what is published.
type submitFunc func(context.Context, *client.Client, *sending) (client.Submission, error)

// Run publishes.
func (c *PublishCmd) Run(ctx context.Context, o cli.Output) error {
	src, err := openSource(c.File)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.folder != nil {
		return fmt.Errorf("%s is a folder; make a package of it with `stoa pack %s`, look at the report, then publish that", c.File, c.File)
	}
	var submit submitFunc
	var itemID string // "" while nobody can know it
	switch {
	case src.template():
		submit, itemID, err = c.template(ctx, src)
	case src.profile():
		submit, itemID, err = c.profile(ctx, src)
	case c.UploadRaw:
		if _, err = src.draft(ctx); err == nil { // what nobody can read is not sent either
			submit = c.pack(redact.ExcludeSecrets, packing.Listing{})
		}
	default:
		if _, err = src.draft(ctx); err == nil {
			err = fmt.Errorf("%s is a bot's raw setup and holds its secrets. Run `stoa pack %s` first and publish what it writes; --upload-raw sends the file as it is", c.File, c.File)
		}
	}
	if err != nil {
		return err
	}
	server, err := c.connectRun(ctx, o, &c.ServerFlags, itemID)
	if err != nil {
		return err
	}
	s, err := newSending(o, c, src)
	if err != nil {
		return err
	}
	out, err := submit(ctx, server, s)
	s.done()
	if err != nil {
		return err
	}
	if out.IdempotentReplay {
		if out, err = now(ctx, server, out); err != nil {
			return err
		}
	}
	return o.Print(out, func(w io.Writer) { showSubmitted(w, server, out) })
}

// now is a submission that was made before, as it stands: reviewed, withdrawn or waiting still. A token that may only publish does not
// see that: then its status is "".
func now(ctx context.Context, server *client.Client, s client.Submission) (client.Submission, error) {
	api := contract.New(server)
	var err error
	if s.TemplateID != "" {
		var found contract.TemplateSubmission
		found, err = api.GetMemberSubmissionDetail(ctx, contract.GetMemberSubmissionDetailParams{SubmissionID: s.SubmissionID})
		s.Status = found.Status
	} else {
		var found contract.PackSubmission
		found, err = api.GetMemberProfilePackSubmissionDetail(ctx, contract.GetMemberProfilePackSubmissionDetailParams{SubmissionID: s.SubmissionID})
		s.Status = found.Status
	}
	var refused *client.Error
	if errors.As(err, &refused) && refused.Code == string(errs.PermissionDenied) {
		return s, nil
	}
	return s, err
}

func showSubmitted(w io.Writer, server *client.Client, s client.Submission) {
	word := "Submitted"
	if s.IdempotentReplay {
		word = "Submitted before"
	}
	status := waiting(s.Status)
	if status != "" {
		status = ", " + status
	}
	fmt.Fprintf(w, "%s %s %s%s.\nsubmission %s\n", word, cli.Printable(s.ItemID()), cli.Printable(s.Version), cli.Printable(status), cli.Printable(s.SubmissionID))
	switch id, version := cli.Printable(s.ItemID()), cli.Printable(s.Version); {
	case s.IdempotentReplay && s.Status == "approved":
		fmt.Fprintf(w, "It was published then. If you have withdrawn it since, `stoa withdraw --restore %s --version %s` puts it back.\n", id, version)
	case slices.Contains(s.ReviewLabels, submission.VersionConflict):
		fmt.Fprintf(w, "Version %s of %s was published before, and a version never changes, also when it was withdrawn: this cannot be approved. Give it a new version and publish that with --replace.\n", version, id)
	}
	for _, what := range s.Returned {
		fmt.Fprintf(w, "A reviewer asked you to take this out, and it is in it again: %s\n", cli.Printable(what))
	}
	if n := len(s.Replaced); n > 0 {
		fmt.Fprintf(w, "It takes the place of %s.\n", cli.Counted(n, "pending submission"))
	}
	fmt.Fprintf(w, "`stoa submissions` follows it; the server is %s.\n", server.URL())
}

func waiting(status string) string {
	if status == "pending" {
		return "waiting for review"
	}
	return status
}

// template checks a template package here, before anything is sent, and answers its id too.
func (c *PublishCmd) template(ctx context.Context, src *source) (submitFunc, string, error) {
	t, err := packing.CheckTemplate(ctx, redact.New(), src.file, src.size)
	if err != nil {
		return nil, "", err
	}
	return func(ctx context.Context, server *client.Client, s *sending) (client.Submission, error) {
		return server.SubmitTemplate(ctx, client.Template{
			TemplateID: t.Bundle.TemplateID, Version: t.Bundle.Version, Texts: c.texts(packing.Listing{}), Options: c.options(s.key),
		}, s.file)
	}, t.Bundle.TemplateID, nil
}

// profile checks a profile pack here, before anything is sent, and answers its id too.
func (c *PublishCmd) profile(ctx context.Context, src *source) (submitFunc, string, error) {
	if err := packing.Check(ctx, redact.New(), src.file, src.size); err != nil {
		return nil, "", err
	}
	draft, err := src.draft(ctx)
	if err != nil {
		return nil, "", err
	}
	if draft.Profile == nil {
		return nil, "", errs.New(errs.InvalidProfilePackPayload, "The pack cannot be read.")
	}
	return c.pack(redact.Mode(draft.Profile.Manifest.Redaction.Mode), packing.ListingOf(draft.Sections)), draft.Profile.Manifest.PackID, nil
}

// pack brings a pack or a raw setup in and submits it.
func (c *PublishCmd) pack(mode redact.Mode, l packing.Listing) submitFunc {
	return func(ctx context.Context, server *client.Client, s *sending) (client.Submission, error) {
		draft, err := server.ImportProfilePack(ctx, s.file, "import-"+s.digest[:40])
		if err != nil {
			return client.Submission{}, err
		}
		return server.SubmitProfilePack(ctx, client.Pack{
			ArtifactID: draft.ArtifactID, Texts: c.texts(l), Options: client.SubmitOptions{UploadOptions: c.options(s.key), RedactionMode: string(mode)},
		})
	}
}

// texts are those of the command line, else those of the pack.
func (c *PublishCmd) texts(l packing.Listing) client.Texts {
	t := client.Texts{
		Title: cmp.Or(c.Title, l.Title), Description: cmp.Or(c.Description, l.Description), Category: cmp.Or(c.Category, l.Category),
		Maintainer: cmp.Or(c.Maintainer, l.Maintainer), Tags: c.Tags, ChangeNote: c.ChangeNote,
	}
	if len(t.Tags) == 0 {
		t.Tags = l.Tags
	}
	return t
}

func (c *PublishCmd) options(key string) client.UploadOptions {
	return client.UploadOptions{ScanMode: c.ScanMode, Visibility: c.Visibility, ReplaceExisting: c.Replace, IdempotencyKey: key}
}

// sending is the file on its way, with its progress.
type sending struct {
	file   *client.File
	digest string
	key    string
	done   func()
}

func newSending(o cli.Output, c *PublishCmd, src *source) (*sending, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(src.file, 0, src.size)); err != nil {
		return nil, err
	}
	s := &sending{file: client.FileAt(c.File), digest: hex.EncodeToString(sum.Sum(nil)), key: c.Key, done: func() {}}
	if src.size > packageLimit {
		return nil, errs.Newf(errs.PackageTooLarge, "%s is larger than 20 MiB, which is the most a server takes. `stoa pack --sections` makes a smaller one.", c.File)
	}
	if s.key == "" {
		text, err := json.Marshal([]any{s.digest, c.Visibility, c.ScanMode, c.Replace, c.listingFlags, c.ChangeNote})
		if err != nil {
			return nil, err
		}
		key := sha256.Sum256(text)
		s.key = "publish-" + hex.EncodeToString(key[:20])
	}
	if progress, done := progressBar(o, src.size, "sending"); progress != nil {
		s.file.Progress, s.done = progress, done
	}
	return s, nil
}

// packageLimit is what a server takes at most.
const packageLimit = 20 << 20

// progressBar shows how far something is, on a terminal alone.
func progressBar(o cli.Output, size int64, what string) (progress func(int64), done func()) {
	if o.DrawnOn() == nil {
		return nil, func() {}
	}
	bar := progressbar.DefaultBytes(size, what)
	return func(n int64) { _ = bar.Set64(n) }, func() { _ = bar.Finish() }
}
