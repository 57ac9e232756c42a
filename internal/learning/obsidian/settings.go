package obsidian

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"stoa/internal/learning/latex"
	"stoa/internal/learning/notes"
)

// Settings are those of a vault that say how its notes are read. The zero value is that of a vault without any.
type Settings struct {
	// Templates and Templater are the folders of templates that Obsidian and its plug-in Templater are set to, within the vault.
	Templates, Templater string
	// Cards are the marks of the plug-in Spaced Repetition.
	Cards Marks
	// Macros are the definitions of the vault's file for the plug-in Extended MathJax (latex.Preamble).
	Macros string `json:",omitempty"`
}

// Marks are what parts the question of a card from its answer.
type Marks struct {
	Line, LineReversed   string // within a line; the second makes two questions
	Block, BlockReversed string // on a line of its own
	End                  string // on a line of its own below the answer; "" where an empty line ends it
}

// usualMarks are those of a plug-in that nobody has set.
var usualMarks = Marks{Line: "::", LineReversed: ":::", Block: "?", BlockReversed: "??"}

// longestSetting bounds the folders and marks that are read, in bytes.
const longestSetting = 256

// settingsFiles are where a vault keeps its settings, with what is read of each.
var settingsFiles = map[string]func(s *Settings, content []byte){
	".obsidian/templates.json": func(s *Settings, content []byte) {
		var file struct{ Folder string }
		_ = json.Unmarshal(content, &file) // a file that cannot be read sets nothing
		s.Templates = folder(file.Folder)
	},
	".obsidian/plugins/templater-obsidian/data.json": func(s *Settings, content []byte) {
		var file struct {
			Folder string `json:"templates_folder"`
		}
		_ = json.Unmarshal(content, &file)
		s.Templater = folder(file.Folder)
	},
	preamble: func(s *Settings, content []byte) {
		s.Macros = latex.Preamble(string(content[:min(len(content), longestPreamble)])).String()
	},
	".obsidian/plugins/obsidian-spaced-repetition/data.json": func(s *Settings, content []byte) {
		// Older versions write "singlelineCardSeparator"; names are matched without their case.
		var file struct {
			Settings struct {
				SingleLineCardSeparator, SingleLineReversedCardSeparator, MultilineCardSeparator, MultilineReversedCardSeparator, MultilineCardEndMarker string
			}
		}
		_ = json.Unmarshal(content, &file)
		f := &file.Settings
		s.Cards = Marks{mark(f.SingleLineCardSeparator), mark(f.SingleLineReversedCardSeparator), mark(f.MultilineCardSeparator), mark(f.MultilineReversedCardSeparator), mark(f.MultilineCardEndMarker)}
	},
}

// preamble is where the plug-in Extended MathJax has its definitions.
const preamble = "preamble.sty"

// longestPreamble bounds them, in bytes.
const longestPreamble = 64 << 10

// folder gives the path of a folder within a vault, "" for none and for the whole vault.
func folder(p string) string {
	p = strings.Trim(path.Clean("/"+strings.ReplaceAll(p, `\`, "/")), "/")
	if len(p) > longestSetting {
		return ""
	}
	return p
}

// mark gives a mark as it stands in a line, "" for one that would be found in any text.
func mark(m string) string {
	m = strings.TrimSpace(m)
	if len(m) > longestSetting || strings.ContainsAny(m, "\n\r") || len(m) == 1 && (m[0] >= '0' && m[0] <= '9' || m[0] >= 'a' && m[0] <= 'z' || m[0] >= 'A' && m[0] <= 'Z') {
		return ""
	}
	return m
}

// Usual gives the marks with those of the plug-in's own in the place of those that are not set.
func (m Marks) Usual() Marks {
	return Marks{
		cmp.Or(m.Line, usualMarks.Line), cmp.Or(m.LineReversed, usualMarks.LineReversed),
		cmp.Or(m.Block, usualMarks.Block), cmp.Or(m.BlockReversed, usualMarks.BlockReversed), m.End,
	}
}

// Parts reports whether a line parts the two sides of a card or ends it.
func (m Marks) Parts(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && (line == m.Block || line == m.BlockReversed || line == m.End)
}

// vaultOf gives the folder of the vault whose settings a file holds; ok is false for other files.
func vaultOf(file string) (vault, name string, ok bool) {
	for name := range settingsFiles {
		if vault, found := strings.CutSuffix(file, name); found && (vault == "" || strings.HasSuffix(vault, "/")) {
			return strings.TrimSuffix(vault, "/"), name, true
		}
	}
	return "", "", false
}

// IsSettings reports whether a path is that of a file of settings that is read.
func IsSettings(file string) bool {
	_, _, ok := vaultOf(file)
	return ok
}

// LeadsToSettings reports whether files of settings that are read may stand below a folder.
func LeadsToSettings(folder string) bool {
	for name := range settingsFiles {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if folder == dir || strings.HasSuffix(folder, "/"+dir) {
				return true
			}
		}
	}
	return false
}

// NoteOfSettings writes a file of settings as a note that holds what is read of it and nothing else: plug-ins keep keys and logs there
// too. ok is false for other files.
func NoteOfSettings(file, content string) (note string, ok bool) {
	_, name, ok := vaultOf(file)
	if !ok {
		return "", false
	}
	var s Settings
	settingsFiles[name](&s, []byte(strings.TrimPrefix(content, "\ufeff")))
	text, _ := json.Marshal(s) // texts alone, which cannot fail
	title, _ := json.Marshal(file)
	return "---\ntitle: " + string(title) + "\n---\n```json\n" + string(text) + "\n```\n", true
}

// Vaults are the settings of vaults, by their folders.
type Vaults map[string]*Settings

// Add reads a note that NoteOfSettings wrote.
func (v Vaults) Add(file, note string) {
	vault, _, ok := vaultOf(file)
	if !ok {
		return
	}
	_, text, _ := strings.Cut(note, "```json\n")
	text, _, _ = strings.Cut(text, "\n```")
	if v[vault] == nil {
		v[vault] = &Settings{}
	}
	var s Settings
	_ = json.Unmarshal([]byte(text), &s)
	all := v[vault]
	all.Templates, all.Templater = cmp.Or(all.Templates, s.Templates), cmp.Or(all.Templater, s.Templater)
	all.Cards = cmp.Or(all.Cards, s.Cards)
	all.Macros = cmp.Or(all.Macros, s.Macros)
}

// Of gives the settings of the vault that a note stands in.
func (v Vaults) Of(note string) Settings {
	if len(v) == 0 {
		return Settings{}
	}
	for dir := path.Dir(note); ; dir = path.Dir(dir) {
		if dir == "." || dir == "/" {
			dir = ""
		}
		if s := v[dir]; s != nil {
			return s.within(dir)
		}
		if dir == "" {
			return Settings{}
		}
	}
}

// within gives the settings with their folders as notes name them.
func (s *Settings) within(vault string) Settings {
	all := *s
	for _, f := range []*string{&all.Templates, &all.Templater} {
		if *f != "" {
			*f = path.Join(vault, *f)
		}
	}
	return all
}

// IsTemplate reports whether a note stands in one of the folders of templates. Names are compared without their case, as most systems do.
func (s *Settings) IsTemplate(note string) bool {
	for _, f := range []string{s.Templates, s.Templater} {
		if f != "" && strings.HasPrefix(notes.Fold(note), notes.Fold(f)+"/") {
			return true
		}
	}
	return false
}
