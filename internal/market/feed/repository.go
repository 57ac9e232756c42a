package feed

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"

	"stoa/internal/market/card"
)

// Repository is a git repository in memory, made of cards. Its commit ids depend on the cards alone.
type Repository struct {
	objects *memory.Storage
	refs    []ref // HEAD's branch first, then tags by name
	commits map[plumbing.Hash]*commit
}

type ref struct {
	name string
	hash plumbing.Hash
}

type commit struct {
	hash   plumbing.Hash
	tree   plumbing.Hash
	parent *commit
}

// who signs every commit: nobody's address may change an id.
const who = "Stoa <noreply@stoa.invalid>"

const branch = "refs/heads/main"

// ItemRepository holds all versions of an item, oldest first in cards: the branch main has one commit after the other, so that
// it can be pulled, and each version has a tag v<version> on a commit without a parent, whose id depends on that version alone.
func ItemRepository(cards []*card.Card) *Repository {
	r := newRepository()
	var tip *commit
	var tags []ref
	for _, c := range cards {
		tree := r.tree(itemFiles(c))
		tip = r.commit(tree, tip, c.Published, message(c))
		if name := "refs/tags/v" + c.Version; tagName(c.Version) {
			tags = append(tags, ref{name, r.commit(tree, nil, c.Published, message(c)).hash})
		}
	}
	slices.SortFunc(tags, func(a, b ref) int { return strings.Compare(a.name, b.name) })
	r.refs = append([]ref{{branch, tip.hash}}, tags...)
	return r
}

// itemFiles is a plugin at the top of its repository, which is a marketplace of this one plugin as well.
func itemFiles(c *card.Card) []File {
	own := &Row{ID: c.ID, Slug: c.Slug, Version: c.Version, Title: c.Title, Summary: shorten(c.Summary, maxRowText), Category: c.Category, Tags: c.Tags, Maintainer: c.Maintainer}
	return append(plugin(c), File{marketplaceFile, Marketplace("stoa-"+c.Slug, c.Title, []*Row{own}, func(*Row) any { return "./" })})
}

// Commit is the id of the commit that holds a version alone.
func Commit(c *card.Card) string {
	r := newRepository()
	return r.commit(r.tree(itemFiles(c)), nil, c.Published, message(c)).hash.String()
}

func message(c *card.Card) string { return c.ID + " " + c.Version + "\n" }

// Collection holds the newest versions of many items, each in a folder of plugins, and a marketplace that names them.
func Collection(name, title string, rows []*Row, cards []*card.Card) *Repository {
	r := newRepository()
	var newest time.Time
	files := []File{{marketplaceFile, Marketplace(name, title, rows, func(row *Row) any { return "./plugins/" + row.Slug })}}
	for _, c := range cards {
		for _, f := range plugin(c) {
			files = append(files, File{"plugins/" + c.Slug + "/" + f.Path, f.Body})
		}
		if c.Published.After(newest) {
			newest = c.Published
		}
	}
	tip := r.commit(r.tree(files), nil, newest, title+"\n")
	r.refs = []ref{{branch, tip.hash}}
	return r
}

// Size is what the objects take unpacked, in bytes.
func (r *Repository) Size() (n int64) {
	for _, o := range r.objects.Objects {
		n += o.Size()
	}
	return n
}

func newRepository() *Repository {
	return &Repository{objects: memory.NewStorage(), commits: map[plumbing.Hash]*commit{}}
}

// tagName reports whether a version can be a part of a ref's name as git checks them.
func tagName(version string) bool {
	for _, r := range version {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".+-_", r) {
			return false
		}
	}
	return version != "" && !strings.Contains(version, "..") && !strings.HasSuffix(version, ".") && !strings.HasSuffix(version, ".lock")
}

func (r *Repository) add(kind plumbing.ObjectType, body []byte) plumbing.Hash {
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	if _, err := o.Write(body); err != nil {
		panic(err) // to memory
	}
	hash, err := r.objects.SetEncodedObject(o)
	if err != nil {
		panic(err) // to memory, of a kind that it takes
	}
	return hash
}

// tree stores files, which need not be sorted, and gives the hash of their folder.
func (r *Repository) tree(files []File) plumbing.Hash {
	type entry struct {
		name, sortName, mode string
		hash                 plumbing.Hash
	}
	var entries []entry
	folders := map[string][]File{}
	for _, f := range files {
		if folder, rest, deep := strings.Cut(f.Path, "/"); deep {
			folders[folder] = append(folders[folder], File{rest, f.Body})
		} else {
			entries = append(entries, entry{f.Path, f.Path, "100644", r.add(plumbing.BlobObject, f.Body)})
		}
	}
	for name, files := range folders {
		entries = append(entries, entry{name, name + "/", "40000", r.tree(files)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.sortName, b.sortName) })
	var body bytes.Buffer
	for _, e := range entries {
		body.WriteString(e.mode + " " + e.name + "\x00")
		body.Write(e.hash[:])
	}
	return r.add(plumbing.TreeObject, body.Bytes())
}

func (r *Repository) commit(tree plumbing.Hash, parent *commit, at time.Time, message string) *commit {
	var body bytes.Buffer
	fmt.Fprintf(&body, "tree %s\n", tree)
	if parent != nil {
		fmt.Fprintf(&body, "parent %s\n", parent.hash)
	}
	fmt.Fprintf(&body, "author %s %d +0000\ncommitter %s %d +0000\n\n%s", who, at.Unix(), who, at.Unix(), message)
	c := &commit{r.add(plumbing.CommitObject, body.Bytes()), tree, parent}
	r.commits[c.hash] = c
	return c
}
