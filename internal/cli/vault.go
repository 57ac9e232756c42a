package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"stoa/internal/learning/obsidian"
)

// The files of a folder of notes, read from this machine's disk.

// WalkVault visits the files below a folder that are wanted, but in its hidden folders only the settings that say how the notes are read.
// relative is the path within the folder, with slashes.
func WalkVault(root string, wanted func(relative string) bool, visit func(path, relative string, info fs.FileInfo) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		hidden := path != root && strings.Contains("/"+relative, "/.")
		switch {
		case d.IsDir() && hidden && !obsidian.LeadsToSettings(relative):
			return filepath.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || hidden && !obsidian.IsSettings(relative) || !wanted(relative):
			return nil
		}
		info, err := d.Info()
		if err != nil || obsidian.IsSettings(relative) && info.Size() > largestNote {
			return err
		}
		return visit(path, relative, info)
	})
}

// IsMarkdown tells by its name whether a file is a note in Markdown.
func IsMarkdown(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".markdown", ".mdown", ".mdx":
		return true
	}
	return false
}

// IsNote tells by its name whether a file is a note.
func IsNote(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".txt", ".gift":
		return true
	}
	return IsMarkdown(path) || IsTable(path)
}

// IsTable tells by its name whether a file is a list of questions and answers.
func IsTable(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".csv" || ext == ".tsv"
}

// largestNote bounds a note that is read, in bytes; longer files are no notes.
const largestNote = 8 << 20

var (
	errNoteSize = fmt.Errorf("it is larger than %d MiB, which is no note", largestNote>>20)
	errNoteText = errors.New("it is no text in UTF-8")
)

// ReadNote gives the text of a note. The error says why it is none, and not which.
func ReadNote(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, largestNote+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > largestNote:
		return "", errNoteSize
	case !utf8.Valid(content) || strings.IndexByte(string(content), 0) >= 0:
		return "", errNoteText
	}
	return string(content), nil
}
