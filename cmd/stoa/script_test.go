package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa/internal/apitest"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"stoa": main}) }

// onceIsEnough are the sessions that never open a database.
var onceIsEnough = []string{"config.txt", "serve.txt", "version.txt"}

// TestScripts plays every session of testdata/script, those that need a database on every engine.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scripts", err)
	}
	for _, e := range apitest.Engines(t) {
		for _, file := range files {
			if e.Name != "sqlite" && slices.Contains(onceIsEnough, filepath.Base(file)) {
				continue
			}
			t.Run(e.Name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				database := e.NewDatabase(t)
				testscript.Run(t, testscript.Params{
					Files: []string{file},
					Setup: func(env *testscript.Env) error {
						env.Setenv("STOA_DATA", filepath.Join(env.WorkDir, "data"))
						env.Setenv("STOA_DATABASE", database)
						env.Setenv("GORACE", "atexit_sleep_ms=0") // under -race every command would linger for a second
						return nil
					},
					Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "keep": keep, "blob": harm},
				})
			})
		}
	}
}

// exits CODE COMMAND ARGS...: the command ends with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// keep NAME PATTERN: what the pattern's group matches in the last output becomes $NAME.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep NAME PATTERN")
	}
	match := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if match == nil {
		ts.Fatalf("%s is not in the output", args[1])
	}
	ts.Setenv(args[0], match[1])
}

// blob lose|damage: removes one stored package, or changes its bytes.
func harm(ts *testscript.TestScript, neg bool, args []string) {
	var found string
	ts.Check(filepath.WalkDir(filepath.Join(ts.Getenv("STOA_DATA"), "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = path
		}
		return err
	}))
	switch {
	case neg || len(args) != 1 || found == "":
		ts.Fatalf("usage: blob lose|damage, with a package stored")
	case args[0] == "lose":
		ts.Check(os.Remove(found))
	case args[0] == "damage":
		ts.Check(os.WriteFile(found, []byte("not a zip"), 0o600))
	}
}
