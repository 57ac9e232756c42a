package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"stoa/internal/market/redact/detect"
)

// text redacts the value of a field.
func (w *walk) text(v string, h here) any {
	if v == "" {
		return v
	}
	if h.verdict.Masks() {
		why := detect.Placeholder(v)
		switch {
		case why == "is masked already":
			return v
		case why != "" && h.verdict != detect.Weak:
			w.keep(h, v, "placeholder", "the key name `"+detect.ShortName(h.by)+"` names a credential, but the value "+why)
		case why == "" && w.wholly(v, h):
			w.learnOf(v, h)
			for _, s := range w.scan(v) {
				w.learn(s.Values...)
			}
			w.seal(h, v)
			w.marks = append(w.marks, Mark{h.section, h.path, "key-name", whyNamed(h), len(v)})
			return w.mark
		}
	} else if h.pos != ordinary {
		if masked, ok := w.connectedText(v, h); ok {
			v = masked
		}
	}
	if inner, ok := w.inside(v, h); ok {
		v = inner
	}
	m := maskedText{text: v, mark: w.mark}
	for range maxRounds {
		spans := w.spansOf(m.text, h)
		if len(spans) == 0 {
			break
		}
		for _, s := range spans {
			w.learn(s.Values...)
			w.marks = append(w.marks, Mark{h.section, h.path, s.Rule, s.Why, s.End - s.Start})
		}
		m.apply(spans)
	}
	for _, p := range m.pieces {
		w.seal(h, p.value)
	}
	w.publicKey(v, h)
	return m.text
}

// whyNamed is the reason for masking a value by where it stands.
func whyNamed(h here) string {
	if h.unlisted {
		return "stands in the settings of a connection under `" + detect.ShortName(h.by) + "`, which is not known to be harmless"
	}
	return "the key name `" + detect.ShortName(h.by) + "` names a credential"
}

// spansOf finds what is secret in a text, and what is known to be.
func (w *walk) spansOf(text string, h here) []detect.Span {
	spans := w.scan(text)
	if h.verdict == detect.Link && len(spans) == 0 {
		if s, ok := detect.WebhookSpan(text); ok {
			spans = append(spans, s)
		}
	}
	if h.verdict == detect.Source && len(spans) == 0 && detect.Placeholder(text) == "" && detect.CredentialLike(text) {
		spans = append(spans, detect.Span{End: len(text), Rule: "key-name", Why: "the key name `" + detect.ShortName(h.by) + "` names a credential", Values: []string{text}})
	}
	for _, s := range w.finder.spans(text) {
		if !detect.MaskedAlready(text[s.Start:s.End]) {
			spans = append(spans, s)
		}
	}
	return detect.Join(text, spans)
}

// wholly says whether the value of a field whose name is a credential's is taken as a whole.
func (w *walk) wholly(v string, h here) bool {
	switch h.verdict {
	case detect.Certain:
		return true
	case detect.Likely:
		if strings.Contains(v, "://") && !strings.ContainsAny(v, " \n") && len(w.scan(v)) == 0 {
			return detect.RandomPart(v)
		}
		return strings.Trim(v, " \t\n.,;:|/<>[](){}_-") != "" && !detect.Prose(v)
	case detect.Account:
		return detect.HasDigit(v)
	case detect.Weak:
		if last := joinedWords(h.by); strings.HasSuffix(last, "pin") || strings.HasSuffix(last, "pin_code") {
			return len(v) >= 4 && len(v) <= 12 && strings.Trim(v, "0123456789") == "" || detect.CredentialLike(v)
		}
		return detect.CredentialLike(v) || detect.MnemonicLike(v)
	}
	return false
}

// number masks the few numbers that are credentials: pins, one-time passwords, ids of accounts.
func (w *walk) number(v any, digits string, h here) any {
	take := false
	if strings.Trim(digits, "0123456789") == "" && len(digits) >= 4 {
		last := joinedWords(h.by)
		switch h.verdict {
		case detect.Certain:
			take = !strings.HasSuffix(last, "s") // api_keys: 1000 counts them
		case detect.Likely:
			take = len(digits) >= 6
		case detect.Account:
			take = len(digits) >= 5
		case detect.Weak:
			take = strings.HasSuffix(last, "pin") || strings.HasSuffix(last, "pin_code")
		}
	}
	if h.pos != ordinary && h.verdict.Masks() && !h.unlisted && len(digits) >= 2 && !strings.HasSuffix(joinedWords(h.by), "s") {
		take = true
	}
	if take {
		w.learn(digits)
		w.marks = append(w.marks, Mark{h.section, h.path, "key-name", whyNamed(h), len(digits)})
	} else {
		for _, s := range w.finder.spans(digits) {
			take = take || s.Start == 0 && s.End == len(digits)
		}
		if !take {
			return v
		}
		w.marks = append(w.marks, Mark{h.section, h.path, "known-value", "is a credential that was found elsewhere in this pack", len(digits)})
	}
	w.seal(h, v)
	return w.mark
}

// inside redacts JSON that stands in a text, and gives the text back when something in it was masked.
func (w *walk) inside(v string, h here) (string, bool) {
	t := strings.TrimSpace(v)
	if len(t) < 8 || h.nested >= detect.MaxDepth {
		return "", false
	}
	if ends := string([]byte{t[0], t[len(t)-1]}); ends != "{}" && ends != "[]" {
		return "", false
	}
	d := json.NewDecoder(strings.NewReader(t))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) != nil || d.More() {
		return "", false
	}
	before := len(w.marks) + len(w.dropped)
	child := h
	child.nested++
	child.masks, child.drops = nil, nil
	if child.verdict == detect.Plain || child.verdict == detect.Never {
		child.verdict = detect.Plain
	}
	out := w.node(tree, child)
	if len(w.marks)+len(w.dropped) == before {
		return "", false
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(out) != nil {
		return "", false
	}
	return strings.TrimSuffix(text.String(), "\n"), true
}

