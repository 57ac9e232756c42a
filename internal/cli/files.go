package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Unreadable says why a file that somebody named cannot be read.
func Unreadable(path string, err error) error {
	if why := Reason(err); why != "" {
		return fmt.Errorf("cannot read %s: %s", path, why)
	}
	return fmt.Errorf("cannot read %s", path)
}

// Reason says why a file cannot be read, without its path; "" if there is no more to say.
func Reason(err error) string {
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

// MoveNew renames a file to a name that is not taken.
func MoveNew(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return ErrTaken
	}
	return os.Rename(from, to)
}

// MaxKeyFile bounds a file with keys.
const MaxKeyFile = 64 << 10

// ReadSome reads a small file.
func ReadSome(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
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

// ErrTaken refuses to write over a file.
var ErrTaken = errors.New("a file of this name is there already; say another one with -o")
