package detect

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Verdict is what the name of a key says about its value.
type Verdict uint8

// What a name says.
const (
	Plain   Verdict = iota // says nothing
	Never                  // names something that is not secret, such as max_tokens
	Weak                   // may name a credential: the value must look like one
	Likely                 // names a credential unless the value is prose or a word of a setting
	Certain                // names a credential whatever the value looks like
	Account                // an identifier of an account: masked when it holds a digit
	Link                   // an address whose path is the secret (webhooks)
	Source                 // an address that may hold a password (DSN, proxy)
)

// Masks says whether a value under such a name is taken as a whole.
func (v Verdict) Masks() bool { return v >= Weak && v <= Account }

// Words splits the name of a key at capitals, digits and everything that is no letter, lower-cased:
// "X-Api-Key2", "xApiKey" and "X_API_KEY" are all x, api, key.
func Words(name string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			flush()
			continue
		}
		if i > 0 && unicode.IsUpper(r) {
			afterLower := unicode.IsLower(runes[i-1])
			endOfAcronym := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			plural := i+2 == len(runes) && runes[i+1] == 's' // URLs
			if afterLower || endOfAcronym && !plural {
				flush()
			}
		}
		word.WriteRune(unicode.ToLower(r))
	}
	flush()
	return out
}

// MaxNameBytes is the longest key that is read as a name; longer ones are texts.
const MaxNameBytes = 128

// names remembers what keys were found to say: configurations repeat theirs. It is dropped when it is full.
type names struct {
	mu   sync.RWMutex
	seen map[string]Verdict
}

const maxNames = 4096

func (n *names) Of(name string) Verdict {
	if name == "" || len(name) > MaxNameBytes {
		return Plain
	}
	n.mu.RLock()
	v, ok := n.seen[name]
	n.mu.RUnlock()
	if ok {
		return v
	}
	v = judge(name)
	n.mu.Lock()
	if n.seen == nil || len(n.seen) >= maxNames {
		n.seen = make(map[string]Verdict, 256)
	}
	n.seen[strings.Clone(name)] = v
	n.mu.Unlock()
	return v
}

// judge classifies a name by its words.
func judge(name string) Verdict {
	if v := judgeLabel(name); v != Plain {
		return v
	}
	w := Words(name)
	if len(w) == 0 {
		return Plain
	}
	if v := judgeWords(w); v != Plain {
		return v
	}
	if ascii := asciiPart(name); ascii != name { // key值, 开发者key
		return judge(ascii)
	}
	return Plain
}

// judgeWords classifies the words of a name.
func judgeWords(w []string) Verdict {
	if whole := strings.Join(w, "_"); neverNames[whole] {
		return Never
	}
	if n := len(w); n > 1 && secretNames[w[n-2]+w[n-1]] == Certain { // passWord, passPhrase
		return Certain
	}
	w = withoutVariants(w)
	if neverNames[strings.Join(w, "_")] || Quantities[w[0]] && len(w) > 1 {
		return Never
	}
	for n := min(3, len(w)); n > 0; n-- { // the longest ending that is known decides
		tail := strings.Join(w[len(w)-n:], "_")
		if neverNames[tail] {
			return Never
		}
		v, ok := secretNames[tail]
		if !ok && n == 1 {
			v, ok = joined(w[len(w)-1])
		}
		if !ok {
			continue
		}
		if v == Weak && n == 1 && len(w) > 1 && (w[len(w)-1] == "key" || w[len(w)-1] == "keys") {
			if plainKeys[w[len(w)-2]] {
				return Never
			}
		}
		if n < len(w) && harmless[w[len(w)-n-1]+" "+tail] {
			return Never
		}
		return v
	}
	if len(w) > 1 && aspects[w[len(w)-1]] {
		for _, word := range w {
			if v := secretNames[word]; v.Masks() {
				return Never
			}
		}
	}
	return Plain
}

