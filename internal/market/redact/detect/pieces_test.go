package detect

import (
	"strings"
	"testing"
)

// The small judgements that readers are made of.
func TestSmallJudgements(t *testing.T) {
	for text, want := range map[string][2]int{
		" is x": {0, 4}, " of a is x": {5, 9}, " lautet x": {0, 8}, " of. A is x": {-1, 0}, " of: a is x": {-1, 0}, " of a\nis is x": {-1, 0}, " ist was x": {0, 5}, "": {-1, 0}, " a.b is x": {4, 8}, " was is x": {0, 5}, " x was y is z": {2, 7},
	} {
		if at, end := said(text); at != want[0] || at >= 0 && end != want[1] {
			t.Errorf("said(%q) is %d, %d", text, at, end)
		}
	}
	for text, want := range map[string]int{" api": 0, " api x": 4, " de api": 7, "-API:": 4, " apis": 0, " secreta.": 0, " secreta": 8, "xapi x": 0, " доступа": 1 + len("доступа"), "": 0, " d'api est": 6} {
		if n := qualifier(text); n != want {
			t.Errorf("qualifier(%q) is %d", text, n)
		}
	}
	as := func(v Verdict) func(string) bool { return func(w string) bool { return handmade(w, v) } }
	checkEach(t, "handmade behind a password's name", as(Certain),
		[]string{"", "word", "apple9x", "apple9xyz", "applepie99", "APPLEPIE99", "Apple9xyz", "ABABABABABABABAB", "JBSWY3DP", "AAAAAAAAAAAAAAA"}, []string{"Applepie99", "a1b2c3d4", "JBSWY3DPEHPK3PXP", "ABCDEFGHABCDEFGH"})
	checkEach(t, "handmade behind a word", as(Likely), []string{"Applepie99", "word"}, []string{"a1b2c3d4"})
	unquoted, quoted := func(v string) bool { return codeLike(v, false) }, func(v string) bool { return codeLike(v, true) }
	checkEach(t, "codeLike", unquoted, []string{"f()", "a[0]", "x{", "os.environ", "a.b.c.d.e", "A_b.c"}, []string{"abc", "a.b.c.d.e.f", "a.b1", "a.b-c", ""})
	checkEach(t, "codeLike in quotes", quoted, nil, []string{"f()", "os.environ"})
	checkEach(t, "callFollows", callFollows, []string{"(x", "[0]", "{x"}, []string{"", "x(", " ("})
	s := &scanning{e: shared}
	checkEach(t, "title", s.title, []string{"API of it", "the token of x", "your password!"}, []string{"correct horse", "the key of x", ""})
	cookie := func(v string) bool { return s.plainCookie("Set-Cookie", v) }
	checkEach(t, "plainCookie", cookie, []string{"theme=dark; lang=en", "a=", "a=abcdefgh", "a=b-c_d"}, []string{"theme", "a=abcdefghi", "a=x1", "token=abc", "a=b; sid=x1", ""})
	if s.plainCookie("note", "a=b") {
		t.Error("a note is a header of cookies")
	}
	for text, want := range map[string]int{"Bearer x": 7, "bearer   x": 9, "Bearer ": 0, "Bearer": 0, "BASIC x": 6, "x Bearer y": 0, "Digest x": 7, "apikey x": 7} {
		if n := schemeEnd(text); n != want {
			t.Errorf("schemeEnd(%q) is %d", text, n)
		}
	}
	for text, want := range map[string]int{`abc" x`: 3, `a\"c" x`: 4, `a\\" x`: 3, "ab\nc\"": -1, "abc": -1, `"`: 0, `\`: -1, "": -1} {
		if n := closing(text, `"`); n != want {
			t.Errorf("closing(%q) is %d", text, n)
		}
	}
	for _, c := range []struct {
		text  string
		start int
		want  byte
	}{{`{"a": x`, 6, '{'}, {`{"b": 1, "a": x`, 14, ','}, {"x\na: x", 5, '\n'}, {"a: x", 3, '\n'}, {"", 0, '\n'}, {"{" + strings.Repeat("x", 100) + "y", 101, '{'}, {"{" + strings.Repeat("x", 101) + "y", 102, 'x'}} {
		if got := lastSign(c.text, c.start); got != c.want {
			t.Errorf("lastSign(%q) is %q", c.text, got)
		}
	}
	for text, want := range map[string]bool{`x",`: true, `x"`: true, `x" ]`: true, "x'\n": true, `x\",`: true, `x" x`: false, "x,": false, "x\"    }": true, `x""",`: false, `x")`: false, `x" \`: true} {
		if got := fieldQuoted(text, 1); got != want {
			t.Errorf("fieldQuoted(%q) is %v", text, got)
		}
	}
	for text, want := range map[string]int{"bot:a/b9@example.org/x": 8, "bot:a#b9@localhost": 8, "bot:a?b9@db:5432": 8, "bot:apple9@example.org": -1, "bot/a:b9@example.org": -1, ":a/b9@example.org": -1, "b.t:a/b9@example.org": -1, "bot:a/b9@": -1, "bot:a/b9@nohost": -1, "bot:80/b9@example.org": -1, "bot:/b9@example.org": 7, "bot": -1, "bot:a/" + strings.Repeat("b", 249) + "@e.org": 255, "bot:a/" + strings.Repeat("b", 250) + "@e.org": -1} {
		if got := strayLogin(text); got != want {
			t.Errorf("strayLogin(%q) is %d", text, got)
		}
	}
	for text, want := range map[string]int{"f('ab', 'x')": 8, "f('ab','x')": 7, "f(\"ab\",\n `x`)": 9, "f('ab', x)": -1, "f('ab' 'x')": -1, "f('ab\", 'x')": -1, "f  ab', 'x')": -1, "  'ab', 'x')": -1, "'ab', 'x'": -1, "f('ab": -1, "f('ab'": -1, "f('ab',": -1} {
		s := &scanning{text: text}
		i := strings.Index(text, "ab")
		if at, ok := s.called(i, i+2); ok != (want > 0) || ok && at != want {
			t.Errorf("called in %q: %d %v", text, at, ok)
		}
	}
	for text, want := range map[string]int{"abc def": 3, "abc": 3, "abc).": 3, "a!b!": 3, "a'b": 1, "a\\b": 1, "aéb,c": 6, "a，b": 1, "a`": 1, "a^b": 1, "a|b": 1, "": 0, "a<b": 1, "日本」": 6, "a\x00b": 1} {
		if got := addressEnd(text); got != want {
			t.Errorf("addressEnd(%q) is %d", text, got)
		}
	}
	for text, want := range map[string]int{"abc": 3, "abcdefg": 4, "ab c": 2, "ab\nc": 2, "abé": 2, "": 0} {
		if got := blankFree(text, 4); got != want {
			t.Errorf("blankFree(%q) is %d", text, got)
		}
	}
	for text, want := range map[string]int{"abc": 3, "abcdefg": 4, "a bc": 2, "a\nb": 1, "éab": 2, "": 0} {
		if got := blankFreeBefore(text, 4); got != want {
			t.Errorf("blankFreeBefore(%q) is %d", text, got)
		}
	}
	for text, want := range map[string]string{
		": x": "x", " = x": "x", "_name: x": "x", "\" : \"x": "x", "=> x": "x", "::= x": "x", ":::= x": "x", "||x": "x", "?=x": "x", ">x": "x", ", x": "x", "\t=\t`'\"  x": " x", " of the name = x": "x", " x": "", "": "", "; x": "", " abcdefghijklmnopqrs=x": "x", " abcdefghijklmnopqrst=x": "",
		"\n\n\n=x": "x", "\n\n\n\n=x": "", "=======x": "=x",
	} {
		s := &scanning{text: "key" + text}
		at := s.operand(3)
		if got := at; want == "" && got != -1 || want != "" && (got < 0 || s.text[got:] != want) {
			t.Errorf("operand(%q) is %d", text, got)
		}
	}
	for word, want := range map[string]int{"a;b": 1, "ab": 2, "a b": 1, "a\"": 1, "(a": 0, "a é": 1, "aé": 1} {
		if got := (&scanning{text: word}).wordAt(0); len(got) != want {
			t.Errorf("wordAt(%q) is %q", word, got)
		}
	}
	for text, want := range map[string]int{"abc.": 3, "abc:": 3, "abc..": 3, "abc, d": 3, "a.b": 3, "a\\b": 1, "": 0} {
		if got := (&scanning{text: text}).wordEnd(0); got != want {
			t.Errorf("wordEnd(%q) is %d", text, got)
		}
	}
	for text, want := range map[string]string{"password": "password", "x password y": "password", "api-password.x": "api-password.x", "ñpassword": "ñpassword", "xñpassword": "xñpassword", "passwordñ x": "passwordñ", "×password÷": "password", "日password本": "password"} {
		s := &scanning{text: text}
		i := strings.Index(text, "passw")
		if start, end := s.identifier(i, i+5); text[start:end] != want {
			t.Errorf("identifier in %q is %q", text, text[start:end])
		}
	}
	for text, want := range map[string]string{"密码": "密码", "管理员密码是": "管理员密码", "我的密码": "密码", "一二三四五六七密码": "二三四五六七密码", "密码一二三四五六七": "密码一二三四五六", "ab密码": "ab密码", "a1密码": "密码", "ユーザー密码ー": "ユーザー密码ー", "密码x": "密码", "密码は": "密码", "，密码，": "密码"} {
		s := &scanning{text: text}
		i := strings.Index(text, "密码")
		if start, end := s.label(i, i+len("密码")); text[start:end] != want {
			t.Errorf("label in %q is %q", text, text[start:end])
		}
	}
	for name, want := range map[string]Verdict{"key": Weak, "api key": Certain, "public key": Never, "bot token": Certain, "my key": Weak, "the access token": Certain, "x_key": Weak, "  key": Weak, "api, key": Weak, "1 key": Weak, "ssh public key": Never, "next token": Never, "stop token": Never, "encryption key": Certain} {
		s := &scanning{e: shared, text: name}
		start := strings.LastIndex(name, " ") + 1
		if got := s.nameInText(name[start:], start); got != want {
			t.Errorf("%q says %d, not %d", name, got, want)
		}
	}
}
