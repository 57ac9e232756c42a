package detect

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// url reads the address around "://" at [start, end): its login, the secrets among its parameters, and the paths that
// are secrets themselves.
func (s *scanning) url(start, end int) {
	scheme := start
	for scheme > 0 && (isAlnum(s.text[scheme-1]) || strings.IndexByte("+.-", s.text[scheme-1]) >= 0) && start-scheme < 32 {
		scheme--
	}
	var stop int
	if start < s.lastURL { // an address within an address: its parameters were read with the outer one's
		stop = end + addressEnd(s.text[end:min(len(s.text), end+maxInner)])
	} else {
		stop = end + addressEnd(s.text[end:min(len(s.text), end+MaxAddress)])
		s.lastURL = stop
	}
	if !s.budget.Spend((stop - end) * literalWork) {
		return
	}
	s.login(s.text[scheme:start], end, stop)
	authorityEnd := end + CutAny(s.text[end:stop], "/?#")
	host := s.text[end:authorityEnd]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	pathEnd := authorityEnd + CutAny(s.text[authorityEnd:stop], "?#")
	s.secretPath(strings.ToLower(host), authorityEnd, pathEnd)
	if stop == s.lastURL {
		s.parameters(pathEnd, stop)
	}
}

// How much of an address is read, and of one inside another.
const (
	MaxAddress = 8192
	maxInner   = 256
)

var addressBreak = func() (t [128]bool) {
	for _, c := range "\"'<>`|\\^" {
		t[c] = true
	}
	return t
}()

// addressEnd gives the length of the rest of an address.
func addressEnd(text string) int {
	for i, r := range text {
		if r < utf8.RuneSelf && (!printable(byte(r)) || addressBreak[r]) || r == utf8.RuneError || strings.ContainsRune("，。、；：！？（）「」『』【】《》“”‘’", r) {
			return trimTail(text[:i])
		}
	}
	return trimTail(text)
}

func trimTail(text string) int {
	return len(strings.TrimRight(text, ".,;:!?)]}"))
}

// CutAny gives where the first of some characters stands, or the length of the text.
func CutAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}

func (s *scanning) login(scheme string, start, stop int) {
	// An '@' behind a slash belongs to a path, unless a password with a slash in it was written unescaped.
	authority := s.text[start:stop]
	at := strings.LastIndexByte(authority[:CutAny(authority, "/?#")], '@')
	if at < 0 {
		at = strayLogin(authority)
	}
	if at < 0 {
		if sharedLinks[strings.ToLower(scheme)] && len(authority) >= 24 && RandomPart(authority) {
			body := authority[:CutAny(authority, "#?")]
			s.add(start, start+len(body), "url-login", "is the access data of a proxy", body)
		}
		return
	}
	user, password, both := strings.Cut(authority[:at], ":")
	if !both && proxyLogins[strings.ToLower(scheme)] && Placeholder(user) == "" && len(user) >= 4 {
		s.add(start, start+at, "url-login", "is the login of an address", user, Unescaped(user))
		return
	}
	if !both {
		if scheme == "ssh" || strings.HasPrefix(scheme, "git") || Placeholder(user) != "" || !CredentialLike(user) {
			return
		}
		s.add(start, start+at, "url-login", "is the login of an address", user, Unescaped(user))
		return
	}
	key := CredentialLike(user) // with or without a password: https://key:@api.example.com
	secret := password != "" && (Placeholder(password) == "" || settingWords[strings.ToLower(password)])
	if !secret && !key {
		return
	}
	values := []string{user + ":" + password}
	if secret {
		values = append(values, password, Unescaped(password))
	}
	if key {
		values = append(values, user)
	}
	s.add(start, start+at, "url-login", "is the login of an address", values...)
}

// Schemes of proxies: the whole of what stands before the '@' is the password, or the whole address is encoded access data.
var (
	proxyLogins = SetOf("trojan", "trojan-go", "hysteria", "hysteria2", "hy2", "vless", "tuic", "ss", "anytls", "snell", "juicity", "naive+https")
	sharedLinks = SetOf("vmess", "ssr", "ss", "vless", "sub")
)

