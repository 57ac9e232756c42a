package pack

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

func TestWriteAndReadAreInverse(t *testing.T) {
	m, files := samplePack(t)
	p, err := ReadProfile(context.Background(), zipped(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, p.Manifest); diff != "" {
		t.Error(diff)
	}
	var first, second bytes.Buffer
	if _, err := Write(&first, p.Manifest, p.Sections, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(&second, m, p.Sections, nil); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("not the same bytes: %v", err)
	}
	if diff := cmp.Diff(files, read(t, first.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestSealedSecretsTravel(t *testing.T) {
	m, files := samplePack(t)
	m.Redaction.Mode = "include_encrypted_secrets"
	sealed := []byte(ageHeader + "\nxyz\n-----END AGE ENCRYPTED FILE-----\n")
	p, err := ReadProfile(context.Background(), zipped(t, files))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Write(&out, m, p.Sections, sealed); err != nil {
		t.Fatal(err)
	}
	if p, err = ReadProfile(context.Background(), opened(t, out.Bytes())); err != nil || !bytes.Equal(p.Sealed, sealed) {
		t.Errorf("sealed %q, %v", p.Sealed, err)
	}
	m.Redaction.Mode = "exclude_secrets"
	if _, err := Write(&out, m, p.Sections, sealed); err == nil {
		t.Error("sealed secrets in a pack that excludes them")
	}
}

func TestManifestRules(t *testing.T) {
	_, files := samplePack(t)
	set := func(key string, v any) func(map[string]any) { return func(m map[string]any) { m[key] = v } }
	policy := func(key string, v any) func(map[string]any) {
		return func(m map[string]any) { m["redaction_policy"].(map[string]any)[key] = v }
	}
	digest := strings.Repeat("ab", 32)
	for name, change := range map[string]func(map[string]any){
		"unknown field":         set("extra", 1),
		"pack type":             set("pack_type", "other"),
		"pack type of a number": set("pack_type", 3),
		"no id":                 set("pack_id", " "),
		"control in id":         set("pack_id", "a\nb"),
		"long version":          set("version", strings.Repeat("1", 65)),
		"no sections":           set("sections", []string{}),
		"unknown section":       set("sections", []string{"personas", "secrets"}),
		"section twice":         set("sections", []string{"personas", "personas"}),
		"capability":            set("capabilities", []string{"root"}),
		"plugin_compat":         set("plugin_compat", ">= ,"),
		"mode":                  policy("mode", "none"),
		"mask path":             policy("mask_paths", []string{"providers."}),
		"mask path elsewhere":   policy("drop_paths", []string{"nowhere.key"}),
		"policy field":          policy("more", true),
		"no hashes":             set("hashes", map[string]string{}),
		"hash too many":         func(m map[string]any) { m["hashes"].(map[string]any)["sections/skills.json"] = digest },
		"hash of no digest":     func(m map[string]any) { m["hashes"].(map[string]any)["sections/personas.json"] = "abc" },
		"signature shape":       set("signature", map[string]any{"algorithm": "hmac-sha256", "key_id": "k", "value": "zz"}),
		"signature field":       set("signature", map[string]any{"algorithm": "hmac-sha256", "key_id": "k", "value": digest, "x": 1}),
		"extension pack":        set("pack_type", ExtensionPack),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadProfile(context.Background(), zipped(t, edited(t, files, change)))
			refusedWith(t, err, errs.InvalidProfilePackPayload, ReasonBadManifest)
		})
	}
}

func TestProfileRefusals(t *testing.T) {
	_, files := samplePack(t)
	wide := `{"a":[` + strings.Repeat("0,", maxPackValues) + `0]}`
	for name, c := range map[string]struct {
		files  map[string]string
		reason string
	}{
		"no manifest":         {with(files, manifestFile, ""), ReasonMissingFile},
		"in a folder":         {map[string]string{"pack/manifest.json": files[manifestFile]}, ReasonMissingFile},
		"manifest no JSON":    {with(files, manifestFile, "{"), ReasonBadManifest},
		"duplicate key":       {with(files, manifestFile, strings.Replace(files[manifestFile], `"version"`, `"version":"0","version"`, 1)), ReasonBadManifest},
		"section missing":     {with(files, "sections/personas.json", ""), ReasonMissingFile},
		"section changed":     {with(files, "sections/personas.json", `{"entries":{}}`), ReasonHashMismatch},
		"section broken":      {with(files, "sections/personas.json", `{"entries":`), ReasonBadSection},
		"section twice keyed": {with(files, "sections/personas.json", `{"a":1,"a":1}`), ReasonBadSection},
		"section a list":      {with(files, "sections/personas.json", `[]`), ReasonBadSection},
		"history an object":   {with(files, "sections/conversation_history.json", `{}`), ReasonBadSection},
		"section deep":        {with(files, "sections/personas.json", strings.Repeat(`{"a":`, 70)+"1"+strings.Repeat("}", 70)), ReasonBadSection},
		"endless names":       {with(files, "sections/personas.json", `{"`+strings.Repeat("k", MaxPath)+`":{"a":1,"b":2}}`), ReasonBadSection},
		"too many values":     {with(files, "sections/personas.json", wide), ReasonTooManyValues},
		"unlisted section":    {with(files, "sections/skills.json", `{}`), ReasonUnexpectedFile},
		"code":                {with(files, "setup.py", "print()"), ReasonUnexpectedFile},
		"README in a folder":  {with(files, "docs/README.md", "x"), ReasonUnexpectedFile},
		"binary README":       {with(files, "README.md", "a\x00b"), ReasonBinaryFile},
		"secrets":             {with(files, SecretsFile, "x"), ReasonUnexpectedFile},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadProfile(context.Background(), zipped(t, c.files))
			refusedWith(t, err, errs.InvalidProfilePackPayload, c.reason)
		})
	}
}

