package main

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

func lineLimit(all bool) int {
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

// showFields prints what became of each field: counts first, then the lines of each group.
func showFields(w io.Writer, r botimport.Report, limit int) {
	fmt.Fprintf(w, "\nWhat was found: %s\n", counted(r.Count, "value"))
	for _, o := range outcomes {
		if n := r.Outcomes[o.outcome]; n > 0 {
			fmt.Fprintf(w, "  %6d  %s\n", n, strings.ToLower(o.head[:1])+o.head[1:])
		}
	}
	for _, o := range outcomes {
		if o.outcome == botimport.Mapped && limit == shownLines {
			continue // the rest; --all and --json list it
		}
		l := lines{out: w, head: o.head, limit: limit}
		for _, f := range r.Fields {
			if f.Outcome != o.outcome {
				continue
			}
			text := printable(f.SourcePath)
			if f.Count > 1 {
				text += fmt.Sprintf(" (%d)", f.Count)
			}
			if f.Note != "" {
				text += ": " + printable(f.Note)
			}
			l.add(text)
		}
		l.end()
	}
}

// showLeaves prints what leaves the machine.
func showLeaves(w io.Writer, r disclosure.Report, limit int) {
	t := r.Totals
	fmt.Fprintf(w, "\nWhat leaves the machine: %s in %s\n", sizeText(t.Bytes), counted(t.Sections, "part"))
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
	l := lines{out: w, head: "Parts", limit: limit}
	for _, s := range r.Sections {
		l.add(fmt.Sprintf("%-24s %10s  %s", printable(s.Name), sizeText(s.Size), counted(s.Items, "item")))
	}
	l.end()
	showMarks(w, "Masked", r.Masked, limit)
	showMarks(w, "Dropped", r.Dropped, limit)
	showMarks(w, "Kept although they look like secrets", r.Kept, limit)
	l = lines{out: w, head: "Hosts", limit: limit}
	for _, h := range r.Hosts {
		text := printable(h.Host)
		if h.Unicode != "" {
			text += " (" + printable(h.Unicode) + ")"
		}
		if h.Private {
			text += ", local"
		}
		l.add(text + ", " + printable(h.Use) + place(h.Places))
	}
	l.end()
	l = lines{out: w, head: "It can", limit: limit}
	for _, c := range r.Capabilities {
		l.add(printable(c.Name) + place(c.Places))
	}
	l.end()
	if len(r.FoundNotClaimed) > 0 {
		fmt.Fprintf(w, "\nFound and not declared: %s\n", printables(r.FoundNotClaimed))
	}
	if len(r.ClaimedNotFound) > 0 {
		fmt.Fprintf(w, "\nDeclared and not found: %s\n", printables(r.ClaimedNotFound))
	}
	showNamed(w, "Environment variables it asks for", r.Environment, limit)
	showNamed(w, "Models", r.Models, limit)
	l = lines{out: w, head: "Plugins", limit: limit}
	for _, p := range r.Plugins {
		l.add(strings.TrimSpace(printable(p.ID + " " + p.Version + " " + p.Source)))
	}
	l.end()
}

func showMarks(w io.Writer, head string, m disclosure.Marks, limit int) {
	l := lines{out: w, head: head, limit: limit, n: m.Count - len(m.Listed)}
	for _, mark := range m.Listed {
		l.add(markText(mark))
	}
	l.end()
}

func markText(m redact.Mark) string { return printable(m.Path) + ": " + printable(m.Why) }

func showNamed(w io.Writer, head string, named []disclosure.Named, limit int) {
	l := lines{out: w, head: head, limit: limit}
	for _, n := range named {
		l.add(printable(n.Name) + place(n.Places))
	}
	l.end()
}

func place(places []string) string {
	if len(places) == 0 {
		return ""
	}
	text := " at " + printable(places[0])
	if len(places) > 1 {
		text += " and elsewhere"
	}
	return text
}

// lines prints a group under a head, up to a limit, and says how many more there are.
type lines struct {
	out   io.Writer
	head  string
	limit int
	n     int
	shown int
}

func (l *lines) add(text string) {
	if l.n++; l.shown == l.limit {
		return
	}
	if l.shown == 0 {
		fmt.Fprintf(l.out, "\n%s\n", l.head)
	}
	l.shown++
	fmt.Fprintf(l.out, "  %s\n", text)
}

func (l *lines) end() {
	if left := l.n - l.shown; left > 0 && l.shown > 0 {
		fmt.Fprintf(l.out, "  … and %d more (--all or --json shows them)\n", left)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// showDiff prints a unified diff of a stranger's texts.
func showDiff(w io.Writer, diff []string) {
	for _, line := range diff {
		fmt.Fprintf(w, "  %s\n", printable(line))
	}
}
