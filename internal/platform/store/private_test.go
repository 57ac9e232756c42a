package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
)

// A database is read by its user alone, made now under any umask or left open to others before.
func TestFilesArePrivate(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	check := func(dir string) {
		t.Helper()
		seen := 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if seen++; info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %s", path, info.Mode())
			}
			return nil
		})
		if err != nil || seen < 2 {
			t.Fatal(seen, err)
		}
	}
	use := func(path string) {
		s := openAt(t, path, dbtest.NewClock())
		write(t, s, func(tx *store.Tx) error { return tx.AddAccount("ada", "x") })
	}
	fresh := filepath.Join(t.TempDir(), "made", "data")
	use(filepath.Join(fresh, "stoa.db"))
	check(fresh)

	there := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(there, "stoa.db")
	s := openAt(t, path, dbtest.NewClock())
	write(t, s, func(tx *store.Tx) error { return tx.AddAccount("bob", "x") })
	for name, mode := range map[string]fs.FileMode{there: 0o755, path: 0o644, path + "-wal": 0o644, path + "-shm": 0o644} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	use(path)
	check(there)
}
