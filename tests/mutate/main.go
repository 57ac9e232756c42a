// Command mutate plants small faults in the packages that decide something, one at a time, and runs the package's own tests on
// each: a fault that they let pass names a line that no test holds. Nothing in the tree is changed (go test -overlay).
//
//	go run ./tests/mutate                        the packages of `deciding`, 30 faults each
//	go run ./tests/mutate -n 10 ./internal/market/redact
//
// What cannot be seen from outside (a fault that changes no result) is listed in accepted.txt with the reason.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// deciding are the packages whose mistakes leak, lose or teach something wrong.
var deciding = []string{
	"./internal/market/redact", "./internal/market/redact/detect", "./internal/market/leakcheck", "./internal/market/archive", "./internal/market/apply", "./internal/market/ids",
	"./internal/learning/mastery", "./internal/learning/strategy", "./internal/learning/tutor", "./internal/learning/questions", "./internal/learning/judging", "./internal/learning/prose", "./internal/learning/latex", "./internal/learning/path",
	"./internal/platform/account",
}

// testedBy are packages whose tests stand in another as well. They are run after the package's own.
var testedBy = map[string]string{"./internal/market/redact/detect": "./internal/market/redact"}

//go:embed accepted.txt
var acceptedText string

func main() {
	n := flag.Int("n", 30, "faults to plant in each package")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "which faults are chosen")
	limit := flag.Float64("limit", 15, "per cent of faults that may survive")
	patience := flag.Duration("patience", 3*time.Minute, "how long the tests may run with a fault; one that makes them hang is found")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = deciding
	}
	fmt.Printf("seed %d\n", *seed)
	accepted := readAccepted(acceptedText)
	var planted, survived int
	for _, pkg := range packages {
		r, err := tryPackage(pkg, *n, *patience, rand.New(rand.NewPCG(*seed, 0)), accepted)
		if err != nil {
			fmt.Fprintln(os.Stderr, pkg+":", err)
			os.Exit(2)
		}
		fmt.Printf("%-34s %3d faults, %2d survived\n", pkg, r.planted, len(r.survivors))
		for _, f := range r.survivors {
			fmt.Printf("    %s:%d: %s: %s\n", f.file, f.line, f.what, f.text)
		}
		planted, survived = planted+r.planted, survived+len(r.survivors)
	}
	if planted == 0 {
		return
	}
	share := 100 * float64(survived) / float64(planted)
	fmt.Printf("%d of %d survived: %.1f %%\n", survived, planted, share)
	if share > *limit {
		os.Exit(1)
	}
}

type outcome struct {
	planted   int
	survivors []fault
}

func tryPackage(pkg string, n int, patience time.Duration, r *rand.Rand, accepted map[string]bool) (outcome, error) {
	var out outcome
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return out, err
	}
	dir := strings.TrimSpace(string(folder))
	faults, err := faultsOf(dir)
	if err != nil {
		return out, err
	}
	tests := []string{pkg}
	if other, there := testedBy[pkg]; there {
		tests = append(tests, other)
	}
	r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	temp, err := os.MkdirTemp("", "stoa-mutate-")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(temp)
	if killed, err := killedByAny(tests, temp, fault{}, patience); err != nil || killed {
		return out, errors.Join(err, errors.New("its tests fail without a fault"))
	}
	for _, f := range faults {
		if out.planted == n {
			break
		}
		if accepted[f.key()] {
			continue
		}
		killed, err := killedByAny(tests, temp, f, patience)
		if errors.Is(err, errNoBuild) {
			continue
		}
		if err != nil {
			return out, err
		}
		out.planted++
		if !killed {
			out.survivors = append(out.survivors, f)
		}
	}
	return out, nil
}

// hasProperties reports whether the tests of a folder use rapid, which keeps failing cases as files unless it is told not to.
func hasProperties(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, failed := os.ReadFile(file)
		if err = errors.Join(err, failed); strings.Contains(string(text), `"pgregory.net/rapid"`) {
			return true, err
		}
	}
	return false, err
}

// killedByAny reports whether the tests of one of some packages fail with a fault planted.
func killedByAny(packages []string, temp string, f fault, patience time.Duration) (bool, error) {
	for _, pkg := range packages {
		dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", pkg).Output()
		if err != nil {
			return false, err
		}
		property, err := hasProperties(strings.TrimSpace(string(dir)))
		if err != nil {
			return false, err
		}
		if killed, err := killedBy(pkg, temp, f, property, patience); err != nil || killed {
			return killed, err
		}
	}
	return false, nil
}

var errNoBuild = errors.New("the fault does not compile")

// killedBy reports whether the tests of a package fail with a fault planted.
func killedBy(pkg, temp string, f fault, property bool, patience time.Duration) (bool, error) {
	args := []string{"test", "-count=1", "-failfast", "-vet=off", "-timeout", patience.String()}
	if f.file != "" {
		source, err := f.planted()
		if err != nil {
			return false, err
		}
		changed, overlay := filepath.Join(temp, filepath.Base(f.file)), filepath.Join(temp, "overlay.json")
		text, err := json.Marshal(map[string]any{"Replace": map[string]string{f.file: changed}})
		if err = errors.Join(err, os.WriteFile(changed, source, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
			return false, err
		}
		args = append(args, "-overlay", overlay)
	}
	args = append(args, pkg)
	if property {
		args = append(args, "-rapid.nofailfile") // what fails for a fault is no case to keep
	}
	said, err := exec.Command("go", args...).CombinedOutput()
	if strings.Contains(string(said), "[build failed]") {
		return false, errNoBuild
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return false, err
	}
	return err != nil, nil
}

// readAccepted reads lines of `file: what: source line # reason`.
func readAccepted(text string) map[string]bool {
	accepted := map[string]bool{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if key, _, ok := strings.Cut(lines.Text(), " # "); ok {
			accepted[key] = true
		}
	}
	return accepted
}
