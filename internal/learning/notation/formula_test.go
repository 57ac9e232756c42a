package notation

import (
	"strings"
	"testing"
)

// Formulas that say the same have one form.
func TestForms(t *testing.T) {
	for in, want := range map[string]string{
		"b + a": "a+b", "$b+a$": "a+b", "b=a": "a=b", "c*b+a": "a+b*c", "a-b": "-b+a", "-b+a": "-b+a", "+a": "a", "x^{2}": "x^2", "x^{{2}}": "x^2", "x^{23}": "x^(23)", `\frac{1}{2}`: "frac12", `\dfrac{ab}{2}`: "frac(ab)2", "c*(b+a)": "(a+b)*c", "((b+a))*c": "((a+b))*c",
		"(b+a)(d+c)": "(b+a)(d+c)", "f(b=a)=c": "c=f(b=a)", "[b+a]*c": "[b+a]*c", "a × b.": "a*b", "": "", "(b)+(a)": "(a)+(b)", `\{b+a\}+c`: `\(b+a\)+c`,
	} {
		if got := Formula(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"(a)": "a", "()": "", "((a)b)": "(a)b", "(a)(b)": "-", "(a)+(b)": "-", "(": "-", ")": "-", "": "-", "a": "-", "(a": "-", "a)": "-", "ab": "-", "(a)b": "-", "(a))": "-"} {
		if got, ok := bracketed(in); ok != (want != "-") || ok && got != want {
			t.Errorf("%q is in brackets: %q %v", in, got, ok)
		}
	}
	for in, want := range map[string]string{"a=b": "a|b", "=": "|", "": "", "(a=b)=c": "(a=b)|c", "[a=b]=c": "[a=b]|c", "{a=b}=c": "{a=b}|c", "((a)=b)=c": "((a)=b)|c", "a=b=c": "a|b|c"} {
		if got := strings.Join(splitTop(in, '='), "|"); got != want {
			t.Errorf("%q has the sides %q", in, got)
		}
	}
}

// Writings of one formula have one form, and others have another.
func TestSame(t *testing.T) {
	for _, same := range [][2]string{{"a+b", "b + a"}, {`\frac{1}{2}`, `\dfrac{1}{2}`}, {"x = y*z", "z*y=x"}, {`a \le b`, "a ≤ b"}, {"x^{2}", "x^2"}, {`\left(a+b\right)*c`, "c*(b+a)"}, {"a-b", "-b+a"}} {
		if Formula(same[0]) != Formula(same[1]) {
			t.Errorf("%q %q: %q %q", same[0], same[1], Formula(same[0]), Formula(same[1]))
		}
	}
	for _, other := range [][2]string{{"a-b", "b-a"}, {"a^b", "b^a"}, {"a/b", "b/a"}, {"a<b", "b<a"}, {"x^2", "x^3"}, {"2x", "x2"}} {
		if Formula(other[0]) == Formula(other[1]) {
			t.Errorf("%q and %q are the same: %q", other[0], other[1], Formula(other[0]))
		}
	}
}
