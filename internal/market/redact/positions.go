package redact

import (
	"encoding/base64"
	"slices"
	"strings"

	"stoa/internal/market/redact/detect"
)

// position says how the fields around a place are read.
type position uint8

const (
	ordinary   position = iota
	connection          // settings of a provider, a platform, a server of tools: what is not on the allowlist is a credential
	arguments           // the arguments of a command in such settings
)

// connectionNames are the names of what holds such settings, as the words of the name joined by '_'. A name that ends in
// one of them counts as well.
var connectionNames = detect.SetOf("provider", "providers", "provider_source", "provider_sources", "platform", "platforms", "platform_adapter", "platform_adapters", "adapter", "adapters",
	"mcp", "mcp_server", "mcp_servers", "mcpserver", "mcpservers", "embedding", "embeddings", "embedder", "embedders", "rerank", "reranker", "rerankers", "tts", "stt", "asr", "t2i", "webhook", "webhooks",
	"connection", "connections", "connector", "connectors", "integration", "integrations", "litellm_params", "backend", "backends", "upstream", "upstreams", "credentials", "credential")

// environmentNames hold variables and headers.
var environmentNames = detect.SetOf("env", "envs", "environment", "env_vars", "environ", "variables", "headers", "http_headers", "custom_headers", "extra_headers", "default_headers", "auth_headers")

// holdsConnection reports whether a name is that of such settings.
func holdsConnection(name string) bool {
	w := detect.Words(name)
	for n := min(3, len(w)); n > 0; n-- {
		if connectionNames[strings.Join(w[len(w)-n:], "_")] {
			return true
		}
	}
	return false
}

// connectionShaped reports whether an object is such settings by what it holds: a provider, or a server of tools.
func connectionShaped(m map[string]any) bool {
	_, args := m["args"].([]any)
	_, env := m["env"].(map[string]any)
	_, headers := m["headers"].(map[string]any)
	_, command := m["command"].(string)
	_, url := m["url"].(string)
	return command && (args || env) || url && headers || providerShaped(m, nil)
}

// harmlessWords end the names of fields whose values may be shown.
var harmlessWords = detect.SetOf("id", "ids", "uuid", "type", "types", "kind", "class", "name", "names", "title", "label", "labels", "model", "models", "provider", "providers", "source", "sources", "vendor", "engine",
	"adapter", "driver", "protocol", "scheme", "transport", "method", "mode", "modes", "format", "formats", "version", "versions", "revision", "base", "url", "urls", "uri", "endpoint", "endpoints", "api", "host", "hosts", "hostname",
	"domain", "domains", "port", "ports", "path", "paths", "route", "prefix", "suffix", "region", "regions", "zone", "locale", "language", "languages", "lang", "timezone", "tz", "currency", "country", "voice", "voices",
	"speaker", "speed", "rate", "volume", "pitch", "emotion", "style", "styles", "quality", "codec", "channels", "temperature", "penalty", "window", "length", "len", "size", "limit", "limits",
	"count", "counts", "max", "min", "timeout", "interval", "delay", "retry", "retries", "ttl", "period", "duration", "seconds", "minutes", "hours", "days", "ms", "dimension", "dimensions", "dim", "dims",
	"step", "steps", "batch", "concurrency", "threads", "workers", "weight", "weights", "priority", "order", "index", "level", "threshold", "ratio", "score", "enable", "enabled", "disable", "disabled",
	"active", "default", "required", "debug", "verbose", "stream", "streaming", "modalities", "modality", "capabilities", "capability", "features", "feature", "tool", "tools", "functions", "support", "supports",
	"supported", "vision", "reasoning", "thinking", "effort", "budget", "verbosity", "hint", "hints", "description", "desc", "note", "notes", "tip", "help", "tag", "tags", "category", "group", "groups",
	"role", "roles", "icon", "logo", "color", "homepage", "repo", "repository", "author", "authors", "license", "deployment", "project", "workspace", "prompt", "prompts", "instruction", "instructions", "greeting", "template", "stop",
	"command", "cmd", "cwd", "workdir", "dir", "directory", "file", "files", "filename", "image", "package", "packages", "module", "script", "entry", "entrypoint", "runtime", "shell", "platform", "platforms",
	"os", "arch", "whitelist", "blacklist", "allowlist", "blocklist", "filter", "filters", "env", "home", "pythonpath", "agent", "accept", "encoding", "strategy", "policy", "status", "state", "since", "until",
	"created", "updated", "date", "time", "at", "activity", "display", "nickname", "register", "refresh", "callback", "unit", "units", "scale", "pattern", "regex", "algorithm", "schema", "site", "origin", "referer", "lines", "rows")

