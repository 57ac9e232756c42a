//go:build race

package main

import "os"

// With the race detector, under which each start of a command takes seconds, the scripts are played on the engine that has several writers
// alone: tests/run plays those of the other without it.
func init() {
	if os.Getenv("STOA_TEST_ENGINE") == "" {
		_ = os.Setenv("STOA_TEST_ENGINE", "postgres")
	}
}
