package latex

import (
	"maps"
	"strings"
	"testing"
)

func TestDefine(t *testing.T) {
	for _, c := range []struct{ text, formula, want, rest string }{
		{`\newcommand{\R}{\mathbb{R}}`, `x\in\R`, `x\in\mathbb{R}`, ""},
		{`\newcommand\R{\mathbb R} y`, `\R^n a`, `\mathbb R^n a`, " y"},
		{`\newcommand*{\tpl}[1]{\left\langle #1 \right\rangle}`, `\tpl{G,\ast}`, `\left\langle G,\ast \right\rangle`, ""},
		{`\renewcommand{\v}[2][x]{#1_#2}`, `\v3 + \v[y]{12}`, `x_3 + y_12`, ""},
		{`\DeclareMathOperator{\im}{im}\DeclareMathOperator*{\argmax}{arg\,max}`, `\im f \argmax_x`, `\operatorname{im} f \operatorname*{arg\,max}_x`, ""},
		{`\def\set#1#2{\{#1 : #2\}}`, `\set{x}\phi`, `\{x : \phi\}`, ""},
		{`\let\ex=\exists \let\fa\forall`, `\ex x\fa y\exists`, `\exists x\forall y\exists`, " "},
		{`\newcommand{\A}{\B\B}\newcommand{\B}{b}`, `\A c`, `bb c`, ""},
		{`\newcommand{\half}{\frac12}`, `\halfa\half a`, `\halfa\frac12 a`, ""},
		{`\newcommand{\q}{\quad}`, `\q{x}\q x`, `\quad{x}\quad x`, ""},
		{`\def\p(#1){x}`, `\p(1)`, `\p(1)`, `\def\p(#1){x}`},
		{`\newcommand{R}{x}`, `R`, `R`, `\newcommand{R}{x}`},
		{`\newcommand{\R}[1`, `\R`, `\R`, `\newcommand{\R}[1`},
		{`\newcommand{\R}[x]{y}`, `\R`, `\R`, `\newcommand{\R}[x]{y}`},
		{`\leq \command`, `\leq`, `\leq`, `\leq \command`},
		{`x = 1`, `x`, `x`, `x = 1`},
	} {
		m, rest := Define(c.text)
		if got := m.Expand(c.formula); got != c.want || rest != c.rest {
			t.Errorf("%s: %s is %s, want %s; rest %q, want %q", c.text, c.formula, got, c.want, rest, c.rest)
		}
	}
}

func TestPreamble(t *testing.T) {
	m := Preamble("% \\newcommand{\\no}{x}\n\\newcommand{\\pc}{50\\%} % half\n\\newcommand{\\two}[2]{ % of two\n  #1 + #2\n}\n\\usepackage{x}")
	if len(m) != 2 || strings.Join(strings.Fields(m.Expand(`\pc \two{a}{b}`)), " ") != `50\% a + b` {
		t.Errorf("%v: %s", m, m.Expand(`\pc \two{a}{b}`))
	}
	if again := Preamble(m.String()); !maps.Equal(again, m) || !maps.Equal(Preamble(Preamble(`\renewcommand{\v}[2][x]{#1_#2}`).String()), Preamble(`\renewcommand{\v}[2][x]{#1_#2}`)) {
		t.Errorf("%v", again)
	}
	if all := m.With(Macros{`\pc`: {Body: "p"}}); all.Expand(`\pc`) != "p" || m.Expand(`\pc`) != `50\%` || len(Macros(nil).With(m)) != 2 || len(m.With(nil)) != 2 {
		t.Error("with")
	}
}

// A formula that cannot be expanded within the bounds stays as it is.
func TestBounds(t *testing.T) {
	for _, defs := range []string{
		`\newcommand{\a}{\a}`, `\newcommand{\a}{\b}\newcommand{\b}{\a}`, `\newcommand{\a}{\b\b}\newcommand{\b}{\c\c}\newcommand{\c}{\d\d}\newcommand{\d}{\e\e}\newcommand{\e}{\f\f}\newcommand{\f}{\g\g}\newcommand{\g}{\h\h}\newcommand{\h}{\i\i}\newcommand{\i}{x}`,
		`\newcommand{\a}[1]{#1}`, `\newcommand{\a}{` + strings.Repeat("x", longestBody) + `}`,
	} {
		m, _ := Define(defs)
		formula := `\a`
		if strings.Contains(defs, "xxx") {
			formula = strings.Repeat(`\a`, 9)
		}
		if got := m.Expand(formula); got != formula {
			t.Errorf("%.60s: %.80s", defs, got)
		}
	}
	if m, _ := Define(`\newcommand{\a}{` + strings.Repeat("x", longestBody+1) + `}`); len(m) > 0 {
		t.Error("a body without bounds")
	}
	if m, _ := Define(strings.Repeat(`\newcommand{\a}{x}`, 3) + `}}{{`); m.Expand(`{\a`) != `{x` || m.Expand(`\a}`) != `x}` {
		t.Error("braces")
	}
	for _, piece := range []string{`\newcommand{`, `\def\a#1{`, `{`, `\`, `\newcommand{\a}[`, `\a`, `[`} {
		text := strings.Repeat(piece, 20_000) // which would take minutes if each were looked through to the end
		m, _ := Define(text)
		m.Expand(text)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add(`\newcommand{\R}[1]{\mathbb{#1}}`, `\R{x}`)
	f.Add(`\def\x#1{#1\x}`, `\x\x`)
	f.Fuzz(func(t *testing.T, defs, formula string) {
		m, rest := Define(defs)
		if len(rest) > len(defs) {
			t.Errorf("%q grew to %q", defs, rest)
		}
		if got := m.Expand(formula); len(got) > max(Longest, len(formula)) {
			t.Errorf("%d bytes", len(got))
		}
	})
}
