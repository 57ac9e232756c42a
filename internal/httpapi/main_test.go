package httpapi_test

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// What no test ever sees move, each with the reason.
//
//go:embed testdata/unmoved.txt
var unmoved string

// TestMain also fails, but under the race detector, which some tests are left out of, when all tests together never saw a field of the contract's answers with two values, or no query
// parameter change an answer.
func TestMain(m *testing.M) {
	code := apitest.Main(m)
	if code == 0 && !underRace && !testing.Short() && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		problems, spare, err := apitest.Unmoved(unmoved)
		for _, p := range append(spare, problems...) {
			fmt.Println("contract:", p)
		}
		if err != nil || len(problems) > 0 {
			fmt.Println("FAIL: what the contract promises and no test sees move (testdata/unmoved.txt has the exemptions)", err)
			code = 1
		}
	}
	if about := os.Getenv("STOA_UNMOVED"); about != "" { // what the tests that ran leave unmoved, of operations that begin so
		problems, _, _ := apitest.Unmoved("")
		for _, p := range problems {
			if strings.HasPrefix(p, about) || about == "all" {
				fmt.Println("unmoved:", p)
			}
		}
	}
	os.Exit(code)
}

const (
	translator = "official/careful-translator"
	coach      = "official/study-coach"
	starter    = "profile/official-starter"
)

// m is a JSON object in a test.
type m = map[string]any

// heavy skips a test under the race detector that moves or counts bytes by the million, or that sends hundreds of requests one after another:
// nothing runs beside them, and they take ten times as long. tests/run runs these without it.
func heavy(t *testing.T) {
	t.Helper()
	if underRace || testing.Short() {
		t.Skip("run without -race")
	}
}
