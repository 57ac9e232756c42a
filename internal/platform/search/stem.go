package search

import "strings"

// unstemmed are words that look inflected but are not.
var unstemmed = words(`news series species always perhaps during evening morning
	everything something anything nothing ceiling wedding pricing need feed seed
	speed indeed hundred proceed exceed`)

// stem undoes the regular English inflections (plural, -ing, -ed) of a folded
// word: "writes", "writing" and "write" meet. It never touches words with other
// letters than a to z, and it does not derive ("translator" stays itself).
func stem(word string) string {
	if len(word) < 4 || unstemmed[word] || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return word
	}
	word = singular(word)
	for _, ending := range []string{"ing", "ed"} {
		base, ok := strings.CutSuffix(word, ending)
		if ok && len(base) > 2 && strings.ContainsAny(base, "aeiouy") {
			return infinitive(base)
		}
	}
	return word
}

// singular undoes a plural in s.
func singular(word string) string {
	n := len(word)
	switch {
	case !strings.HasSuffix(word, "s"), hasAnySuffix(word, "ss", "us", "is"):
		return word
	case strings.HasSuffix(word, "ies") && n > 4:
		return word[:n-3] + "y"
	case hasAnySuffix(word, "sses", "shes", "ches", "xes", "zzes"):
		return word[:n-2]
	}
	return word[:n-1]
}

// infinitive restores the e or removes the doubled consonant that -ing and -ed
// hide: "writ" to "write", "plann" to "plan", "generat" to "generate".
func infinitive(base string) string {
	n := len(base)
	last := base[n-1]
	switch {
	case last == base[n-2] && !strings.ContainsRune("aeiouylsz", rune(last)):
		return base[:n-1]
	case strings.HasSuffix(base, "eat") && base != "creat":
		return base
	case hasAnySuffix(base, "at", "iz", "yz", "is", "ys", "os", "as", "ag", "ang", "rg", "dg", "ur",
		"bl", "dl", "gl", "kl", "pl", "tl", "zl"):
		return base + "e"
	case last == 'v' || last == 'c' || last == 'u' || short(base):
		return base + "e"
	}
	return base
}

// short tells whether a base is one syllable ending consonant, vowel, consonant
// ("writ", "cod", "us"), which in English asks for a final e.
func short(base string) bool {
	n := len(base)
	if strings.ContainsRune("wxy", rune(base[n-1])) || isVowel(base[n-1]) || !isVowel(base[n-2]) || n > 2 && isVowel(base[n-3]) {
		return false
	}
	for i := range n - 2 {
		if isVowel(base[i]) {
			return false
		}
	}
	return true
}

func isVowel(b byte) bool { return strings.IndexByte("aeiouy", b) >= 0 }

func hasAnySuffix(word string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}

// words makes a set of a list in running text.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
