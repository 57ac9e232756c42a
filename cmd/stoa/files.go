package main

import (
	"errors"
	"io/fs"
	"os"
)

// moveNew renames a file to a name that is not taken.
func moveNew(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errTaken
	}
	return os.Rename(from, to)
}
