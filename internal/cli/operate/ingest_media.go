package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"stoa/internal/app"
	"stoa/internal/app/school/notebook"
	"stoa/internal/cli"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/errs"
)

// mediaEndings are those of files that a note can show; what a file is follows from its first bytes.
var mediaEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".mp3", ".ogg", ".oga", ".opus", ".flac", ".wav", ".m4a", ".mp4", ".webm"}

// media keeps the pictures and sounds below a folder that its notes name and that have changed since they were seen.
// One that cannot be kept is told and left out.
func (c *IngestCmd) media(ctx context.Context, a *app.App, o cli.Output, owner, root string, documents []graph.Document, seen map[string]time.Time) error {
	if c.Shared {
		return nil // files are served to the member whose they are
	}
	kept, left, named := 0, []string{}, namedMedia(documents)
	isMedia := func(path string) bool { return slices.Contains(mediaEndings, strings.ToLower(filepath.Ext(path))) }
	err := cli.WalkVault(root, isMedia, func(path, relative string, info fs.FileInfo) error {
		if seen[path].Equal(info.ModTime()) || !named[foldedName(info.Name())] {
			return nil
		}
		seen[path] = info.ModTime()
		var refused *errs.Error
		if err := keepMedia(ctx, a, owner, path, filepath.Base(root)+"/"+relative); errors.As(err, &refused) {
			left = append(left, fmt.Sprintf("%s: %s", relative, refused.Message))
			return nil
		} else if err != nil {
			return err
		}
		kept++
		return nil
	})
	if err != nil {
		return cli.Unreadable(root, err)
	}
	if kept == 0 && len(left) == 0 {
		return nil
	}
	return o.Print(map[string]any{"path": root, "media": kept, "media_left_out": left}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d pictures and sounds\n", root, kept)
		for _, why := range left {
			fmt.Fprintf(w, "  left out: %s\n", cli.Printable(why))
		}
	})
}

func keepMedia(ctx context.Context, a *app.App, owner, path, name string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > notebook.MaxNoteMediaBytes {
		return errs.Newf(errs.PackageTooLarge, "A picture or a sound may have %d MiB at most.", notebook.MaxNoteMediaBytes>>20)
	}
	_, err = a.IngestMedia(ctx, owner, name, io.LimitReader(file, notebook.MaxNoteMediaBytes))
	return err
}

// mediaNames are names of files in a note: of a wiki link, of a link of Markdown, of HTML.
var mediaNames = regexp.MustCompile(`(?i)[^\[\]()<>|"'/\\\n]+\.(?:png|jpe?g|gif|webp|avif|bmp|mp3|ogg|oga|opus|flac|wav|m4a|mp4|webm)\b`)

// namedMedia are the files that notes name, folded.
func namedMedia(documents []graph.Document) map[string]bool {
	all := map[string]bool{}
	for i := range documents {
		for _, name := range mediaNames.FindAllString(documents[i].Content, -1) {
			if plain, err := url.PathUnescape(name); err == nil {
				name = plain
			}
			all[foldedName(name)] = true
		}
	}
	return all
}

func foldedName(name string) string {
	return strings.ToLower(norm.NFC.String(strings.TrimLeft(name, "! ")))
}