// key redacts the name of a key: a credential may be one.
func (w *walk) key(key string, h here) string {
	if len(key) < 6 {
		return key
	}
	spans := w.scan(key)
	for _, s := range spans {
		w.learn(s.Values...)
	}
	for _, s := range w.finder.spans(key) {
		if !detect.MaskedAlready(key[s.Start:s.End]) {
			spans = append(spans, s)
		}
	}
	if spans = detect.Join(key, spans); len(spans) == 0 {
		return key
	}
	m := maskedText{text: key, mark: w.mark}
	m.apply(spans)
	if h.path != "" {
		// The path itself would show the key: the mark is told by the key without its secret.
		path := strings.TrimSuffix(h.path, pathKey("", key))
		if cut := strings.LastIndex(h.path, "["); path == h.path && cut >= 0 {
			path = h.path[:cut]
		}
		path = pathKey(strings.TrimSuffix(path, "."), m.text)
		w.marks = append(w.marks, Mark{h.section, path, spans[0].Rule, "this key " + spans[0].Why, len(key)})
		if w.o.Mode == IncludeEncryptedSecrets {
			for _, p := range m.pieces {
				w.entries = append(w.entries, Secret{Path: path, Value: p.value, Key: true})
			}
		}
	}
	return m.text
}

func (w *walk) keep(h here, v, rule, why string) {
	w.kept = append(w.kept, Mark{h.section, h.path, rule, why, len(v)})
}

// publicKey tells that a public key was seen and left.
func (w *walk) publicKey(v string, h here) {
	for _, p := range []string{"-----BEGIN PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----", "ssh-ed25519 AAAA", "ssh-rsa AAAA", "age1"} {
		if strings.HasPrefix(strings.TrimSpace(v), p) && len(v) > 50 {
			w.keep(h, v, "public-key", "is a public key or certificate, which may be shared")
			return
		}
	}
}

func joinedWords(key string) string { return strings.Join(detect.Words(key), "_") }

// providersSection is the section of the field facts that holds the model providers.
const providersSection = "providers"

var (
	baseNames = detect.SetOf("base_url", "api_base", "api_base_url", "base_uri", "baseurl", "apibase", "openai_api_base", "endpoint", "api_endpoint", "api_url", "api_host", "azure_endpoint")
	keyNames  = detect.SetOf("key", "keys", "api_key", "api_keys", "apikey", "apikeys", "access_key", "secret_key", "token", "api_token", "access_token", "secret")
	modelKeys = detect.SetOf("model", "models", "model_name", "model_id", "model_config", "deployment", "deployment_name", "embedding_model")
	provided  = detect.SetOf("provider", "providers", "provider_sources", "provider_source", "model_providers", "llm_providers", "provider_settings")
)

// providerShaped says whether an object describes a model provider: two of an address, a key and a model.
func providerShaped(m map[string]any, _ *Engine) bool {
	var base, key, model bool
	for name := range m {
		n := joinedWords(name)
		base, key, model = base || baseNames[n], key || keyNames[n], model || modelKeys[n]
	}
	return base && (key || model) || key && model
}

// providerPart says whether the mode exclude_provider leaves out what stands under a key.
func (w *walk) providerPart(key string, v any, h here) bool {
	switch v := v.(type) {
	case map[string]any:
		if providerShaped(v, w.e) {
			return true
		}
	case []any:
	default:
		return h.section == coreSection && h.path == coreSection && strings.HasPrefix(key, "provider")
	}
	n := joinedWords(key)
	return provided[n] || h.section == coreSection && h.path == coreSection && strings.HasPrefix(n, "provider")
}

// coreSection is the section with a bot's main settings.
const coreSection = "astrbot_core"

// providerCredential says whether a field of a provider is removed instead of masked.
func (w *walk) providerCredential(v any, h here) bool {
	switch h.verdict {
	case detect.Certain, detect.Likely:
		switch v := v.(type) {
		case string:
			return v != "" && !detect.IsMask(v) && w.wholly(v, h)
		case map[string]any:
			return len(v) > 0
		case []any:
			return slices.ContainsFunc(v, func(e any) bool { s, ok := e.(string); return !ok || s != "" })
		case bool, nil:
			return false
		}
		return h.verdict == detect.Certain
	case detect.Weak, detect.Account:
		s, ok := v.(string)
		return ok && w.wholly(s, h)
	}
	return false
}

// bareAddress takes login, parameters and fragment off the address of a provider.
func (w *walk) bareAddress(v any, h here) any {
	s, ok := v.(string)
	if !ok || !strings.Contains(s, "://") {
		return v
	}
	bare := s
	if i := strings.IndexAny(bare, "?#"); i >= 0 {
		bare = bare[:i]
	}
	scheme, rest, _ := strings.Cut(bare, "://")
	authority := rest[:detect.CutAny(rest, "/")]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	bare = scheme + "://" + rest
	if bare == s || strings.Contains(s, detect.Masked) && !strings.ContainsAny(s, "?#") {
		return v
	}
	for _, sp := range w.scan(s) {
		w.learn(sp.Values...)
	}
	w.dropped = append(w.dropped, Mark{h.section, h.path, "mode", "the mode include_provider_no_key removes login and parameters of a provider's address", len(s) - len(bare)})
	return bare
}
