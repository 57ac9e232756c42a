package leakcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Stems of names, compared with a name without its signs, in lower case.
var (
	settingsStems = []string{"provider", "platform", "adapter", "mcpserver", "embedding", "embedder", "rerank", "tts", "stt", "asr", "webhook", "connection", "connector", "integration", "credential"}
	secretStems   = []string{"password", "passwd", "passphrase", "passcode", "secret", "apikey", "accesskey", "privatekey", "signingkey", "encodingaeskey", "credential", "sessdata", "authorization", "bearer", "密码", "密钥", "令牌", "パスワード", "비밀번호"}
	secretEnds    = []string{"key", "keys", "token", "pwd", "pw", "cookie", "cookies", "auth", "sk", "ak"}
	harmlessStems = []string{
		"name", "id", "type", "model", "url", "uri", "base", "host", "port", "version", "voice", "region", "path", "mode", "level", "lang", "local", "format", "timeout", "limit", "max", "min", "size",
		"count", "enable", "title", "label", "desc", "prompt", "hint", "note", "tag", "role", "icon", "domain", "endpoint", "protocol", "method", "proxy", "command", "cwd", "dir", "file", "image", "package",
		"script", "policy", "strategy", "temperature", "rate", "speed", "zone", "time", "date", "public", "keyword", "keyboard", "keymap", "hotkey", "shortcut", "tokenizer", "tokens", "expires", "algorithm", "env", "agent",
		"accept", "encoding", "provider", "platform", "author", "text", "message", "content", "reply", "greeting", "persona", "memo", "dim",
	}
	plainSecretNames = []string{"password", "passwd", "apikey", "accesstoken", "refreshtoken", "secretkey", "clientsecret", "appsecret", "privatekey", "bottoken", "authtoken"}
)

// place is where a walk stands.
type place struct {
	path     string
	name     string // squeezed
	settings bool   // inside the settings of a connection
	inherits bool   // below a name of a credential
	depth    int
}

const maxDepth = 512

// squeeze returns the letters and digits of a text in lower case.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func hasAny(name string, stems []string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return strings.Contains(name, s) })
}

// secretName reports whether a squeezed name is that of a credential.
func secretName(name string) bool {
	for _, s := range secretStems {
		if i := strings.Index(name, s); i >= 0 && !hasAny(name[i+len(s):], harmlessStems) {
			return !hasAny(name[:i], []string{"max", "enable", "require", "public", "use"})
		}
	}
	return slices.ContainsFunc(secretEnds, func(e string) bool { return strings.HasSuffix(name, e) }) &&
		!hasAny(name, []string{"public", "primary", "foreign", "hotkey", "monkey", "turkey", "keyboard", "shortcut", "sortkey", "cachekey", "max", "stop", "eos", "bos", "pad"})
}

// settingsName reports whether a squeezed name is that of the settings of a connection.
func settingsName(name string) bool {
	return slices.ContainsFunc(settingsStems, func(s string) bool {
		return strings.HasSuffix(name, s) || strings.HasSuffix(name, s+"s") || strings.HasSuffix(name, s+"sources") || strings.HasSuffix(name, s+"source")
	})
}

// evidence is what the place of a value says about it.
type evidence uint8

const (
	nothing  evidence = iota
	unlisted          // in the settings of a connection, under a name that says nothing
	named             // under the name of a credential
)

func (p place) evidence() evidence {
	switch {
	case secretName(p.name) || p.inherits && !hasAny(p.name, harmlessStems):
		if p.settings || slices.ContainsFunc(plainSecretNames, func(n string) bool { return strings.HasSuffix(p.name, n) }) {
			return named
		}
	case p.settings && p.name != "" && !hasAny(p.name, harmlessStems):
		return unlisted
	}
	return nothing
}

// below is the place of a member of an object.
func (p place) below(key string) place {
	child := place{name: squeeze(key), settings: p.settings, depth: p.depth + 1, path: p.path + "." + key}
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		child.path = fmt.Sprintf("%s[%q]", p.path, key)
	}
	child.settings = child.settings || settingsName(child.name)
	child.inherits = p.settings && (secretName(p.name) || p.inherits) && p.name != ""
	return child
}

// each calls do for every text below a place.
func each(v any, p place, do func(text string, p place)) {
	if p.depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			each(v[key], p.below(key), do)
		}
	case []any:
		for i, item := range v {
			child := p
			child.depth++
			child.path = fmt.Sprintf("%s[%d]", p.path, i)
			if _, object := item.(map[string]any); object && p.name != "" && !secretName(p.name) {
				child.name = ""
			}
			each(item, child, do)
		}
	case string:
		do(v, p)
	}
}

// variable reports whether a text is $NAME, or a substitution that begins so.
func variable(t string) bool {
	if len(t) < 2 || t[0] != '$' {
		return false
	}
	return strings.IndexByte("({", t[1]) >= 0 || strings.Trim(strings.TrimPrefix(t[1:], "env:"), "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && !drawn(t)
}

// drawn reports whether a text holds a run of letters and digits that nobody writes by hand.
func drawn(t string) bool {
	run, digits, turns, last := 0, 0, 0, 0
	for _, r := range t {
		kind := 0
		switch {
		case unicode.IsDigit(r):
			kind = 1
			digits++
		case unicode.IsLetter(r):
			kind = 2
		default:
			run, digits, turns, last = 0, 0, 0, 0
			continue
		}
		if last != 0 && kind != last {
			turns++
		}
		run, last = run+1, kind
		if run >= 16 && digits >= 3 && turns >= 4 {
			return true
		}
	}
	return false
}

// stands reports whether a text only stands for a value, or for the lack of one.
func stands(v string) bool {
	t := strings.ToLower(strings.Trim(strings.TrimSpace(v), `"'`))
	for _, scheme := range []string{"bearer ", "basic ", "token "} {
		t = strings.TrimSpace(strings.TrimPrefix(t, scheme))
	}
	switch {
	case len(t) == 0, strings.Trim(t, "*•.x-_ ") == "", strings.Contains(t, "***"):
		return true
	case strings.Contains(t, "://"):
		return false
	case variable(t), strings.HasPrefix(t, "<"), strings.Contains(t, "{{"), strings.Contains(t, "${"), strings.HasPrefix(t, "%") && strings.HasSuffix(t, "%"), strings.HasPrefix(t, "{") && strings.HasSuffix(t, "}"),
		strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]"):
		return true
	case drawn(t):
		return false
	case strings.HasPrefix(t, "env"), strings.HasPrefix(t, "os.environ"), strings.HasPrefix(t, "process.env"), strings.HasPrefix(t, "!"), strings.HasPrefix(t, "op://"), strings.HasPrefix(t, "vault:"), strings.HasPrefix(t, "file:"):
		return true
	}
	return hasAny(t, []string{"your", "xxxx", "change", "placeholder", "example", "insert", "replace", "redacted", "todo", "...", "…", "here", "填", "你的", "您的", "ここに", "_key", "_token", "_secret", "-key"}) && len(t) <= 60 ||
		slices.Contains([]string{"true", "false", "none", "null", "nil", "yes", "no", "on", "off", "auto", "default", "required", "optional", "string", "bearer", "basic", "header", "key", "token", "secret", "password", "n/a", "unset", "empty", "oauth", "oauth2", "jwt", "apikey"}, t)
}
