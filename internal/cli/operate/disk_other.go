//go:build !linux && !darwin

package operate

// freeBytes is the room where a folder is; -1: it cannot be told here.
func freeBytes(string) int64 { return -1 }
