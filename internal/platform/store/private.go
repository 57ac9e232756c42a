package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	privateFolder = 0o700
	privateFile   = 0o600
	readByOthers  = 0o077
)

// keepPrivate makes sure that nobody but this user reads a SQLite database: it makes the folder and the file, whatever the
// umask says, and takes the others' rights away from those that are there. SQLite gives the files beside the database the
// rights of it. Where the files are another user's, their rights are that user's to set.
func keepPrivate(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, privateFile)
	switch {
	case err == nil:
		if err := file.Close(); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrPermission): // a store that may only be read is opened as it is
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		if err := withdraw(name, privateFile); err != nil {
			return err
		}
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.Clean(home) == filepath.Clean(dir) {
		return nil // what else is there is not ours
	}
	return withdraw(dir, privateFolder)
}

// withdraw takes the rights of others on a file or folder away. One that is not there, not ours or shared by design, as a
// folder for temporary files is, stays as it is.
func withdraw(name string, mode fs.FileMode) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Perm()&readByOthers == 0 || info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	if err := os.Chmod(name, mode); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
