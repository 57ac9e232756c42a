package httpapi

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/market/card"
	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

// Bounds of the git view.
const (
	maxGitBody       = 1 << 20
	gitMemory        = 64 << 20 // of repositories that were made
	collectionMost   = 500      // items of one repository
	collectionLength = 64 << 20 // of its files, in bytes
)

// gitRepos keeps repositories that were made, each good for one state of what its caller sees.
type gitRepos struct {
	kept *otter.Cache[feedKey, *keptRepo]
}

type keptRepo struct {
	stamp uint64
	repo  *feed.Repository
}

func (s *Server) mountGit() {
	s.repos = &gitRepos{otter.Must(&otter.Options[feedKey, *keptRepo]{
		MaximumWeight: gitMemory, Weigher: func(_ feedKey, r *keptRepo) uint32 { return uint32(min(r.repo.Size()+4096, gitMemory)) },
	})}
	s.mux.HandleFunc("GET /feeds/git/{path...}", s.gitFetch)
	s.mux.HandleFunc("POST /feeds/git/{path...}", s.gitFetch)
	s.mux.Handle("GET /feeds/git/marketplace.json", s.feedOf("marketplace", "application/json", wholeMarketplace))
}

// wholeMarketplace lists every item that the caller sees, each in a repository of its own and pinned.
func wholeMarketplace(f *feedCall) ([]byte, error) {
	return feed.Marketplace(marketplaceName("all", f.base), "All of "+hostOf(f.base), f.view.Rows, func(r *feed.Row) any {
		return feed.GitSource{Source: "url", URL: f.base + "/feeds/git/items/" + r.ID + ".git", SHA: r.Commit}
	}), nil
}

// gitFetch serves what a client of git asks for when it clones, fetches or pulls. Nothing can be pushed.
func (s *Server) gitFetch(w http.ResponseWriter, req *http.Request) {
	f := &feedCall{Request: req, w: w.(*recorder), server: s}
	if err := f.git(); err != nil {
		if e, ok := errs.As(err); ok && e.Code == errs.Unauthorized {
			f.w.Header().Set("WWW-Authenticate", `Basic realm="stoa"`) // git sends a password only when it is asked for one
		}
		s.fail(f.w, req, err)
	}
}

func (f *feedCall) git() error {
	name, action, ok := strings.Cut(f.PathValue("path"), ".git/")
	if !ok {
		return errs.New(errs.NotFound, "There is no such repository. docs/neighbours.md lists those there are.")
	}
	if err := f.admit(); err != nil {
		return err
	}
	if f.URL.Query().Get("service") == "git-receive-pack" || action == "git-receive-pack" {
		return errs.New(errs.PermissionDenied, "These repositories are made of what is published here; nothing can be pushed to them.")
	}
	repo, err := f.repository(name)
	if e, ok := errs.As(err); ok && e.Code == errs.NotFound && f.caller.Role != core.Member {
		// Whether there is a private one is nobody's business.
		return errs.New(errs.Unauthorized, "Nobody but its members may see this repository, if there is one. Give a token as the password.")
	}
	if err != nil {
		return err
	}
	h := f.w.Header()
	h.Set("Cache-Control", "no-cache")
	switch {
	case f.Method != http.MethodPost && action == "info/refs" && f.URL.Query().Get("service") == "git-upload-pack":
		h.Set("Content-Type", "application/x-git-upload-pack-advertisement")
		return repo.Advertise(f.w)
	case f.Method == http.MethodPost && action == "git-upload-pack":
		return f.uploadPack(repo)
	}
	return errs.New(errs.NotFound, "Clients of git ask for info/refs?service=git-upload-pack first.")
}

func (f *feedCall) uploadPack(repo *feed.Repository) error {
	var body io.Reader = http.MaxBytesReader(f.w, f.Body, maxGitBody)
	if f.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return errs.New(errs.InvalidRequest, "The body is not compressed as its header says.")
		}
		body = z
	}
	text, err := io.ReadAll(io.LimitReader(body, maxGitBody+1))
	if err != nil || len(text) > maxGitBody {
		return errs.New(errs.RequestBodyTooLarge, "A request of git is at most 1 MiB long.")
	}
	f.w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	err = repo.UploadPack(f.w, bytes.NewReader(text))
	if errors.Is(err, feed.ErrGitRequest) && f.w.status == 0 {
		f.w.Header().Del("Content-Type")
		return errs.New(errs.InvalidRequest, "This is no request of a client of git.")
	}
	if err != nil {
		f.w.problem = err // the answer has begun
	}
	return nil
}

