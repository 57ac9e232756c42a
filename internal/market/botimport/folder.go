package botimport

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"stoa/internal/market/pack"
)

// Bounds of a folder.
const (
	maxFolderFiles = 200_000
	maxFolderDepth = 32
)

// skippedDirs hold nothing of a bot's setup and very many files.
var skippedDirs = []string{".git", "node_modules", "__pycache__", ".venv", "venv", "site-packages"}

// Folder is a folder on the member's own machine as Files. Symbolic links that lead out of it, devices and pipes are
// not followed; Skipped says what was passed over.
type Folder struct {
	root    *os.Root
	names   []string
	sizes   map[string]int64
	Skipped []string // at most 1,000
}

// OpenFolder lists a folder. It must be closed.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, refuse(pack.ReasonUnreadable, path.Base(dir), "The folder cannot be opened.")
	}
	f := &Folder{root: root, sizes: map[string]int64{}}
	if err := fs.WalkDir(root.FS(), ".", f.visit); err != nil {
		f.Close()
		return nil, err
	}
	slices.Sort(f.names)
	return f, nil
}

func (f *Folder) visit(name string, e fs.DirEntry, problem error) error {
	if problem == nil && !e.IsDir() {
		return f.file(name)
	}
	if problem == nil && !slices.Contains(skippedDirs, e.Name()) && strings.Count(name, "/") < maxFolderDepth {
		return nil
	}
	f.skip(name) // also what may not be read
	if e != nil && e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// file lists a regular file, or what a link inside the folder leads to.
func (f *Folder) file(name string) error {
	info, err := f.root.Stat(name)
	switch {
	case err != nil || !info.Mode().IsRegular():
		f.skip(name)
	case len(f.names) == maxFolderFiles:
		return refuse(pack.ReasonTooManyValues, "", fmt.Sprintf("The folder holds more than %d files. Name the bot's data folder itself.", maxFolderFiles))
	default:
		f.names = append(f.names, name)
		f.sizes[name] = info.Size()
	}
	return nil
}

func (f *Folder) skip(name string) {
	if len(f.Skipped) < 1_000 {
		f.Skipped = append(f.Skipped, name)
	}
}

// Close ends the use of the folder.
func (f *Folder) Close() { _ = f.root.Close() } // nothing was written

// Names lists the regular files, sorted.
func (f *Folder) Names() []string { return f.names }

// Size is a file's size when the folder was opened, -1 if there is no such file.
func (f *Folder) Size(name string) int64 {
	if n, ok := f.sizes[name]; ok {
		return n
	}
	return -1
}

var errNotThere = errors.New("no such file")

// Open opens one of the files.
func (f *Folder) Open(name string) (io.ReadCloser, error) {
	if _, ok := f.sizes[name]; !ok {
		return nil, errNotThere
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errNotThere
	}
	return file, nil
}

// Read reads one of the files whole; one above limit bytes is refused.
func (f *Folder) Read(name string, limit int64) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(out)) > limit {
		return nil, refuse(pack.ReasonFileTooLarge, name, fmt.Sprintf("%s is larger than %s.", pack.Clean(name), bytes(limit)))
	}
	return out, err
}
