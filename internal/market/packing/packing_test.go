package packing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/redact/detect"
	"stoa/internal/platform/errs"
)

var engine = redact.New()

// setup reads a configuration with some secrets in it.
func setup(t testing.TB, extra string) *botimport.Draft {
	t.Helper()
	text := `{"provider_settings":{"default_personality":"g"},"persona":[{"name":"g","prompt":"You garden."}],
		"provider_sources":[{"id":"openai","key":["sk-ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72"],"proxy":"http://u:148de9c5a7a44d@10.0.0.2:7890"}]` + extra + `}`
	d, err := botimport.Read(context.Background(), "cmd_config.json", "", strings.NewReader(text), int64(len(text)), archive.Local)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t testing.TB, p *Pack) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := p.Prove(context.Background(), bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func profile(t testing.TB, zip []byte) *pack.Profile {
	t.Helper()
	a, err := archive.Open(bytes.NewReader(zip), int64(len(zip)), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pack.ReadProfile(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPackIsRedactedAndDeterministic(t *testing.T) {
	o := Options{PackID: "ada/g", Version: "1.0.0", Mode: redact.ExcludeSecrets, Listing: Listing{Title: "Garden", Tags: []string{"plants"}}}
	first, err := New(engine, setup(t, ""), o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := New(engine, setup(t, ""), o)
	if err != nil {
		t.Fatal(err)
	}
	zip := written(t, first)
	if !bytes.Equal(zip, written(t, second)) {
		t.Error("the same setup gave other bytes")
	}
	p := profile(t, zip)
	want := []string{"environment_manifest.provider_sources[0].key[0]", "environment_manifest.provider_sources[0].proxy"}
	if diff := cmp.Diff(want, Blanks(p.Sections)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(o.Listing, ListingOf(p.Sections)); diff != "" {
		t.Error(diff)
	}
	if p.Manifest.PackID != "ada/g" || first.Leaves.Totals.Masked != 2 || first.Fields.Outcomes[botimport.MappedRedacted] != 2 {
		t.Errorf("%+v %+v", p.Manifest, first.Leaves.Totals)
	}
	if err := Check(context.Background(), engine, bytes.NewReader(zip), int64(len(zip))); err != nil {
		t.Error(err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		o    Options
		code errs.Code
	}{
		"mask that fits nothing": {Options{Mode: redact.ExcludeSecrets, Mask: []string{"personas.entries.nobody"}}, errs.InvalidRedactionPath},
		"drop that fits nothing": {Options{Mode: redact.ExcludeSecrets, Drop: []string{"skills.none"}}, errs.InvalidRedactionPath},
		"nothing is left":        {Options{Mode: redact.ExcludeSecrets, Sections: []string{"personas"}, Drop: []string{"personas"}}, errs.InvalidProfileSection},
		"no such section":        {Options{Mode: redact.ExcludeSecrets, Sections: []string{"skills"}}, errs.InvalidProfileSection},
		"no such item":           {Options{Mode: redact.ExcludeSecrets, Items: []string{"personas.entries.x"}}, errs.InvalidProfileSectionPath},
		"no recipient":           {Options{Mode: redact.IncludeEncryptedSecrets}, errs.EncryptionKeyRequired},
		"no mode":                {Options{Mode: "some"}, errs.InvalidRequest},
	} {
		if _, err := New(engine, setup(t, ""), tc.o); errs.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	p, err := New(engine, setup(t, ""), Options{PackID: "\x01", Mode: redact.ExcludeSecrets})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(&bytes.Buffer{}); errs.CodeOf(err) != errs.InvalidProfilePackPayload {
		t.Error(err)
	}
}

// A pack that somebody filled with secrets is found out, by place and without the value.
func TestCheckFindsSecrets(t *testing.T) {
	d := setup(t, "")
	var out bytes.Buffer
	if _, err := pack.Write(&out, d.Manifest("", "exclude_secrets"), d.Sections, nil); err != nil {
		t.Fatal(err)
	}
	err := Check(context.Background(), engine, bytes.NewReader(out.Bytes()), int64(out.Len()))
	e, ok := errs.As(err)
	if !ok || e.Code != errs.SecretsDetected || len(e.Details) != 2 {
		t.Fatal(err)
	}
	text := fmt.Sprint(e, e.Details)
	if !strings.Contains(text, "environment_manifest.provider_sources[0].key[0]") || strings.Contains(text, "sk-ca97") {
		t.Error(text)
	}
}

func TestSealAndFill(t *testing.T) {
	identity, recipient, err := redact.GenerateIdentity()
	if err != nil {
		t.Fatal(err)
	}
	d := setup(t, `,"platform":[{"id":"tg","type":"telegram","telegram_token":"7123456789:AAe9ed69a6ea08507ea7f2d93985c23588c"}]`)
	p, err := New(engine, d, Options{PackID: "ada/g", Version: "1.0.0", Mode: redact.IncludeEncryptedSecrets, Recipient: recipient})
	if err != nil {
		t.Fatal(err)
	}
	zip := written(t, p)
	read := profile(t, zip)
	secrets, err := Open(read, identity)
	if err != nil {
		t.Fatal(err)
	}
	filled, left, err := Fill(read.Sections, secrets)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	if diff := cmp.Diff(text(t, d.Sections), text(t, filled)); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(text(t, read.Sections), "sk-ca97") {
		t.Error("filling changed what it was given")
	}
	// Packing a sealed pack again keeps its secrets sealed, under its id alone.
	again, err := botimport.Read(context.Background(), "g.zip", "", bytes.NewReader(zip), int64(len(zip)), archive.Local)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = New(engine, again, Options{Version: "1.0.1", Mode: redact.IncludeEncryptedSecrets}); err != nil || !bytes.Equal(p.Sealed, read.Sealed) {
		t.Error(err)
	}
	if _, err := Open(profile(t, written(t, p)), identity); err != nil {
		t.Error(err)
	}
	if _, err = New(engine, again, Options{PackID: "ada/other", Mode: redact.IncludeEncryptedSecrets}); errs.CodeOf(err) != errs.InvalidProfilePackPayload {
		t.Error(err)
	}
	// Sealed secrets that were moved into another pack are not opened.
	read.Manifest.PackID = "bob/g"
	if _, err := Open(read, identity); errs.CodeOf(err) != errs.InvalidProfilePackPayload {
		t.Error(err)
	}
	read.Sealed = nil
	if _, err := Open(read, identity); errs.CodeOf(err) != errs.InvalidRequest {
		t.Error(err)
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Whatever values stand at the marks, filling puts each where it was; what has no mark is left and named.
func TestFillPutsEachValueInItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.Just(detect.Sealed), rapid.Just("a"+detect.Sealed+"b"))
		sections, want := map[string]any{}, map[string]any{}
		var s redact.Secrets
		for i := range rapid.IntRange(0, 4).Draw(t, "texts") {
			key := fmt.Sprintf("k %d", i)
			masked, plain := "", ""
			for range rapid.IntRange(1, 3).Draw(t, "marks") {
				v := value.Draw(t, "value")
				between := rapid.StringMatching(`[a-z:/@ ]{0,5}`).Draw(t, "between")
				masked += between + detect.Sealed
				plain += between + v
				s.Entries = append(s.Entries, redact.Secret{Path: pack.AppendIndex(pack.AppendKey("personas", key), 0), Value: v})
			}
			sections[key], want[key] = []any{masked}, []any{plain}
		}
		s.Entries = append(s.Entries, redact.Secret{Path: "personas.gone", Value: "x"})
		filled, left, err := Fill(map[string]any{"personas": sections}, s)
		if err != nil || !slices.Equal(left, []string{"personas.gone"}) {
			t.Fatal(left, err)
		}
		if diff := cmp.Diff(map[string]any{"personas": want}, filled); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFillKeys(t *testing.T) {
	in := map[string]any{"providers": map[string]any{detect.Sealed: map[string]any{"model": detect.Sealed}}}
	s := redact.Secrets{Entries: []redact.Secret{
		{Path: `providers["` + detect.Sealed + `"]`, Value: "sk-key", Key: true}, {Path: `providers["` + detect.Sealed + `"].model`, Value: "m"},
	}}
	filled, left, err := Fill(in, s)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	if diff := cmp.Diff(map[string]any{"providers": map[string]any{"sk-key": map[string]any{"model": "m"}}}, filled); diff != "" {
		t.Error(diff)
	}
}

func TestTemplateFolder(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	zip := func() []byte {
		t.Helper()
		f, err := botimport.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var out bytes.Buffer
		if err := pack.WriteTemplate(&out, f); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	put("bundle.json", `{"template_id":"ada/x","version":"1.0.0","prompt":"Hello from https://example.com."}`)
	put("notes/a.md", "A note.")
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	put("screenshots/a.png", drawn.String())
	put(".env", "API_KEY=sk-ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72")
	out := zip()
	made, err := CheckTemplate(context.Background(), engine, bytes.NewReader(out), int64(len(out)))
	if err != nil || made.Bundle.TemplateID != "ada/x" || !slices.Equal(made.Bundle.Files, []string{"notes/a.md"}) || made.Leaves.Totals.Hosts != 1 {
		t.Fatalf("%+v %v", made, err)
	}
	if parts := made.Leaves.Sections; !slices.ContainsFunc(parts, func(s disclosure.Section) bool { return s.Name == "screenshots/a.png" && s.Size == int64(drawn.Len()) }) {
		t.Errorf("the picture leaves unnamed: %+v", parts)
	}
	if !bytes.Equal(out, zip()) {
		t.Error("the same folder gave other bytes")
	}
	put("notes/b.md", "key: sk-ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72")
	out = zip()
	_, err = CheckTemplate(context.Background(), engine, bytes.NewReader(out), int64(len(out)))
	if e, ok := errs.As(err); !ok || e.Code != errs.SecretsDetected || !strings.HasPrefix(e.Details[0].Field, "notes/b.md:1:") {
		t.Errorf("%v", err)
	}
	put("notes/b.md", "\x00")
	out = zip()
	if _, err = CheckTemplate(context.Background(), engine, bytes.NewReader(out), int64(len(out))); errs.CodeOf(err) != errs.InvalidPackagePayload {
		t.Error(err)
	}
}

// What the redaction misses, the second proof refuses, wherever it stands; names of files are searched too.
func TestSecondProof(t *testing.T) {
	secret := strings.Join([]string{"Zq7", "m2Wx", "9Kp4", "tRv8"}, "")
	d := setup(t, "")
	d.Sections["providers"] = map[string]any{"a": map[string]any{"type": "x", "key": []any{secret}}}
	p, err := New(engine, d, Options{Mode: redact.ExcludeSecrets})
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{secret, strings.ToUpper(secret), secret[:7] + " " + secret[7:]} {
		p.Sections["personas"] = map[string]any{"g": "Say " + leak + " to them."}
		p.known = nil // as if the redaction had never heard of it
		var out bytes.Buffer
		if err := p.Write(&out); err != nil {
			t.Fatal(err)
		}
		err := p.Prove(context.Background(), bytes.NewReader(out.Bytes()), int64(out.Len()))
		if e, ok := errs.As(err); !ok || e.Code != errs.SecretsDetected || !strings.Contains(fmt.Sprint(e.Details), "personas.g") || strings.Contains(fmt.Sprint(e, e.Details), leak) {
			t.Errorf("%v", err)
		}
		if err := p.ProveText("title", []byte("my "+leak)); errs.CodeOf(err) != errs.SecretsDetected {
			t.Errorf("in a title: %v", err)
		}
	}
	if leaks := Names(engine, []string{"a.md", "tools/gh" + "p_" + strings.Repeat("aB3x", 9) + ".md"}, nil); len(leaks) != 1 || leaks[0].Line != 2 {
		t.Errorf("the name of a file: %v", leaks)
	}
}

// Pictures for the page of a pack travel in it, with nothing beside what they show, and come along when it is packed again.
func TestPicturesTravelInAPack(t *testing.T) {
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 9, 7))); err != nil {
		t.Fatal(err)
	}
	at := drawn.Len() - 12 // before IEND
	said := "\x00\x00\x00\x0ctEXtPlace\x00Lisbon\x00\x00\x00\x00"
	tagged := drawn.String()[:at] + said + drawn.String()[at:]
	one, err := pack.NewPicture("one.png", []byte(tagged))
	if err != nil || !bytes.Equal(one.Content, drawn.Bytes()) {
		t.Fatalf("%v", err)
	}
	o := Options{PackID: "ada/g", Version: "1.0.0", Mode: redact.ExcludeSecrets, Pictures: []pack.Picture{one}}
	made, err := New(engine, setup(t, ""), o)
	if err != nil {
		t.Fatal(err)
	}
	zip := written(t, made)
	if got := profile(t, zip).Pictures; !cmp.Equal(got, o.Pictures) || got[0].Name != "screenshots/one.png" {
		t.Errorf("%+v", got)
	}
	if !slices.ContainsFunc(made.Leaves.Sections, func(s disclosure.Section) bool { return s.Name == one.Name && s.SHA256 == one.SHA256 }) {
		t.Errorf("%+v", made.Leaves.Sections)
	}
	d, err := botimport.Read(context.Background(), "g.zip", "", bytes.NewReader(zip), int64(len(zip)), archive.Local)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(engine, d, Options{Version: "1.0.1", Mode: redact.ExcludeSecrets})
	if err != nil {
		t.Fatal(err)
	}
	if got := profile(t, written(t, again)).Pictures; !cmp.Equal(got, o.Pictures) {
		t.Errorf("packed again: %+v", got)
	}
	refused := func(what string, pictures ...pack.Picture) {
		t.Helper()
		o.Pictures = pictures
		made, err := New(engine, setup(t, ""), o)
		if err == nil {
			var out bytes.Buffer
			if err = made.Write(&out); err == nil {
				err = made.Prove(context.Background(), bytes.NewReader(out.Bytes()), int64(out.Len()))
			}
		}
		if e, ok := errs.As(err); !ok || e.Code != errs.InvalidProfilePackPayload || e.Data["reason"] != pack.ReasonPicture {
			t.Errorf("%s: %v", what, err)
		}
	}
	many := make([]pack.Picture, 6)
	for i := range many {
		many[i] = one
		many[i].Name = fmt.Sprintf("screenshots/%d.png", i)
	}
	refused("six pictures", many...)
	refused("a text", pack.Picture{Name: "screenshots/a.png", Content: []byte("no picture")})
	refused("more than it shows", pack.Picture{Name: "screenshots/a.png", Content: []byte(tagged)})
	for _, name := range []string{"one.svg", "../one.png"} {
		if p, err := pack.NewPicture(name, drawn.Bytes()); err == nil {
			t.Errorf("%s: %+v", name, p.Name)
		}
	}
}
