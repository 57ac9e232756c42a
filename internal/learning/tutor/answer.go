package tutor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Outcome of an answer, in the contract's words.
type Outcome string

// The outcomes that an analysis gives.
const (
	Correct   Outcome = "correct"
	Partial   Outcome = "partial"
	Incorrect Outcome = "incorrect"
)

// Analysis is what the rules make of an answer.
type Analysis struct {
	Outcome    Outcome
	ErrorTag   string
	Confidence float64  // 0..1: that a person would judge the same
	Overlap    float64  // 0..1: the share of the atom's key words that the answer has
	Matched    []string // those words
}

const (
	mostKeys   = 24  // of an atom that count
	enough     = 3   // key words that make an answer right, or
	mostOf     = 0.6 // that share of them where there are few
	weak, fair = .3, .4
)

// Analyze judges an answer by the key words that it shares with what it is about. title and content are the atom's,
// keywords its words in the order of the text. What the title says is not counted: repeating the question is no answer,
// unless there is nothing else.
func Analyze(answer, title string, keywords []string) Analysis {
	said := terms(answer)
	asked := terms(title)
	var keys []string
	for _, k := range keywords {
		if k = fold(k); !telling(k) || asked[k] || len(keys) == mostKeys {
			continue
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		for k := range asked {
			keys = append(keys, k)
		}
	}
	var a Analysis
	for _, k := range keys {
		if said[k] {
			a.Matched = append(a.Matched, k)
		}
	}
	hits := len(a.Matched)
	if len(keys) > 0 {
		a.Overlap = float64(hits) / float64(len(keys))
	}
	a.Confidence = min(.42+.08*float64(hits), .92)
	switch {
	case hits >= enough || hits > 0 && a.Overlap >= mostOf:
		a.Outcome = Correct
	case hits > 0:
		a.Outcome, a.ErrorTag = Partial, "reasoning_jump"
		if a.Overlap < fair {
			a.ErrorTag = "evidence_mismatch"
		}
	default:
		a.Outcome, a.ErrorTag = Incorrect, "retrieval_failure"
		if len(said) >= enough { // it says something, but something else
			a.ErrorTag = "evidence_mismatch"
		}
	}
	return a
}

// telling leaves out words that say nothing of a subject.
func telling(w string) bool {
	n := utf8.RuneCountInString(w)
	r, _ := utf8.DecodeRuneInString(w)
	return n > 3 || n >= 2 && (unicode.Is(unicode.Han, r) || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || unicode.IsDigit(r))
}

func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 20000

// terms are the words of a text, and of Chinese, Japanese and Korean every two neighbouring characters.
func terms(text string) map[string]bool {
	all := map[string]bool{}
	text = fold(text[:min(len(text), longestAnswer)])
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		all[w] = true
		runes := []rune(w)
		for i := 0; i+1 < len(runes); i++ {
			if wide(runes[i]) && wide(runes[i+1]) {
				all[string(runes[i:i+2])] = true
			}
		}
	}
	return all
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
