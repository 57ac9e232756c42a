//go:build linux || darwin

package operate

import "syscall"

// freeBytes is the room for somebody without privileges where a folder is; -1 when it cannot be told.
func freeBytes(dir string) int64 {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return -1
	}
	return int64(st.Bavail) * int64(st.Bsize) //nolint:unconvert // the types differ between systems
}
