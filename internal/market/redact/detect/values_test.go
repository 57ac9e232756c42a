package detect

import (
	"math"
	"strings"
	"testing"
)

func checkEach(t *testing.T, what string, f func(string) bool, yes, no []string) {
	t.Helper()
	for want, list := range map[bool][]string{true: yes, false: no} {
		for _, v := range list {
			if v = filled(v); f(v) != want {
				t.Errorf("%s(%q) is %v", what, v, !want)
			}
		}
	}
}

func TestPlaceholders(t *testing.T) {
	for why, values := range map[string][]string{
		"is empty":          {"", " ", `""`, "''"},
		"is masked already": {"****", "•••", "…", Masked, Sealed, Masked + " #12", "Bearer ***", "*"},
		"refers to an environment variable or a template": {
			"${TOKEN}", "$(pass show x)", "{{ key }}", "<your key>", "%TOKEN%", "{api_key}", "[token]", "__KEY__", "@token@", "【密码】", "＜key＞", "「鍵」", "$TOKEN", "$_x1", "Bearer ${TOKEN}", "'$TOKEN'",
			"={{ $json.key }}", "${A:-none}", "${A:?not given}", "${A?not given, 4f9d2c7be1a83056}", "${A:?not given, 4f9d2c7be1a83056}", "${A:-changeme1}", "env:TOKEN", "process.env.X", "os.getenv('X')", "!secret x", "op://vault/x", "arn:aws:secretsmanager:eu:1",
			"<{x*78}>", "env:{x*196}", "{{y*60}}", "{a.b-c d_e}",
		},
		"is a word of a setting": {"true", "None", "Basic", "必填", "token"},
		"is a placeholder": {
			"changeme", "your-key", "YOUR_TOKEN", "example_key", "put_your key", "your password", "enter it", "Example", "sample", "dummy", "xxx", "sk-xxx", "sk-xxxxxxxx", "abc-xxxx-xxxx", "key:***", "sk-...", "abcdefghijklmnopqrstu...", "abc…", "请填", "ここに",
			"sk-proj-123456:xxx", "{y*70}_here12345", "{y*36}…",
		},
		"": {
			"hunter2", "sunshine", "{a24}", "xx", "k-xx", "**x**", "${A:-{a24}}", "$1abc", "$a-b", "{a1}{b2}", "[x1]", "<a>b>", "<>", "<{x*79}>", "env:{y*197}", "{y*71}_here12345", "123456789012345-xxx", "your{a24}",
			"sk-xxxx{a24}", "{y*22}...", "{y*38}…", "{{y*61}}", "{}", "y$TOKEN", Masked + " abc", "notyour thing", "__",
		},
	} {
		for _, v := range values {
			if got := Placeholder(filled(v)); got != why {
				t.Errorf("%q: %q, not %q", v, got, why)
			}
		}
	}
	checkEach(t, "IsMask", IsMask, []string{"***", Masked, "Bearer " + Sealed, "'…'"}, []string{"", "''", "x***", "key"})
	checkEach(t, "MaskedAlready", MaskedAlready, []string{Masked, "a " + Masked, "REDACTED", "***", "SEALED*"}, []string{"hunter2", Masked + " {a24}", "REDACTEDx"})
}

