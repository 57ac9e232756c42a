package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

const sample = `package sample

func Most(list []int) (n int) {
	for _, v := range list {
		if v > n && v < 100 {
			n = v
		}
	}
	return n
}
`

// Each fault changes one place, and what is left is Go.
func TestFaultsAreOfOnePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sample.go")
	if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	faults, err := faultsIn(file, []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var what []string
	for _, f := range faults {
		what = append(what, f.what)
		source, err := f.planted()
		if err != nil || string(source) == sample {
			t.Errorf("%+v: %v", f, err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), file, source, 0); err != nil {
			t.Errorf("%s: %v", f.what, err)
		}
	}
	for _, want := range []string{">= for >", "<= for <", "|| for &&", "condition turned round", "101 for 100"} {
		if !slices.Contains(what, want) {
			t.Errorf("%q is missing in %q", want, what)
		}
	}
}

// A fault that a test sees is killed, and one that no test sees survives.
func TestFaultsAreFoundByTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module sample\n\ngo 1.24\n", "sample.go": sample,
		"sample_test.go": "package sample\n\nimport \"testing\"\n\nfunc TestMost(t *testing.T) {\n\tif Most([]int{1, 3, 2}) != 3 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	faults, err := faultsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		want, judged := map[string]bool{"condition turned round": true, "101 for 100": false}[f.what]
		if !judged {
			continue
		}
		if killed, err := killedBy(".", t.TempDir(), f, false, time.Minute); err != nil || killed != want {
			t.Errorf("%s: killed %v, %v", f.what, killed, err)
		}
	}
}
