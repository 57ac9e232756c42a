package mirror

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/pack"
	"stoa/internal/platform/fetch"
)

// skillEntry is a skill in an index of version 0.2.0 or, with files, 0.1.
type skillEntry struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	URL         string   `json:"url"`
	Digest      string   `json:"digest"`
	Files       []string `json:"files"`
	Base        string   `json:"base,omitempty"` // the address of the index
	// Sites also write their indexes by hand: a path from their root for the address, a bare sum for the digest.
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// sum is the SHA-256 that the entry names, in hex, "" for none.
func (e skillEntry) sum() string {
	sum := e.Digest
	if sum == "" {
		sum = e.SHA256
	}
	return strings.TrimPrefix(strings.ToLower(sum), "sha256:")
}

// reference is where the skill lies, as seen from the index.
func (e skillEntry) reference() string {
	switch {
	case e.URL != "":
		return e.URL
	case e.Path != "":
		return "/" + strings.TrimLeft(e.Path, "/")
	}
	return e.Name + "/SKILL.md"
}

func listSkills(ctx context.Context, f *Session, base, _, etag string) (Page, error) {
	places := []string{base + "/.well-known/agent-skills/index.json", base + "/.well-known/skills/index.json"}
	if strings.HasSuffix(base, ".json") {
		places = []string{base}
	}
	var answer fetch.Answer
	var list struct {
		Skills []json.RawMessage `json:"skills"`
	}
	err := error(nil)
	at := ""
	for _, at = range places {
		if answer, err = getJSON(ctx, f, at, etag, maxList, &list); err == nil {
			break
		}
	}
	if err == nil && !answer.NotModified && list.Skills == nil {
		err = refuse("this is no index of skills")
	}
	out := Page{ETag: answer.ETag, NotModified: answer.NotModified}
	for _, entry := range list.Skills {
		var e skillEntry
		if json.Unmarshal(entry, &e) != nil {
			continue
		}
		e.Base = at
		raw, err := json.Marshal(e)
		if err != nil {
			return out, err
		}
		r, ok := ref(e.Name, raw)
		if e.sum() == "" {
			r.Stamp += " " + answer.ETag // the index does not say when a file of it changes
		}
		if ok {
			out.Refs = append(out.Refs, r)
		}
	}
	return out, err
}

func itemSkill(ctx context.Context, f *Session, _ string, r Ref) (Item, error) {
	var e skillEntry
	if err := json.Unmarshal(r.raw, &e); err != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	address, err := resolve(e.Base, e.reference())
	if err != nil {
		return Item{}, err
	}
	limit := int64(maxText)
	if e.Type == "archive" {
		limit = maxPackage
	}
	answer, err := f.Get(ctx, address, "", limit)
	if err != nil {
		return Item{}, err
	}
	sum := digest(answer.Body)
	if named := e.sum(); named != "" && named != sum {
		return Item{}, refuse("its bytes are not those that the index names: the digests differ")
	}
	files := map[string]string{"SKILL.md": string(answer.Body)}
	if e.Type == "archive" {
		if files, err = unpack(answer.Body); err != nil {
			return Item{}, err
		}
	}
	return skillItem(e.Name, "", e.Description, files, sum, address)
}

// skillItem makes a pack of one skill. Of its files only SKILL.md travels; the others are named and scanned.
func skillItem(name, version, description string, files map[string]string, sum, page string) (Item, error) {
	text, ok := files["SKILL.md"]
	if !ok || !utf8.ValidString(text) || strings.TrimSpace(text) == "" {
		return Item{}, refuse("it has no SKILL.md")
	}
	others := []string{}
	for file := range files {
		if file != "SKILL.md" {
			others = append(others, file)
		}
	}
	slices.Sort(others)
	row := map[string]any{"text": text, "description": clip(description, 1000)}
	if len(others) > 0 {
		row["files"] = others
	}
	out, err := packItem(name, version, description, map[string]any{pack.SectionSkills: map[string]any{name: row}})
	out.Texts, out.Digest, out.Page = files, sum, page
	return out, err
}

