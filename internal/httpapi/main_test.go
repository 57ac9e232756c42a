package httpapi_test

import (
	"os"
	"testing"

	"stoa/internal/apitest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

const (
	translator = "official/careful-translator"
	coach      = "official/study-coach"
	starter    = "profile/official-starter"
)

// m is a JSON object in a test.
type m = map[string]any

// heavy skips a test that moves or counts bytes by the million under the race detector; tests/run runs
// these without it.
func heavy(t *testing.T) {
	t.Helper()
	if underRace || testing.Short() {
		t.Skip("run without -race")
	}
}
