package apitest

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"sort"
	"testing"
)

// Zip packs files, in the order of their names.
func Zip(t testing.TB, files map[string]string) []byte {
	t.Helper()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		f, err := w.Create(name)
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

// TemplatePackage is a template's zip with a bundle.json and whatever files are given beside it.
func TemplatePackage(t testing.TB, id, version, prompt string, files map[string]string) []byte {
	t.Helper()
	bundle, err := json.Marshal(map[string]any{"template_id": id, "version": version, "prompt": prompt, "title": "Title of " + id, "tags": []string{"letters"}, "category": "writing"})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"bundle.json": string(bundle)}
	for name, text := range files {
		all[name] = text
	}
	return Zip(t, all)
}

// Base64 is how requests carry bytes.
func Base64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
