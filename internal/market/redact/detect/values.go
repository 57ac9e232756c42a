package detect

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// The marks that stand where a secret was.
const (
	Masked = "***REDACTED***"
	Sealed = "***SEALED***"
)

var marks = strings.NewReplacer(Masked, " ", Sealed, " ")

// withoutMarks gives a text with a space for each of our marks. Nearly none has one, and to look for them costs a fraction of replacing.
func withoutMarks(text string) string {
	if !strings.Contains(text, Masked) && !strings.Contains(text, Sealed) {
		return text
	}
	return marks.Replace(text)
}

// Placeholder says why a value under a secret's name is left: it is no secret but stands for one. "" when it may be one.
func Placeholder(value string) string {
	v := bare(value)
	if v == "" {
		return "is empty"
	}
	lower := strings.ToLower(v)
	switch {
	case onlyMasks(v):
		return "is masked already"
	case reference(v, lower):
		return "refers to an environment variable or a template"
	case settingWords[lower]:
		return "is a word of a setting"
	case sample(lower):
		return "is a placeholder"
	}
	return ""
}

// bare is a value without quotes and the scheme of an Authorization header.
func bare(value string) string {
	v := strings.Trim(strings.TrimSpace(value), `"'`)
	for _, scheme := range []string{"bearer ", "basic ", "token ", "bot ", "key "} {
		if len(v) > len(scheme) && strings.EqualFold(v[:len(scheme)], scheme) {
			return strings.TrimSpace(v[len(scheme):])
		}
	}
	return v
}

// IsMask says whether a value, bare, was redacted before.
func IsMask(value string) bool {
	v := bare(value)
	return v != "" && onlyMasks(v)
}

// onlyMasks says whether a value is nothing but asterisks, dots and our own marks.
func onlyMasks(v string) bool {
	rest := withoutMarks(v)
	if rest != v {
		return strings.Trim(rest, "#0123456789 ") == ""
	}
	return strings.Trim(v, "*•●… .") == ""
}

func reference(v, lower string) bool {
	wrapped := func(open, end string) bool {
		return len(v) > len(open)+len(end) && strings.HasPrefix(v, open) && strings.HasSuffix(v, end) && !strings.Contains(v[len(open):len(v)-len(end)], end)
	}
	if inner, ok := strings.CutPrefix(v, "${"); ok { // ${NAME:-value} holds a value of its own
		if i := strings.IndexAny(inner, ":-=?+"); i > 0 && identifier(inner[:i]) {
			own := strings.Trim(inner[i:], ":-=+}")
			return inner[i] == '?' || strings.HasPrefix(inner[i:], ":?") || !CredentialLike(own)
		}
	}
	if strings.HasPrefix(v, "={{") {
		return true
	}
	for _, w := range [][2]string{{"${", "}"}, {"$(", ")"}, {"{{", "}}"}, {"<", ">"}, {"%", "%"}, {"{", "}"}, {"[", "]"}, {"__", "__"}, {"@", "@"}, {"【", "】"}, {"＜", "＞"}, {"「", "」"}} {
		if wrapped(w[0], w[1]) && len(v) <= 80 {
			return w[0] != "{" && w[0] != "[" || identifierLike(v[1:len(v)-1])
		}
	}
	if v[0] == '$' && identifier(v[1:]) {
		return true
	}
	for _, p := range []string{"env:", "env.", "env/", "$env:", "process.env.", "os.environ", "os.getenv(", "!secret ", "!env ", "secret://", "op://", "vault:", "ref:", "keyring:", "file:/", "arn:aws:secretsmanager"} {
		if strings.HasPrefix(lower, p) && len(v) <= 200 {
			return true
		}
	}
	return false
}

func identifier(v string) bool {
	for i := range len(v) {
		if c := v[i]; c != '_' && !isAlpha(c) && (i == 0 || !IsDigit(c)) {
			return false
		}
	}
	return v != ""
}

