package botimport

import (
	stdbytes "bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/pack"
)

// png is a picture without pixels and with the chunks given.
func png(chunks ...[]byte) []byte {
	out := []byte(pngMagic)
	for _, c := range append(chunks, []byte("IEND")) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(c)-4))
		out = append(out, c...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(c))
	}
	return out
}

func plainChunk(key, text string) []byte { return []byte("tEXt" + key + "\x00" + text) }

func deflated(text string) string {
	var b stdbytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

const (
	cardV1 = `{"name":"Ada Lovelace","description":"{{char}} counts.","personality":"exact","scenario":"{{user}} asks.","first_mes":"Hello","mes_example":""}`
	cardV2 = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ada Lovelace","description":"{{char}} counts.","personality":"exact","scenario":"","first_mes":"Hello","mes_example":"","creator_notes":"n","system_prompt":"Be {{char}}.","post_history_instructions":"","alternate_greetings":["Hi"],"tags":["a"],"creator":"c","character_version":"1","extensions":{"regex_scripts":[{"x":1}],"world":"w"},
	"character_book":{"name":"Book","extensions":{},"entries":[{"keys":["engine"],"content":"It computes.","enabled":true,"insertion_order":1,"extensions":{"p":1}},5]}}}`
	cardV3 = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ada Lovelace","nickname":"Ada","description":"{{char}} counts for {{user}}.","personality":"","scenario":"","first_mes":"Hello","mes_example":"","creator_notes":"n","system_prompt":"","post_history_instructions":"","alternate_greetings":[],"group_only_greetings":["all"],"tags":[],"creator":"c","character_version":"1","extensions":{},"assets":[{"type":"icon","uri":"ccdefault:","name":"main","ext":"png"}],"source":["https://example.org"],"creation_date":1700000000,"novelty":1}}`
)

func TestCards(t *testing.T) {
	v2, v3 := b64(cardV2), b64(cardV3)
	iTXt := []byte("iTXtchara\x00\x00\x00en\x00Karte\x00" + v2)
	for name, c := range map[string]struct {
		file string
		body []byte
		kind string
	}{
		"v1 JSON":          {"ada.json", []byte(cardV1), "v1"},
		"old names":        {"ada.json", []byte(`{"char_name":"Ada Lovelace","char_persona":"counts","char_greeting":"Hello"}`), "v1"},
		"v2 JSON":          {"ada.json", []byte(cardV2), "v2"},
		"v3 JSON":          {"ada.json", []byte("\ufeff" + cardV3), "v3"},
		"tEXt":             {"ada.png", png(plainChunk("chara", v2)), "v2"},
		"both":             {"ada.png", png(plainChunk("chara", v2), plainChunk("ccv3", v3)), "v3"},
		"zTXt":             {"ada.png", png([]byte("zTXtchara\x00\x00" + deflated(v2))), "v2"},
		"iTXt":             {"picture", png(iTXt), "v2"},
		"iTXt packed":      {"ada.png", png([]byte("iTXtccv3\x00\x01\x00\x00\x00" + deflated(v3))), "v3"},
		"upper-case key":   {"ada.png", png(plainChunk("Chara", v2)), "v2"},
		"no padding":       {"ada.png", png(plainChunk("chara", strings.TrimRight(v2, "="))), "v2"},
		"URL alphabet":     {"ada.png", png(plainChunk("chara", base64.URLEncoding.EncodeToString([]byte(cardV2)))), "v2"},
		"bare JSON inside": {"ada.png", png(plainChunk("chara", cardV2)), "v2"},
		"no end chunk":     {"ada.png", png(plainChunk("chara", v2))[:len(png(plainChunk("chara", v2)))-12], "v2"},
		"CHARX":            {"ada.charx", zipped(t, map[string]string{"card.json": cardV3, "assets/icon/main.png": "x"}), "v3"},
		"zip of pictures":  {"cards.zip", zipped(t, map[string]string{"a/ada.png": string(png(plainChunk("chara", v2))), "a/README.md": "notes"}), "v2"},
	} {
		t.Run(name, func(t *testing.T) {
			d := draft(t, c.file, c.body)
			has(t, d, `personas.entries["Ada Lovelace"].source_format`, `"chara_card_`+c.kind+`"`)
			has(t, d, `personas.entries["Ada Lovelace"].first_mes`, `"Hello"`)
			if len(d.Sections) != 1 || d.PackType != pack.ExtensionPack || !strings.HasPrefix(d.PackID, "profile/imported-ada-lovelace-") {
				t.Errorf("%s %s %v", d.PackType, d.PackID, sortedKeys(d.Sections))
			}
		})
	}
}

func TestCardParts(t *testing.T) {
	d := draft(t, "ada.json", []byte(cardV2))
	has(t, d, `personas.entries["Ada Lovelace"].system_prompt`, `"Be Ada Lovelace.\n\nAda Lovelace counts.\n\nPersonality: exact"`)
	has(t, d, `personas.entries["Ada Lovelace"].lorebook.entries`, `[{"content":"It computes.","enabled":true,"insertion_order":1,"keys":["engine"]}]`)
	has(t, d, `personas.entries["Ada Lovelace"].extensions`, `null`)
	if f := field(d, "ada.json:extensions"); f.Outcome != Omitted || f.Count != 2 || f.IssueCode != pack.IssueCardPartsOmitted {
		t.Errorf("%+v", f)
	}
	d = draft(t, "ada.json", []byte(cardV3))
	has(t, d, `personas.entries["Ada Lovelace"].system_prompt`, `"Ada counts for the user."`)
	has(t, d, `personas.entries["Ada Lovelace"].creation_date`, `1700000000`)
	for _, source := range []string{"ada.json:assets", "ada.json:novelty"} {
		if f := field(d, source); f.Outcome != Omitted {
			t.Errorf("%s: %+v", source, f)
		}
	}
	if !slices.Contains(codes(d), pack.IssueCardConverted) || pack.Compatibility(d.Issues) != pack.Degraded {
		t.Error(codes(d))
	}
}

