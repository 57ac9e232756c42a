package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/cli"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/questions"
)

// IngestCmd is `stoa ingest`.
type IngestCmd struct {
	Paths  []string      `arg:"" help:"Folders of Markdown notes, single notes, tables of questions or concept graphs (.csv, .tsv, .json) or Anki packages (.apkg, .colpkg)." type:"path"`
	User   string        `help:"The member whose notes they are." default:"webui-user"`
	Shared bool          `help:"They belong to everybody."`
	Watch  bool          `help:"Keep running and import what changes."`
	Every  time.Duration `help:"How often to look with --watch." default:"2s"`

	WriteSchedules bool   `help:"Afterwards, write what was answered here into the schedules that Obsidian's plug-in Spaced Repetition keeps in these notes."`
	TimeZone       string `help:"Whose days the schedules in notes name, as Europe/Berlin; this machine's unless given."`

	zone *time.Location
}

// Run imports notes.
func (c *IngestCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	c.zone = time.Local
	if c.TimeZone != "" {
		zone, err := time.LoadLocation(c.TimeZone)
		if err != nil {
			return err
		}
		c.zone = zone
	}
	return s.command(ctx, o, func(a *app.App) error {
		owner := c.User
		switch {
		case c.Shared && c.WriteSchedules:
			return errors.New("schedules are a learner's: name them with --user, without --shared")
		case c.Shared:
			owner = ""
		default:
			if err := a.CheckMember(ctx, c.User); err != nil {
				return err
			}
		}
		seen := map[int]map[string]time.Time{} // by database: what everybody reads is in each
		for {
			if err := c.takeAll(ctx, a, o, owner, seen); err != nil {
				return err
			}
			if !c.Watch {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(c.Every):
			}
		}
	})
}

// takeAll imports every path for its owner: a learner's notes where the learner is, notes for everybody into every database.
func (c *IngestCmd) takeAll(ctx context.Context, a *app.App, o cli.Output, owner string, seen map[int]map[string]time.Time) error {
	into := func(ctx context.Context, a *app.App, number int) error {
		if seen[number] == nil {
			seen[number] = map[string]time.Time{}
		}
		for _, path := range c.Paths {
			if err := c.take(ctx, a, o, owner, path, seen[number]); err != nil {
				return err
			}
		}
		return nil
	}
	if !c.Shared {
		_, err := app.Visit(ctx, a, owner, func(home *app.App, ctx context.Context) (struct{}, error) { return struct{}{}, into(ctx, home, 0) })
		return err
	}
	for number, database := range a.Learners() {
		if err := into(ctx, database, number); err != nil {
			return err
		}
	}
	return nil
}

// take imports one path, unless nothing below it has changed since it was seen.
func (c *IngestCmd) take(ctx context.Context, a *app.App, o cli.Output, owner, path string, seen map[string]time.Time) error {
	info, err := os.Stat(path)
	if err != nil {
		return cli.Unreadable(path, err)
	}
	caller := core.Caller{Role: core.Member, UserID: owner}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case info.IsDir():
		return c.folder(ctx, a, o, caller, owner, path, seen)
	case seen[path].Equal(info.ModTime()):
		return nil
	case ext == ".apkg" || ext == ".colpkg":
		seen[path] = info.ModTime()
		return c.anki(ctx, a, o, caller, owner, path, info.Size())
	case cli.IsTable(path) || ext == ".json":
		seen[path] = info.ModTime()
		content, err := cli.ReadNote(path)
		if err != nil {
			return cli.Unreadable(path, err)
		}
		if note, ok := questions.NoteOfTable(path, content); ok {
			return c.one(ctx, a, o, caller, owner, path, note, info)
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		documents, err := graph.Concepts(name, []graph.ConceptFile{{Path: filepath.Base(path), Content: []byte(content)}})
		if err != nil {
			return err
		}
		return c.tell(o, path, 0, nil)(a.IngestFolder(ctx, caller, owner, "", false, documents, c.zone))
	default:
		seen[path] = info.ModTime()
		content, err := cli.ReadNote(path)
		if err != nil {
			return cli.Unreadable(path, err)
		}
		return c.one(ctx, a, o, caller, owner, path, content, info)
	}
}

// one ingests a single note.
func (c *IngestCmd) one(ctx context.Context, a *app.App, o cli.Output, caller core.Caller, owner, path, content string, info fs.FileInfo) error {
	note := graph.Document{Path: filepath.Base(path), Content: content, Modified: info.ModTime()}
	return c.tell(o, path, 0, nil)(a.IngestFolder(ctx, caller, owner, "", false, []graph.Document{note}, c.zone))
}

