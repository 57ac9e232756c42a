package review

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/visible"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// FindingsNotOpened is the code of an approval that came before what has findings was shown to the reviewer.
const FindingsNotOpened errs.Code = "findings_not_opened"

// The parts of a submission that are no files of its package.
const (
	partListing = "listing"     // what the catalog shows beside the package, in every language
	partRecords = "zip records" // what the zip holds beside its files
)

// Part is a part of what a submission would publish: a file of its package, or one of the two above.
type Part struct {
	Name      string   `json:"name"`
	SizeBytes int64    `json:"size_bytes"`
	Binary    bool     `json:"binary"`
	Picture   string   `json:"picture,omitempty"` // its media type
	Findings  int      `json:"findings"`
	Hidden    []string `json:"hidden"` // characters that cannot be seen, such as "3 × U+200B"
	// MustOpen: it has findings or hidden characters, so it must be shown before the submission can be approved.
	MustOpen bool `json:"must_open"`
	Opened   bool `json:"opened"` // it was shown to its end
	Shown    bool `json:"shown"`  // bytes of it follow
	// Offset, Text or Hex, and Next are the bytes that were asked for; Next is 0 at the end.
	Offset int64  `json:"offset"`
	Text   string `json:"text,omitempty"`
	Hex    string `json:"hex,omitempty"`
	Next   int64  `json:"next_offset,omitempty"`

	bytes []byte
}

// Contents are the bytes that a submission would publish.
type Contents struct {
	SubmissionID string `json:"submission_id"`
	SHA256       string `json:"sha256"`
	SizeBytes    int64  `json:"size_bytes"`
	Filename     string `json:"filename"`
	Uploaded     bool   `json:"uploaded"` // else the package is built of the texts when it is published
	Parts        []Part `json:"parts"`
}

// Read says what of a submission is to be shown.
type Read struct {
	Part   string // one part alone; "" is all
	Offset int64  // of that part
	Each   int64  // at most so many bytes of a part, 0 for all
	Total  int64  // at most so many bytes in all; parts that must be opened come first. 0 for no bound
}

// ReadSubmission returns what a submission would publish and notes what of it the reviewer was shown.
func (a *Service) ReadSubmission(ctx context.Context, id string, in Read) (Contents, error) {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return Contents{}, submit.NoSubmission(err, id)
	}
	out, seen, err := a.contents(ctx, s)
	if err != nil {
		return out, err
	}
	if in.Part != "" {
		at := slices.IndexFunc(out.Parts, func(p Part) bool { return p.Name == in.Part })
		if at < 0 {
			return out, errs.Newf(errs.NotFound, "There is no part %s in this submission. `stoa review show %s` lists what there is.", in.Part, id)
		}
		out.Parts = out.Parts[at : at+1]
	}
	review := marketdb.Review{SubmissionID: id, SHA256: out.shownAs(s), Reviewer: core.Acting(ctx).UserID}
	left := in.Total
	var shown []*Part
	for _, must := range []bool{true, false} {
		for i := range out.Parts {
			p := &out.Parts[i]
			if p.MustOpen != must {
				continue
			}
			length := in.Each
			if in.Total > 0 {
				if left <= 0 && p.SizeBytes > 0 {
					continue // listed, not shown
				}
				if length == 0 || length > left {
					length = left
				}
			}
			left -= p.page(in.Offset, length)
			shown = append(shown, p)
		}
	}
	err = a.noteOpened(ctx, s, review, shown, seen)
	return out, err
}

// shownAs is the digest of everything that was shown: examples may change while the package stays what it is.
func (c *Contents) shownAs(s marketdb.Submission) string {
	examples := s.Content.Document.ExamplesDigest()
	if examples == "" {
		return c.SHA256
	}
	return pack.Digest([]byte(c.SHA256 + examples))
}

// page puts up to length bytes from an offset into Text or Hex and returns how many; 0 is all there are.
func (p *Part) page(offset, length int64) int64 {
	offset = min(max(offset, 0), p.SizeBytes)
	end := p.SizeBytes
	if length > 0 {
		end = min(end, offset+length)
	}
	part := p.bytes[offset:end]
	if !p.Binary {
		for cut := 0; cut < utf8.UTFMax && end < p.SizeBytes && !utf8.RuneStart(p.bytes[end]); cut++ {
			end++
		}
		part = p.bytes[offset:end]
	}
	p.Offset, p.Shown = offset, true
	if p.Binary || !utf8.Valid(part) {
		p.Hex = hex.EncodeToString(part)
	} else {
		p.Text = string(part)
	}
	if end < p.SizeBytes {
		p.Next = end
	}
	return end - offset
}

