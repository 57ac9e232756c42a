package redact

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/market/redact/detect"
)

// walk goes through sections once, makes the redacted copy and notes what it did.
type walk struct {
	e     *Engine
	o     Options
	mark  string
	masks chosen
	drops chosen

	budget  *detect.Budget
	scanned map[string][]detect.Span // longer texts that were searched already: the rounds see most of them again
	known   map[string]bool          // secrets worth searching for
	finder  *finder                  // of the secrets known when the round began
	proving bool                     // what others have made is searched, and nothing is written
	used    map[string]bool          // mask and drop paths that fitted
	marks   []Mark
	dropped []Mark
	kept    []Mark
	entries []Secret // of this round
	secrets []Secret // of all rounds
	tooDeep bool
}

// here is the place that a walk has reached.
type here struct {
	section  string
	path     string
	name     string // of the key that leads here
	verdict  detect.Verdict
	by       string // the name whose verdict it is
	masks    chosen
	drops    chosen
	pos      position
	unlisted bool // the verdict stands for a field that is not on the allowlist
	provider bool // inside a provider's settings whose credentials are removed
	runs     bool // in a command that runs the package which its arguments name first
	nested   int  // texts of JSON around this place
	depth    int
}

const maxTree = 512

// learnWork is the work for each byte of a secret that is searched for elsewhere in all its encodings.
const learnWork = 200

// remembered is the least length of a text whose spans are kept for the next round.
const remembered = 64

// scan finds the secrets of a text. The spans may be changed by the caller.
func (w *walk) scan(text string) []detect.Span {
	if len(text) < remembered {
		w.budget.Grant(len(text))
		return w.e.Scan(text, "", 0, w.budget)
	}
	spans, ok := w.scanned[text]
	if !ok {
		w.budget.Grant(len(text))
		spans = w.e.Scan(text, "", 0, w.budget)
		w.scanned[text] = spans
	}
	return slices.Clone(spans)
}

// restart forgets what was done but not what is known.
func (w *walk) restart() *walk {
	w.marks, w.dropped, w.kept, w.entries = nil, nil, nil, nil
	w.refresh()
	return w
}

func (w *walk) sections(sections map[string]any) map[string]any {
	out := make(map[string]any, len(sections))
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		h := here{section: name, path: pathKey("", name), name: name}
		var mask, drop bool
		h.masks, mask = w.masks.underKey(name)
		h.drops, drop = w.drops.underKey(name)
		h.provider = w.o.Mode == IncludeProviderNoKey && name == providersSection
		if holdsConnection(name) {
			h.pos = connection
		}
		switch {
		case drop:
			w.drop(h, sections[name], "drop-path", "you asked for it to be removed")
			w.use(w.o.DropPaths, h.path)
			continue
		case w.o.Mode == ExcludeProvider && name == providersSection:
			w.drop(h, sections[name], "mode", "the mode exclude_provider leaves the providers out")
			continue
		}
		if mask {
			w.use(w.o.MaskPaths, h.path)
			out[name] = w.maskAll(sections[name], h, "mask-path", "you asked for it to be masked")
			continue
		}
		out[name] = w.node(sections[name], h)
	}
	return out
}

// use remembers that the paths that name a place fitted.
func (w *walk) use(paths []string, path string) {
	for _, p := range paths {
		if steps, err := parsePath(p); err == nil && fits(steps, path) {
			w.used[p] = true
		}
	}
}

func fits(steps []step, path string) bool {
	at, err := parsePath(path)
	if err != nil || len(at) != len(steps) {
		return false
	}
	for i, s := range steps {
		switch {
		case s.kind == stepAnyKey, s.kind == stepAnyIndex && at[i].kind == stepIndex, s == at[i]:
		case s.kind == stepKey && at[i].kind == stepIndex && s.key == fmt.Sprint(at[i].index):
		default:
			return false
		}
	}
	return true
}

