package main

import (
	"errors"
	"fmt"
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
