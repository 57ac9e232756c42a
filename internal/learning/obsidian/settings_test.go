package obsidian

import (
	"strings"
	"testing"
)

func read(files map[string]string) Vaults {
	v := Vaults{}
	for file, content := range files {
		if note, ok := NoteOfSettings(file, content); ok {
			v.Add(file, note)
		}
	}
	return v
}

func TestSettingsOfVaults(t *testing.T) {
	v := read(map[string]string{
		"A/.obsidian/templates.json":                                   `{"folder": "Extras\\Vorlagen/", "dateFormat": "x"}`,
		"A/.obsidian/plugins/templater-obsidian/data.json":             "\ufeff" + `{"templates_folder": "/_tp", "startup_templates": [""], "key": "sk-secret"}`,
		"A/.obsidian/plugins/obsidian-spaced-repetition/data.json":     `{"settings": {"singlelineCardSeparator": " >> ", "multilineCardEndMarker": "+++"}, "buryList": ["x"]}`,
		".obsidian/plugins/obsidian-spaced-repetition/data.json":       `{"settings": {"singleLineCardSeparator": "a", "multilineCardSeparator": "x\ny"}}`,
		"B/.obsidian/templates.json":                                   `{"folder": "/"}`,
		"C/.obsidian/templates.json":                                   `{"folder": 5`,
		"D/x.obsidian/templates.json":                                  `{"folder": "T"}`,
		"D/.obsidian/plugins/another/data.json":                        `{"templates_folder": "T"}`,
		"E/.obsidian/templates.json":                                   `{"folder": "../../F"}`,
		"E/.obsidian/plugins/obsidian-spaced-repetition/data.json":     `{"settings": {"singleLineCardSeparator": "` + strings.Repeat("=", 300) + `"}}`,
		"A/deep/.obsidian/plugins/templater-obsidian/data.json":        `{"templates_folder": "own"}`,
		"A/.obsidian/plugins/obsidian-spaced-repetition/manifest.json": `{}`,
	})
	for note, want := range map[string]bool{
		"A/extras/vorlagen/book.md": true, "A/_tp/x/y.md": true, "A/_tpx/y.md": false, "Extras/Vorlagen/book.md": false, "A/deep/own/n.md": true, "A/own/n.md": false, "A/deep/_tp/n.md": false,
		"B/n.md": false, "C/n.md": false, "D/T/n.md": false, "F/n.md": false, "E/F/n.md": true, "n.md": false,
	} {
		s := v.Of(note)
		if got := s.IsTemplate(note); got != want {
			t.Errorf("%s: template is %v", note, got)
		}
	}
	macros := read(map[string]string{"A/preamble.sty": "\\newcommand{\\R}{x} % mine\n\\usepackage{y}", "A/.obsidian/templates.json": `{"folder": "T"}`})
	if s := macros.Of("A/n.md"); s.Macros != "\\newcommand{\\R}{x}\n" || s.Templates != "A/T" || macros.Of("n.md").Macros != "" {
		t.Errorf("%+v", s)
	}
	if got, want := v.Of("A/x/n.md").Cards.Usual(), (Marks{">>", ":::", "?", "??", "+++"}); got != want {
		t.Errorf("%+v", got)
	}
	for _, note := range []string{"n.md", "E/n.md", "Z/n.md"} { // marks that any text has, or that are too long, are none
		if got := v.Of(note).Cards.Usual(); got != usualMarks {
			t.Errorf("%s: %+v", note, got)
		}
	}
	if m := v.Of("A/n.md").Cards.Usual(); !m.Parts(" +++ ") || !m.Parts("??") || m.Parts("") || m.Parts(">>") || (Marks{}).Parts("") {
		t.Error("a line that parts a card is not known, or another is")
	}
}

// Plug-ins keep keys and logs beside the settings: none of it gets into the note.
func TestNotesOfSettingsHoldNothingElse(t *testing.T) {
	note, ok := NoteOfSettings(`My "vault": x/.obsidian/plugins/templater-obsidian/data.json`, `{"templates_folder": "T", "key": "sk-secret"}`)
	if !ok || strings.Contains(note, "secret") || !strings.Contains(note, `title: "My \"vault\": x/.obsidian`) {
		t.Errorf("%v %s", ok, note)
	}
}

func TestWaysToSettings(t *testing.T) {
	for dir, want := range map[string]bool{
		".obsidian": true, "a/.obsidian": true, ".obsidian/plugins": true, "a/.obsidian/plugins/templater-obsidian": true,
		".obsidian/plugins/dataview": false, ".obsidian/themes": false, ".git": false, "plugins": false, "x.obsidian": false, "": false,
	} {
		if got := LeadsToSettings(dir); got != want {
			t.Errorf("%q: %v", dir, got)
		}
	}
}
