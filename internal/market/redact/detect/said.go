package detect

import "strings"

// maxSaid is how far behind a name the verb may stand that ties its value to it, in bytes.
const maxSaid = 56

// verbs tie a value to a name in a sentence.
var verbs = []string{" is ", " was ", " ist ", " lautet ", " war ", " es ", " era ", " est ", " était ", " è ", " é ", " está ", " är ", " jest "}

// said returns where the first such verb stands in a text and where it ends, -1 when there is none in its first sentence.
func said(near string) (at, end int) {
	if stop := strings.IndexAny(near, "\n:;?!="); stop >= 0 {
		near = near[:stop]
	}
	if stop := strings.Index(near, ". "); stop >= 0 {
		near = near[:stop]
	}
	at = -1
	for _, v := range verbs {
		if i := strings.Index(near, v); i >= 0 && (at < 0 || i < at) {
			at, end = i, i+len(v)
		}
	}
	return at, end
}

// qualifiers follow a word for "key" or "token" in languages that say "key of access".
var qualifiers = []string{
	"d'api", "d’api", "d'accès", "d’accès", "de api", "de la api", "de l'api", "de l’api", "del api", "da api", "dell'api", "dell’api", "di api", "api", "de acceso", "de acesso", "di accesso",
	"secreta", "secrète", "segreta", "privada", "privée", "privata", "доступа",
}

// qualifier is the length of such words, with the blank before them, at the beginning of a text; 0 when there are none.
func qualifier(text string) int {
	if len(text) < 5 || text[0] != ' ' && text[0] != '-' {
		return 0
	}
	for _, q := range qualifiers {
		if n := 1 + len(q); len(text) >= n && strings.EqualFold(text[1:n], q) && (n == len(text) || !wordByte(text[n])) {
			return n
		}
	}
	return 0
}

// qualified widens a name that may be of something else by the words behind it that say that it is a credential's.
func (s *scanning) qualified(end int, v Verdict) (int, Verdict) {
	if v != Weak && v != Likely {
		return end, v
	}
	if n := qualifier(s.text[end:min(len(s.text), end+24)]); n > 0 {
		return end + n, Certain
	}
	return end, v
}
