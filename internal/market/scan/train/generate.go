package train

import (
	"embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

//go:embed corpus/*.txt
var corpus embed.FS

// Generate makes training texts from the phrases of corpus/, the same ones for the same arguments: at most
// perLine different ones from each line, and some of the attacks inside of ordinary texts.
func Generate(perLine int, seed uint64) []Text {
	var all []Text
	files, err := corpus.ReadDir("corpus")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		b, err := corpus.ReadFile("corpus/" + f.Name())
		if err != nil {
			panic(err)
		}
		lang, _, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".txt"), "-")
		all = append(all, generate(lang, string(b), perLine, seed)...)
	}
	return append(all, mixed(all, seed)...)
}

func generate(lang, text string, perLine int, seed uint64) []Text {
	lists := map[string][]string{}
	var out []Text
	label, kind := -1, ""
	type line struct {
		label      int
		kind, text string
		most       int
	}
	most := perLine
	var lines []line
	for l := range strings.Lines(text) {
		l = escape.Replace(strings.TrimSpace(l))
		name, words, isList := strings.Cut(l, " = ")
		switch {
		case l == "" || strings.HasPrefix(l, "# ") && label < 0:
		case strings.HasPrefix(l, "[attack ") || strings.HasPrefix(l, "[benign "):
			label = 0
			if l[1] == 'a' {
				label = 1
			}
			kind, most = strings.Trim(l[8:], "]"), perLine
			if name, times, ok := strings.Cut(kind, " x"); ok {
				n, err := strconv.Atoi(times)
				if err != nil {
					panic(err)
				}
				kind, most = name, perLine*n
			}
		case isList && !strings.ContainsAny(name, " {<"):
			lists[name] = split(words)
		default:
			lines = append(lines, line{label, kind, l, most})
		}
	}
	for _, l := range lines {
		h := fnv.New64a()
		h.Write([]byte(l.text))
		g := grammar{lists, rand.New(rand.NewPCG(seed, h.Sum64()))}
		seen := map[string]bool{}
		for range l.most * 2 {
			s := strings.TrimSpace(strings.ReplaceAll(strings.Join(strings.Fields(g.expand(l.text, 0)), " "), `\n`, "\n"))
			s = unescape.Replace(s)
			if s != "" && !seen[s] && len(seen) < l.most {
				seen[s] = true
				out = append(out, Text{s, l.label, lang, "generated-" + l.kind, fmt.Sprintf("%s_%s", [2]string{"benign", "attack"}[l.label], l.kind)})
			}
		}
	}
	return out
}

// Bars and braces that do not make choices are written \\|, \\{ and \\}.
var (
	escape   = strings.NewReplacer(`\|`, "\x00", `\{`, "\x01", `\}`, "\x02")
	unescape = strings.NewReplacer("\x00", "|", "\x01", "{", "\x02", "}")
)

type grammar struct {
	lists  map[string][]string
	random *rand.Rand
}

// split cuts at the bars that stand outside of braces.
func split(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

func (g grammar) expand(s string, depth int) string {
	if depth > 8 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			j, open := i+1, 1
			for ; j < len(s) && open > 0; j++ {
				switch s[j] {
				case '{':
					open++
				case '}':
					open--
				}
			}
			parts := cut(s[i+1 : j-1])
			b.WriteString(g.expand(parts[g.random.IntN(len(parts))], depth+1))
			i = j - 1
		case '<':
			if j := strings.IndexByte(s[i:], '>'); j > 0 {
				if words, ok := g.lists[s[i+1:i+j]]; ok {
					b.WriteString(g.expand(words[g.random.IntN(len(words))], depth+1))
					i += j
					continue
				}
			}
			b.WriteByte('<')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// cut is split that keeps the spaces inside of a choice.
func cut(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}

// mixed puts attacks between ordinary sentences, and ordinary sentences alone of the same length, so that company
// does not decide.
func mixed(all []Text, seed uint64) []Text {
	random := rand.New(rand.NewPCG(seed, 4711))
	attacks, benign := map[string][]string{}, map[string][]string{}
	for _, t := range all {
		if t.Label == 1 {
			attacks[t.Lang] = append(attacks[t.Lang], t.Text)
		} else {
			benign[t.Lang] = append(benign[t.Lang], t.Text)
		}
	}
	var out []Text
	for _, lang := range []string{"en", "ja", "zh"} {
		for i := range len(attacks[lang]) / 4 {
			n := 1 + random.IntN(4)
			parts := make([]string, n)
			for k := range parts {
				parts[k] = benign[lang][random.IntN(len(benign[lang]))]
			}
			joint := [3]string{" ", "\n", "\n\n"}[random.IntN(3)]
			label, kind := 0, "benign_joined"
			if i%2 == 0 {
				label, kind = 1, "attack_joined"
				parts = slices.Insert(parts, random.IntN(n+1), attacks[lang][random.IntN(len(attacks[lang]))])
			}
			out = append(out, Text{strings.Join(parts, joint), label, lang, "generated-joined", kind})
		}
	}
	return out
}
