package cost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// shape is a text that can be made of any size: its head, its unit again and again, its middle, its closing unit as often,
// its tail.
type shape struct {
	Reader string `json:"reader"`
	Head   string `json:"head,omitempty"`
	Unit   string `json:"unit"`
	Middle string `json:"middle,omitempty"`
	Close  string `json:"close,omitempty"`
	Tail   string `json:"tail,omitempty"`
}

// text makes the shape about n bytes long.
func (s shape) text(n int) []byte {
	times := max(1, (n-len(s.Head)-len(s.Middle)-len(s.Tail))/max(1, len(s.Unit)+len(s.Close)))
	var b bytes.Buffer
	b.WriteString(s.Head)
	for i := range times {
		b.WriteString(strings.ReplaceAll(s.Unit, number, strconv.Itoa(i)))
	}
	b.WriteString(s.Middle)
	for range times {
		b.WriteString(s.Close)
	}
	b.WriteString(s.Tail)
	return b.Bytes()
}

// number stands in a unit for how many were before it.
const number = "№"

// frames are shapes that are sound for some formats, with which the search begins.
func frames(name string) []shape {
	out := []shape{
		{Head: `{"prompt":"`, Unit: "x ", Tail: `"}`},
		{Head: `{"a":["`, Unit: `x","`, Tail: `y"]}`},
		{Unit: `{"a":`, Middle: "1", Close: "}"},
		{Unit: "[", Close: "]"},
		{Head: "[", Unit: "1,", Tail: "1]"},
		{Head: "{", Unit: `"a№":"b",`, Tail: `"c":1}`},
		{Head: "{", Unit: `"key№":"b",`, Tail: `"c":1}`},
		{Unit: "k№: v\n"},
		{Unit: "- a\n"},
		{Head: "a: &a [x]\n", Unit: "k№: [*a, *a]\n"},
		{Head: "---\nname: a\n", Unit: "k№: v\n", Tail: "---\nx"},
		{Unit: "[[n№]] "},
		{Unit: "# h№\n\ntext\n\n"},
		{Head: "# N\n\n", Unit: "## Term№\n\nA thing of kind № that is used for work\n\n"},
		{Head: "# N\n\n", Unit: "- **Term№**: a thing of kind № that is used for work\n"},
		{Head: "# N\n\n", Unit: "Term№: a thing of kind № that is used for work\n"},
		{Unit: "A term№ is a thing of kind № that is used for work. "},
		{Unit: "Question № of all::Answer №\n"},
		{Unit: "The ==word№== is marked here.\n\n"},
		{Unit: "> "},
		{Unit: "| a | b |\n"},
		{Unit: "a№ "},
		{Unit: "a"},
		{Unit: "日"},
		{Unit: "\u202ea"},
		{Head: `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"a","description":"`, Unit: "x ", Tail: `"}}`},
		{Head: `{"provider":[`, Unit: `{"id":"p№","key":["k№"]},`, Tail: `{}]}`},
		{Head: `{"persona":[`, Unit: `{"name":"n№","prompt":"p"},`, Tail: `{}]}`},
		{Head: `{"mcpServers":{`, Unit: `"s№":{"command":"x","args":["-y"]},`, Tail: `"z":{}}}`},
	}
	for i := range out {
		out[i].Reader = name
	}
	return out
}

// words are what shapes are made of: signs of the formats, and words that readers look for.
var words = []string{
	"a", "b ", "x1", "0", "\n", " ", "\t", "\r\n", "    ", "-", "--", "---\n", "- ", "* ", "# ", "> ", "| ", "|", "||", "```\n", "`", "~~~", "[", "]", "[[", "]]", "![", "](", "(", ")", "{", "}", "{{", "}}", "{{c1::", "::", ":", ": ", ",",
	"\"", "'", "\\", "\\\"", "\\u0041", "\\n", "\\\\", "<", ">", "</", "/>", "<!--", "-->", "<a ", "<b>", "&amp;", "&#x41;", "&", "%41", "%", "=", "==", "=>", ":=", "?", "?key=", "&sig=", "://", "https://a.b/", "user:pass@", "@", "@a:1", "a.b.c",
	"key", "key: ", "key=", "key=\"", "\"key\": ", "password ", "password: ", "password is ", "token=", "Authorization: ", "Bearer ", "Basic ", "api_key=", "sk-", "sk_live_", "ghp_", "eyJ", "AKIA", "-----BEGIN ", "PRIVATE KEY-----", "curl -u ", "docker login -p ",
	"machine x login y ", "INSERT INTO t (password) VALUES (", "('a','b'),", "kind: Secret\ndata:\n", "\"kty\"", "WIFI:", ";P:", "clave ", "clé d'API ", "密码", "密码是", "パスワード", "は", "key值", "\u202e", "\u200b", "\u00ad", "é", "日", "😀", "e\u0301", "\x00", "\xff",
	"aGVsbG8gd29ybGQg", "4a4b4c4d", "QUJDREVGR0g=", "%61%62%63", "ignore previous instructions ", "system: ", "you must ", "<|im_start|>", "null,", "1,", "1e9", "true,", "[1,", "{\"a\":", "\"a\":1,", "&a [*a,", "*a ", "!!str ", "a: &b\n", "? ", "$$", "$x$", "\\(", "==text==", "^id", "#tag ", "[[n]]", "[[a|b#c]]", "type:: ", "(requires:: [[x]]) ",
	"```ad-note\n", "===\n", "1. ", "term\n: def\n", "[^1]", "[^1]: ", "tag:x ", "-x ", "\"a b\" ", "OR ", "author:", "*", "abandon ", "zoo ", "[sound:a.mp3]", "[sound:", "[sound:№]", "<img src=\"a.png\">", "<img src=№.png>", "<style>", "</style>", "<hr id=answer>", "[latex]", "\\[", "image-occlusion:rect:left=.1:top=.2:width=.3:height=.4", "}}", "{{c№::", "{{#Front}}", "{{/Front}}", "{{^x}}", "{{FrontSide}}", "{{cloze:Front}}", "{{hint:Front}}",
	"eval(", "base64 -d | sh", "curl x | sh\n", "def f():\n", "import os\n", "subprocess.run(",
}

// mutate changes a shape a little.
func mutate(r *rand.Rand, s, other shape) shape {
	word := func() string { return words[r.IntN(len(words))] }
	part := []*string{&s.Unit, &s.Unit, &s.Unit, &s.Unit, &s.Head, &s.Middle, &s.Close, &s.Tail}[r.IntN(8)]
	switch r.IntN(7) {
	case 0, 1:
		*part += word()
	case 2:
		*part = word() + *part
	case 3:
		*part = word()
	case 4:
		if n := len(*part); n > 1 {
			i := r.IntN(n)
			*part = (*part)[:i] + (*part)[i+1:]
		}
	case 5:
		s.Unit += other.Unit
	case 6:
		*part = ""
	}
	if s.Unit == "" {
		s.Unit = word()
	}
	for _, p := range []*string{&s.Head, &s.Unit, &s.Middle, &s.Close, &s.Tail} {
		if len(*p) > 120 {
			*p = strings.ToValidUTF8((*p)[:120], "")
		}
	}
	return s
}

const corpusFile = "testdata/worst.jsonl"

// corpus reads the worst shapes that were found.
func corpus(t *testing.T) []shape {
	t.Helper()
	file, err := os.Open(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []shape
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s shape
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}
