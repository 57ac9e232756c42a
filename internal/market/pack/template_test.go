package pack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/platform/errs"
)

const sampleBundle = `{"template_id":"a/b","version":"1.0.0","prompt":"You are <kind>.","tags":["x"],"locales":{"ja-JP":{"title":"題","description":"","prompt":"君"}},"provider_settings":{"model":"m"},"agent":null}`

func TestTemplateIsReadInOnePass(t *testing.T) {
	files := map[string]string{"a.txt": "first", bundleFile: sampleBundle, "z/notes.md": "last ü"}
	seen := map[string]*bytes.Buffer{}
	b, err := ReadTemplate(context.Background(), zipped(t, files), func(name string) io.Writer {
		if seen[name] != nil {
			t.Errorf("%s came twice", name)
		}
		seen[name] = &bytes.Buffer{}
		return seen[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if got := seen[name]; got == nil || got.String() != text {
			t.Errorf("%s: %v", name, got)
		}
	}
	if b.TemplateID != "a/b" || b.Prompt != "You are <kind>." || b.Locales["ja-JP"].Title != "題" {
		t.Errorf("bundle %+v", b)
	}
	if diff := cmp.Diff(map[string]any{"provider_settings": map[string]any{"model": "m"}, "agent": nil}, b.Other); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.txt", "z/notes.md"}, b.Files); diff != "" {
		t.Error(diff)
	}
}

func TestTemplateRefusals(t *testing.T) {
	one := func(name, text string) map[string]string {
		return map[string]string{bundleFile: sampleBundle, name: text}
	}
	bundle := func(text string) map[string]string { return map[string]string{bundleFile: text} }
	for name, c := range map[string]struct {
		files  map[string]string
		reason string
	}{
		"no bundle":     {map[string]string{"a.txt": "x"}, ReasonMissingFile},
		"in a folder":   {map[string]string{"t/bundle.json": sampleBundle}, ReasonMissingFile},
		"picture":       {one("a.png", "\x89PNG\r\n\x1a\n\x00\x00"), ReasonBinaryFile},
		"NUL":           {one("a.txt", "a\x00"), ReasonBinaryFile},
		"Latin-1":       {one("a.txt", "caf\xe9"), ReasonBinaryFile},
		"cut UTF-16":    {one("a.txt", "\xff\xfea\x00b"), ReasonBinaryFile},
		"half a pair":   {one("a.txt", "\xff\xfe\x00\xd8"), ReasonBinaryFile},
		"list":          {bundle(`[]`), ReasonBadBundle},
		"duplicate":     {bundle(`{"template_id":"a","template_id":"b","version":"1","prompt":"x"}`), ReasonBadBundle},
		"number prompt": {bundle(`{"template_id":"a","version":"1","prompt":3}`), ReasonBadBundle},
		"no prompt":     {bundle(`{"template_id":"a","version":"1","prompt":" "}`), ReasonBadBundle},
		"no id":         {bundle(`{"version":"1","prompt":"x"}`), ReasonBadBundle},
		"no version":    {bundle(`{"template_id":"a","prompt":"x"}`), ReasonBadBundle},
		"large":         {bundle(`{"template_id":"a","version":"1","prompt":"` + strings.Repeat("x y", maxBundleBytes/3) + `"}`), ReasonFileTooLarge},
		"many values":   {bundle(`{"template_id":"a","version":"1","prompt":"x","z":[` + strings.Repeat("1,", maxBundleValues) + `1]}`), ReasonTooManyValues},
	} {
		t.Run(name, func(t *testing.T) {
			if c.reason == ReasonFileTooLarge {
				_, err := ReadTemplate(context.Background(), opened(t, stored(t, c.files)), nil)
				refusedWith(t, err, errs.InvalidPackagePayload, c.reason)
				return
			}
			_, err := ReadTemplate(context.Background(), zipped(t, c.files), nil)
			refusedWith(t, err, errs.InvalidPackagePayload, c.reason)
		})
	}
}

func TestTemplateVariations(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"prompt_template": {bundleFile: `{"template_id":"a","version":"1","prompt":"","prompt_template":"x"}`},
		"only locales":    {bundleFile: `{"template_id":"a","version":"1","locales":{"en-US":{"title":"t","prompt":"x"}}}`},
		"byte order mark": {bundleFile: "\ufeff" + sampleBundle},
		"UTF-16 notes":    {bundleFile: sampleBundle, "note": "\xff\xfeh\x00i\x00"},
		"empty file":      {bundleFile: sampleBundle, "empty": ""},
		"one letter":      {bundleFile: sampleBundle, "a": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := ReadTemplate(context.Background(), zipped(t, files), nil)
			if err != nil {
				t.Fatal(err)
			}
			if name == "prompt_template" && b.Prompt != "x" {
				t.Errorf("prompt %q", b.Prompt)
			}
		})
	}
}

func TestTheCallersErrorEndsTheReading(t *testing.T) {
	mine := errors.New("mine")
	_, err := ReadTemplate(context.Background(), zipped(t, map[string]string{bundleFile: sampleBundle}), func(string) io.Writer { return failing{mine} })
	if !errors.Is(err, mine) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestTextCheckIsTheSameInPieces: however a text is cut, the answer is that for the whole.
func TestTextCheckIsTheSameInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.OneOf(rapid.String(), rapid.Just("日本語のテキスト"), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text"))
		if rapid.Bool().Draw(t, "wide") {
			units := utf16.Encode([]rune(string(text)))
			text = []byte{0xff, 0xfe}
			for _, u := range units {
				text = append(text, byte(u), byte(u>>8))
			}
		}
		check := func(pieces [][]byte) bool {
			var c textCheck
			for _, p := range pieces {
				if _, err := c.Write(p); err != nil {
					return false
				}
			}
			return c.end() == nil
		}
		var pieces [][]byte
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if whole, cut := check([][]byte{text}), check(pieces); whole != cut {
			t.Fatalf("%q: whole %v, in pieces %v", text, whole, cut)
		}
	})
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte(sampleBundle))
	f.Add([]byte(`{"template_id":"a","version":"1","prompt":"x","locales":null,"tags":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := ParseBundle(text); err != nil {
			refusedWith(t, err, errs.InvalidPackagePayload, "")
		}
	})
}