// strayLogin returns the place of the '@' of a login whose password holds a slash or a '#' unescaped, -1 when there is none.
func strayLogin(authority string) int {
	at := strings.LastIndexByte(authority[:min(len(authority), maxInner)], '@')
	if at < 0 {
		return -1
	}
	user, password, both := strings.Cut(authority[:at], ":")
	host := authority[at+1:]
	host = host[:CutAny(host, "/?#:")]
	if !both || user == "" || strings.ContainsAny(user, "/?#.") || !strings.ContainsAny(password, "/?#") || host == "" || !strings.Contains(host, ".") && host != "localhost" && host != "db" {
		return -1
	}
	if port := password[:CutAny(password, "/?#")]; port != "" && strings.Trim(port, Digits) == "" {
		return -1 // host:port/path@x
	}
	return at
}

// pair reads "user:password@host:port" without a scheme, around an '@' at [start, end).
func (s *scanning) pair(start, end int) {
	from := start
	for from > 0 && start-from < 192 && printable(s.text[from-1]) && strings.IndexByte("\"'`=,;()<>@/{}", s.text[from-1]) < 0 {
		from--
	}
	user, password, ok := strings.Cut(s.text[from:start], ":")
	if !ok || user == "" || len(user) > 64 || len(password) < 4 || strings.Contains(password, ":") || from > 0 && s.text[from-1] == '/' {
		return
	}
	to := end
	for to < len(s.text) && to-end < 128 && wordByte(s.text[to]) {
		to++
	}
	if host := s.text[end:to]; host == "sha256" || host == "sha512" || host == "sha384" { // image:tag@sha256:digest
		return
	}
	port := to+2 < len(s.text) && s.text[to] == ':' && IsDigit(s.text[to+1]) && IsDigit(s.text[to+2])
	located := port && (Mixed(password) || len(password) >= 8)
	if to-end < 2 || Placeholder(password) != "" || !located && !hasRandomWord(password) {
		return
	}
	s.add(from, start, "url-login", "is the login of an address", password, s.text[from:start])
}

// Unescaped takes the percent escapes off a part of an address, if it can.
func Unescaped(v string) string {
	if u, err := url.QueryUnescape(strings.ReplaceAll(v, "+", "%2B")); err == nil {
		return u
	}
	return v
}

// secretParams are parameters that carry credentials besides the names known for keys.
var secretParams = SetOf("key", "sig", "signature", "sign", "hash", "ticket", "auth", "code", "x_amz_signature", "x_amz_security_token", "x_amz_credential", "hapikey", "appsecret", "session_id", "sid", "sharetoken")

func (s *scanning) parameters(start, stop int) {
	for start < stop {
		start++ // ? & or #
		next := start + CutAny(s.text[start:stop], "&#;")
		name, value, ok := strings.Cut(s.text[start:next], "=")
		if ok && value != "" {
			s.parameter(Unescaped(name), start+len(name)+1, next)
		}
		start = next
	}
}

func (s *scanning) parameter(name string, start, end int) {
	value := s.text[start:end]
	plainValue := Unescaped(value)
	v := s.e.Names.Of(name)
	switch {
	case v == Never || Placeholder(plainValue) != "" || len(value) < 4:
		return
	case v == Certain, v == Likely && len(value) >= 6:
	case v == Account && HasDigit(value):
	case v == Weak || secretParams[strings.Join(Words(name), "_")]:
		if !CredentialLike(plainValue) {
			return
		}
	default:
		return
	}
	s.add(start, end, "url-parameter", "the parameter `"+ShortName(name)+"` of an address names a credential", value, plainValue)
}

// A hook is an address whose path lets whoever knows it post in its owner's name.
type hook struct{ host, path, what string }

