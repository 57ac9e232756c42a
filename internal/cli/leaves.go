package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"stoa/internal/market/botimport"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/redact"
)

// shownLines is how many lines of one group are printed unless all are asked for.
const shownLines = 25

// LineLimit is how many lines of a list are shown.
func LineLimit(all bool) int {
	if all {
		return math.MaxInt
	}
	return shownLines
}

// outcomes are the groups of a field report, in the order they matter to whoever reads it.
var outcomes = []struct{ outcome, head string }{
	{botimport.NeedsAPerson, "Needs you"},
	{botimport.MappedRedacted, "Imported with secrets masked"},
	{botimport.Omitted, "Left out"},
	{botimport.OmittedRuntime, "Left out: content that does not travel"},
	{botimport.Mapped, "Imported"},
}

// ShowFields prints what became of each field: counts first, then the lines of each group.
func ShowFields(w io.Writer, r botimport.Report, limit int) {
	fmt.Fprintf(w, "\nWhat was found: %s\n", Counted(r.Count, "value"))
	for _, o := range outcomes {
		if n := r.Outcomes[o.outcome]; n > 0 {
			fmt.Fprintf(w, "  %6d  %s\n", n, strings.ToLower(o.head[:1])+o.head[1:])
		}
	}
	for _, o := range outcomes {
		if o.outcome == botimport.Mapped && limit == shownLines {
			continue // the rest; --all and --json list it
		}
		l := Lines{Out: w, Head: o.head, Limit: limit}
		for _, f := range r.Fields {
			if f.Outcome != o.outcome {
				continue
			}
			text := Printable(f.SourcePath)
			if f.Count > 1 {
				text += fmt.Sprintf(" (%d)", f.Count)
			}
			if f.Note != "" {
				text += ": " + Printable(f.Note)
			}
			l.Add(text)
		}
		l.End()
	}
}

// ShowLeaves prints what leaves the machine.
func ShowLeaves(w io.Writer, r disclosure.Report, limit int) {
	t := r.Totals
	fmt.Fprintf(w, "\nWhat leaves the machine: %s in %s\n", SizeText(t.Bytes), Counted(t.Sections, "part"))
	for _, n := range []struct {
		n    int
		what string
	}{
		{t.Masked, "masked"},
		{t.Dropped, "dropped"},
		{t.Kept, "kept although they look like secrets"},
		{t.Hosts, "hosts"},
		{len(r.Capabilities), "capabilities"},
		{t.Environment, "environment variables asked for"},
		{t.Models, "models"},
		{t.Plugins, "plugins"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, "  %6d  %s\n", n.n, n.what)
		}
	}
	l := Lines{Out: w, Head: "Parts", Limit: limit}
	for _, s := range r.Sections {
		l.Add(fmt.Sprintf("%-24s %10s  %s", Printable(s.Name), SizeText(s.Size), Counted(s.Items, "item")))
	}
	l.End()
	showMarks(w, "Masked", r.Masked, limit)
	showMarks(w, "Dropped", r.Dropped, limit)
	showMarks(w, "Kept although they look like secrets", r.Kept, limit)
	l = Lines{Out: w, Head: "Hosts", Limit: limit}
	for _, h := range r.Hosts {
		text := Printable(h.Host)
		if h.Unicode != "" {
			text += " (" + Printable(h.Unicode) + ")"
		}
		if h.Private {
			text += ", local"
		}
		l.Add(text + ", " + Printable(h.Use) + Place(h.Places))
	}
	l.End()
	l = Lines{Out: w, Head: "It can", Limit: limit}
	for _, c := range r.Capabilities {
		l.Add(Printable(c.Name) + Place(c.Places))
	}
	l.End()
	if len(r.FoundNotClaimed) > 0 {
		fmt.Fprintf(w, "\nFound and not declared: %s\n", Printables(r.FoundNotClaimed))
	}
	if len(r.ClaimedNotFound) > 0 {
		fmt.Fprintf(w, "\nDeclared and not found: %s\n", Printables(r.ClaimedNotFound))
	}
	ShowNamed(w, "Environment variables it asks for", r.Environment, limit)
	ShowNamed(w, "Models", r.Models, limit)
	l = Lines{Out: w, Head: "Plugins", Limit: limit}
	for _, p := range r.Plugins {
		l.Add(strings.TrimSpace(Printable(p.ID + " " + p.Version + " " + p.Source)))
	}
	l.End()
}

func showMarks(w io.Writer, head string, m disclosure.Marks, limit int) {
	l := Lines{Out: w, Head: head, Limit: limit, n: m.Count - len(m.Listed)}
	for _, mark := range m.Listed {
		l.Add(markText(mark))
	}
	l.End()
}

func markText(m redact.Mark) string { return Printable(m.Path) + ": " + Printable(m.Why) }

// ShowNamed lists what has a name and where it stands.
func ShowNamed(w io.Writer, head string, named []disclosure.Named, limit int) {
	l := Lines{Out: w, Head: head, Limit: limit}
	for _, n := range named {
		l.Add(Printable(n.Name) + Place(n.Places))
	}
	l.End()
}

// Place says where something stands, in few words.
func Place(places []string) string {
	if len(places) == 0 {
		return ""
	}
	text := " at " + Printable(places[0])
	if len(places) > 1 {
		text += " and elsewhere"
	}
	return text
}

// Lines prints a group under a head, up to a limit, and says how many more there are.
type Lines struct {
	Out   io.Writer
	Head  string
	Limit int
	n     int
	shown int
}

// Add shows one more line, or counts it.
func (l *Lines) Add(text string) {
	if l.n++; l.shown == l.Limit {
		return
	}
	if l.shown == 0 {
		fmt.Fprintf(l.Out, "\n%s\n", l.Head)
	}
	l.shown++
	fmt.Fprintf(l.Out, "  %s\n", text)
}

// End says how many lines were left out.
func (l *Lines) End() {
	if left := l.n - l.shown; left > 0 && l.shown > 0 {
		fmt.Fprintf(l.Out, "  … and %d more (--all or --json shows them)\n", left)
	}
}

// Counted is a number with the word for what is counted, in the plural where it is one.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// SizeText writes a number of bytes for people.
func SizeText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// ShowDiff prints a unified diff of a stranger's texts.
func ShowDiff(w io.Writer, diff []string) {
	for _, line := range diff {
		fmt.Fprintf(w, "  %s\n", Printable(line))
	}
}