// repository makes the repository of a name, or finds it.
func (f *feedCall) repository(name string) (*feed.Repository, error) {
	key := feedKey{address: f.base + "\x00" + name}
	personal := name == "installed" || name == "mine"
	if personal && f.caller.Role != core.Member {
		return nil, errs.New(errs.Unauthorized, "This repository is made for one member. Give a token as the password.")
	}
	if f.view.Private || personal {
		key.viewer = f.caller.UserID
	}
	if kept, ok := f.server.repos.kept.GetIfPresent(key); ok && kept.stamp == f.view.Stamp && name != "installed" {
		return kept.repo, nil
	}
	repo, err := f.makeRepository(name)
	if err == nil {
		f.server.repos.kept.Set(key, &keptRepo{f.view.Stamp, repo})
	}
	return repo, err
}

func (f *feedCall) makeRepository(name string) (*feed.Repository, error) {
	if id, ok := strings.CutPrefix(name, "items/"); ok {
		cards, err := f.server.app.FeedCards(f.Context(), f.caller, card.Slug(id))
		if err != nil {
			return nil, err
		}
		return feed.ItemRepository(cards), nil
	}
	rows, title, err := f.collection(name)
	if err != nil {
		return nil, err
	}
	cards := make([]*card.Card, 0, len(rows))
	size := 0
	for i, r := range rows {
		c, err := f.server.app.FeedCard(f.Context(), f.caller, r.Slug, "")
		if err != nil {
			return nil, err
		}
		if size += c.Weight(); size > collectionLength {
			rows = rows[:i]
			break
		}
		cards = append(cards, c)
	}
	slug := strings.NewReplacer("owners/", "by-", "categories/", "").Replace(name)
	return feed.Collection(marketplaceName(slug, f.base), title, rows, cards), nil
}

// collection gives the rows of a collection, sorted by id: the newest when there are too many.
func (f *feedCall) collection(name string) (rows []*feed.Row, title string, err error) {
	kind, value, _ := strings.Cut(name, "/")
	var wanted func(*feed.Row) bool
	switch {
	case name == "featured":
		wanted, title = func(r *feed.Row) bool { return r.Featured }, "Featured on "+hostOf(f.base)
	case name == "mine":
		wanted, title = func(r *feed.Row) bool { return r.Owner == f.caller.UserID }, "Published by "+f.caller.UserID
	case name == "installed":
		slugs, err := f.server.app.FeedInstalled(f.Context(), f.caller)
		if err != nil {
			return nil, "", err
		}
		wanted, title = func(r *feed.Row) bool { _, ok := slices.BinarySearch(slugs, r.Slug); return ok }, "Installed by "+f.caller.UserID
	case kind == "owners" && value != "":
		wanted, title = func(r *feed.Row) bool { return publisher(r) == value }, "Published by "+value
	case kind == "categories" && value != "":
		wanted, title = func(r *feed.Row) bool { return card.SkillName(r.Category) == value }, "Category "+value
	default:
		return nil, "", errs.New(errs.NotFound, "There is no such repository. docs/neighbours.md lists those there are.")
	}
	for _, r := range f.view.Rows {
		if wanted(r) {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 && (kind == "owners" || kind == "categories") {
		return nil, "", errs.New(errs.NotFound, "Nothing is published there.")
	}
	if len(rows) > collectionMost {
		slices.SortFunc(rows, func(a, b *feed.Row) int { return cmp.Or(b.Published.Compare(a.Published), cmp.Compare(a.Seq, b.Seq)) })
		rows = rows[:collectionMost]
		slices.SortFunc(rows, func(a, b *feed.Row) int { return strings.Compare(a.ID, b.ID) })
	}
	return rows, title, nil
}

// publisher is whose name an item stands under: the namespace of its id, else its owner's; "stoa" for the operator's.
func publisher(r *feed.Row) string {
	if namespace, _, ok := strings.Cut(r.ID, "/"); ok {
		return namespace
	}
	return cmp.Or(r.Owner, "stoa")
}

// marketplaceName names a collection so that those of two servers do not have one name in a client.
func marketplaceName(what, base string) string {
	return card.SkillName(what + "-stoa-" + hostOf(base))
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return "stoa"
	}
	if loopbackName(u.Host) {
		return "local"
	}
	return u.Hostname()
}
