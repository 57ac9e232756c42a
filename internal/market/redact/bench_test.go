package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// proseText is ordinary English, Chinese and Japanese.
func proseText(n int) string {
	sentences := []string{
		"You are a patient gardener who answers briefly and asks about climate and soil before giving advice. ",
		"When the user asks for more, give three steps, each with a reason, and never invent a source.\n",
		"你是一位耐心的园丁顾问。回答简短，先问清气候和土壤，再给出当季的建议。不确定时直说。\n",
		"あなたは日本語の先生です。やさしい言葉で説明し、例文を二つ示し、最後に小さな問題を一つ出してください。\n",
		"Keep the key points in mind: the author of a text, its tone, and the token of thanks at the end. ",
		"See https://example.com/guide?page=2 for the style guide, or ask the maintainer (today, if you can).\n",
	}
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(sentences[r.IntN(len(sentences))])
	}
	return b.String()[:n]
}

func BenchmarkSections(b *testing.B) {
	sections, _ := sampleSections(b)
	e := New()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Sections(sections, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTextScan(b *testing.B) {
	text := []byte(proseText(4 << 20))
	e := New()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := e.NewText("a")
		_, _ = s.Write(text)
		s.Findings()
	}
}

// The worst texts: nothing but words that set rules off.
func BenchmarkTextScanHostile(b *testing.B) {
	for name, unit := range map[string]string{"names": "api_key = ", "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", "addresses": "http://a:b@", "pairs": "token: abcdefgh1, ", "begin": "-----BEGIN PRIVATE KEY-----", "sk": "sk-a1b2c3d4e5f6g7h8 "} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(unit, 1<<20/len(unit)))
			e := New()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := e.NewText("a")
				_, _ = s.Write(text)
				s.Findings()
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	known := make([]string, 100)
	for i := range known {
		known[i] = drawMixed(r, alnum, 32)
	}
	text := []byte(`{"a":"` + strings.ReplaceAll(proseText(4<<20), "\n", `\n`))
	text = append([]byte(strings.ToValidUTF8(string(text), "")), `"}`...)
	e := New()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if f := e.Verify(text, "a.json", known); len(f) > 0 {
			b.Fatal(f)
		}
	}
}

// BenchmarkFirstUse is what the first scan of a process pays: reading the rules.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New().Scan("some text of no importance", "", 0, nil)
	}
}
