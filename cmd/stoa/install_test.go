package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// A server that means ill gets nothing onto the disk: whatever package it sends, the folder stays as it was.
func TestInstallFromAHostileServer(t *testing.T) {
	bundle := `{"template_id":"ada/x","version":"1.0.0","prompt":"p"}`
	for name, tc := range map[string]struct {
		zip    []byte
		digest string // "" for that of the zip
		want   string
	}{
		"traversal":       {apitest.Zip(t, map[string]string{"bundle.json": bundle, "../../evil.md": "x"}), "", "leads out of the folder"},
		"absolute":        {apitest.Zip(t, map[string]string{"bundle.json": bundle, "/tmp/evil.md": "x"}), "", "begins with"},
		"a name of ours":  {apitest.Zip(t, map[string]string{"bundle.json": bundle, "con.md": "x"}), "", "reserved by Windows"},
		"a bomb":          {apitest.Zip(t, map[string]string{"bundle.json": bundle, "zeros.md": strings.Repeat("0", 4<<20)}), "", "zip bomb"},
		"binary":          {apitest.Zip(t, map[string]string{"bundle.json": bundle, "run.exe": "\x00\x01"}), "", "is no text"},
		"other bytes":     {apitest.Zip(t, map[string]string{"bundle.json": bundle}), strings.Repeat("ab", 32), "do not fit the digest"},
		"no zip":          {[]byte("hello"), "", "no zip archive"},
		"another package": {apitest.Zip(t, map[string]string{"bundle.json": strings.Replace(bundle, "ada/x", "ada/y", 1)}), "", "not what was asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			sum := sha256.Sum256(tc.zip)
			digest := tc.digest
			if digest == "" {
				digest = hex.EncodeToString(sum[:])
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/download") {
					_, _ = w.Write(tc.zip)
					return
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "data": map[string]any{
					"template_id": "ada/x", "version": "1.0.0", "package_artifact": map[string]any{"sha256": digest, "size_bytes": len(tc.zip)},
				}})
			}))
			defer server.Close()
			dir := filepath.Join(t.TempDir(), "bot")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			var out, errOut bytes.Buffer
			code := run([]string{"install", "ada/x", dir, "--yes", "--no-register", "--server", server.URL, "--token", "t"}, nil, &out, &errOut)
			if code != 1 || !strings.Contains(errOut.String(), tc.want) {
				t.Errorf("exit code %d: %s", code, &errOut)
			}
			for _, place := range []string{dir, filepath.Dir(dir)} {
				if left, err := os.ReadDir(place); err != nil || place == dir && len(left) != 0 || len(left) > 1 {
					t.Errorf("%s holds %v %v", place, left, err)
				}
			}
		})
	}
}

// A version that is published between the look at the catalog and the download changes nothing: the package is asked for by the
// version whose digest was read.
func TestInstallWhileAVersionIsPublished(t *testing.T) {
	zips := map[string][]byte{}
	for _, version := range []string{"1.0.0", "2.0.0"} {
		zips[version] = apitest.Zip(t, map[string]string{"bundle.json": `{"template_id":"ada/x","version":"` + version + `","prompt":"p"}`})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/download") {
			_, _ = w.Write(zips[cmp.Or(r.URL.Query().Get("version"), "2.0.0")])
			return
		}
		sum := sha256.Sum256(zips["1.0.0"])
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "data": map[string]any{
			"template_id": "ada/x", "version": "1.0.0", "package_artifact": map[string]any{"sha256": hex.EncodeToString(sum[:]), "size_bytes": len(zips["1.0.0"])},
		}})
	}))
	defer server.Close()
	dir := t.TempDir()
	var out, errOut bytes.Buffer
	if code := run([]string{"install", "ada/x", dir, "--yes", "--no-register", "--server", server.URL, "--token", "t"}, nil, &out, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	got, err := os.ReadFile(filepath.Join(dir, "ada__x", "bundle.json"))
	if err != nil || !strings.Contains(string(got), `"version":"1.0.0"`) {
		t.Errorf("%s %v", got, err)
	}
}

// What lies in a folder is what the server calls installed: it is told when an item is taken out, comes back and is taken back.
func TestTheServerKnowsWhatAFolderHolds(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	zip := apitest.Zip(t, map[string]string{"bundle.json": `{"template_id":"ada/x","version":"1.0.0","prompt":"p"}`})
	sum := sha256.Sum256(zip)
	var told []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/download"):
			_, _ = w.Write(zip)
			return
		case strings.HasSuffix(r.URL.Path, "/install"), strings.HasSuffix(r.URL.Path, "/uninstall"):
			told = append(told, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "data": map[string]any{
			"template_id": "ada/x", "version": "1.0.0", "package_artifact": map[string]any{"sha256": hex.EncodeToString(sum[:]), "size_bytes": len(zip)},
		}})
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "bot")
	for _, args := range [][]string{{"ada/x", dir}, {"ada/x", dir, "--remove"}, {"--undo", dir}, {"--undo", dir}} {
		var out, errOut bytes.Buffer
		if code := run(append([]string{"install", "--yes", "--server", server.URL, "--token", "t"}, args...), nil, &out, &errOut); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, &errOut)
		}
	}
	if got := strings.Join(told, " "); got != "install uninstall install uninstall" {
		t.Errorf("the server was told %q", got)
	}
}

