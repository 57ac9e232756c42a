package apitest

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
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

// StoredTemplatePackage is TemplatePackage with its files stored, not packed.
func StoredTemplatePackage(t testing.TB, id, version, prompt string, files map[string]string) []byte {
	t.Helper()
	bundle, err := json.Marshal(map[string]any{"template_id": id, "version": version, "prompt": prompt})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"bundle.json"}
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		text := files[name]
		if name == "bundle.json" {
			text = string(bundle)
		}
		f, err := w.CreateRaw(&zip.FileHeader{
			Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(text)), CompressedSize64: uint64(len(text)), UncompressedSize64: uint64(len(text)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
