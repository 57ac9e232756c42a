//go:build unix

package apply

import (
	"os"
	"syscall"
)

// lockFile takes the file for this process; the lock ends with the process.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a file descriptor fits an int
}

// syncDir brings a rename to disk.
func syncDir(dir *os.File) error { return dir.Sync() }
