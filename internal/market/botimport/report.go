package botimport

import (
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/pack"
)

// Outcomes of a field.
const (
	Mapped         = "mapped"
	MappedRedacted = "mapped_redacted"
	Omitted        = "omitted"
	OmittedRuntime = "omitted_runtime_payload"
	NeedsAPerson   = "requires_manual_resolution"
)

// Bounds of a report.
const (
	maxFields = 1_000  // listed
	maxKept   = 20_000 // kept until the report is closed
	maxOthers = 5_000  // besides, of what was not mapped
)

// Field says what became of one value of the source, or of Count values that lie together.
type Field struct {
	SourcePath string `json:"source_path"` // file:path, such as config/cmd_config.json:provider_sources[0].key
	TargetPath string `json:"target_path"` // path in the pack, "" for what was left out
	Outcome    string `json:"outcome"`
	IssueCode  string `json:"issue_code"`
	Note       string `json:"note"`
	Count      int    `json:"count"`
}

// Report lists what became of every field of a source.
type Report struct {
	Fields   []Field        `json:"field_diagnostics"`
	Count    int            `json:"field_diagnostic_count"`    // values, also those that are not listed one by one
	Outcomes map[string]int `json:"field_diagnostic_outcomes"` // values by outcome
	Unlisted int            `json:"field_diagnostics_not_listed"`
}

// MarkRedacted enters what redaction did: paths are those it masked or dropped, in the syntax of package pack. A
// field is redacted when such a path is its target, lies in it or holds it. The report given is not changed.
func MarkRedacted(r Report, paths []string) Report {
	masked := newPathSet(paths)
	out := r
	out.Fields = slices.Clone(r.Fields)
	out.Outcomes = maps.Clone(r.Outcomes)
	for i := range out.Fields {
		f := &out.Fields[i]
		if f.Outcome == Mapped && f.TargetPath != "" && masked.touches(f.TargetPath) {
			f.Outcome = MappedRedacted
			out.Outcomes[Mapped] -= f.Count
			out.Outcomes[MappedRedacted] += f.Count
		}
	}
	if out.Outcomes[Mapped] == 0 {
		delete(out.Outcomes, Mapped)
	}
	return out
}

// pathSet answers whether a path or one of its ancestors or descendants was named.
type pathSet struct {
	named map[string]bool
	above map[string]bool // ancestors of what was named
}

func newPathSet(paths []string) pathSet {
	s := pathSet{named: map[string]bool{}, above: map[string]bool{}}
	for _, text := range paths {
		path, err := pack.ParsePath(text)
		if err != nil {
			continue
		}
		s.named[path.String()] = true
		for n := len(path) - 1; n > 0; n-- {
			s.above[path[:n].String()] = true
		}
	}
	return s
}

func (s pathSet) touches(text string) bool {
	path, err := pack.ParsePath(text)
	if err != nil {
		return false
	}
	if s.above[path.String()] {
		return true
	}
	for n := len(path); n > 0; n-- {
		if s.named[path[:n].String()] {
			return true
		}
	}
	return false
}

// reporter collects fields and issues while a source is read.
type reporter struct {
	fields   []Field
	unlisted map[string]int // by outcome, beyond maxKept
	issues   map[string]*issue
}

type issue struct{ sections, paths []string }

func newReporter() *reporter {
	return &reporter{unlisted: map[string]int{}, issues: map[string]*issue{}}
}

// concerned are the sections that an issue found in a source is about.
var concerned = map[string]string{
	pack.IssueWildcardUnresolved: pack.SectionPlugins, pack.IssueOperatorFieldsOmitted: pack.SectionCore, pack.IssueDatabaseNotRead: pack.SectionPersonas,
	pack.IssueCardPartsOmitted: pack.SectionPersonas, pack.IssueSkillFilesOmitted: pack.SectionSkills,
}

func (r *reporter) add(f Field) {
	f.Count = max(f.Count, 1)
	f.SourcePath, f.Note = pack.Clean(f.SourcePath), pack.Clean(f.Note)
	if f.IssueCode != "" {
		r.issue(f.IssueCode, concerned[f.IssueCode], f.SourcePath)
	}
	if n := len(r.fields); n >= maxKept && f.Outcome == Mapped || n >= maxKept+maxOthers {
		r.unlisted[f.Outcome] += f.Count
		return
	}
	r.fields = append(r.fields, f)
}

func (r *reporter) mapped(source, target string) {
	r.add(Field{SourcePath: source, TargetPath: target, Outcome: Mapped})
}

// issue notes a code with a section and a path of the source, each "" for none.
func (r *reporter) issue(code, section, path string) {
	i := r.issues[code]
	if i == nil {
		i = &issue{}
		r.issues[code] = i
	}
	if section != "" {
		i.sections = append(i.sections, section)
	}
	if path != "" && len(i.paths) < 100 {
		i.paths = append(i.paths, path)
	}
}

func (r *reporter) list() []pack.Issue {
	out := []pack.Issue{}
	for _, code := range sortedKeys(r.issues) {
		out = append(out, pack.NewIssue(code, r.issues[code].sections, r.issues[code].paths))
	}
	return out
}

// close makes the report: mapped fields that lie deepest are put together until it is short enough, then what is
// left out comes before what was taken over.
func (r *reporter) close() Report {
	out := Report{Outcomes: map[string]int{}}
	for _, f := range r.fields {
		out.Outcomes[f.Outcome] += f.Count
	}
	for outcome, n := range r.unlisted {
		out.Outcomes[outcome] += n
		out.Unlisted += n
	}
	for _, n := range out.Outcomes {
		out.Count += n
	}
	fields := r.fields
	for depth := deepest(fields); len(fields) > maxFields && depth > 2; depth-- {
		fields = together(fields, depth)
	}
	if len(fields) > maxFields {
		slices.SortStableFunc(fields, func(a, b Field) int { return rank(a) - rank(b) })
		for _, f := range fields[maxFields:] {
			out.Unlisted += f.Count
		}
		fields = fields[:maxFields]
	}
	out.Fields = append([]Field{}, fields...)
	return out
}

func rank(f Field) int {
	if f.Outcome == Mapped {
		return 1
	}
	return 0
}

func deepest(fields []Field) int {
	n := 0
	for _, f := range fields {
		if f.Outcome == Mapped {
			n = max(n, steps(f.TargetPath))
		}
	}
	return n
}

func steps(path string) int {
	p, err := pack.ParsePath(path)
	if err != nil {
		return 0
	}
	return len(p)
}

// together puts mapped fields of one depth below one parent into one field.
func together(fields []Field, depth int) []Field {
	var out []Field
	at := map[[2]string]int{}
	for _, f := range fields {
		path, err := pack.ParsePath(f.TargetPath)
		if f.Outcome != Mapped || err != nil || len(path) != depth {
			out = append(out, f)
			continue
		}
		f.TargetPath = path[:depth-1].String()
		f.SourcePath = above(f.SourcePath)
		key := [2]string{f.SourcePath, f.TargetPath}
		if i, ok := at[key]; ok {
			out[i].Count += f.Count
			continue
		}
		at[key] = len(out)
		out = append(out, f)
	}
	return out
}

// above is the source path of what holds the value at path.
func above(path string) string {
	file, inside, ok := strings.Cut(path, ":")
	if !ok {
		return path
	}
	p, err := pack.ParsePath(inside)
	if err != nil || len(p) < 2 {
		return file
	}
	return file + ":" + p[:len(p)-1].String()
}
