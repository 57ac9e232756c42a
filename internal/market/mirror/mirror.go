// Package mirror reads the catalogs of others: which kind an address is of, what it lists, and what one entry of the list says
// as a document of this catalog. It knows neither the network nor the store. Everything that it reads is a stranger's: sizes
// and counts are bounded, digests are checked, and nothing is executed.
package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/fetch"
)

// Kind is the form in which a catalog is read.
type Kind string

// The kinds.
const (
	Stoa           Kind = "stoa"
	Skills         Kind = "agent-skills"
	ClawHub        Kind = "clawhub"
	AstrBot        Kind = "astrbot"
	Registry       Kind = "mcp-registry"
	Marketplace    Kind = "marketplace"     // a marketplace.json
	GitMarketplace Kind = "git-marketplace" // a repository that holds one
)

// Bounds of what is read, in bytes.
const (
	maxList    = 32 << 20 // a list that comes whole
	maxPage    = 8 << 20  // a page of a list
	maxText    = 1 << 20  // one SKILL.md
	maxPackage = 20 << 20 // one package
	maxID      = 300
	maxFiles   = 500      // of one package
	maxTexts   = 32 << 20 // of one package, unpacked
)

// bytesPerValue is what each value of a document may take of its bound: many that say nothing take many times their bytes in memory.
const bytesPerValue = 64

// listTime bounds the reading of one page of a list, with all that is asked of others for it.
const listTime = 15 * time.Minute

// Source is a catalog of somebody else.
type Source struct {
	Kind Kind
	URL  string // as it was given, without a slash at its end
}

// Ref is an entry of a list.
type Ref struct {
	ID string
	// Stamp differs when what the entry says differs.
	Stamp string
	// Withdrawn: the source says that nobody should have it any more.
	Withdrawn bool
	raw       json.RawMessage
}

// Page is a part of a list, in the order of the source.
type Page struct {
	Refs []Ref
	Next string // the cursor of the page after; "" at the end
	// ETag of the whole list, where the source gives one, and NotModified when it is the one that was asked with.
	ETag        string
	NotModified bool
	// Partial: the list names only what changed since the last one; what it does not name is as it was.
	Partial bool
	// Mark stands on the last page of a list that can be asked for what changed since; the next list is asked for with it, as with
	// an ETag.
	Mark string
}

// Item is what an entry says. The document's id and scan are for the reader to fill in.
type Item struct {
	Document catalog.Document
	// Package is what the source serves for it, when it is a package of this program; nil otherwise.
	Package []byte
	// Texts are further files by name, which are scanned and not kept.
	Texts map[string]string
	// Digest is the sha256 of what was fetched, in hex, and Page where people find it at the source.
	Digest, Page string
}

// Refused says why an entry is not taken. Anything else that goes wrong may go right at another time.
type Refused struct{ Reason string }

// Error is the reason.
func (r *Refused) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

type form struct {
	list func(ctx context.Context, f *Session, url, cursor, etag string) (Page, error)
	item func(ctx context.Context, f *Session, url string, r Ref) (Item, error)
}

var forms = map[Kind]form{
	Stoa: {listStoa, itemStoa}, Skills: {listSkills, itemSkill}, ClawHub: {listClaws, itemClaw}, AstrBot: {listPlugins, itemPlugin},
	Registry: {listServers, itemServer}, Marketplace: {listMarketplace, itemMarketplace},
	GitMarketplace: {listGitMarketplace, itemMarketplace},
}

// List reads a page of a source's list; etag is only asked with on the first.
func List(ctx context.Context, f *Session, s Source, cursor, etag string) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	p, err := forms[s.Kind].list(ctx, f, s.URL, cursor, etag)
	if p.Next != "" && p.Next == cursor {
		return p, errors.New("the list never ends: a page names itself as the next")
	}
	if len(p.Next) > 1000 {
		return p, errors.New("the list's cursor is too long")
	}
	return p, err
}

