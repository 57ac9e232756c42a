package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// unreadable says why a file that somebody named cannot be read.
func unreadable(path string, err error) error {
	if why := reason(err); why != "" {
		return fmt.Errorf("cannot read %s: %s", path, why)
	}
	return fmt.Errorf("cannot read %s", path)
}

// reason says why a file cannot be read, without its path; "" if there is no more to say.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read by you"
	case errors.Is(err, errNoteSize), errors.Is(err, errNoteText):
		return err.Error()
	}
	return ""
}

// moveNew renames a file to a name that is not taken.
func moveNew(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errTaken
	}
	return os.Rename(from, to)
}

// maxKeyFile bounds a file with keys.
const maxKeyFile = 64 << 10

// readSome reads a small file.
func readSome(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s", path)
	}
	if int64(len(text)) > limit {
		return nil, errors.New(path + " is too large to be that")
	}
	return text, nil
}

var errTaken = errors.New("a file of this name is there already; say another one with -o")