// harmlessNames are whole names of such fields.
var harmlessNames = detect.SetOf("top_p", "top_k", "min_p", "n", "p", "k", "seed", "best_of", "logprobs", "x_title", "connection", "cache_control", "content_length", "max", "min", "id", "$schema", "auto_approve", "always_allow")

// proseWords end the names of fields that hold texts for people or models.
var proseWords = detect.SetOf("prompt", "prompts", "instruction", "instructions", "description", "desc", "hint", "hints", "note", "notes", "tip", "help", "greeting", "template", "title", "label")

// harmlessField reports whether a field in a connection is on the allowlist.
func harmlessField(key string) bool {
	w := detect.Words(key)
	if len(w) == 0 {
		return false
	}
	return harmlessNames[strings.Join(w, "_")] || harmlessWords[w[len(w)-1]] || detect.Quantities[w[0]] && len(w) > 1
}

func proseField(key string) bool {
	w := detect.Words(key)
	return len(w) > 0 && proseWords[w[len(w)-1]]
}

// connected is the verdict on a field of a connection. unlisted says that the field is only not on the allowlist; what it
// holds is then read field by field.
func (w *walk) connected(key string, value any, h here) (v detect.Verdict, by string, unlisted bool) {
	own := w.e.Names.Of(key)
	switch {
	case own == detect.Never:
		return detect.Never, key, false
	case own == detect.Link || own == detect.Source:
		if text, ok := value.(string); ok && text != "" && !strings.Contains(text, "://") {
			return detect.Certain, key, false
		}
		return own, key, false
	case own.Masks() && (own != detect.Weak || !harmlessNames[joinedWords(key)]):
		return detect.Certain, key, false
	case h.verdict.Masks() && !h.unlisted: // within what is named as a credential only such fields stay
		if plainHeaders[strings.ToLower(key)] {
			return detect.Plain, key, false
		}
		return h.verdict, h.by, false
	case harmlessField(key):
		return detect.Plain, key, false
	}
	switch value.(type) {
	case map[string]any, bool, nil:
		return detect.Plain, key, false
	}
	return detect.Certain, key, true
}

// connectedText redacts the value of a harmless field of a connection: an address keeps neither login nor parameters
// that are not harmless, and settings in an encoding are read as settings.
func (w *walk) connectedText(v string, h here) (string, bool) {
	if proseField(h.name) || v == "" {
		return v, false
	}
	if masked, ok := w.connectedAddress(v, h); ok {
		return masked, true
	}
	if w.holdsSettings(v, h, 0) {
		w.noteWhole(v, h, "nested-settings", "holds, in a text, settings with a credential")
		return w.mark, true
	}
	return v, false
}

// learnOf takes note of a value that was masked. One that stands under a name that says nothing is searched for elsewhere
// only when it looks drawn: it may be the name of a model.
func (w *walk) learnOf(v string, h here) {
	if !h.unlisted || detect.CredentialLike(v) && !strings.ContainsAny(v, "/.:@") {
		w.learn(detect.ValuesOf(v)...)
	}
}

func (w *walk) noteWhole(v string, h here, rule, why string) {
	w.learn(detect.ValuesOf(v)...)
	w.seal(h, v)
	w.marks = append(w.marks, Mark{h.section, h.path, rule, why, len(v)})
}