// A server that answers another item than the one asked for, or no whole digest, writes nothing; one whose item has an id
// that is the name of something else writes beside it.
func TestInstallWritesNowhereElse(t *testing.T) {
	type answer struct{ id, version, digest string }
	for _, tc := range []struct {
		asked string
		given answer // an empty field is as it should be
		want  string // "" when it is installed
	}{
		{"ada/x", answer{id: "data"}, "not what was asked for"},
		{"ada/x", answer{id: ".ssh"}, "not what was asked for"},
		{"ada/x", answer{id: ".git"}, "not what was asked for"},
		{"ada/x", answer{id: ".STOA"}, "not what was asked for"},
		{"ada/x", answer{id: ".."}, "not what was asked for"},
		{"ada/x", answer{id: "/etc/x"}, "not what was asked for"},
		{"ada/x", answer{id: "Ada/x"}, "not what was asked for"},
		{"ada/x", answer{id: "ada/x\u200b"}, "not what was asked for"},
		{"ada/x", answer{id: "а/x"}, "not what was asked for"},
		{"ada/x", answer{version: "2.0.0"}, "there is no version 1.0.0"},
		{"ada/x", answer{digest: "-"}, "64 hex digits"},
		{"ada/x", answer{digest: strings.Repeat("0", 63)}, "64 hex digits"},
		{"ada/x", answer{digest: strings.Repeat("0", 128)}, "64 hex digits"},
		{"data", answer{}, "was not made by Stoa"},
		{"other", answer{}, ""},
		{".ssh", answer{}, ""},
		{".git", answer{}, ""},
		{".STOA", answer{}, ""},
		{"..", answer{}, ""},
		{"/etc/x", answer{}, ""},
		{"carol__garden", answer{}, ""},
		{"con", answer{}, ""},
	} {
		t.Run(tc.asked+" "+tc.given.id+tc.given.version+tc.given.digest[:min(4, len(tc.given.digest))], func(t *testing.T) {
			id := cmp.Or(tc.given.id, tc.asked)
			bundle, err := json.Marshal(map[string]string{"template_id": id, "version": "1.0.0", "prompt": "p"})
			if err != nil {
				t.Fatal(err)
			}
			zip := apitest.Zip(t, map[string]string{"bundle.json": string(bundle), "cmd_config.json": "theirs", "config": "theirs", "lock.json": "theirs"})
			sum := sha256.Sum256(zip)
			digest := strings.TrimPrefix(cmp.Or(tc.given.digest, hex.EncodeToString(sum[:])), "-")
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/download") {
					_, _ = w.Write(zip)
					return
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "data": map[string]any{
					"template_id": id, "version": cmp.Or(tc.given.version, "1.0.0"), "package_artifact": map[string]any{"sha256": digest, "size_bytes": len(zip)},
				}})
			}))
			defer server.Close()
			dir := t.TempDir()
			mine := map[string]string{"data/cmd_config.json": "mine", ".ssh/config": "mine", ".git/config": "mine", "carol__garden/config": "mine", "config": "mine"}
			for name, text := range mine {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var out, errOut bytes.Buffer
			args := []string{"install", "--yes", "--no-register", "--server", server.URL, "--token", "t", "--version", "1.0.0", "--", tc.asked, dir}
			code := run(args, nil, &out, &errOut)
			if (code == 0) != (tc.want == "") || !strings.Contains(errOut.String(), tc.want) {
				t.Errorf("exit code %d: %s", code, &errOut)
			}
			for name, text := range mine {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
					t.Errorf("%s is now %q %v", name, got, err)
				}
			}
			after, err := os.ReadDir(dir)
			if want := len(before) + map[bool]int{true: 2}[code == 0]; err != nil || len(after) != want { // its folder and .stoa
				t.Errorf("%v %v", after, err)
			}
			if up, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(up) != 1 {
				t.Errorf("beside it: %v %v", up, err)
			}
			if code == 0 {
				if code := run([]string{"install", "--undo", dir}, nil, &out, &errOut); code != 0 {
					t.Error(errOut.String())
				}
				if undone, err := os.ReadDir(dir); err != nil || len(undone) != len(before) {
					t.Errorf("%v %v", undone, err)
				}
			}
		})
	}
}