var hooks = []hook{
	{"discord.com", "/api/webhooks/", "a Discord webhook"},
	{"discordapp.com", "/api/webhooks/", "a Discord webhook"},
	{"hooks.slack.com", "/", "a Slack webhook"},
	{"open.feishu.cn", "/open-apis/bot/v2/hook/", "a Feishu webhook"},
	{"open.feishu.cn", "/open-apis/bot/hook/", "a Feishu webhook"},
	{"open.larksuite.com", "/open-apis/bot/v2/hook/", "a Lark webhook"},
	{"www.feishu.cn", "/flow/api/trigger-webhook/", "a Feishu webhook"},
	{"api.telegram.org", "/bot", "a Telegram bot's address"},
	{"api.telegram.org", "/file/bot", "a Telegram bot's address"},
	{"webhook.office.com", "/webhookb2/", "a Teams webhook"},
	{"outlook.office.com", "/webhook/", "a Teams webhook"},
	{"hooks.zapier.com", "/hooks/catch/", "a Zapier webhook"},
	{"maker.ifttt.com", "/trigger/", "an IFTTT webhook"},
	{"sctapi.ftqq.com", "/", "a ServerChan address"},
	{"sc.ftqq.com", "/", "a ServerChan address"},
	{"api.day.app", "/", "a Bark address"},
	{"chat.googleapis.com", "/v1/spaces/", "a Google Chat webhook"},
	{"hook.us1.make.com", "/", "a Make webhook"},
	{"hook.eu1.make.com", "/", "a Make webhook"},
	{"www.pushplus.plus", "/send/", "a PushPlus address"},
}

func (s *scanning) secretPath(host string, start, end int) {
	path := s.text[start:end]
	if len(path) < 9 {
		return
	}
	for _, h := range hooks {
		if (host == h.host || strings.HasSuffix(host, "."+h.host)) && strings.HasPrefix(path, h.path) {
			from := start + len(h.path)
			if secret := s.text[from:end]; RandomPart(secret) || Mixed(secret) && len(secret) >= 16 {
				s.add(from, end, "webhook", "is "+h.what, pathValues(secret)...)
			}
			return
		}
	}
	for _, part := range []string{"/hooks/", "/hook/", "/webhook/", "/webhooks/", "/webhookb2/"} {
		if i := strings.Index(path, part); i >= 0 {
			from := start + i + len(part)
			if secret := s.text[from:end]; len(secret) >= 16 && RandomPart(secret) {
				s.add(from, end, "webhook", "is the secret part of a webhook", pathValues(secret)...)
			}
			return
		}
	}
}

// pathValues are the pieces of a secret path that are searched for elsewhere.
func pathValues(path string) []string {
	values := []string{path}
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("/?&=#", r) }) {
		if len(part) >= 12 && Mixed(part) {
			values = append(values, part, Unescaped(part))
		}
	}
	return values
}

// WebhookSpan takes everything behind the host of an address that stands under the name of a webhook.
func WebhookSpan(text string) (Span, bool) {
	i := strings.Index(text, "://")
	if i < 0 {
		return Span{}, false
	}
	start := i + 3
	stop := start + addressEnd(text[start:])
	start += CutAny(text[start:stop], "/?#")
	rest := text[start:stop]
	if len(rest) < 9 || strings.Contains(rest, Masked) || strings.Contains(rest, Sealed) || Placeholder(rest[1:]) != "" || !RandomPart(rest) && !hasRandomSegment(rest) {
		return Span{}, false
	}
	return Span{start + 1, stop, "webhook", "is the secret part of a webhook", pathValues(rest[1:])}, true
}

func hasRandomSegment(path string) bool {
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '=' || r == '&' || r == '?' }) {
		if Mixed(part) && len(part) >= 16 {
			return true
		}
	}
	return false
}

// HasDigit tells whether there is a digit in a text.
func HasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }

// ShortName is a key as it may stand in a sentence: printable and short.
func ShortName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r < ' ' || r == 0x7f || r == '`' || r == utf8.RuneError || r >= utf8.RuneSelf && r < 0xa0 {
			continue
		}
		if b.Len() >= 60 {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
