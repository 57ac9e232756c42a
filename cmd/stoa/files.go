package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// unreadable says why a file that somebody named cannot be read.
func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot read %s: there is no such file", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot read %s: it may not be read by you", path)
	}
	return fmt.Errorf("cannot read %s", path)
}

// moveNew renames a file to a name that is not taken.
func moveNew(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errTaken
	}
	return os.Rename(from, to)
}
