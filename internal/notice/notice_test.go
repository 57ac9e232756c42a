package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// NOTICE names everything that is compiled in, with its terms. `go run ./internal/notice` writes it.
func TestNoticeIsCurrent(t *testing.T) {
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(notice, []byte(goHead))
	have, pages, both := bytes.Cut(rest, []byte(npmHead))
	if !ok || !both {
		t.Fatal("a part is missing")
	}
	mods, err := modules(t.Context(), "../..")
	if err != nil || len(mods) < 40 {
		t.Fatal(len(mods), err)
	}
	want, err := section("", mods)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(have), bytes.TrimSpace(want)) {
		t.Error("the Go modules are not those that are compiled in: run `go run ./internal/notice`")
	}
	npm, err := packages(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range npm {
		if !strings.Contains(string(pages), "\n"+p.Path+" "+p.Version+"\n  ") {
			t.Errorf("%s %s is not in it: run `go run ./internal/notice`", p.Path, p.Version)
		}
	}
}
