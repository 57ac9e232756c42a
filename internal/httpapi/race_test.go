//go:build race

package httpapi_test

import "os"

const underRace = true

// With the race detector this package runs on the engine that has several writers alone: it runs whole on both without it.
func init() {
	if os.Getenv("STOA_TEST_ENGINE") == "" {
		_ = os.Setenv("STOA_TEST_ENGINE", "postgres")
	}
}
