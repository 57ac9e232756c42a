package main

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa/internal/apitest"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"stoa": main}) }

// onceIsEnough are the sessions that never open a database.
var onceIsEnough = []string{"completions.txt", "config.txt", "front.txt", "serve.txt", "version.txt"}

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
					Condition: func(cond string) (bool, error) {
						return cond == "sqlite" && database == "", nil
					},
					Setup: func(env *testscript.Env) error {
						env.Setenv("STOA_DATA", filepath.Join(env.WorkDir, "data"))
						env.Setenv("STOA_DATABASE", database)
						env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "settings"))
						if err := os.CopyFS(filepath.Join(env.WorkDir, "bots"), os.DirFS("testdata/bots")); err != nil {
							return err
						}
						env.Setenv("GORACE", "atexit_sleep_ms=0") // under -race every command would linger for a second
						return nil
					},
					Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "keep": keep, "blob": harm, "serving": startServer, "soon": soon, "edit": editZip, "bot": fakeBot, "pipeline": fakePipeline},
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

// serving: a server runs on a free port until the script ends; $SERVER is its address.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: serving")
	}
	serve := exec.Command("stoa", "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--log-level", "error")
	serve.Env = os.Environ()
	for _, name := range []string{"STOA_DATA", "STOA_DATABASE", "GORACE", "STOA_PUBLISH_ISSUERS"} {
		serve.Env = append(serve.Env, name+"="+ts.Getenv(name))
	}
	serve.Stderr = os.Stderr
	out, err := serve.StdoutPipe()
	ts.Check(err)
	ts.Check(serve.Start())
	ts.Defer(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Stoa is at ")
	if !ok {
		ts.Fatalf("greeting %q", line)
	}
	ts.Setenv("SERVER", address)
	go io.Copy(io.Discard, out)
}

// soon PATTERN COMMAND ARGS...: the output of the command fits after a while: a server sees what another process
// published within a second.
func soon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: soon PATTERN COMMAND ARGS...")
	}
	pattern := regexp.MustCompile("(?m)" + args[0])
	for end := time.Now().Add(30 * time.Second); ; {
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s: %v, and no %s", strings.Join(args[1:], " "), err, args[0])
		}
		<-time.After(100 * time.Millisecond) // another process's clock cannot be moved
	}
}

// edit FROM TO ENTRY OLD NEW: a copy of a zip in which a text of one entry is another.
func editZip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: edit FROM TO ENTRY OLD NEW")
	}
	from, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer from.Close()
	to, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer to.Close()
	w := zip.NewWriter(to)
	found := false
	for _, f := range from.File {
		in, err := f.Open()
		ts.Check(err)
		text, err := io.ReadAll(in)
		ts.Check(err)
		if f.Name == args[2] {
			found = strings.Contains(string(text), args[3])
			text = []byte(strings.ReplaceAll(string(text), args[3], args[4]))
		}
		out, err := w.Create(f.Name)
		ts.Check(err)
		_, err = out.Write(text)
		ts.Check(err)
	}
	ts.Check(w.Close())
	if !found {
		ts.Fatalf("%s does not hold %q", args[2], args[3])
	}
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