func TestWhatLooksDrawn(t *testing.T) {
	checkEach(t, "Random", Random,
		[]string{
			"a1b2c3d", "4f9d2c7", "1a2b3c4d5e6f7890", "0123456789abcde1f", "a1b2c3dddddddddd", "aB1cD2eFghijklmn", "xkQjZwPvYtRsMbNcHdLf", "qwrtpsdfghjklzxcvbnmqwertyuiopas", "12ab34c", "aAbBcCdDeEfFeEfFaAbBcCdDeEfFeEfF", // whose entropy is 3.5
			"123456789abcdef012", // hexadecimal
		},
		[]string{
			"", "a1b2c3", "12345678901234567890", "gpt4turbo", "version2024", "abcdefgh", "aaaa1111bbbb", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abcdefabcdef1234", "XkQjZwPvYtRsMbNcHdL", "summer2024garden",
			"hunter2x", "qwrtpsdfghjklzxcvbnmqwertyuiopa", "abcdefghijklmnop12", "1234567a",
		})
	checkEach(t, "RandomPart", RandomPart, []string{"x-a1b2c3d", "a1b2c3d-x", "name_4f9d2c7_x", "aB3+dE/fGhIjKlMnOpQrStUv", "a1b2c3d.e", "abcdefg.hijklmn1abcdefg.hijklmn1"}, []string{"", "-", "a1b2-c3d4", "version-2024-10-11", "aB3+dE/fGhIjKlMnOpQrStU"})
	checkEach(t, "Mixed", Mixed, []string{"a1", "1Z", "é1z"}, []string{"", "a", "1", "é1", "-1"})
	checkEach(t, "CredentialLike", CredentialLike,
		[]string{"a1b2c3d4", "/a1b2c3d4=", "{a24}", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "a1b2c3d4{ab1*40}", "{a1b2c3d4*1024}"},
		[]string{"a1b2c3d", "a1b2c3d4 x", "a1b2c3d4\tx", "a1b2c3d4\nx", "/a1b2c3d4", "./a1b2c3d4", "~a1b2c3d4", "a1b2c3d4://x", "00000000-0000-0000-0000-000000000000", "sunshine", "{a1b2c3d4*1024}x", "ffffffff-ffff-4fff-8fff-fffffffffff1"})
	checkEach(t, "HasDigit", HasDigit, []string{"a1", "0", "9"}, []string{"", "a"})
	checkEach(t, "Prose", Prose,
		[]string{"the butler did", "one two three four", "私は日本語の先生です", "花园花园花园a"},
		[]string{"", "two words", "a=b c d", "a;b c d", "the a1b2c3d4 key", "花园", "花园花园花", "花园花园花园abcdef", "abc"})
	checkEach(t, "hasRandomWord", hasRandomWord, []string{"a1b2c3d4", "see a1b2c3d4"}, []string{"a1b2c3d", "see x", ""})
	checkEach(t, "version", version, []string{"1.2.3", "gpt-4", "2024-10-11", "v1.2.3.4.55"}, []string{"v2", "a1b2c3d-x", "v1.2.3.4.567"})
	phrase := strings.Repeat("able gone ", 12)
	checkEach(t, "MnemonicLike", MnemonicLike,
		[]string{phrase, phrase[:60], "absolute {able *11}", "{abs *12}", "{able *15}", "{able *18}", "{able *21}"},
		[]string{"", phrase[:50], "{able *9}", "{able *27}", "{able *13}", "{able *11}ab", "{able *11}absolutes", "{able *11}Able", "{able *11}abl3"})
	checkEach(t, "Distinctive", Distinctive,
		[]string{"hunter2", "{a24}", "abcdefghijkl", "sunShine", "p-word", "123457", "-_-_-_", "same-origins"},
		[]string{"", "hunte", "sunshine", "abcdefghijk", "PASSWORD", "Password", "111111", "same-origin", "xxxxxxxx", "******"})
	checkEach(t, "passwordLike", passwordLike,
		[]string{"Willow7!", "willow7!", "WILLOW7!", "Willow!!", "WILLOW!!", "{a24}", "Willow77", "{p128}", "a@Willow7!", "@Willow7.x!"},
		[]string{"Willow7", "{p129}", "willow!!", "12345678!", "willow77", "WILLOW77", "Willow-77", "Willow/77", "Willow7é!", "a@b.example.Com1!", "./Willow7!", "$Willow7!", "<Willow7!", "{Willow7!", "[Willow7!", "(Willow7!", "%Willow7!", "http://Willow7!", "Willow 7!"})
	checkEach(t, "pathLike", pathLike, []string{"~/x", "./x", "../x", "/etc/x", "/Users/x", "file:x", "/run/x"}, []string{"x/y", "/x", "~x", ".x"})
	checkEach(t, "identifier", identifier, []string{"a", "_", "a1", "A_b2"}, []string{"", "1a", "a-b", "a b"})
	checkEach(t, "variedKey", variedKey,
		[]string{"a1b2c3d4e5f6", "ABCdefGHIjkl1", "a1b2c3d4_x", "{a24}", "x_a1cde2f3"},
		[]string{"", "abcdefghijkl", "123456789012", "a1a1a1a1a1", "aBcDeFgHiJkL", "some_name_of_2024", "name_word1234"})
	checkEach(t, "providerKey", providerKey,
		[]string{"sk-{a48}", "sk-{abcdefgh*4}", "sk-{h32}"}, []string{"sk-learn-style-estimators", "sk-{abcdefgh*3}abcdefg", "sk-{abcdefg*5}", "sk-your-key-1", "sk-{abcdefgh*4}-x", "sk-aaaaaaaaaaaaaaaa1"})
	checkEach(t, "hasLongRandom", hasLongRandom, []string{"x_ab1cd2ef", "ab1cd2ef-x", "x.1abcd2ef", "x/12ab34cd"}, []string{"ab1cd2e", "garden2024", "x_abcdefgh", "ab1c-d2ef"})
	drawnSure, drawnUnsure := func(v string) bool { return drawnBody(v, true) }, func(v string) bool { return drawnBody(v, false) }
	checkEach(t, "drawnBody", drawnUnsure,
		[]string{"aB3cD4eF5gH6iJ7kL8mN9", "Zq7m2Wx9Kp4tRv8bYc3d"}, []string{"", "aBcDeFgHiJkLmNoPqR9sTuVw", "a1b2c3d4e5f60718293a4b5c6d7e8f9a", "aB3aB3aB3aB3aB3aB3aB3aB3", "AB3cd4ef5gh6ij7kl8mn9"})
	checkEach(t, "drawnBody for sure", drawnSure,
		[]string{"a1b2c3d4e5f6g7h8i9j0k1l2", "abcdef1234567890fedcba98"},
		[]string{"a1b2c3d4e5f6g7h8i9j0k1l", "a1b2c3d4e5f6-g7h8i9j0k1l2", "abcdefghijklmnopqrstuvw123", "a1a1a1a1a1a1a1a1a1a1a1a1"})
}

