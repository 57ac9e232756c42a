package train

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// placed is a text with the fold that it is left out with.
type placed struct {
	Text
	fold int
}

const (
	composeShare = 2   // of how many ordinary texts one gets a sentence put into it
	composeShort = 100 // bytes of the text around it
	composeLong  = 1400
	composeMost  = 420 // bytes of what is put in
)

// composed makes texts in which a sentence stands in the middle of an ordinary text of the same fold: an attack of the
// same fold or a generated one, and as often an ordinary sentence with telling words, so that being out of place does
// not decide. The same texts give the same composed ones.
func composed(texts []placed, always int, seed uint64) []placed {
	random := rand.New(rand.NewPCG(seed, 99))
	sentences := map[int]map[string][2][]string{}
	for _, t := range texts {
		if len(t.Text.Text) > composeMost || t.Label == 0 && !telling(t.Kind) || t.Label == 1 && emphasis(t.Kind) < 1 {
			continue
		}
		if sentences[t.fold] == nil {
			sentences[t.fold] = map[string][2][]string{}
		}
		for _, name := range []string{t.Lang, t.Lang + stepsOf}[:1+t.steps()] {
			l := sentences[t.fold][name]
			l[t.Label] = append(l[t.Label], t.Text.Text)
			sentences[t.fold][name] = l
		}
	}
	var out []placed
	for _, t := range texts {
		skill := t.Kind == "benign_skill" || t.Kind == "benign_doc"
		if t.fold == always || t.Label == 1 || len(t.Text.Text) < 2*composeShort || random.IntN(composeShare) != 0 && t.Kind != "benign_skill" {
			continue
		}
		label := 0
		if random.IntN(3) > 0 {
			label = 1
		}
		lang := t.Lang
		if lang != "zh" && lang != "ja" {
			lang = "en"
		}
		if skill && random.IntN(3) > 0 {
			lang += stepsOf // what is put into skills are mostly steps
		}
		pool := sentences[t.fold][lang][label]
		if own := len(pool); own == 0 || random.IntN(own+20) < 20 {
			pool = sentences[always][lang][label]
		}
		if len(pool) == 0 {
			continue
		}
		text := around(random, t.Text.Text, dress(random, pool[random.IntN(len(pool))]))
		out = append(out, placed{Text{text, label, t.Lang, "composed", [2]string{"composed_ordinary", "composed_attack"}[label] + genre(t.Kind, 0)}, t.fold})
	}
	return out
}

// stepsOf marks the sentences of a language that are steps of skills, tools and programs.
const stepsOf = " steps"

// steps is 1 for what could be a step of a skill, a tool or a program, else 0.
func (t placed) steps() int {
	for _, part := range []string{"skill", "tool", "code", "exfiltration", "_dev", "setup"} {
		if strings.Contains(t.Kind, part) {
			return 1
		}
	}
	return 0
}

// telling is true of kinds whose texts have the words of attacks and are none.
func telling(kind string) bool {
	return kind == "overdefense" || kind == "atr_near_miss" || kind == "text_about_injection" || strings.HasPrefix(kind, "benign_")
}

// around puts a sentence at a line's end in a part of a text.
func around(random *rand.Rand, text, sentence string) string {
	n := composeShort + random.IntN(composeShort*3)
	if random.IntN(2) == 0 {
		n = composeShort + random.IntN(composeLong-composeShort)
	}
	n = min(n, len(text))
	from := runeStart(text, random.IntN(len(text)-n+1))
	text = text[from:runeStart(text, from+n)]
	at := random.IntN(len(text) + 1)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		at += i + 1
	} else if i := strings.LastIndexByte(text[:at], '\n'); i >= 0 {
		at = i + 1
	} else {
		at = runeStart(text, at)
	}
	return text[:at] + sentence + "\n" + text[at:]
}

func runeStart(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return min(i, len(s))
}

// dress gives a sentence the form of what stands around it in lists, comments and fields.
func dress(random *rand.Rand, s string) string {
	switch random.IntN(12) {
	case 0:
		return "- " + s
	case 1:
		return "<!-- " + s + " -->"
	case 2:
		return "# " + strings.ReplaceAll(s, "\n", "\n# ")
	case 3:
		return "> " + s
	case 4:
		return "   4. " + s
	case 5:
		return "\n## Note\n\n" + s + "\n"
	case 6:
		return "**Important:** " + s
	case 7:
		return "description: \"" + s + "\""
	}
	return s
}
