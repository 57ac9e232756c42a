// Package notation reads what people write in signs: numbers with their units, and formulas in LaTeX or in plain signs.
package notation

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// commands are commands of LaTeX with what they are compared as.
var commands = strings.NewReplacer(
	`\left`, "", `\right`, "", `\!`, "", `\,`, "", `\;`, "", `\:`, "", `\ `, "", `\quad`, "", `\qquad`, "", `\displaystyle`, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\cdot`, "*", `\times`, "*", "×", "*", "·", "*", "⋅", "*", "−", "-", "÷", "/",
	`\leq`, "≤", `\le`, "≤", "<=", "≤", `\geq`, "≥", `\ge`, "≥", ">=", "≥", `\neq`, "≠", `\ne`, "≠", "!=", "≠", `\to`, "→", `\rightarrow`, "→", "->", "→", `\Rightarrow`, "⇒", `\implies`, "⇒", "=>", "⇒", `\Leftrightarrow`, "⇔", `\iff`, "⇔",
	`\infty`, "∞", `\in`, "∈", `\notin`, "∉", `\subseteq`, "⊆", `\subset`, "⊂", `\cup`, "∪", `\cap`, "∩", `\forall`, "∀", `\exists`, "∃", `\emptyset`, "∅", `\varnothing`, "∅", `\partial`, "∂", `\nabla`, "∇", `\sum`, "∑", `\prod`, "∏", `\int`, "∫", `\sqrt`, "√", `\pm`, "±",
	`\alpha`, "α", `\beta`, "β", `\gamma`, "γ", `\delta`, "δ", `\epsilon`, "ε", `\varepsilon`, "ε", `\theta`, "θ", `\lambda`, "λ", `\mu`, "μ", `\pi`, "π", `\rho`, "ρ", `\sigma`, "σ", `\tau`, "τ", `\phi`, "φ", `\varphi`, "φ", `\omega`, "ω", `\Omega`, "Ω", `\Delta`, "Δ", `\Sigma`, "Σ", `\mathbb{R}`, "ℝ", `\R`, "ℝ", `\mathbb{N}`, "ℕ", `\mathbb{Z}`, "ℤ", `\mathbb{Q}`, "ℚ", `\mathbb{C}`, "ℂ",
	`\coloneqq`, "=", `:=`, "=", `\equiv`, "≡", `\ldots`, "…", `\dots`, "…", `\cdots`, "…", "...", "…", "²", "^2", "³", "^3", "**", "^", `\mathrm`, "", `\text`, "", `\operatorname`, "", `\log`, "log", `\ln`, "ln", `\sin`, "sin", `\cos`, "cos", `\tan`, "tan", `\exp`, "exp", `\lim`, "lim", `\max`, "max", `\min`, "min",
)

// Formula gives the normal form of a formula in LaTeX or plain signs: the same for writings that differ in spaces, brackets around single signs,
// names of signs, the order of what is added or multiplied, and the sides of an equation.
func Formula(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "$")
	s = strings.TrimSuffix(strings.TrimSpace(commands.Replace(s)), ".")
	var b strings.Builder
	for _, r := range s {
		if !unicode.IsSpace(r) {
			b.WriteRune(r)
		}
	}
	s = b.String()
	for { // x^{2} is x^2
		next := singleBraces.ReplaceAllString(s, "$1")
		if next == s {
			break
		}
		s = next
	}
	s = strings.NewReplacer("{", "(", "}", ")").Replace(s)
	s = strings.ReplaceAll(s, `\frac`, "frac")
	sides := splitTop(s, '=')
	for i := range sides {
		sides[i] = sorted(sides[i])
	}
	slices.Sort(sides)
	return strings.Join(sides, "=")
}

var singleBraces = regexp.MustCompile(`\{([^{}\\])\}`)

// sorted puts the terms of a sum and the factors of each in order.
func sorted(s string) string {
	s = strings.ReplaceAll(s, "-", "+-")
	terms := splitTop(strings.TrimPrefix(s, "+"), '+')
	for i, t := range terms {
		factors := splitTop(t, '*')
		for k, f := range factors {
			if inner, ok := bracketed(f); ok {
				factors[k] = "(" + sorted(inner) + ")"
			}
		}
		slices.Sort(factors)
		terms[i] = strings.Join(factors, "*")
	}
	slices.Sort(terms)
	return strings.Join(terms, "+")
}

func bracketed(s string) (string, bool) {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return "", false
	}
	depth := 0
	for i := range len(s) - 1 {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return "", false
		}
	}
	return s[1 : len(s)-1], true
}

// splitTop splits at a sign outside brackets.
func splitTop(s string, at byte) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == at && depth == 0:
			list = append(list, s[start:i])
			start = i + 1
		}
	}
	return append(list, s[start:])
}

// IsFormula reports whether a text is written as a formula or as code.
func IsFormula(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "$") || strings.HasPrefix(s, "`") || strings.ContainsAny(s, `\^=`) || strings.ContainsAny(s, "∀∃∈≤≥≠→⇒⇔∑∫√")
}
