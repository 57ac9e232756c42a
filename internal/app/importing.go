package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// ImportOptions say what becomes of what is read.
type ImportOptions struct {
	Owner   string // the member who owns the items; "" is the operator
	Channel string
	// Pending leaves everything waiting for review instead of publishing it.
	Pending  bool
	Featured bool
	// Progress is called with the bytes read so far.
	Progress func(read int64)
}

// ImportReport says what became of each line.
type ImportReport struct {
	Read      int             `json:"read"`
	Published int             `json:"published"`
	Updated   int             `json:"updated"`
	Unchanged int             `json:"unchanged"`
	Pending   int             `json:"pending"`
	Refused   []ImportRefusal `json:"refused"`
	Notes     []ImportRefusal `json:"notes"`
}

// ImportRefusal says why a line, or a part of it, was not taken. Line counts from 1.
type ImportRefusal struct {
	Line   int    `json:"line"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Bounds of one imported line.
const (
	maxImportLine   = 4 << 20
	maxPromptBytes  = 256 << 10
	maxTitleLength  = 200
	maxTextLength   = 4000
	maxTags         = 64
	maxTagLength    = 64
	maxImportLocale = 32
	importBatch     = 32 // items per transaction
)

// importLine is one line of a catalog file; the last six members are for profile packs.
type importLine struct {
	ID           string                     `json:"id"`
	Version      string                     `json:"version"`
	Author       string                     `json:"author"`
	Maintainer   string                     `json:"maintainer"`
	Category     string                     `json:"category"`
	Tags         []string                   `json:"tags"`
	Homepage     string                     `json:"homepage"`
	SourceLocale string                     `json:"source_locale"`
	Locales      map[string]catalog.Text    `json:"locales"`
	PackType     string                     `json:"pack_type"`
	Sections     map[string]json.RawMessage `json:"sections"`
	Capabilities []string                   `json:"capabilities"`
	Redaction    string                     `json:"redaction_mode"`
	HostVersion  string                     `json:"host_version"`
	PluginCompat string                     `json:"plugin_compat"`
}

// Import reads a catalog file, one JSON object per line, and publishes what is new or changed. Lines
// that cannot be taken are reported and skipped. The same file again changes nothing.
func (a *App) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportReport, error) {
	report := ImportReport{Refused: []ImportRefusal{}, Notes: []ImportRefusal{}}
	if o.Owner != "" {
		if _, err := a.store.Account(ctx, o.Owner); err != nil {
			return report, noMember(err, o.Owner)
		}
	}
	run := importRun{app: a, options: o, report: &report, seen: map[string]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxImportLine)
	var read int64
	for number := 1; lines.Scan(); number++ {
		read += int64(len(lines.Bytes())) + 1
		if len(bytes.TrimSpace(lines.Bytes())) > 0 {
			report.Read++
			if err := run.line(ctx, number, lines.Bytes()); err != nil {
				return report, err
			}
		}
		if o.Progress != nil {
			o.Progress(read)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return report, errs.Newf(errs.InvalidRequest, "A line is longer than %d MiB. The file should hold one JSON object per line.", maxImportLine>>20)
	} else if err != nil {
		return report, err
	}
	return report, run.flush(ctx)
}

// importRun gathers documents so that many share one transaction.
type importRun struct {
	app     *App
	options ImportOptions
	report  *ImportReport
	seen    map[string]bool
	batch   []*release
}

func (r *importRun) line(ctx context.Context, number int, text []byte) error {
	d, notes, err := readLine(text)
	refuse := func(reason string) { r.report.Refused = append(r.report.Refused, ImportRefusal{number, d.ID, reason}) }
	if err != nil {
		refuse(err.Error())
		return nil
	}
	key := string(d.Kind) + " " + d.ID
	if r.seen[key] {
		refuse("the id occurs twice in this file")
		return nil
	}
	r.seen[key] = true
	for _, note := range notes {
		r.report.Notes = append(r.report.Notes, ImportRefusal{number, d.ID, note})
	}
	d.Scan = scan.Scan(sources(&d))
	next, state, err := r.app.nextVersion(ctx, &d, r.options.Owner)
	switch {
	case errs.CodeOf(err) == errs.OwnershipConflict:
		conflict, _ := errs.As(err)
		refuse(conflict.Message)
		return nil
	case err != nil:
		return err
	}
	d.Version = next
	switch state {
	case unchanged:
		r.report.Unchanged++
		return nil
	case changed:
		r.report.Updated++
	case isNew:
		r.report.Published++
	}
	if r.options.Pending {
		r.report.Published, r.report.Updated = 0, 0 // nothing is until it is approved
	}
	r.batch = append(r.batch, &release{document: d, owner: r.options.Owner, visibility: catalog.Community, channel: r.options.Channel, featured: r.options.Featured})
	if len(r.batch) == importBatch {
		return r.flush(ctx)
	}
	return nil
}

func (r *importRun) flush(ctx context.Context) error {
	batch := r.batch
	r.batch = nil
	if len(batch) == 0 {
		return nil
	}
	if !r.options.Pending {
		for _, release := range batch {
			if err := r.app.prepare(release); err != nil {
				return err
			}
		}
	}
	err := r.app.store.Write(ctx, func(tx *store.Tx) error {
		for _, release := range batch {
			if err := r.app.take(ctx, tx, release, r.options.Pending); err != nil {
				return err
			}
		}
		return nil
	})
	if r.options.Pending && err == nil {
		r.report.Pending += len(batch)
	}
	return err
}

// take publishes one release, or leaves it waiting for review.
func (a *App) take(ctx context.Context, tx *store.Tx, r *release, pending bool) error {
	now := clock.Micros(tx.Now)
	s := store.Submission{
		SubmissionID: newID(), Kind: r.document.Kind, ItemID: r.document.ID, Version: r.document.Version, UserID: r.owner, Status: submission.Pending,
		RiskLevel: r.document.Scan.RiskLevel, CreatedAt: now, UpdatedAt: now,
		Content: store.SubmissionContent{Document: r.document, Visibility: r.visibility, Channel: r.channel, Labels: r.document.Scan.ReviewLabels},
	}
	if !pending {
		s.Status, s.Reviewer = submission.Approved, Operator.UserID
		r.submissionID = s.SubmissionID
		item, err := a.publish(ctx, tx, Operator, r)
		if err != nil {
			return err
		}
		if err := announce(ctx, tx, item); err != nil {
			return err
		}
	}
	return tx.AddSubmission(s)
}

type importState int

const (
	isNew importState = iota
	changed
	unchanged
)

// nextVersion says which version a document would be: its own if it names one, else 1.0.0 or one
// after the latest; and whether it says anything new.
func (a *App) nextVersion(ctx context.Context, d *catalog.Document, owner string) (string, importState, error) {
	item, err := a.store.Item(ctx, d.Kind, d.ID)
	if errors.Is(err, store.ErrNotFound) {
		if d.Version == "" {
			return "1.0.0", isNew, nil
		}
		return d.Version, isNew, nil
	}
	if err != nil {
		return "", isNew, err
	}
	if item.Owner != owner {
		return "", isNew, errs.Newf(errs.OwnershipConflict, "the id belongs to %s", ownerName(item.Owner))
	}
	versions, err := a.store.Versions(ctx, item.Seq)
	if err != nil {
		return "", isNew, err
	}
	if versions[0].ContentDigest == d.ContentDigest() {
		return item.Version, unchanged, nil
	}
	taken := func(v string) bool {
		return slices.ContainsFunc(versions, func(known store.Version) bool { return known.Version == v })
	}
	if d.Version != "" && !taken(d.Version) {
		return d.Version, changed, nil
	}
	next := item.Version
	for taken(next) {
		next = following(next)
	}
	return next, changed, nil
}

var lastNumber = regexp.MustCompile(`^(.*?)(\d{1,9})$`)

// following counts a version's last number up; one without a number gets ".1".
func following(version string) string {
	m := lastNumber.FindStringSubmatch(version)
	if m == nil {
		return version + ".1"
	}
	n, _ := strconv.Atoi(m[2]) // at most nine digits
	return m[1] + strconv.Itoa(n+1)
}

// sources are the texts of a document that a scan reads.
func sources(d *catalog.Document) []scan.Source {
	var out []scan.Source
	for _, tag := range d.LocaleTags() {
		text := d.Locales[tag]
		for _, field := range []struct{ name, text string }{{"title", text.Title}, {"description", text.Description}, {"prompt", text.Prompt}} {
			out = append(out, scan.Source{File: "bundle.json", Path: "$.locales." + tag + "." + field.name, Text: field.text})
		}
	}
	for _, name := range d.SectionNames() {
		out = append(out, scan.Source{File: "sections/" + name + ".json", Path: "$", Text: string(d.Pack.Sections[name])})
	}
	return out
}

// readLine reads and checks one line. The error is a reason fit for the report; notes are parts left out.
func readLine(text []byte) (d catalog.Document, notes []string, err error) {
	if !utf8.Valid(text) {
		return d, nil, errors.New("the line is not valid UTF-8")
	}
	var l importLine
	if err := json.Unmarshal(text, &l); err != nil {
		return d, nil, unreadable(err)
	}
	d = catalog.Document{
		Kind: catalog.KindTemplate, ID: strings.TrimSpace(l.ID), Version: strings.TrimSpace(l.Version), Category: strings.TrimSpace(l.Category),
		Maintainer: strings.TrimSpace(l.Maintainer), SourceLocale: l.SourceLocale, Locales: map[string]catalog.Text{}, Tags: []string{},
	}
	if d.Maintainer == "" {
		d.Maintainer = strings.TrimSpace(l.Author)
	}
	if l.PackType != "" {
		d.Kind = catalog.KindProfilePack
		d.Pack = &catalog.Pack{
			PackType: l.PackType, Sections: l.Sections, Capabilities: l.Capabilities, RedactionMode: l.Redaction, HostVersion: l.HostVersion,
			PluginCompat: l.PluginCompat, Compatibility: "compatible", CompatibilityWhy: []string{},
		}
	}
	if err := checkNames(&d); err != nil {
		return d, nil, err
	}
	if l.Homepage != "" {
		if u, err := url.Parse(l.Homepage); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && len(l.Homepage) <= 500 {
			d.Homepage = l.Homepage
		} else {
			notes = append(notes, "homepage left out: it is not an http(s) address")
		}
	}
	notes = append(notes, readTags(&d, l.Tags)...)
	more, err := readLocales(&d, l.Locales)
	return d, append(notes, more...), err
}

// unreadable says without Go's words what is wrong with a line.
func unreadable(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Errorf("%s must not be a %s", kind.Field, kind.Value)
	}
	return errors.New("the line is not a JSON object")
}

func checkNames(d *catalog.Document) error {
	for _, f := range []struct {
		name, text string
		limit      int
	}{{"id", d.ID, 200}, {"version", d.Version, 64}, {"category", d.Category, 64}, {"author", d.Maintainer, 128}} {
		if utf8.RuneCountInString(f.text) > f.limit {
			return fmt.Errorf("%s is longer than %d characters", f.name, f.limit)
		}
		if strings.ContainsFunc(f.text, unicode.IsControl) {
			return fmt.Errorf("%s holds a control character", f.name)
		}
	}
	if d.ID == "" {
		return errors.New("id is missing")
	}
	if d.Pack != nil && d.Pack.PackType != "bot_profile_pack" && d.Pack.PackType != "extension_pack" {
		return errors.New("pack_type is neither bot_profile_pack nor extension_pack")
	}
	if d.Pack != nil {
		return checkPack(d.Pack)
	}
	return nil
}

var redactionModes = []string{"exclude_secrets", "exclude_provider", "include_provider_no_key", "include_encrypted_secrets"}

func checkPack(p *catalog.Pack) error {
	if len(p.Sections) == 0 {
		return errors.New("a profile pack needs at least one section")
	}
	for name := range p.Sections {
		if name == "" || utf8.RuneCountInString(name) > 128 || strings.ContainsFunc(name, unicode.IsControl) {
			return errors.New("a section has no usable name")
		}
	}
	if p.RedactionMode == "" {
		p.RedactionMode = redactionModes[0]
	}
	if !slices.Contains(redactionModes, p.RedactionMode) {
		return errors.New("redaction_mode is none of " + strings.Join(redactionModes, ", "))
	}
	return nil
}

func readTags(d *catalog.Document, tags []string) (notes []string) {
	for _, tag := range tags {
		tag = strings.TrimSpace(tag)
		switch {
		case tag == "" || slices.Contains(d.Tags, tag):
		case len(d.Tags) == maxTags || utf8.RuneCountInString(tag) > maxTagLength || strings.ContainsFunc(tag, unicode.IsControl):
			notes = append(notes, "a tag was left out: too long or too many")
		default:
			d.Tags = append(d.Tags, tag)
		}
	}
	return notes
}

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

func readLocales(d *catalog.Document, locales map[string]catalog.Text) (notes []string, err error) {
	for tag, text := range locales {
		text.Title, text.Description = strings.TrimSpace(text.Title), strings.TrimSpace(text.Description)
		switch {
		case len(tag) > maxImportLocale || !localePattern.MatchString(tag):
			notes = append(notes, "a locale was left out: its name is not a language tag")
		case text.Title == "" || d.Kind == catalog.KindTemplate && strings.TrimSpace(text.Prompt) == "":
			notes = append(notes, "locale "+tag+" left out: it has no title or no prompt")
		case utf8.RuneCountInString(text.Title) > maxTitleLength || utf8.RuneCountInString(text.Description) > maxTextLength || len(text.Prompt) > maxPromptBytes:
			return nil, fmt.Errorf("locale %s: the title, description or prompt is too long", tag)
		case strings.ContainsRune(text.Title+text.Description+text.Prompt, 0):
			return nil, fmt.Errorf("locale %s holds a NUL character", tag)
		default:
			d.Locales[tag] = text
		}
	}
	slices.Sort(notes)
	if len(d.Locales) == 0 {
		return notes, errors.New("no locale has both a title and a prompt")
	}
	return notes, nil
}