// Read reads one entry.
func Read(ctx context.Context, f *Session, s Source, r Ref) (Item, error) {
	item, err := forms[s.Kind].item(ctx, f, s.URL, r)
	var status *fetch.StatusError
	if errors.Is(err, fetch.ErrTooLarge) {
		err = refuse("it is too large")
	} else if errors.As(err, &status) && status.Status < 500 && status.Status != 429 {
		err = refuse("the source lists it and answers %d", status.Status)
	}
	return item, err
}

// Detect finds out of which kind an address is, by asking it.
func Detect(ctx context.Context, from Fetcher, address string, now time.Time) (Source, error) {
	address = strings.TrimRight(strings.TrimSpace(address), "/")
	if err := fetch.Check(address); err != nil {
		return Source{}, err
	}
	f := NewSession(from, address, now)
	answer, direct := f.Get(ctx, address, "", maxList)
	if direct == nil {
		direct = countValues(answer.Body, maxList)
	}
	if direct == nil {
		if kind := kindOf(answer.Body); kind != "" {
			return Source{kind, address}, nil
		}
	}
	var last error
	for _, kind := range []Kind{GitMarketplace, Stoa, ClawHub, Skills, Registry} {
		_, err := forms[kind].list(ctx, f, address, "", "")
		if err == nil {
			return Source{kind, address}, nil
		}
		if unlike := (*fetch.StatusError)(nil); !errors.As(err, &unlike) {
			last = err
		}
	}
	switch {
	case last != nil && direct != nil:
		return Source{}, fmt.Errorf("the address cannot be read: %w", last)
	default:
		return Source{}, errors.New("the address is no catalog that can be mirrored: a Stoa, a ClawHub, an index of Agent Skills, an MCP registry, a plugin source of AstrBot, a marketplace.json or a git repository with one")
	}
}

// kindOf recognizes a list that the address itself answers.
func kindOf(body []byte) Kind {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		var all []plugin
		if json.Unmarshal(body, &all) == nil && len(all) > 0 && all[0].Repo != "" && all[0].Name != "" {
			return AstrBot
		}
		return ""
	}
	var list []map[string]json.RawMessage
	switch {
	case top["$meta"] != nil:
		return AstrBot
	case json.Unmarshal(top["plugins"], &list) == nil && top["name"] != nil:
		return Marketplace
	case json.Unmarshal(top["skills"], &list) == nil && (top["$schema"] != nil || len(list) > 0 && list[0]["files"] != nil):
		return Skills
	}
	for _, v := range top {
		var p plugin
		if json.Unmarshal(v, &p) == nil && p.Repo != "" && p.Author != "" {
			return AstrBot
		}
	}
	return ""
}

func getJSON(ctx context.Context, f *Session, address, etag string, limit int64, to any) (fetch.Answer, error) {
	answer, err := f.Get(ctx, address, etag, limit)
	if err != nil || answer.NotModified {
		return answer, err
	}
	return answer, parse(address, answer.Body, limit, to)
}

// parse reads a document that may have limit bytes.
func parse(address string, body []byte, limit int64, to any) error {
	if err := countValues(body, limit); err != nil {
		return err
	}
	if err := json.Unmarshal(body, to); err != nil {
		return refuse("what %s answers is not the JSON that it should be", address)
	}
	return nil
}

// countValues refuses a document of more values than one of limit bytes may have.
func countValues(body []byte, limit int64) error {
	n, text := int64(0), false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case !text && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	if n > limit/bytesPerValue {
		return refuse("it has more than %d values", limit/bytesPerValue)
	}
	return nil
}

// resolve gives the address that a document at base names.
func resolve(base, reference string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	r, err := b.Parse(reference)
	if err != nil {
		return "", refuse("it names no address")
	}
	if b.Scheme == "https" && r.Scheme != "https" {
		return "", refuse("it leads from https to plain text")
	}
	return r.String(), nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// stamp is a short text for everything that an entry of a list says.
func stamp(raw []byte) string { return digest(raw)[:32] }

// ref makes an entry; ok is false for one that cannot be named.
func ref(id string, raw json.RawMessage) (Ref, bool) {
	return Ref{ID: id, Stamp: stamp(raw), raw: raw}, id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}