// connectedAddress masks login and parameters of an address.
func (w *walk) connectedAddress(v string, h here) (string, bool) {
	scheme, rest, ok := strings.Cut(v, "://")
	if !ok || strings.ContainsAny(v, " \n") || len(v) > detect.MaxAddress {
		return v, false
	}
	m := maskedText{text: v, mark: w.mark}
	var spans []detect.Span
	start := len(scheme) + len("://")
	if at := strings.LastIndexByte(rest[:detect.CutAny(rest, "/?#")], '@'); at > 0 && !detect.MaskedAlready(rest[:at]) && detect.Placeholder(rest[:at]) == "" {
		_, password, _ := strings.Cut(rest[:at], ":")
		spans = append(spans, detect.Span{Start: start, End: start + at, Rule: "url-login", Why: "is the login of an address", Values: []string{rest[:at], password, detect.Unescaped(password)}})
	}
	i := start + detect.CutAny(rest, "?#")
	for i < len(v) {
		next := i + 1 + detect.CutAny(v[i+1:], "&#;")
		name, value, ok := strings.Cut(v[i+1:next], "=")
		if ok && value != "" && !harmlessField(detect.Unescaped(name)) && !detect.MaskedAlready(value) && detect.Placeholder(detect.Unescaped(value)) == "" {
			from := i + 1 + len(name) + 1
			spans = append(spans, detect.Span{Start: from, End: next, Rule: "url-parameter", Why: "the parameter `" + detect.ShortName(detect.Unescaped(name)) + "` of an address is not known to be harmless", Values: []string{value, detect.Unescaped(value)}})
		}
		i = next
	}
	if len(spans) == 0 {
		return v, false
	}
	for _, s := range spans {
		w.learn(s.Values...)
		w.marks = append(w.marks, Mark{h.section, h.path, s.Rule, s.Why, s.End - s.Start})
	}
	m.apply(spans)
	for _, p := range m.pieces {
		w.seal(h, p.value)
	}
	return m.text, true
}

// holdsSettings reports whether a text holds, as lines of YAML or in base64, a field of a connection that is a credential.
func (w *walk) holdsSettings(v string, h here, depth int) bool {
	if depth > detect.MaxDepth || len(v) > detect.MaxRun {
		return false
	}
	if depth > 0 {
		if t := strings.TrimSpace(v); t != "" && (t[0] == '{' || t[0] == '[') {
			inner := &walk{e: w.e, o: Options{Mode: ExcludeSecrets}, mark: detect.Masked, budget: w.budget, scanned: w.scanned, known: map[string]bool{}, used: map[string]bool{}, finder: noFinder}
			if _, ok := inner.inside(v, here{section: h.section, path: h.path, pos: connection}); ok {
				for known := range inner.known {
					w.learn(known)
				}
				return true
			}
		}
	}
	for line := range strings.Lines(v) {
		line = strings.TrimLeft(strings.TrimSpace(line), "- {\"'")
		cut := strings.IndexAny(line, ":=")
		if cut <= 0 || cut > 64 || strings.ContainsAny(line[:cut], " /\\") || strings.HasPrefix(line[cut:], "://") {
			continue
		}
		name, value := strings.Trim(line[:cut], "\"'"), strings.Trim(line[cut+1:], " \t\"',}")
		if line[cut] == ':' && !strings.HasPrefix(line[cut+1:], " ") && depth == 0 || value == "" || detect.Placeholder(value) != "" || harmlessField(name) && !w.e.Names.Of(name).Masks() {
			continue
		}
		if verdict := w.e.Names.Of(name); verdict.Masks() || depth > 0 || strings.Contains(v, "\n") {
			w.learn(value)
			return true
		}
	}
	if t := strings.TrimRight(strings.TrimSpace(v), "="); len(t) >= 12 && depth < detect.MaxDepth {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if b, err := enc.DecodeString(t); err == nil {
				text, ok := string(b), detect.Readable(b)
				if !ok {
					text, ok = detect.Unpacked(b)
				}
				return ok && w.holdsSettings(text, h, depth+1)
			}
		}
	}
	return false
}

// Arguments of commands that start servers of tools.
var (
	runnerFlags = detect.SetOf("y", "m", "c", "r", "p", "v", "i", "t", "it", "w", "rm", "e", "from", "with", "directory", "package", "name", "network", "mount", "volume", "stdio", "sse", "yes", "quiet", "q", "python", "isolated",
		"no-install", "init", "interactive", "allow-net", "allow-read", "allow-env", "experimental-vm-modules", "refresh", "pull", "entrypoint", "project", "extra", "registry", "index-url", "add-host")
	flagsAlone  = detect.SetOf("y", "i", "t", "it", "rm", "stdio", "sse", "yes", "quiet", "q", "isolated", "interactive", "init", "refresh", "no-install")
	subcommands = detect.SetOf("run", "exec", "serve", "start", "stdio", "sse", "http", "dlx", "tool", "server", "mcp", "x", "install", "dev", "main", "index", "launch", "connect", "proxy", "default", "all", "true", "false", "on", "off")
	toolWords   = detect.SetOf("mcp", "server", "tool", "tools", "agent", "cli", "client", "proxy", "bridge", "remote", "sse", "stdio", "api", "context", "fetch", "git", "sqlite", "filesystem", "memory", "playwright", "browser", "search")
)