// noteOpened writes down what was shown, and into the audit log that something was for the first time.
func (a *Service) noteOpened(ctx context.Context, s marketdb.Submission, review marketdb.Review, shown []*Part, seen map[string]int64) error {
	var news []string
	for _, p := range shown {
		if to, known := seen[p.Name]; !known || to < p.end() {
			news = append(news, p.Name)
		}
	}
	if len(news) > 0 {
		if err := a.Store.Write(ctx, func(tx *store.Tx) error {
			for _, p := range shown {
				if err := tx.NoteSeen(review, p.Name, p.Offset, p.end()); err != nil {
					return err
				}
			}
			return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{
				Owner: s.UserID, Action: "submission.opened", Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: "ok",
				Detail: map[string]any{"sha256": review.SHA256, "parts": news[:min(len(news), 50)], "count": len(news)},
			}))
		}); err != nil {
			return err
		}
	}
	now, err := a.Store.Seen(ctx, review)
	for _, p := range shown {
		to, known := now[p.Name]
		p.Opened = known && to >= p.SizeBytes
	}
	return err
}

// end is where what is shown of a part ends.
func (p *Part) end() int64 {
	if p.Next > 0 {
		return p.Next
	}
	return p.SizeBytes
}

// openedFirst refuses to approve what has findings that the reviewer was not shown.
func (a *Service) openedFirst(ctx context.Context, s marketdb.Submission) error {
	all, _, err := a.contents(ctx, s)
	if err != nil {
		return err
	}
	var left []Part
	for _, p := range all.Parts {
		if p.MustOpen && !p.Opened {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		return nil
	}
	no := errs.Newf(FindingsNotOpened, "%s was not shown to you to its end, and it must be: it is a picture, or has findings or hidden characters. `stoa review show %s` shows what there is; with --file NAME one part, page by page.",
		left[0].Name, s.SubmissionID)
	for _, p := range left {
		no.Details = append(no.Details, errs.Detail{Field: p.Name, Problem: "not opened: " + p.why()})
	}
	return no
}

// why says why a part must be opened.
func (p *Part) why() string {
	if p.Picture != "" {
		return "a picture"
	}
	return fmt.Sprintf("%d findings; hidden: %s", p.Findings, strings.Join(p.Hidden, ", "))
}

// contents reads everything that a submission would publish, and how far the reviewer was shown it.
func (a *Service) contents(ctx context.Context, s marketdb.Submission) (Contents, map[string]int64, error) {
	out := Contents{SubmissionID: s.SubmissionID}
	zip, err := a.reviewed(ctx, s, &out)
	if err != nil {
		return out, nil, err
	}
	defer zip.Close()
	listing, err := listingOf(s)
	if err != nil {
		return out, nil, err
	}
	out.Parts = append(out.Parts, newPart(partListing, listing))
	if examples := s.Content.Document.Examples; len(examples) > 0 {
		text, err := json.MarshalIndent(examples, "", "  ")
		if err != nil {
			return out, nil, err
		}
		p := newPart(submit.PartExamples, text)
		p.MustOpen = true // strangers read it, and nobody but its author has seen it
		out.Parts = append(out.Parts, p)
	}
	opened, err := archive.Open(zip, out.SizeBytes, archive.Default)
	if err != nil {
		return out, nil, pack.RefusedArchive(errs.InvalidPackagePayload, err)
	}
	for _, name := range opened.Names() {
		text, err := opened.Read(name, archive.Default.File)
		if err != nil {
			return out, nil, pack.RefusedArchive(errs.InvalidPackagePayload, err)
		}
		p := newPart(name, text)
		if pack.IsPicture(name) {
			p.Picture, p.MustOpen = pack.PictureKind(name), true // no scanner sees what it shows
		}
		out.Parts = append(out.Parts, p)
	}
	if records := zipRecords(zip, out.SizeBytes); records != "" {
		p := newPart(partRecords, []byte(records))
		p.MustOpen = true
		out.Parts = append(out.Parts, p)
	}
	out.count(s)
	seen, err := a.Store.Seen(ctx, marketdb.Review{SubmissionID: s.SubmissionID, SHA256: out.shownAs(s), Reviewer: core.Acting(ctx).UserID})
	for i := range out.Parts {
		p := &out.Parts[i]
		to, known := seen[p.Name]
		p.Opened = known && to >= p.SizeBytes
	}
	return out, seen, err
}

// reviewed opens the package that a submission would publish: the one that was sent, else the one that is built.
func (a *Service) reviewed(ctx context.Context, s marketdb.Submission, out *Contents) (blob.Reader, error) {
	if artifact := s.Facts.Artifact; artifact != nil {
		out.SHA256, out.SizeBytes, out.Filename, out.Uploaded = artifact.SHA256, artifact.SizeBytes, artifact.Filename, true
		file, err := a.Blobs.Open(ctx, artifact.SHA256)
		return file, browse.Missing(err)
	}
	zip, err := pack.Build(&s.Content.Document)
	if err != nil {
		return nil, err
	}
	out.SHA256, out.SizeBytes, out.Filename = pack.Digest(zip), int64(len(zip)), pack.Filename(s.ItemID, s.Version)
	return built{bytes.NewReader(zip)}, nil
}

// built is a package that is in memory.
type built struct{ *bytes.Reader }

// Close implements io.Closer.
func (built) Close() error { return nil }

// Size is how many bytes there are.
func (b built) Size() int64 { return b.Reader.Size() }

// listingOf writes what the catalog will show of a submission, in every language.
func listingOf(s marketdb.Submission) ([]byte, error) {
	d := &s.Content.Document
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{
		"id": d.ID, "version": d.Version, "visibility": s.Content.Visibility, "owner": s.UserID, "category": d.Category, "tags": core.NonNil(d.Tags),
		"maintainer_claimed": d.Maintainer, "homepage": d.Homepage, "change_note": d.ChangeNote, "source_locale": d.SourceLocale, "locales": localesShown(d),
	})
	return out.Bytes(), err
}

