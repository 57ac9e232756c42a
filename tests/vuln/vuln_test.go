// Package vuln tests tools/vuln with a vulnerability checker and a registry that answer as they are told.
package vuln

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// It fails when something is found, and says so when it could not look: nothing else counts as "nothing is known".
func TestWhatIsFoundAndWhatCouldNotBeSeen(t *testing.T) {
	for _, program := range []string{"bash", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	long := `{"metadata":{"vulnerabilities":{"total":0}},"of":"` + strings.Repeat("x", 300_000) + `"}`
	for _, c := range []struct {
		name   string
		status string // of govulncheck
		npm    string
		want   int
		says   string
	}{
		{"nothing", "0", `{"metadata":{"vulnerabilities":{"total":0}}}`, 0, "nothing is known"},
		{"a long report", "0", long, 0, "nothing is known"},
		{"a Go module", "3", `{"metadata":{"vulnerabilities":{"total":0}}}`, 1, "the Go modules have known vulnerabilities"},
		{"an npm package", "0", `{"metadata":{"vulnerabilities":{"total":2}}}`, 1, "the npm packages have known vulnerabilities"},
		{"the Go database is away", "1", `{"metadata":{"vulnerabilities":{"total":0}}}`, 2, "COULD NOT LOOK at the Go modules"},
		{"the checker is not there", "127", `{"metadata":{"vulnerabilities":{"total":0}}}`, 2, "COULD NOT LOOK at the Go modules"},
		{"the registry has no audit", "0", `{"error":{"code":"ENOAUDIT"}}`, 2, "COULD NOT LOOK at the npm packages"},
		{"the registry answers a page", "0", `<!doctype html>`, 2, "COULD NOT LOOK at the npm packages"},
		{"the registry is away", "0", ``, 2, "COULD NOT LOOK at the npm packages"},
		{"a report that says nothing", "0", `null`, 2, "COULD NOT LOOK at the npm packages"},
		{"a number that is none", "0", `{"metadata":{"vulnerabilities":{"total":"many"}}}`, 2, "COULD NOT LOOK at the npm packages"},
		{"found beside what could not be seen", "3", ``, 1, "COULD NOT LOOK at the npm packages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			script := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				return path
			}
			checker := script("govulncheck", "exit "+c.status)
			if err := os.WriteFile(filepath.Join(dir, "report"), []byte(c.npm), 0o600); err != nil {
				t.Fatal(err)
			}
			script("npm", `cat "`+filepath.Join(dir, "report")+`"; exit 1`) // npm audit's own status says nothing
			cmd := exec.CommandContext(t.Context(), "tools/vuln", checker)
			cmd.Dir, cmd.Env = "../..", append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			got := 0
			if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
				got = failed.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if got != c.want || !strings.Contains(string(out), c.says) {
				t.Errorf("exit %d instead of %d: %.400s", got, c.want, out)
			}
			if got == 0 != strings.Contains(string(out), "nothing is known") {
				t.Errorf("exit %d says %.400s", got, out)
			}
		})
	}
}
