package detect

import "strings"

// wordedRule is the rule of wordedKey.
const wordedRule = "worded-key"

// mostVendor is how long the name of a vendor in front of such a word may be.
const mostVendor = 24

// keyWords begin keys of many vendors, behind the vendor's name or before it: sk_live_x, ctx7sk-x, mdb_sa_sk_x, key-x.
var keyWords = []string{
	"sk_", "sk-", "rk_", "rk-", "key_", "key-", "apikey_", "apikey-", "api_", "tok_", "token_", "token-", "secret_", "secret-", "pat_", "pat-", "oat_", "live_", "live-", "prod_", "prod-",
	"_test_", "-test-", "bearer_", "auth_", "auth-", "cli_", "svc_", "srv_", "svcacct-", "admin-", "session_", "refresh_", "access_", "access-", "wh_", "whsec-",
}

// wordedKey recognises keys of vendors that no table has by how they are made: a word for a key, a sign, and a long body
// that was drawn. Hexadecimal bodies are names of versions as well, so they count behind the plainest words alone.
func (s *scanning) wordedKey(start, end int) {
	from := start
	for from > 0 && start-from <= mostVendor && (isAlnum(s.text[from-1]) || s.text[from-1] == '_' || s.text[from-1] == '-') {
		from--
	}
	if start-from > mostVendor || from > 0 && strings.IndexByte("/.%+@#", s.text[from-1]) >= 0 || from < s.lastWorded {
		return
	}
	stop, limit := end, min(len(s.text), end+maxValue)
	for stop < limit && tokenByte[s.text[stop]] {
		stop++
	}
	if stop < len(s.text) && strings.IndexByte("/.(", s.text[stop]) >= 0 && stop+1 < len(s.text) && tokenByte[s.text[stop+1]] {
		return // a file or a call
	}
	for _, public := range []string{"pk_", "pk-", "pub_", "pub-", "public_", "public-", "publishable_"} {
		if strings.HasSuffix(strings.ToLower(s.text[from:start]), public) {
			return
		}
	}
	body := s.text[end:stop]
	if len(body) < 20 || len(body) > 300 || !s.budget.Spend(len(body)*valueWork) {
		return
	}
	word := strings.Trim(s.text[start:end], "-_")
	plainest := word == "sk" || word == "rk" || word == "apikey" || word == "secret" || word == "pat" || word == "live"
	if !drawnBody(body, plainest || word == "key") && (!plainest || len(body) != 36 || !CredentialLike(body)) || Placeholder(s.text[from:stop]) != "" {
		return
	}
	s.lastWorded = stop
	s.add(from, stop, wordedRule, "looks like a key: a word for one and a body that was drawn", s.text[from:stop])
}

// drawnBody reports whether the body of a key was drawn from letters of both cases and digits, or, where the word before
// it says so, from hexadecimal digits or small letters and digits.
func drawnBody(body string, sure bool) bool {
	var digit, lower, upper, longest, run int
	for i := range len(body) {
		c := body[i]
		run++
		switch {
		case IsDigit(c):
			digit++
		case IsUpper(c):
			upper++
		case isAlpha(c):
			lower++
		default:
			run = 0
		}
		longest = max(longest, run)
	}
	if digit < 2 {
		return false
	}
	if upper >= 3 && lower >= 3 {
		return entropy(body) >= 3.9 && (RandomPart(body) || len(body) >= 36 && entropy(body) >= 4.2)
	}
	return sure && longest >= 24 && digit >= 4 && entropy(body) >= 3 && RandomPart(body)
}
