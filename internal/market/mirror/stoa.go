package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"

	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
)

// StoaEntry is an item in the list that one Stoa writes for another.
type StoaEntry struct {
	ID      string       `json:"id"`
	Slug    string       `json:"slug"`
	Kind    catalog.Kind `json:"kind"`
	Version string       `json:"version"`
	SHA256  string       `json:"sha256"` // of the package
	Change  int64        `json:"change"`
}

// StoaList is a page of that list.
type StoaList struct {
	Items []StoaEntry `json:"items"`
	Next  string      `json:"next,omitempty"`
}

// StoaItem is what a Stoa says of one item, beside its package.
type StoaItem struct {
	Document catalog.Document `json:"document"` // without what that Stoa's scanner thinks of it
	SHA256   string           `json:"sha256"`
	Size     int64            `json:"size"`
}

// Paths of those documents below a server's address.
const (
	stoaFeed  = "/feeds/stoa/"
	stoaIndex = stoaFeed + "index.json"
)

func listStoa(ctx context.Context, f *Session, base, cursor, etag string) (Page, error) {
	address := base + stoaIndex
	if cursor != "" {
		address += "?after=" + url.QueryEscape(cursor)
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
		Next  string            `json:"next"`
	}
	answer, err := getJSON(ctx, f, address, etag, maxPage, &list)
	if err == nil && !answer.NotModified && list.Items == nil {
		err = refuse("this is no list of a Stoa")
	}
	out := Page{Next: list.Next, ETag: answer.ETag, NotModified: answer.NotModified}
	for _, raw := range list.Items {
		var e StoaEntry
		if json.Unmarshal(raw, &e) != nil {
			continue
		}
		if r, ok := ref(string(e.Kind)+" "+e.ID, raw); ok {
			r.Stamp = e.Version + " " + e.SHA256 // the change number also moves with what only that server thinks of it
			out.Refs = append(out.Refs, r)
		}
	}
	return out, err
}

func itemStoa(ctx context.Context, f *Session, base string, r Ref) (Item, error) {
	var e StoaEntry
	if err := json.Unmarshal(r.raw, &e); err != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	slug := url.PathEscape(e.Slug)
	var in StoaItem
	if _, err := getJSON(ctx, f, base+stoaFeed+"items/"+slug+".json", "", maxPage, &in); err != nil {
		return Item{}, err
	}
	answer, err := f.Get(ctx, base+stoaFeed+"packs/"+slug+"/"+url.PathEscape(in.Document.Version)+".zip", "", maxPackage)
	if err != nil {
		return Item{}, err
	}
	if digest(answer.Body) != in.SHA256 || in.SHA256 != e.SHA256 {
		return Item{}, refuse("its package is not the one that was listed: the digests differ")
	}
	out := Item{Document: in.Document, Package: answer.Body, Digest: in.SHA256, Page: base + "/market?item=" + url.QueryEscape(e.ID)}
	d := &out.Document
	if d.Kind != e.Kind || d.Kind == catalog.KindProfilePack && d.Pack == nil || d.Kind == catalog.KindTemplate && d.Pack != nil {
		return Item{}, refuse("its document does not say what its entry says")
	}
	return out, checkPackage(ctx, d, out.Package)
}

// checkPackage refuses a package that is none, or whose sections are not those that the document names.
func checkPackage(ctx context.Context, d *catalog.Document, zip []byte) error {
	opened, err := archive.Open(bytes.NewReader(zip), int64(len(zip)), archive.Default)
	if err != nil {
		return refuse("its package cannot be opened: %v", err)
	}
	if d.Kind == catalog.KindTemplate {
		if _, err := pack.ReadTemplate(ctx, opened, nil); err != nil {
			return refuse("its package cannot be read: %v", err)
		}
		return nil
	}
	p, err := pack.ReadProfile(ctx, opened)
	if err != nil {
		return refuse("its package cannot be read: %v", err)
	}
	names := d.SectionNames()
	if len(names) != len(p.Sections) {
		return refuse("its document names other sections than its package has")
	}
	for _, name := range names {
		if _, ok := p.Sections[name]; !ok {
			return refuse("its package lacks the section %s", pack.Clean(name))
		}
	}
	return nil
}
