package search

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"... !? 🍟", ""},
		{"Writes e-mails", "writes write emails email e mails mail"},
		{"GPT-4 Vue3", "gpt4 gpt 4 vue3 vue 3"},
		{"C++ c# F#", "cpp c csharp fsharp f"},
		{".NET ASP.NET example.network", "dotnet net asp examplenetwork example network"},
		{"node.js", "nodejs nodej node js"},
		{"Café Ａｂｃ straße", "cafe abc strasse"},
		{"写作助手", "写 作 助 手 写作 作助 助手"},
		{"ﾊﾟﾝ", "パ ン パン"},
		{"AI絵画", "ai 絵 画 絵画"},
		{"Всё ещё й", "все еще й"},
		{"don't", "dont don t"},
		{"soft\u00adhyphen", "softhyphen"},
		{"हिन्दी", "हिन्दी"},
	} {
		if got := strings.Join(Tokens(c.text), " "); got != c.want {
			t.Errorf("Tokens(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"writing": "write", "writes": "write", "coding": "code", "planning": "plan", "programming": "program",
		"editing": "edit", "optimizing": "optimize", "generated": "generate", "improving": "improve",
		"recipes": "recipe", "stories": "story", "classes": "class", "boxes": "box", "string": "string",
		"news": "news", "thing": "thing", "analysis": "analysis", "handling": "handle", "managing": "manage",
		"naïves": "naïves", "bus": "bus", "creating": "create", "eating": "eat", "calling": "call",
	} {
		if got := stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDocumentTokens(t *testing.T) {
	doc := Document{
		Kind: Template, ID: "lobe-chat", Titles: []string{"LobeChat Helper"},
		Descriptions: []string{"Draws"}, Bodies: []string{"long prompt"},
	}
	tokens := doc.Tokens()
	for _, want := range []string{
		"talobechat", "tdhelper", "tb" + prefixSign + "lob", "ta" + exactToken("lobechat helper!"),
		"tblobe", "tdchat", "ta" + idToken("lobe-chat"), "tcdraw", "tdlong",
	} {
		if !slices.Contains(tokens, want) {
			t.Errorf("tokens %q lack %q", tokens, want)
		}
	}
	for _, unwanted := range []string{"talobe", "tbdraw", "tclong", "td" + prefixSign + "lo"} {
		if slices.Contains(tokens, unwanted) {
			t.Errorf("tokens %q have %q", tokens, unwanted)
		}
	}
	var long strings.Builder
	for r := rune(0x4e00); r < 0x9f00; r++ {
		long.WriteString(strings.Repeat(string(r), 3) + "x" + string(r+1))
	}
	for cut := range 30 {
		doc.Bodies = append(doc.Bodies, long.String()[cut*9000:])
	}
	size := 0
	for _, token := range doc.Tokens() {
		size += len(token) + tokenCost - len("td")
	}
	if size > maxDocument {
		t.Errorf("tokens take %d bytes, more than %d", size, maxDocument)
	}
}

// texts are made of what real ones are made of, and of anything else.
func texts() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-zA-Z]{1,9}(ing|ed|s|'s)?`),
		rapid.StringMatching(`[\x{4e00}-\x{4e40}\x{3041}-\x{3096}\x{30a1}-\x{30fc}\x{ac00}-\x{ac40}]{1,6}`),
		rapid.StringMatching(`[\x{ff01}-\x{ff9f}]{1,5}`),
		rapid.StringMatching(`[éÉñßİıΑάёЁй\x{300}\x{301}\x{308}\x{345}\x{3099}]{1,4}`),
		rapid.SampledFrom([]string{"C++", "c#", ".NET", "ASP.NET", "GPT-4", "e-mail", "Vue3", "Q&A", "node.js", "-", " ", "\u200b", "\u00ad"}),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 8), func(pieces []string) string { return strings.Join(pieces, "") })
}

func TestFoldIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		once := Fold(text)
		if twice := Fold(once); twice != once {
			t.Fatalf("%q folds to %q, that to %q", text, once, twice)
		}
	})
}

func TestTokenAlphabet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkAlphabet(t, texts().Draw(t, "text")) })
}

func TestQueryFindsItsOwnText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkOwnText(t, texts().Draw(t, "text")) })
}

type failer interface{ Fatalf(string, ...any) }

// checkAlphabet makes sure that tokens can stand bare in match expressions.
func checkAlphabet(t failer, text string) {
	seen := map[string]bool{}
	for _, token := range Tokens(text) {
		if token == "" || runeCount(token) > maxToken || seen[token] {
			t.Fatalf("Tokens(%q) has %q: empty, too long or repeated", text, token)
		}
		seen[token] = true
		for _, r := range token {
			if !unicode.In(r, unicode.L, unicode.N, unicode.M) {
				t.Fatalf("Tokens(%q) has %q with %q", text, token, r)
			}
		}
	}
}

// checkOwnText makes sure that a text taken as query finds itself.
func checkOwnText(t failer, text string) {
	text = clip(text, maxQuery)
	tokens := Tokens(text)
	q := ParseQuery(text)
	for _, term := range slices.Concat(q.terms, q.core) {
		for _, form := range term.forms {
			for _, token := range form {
				if !slices.Contains(tokens, token) {
					t.Fatalf("query %q asks for %q, which is not in its tokens %q", text, token, tokens)
				}
			}
		}
	}
	if len(tokens) > 0 && q.Empty() {
		t.Fatalf("query %q has tokens %q but no terms", text, tokens)
	}
	if len(q.terms) > maxTerms {
		t.Fatalf("query %q has %d terms", text, len(q.terms))
	}
}

func FuzzTokens(f *testing.F) {
	for _, text := range []string{"C++ .NET e-mail", "写作助手 AI", "ﾌﾟﾛ\u3099", "a\u0345", "\xff\xfe", "İSTANBUL ß"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkAlphabet(t, text)
		checkOwnText(t, text)
		if once := Fold(text); Fold(once) != once {
			t.Fatalf("folding %q twice changes it", text)
		}
	})
}
