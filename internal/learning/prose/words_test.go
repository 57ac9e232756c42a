package prose

import (
	"slices"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"  A  Ring.\n": "a ring", "ＡＢＣ１": "abc1", "don’t": "don't", "a–b": "a-b", "−5": "-5", "`code`": "code", "**bold**": "bold", "(the same)": "the same", "( the same )": "the same",
		"「環」。": "環", "什么？！": "什么", "“so”…": "so", "-": "-", "...": "", "": "", "¿Qué?": "¿qué",
	} {
		if got := Fold(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A hyphen or an apostrophe within a word is part of it, one at its end or before it is not.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":  "",
		"A": "a", "one two": "one|two", "x2 y": "x2|y", "2x": "2x", "well-known": "well-known", "a-b": "a-b", "a-z a-a a-0 a-9": "a-z|a-a|a-0|a-9", "a-é": "a-é", "don't": "don't", "b -c": "b|c", "b- c": "b|c", "-b": "b", "b-": "b",
		"dogs' tails": "dogs|tails", "a-(b)": "a|b", "a--b": "a|b", "l'eau": "l'eau", "a/b": "a|b", `\pi r`: `\pi|r`, "क्या है": "क्या|है", "x\u0304y": "x\u0304y", "环是set的": "环|是|set|的", "环a": "环|a", "a环": "a|环", "スタックx": "ス|タ|ッ|ク|x", "한국": "한|국", "1.5": "1|5",
	} {
		if got := strings.Join(Words(text), "|"); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"flies": "fly", "ties": "tie", "series": "sery", "asses": "ass", "aches": "ach", "ashes": "ash", "boxes": "box", "axes": "axe", "classes": "class", "bags": "bag", "gas": "gas", "mass": "mass", "genus": "genus", "basis": "basis",
		"rings": "ring", "ring's": "ring", "ring": "ring", "s": "s", "": "", "houses": "house",
	} {
		if got := Stem(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

// Every language is told by its own words; of two that are equal it is the first, and English before all.
func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]string{
		"": "en", "x": "en", "the il": "en", "il the": "en", "la": "it", "las la": "es", "Il gatto, che è di Roma.": "it", "(der) Hund": "de", "El perro y los gatos": "es", "O cão não é um gato": "pt", "Les chats sont dans la rue": "fr", "Der Hund ist nicht da": "de", "The cat is of the house": "en",
		"环是一个": "zh", "环是个": "en", "环是一个 abcde fghij klmno pqrs": "zh", "环是一个 abcde fghij klmno pqrst": "en", "环是一个 abcde fghij klmno pqrs 12345": "zh",
		"これは環": "en", "これは環で": "ja", "スタック": "ja", "すたック": "ja", "コアの": "en", strings.Repeat("漢", 47) + "これはの": "ja", strings.Repeat("漢", 48) + "これはの": "zh",
	} {
		if got := LanguageOf(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestWordSet(t *testing.T) {
	set := WordSet("a  b\nc")
	for word, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false, "": false} {
		if set[word] != want {
			t.Errorf("%q: %v", word, set[word])
		}
	}
	if !slices.Contains(marking["la"], "it") || !slices.Contains(marking["la"], "es") {
		t.Errorf("la is of %q", marking["la"])
	}
}