func TestEntropy(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "aaaa": 0, "ab": 1, "abcd": 2, "aab": 0.9182958340544896, "abcdefgh": 3} {
		if got := entropy(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for c := range 256 {
		b := byte(c)
		in := func(set string) bool { return strings.IndexByte(set, b) >= 0 }
		for what, pair := range map[string][2]bool{
			"isAlpha": {isAlpha(b), in(Lowers + Uppers)}, "IsUpper": {IsUpper(b), in(Uppers)}, "IsDigit": {IsDigit(b), in(Digits)}, "isHex": {isHex(b), in(HexLower + "ABCDEF")},
			"isAlnum": {isAlnum(b), in(Alnums)}, "printable": {printable(b), b > ' ' && b < 0x7f},
			"wordByte": {wordByte(b), in(Alnums + "_-.")}, "tokenByte": {tokenByte[b], in(Alnums + "_-")}, "EncodedByte": {EncodedByte[b], in(Alnums + "+/_-")},
			"phraseGap": {phraseGap(b), b <= ' ' || in(Digits+",;.)-\"'|[]/")},
			"HexDigit":  {HexDigit(b) >= 0, in(HexLower + "ABCDEF")},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s(%q) is %v", what, b, pair[0])
			}
		}
	}
	for n, c := range []byte("0123456789abcdef") {
		if HexDigit(c) != n || HexDigit(strings.ToUpper(string(c))[0]) != n {
			t.Errorf("HexDigit(%q) is %d", c, HexDigit(c))
		}
	}
	if r, n := EscapedUnit("u00e9x"); r != 'é' || n != 5 {
		t.Errorf("%q %d", r, n)
	}
	for _, text := range []string{"", "u", "u00e", "x00e9", "u00eg"} {
		if r, n := EscapedUnit(text); r != 'u' || n != 1 {
			t.Errorf("%q: %q %d", text, r, n)
		}
	}
}

func TestValuesWorthSearchingFor(t *testing.T) {
	for value, want := range map[string]string{
		" abc ":              "abc",
		"Bearer x12345":      "Bearer x12345|x12345",
		"Bearer  x12345":     "Bearer  x12345|x12345",
		"Bearer":             "Bearer",
		"a=1; sid=a1b2c3d4":  "a=1; sid=a1b2c3d4|a1b2c3d4|a1b2c3d4",
		"sid=a1b2c3d":        "sid=a1b2c3d",
		"x=a%20b2c3d4&y=z":   "x=a%20b2c3d4&y=z|a%20b2c3d4|a b2c3d4",
		"x=abcdefghijklmnop": "x=abcdefghijklmnop|abcdefghijklmnop|abcdefghijklmnop",
		"x=abcdefghijklmno":  "x=abcdefghijklmno",
		"apikey a1b2":        "apikey a1b2|a1b2",
		"x=a1b2c3d4" + strings.Repeat(" ", 1) + strings.Repeat("y", 4086): "x=a1b2c3d4 " + strings.Repeat("y", 4086),
	} {
		if got := strings.Join(ValuesOf(value), "|"); got != want {
			t.Errorf("%.40q: %.60q", value, got)
		}
	}
	if got := strings.Join(pathValues("a/b1c2d3e4f5g6/short1?x=h7i8j9%6b0l1m2"), "|"); got != "a/b1c2d3e4f5g6/short1?x=h7i8j9%6b0l1m2|b1c2d3e4f5g6|b1c2d3e4f5g6|h7i8j9%6b0l1m2|h7i8j9k0l1m2" {
		t.Error(got)
	}
	for _, c := range [][2]string{{"a`b\x00c\x7fd\u0085e", "abcde"}, {strings.Repeat("x", 60), strings.Repeat("x", 60)}, {strings.Repeat("x", 61), strings.Repeat("x", 60) + "…"}, {"a\xffb", "ab"}, {"é \u00a0", "é \u00a0"}} {
		if got := ShortName(c[0]); got != c[1] {
			t.Errorf("%q: %q", c[0], got)
		}
	}
	if Unescaped("a%20b+c") != "a b+c" || Unescaped("a%2") != "a%2" {
		t.Error(Unescaped("a%20b+c"), Unescaped("a%2"))
	}
	if CutAny("a/b?c", "?/") != 1 || CutAny("abc", "?") != 3 {
		t.Error("CutAny")
	}
}
