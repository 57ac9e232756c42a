package botimport

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"stoa/internal/market/pack"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// Files is what a setup is read from; see pack.Files.
type Files = pack.Files

// Bounds of what is taken from one setup.
const (
	maxConfigBytes = 8 << 20
	maxItems       = 2_000 // personas, plugins, skills, servers: of each
)

// builder puts sections together.
type builder struct {
	ctx      context.Context
	files    Files
	sections map[string]any
	rep      *reporter
	sum      Summary
}

func newBuilder(ctx context.Context, files Files) *builder {
	return &builder{
		ctx: ctx, files: files, sections: map[string]any{}, rep: newReporter(),
		sum: Summary{PersonaPool: []string{}, PersonaIDs: []string{}, SubagentIDs: []string{}},
	}
}

// section is the object of a section, made when it is not there.
func (b *builder) section(name string) map[string]any {
	if m := object(b.sections[name]); m != nil {
		return m
	}
	m := map[string]any{}
	b.sections[name] = m
	return m
}

// member is the object at key of m, made when it is not there.
func member(m map[string]any, key string) map[string]any {
	if o := object(m[key]); o != nil {
		return o
	}
	o := map[string]any{}
	m[key] = o
	return o
}

// parse reads a JSON file of a setup: UTF-8 with or without a byte order mark, or UTF-16 with one.
func parse(text []byte) (any, error) {
	v, err := strictjson.Parse(decoded(text), 0)
	if err == nil && !pack.PathsFit(v, maxNames) {
		return nil, errNames
	}
	return v, err
}

// maxNames bounds the names that lead to a value in a file, in bytes, so that its path in the pack fits too.
const maxNames = pack.MaxPath / 2

var errNames = errors.New("it holds names that are too long")

// json reads a JSON file that the setup can do without; one that cannot be read is reported.
func (b *builder) json(name, shown string) any {
	text, err := b.files.Read(name, maxConfigBytes)
	var v any
	if err == nil {
		v, err = parse(text)
	}
	if err != nil {
		b.unreadable(shown, err)
		return nil
	}
	return v
}

// unreadable reports a file that was left out because it could not be read.
func (b *builder) unreadable(shown string, err error) {
	b.rep.add(Field{SourcePath: shown, Outcome: NeedsAPerson, IssueCode: pack.IssueFileUnreadable, Note: "this file was left out: " + why(err)})
}

// why says what is wrong with a file without any of its content.
func why(err error) string {
	var s *strictjson.Error
	if errors.As(err, &s) {
		return s.Error()
	}
	if e, ok := errs.As(pack.RefusedArchive(errs.InvalidProfilePackPayload, err)); ok {
		return strings.TrimSuffix(e.Message, ".")
	}
	if errors.Is(err, errRow) || errors.Is(err, errTables) || errors.Is(err, errYAML) || errors.Is(err, errNames) {
		return err.Error()
	}
	return "it cannot be read or is too large"
}

// operatorKeys list accounts of people: whoever installs a pack has other ones.
var operatorKeys = []string{"admins_id", "admin_ids", "admins", "id_whitelist", "id_blacklist", "group_whitelist", "group_blacklist", "user_whitelist", "user_blacklist"}

// mixedKeys do so when what they list looks like accounts; it may be words as well.
var mixedKeys = []string{"whitelist", "blacklist", "white_list", "black_list", "allow_list", "allowed_users", "allowed_groups"}

// take copies a value for a pack, reports each of its leaves as mapped, and leaves lists of people's accounts out.
func (b *builder) take(v any, source, target string) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			break
		}
		out := make(map[string]any, len(v))
		for _, key := range sortedKeys(v) {
			if isOperatorList(key, v[key]) {
				b.operator(inside(source, key))
				continue
			}
			out[key] = b.take(v[key], inside(source, key), pack.AppendKey(target, key))
		}
		return out
	case []any:
		if !slices.ContainsFunc(v, isContainer) {
			break
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = b.take(item, pack.AppendIndex(source, i), pack.AppendIndex(target, i))
		}
		return out
	}
	b.rep.mapped(source, target)
	return v
}

func isContainer(v any) bool { return object(v) != nil || list(v) != nil }

// isOperatorList tells whether a member lists accounts. Empty lists say nothing and stay.
func isOperatorList(key string, v any) bool {
	key = strings.ToLower(key)
	ids := texts(v)
	switch {
	case len(ids) == 0:
		return false
	case slices.Contains(operatorKeys, key):
		return true
	}
	return slices.Contains(mixedKeys, key) && slices.ContainsFunc(ids, isAccount)
}

// isAccount tells an account's number or an address such as telegram:private:10001 from a word.
func isAccount(s string) bool {
	digits := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	return digits < 0 && len(s) >= 5 || strings.Count(s, ":") >= 2
}

func (b *builder) operator(source string) {
	b.rep.add(Field{SourcePath: source, Outcome: Omitted, IssueCode: pack.IssueOperatorFieldsOmitted, Note: operatorNote(source)})
}

func operatorNote(source string) string {
	if strings.HasSuffix(source, ":dashboard") {
		return "the login and address of this bot's dashboard"
	}
	return "accounts of people who run or use this bot; whoever installs the pack has other ones"
}

// inside is the source path of a member: file:key at the top of a file, file:path.key below.
func inside(source, key string) string {
	if !strings.Contains(source, ":") {
		return source + ":" + pack.AppendKey("", key)
	}
	return pack.AppendKey(source, key)
}

// full reports items beyond the bound once per kind.
func (b *builder) full(n int, source, what string) bool {
	if n < maxItems {
		return false
	}
	b.rep.add(Field{SourcePath: source, Outcome: NeedsAPerson, IssueCode: pack.IssueItemsTruncated, Note: "more than 2000 " + what + "; this one was left out"})
	return true
}

// raw writes sections as the catalog keeps them.
func raw(sections map[string]any) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(sections))
	for name, v := range sections {
		text, err := strictjson.Canonical(v)
		if err != nil {
			text = []byte("{}") // our own values always encode
		}
		out[name] = text
	}
	return out
}
