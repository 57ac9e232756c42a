package operate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"stoa/internal/app"
	"stoa/internal/cli"
	"stoa/internal/learning/graph"
)

// schedules writes what was answered here into the schedules of the notes that were read. A note that has changed meanwhile is left alone;
// its turn comes with the next run.
func (c *IngestCmd) schedules(ctx context.Context, a *app.App, o cli.Output, owner, root string, documents []graph.Document) error {
	changed, err := a.WriteSchedules(ctx, owner, documents, c.zone)
	if err != nil {
		return err
	}
	before := make(map[string]string, len(documents))
	for i := range documents {
		before[documents[i].Path] = documents[i].Content
	}
	written, busy := 0, []string{}
	for i := range changed {
		name := strings.TrimPrefix(changed[i].Path, filepath.Base(root)+"/")
		done, err := replaceNote(filepath.Join(root, filepath.FromSlash(name)), before[changed[i].Path], changed[i].Content)
		if err != nil {
			return err
		}
		if done {
			written++
		} else {
			busy = append(busy, name)
		}
	}
	if c.Watch && len(changed) == 0 {
		return nil
	}
	return o.Print(map[string]any{"path": root, "schedules": map[string]any{"written": written, "busy": busy}}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: schedules of %d notes written\n", root, written)
		for _, name := range busy {
			fmt.Fprintf(w, "  %s has changed meanwhile and was left alone\n", cli.Printable(name))
		}
	})
}

// replaceNote puts a note in the place of another, whole or not at all, unless it is not the one that was read.
func replaceNote(path, was, is string) (done bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, cli.Unreadable(path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".stoa-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it is gone once it has taken the note's place
	_, err = file.WriteString(is)
	for _, step := range []func() error{func() error { return file.Chmod(info.Mode().Perm()) }, file.Sync, file.Close} {
		if failed := step(); err == nil {
			err = failed
		}
	}
	if err != nil {
		return false, err
	}
	now, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(now, []byte(was)) {
		return false, err
	}
	return true, os.Rename(file.Name(), path)
}