func (w *walk) node(v any, h here) any {
	if h.depth++; h.depth > maxTree {
		w.tooDeep = true
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		return w.object(v, h)
	case []any:
		return w.list(v, h)
	case string:
		return w.text(v, h)
	case json.Number:
		return w.number(v, v.String(), h)
	case float64:
		return w.number(v, strconv.FormatFloat(v, 'f', -1, 64), h)
	case int, int64:
		return w.number(v, fmt.Sprint(v), h)
	}
	return v
}

func (w *walk) object(m map[string]any, h here) any {
	provider := providerShaped(m, w.e)
	h.provider = h.provider || w.o.Mode == IncludeProviderNoKey && provider
	if h.pos == ordinary && connectionShaped(m) {
		h.pos = connection
	}
	h.runs = runsPackage(m)
	private := privateJWK(m)
	pairName, pairValue, pair := namedPair(m)
	out := make(map[string]any, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		child := h
		child.path, child.name = pathKey(h.path, key), key
		var mask, drop bool
		child.masks, mask = h.masks.underKey(key)
		child.drops, drop = h.drops.underKey(key)
		w.enter(&child, key, m[key], h, provider)
		if private && jwkParts[key] {
			child.verdict, child.by = detect.Certain, key
		}
		if pair && key == pairName {
			child.verdict = detect.Plain
		}
		if pair && key == pairValue && !child.verdict.Masks() {
			name, _ := m[pairName].(string)
			if own := w.e.Names.Of(name); h.pos == connection {
				child.verdict, child.by, child.unlisted = w.connected(name, m[pairValue], h)
			} else if own != detect.Plain {
				child.verdict, child.by = own, name
			}
		}
		value := m[key]
		switch {
		case drop:
			w.use(w.o.DropPaths, child.path)
			w.drop(child, value, "drop-path", "you asked for it to be removed")
			continue
		case w.o.Mode == ExcludeProvider && w.providerPart(key, value, h):
			w.drop(child, value, "mode", "the mode exclude_provider leaves providers out, and this describes one")
			continue
		case h.provider && w.providerCredential(value, child):
			w.drop(child, value, "mode", "the mode include_provider_no_key removes credentials, and the key name `"+detect.ShortName(child.by)+"` names one")
			continue
		}
		at := w.key(key, child)
		for n := 2; ; n++ {
			if _, taken := out[at]; !taken {
				break
			}
			at = fmt.Sprintf("%s#%d", w.key(key, here{}), n)
		}
		switch {
		case mask:
			w.use(w.o.MaskPaths, child.path)
			out[at] = w.maskAll(value, child, "mask-path", "you asked for it to be masked")
		case h.provider && baseNames[joinedWords(key)]:
			out[at] = w.node(w.bareAddress(value, child), child)
		default:
			out[at] = w.node(value, child)
		}
	}
	return out
}

// enter sets what the name of a key says about its value.
func (w *walk) enter(child *here, key string, value any, h here, provider bool) {
	child.unlisted = false
	if h.pos == arguments {
		child.pos = connection
	}
	_, isText := value.(string)
	if holdsConnection(key) && !isText {
		child.pos = connection
		child.provider = h.provider || w.o.Mode == IncludeProviderNoKey && strings.Contains(strings.ToLower(key), providerWord)
	}
	if h.pos == ordinary {
		child.verdict, child.by = w.verdict(key, h, provider)
		return
	}
	child.pos = connection
	if _, list := value.([]any); list && (key == "args" || key == "arguments") {
		child.verdict, child.by, child.pos = detect.Plain, key, arguments
		return
	}
	if m, ok := value.(map[string]any); ok && len(m) > 0 && environmentNames[joinedWords(key)] {
		child.verdict, child.by, child.unlisted = detect.Certain, key, true
		return
	}
	child.verdict, child.by, child.unlisted = w.connected(key, value, h)
}

// providerWord is in the names of what the mode include_provider_no_key takes the credentials out of.
const providerWord = "provider"

// jwkParts are the private members of a JSON Web Key (RFC 7518, section 6).
var jwkParts = detect.SetOf("d", "p", "q", "dp", "dq", "qi", "oth", "k")