func localesShown(d *catalog.Document) map[string]any {
	out := map[string]any{}
	for tag, text := range d.Locales {
		out[tag] = map[string]string{"title": text.Title, "description": text.Description, "prompt": text.Prompt}
	}
	return out
}

// newPart reads a part: what of it is text, and what in that cannot be seen.
func newPart(name string, content []byte) Part {
	if wide := bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")); wide {
		if text, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(content); err == nil {
			content = text
		}
	}
	p := Part{Name: name, SizeBytes: int64(len(content)), Binary: !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0, Hidden: []string{}, bytes: content}
	if p.Binary {
		return p
	}
	hidden := visible.Hidden{}
	if v, err := strictjson.Parse(content, 0); err == nil {
		addHidden(hidden, v)
	} else {
		hidden.Add(string(content))
	}
	p.Hidden = hidden.Lines()
	return p
}

// addHidden counts in the texts and names of a JSON value, where characters may be written as escapes.
func addHidden(hidden visible.Hidden, v any) {
	switch v := v.(type) {
	case string:
		hidden.Add(v)
	case []any:
		for _, item := range v {
			addHidden(hidden, item)
		}
	case map[string]any:
		for name, item := range v {
			hidden.Add(name)
			addHidden(hidden, item)
		}
	}
}

// count puts the findings to their parts and says which parts must be opened.
func (c *Contents) count(s marketdb.Submission) {
	found := s.Content.Document.Scan
	for _, f := range found.Findings {
		if !f.Accepted && f.Severity != "low" {
			c.Parts[c.partOf(f.File)].Findings++
		}
	}
	for _, gap := range found.Gaps {
		c.Parts[c.partOf(gap.File)].Findings++
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		p.MustOpen = p.MustOpen || p.Findings > 0 || len(p.Hidden) > 0 || found.Omitted > 0
	}
}

// partOf is the index of the part that a finding's file is, or lies in; the listing for what is in none.
func (c *Contents) partOf(file string) int {
	best := 0
	for i, p := range c.Parts {
		if file == p.Name {
			return i
		}
		if strings.HasPrefix(file, p.Name) && len(p.Name) > len(c.Parts[best].Name) {
			best = i
		}
	}
	return best
}

// zipRecords says what a zip holds beside the names and bytes of its files: comments, extra fields and whatever is in no
// record. "" when there is nothing of note: a time stamp in an extra field is none.
func zipRecords(r io.ReaderAt, size int64) string {
	const (
		endBytes, localBytes, centralBytes, descriptorBytes = 22, 30, 46, 16
		extraBytes                                          = 64 // of one file: time stamps and owners
		shownBytes                                          = 4096
	)
	z, err := zip.NewReader(r, size)
	if err != nil {
		return ""
	}
	var out strings.Builder
	note := func(what string, content []byte) {
		fmt.Fprintf(&out, "%s, %d bytes: %q\n", what, len(content), content[:min(len(content), shownBytes)])
	}
	known := int64(endBytes)
	allowed := int64(0)
	for _, f := range z.File {
		known += localBytes + centralBytes + 2*int64(len(f.Name)) + int64(f.CompressedSize64)
		if f.Flags&8 != 0 {
			known += descriptorBytes
		}
		if f.Comment != "" {
			note("comment of "+f.Name, []byte(f.Comment))
		}
		if len(f.Extra) > extraBytes {
			note("extra field of "+f.Name, f.Extra)
		}
		allowed += 2 * extraBytes
	}
	if z.Comment != "" {
		note("comment of the zip", []byte(z.Comment))
	}
	if rest := size - known; rest > allowed || out.Len() > 0 {
		fmt.Fprintf(&out, "%d bytes of the zip are neither names nor contents of files\n", rest)
	}
	return out.String()
}

// DownloadSubmission copies the exact bytes that a submission would publish.
func (a *Service) DownloadSubmission(ctx context.Context, id string, to io.Writer) (Contents, error) {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return Contents{}, submit.NoSubmission(err, id)
	}
	out := Contents{SubmissionID: id, Parts: []Part{}}
	file, err := a.reviewed(ctx, s, &out)
	if err != nil {
		return out, err
	}
	defer file.Close()
	n, err := io.Copy(to, file)
	if err == nil && n != out.SizeBytes {
		err = errors.New("app: the package is not as long as it was")
	}
	return out, err
}