func TestProfileVariations(t *testing.T) {
	_, files := samplePack(t)
	for name, files := range map[string]map[string]string{
		"notes":         with(with(files, "README.md", "hello"), "LICENSE", "free"),
		"bytes of mark": with(files, manifestFile, "\ufeff"+files[manifestFile]),
		"spaced section": with(files, "sections/providers.json", `{
			"openai/gpt-4.1": {"temperature": 1.50, "key": ["***REDACTED***"]} }`),
		"upper-case hash": edited(t, files, func(m map[string]any) {
			hashes := m["hashes"].(map[string]any)
			hashes["sections/personas.json"] = strings.ToUpper(hashes["sections/personas.json"].(string))
		}),
		"signature": edited(t, files, func(m map[string]any) {
			m["signature"] = map[string]any{"algorithm": "hmac-sha256", "key_id": "k", "value": strings.Repeat("ab", 32)}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := ReadProfile(context.Background(), zipped(t, files))
			if err != nil {
				t.Fatal(err)
			}
			if got := Codes(Diagnose(p.Manifest, p.Sections, Host{})); (name == "signature") != (len(got) == 1) {
				t.Errorf("issues %v", got)
			}
		})
	}
}

func TestIsProfile(t *testing.T) {
	_, files := samplePack(t)
	if !IsProfile(zipped(t, files)) {
		t.Error("a pack was not known")
	}
	if IsProfile(zipped(t, map[string]string{manifestFile: `{"version":"1.1","astrbot_version":"4.25.0"}`})) {
		t.Error("a backup was taken for a pack")
	}
}

func TestWriteRefusesWhatCouldNotBeRead(t *testing.T) {
	m, _ := samplePack(t)
	for name, sections := range map[string]map[string]any{
		"no section":    {},
		"unknown":       {"secrets": map[string]any{}},
		"shape":         {SectionPersonas: []any{}},
		"no JSON":       {SectionPersonas: map[string]any{"a": func() {}}},
		"endless names": {SectionPersonas: map[string]any{strings.Repeat("k", MaxPath): map[string]any{"a": nil}}},
		"values":        {SectionPersonas: map[string]any{"a": make([]any, maxPackValues)}},
		"bytes":         {SectionPersonas: map[string]any{"a": strings.Repeat("x", maxSectionBytes)}},
	} {
		if _, err := Write(&bytes.Buffer{}, m, sections, nil); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestCountIsAnUpperBound(t *testing.T) {
	for text, want := range map[string]int{`{}`: 2, `[1,2,3]`: 4, `{"a,b":"[,]\",","c":[{}]}`: 5, `"x"`: 1} {
		if got := countValues([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// FuzzManifest: no manifest panics, and what is taken can be written and read again.
func FuzzManifest(f *testing.F) {
	_, files := samplePack(f)
	f.Add([]byte(files[manifestFile]))
	f.Add([]byte(`{"pack_type":"extension_pack","pack_id":"a","version":"1","sections":["skills"],"redaction_policy":{"mode":"exclude_secrets"},"hashes":{"sections/skills.json":"` + strings.Repeat("0", 64) + `"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseManifest(text)
		if err != nil {
			refusedWith(t, err, errs.InvalidProfilePackPayload, "")
			return
		}
		again, err := strictjson.Canonical(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseManifest(again); err != nil {
			t.Fatalf("%s was refused: %v", again, err)
		}
	})
}

// FuzzSection: no section panics, and what fits its hash reads as it was written.
func FuzzSection(f *testing.F) {
	m, files := samplePack(f)
	for _, name := range m.Sections {
		f.Add(files[sectionFile(name)])
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Profile{Manifest: m, Sections: map[string]any{}}
		values := 0
		if err := p.readSection(memory{sectionFile("personas"): text}, "personas", &values); err != nil {
			refusedWith(t, err, errs.InvalidProfilePackPayload, "")
		}
	})
}
