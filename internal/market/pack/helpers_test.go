package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/archive"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// zipped makes a zip of files, in the order of their names.
func zipped(t testing.TB, files map[string]string) *archive.Archive {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: stamp})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return opened(t, out.Bytes())
}

func opened(t testing.TB, b []byte) *archive.Archive {
	t.Helper()
	a, err := archive.Open(bytes.NewReader(b), int64(len(b)), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func parsed(t testing.TB, text string) any {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// refusedWith holds an error to a code and a reason, and its message to be for people.
func refusedWith(t testing.TB, err error, code errs.Code, reason string) {
	t.Helper()
	e, ok := errs.As(err)
	if !ok {
		t.Fatalf("%v is no error for people", err)
	}
	if e.Code != code || reason != "" && e.Data["reason"] != reason {
		t.Errorf("%s %v %q, want %s %s", e.Code, e.Data["reason"], e.Message, code, reason)
	}
	if e.Message == "" || strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' }) || len(e.Message) > 1500 {
		t.Errorf("message %q", e.Message)
	}
}

// samplePack is a small pack and its files.
func samplePack(t testing.TB) (Manifest, map[string]string) {
	t.Helper()
	sections := map[string]any{
		"personas":             parsed(t, `{"entries":{"園丁":{"system_prompt":"Grow <things> & wait","tools":null}},"runtime":{"persona_pool":["*"]}}`),
		"providers":            parsed(t, `{"openai/gpt-4.1":{"key":["***REDACTED***"],"temperature":1.50}}`),
		"conversation_history": parsed(t, `[]`),
	}
	m := Manifest{PackType: BotProfilePack, PackID: "profile/a", Version: "1.0.0", CreatedAt: "2026-08-21T00:00:00Z", HostVersion: "any", PluginCompat: ">=1.2, <2", Capabilities: []string{"provider.access", "file.read"}, Redaction: Redaction{Mode: "exclude_secrets", MaskPaths: []string{`providers["openai/gpt-4.1"].key[*]`}}}
	var out bytes.Buffer
	m, err := Write(&out, m, sections, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, read(t, out.Bytes())
}

// with is files with one changed; an empty text takes it away.
func with(files map[string]string, name, text string) map[string]string {
	out := maps.Clone(files)
	if out[name] = text; text == "" {
		delete(out, name)
	}
	return out
}

// edited is files with the manifest changed.
func edited(t testing.TB, files map[string]string, change func(m map[string]any)) map[string]string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(files[manifestFile]), &m); err != nil {
		t.Fatal(err)
	}
	change(m)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return with(files, manifestFile, string(text))
}

// stored is a zip without compression, for texts that compress too well.
func stored(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: stamp})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