// privateJWK reports whether an object is a JSON Web Key.
func privateJWK(m map[string]any) bool {
	_, kty := m["kty"].(string)
	return kty
}

// verdict is what the name of a key says, or the name of what holds it.
func (w *walk) verdict(key string, h here, provider bool) (detect.Verdict, string) {
	own := w.e.Names.Of(key)
	if own == detect.Weak && provider && keyNames[joinedWords(key)] {
		own = detect.Likely // the key of a provider is a credential, however it looks
	}
	inherits := h.verdict.Masks() || h.verdict == detect.Link || h.verdict == detect.Source
	switch {
	case own == detect.Plain && inherits && (h.verdict == detect.Account || !plainHeaders[strings.ToLower(key)]):
		return h.verdict, h.by
	case own == detect.Weak && h.verdict > detect.Weak && h.verdict <= detect.Certain:
		return h.verdict, h.by
	}
	return own, key
}

// plainHeaders hold no credential although the map they stand in is taken as a whole.
var plainHeaders = detect.SetOf("content-type", "accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "connection", "host", "origin", "content-length",
	"http-referer", "referer", "x-title", "type", "enabled", "enable", "openai-beta", "anthropic-version", "anthropic-beta", "region", "description")

func (w *walk) list(l []any, h here) any {
	out := make([]any, 0, len(l))
	for i, v := range l {
		child := h
		child.path = pathIndex(h.path, i)
		var mask, drop bool
		child.masks, mask = h.masks.underIndex(i)
		child.drops, drop = h.drops.underIndex(i)
		if m, ok := v.(map[string]any); ok && w.o.Mode == ExcludeProvider && providerShaped(m, w.e) {
			w.drop(child, v, "mode", "the mode exclude_provider leaves providers out, and this describes one")
			continue
		}
		if h.pos == arguments {
			var prefix string
			child.verdict, child.by, prefix = w.argument(l, i, h.runs)
			if text, _ := v.(string); prefix != "" && !mask && !drop {
				value := w.text(strings.TrimPrefix(text, prefix), child)
				out = append(out, prefix+fmt.Sprint(value))
				continue
			}
		} else if pem(l, i) {
			child.verdict, child.by = detect.Certain, "BEGIN PRIVATE KEY"
		} else if name, ok := leading(l, i); ok {
			if verdict := w.e.Names.Of(name); verdict == detect.Certain || verdict == detect.Likely || verdict == detect.Weak || verdict == detect.Link {
				child.verdict, child.by = verdict, name
			}
		}
		switch {
		case drop:
			w.use(w.o.DropPaths, child.path)
			w.drop(child, v, "drop-path", "you asked for it to be removed")
		case mask:
			w.use(w.o.MaskPaths, child.path)
			out = append(out, w.maskAll(v, child, "mask-path", "you asked for it to be masked"))
		default:
			out = append(out, w.node(v, child))
		}
	}
	return out
}

// pem reports whether an element of a list is a line of a private key: it stands between the line that begins one and the
// line that ends it.
func pem(l []any, i int) bool {
	for n := i; n >= 0 && i-n < 200; n-- {
		line, ok := l[n].(string)
		if !ok || strings.Contains(line, "-----END") && n < i {
			return false
		}
		if strings.Contains(line, "-----BEGIN") {
			return strings.Contains(line, "PRIVATE KEY") && n < i
		}
	}
	return false
}

// leading gives the name that an element of a list stands behind: a flag of a command line, or the first of a pair.
func leading(l []any, i int) (string, bool) {
	if i == 0 {
		return "", false
	}
	before, ok := l[i-1].(string)
	if !ok || len(before) > detect.MaxNameBytes {
		return "", false
	}
	if value, ok := l[i].(string); !ok || strings.HasPrefix(value, "--") {
		return "", false
	}
	if len(before) > 2 && before[0] == '-' && !strings.ContainsAny(before, "= ") {
		return strings.TrimLeft(before, "-"), true
	}
	if len(l) == 2 && !strings.ContainsAny(before, " ") {
		return before, true
	}
	return "", false
}