// packItem makes a document of sections that hold no more than a few texts. A version that no item may have is left out, so
// that its releases are counted here.
func packItem(title, version, description string, sections map[string]any) (Item, error) {
	if !ids.VersionText(version) {
		version = ""
	}
	d := catalog.Document{
		Kind: catalog.KindProfilePack, Version: version, Tags: []string{}, SourceLocale: catalog.DefaultLocale,
		Locales: map[string]catalog.Text{catalog.DefaultLocale: {Title: clip(oneLine(title), 200), Description: clip(strings.TrimSpace(description), 2000)}},
		Pack:    &catalog.Pack{PackType: pack.ExtensionPack, Sections: map[string]json.RawMessage{}, Capabilities: []string{}, RedactionMode: pack.RedactionModes[0]},
	}
	if err := pack.CheckBounds(sections); err != nil {
		return Item{}, refuse("it is too large or cannot be written: %v", err)
	}
	for name, v := range sections {
		text, err := json.Marshal(v)
		if err != nil {
			return Item{}, err
		}
		d.Pack.Sections[name] = text
	}
	return Item{Document: d}, nil
}

// unpack reads the texts of a zip or a gzipped tar, without the folder that is around all of them.
func unpack(body []byte) (map[string]string, error) {
	files := map[string]string{}
	var total int64
	add := func(name string, r io.Reader) error {
		if len(files) == maxFiles {
			return refuse("its archive holds more than %d files", maxFiles)
		}
		text, err := io.ReadAll(io.LimitReader(r, maxText+1))
		if err != nil {
			return refuse("its archive cannot be read")
		}
		if total += int64(len(text)); len(text) > maxText || total > maxTexts {
			return refuse("its archive holds too much")
		}
		files[name] = string(text)
		return nil
	}
	var err error
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		err = eachTar(body, add)
	} else {
		err = eachZip(body, add)
	}
	if err != nil {
		return nil, err
	}
	return withoutFolder(files), nil
}

func eachZip(body []byte, add func(string, io.Reader) error) error {
	opened, err := archive.Open(bytes.NewReader(body), int64(len(body)), archive.Default)
	if err != nil {
		if _, plain := zip.NewReader(bytes.NewReader(body), int64(len(body))); plain != nil {
			return refuse("it is neither a zip nor a gzipped tar")
		}
		return refuse("its archive is not taken: %v", err)
	}
	return opened.Each(context.Background(), add)
}

func eachTar(body []byte, add func(string, io.Reader) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return refuse("its archive cannot be read")
	}
	all := tar.NewReader(io.LimitReader(unzipped, 4*maxPackage))
	for {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refuse("its archive cannot be read")
		}
		name := path.Clean(h.Name)
		switch {
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
		case h.Typeflag != tar.TypeReg || path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../"):
			return refuse("its archive holds a link or a name that leads out of it")
		default:
			if err := add(name, all); err != nil {
				return err
			}
		}
	}
}

// withoutFolder takes away the one folder that all names begin with.
func withoutFolder(files map[string]string) map[string]string {
	folder := ""
	for name := range files {
		top, _, deep := strings.Cut(name, "/")
		if !deep || folder != "" && top != folder {
			return files
		}
		folder = top
	}
	out := make(map[string]string, len(files))
	for name, text := range files {
		out[strings.TrimPrefix(name, folder+"/")] = text
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text to at most n bytes, not within a character.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Slug makes of an id the second half of an item's id here. taken tells whether one is another's already.
func Slug(id string, taken func(string) bool) string {
	name := id
	for _, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} { // a Stoa's goes before its id
		name = strings.TrimPrefix(name, string(kind)+" ")
	}
	var out strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			out.WriteRune(r)
		} else if s := out.String(); s != "" && s[len(s)-1] != '-' {
			out.WriteByte('-')
		}
		if out.Len() == 80 {
			break
		}
	}
	base := strings.Trim(out.String(), "-")
	if ids.Device(base) {
		base = "item-" + base
	}
	if base == "" {
		base = "item-" + digest([]byte(id))[:8]
	}
	slug := base
	for n := 2; taken(slug); n++ {
		slug = base + "-" + strconv.Itoa(n)
	}
	return slug
}