// folder ingests the notes below a folder.
func (c *IngestCmd) folder(ctx context.Context, a *app.App, o cli.Output, caller core.Caller, owner, root string, seen map[string]time.Time) error {
	type file struct{ path, relative string }
	var names []file
	changed, count := false, 0
	wanted := func(path string) bool { return cli.IsNote(path) || obsidian.IsSettings(path) }
	err := cli.WalkVault(root, wanted, func(path, relative string, info fs.FileInfo) error {
		if !seen[path].Equal(info.ModTime()) {
			changed = true
			seen[path] = info.ModTime()
		}
		count++
		names = append(names, file{path, relative})
		return nil
	})
	if err != nil {
		return cli.Unreadable(root, err)
	}
	if key := root + "\x00"; !seen[key].Equal(time.Unix(int64(count), 0)) { // a note is gone
		changed = true
		seen[key] = time.Unix(int64(count), 0)
	}
	if !changed {
		return nil
	}
	step, done := func() {}, func() {}
	if o.DrawnOn() != nil {
		bar := progressbar.Default(int64(len(names)), "reading")
		step, done = func() { _ = bar.Add(1) }, func() { _ = bar.Finish() }
	}
	base, settings := filepath.Base(root), 0
	documents := make([]graph.Document, 0, len(names))
	var skipped []skippedNote
	for _, f := range names {
		text, err := cli.ReadNote(f.path)
		if err != nil {
			skipped = append(skipped, skippedNote{f.relative, cmp.Or(cli.Reason(err), "it cannot be read")})
			continue
		}
		if cli.IsTable(f.path) {
			note, ok := questions.NoteOfTable(f.path, text)
			if !ok {
				continue // data that lies beside the notes
			}
			text = note
		}
		name := base + "/" + f.relative
		if note, ok := obsidian.NoteOfSettings(name, text); ok {
			text = note
			settings++
		}
		documents = append(documents, graph.Document{Path: name, Content: text, Modified: seen[f.path]})
		step()
	}
	done()
	whole := len(skipped) == 0 // what cannot be read today is not gone
	if err := c.tell(o, root, settings, skipped)(a.IngestFolder(ctx, caller, owner, base, whole, documents, c.zone)); err != nil {
		return err
	}
	if c.WriteSchedules {
		if err := c.schedules(ctx, a, o, owner, root, documents); err != nil {
			return err
		}
	}
	return c.media(ctx, a, o, owner, root, documents, seen)
}

func (c *IngestCmd) anki(ctx context.Context, a *app.App, o cli.Output, caller core.Caller, owner, path string, size int64) error {
	if c.Shared {
		return fmt.Errorf("%s holds a learner's reviews: name them with --user, without --shared", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return cli.Unreadable(path, err)
	}
	defer file.Close()
	r, err := a.IngestAnki(ctx, caller, owner, file, size)
	if err != nil {
		return err
	}
	return o.Print(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d notes, %d cards in %d decks (%d suspended), %d files; %d reviews, %d of them new (%.0f ms)\n",
			path, r.Notes, r.Cards, r.Decks, r.Suspended, r.Media, r.Reviews, r.Counted, r.Summary.LatencyMs)
		fmt.Fprintln(w, nextInSchool)
	})
}

const nextInSchool = "Next: /learn on the server's pages plans a session over them."

// skippedNote is a file of a folder that could not be read.
type skippedNote struct {
	Path   string `json:"path"` // within the folder
	Reason string `json:"reason"`
}

// tell prints what came of an ingest. So many of the documents hold settings and are no notes.
func (c *IngestCmd) tell(o cli.Output, path string, settings int, skipped []skippedNote) func(notebook.IngestResult, error) error {
	return func(r notebook.IngestResult, err error) error {
		if err != nil {
			return err
		}
		s := r.Summary
		if c.Watch && s.Changed == 0 && s.Deleted == 0 && len(skipped) == 0 {
			return nil
		}
		return o.Print(map[string]any{"path": path, "summary": s, "cycles": r.Cycles, "skipped": append([]skippedNote{}, skipped...)}, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d notes, %d changed, %d deleted; %d atoms, %d relations, %d links to no note (%.0f ms)\n",
				path, s.Ingested-settings, s.Changed, s.Deleted, s.Atoms, s.Edges, s.Unresolved, s.LatencyMs)
			for _, note := range skipped {
				fmt.Fprintf(w, "  skipped %s: %s\n", cli.Printable(note.Path), note.Reason)
			}
			if len(skipped) > 0 {
				fmt.Fprintln(w, "  As not every note could be read, none was deleted.")
			}
			for _, cycle := range r.Cycles {
				fmt.Fprintf(w, "  a cycle of %d prerequisites was broken at “%s” → “%s” (confidence %.2f)\n", len(cycle.EdgeIDs), cli.Printable(cycle.Titles[0]), cli.Printable(cycle.Titles[1]), cycle.Confidence)
			}
			if !c.Watch {
				fmt.Fprintln(w, nextInSchool)
			}
		})
	}
}