// asciiPart returns a name without its letters of other scripts, the name itself when it has no others.
func asciiPart(name string) string {
	rest := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '_'
		}
		return r
	}, name)
	if strings.Trim(rest, "_- ") == "" {
		return name
	}
	return rest
}

// variants end names that say which one of several a credential is, or how it is written: password_old, apiKeyBackup,
// token_list, secret_value.
var variants = SetOf("old", "new", "backup", "bak", "prod", "production", "dev", "development", "test", "testing", "staging", "stage", "live", "sandbox", "primary", "secondary", "main",
	"alt", "alternative", "fallback", "spare", "reserve", "current", "prev", "previous", "next", "latest", "temp", "tmp", "temporary", "confirm", "confirmation", "confirmed", "repeat",
	"again", "verify", "value", "values", "val", "string", "str", "text", "txt", "plain", "plaintext", "raw", "clear", "cleartext", "data", "list", "array", "arr", "pool", "set", "dict", "json", "yaml",
	"base64", "b", "hex", "encoded", "enc", "encrypted", "decrypted", "original", "default", "global", "shared", "local", "internal", "external", "private", "user", "admin", "root", "master",
	"a", "one", "two", "first", "second", "here", "only", "full", "real", "actual", "final", "v", "x", "copy", "extra", "custom", "write", "read", "rw", "ro", "override", "input", "content", "contents", "blob", "material", "neu", "alt", "nuevo", "nueva", "nouveau", "nuovo", "novo", "nova")

// withoutVariants drops such words off the end of a name, and leaves at least one.
func withoutVariants(w []string) []string {
	for len(w) > 1 && variants[w[len(w)-1]] {
		if tail := strings.Join(w[len(w)-2:], "_"); neverNames[tail] || secretNames[tail] != Plain {
			break
		}
		w = w[:len(w)-1]
	}
	return w
}

// Endings of names that are written as one word, and words that only end like one.
var (
	certainEndings = []string{
		"password", "passwd", "passphrase", "userpwd", "pwd", "passcode", "apikey", "aeskey", "secretkey", "privatekey", "privkey", "sshkey", "seckey", "signkey", "accesskey",
		"masterkey", "authkey", "accesstoken", "bottoken", "authtoken", "sessid", "sessdata", "cookie",
	}
	likelyEndings = []string{"secret", "token", "creds", "credentials", "pass"}
	otherWords    = SetOf("bypass", "compass", "trespass", "encompass", "surpass", "overpass", "underpass", "multipass", "lowpass", "highpass", "bandpass", "nonsecret", "subtoken", "detoken", "retoken",
		"multitoken", "hotkey", "softkey", "pubkey", "rekey", "passkey")
	loginWords = SetOf("root", "user", "admin", "db", "mysql", "pg", "my", "ftp", "ssh", "smtp", "mail", "login", "web", "wifi", "sql", "sudo", "host", "app", "bot", "sys")
)

// joined reads names written as one word: corpsecret, bottoken, rootpw.
func joined(word string) (Verdict, bool) {
	if otherWords[word] {
		return Plain, false
	}
	ends := func(endings []string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(word, e) })
	}
	switch {
	case ends(certainEndings), strings.HasSuffix(word, "pw") && loginWords[strings.TrimSuffix(word, "pw")]:
		return Certain, true
	case ends(likelyEndings):
		return Likely, true
	case len(word) > len("key") && strings.HasSuffix(word, "key"):
		return Weak, true
	}
	return Plain, false
}

// judgeLabel reads Chinese, Japanese and Korean labels, which have no word breaks.
func judgeLabel(name string) Verdict {
	ascii := true
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return Plain
	}
	name = strings.ToLower(name)
	for _, l := range plainLabels {
		if strings.Contains(name, l) {
			return Never
		}
	}
	longest, v := 0, Plain
	for _, l := range secretLabels {
		if len(l.text) > longest && strings.Contains(name, strings.ToLower(l.text)) {
			longest, v = len(l.text), l.verdict
		}
	}
	return v
}
