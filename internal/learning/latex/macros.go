package latex

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Macro is what a command stands for. #1 to #9 in its body are its arguments.
type Macro struct {
	Args int
	// Optional says that the first argument may be left out; then it is Default.
	Optional bool
	Default  string
	Body     string
}

// Macros are commands by their names, with the backslash.
type Macros map[string]Macro

// Bounds of what is defined and expanded.
const (
	mostMacros     = 1000
	longestBody    = 1000
	mostExpansions = 300
	deepest        = 20
	// Longest is that of a formula with its macros expanded, in bytes.
	Longest = 8000
)

// definers are the commands that define others.
var definers = map[string]func(r *reader) (name string, m Macro, ok bool){
	`\newcommand`: (*reader).command, `\renewcommand`: (*reader).command, `\providecommand`: (*reader).command,
	`\DeclareMathOperator`: (*reader).operator,
	`\def`:                 (*reader).def, `\gdef`: (*reader).def,
	`\let`: (*reader).let,
}

// Defines reports whether a text may define macros.
func Defines(text string) bool {
	return strings.Contains(text, `command`) || strings.Contains(text, `\def`) || strings.Contains(text, `\gdef`) || strings.Contains(text, `\let`) || strings.Contains(text, `\DeclareMathOperator`)
}

// Define takes the definitions of macros out of a text and gives them, with what remains. A definition that cannot be read remains.
func Define(text string) (defined Macros, rest string) {
	if !Defines(text) {
		return nil, text
	}
	var out strings.Builder
	r := reader{text: text}
	for r.at < len(text) {
		from := r.at
		token := r.token()
		if define := definers[token]; define != nil && len(defined) < mostMacros {
			if name, m, ok := define(&r); ok && len(m.Body) <= longestBody {
				if defined == nil {
					defined = Macros{}
				}
				defined[name] = m
				continue
			}
			r.at = from + len(token)
		}
		out.WriteString(token)
	}
	return defined, out.String()
}

// Preamble reads a file of definitions. Comments end it no sooner than their lines.
func Preamble(text string) Macros {
	var lines []string
	for line := range strings.Lines(text) {
		for at := 0; ; {
			k := strings.IndexByte(line[at:], '%')
			if k < 0 {
				break
			}
			if at += k; at > 0 && line[at-1] == '\\' {
				at++
				continue
			}
			line = line[:at] + "\n"
			break
		}
		lines = append(lines, line)
	}
	defined, _ := Define(strings.Join(lines, ""))
	return defined
}

// String gives the definitions, one a line, in the order of their names; Preamble reads them.
func (m Macros) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		is := m[name]
		out.WriteString(`\newcommand{` + name + "}")
		if is.Args > 0 {
			out.WriteString("[" + strconv.Itoa(is.Args) + "]")
		}
		if is.Optional {
			out.WriteString("[" + is.Default + "]")
		}
		out.WriteString("{" + is.Body + "}\n")
	}
	return out.String()
}

// With gives the macros with others, which take the place of those of the same name.
func (m Macros) With(others Macros) Macros {
	if len(m) == 0 {
		return maps.Clone(others)
	}
	all := maps.Clone(m)
	maps.Copy(all, others)
	return all
}

// Expand puts what they stand for in the place of the macros of a formula. One that would grow beyond its bounds is given back as it is.
func (m Macros) Expand(formula string) string {
	if len(m) == 0 || len(formula) > Longest || !strings.Contains(formula, `\`) {
		return formula
	}
	e := expander{macros: m, left: mostExpansions}
	if out, ok := e.expand(formula, 0); ok {
		return out
	}
	return formula
}

type expander struct {
	macros Macros
	left   int
}

func (e *expander) expand(text string, depth int) (string, bool) {
	if depth > deepest {
		return "", false
	}
	var out strings.Builder
	r := reader{text: text}
	for r.at < len(text) {
		token := r.token()
		m, known := e.macros[token]
		if !known {
			write(&out, token)
			continue
		}
		if e.left--; e.left < 0 {
			return "", false
		}
		args := make([]string, m.Args)
		for k := range args {
			var ok bool
			if k == 0 && m.Optional {
				if args[0], ok = r.bracket(); !ok {
					args[0] = m.Default
				}
				continue
			}
			if args[k], ok = r.argument(); !ok {
				return "", false
			}
		}
		filled := fill(m.Body, args)
		if len(filled) > 2*Longest {
			return "", false
		}
		body, ok := e.expand(filled, depth+1)
		if !ok || out.Len()+len(body) > Longest {
			return "", false
		}
		write(&out, body)
	}
	return out.String(), out.Len() <= Longest
}

// write appends a token; a letter behind the name of a command would become a part of that.
func write(out *strings.Builder, token string) {
	if first, _ := utf8.DecodeRuneInString(token); unicode.IsLetter(first) && endsInCommand(out.String()) {
		out.WriteByte(' ')
	}
	out.WriteString(token)
}

func endsInCommand(s string) bool {
	k := len(s)
	for k > 0 && isLetter(s[k-1]) {
		k--
	}
	return k < len(s) && k > 0 && s[k-1] == '\\' && (k < 2 || s[k-2] != '\\')
}

// fill puts arguments into the body of a macro.
func fill(body string, args []string) string {
	if len(args) == 0 {
		return body
	}
	pairs := make([]string, 0, 2*len(args))
	for k, arg := range args {
		pairs = append(pairs, "#"+strconv.Itoa(k+1), arg)
	}
	return strings.NewReplacer(pairs...).Replace(body)
}
