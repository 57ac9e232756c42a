//go:build linux

package faults

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"stoa/internal/apitest"
	_ "stoa/web" // so that go test knows that these tests' results depend on the whole binary
)

var (
	duration = flag.Duration("duration", 20*time.Second, "how long the checker injects faults")
	seed     = flag.Uint64("seed", 0, "of the checker's random choices; 0 takes a new one")
)

// binary is the built stoa.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "stoa-faults-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "stoa")
		if out, err := exec.Command("go", "build", "-o", binary, "stoa/cmd/stoa").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		flag.Parse()
		if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
			_ = f.Value.Set("8") // they wait more than they work
		}
		return apitest.Main(m)
	}())
}

// eventually waits until ask is content, and fails when that takes longer than most.
func eventually(t *testing.T, most time.Duration, what string, ask func() error) {
	t.Helper()
	began := time.Now()
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Since(began) > most {
			t.Fatalf("after %s: %s: %v", most, what, err)
		}
		time.Sleep(25 * time.Millisecond)
	}
}
