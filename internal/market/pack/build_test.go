package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"stoa/internal/market/catalog"
)

func read(t testing.TB, b []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range r.File {
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(rc)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
	}
	return files
}

func TestTemplatePackage(t *testing.T) {
	d := &catalog.Document{
		Kind: catalog.KindTemplate, ID: "a/b", Version: "1.0.0", Tags: []string{"x"}, Maintainer: "ada", SourceLocale: "ja-JP",
		Locales: map[string]catalog.Text{"ja-JP": {Title: "題", Description: "説明", Prompt: "<あなた>"}, "zh-CN": {Title: "题", Prompt: "你"}},
	}
	first, err := Build(d)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := Build(d)
	if !bytes.Equal(first, second) || Digest(first) != Digest(second) {
		t.Error("the same document gave different bytes")
	}
	files := read(t, first)
	var b map[string]any
	if err := json.Unmarshal([]byte(files["bundle.json"]), &b); err != nil {
		t.Fatal(err)
	}
	if b["template_id"] != "a/b" || b["prompt"] != "<あなた>" || len(b["locales"].(map[string]any)) != 2 {
		t.Errorf("bundle %v", b)
	}
	if files["README.txt"] == "" || len(files) != 2 {
		t.Errorf("files %v", files)
	}
}

func TestProfilePackage(t *testing.T) {
	d := &catalog.Document{Kind: catalog.KindProfilePack, ID: "profile/x", Version: "1.0.0", Pack: &catalog.Pack{
		PackType: "bot_profile_pack", RedactionMode: "exclude_secrets", Capabilities: []string{"file.read"},
		Sections: map[string]json.RawMessage{"personas": json.RawMessage(`{ "b": 1.50, "a": "<&é>" }`), "astrbot_core": json.RawMessage(`{}`)},
	}}
	b, err := Build(d)
	if err != nil {
		t.Fatal(err)
	}
	files := read(t, b)
	if got := files["sections/personas.json"]; got != `{"a":"<&é>","b":1.50}` {
		t.Errorf("section %s", got)
	}
	var m Manifest
	if err := json.Unmarshal([]byte(files["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	if m.Hashes["sections/personas.json"] != Digest([]byte(files["sections/personas.json"])) || len(m.Hashes) != 2 {
		t.Errorf("hashes %v", m.Hashes)
	}
	d.Pack.Sections["personas"] = json.RawMessage(`{`)
	if _, err := Build(d); err == nil {
		t.Error("a broken section was packed")
	}
}

func TestFilename(t *testing.T) {
	for id, want := range map[string]string{"a/b": "a__b-1.0.0.zip", "é\r\n\"x": "____x-1.0.0.zip", "../..": "_.__..-1.0.0.zip", ".ssh": "_ssh-1.0.0.zip"} {
		if got := Filename(id, "1.0.0"); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
}