// identifierLike is a short name as people put it in brackets: "your key", "API_KEY".
func identifierLike(v string) bool {
	for _, r := range v {
		if r != '_' && r != '-' && r != ' ' && r != '.' && !unicode.IsLetter(r) {
			return false
		}
	}
	return v != "" && len(v) <= 60
}

var settingWords = SetOf("true", "false", "none", "null", "nil", "undefined", "yes", "no", "on", "off", "auto", "default", "basic", "bearer", "oauth", "oauth2", "jwt",
	"hmac", "apikey", "api_key", "api-key", "token", "password", "secret", "required", "optional", "string", "str", "int", "integer", "number", "bool", "boolean", "any",
	"header", "query", "cookie", "disabled", "enabled", "include", "same-origin", "omit", "n/a", "na", "unset", "empty", "missing", "hidden", "masked", "redacted", "removed", "<nil>", "key", "keys", "tokens",
	"必填", "可选", "无", "なし", "必須", "任意")

// sampleWords stand in what people write where a key goes, when it is no longer than longestSample bytes.
var sampleWords = newAutomaton([]string{
	"changeme", "change_me", "change-me", "changeit", "replace_me", "replace-me", "replaceme", "placeholder", "your_", "your-", "yourapi", "yourkey",
	"yourtoken", "yoursecret", "yourpassword", "my_api_key", "my-api-key", "enter_", "insert_", "insert-", "put_your", "<your", "todo", "fixme", "example_key", "example-key", "_here", "-here",
	"在此", "填入", "填写", "你的", "您的", "请输入", "请填", "ここに", "あなたの", "入力して", "example.com",
})

const longestSample = 80

// sample recognises what people write where a key goes. A long value costs no more than a short one.
func sample(lower string) bool {
	short := len(lower) <= longestSample
	if short {
		named := false
		sampleWords.each(lower, func(int, int) bool { named = true; return false })
		if named && !RandomPart(lower) {
			return true
		}
	}
	if strings.HasPrefix(lower, "your ") || strings.HasPrefix(lower, "enter ") || lower == "example" || lower == "sample" || lower == "dummy" {
		return true
	}
	core := lower
	if i := strings.LastIndexAny(core, "-_:"); i >= 0 && i <= 14 {
		core = core[i+1:]
	}
	if len(core) >= 3 && strings.Trim(core, "x") == "" || len(core) >= 3 && strings.Trim(core, "*") == "" {
		return true
	}
	if short && strings.Contains(lower, "xxxx") {
		return !RandomPart(strings.Trim(strings.ReplaceAll(lower, "x", ""), "-_")) // sk-xxxxxxxx, xxxx-xxxx-xxxx
	}
	return len(lower) <= 24 && strings.Contains(lower, "...") || len(lower) <= 40 && strings.Contains(lower, "…")
}

// CredentialLike says whether a value under a name that may mean something else looks like a credential.
func CredentialLike(v string) bool {
	if len(v) < 8 || len(v) > 8192 || strings.ContainsAny(v, " \t\n") {
		return false
	}
	if strings.HasPrefix(v, "/") && !strings.HasSuffix(v, "=") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~") || strings.Contains(v, "://") {
		return false
	}
	if len(v) == 36 && uuid.Validate(v) == nil { // whose parts may each look like a number or a word
		return entropy(v) >= 2.5
	}
	return RandomPart(v)
}

// RandomPart says whether some piece of v between separators looks drawn at random rather than written.
func RandomPart(v string) bool {
	start := 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && isAlnum(v[i]) {
			continue
		}
		if Random(v[start:i]) {
			return true
		}
		start = i + 1
	}
	return len(v) >= 24 && Mixed(v) && entropy(v) >= 4.0 && !strings.Contains(v, " ")
}

