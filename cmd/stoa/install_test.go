package main

import (
	"bytes"
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