// packageRunners run the package that their first argument names, which is public: npx, uvx and their like.
var packageRunners = detect.SetOf("npx", "bunx", "uvx", "pnpx")

// runsPackage reports whether an object is a command of a package runner.
func runsPackage(m map[string]any) bool {
	command, _ := m["command"].(string)
	command = strings.ToLower(command[strings.LastIndexAny(command, `/\\`)+1:])
	return packageRunners[strings.TrimSuffix(strings.TrimSuffix(command, ".cmd"), ".exe")]
}

// packageName reports whether the argument at i is the package of a runner: the first that is no flag, in the form that
// registries give names.
func packageName(l []any, i int) bool {
	for _, before := range l[:i] {
		if flag, ok := before.(string); !ok || len(flag) < 2 || flag[0] != '-' || !flagsAlone[strings.TrimLeft(flag, "-")] {
			return false
		}
	}
	name, _ := l[i].(string)
	return len(name) <= 60 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == "" && !detect.RandomPart(name)
}

// shortestArgument is how long an argument must be, in bytes, to be refused as a secret in a pack that somebody else has made: what is
// shorter can be guessed, so that it protects nothing. In a pack that is made here it is masked all the same.
const shortestArgument = 4

// argument gives the verdict on the argument at i of a command, and the part in front of its value that stays.
func (w *walk) argument(l []any, i int, runs bool) (v detect.Verdict, by, prefix string) {
	text, ok := l[i].(string)
	if !ok || text == "" {
		return detect.Plain, "", ""
	}
	if name, value, ok := strings.Cut(text, "="); ok && strings.Trim(name, detect.Alnums+"_-.") == "" && name != "" && strings.Trim(value, "=") != "" { // not the padding of base64
		field := strings.TrimLeft(name, "-")
		if w.argumentField(field) && (harmlessField(field) || harmlessArgument(value)) {
			return detect.Plain, "", ""
		}
		return detect.Certain, field, name + "="
	}
	if text[0] == '-' {
		return detect.Plain, "", ""
	}
	if i > 0 {
		if before, ok := l[i-1].(string); ok && len(before) > 1 && before[0] == '-' && !strings.Contains(before, "=") {
			flag := strings.TrimLeft(before, "-")
			switch {
			case flagsAlone[flag]:
			case !w.argumentField(flag):
				return detect.Certain, flag, ""
			case harmlessField(flag) || runnerFlags[flag]:
				return detect.Plain, "", ""
			}
		}
	}
	if harmlessArgument(text) || runs && packageName(l, i) || w.proving && len(text) < shortestArgument {
		return detect.Plain, "", ""
	}
	return detect.Certain, "args", ""
}

// argumentField reports whether a name is none of a credential.
func (w *walk) argumentField(name string) bool {
	v := w.e.Names.Of(name)
	return v == detect.Plain || v == detect.Never || v == detect.Source
}

// harmlessArgument reports whether an argument is a number, a path, an address, a package or a subcommand.
func harmlessArgument(v string) bool {
	switch {
	case subcommands[strings.ToLower(v)], strings.Trim(v, detect.Digits+".") == "", detect.Placeholder(v) != "":
		return true
	case strings.Contains(v, "://"):
		return true // its login and parameters are looked at
	case strings.ContainsAny(v, " !#$%^&*~?;|<>"):
		return false
	case strings.ContainsAny(v, "/.\\") || v[0] == '@':
		return !slices.ContainsFunc(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("/.\\@-_:+", r) }), detect.Random)
	}
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' || r == '@' || r == ':' })
	return len(parts) > 1 && slices.ContainsFunc(parts, func(p string) bool { return toolWords[strings.ToLower(p)] })
}
