package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/platform/backup"
	"stoa/internal/s3test"
)

// moveStore runs migrate-data store and gives what it printed.
func moveStore(t *testing.T, args ...string) backup.Moved {
	t.Helper()
	var printed struct {
		OK    bool
		Moved backup.Moved
	}
	code, out := stoa(t, append([]string{"migrate-data", "store", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &printed); code != 0 || err != nil || !printed.OK {
		t.Fatalf("%q: %d, %v: %s", args, code, err, out)
	}
	for _, table := range printed.Moved.Tables {
		if table.Source != table.Target {
			t.Errorf("%+v", table)
		}
	}
	return printed.Moved
}

// A store goes from SQLite and a folder to PostgreSQL and an object store and back, and is the same: its rows, its
// packages, what is found in it.
func TestMigrateStore(t *testing.T) {
	server := s3test.Start(t)
	t.Setenv("STOA_S3_ACCESS_KEY", s3test.Keys.Access)
	t.Setenv("STOA_S3_SECRET_KEY", s3test.Keys.Secret)
	engines := apitest.Engines(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	s.Market(t)
	dir := t.TempDir()
	first, home, address := filepath.Join(dir, "first"), filepath.Join(dir, "home"), server.Address("", "moved")
	moveStore(t, "--data", s.Data, "--to-data", first) // nobody writes to this one

	far := []string{"--to-data", filepath.Join(dir, "far"), "--to-blobs", address} // SQLite, where there is no PostgreSQL
	there := []string{"--data", filepath.Join(dir, "far"), "--blobs", address}
	if database := engines[len(engines)-1].NewDatabase(t); database != "" {
		far = []string{"--to-database", database, "--to-blobs", address}
		there = []string{"--data", filepath.Join(dir, "far"), "--database", database, "--blobs", address}
	}
	out := moveStore(t, append(far, "--data", first)...)
	if out.Already || out.Rows == 0 || out.Written != out.Rows || out.Blobs.Count == 0 || out.Blobs.Copied != out.Blobs.Count {
		t.Errorf("out: %+v", out)
	}
	if again := moveStore(t, append(far, "--from-data", first)...); !again.Already || again.Written != 0 || again.Blobs.Copied != 0 || !reflect.DeepEqual(again.Tables, out.Tables) {
		t.Errorf("again: %+v", again)
	}
	if code, said := stoa(t, append(there, "verify")...); code != 0 || !strings.Contains(said, "agrees with the catalog") {
		t.Errorf("verify there: %d\n%s", code, said)
	}
	back := moveStore(t, append(there, "--to-data", home)...)
	if !reflect.DeepEqual(back.Tables, out.Tables) || back.Digest != out.Digest || back.Blobs.SHA256 != out.Blobs.SHA256 || back.Blobs.Copied != out.Blobs.Count {
		t.Errorf("back: %+v\nnot: %+v", back, out)
	}
	if code, said := stoa(t, "verify", "--data", home); code != 0 || !strings.Contains(said, "agrees with the catalog") {
		t.Errorf("verify at home: %d\n%s", code, said)
	}
	other := filepath.Join(dir, "other")
	if code, _ := stoa(t, "member", "add", "erin", "--data", other); code != 0 {
		t.Fatal("there is no other store")
	}
	for what, args := range map[string][]string{
		"onto others' rows": {"--data", other, "--to-data", home},
		"onto itself":       {"--data", home, "--to-data", home},
		"nowhere":           {"--data", home, "--to-database", "postgres://nowhere"},
	} {
		if code, _ := stoa(t, append([]string{"migrate-data", "store"}, args...)...); code != 1 {
			t.Errorf("%s: %d", what, code)
		}
	}
	if code, _ := stoa(t, "verify", "--data", home); code != 0 {
		t.Error("what was refused has changed something")
	}
}

// A move that is killed leaves a store that no command opens, and the same command goes on with it.
func TestMigrateStoreKilled(t *testing.T) {
	server := s3test.Start(t)
	t.Setenv("STOA_S3_ACCESS_KEY", s3test.Keys.Access)
	t.Setenv("STOA_S3_SECRET_KEY", s3test.Keys.Secret)
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			from := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
			from.Market(t)
			from.App.Close() // or its upkeep would write between the two runs
			faults := server.Proxy(t)
			dir := filepath.Join(t.TempDir(), "new")
			database := e.NewDatabase(t)
			move := []string{"migrate-data", "store", "--data", from.Data, "--to-data", dir, "--to-database", database, "--to-blobs", server.Address(faults.Endpoint, e.Name)}
			there := []string{"--data", dir, "--database", database, "--blobs", server.Address("", e.Name)}

			faults.FailAfter(8, s3test.Hang) // when the place is open and some packages are there
			process := exec.Command("stoa", move...)
			process.Env = os.Environ()
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			<-faults.Failing()
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = process.Wait()
			faults.Fail(s3test.None, 0)
			for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off"}, {"doctor"}, {"verify"}, {"backup", filepath.Join(t.TempDir(), "b")}} {
				if code, _ := stoa(t, append(there, command...)...); code != 1 {
					t.Errorf("%q of half a store: %d", command, code)
				}
			}
			r := moveStore(t, move[2:]...)
			if r.Already || r.Written != 0 || r.Rows == 0 || r.Blobs.Count == 0 {
				t.Errorf("%+v", r)
			}
			if code, said := stoa(t, append(there, "verify")...); code != 0 {
				t.Errorf("verify: %d\n%s", code, said)
			}
		})
	}
}