// pairNames are the names of the first half of a pair.
var pairNames = []string{"name", "key", "k", "header", "field", "variable", "var", "env", "label", "Name", "Key", "id", "title", "attr", "attribute", "property", "param", "parameter", "setting", "option"}

// namedPair recognises {"name": "API_KEY", "value": …}, in which headers and environments are written as lists.
func namedPair(m map[string]any) (name, value string, ok bool) {
	for _, v := range detect.ValueFields {
		if _, has := m[v]; has {
			value = v
			break
		}
	}
	if value == "" {
		return "", "", false
	}
	for _, n := range pairNames {
		if _, has := m[n].(string); has && n != value {
			return n, value, true
		}
	}
	return "", "", false
}

// drop takes a place out. Its secrets stay known: they may stand elsewhere too.
func (w *walk) drop(h here, v any, rule, why string) {
	w.dropped = append(w.dropped, Mark{h.section, h.path, rule, why, sizeOf(v)})
	inner := &walk{e: w.e, o: Options{Mode: ExcludeSecrets}, mark: detect.Masked, budget: w.budget, scanned: w.scanned, known: w.known, used: map[string]bool{}, finder: noFinder}
	h.masks, h.drops, h.provider = nil, nil, false
	inner.node(v, h)
	w.tooDeep = w.tooDeep || inner.tooDeep
}

func sizeOf(v any) int {
	if s, ok := v.(string); ok {
		return len(s)
	}
	return 0
}

// maskAll masks every value below a place and keeps its shape.
func (w *walk) maskAll(v any, h here, rule, why string) any {
	if h.depth++; h.depth > maxTree {
		w.tooDeep = true
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			child := h
			child.path = pathKey(h.path, key)
			out[key] = w.maskAll(v[key], child, rule, why)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			child := h
			child.path = pathIndex(h.path, i)
			out[i] = w.maskAll(v[i], child, rule, why)
		}
		return out
	case nil:
		return nil
	case string:
		if v == "" || detect.IsMask(v) {
			return v
		}
		w.learn(v)
	}
	w.seal(h, v)
	w.marks = append(w.marks, Mark{h.section, h.path, rule, why, sizeOf(v)})
	return w.mark
}

// seal keeps a value for its owner.
func (w *walk) seal(h here, value any) {
	if w.o.Mode == IncludeEncryptedSecrets {
		w.entries = append(w.entries, Secret{Path: h.path, Value: value})
	}
}

func (w *walk) learn(values ...string) {
	for _, v := range values {
		if v = strings.TrimSpace(v); !w.known[v] && detect.Distinctive(v) && !detect.MaskedAlready(v) && w.budget.Spend(len(v)*learnWork) {
			w.known[v] = true
		}
	}
}

// refresh rebuilds the finder when more is known than before.
func (w *walk) refresh() {
	if len(w.known) != len(w.finder.known) {
		w.finder = newFinder(slices.Sorted(maps.Keys(w.known)))
	}
}

// clean takes what is known out of the paths and reasons of the notes: a key on the way may be a credential.
func (w *walk) clean() {
	w.refresh()
	tidy := func(text string) string {
		m := maskedText{text: text, mark: detect.Masked}
		m.apply(detect.Join(text, append(w.scan(text), w.finder.spans(text)...)))
		return shortPath(m.text)
	}
	for _, marks := range [][]Mark{w.marks, w.dropped, w.kept} {
		for i := range marks {
			marks[i].Path, marks[i].Why = tidy(marks[i].Path), tidy(marks[i].Why)
		}
	}
}

// maxShownPath is the length of a path in a note.
const maxShownPath = 1024

func shortPath(path string) string {
	if len(path) <= maxShownPath {
		return path
	}
	return strings.ToValidUTF8(path[:maxShownPath], "") + "…"
}
