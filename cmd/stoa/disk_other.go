//go:build !linux && !darwin

package main

// freeBytes is the room where a folder is; -1: it cannot be told here.
func freeBytes(string) int64 { return -1 }
