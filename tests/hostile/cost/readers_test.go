package cost

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"

	"stoa/internal/learning/anki"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/units"
	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/leakcheck"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/search"
)

// reader takes a stranger's bytes. What it answers does not matter, a refusal is one as well.
type reader struct {
	name string
	most int // bytes that reach it
	read func(text []byte)
}

var engine = redact.New()

// readers are the readers of strangers' bytes.
var readers = []reader{
	{"redact text", 1 << 20, func(text []byte) {
		s := engine.NewText("a.md")
		_, _ = s.Write(text)
		s.Findings()
	}},
	{"redact field", 1 << 20, func(text []byte) {
		_, _ = engine.Sections(map[string]any{"notes": map[string]any{"prompt": string(text)}}, redact.Options{})
	}},
	{"redact settings", 1 << 20, func(text []byte) {
		if v, err := strictjson.Parse(text, 0); err == nil {
			_, _ = engine.Sections(map[string]any{"providers": v}, redact.Options{})
		}
	}},
	{"leak check", 1 << 20, func(text []byte) {
		values := leakcheck.Collect(map[string]any{"providers": map[string]any{"a": map[string]any{"key": "k3y-of-a-provider-2024-x9", "token": string(text[:min(len(text), 4096)])}}})
		values.Search("sections/a.json", text)
	}},
	{"scan prompt", 1 << 20, func(text []byte) { scanned("prompts/a.md", scan.RolePrompt, text) }},
	{"scan json", 1 << 20, func(text []byte) { scanned("a.json", scan.RoleDocument, text) }},
	{"scan script", 1 << 20, func(text []byte) { scanned("tools/run.sh", scan.RoleOf("tools/run.sh"), text) }},
	{"disclosure", 1 << 20, func(text []byte) {
		c := disclosure.NewCollector(strictjson.Canonical)
		f := c.File("a.md")
		_, _ = f.Write(text)
		_ = f.Close()
		c.Report(redact.Result{}, nil)
	}},
	{"disclosure settings", 1 << 20, func(text []byte) {
		c := disclosure.NewCollector(strictjson.Canonical)
		for _, name := range []string{"a.json", "a.yaml"} {
			f := c.File(name)
			_, _ = f.Write(text[:min(len(text), 200<<10)])
			_ = f.Close()
		}
		if v, err := strictjson.Parse(text, 0); err == nil {
			_ = c.Section("providers", v)
		}
		c.Report(redact.Result{}, nil)
	}},
	{"strict json", 1 << 20, func(text []byte) { _, _ = strictjson.Parse(text, 0) }},
	{"bundle", 1 << 20, func(text []byte) { _, _ = pack.ParseBundle(text) }},
	{"manifest", 1 << 20, func(text []byte) { _, _ = pack.ParseManifest(text) }},
	{"setup json", 1 << 20, imported("cmd_config.json")},
	{"setup yaml", 1 << 20, imported("a.yaml")},
	{"setup markdown", 1 << 20, imported("SKILL.md")},
	{"card in a picture", 1 << 20, func(text []byte) { imported("a.png")(picture(text)) }},
	{"picture", 1 << 20, func(text []byte) { imported("a.png")(append([]byte("\x89PNG\r\n\x1a\n"), text...)) }},
	{"archive of a text", 1 << 20, func(text []byte) { opened(zipped("README.md", text)) }},
	{"archive", 1 << 20, opened},
	{"note", 1 << 20, func(text []byte) { notes.Parse(notes.Source{Path: "a.md", Content: string(text)}) }},
	{"questions of a note", 1 << 20, asked},
	{"anki card", 1 << 20, func(text []byte) { cards(string(text), "{{Front}}") }},
	{"anki cloze", 1 << 20, func(text []byte) { cards(string(text), "{{cloze:Front}}<hr id=answer>{{Back}}") }},
	{"anki template", 1 << 20, func(text []byte) { cards("x", string(text)) }},
	{"search query", 8 << 10, func(text []byte) { search.ParseQuery(string(text)) }},
	{"search text", 1 << 20, func(text []byte) { search.Tokens(string(text)) }},
}

// asked makes the units and the questions of a note.
func asked(text []byte) {
	doc := notes.Parse(notes.Source{Path: "a.md", Content: string(text)})
	n := units.Note{ID: "a.md", Path: "a.md", Title: doc.Title, Names: doc.Names, Genre: doc.Genre, Order: doc.Order}
	for i := range doc.Atoms {
		if a := &doc.Atoms[i]; a.Representation == notes.Text {
			n.Atoms = append(n.Atoms, units.Atom{ID: "a.md#" + a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
		}
	}
	built := units.Build([]*units.Prepared{units.Prepare(n)}, nil)
	for i := range built.Units {
		questions.Derive(&built.Units[i])
	}
}

func scanned(name string, role scan.Role, text []byte) {
	s := scan.NewScan(scan.Options{})
	_, _ = s.File(name, role).Write(text)
	s.Finish()
}

func imported(name string) func([]byte) {
	return func(text []byte) {
		_, _ = botimport.Read(context.Background(), name, "", bytes.NewReader(text), int64(len(text)), archive.Default)
	}
}

func opened(text []byte) {
	a, err := archive.Open(bytes.NewReader(text), int64(len(text)), archive.Default)
	if err != nil {
		return
	}
	_, _ = pack.ReadTemplate(context.Background(), a, func(string) io.Writer { return io.Discard })
}

func zipped(name string, text []byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if w, err := z.Create(name); err == nil {
		_, _ = w.Write(text)
	}
	_ = z.Close()
	return b.Bytes()
}

// picture is a PNG with a text chunk of a character's card.
func picture(card []byte) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, body []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
		named := append([]byte(kind), body...)
		out = append(out, named...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(named))
	}
	chunk("IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0})
	chunk("tEXt", append([]byte("chara\x00"), base64.StdEncoding.EncodeToString(card)...))
	chunk("IEND", nil)
	return out
}

// cards writes a package's cards: of a note that is asked as it is, and of one with clozes.
func cards(text, template string) {
	_, _ = anki.Cards(context.Background(), &anki.Collection{
		Models: []anki.Model{{ID: 1, Fields: []string{"Front", "Back"}, Templates: []anki.Template{{Front: template, Back: template}}}, {ID: 2, Cloze: true, Fields: []string{"Front", "Back"}, Templates: []anki.Template{{Front: template, Back: template}}}},
		Notes:  []anki.Note{{ID: 1, Model: 1, Fields: []string{text, text}}, {ID: 2, Model: 2, Fields: []string{text, text}}},
		Cards:  []anki.Card{{Note: 1}, {Note: 2, Ord: 1}},
	}, mostOfCards)
}

// mostOfCards is what a member may keep of notes without settings.
const mostOfCards = 64 << 20