func TestPictureRefusals(t *testing.T) {
	whole := png(plainChunk("chara", b64(cardV2)))
	bomb := png([]byte("zTXtchara\x00\x00" + deflated(strings.Repeat("A", maxTextChunk+10))))
	for name, c := range map[string]struct {
		body   []byte
		reason string
	}{
		"no card":        {png(plainChunk("Comment", "x")), pack.ReasonUnknownSetup},
		"cut short":      {whole[:60], pack.ReasonUnreadable},
		"no Base64":      {png(plainChunk("chara", "!!!")), pack.ReasonUnreadable},
		"no JSON":        {png(plainChunk("chara", b64("{"))), pack.ReasonUnreadable},
		"other JSON":     {png(plainChunk("chara", b64(`{"a":1}`))), pack.ReasonUnknownSetup},
		"bomb":           {bomb, pack.ReasonUnreadable},
		"bad deflate":    {png([]byte("zTXtchara\x00\x00abc")), pack.ReasonUnreadable},
		"unknown method": {png([]byte("zTXtchara\x00\x07abc")), pack.ReasonUnreadable},
		"lying length":   {append([]byte(pngMagic), "\xff\xff\xff\xfftEXtchara\x00"...), pack.ReasonUnreadable},
		"magic alone":    {[]byte(pngMagic), pack.ReasonUnknownSetup},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read("a.png", c.body)
			refused(t, err, c.reason)
		})
	}
}

// FuzzPNG: no picture panics or costs much.
func FuzzPNG(f *testing.F) {
	f.Add(png(plainChunk("chara", b64(cardV2))))
	f.Add(png([]byte("iTXtccv3\x00\x01\x00\x00\x00" + deflated(b64(cardV3)))))
	f.Add(png([]byte("zTXtchara\x00\x00" + deflated("x"))))
	f.Fuzz(func(t *testing.T, body []byte) {
		if card, err := cardInPNG(body); err == nil && len(card) > maxTextChunk {
			t.Fatal("too large")
		}
	})
}

// FuzzSingle: any file is a sound draft or refused for a reason.
func FuzzSingle(f *testing.F) {
	for _, s := range []string{cardV1, cardV2, cardV3, oldConfig, "---\nname: a\n---\nx", `{"mcpServers":{"a":{"command":"x"}}}`, `[{"name":"a","prompt":"x"}]`} {
		f.Add("a.json", []byte(s))
		f.Add("SKILL.md", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		if strings.HasPrefix(string(body), "PK") {
			return // FuzzZip
		}
		d, err := read(name, body)
		if err != nil {
			refused(t, err, "")
			return
		}
		sound(t, d)
	})
}

// FuzzSetup: any files in the places of a backup are a sound draft or refused for a reason.
func FuzzSetup(f *testing.F) {
	f.Add(oldConfig, mainDB, "name: p\nversion: 1.10", "---\nname: s\n---\n", `{"version":"1.1","checksums":{"config/cmd_config.json":"sha256:0"}}`, `{"knowledge_bases":[{"kb_id":"k"}]}`)
	f.Add(`{"timezone":"x","plugin_set":["*"]}`, `{"personas":[]}`, "- a", "x", "{}", "{}")
	f.Fuzz(func(t *testing.T, config, db, meta, skill, manifest, kb string) {
		files := memory{
			"config/cmd_config.json": config, "databases/main_db.json": db, "directories/plugins/p/metadata.yaml": meta, "directories/skills/s/SKILL.md": skill,
			"manifest.json": manifest, "databases/kb_metadata.json": kb, "directories/config/p_config.json": config, "directories/config/abconf_1.json": config, "mcp_server.json": db,
		}
		if pack.IsProfile(files) {
			return
		}
		d, err := newDraft("fuzz.zip", strings.Repeat("0", 64)).fromFiles(t.Context(), files)
		if err != nil {
			refused(t, err, "")
			return
		}
		sound(t, d)
	})
}

// FuzzTables: no dump panics, and what is strict JSON gives the rows that are in it.
func FuzzTables(f *testing.F) {
	f.Add(mainDB)
	f.Add(`{"a":[1,"x",[2],{"b":null}],"c":3}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows := map[string]int{}
		counts, err := tables(strings.NewReader(text), func(string) bool { return true }, func(table string, _ int, _ any) { rows[table]++ }, func(string, int, error) {})
		v, no := parse([]byte(text))
		m := object(v)
		if no != nil || m == nil || len(m) > maxTables {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for table, v := range m {
			if counts[table] != len(list(v)) || rows[table] != len(list(v)) {
				t.Fatalf("%q: %d of %d records of %q", text, rows[table], len(list(v)), table)
			}
		}
	})
}

func FuzzFrontMatter(f *testing.F) {
	f.Add("---\nname: a\ndescription: b: c\n---\nbody")
	f.Add("---\r\na: &x [*x]\r\n---")
	f.Fuzz(func(t *testing.T, text string) {
		front, body := frontMatter(text)
		if len(body) > len(text) || len(front) > maxYAMLNodes {
			t.Fatal("more came out than went in")
		}
	})
}