// Random judges one run of letters and digits: hexadecimal, or letters and digits that change places often, or many
// changes of case. Words, versions ("gpt4"), dates and camel case are not.
func Random(w string) bool {
	if len(w) < 7 {
		return false
	}
	digits, changes, hex, upper, lower, turns := 0, 0, true, 0, 0, 0
	for i := range len(w) {
		c := w[i]
		switch {
		case IsDigit(c):
			digits++
		case c >= 'A' && c <= 'Z':
			upper++
		default:
			lower++
		}
		if !isHex(c) {
			hex = false
		}
		if i > 0 {
			if IsDigit(c) != IsDigit(w[i-1]) {
				changes++
			}
			if IsUpper(c) != IsUpper(w[i-1]) {
				turns++
			}
		}
	}
	letters := len(w) - digits
	switch {
	case digits == 0:
		return len(w) >= 20 && upper > 0 && lower > 0 && turns*3 >= len(w) && entropy(w) >= 3.5 || len(w) >= 32 && entropy(w) >= 3.6
	case letters == 0:
		return false
	case hex && len(w) >= 16:
		return changes >= 2
	case len(w) >= 16:
		return changes >= 3 || digits >= 2 && turns >= 4
	}
	return changes >= 3 && digits >= 2 && letters >= 2
}

// Mixed tells whether a value has letters and digits, as drawn ones have.
func Mixed(v string) bool {
	var digit, letter bool
	for i := range len(v) {
		digit = digit || IsDigit(v[i])
		letter = letter || isAlpha(v[i])
	}
	return digit && letter
}

// Prose says whether a value reads like a sentence, as the "secret" of a character in a story does.
func Prose(v string) bool {
	if strings.Count(strings.TrimSpace(v), " ") >= 2 && !strings.ContainsAny(v, "=;") {
		return !hasRandomWord(v)
	}
	wide := 0
	for _, r := range v {
		if r >= 0x2E80 {
			wide++
		}
	}
	return wide >= 6 && wide*2 > utf8.RuneCountInString(v)
}

func hasRandomWord(v string) bool {
	for f := range strings.FieldsSeq(v) {
		if len(f) >= 8 && RandomPart(f) {
			return true
		}
	}
	return false
}

// MnemonicLike is a recovery phrase: twelve to twenty-four short lower-case words.
func MnemonicLike(v string) bool {
	n := 0
	for f := range strings.FieldsSeq(v) {
		if len(f) < 3 || len(f) > 8 || strings.ToLower(f) != f || strings.Trim(f, "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
		n++
	}
	return n >= 12 && n <= 24 && n%3 == 0
}

// Distinctive says whether a value can be searched for elsewhere without hitting ordinary words: six bytes at least,
// and not one plain word.
func Distinctive(v string) bool {
	if len(v) < 6 || Placeholder(v) != "" {
		return false
	}
	letters, others, inner := 0, 0, false
	for i, r := range v {
		if unicode.IsLetter(r) {
			letters++
			inner = inner || i > 0 && unicode.IsUpper(r)
		} else {
			others++
		}
	}
	if others == 0 {
		return letters >= 12 || inner && strings.ToUpper(v) != v
	}
	if letters == 0 {
		return len(v) >= 6 && strings.Trim(v, v[:1]) != ""
	}
	return !settingWords[strings.ToLower(v)]
}

// entropy is Shannon's, in bits per character (over bytes for ASCII, as gitleaks does).
func entropy(v string) float64 {
	if v == "" {
		return 0
	}
	var counts [256]int
	for i := range len(v) {
		counts[v[i]]++
	}
	e, n := 0.0, float64(len(v))
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / n
			e -= p * math.Log2(p)
		}
	}
	return e
}

func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isAlnum(c byte) bool { return isAlpha(c) || IsDigit(c) }

// printable tells whether a byte is a sign, a letter or a digit of ASCII.
func printable(c byte) bool { return c > ' ' && c < 0x7f }

// IsUpper tells whether a byte is a capital letter of ASCII.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsDigit tells whether a byte is a digit of ASCII.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return IsDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
