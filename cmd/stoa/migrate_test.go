package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/s3test"
)

// stoa runs a command and gives its exit code and what it printed.
func stoa(t *testing.T, args ...string) (code int, printed string) {
	t.Helper()
	var out, problems bytes.Buffer
	code = run(args, nil, &out, &problems)
	if code != 0 {
		t.Logf("%q: %s", args, problems.String())
	}
	return code, out.String()
}

// The packages of a store move into an object store and back, and every command works on them there.
func TestMigrateBlobs(t *testing.T) {
	server := s3test.Start(t)
	t.Setenv("STOA_S3_ACCESS_KEY", s3test.Keys.Access)
	t.Setenv("STOA_S3_SECRET_KEY", s3test.Keys.Secret)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	address, back := server.Address("", "moved"), filepath.Join(t.TempDir(), "back")
	moved := func(from, to string) (done struct{ Blobs, There, Copied int }) {
		code, out := stoa(t, "migrate-data", "blobs", "--from", from, "--to", to, "--json")
		if err := json.Unmarshal([]byte(out), &done); code != 0 || err != nil {
			t.Fatalf("%d: %s", code, out)
		}
		return done
	}
	first := moved(s.BlobDir, address)
	if first.Blobs == 0 || first.Copied != first.Blobs {
		t.Errorf("first: %+v", first)
	}
	if again := moved(s.BlobDir, address); again.Copied != 0 || again.There != first.Blobs {
		t.Errorf("again: %+v", again)
	}
	if code, out := stoa(t, "doctor", "--data", s.Data, "--blobs", address); code != 0 || !strings.Contains(out, "0 bad") {
		t.Errorf("doctor: %d\n%s", code, out)
	}
	if home := moved(address, back); home.Copied != first.Blobs {
		t.Errorf("back: %+v", home)
	}
	if code, _ := stoa(t, "migrate-data", "blobs", "--from", filepath.Join(t.TempDir(), "nowhere"), "--to", address); code != 1 {
		t.Errorf("a source that there is not: %d", code)
	}
	for _, blobs := range []string{address, "s3://key:" + s3test.Keys.Secret + "@bucket"} {
		if code, out := stoa(t, "config", "--blobs", blobs); code != 0 || strings.Contains(out, s3test.Keys.Secret) || strings.Contains(out, s3test.Keys.Access) {
			t.Errorf("config: %d\n%s", code, out)
		}
	}
	if code, _ := stoa(t, "doctor", "--data", t.TempDir(), "--blobs", "s3://bucket?endpoint=x&acess=1"); code != 1 {
		t.Errorf("a misspelt address: %d", code)
	}
}
