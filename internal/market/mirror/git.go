package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"strings"

	"stoa/internal/platform/fetch"
	"stoa/internal/platform/gitread"
)

// marketplaceFiles are where a marketplace stands in its repository, the first that is there counts.
var marketplaceFiles = []string{".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json", ".github/plugin/marketplace.json"}

// listGitMarketplace reads the marketplace that stands in a repository. Its commit is the list's ETag.
func listGitMarketplace(ctx context.Context, s *Session, base, _, etag string) (Page, error) {
	remote, err := gitread.Open(ctx, s, base)
	if err != nil {
		return Page{}, refusedByGit(err)
	}
	head, err := remote.Commit("")
	if err != nil {
		return Page{}, refusedByGit(err)
	}
	if etag == head {
		return Page{ETag: etag, NotModified: true}, nil
	}
	tree, err := s.tree(ctx, base, head)
	if err != nil {
		return Page{}, refusedByGit(err)
	}
	var text []byte
	for _, name := range marketplaceFiles {
		if text, err = tree.File(name); err == nil {
			break
		}
	}
	if err != nil {
		return Page{}, refuse("the repository holds no marketplace.json")
	}
	page, err := listPluginsOf(ctx, s, text, func(folder string) (place, error) {
		hash, err := tree.Hash(folder)
		return place{URL: base, Commit: head, Path: folder, Hash: hash}, err
	})
	if err == nil && page.ETag == "" {
		page.ETag = head
	}
	if page.ETag == follows {
		page.ETag = ""
	}
	return page, err
}

// follows stands for the ETag of a list that names branches of other repositories: it has changed when they have.
const follows = "follows"

// place is where the files of a plugin stand: a folder of a commit.
type place struct {
	URL    string `json:"url"`
	Commit string `json:"commit"`
	Path   string `json:"path"`
	Hash   string `json:"hash,omitempty"` // of the folder, where it is known
}

// gitSource is a plugin's source in another repository.
type gitSource struct {
	Source string `json:"source"`
	Repo   string `json:"repo"`
	URL    string `json:"url"`
	Path   string `json:"path"`
	Ref    string `json:"ref"`
	SHA    string `json:"sha"`
}

var (
	gitHubRepo = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	gitSHA     = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// address is where the repository of a source is read.
func (g gitSource) address() (string, error) {
	if g.Source == "github" {
		if !gitHubRepo.MatchString(g.Repo) {
			return "", refuse("its source names no repository of GitHub")
		}
		return "https://github.com/" + g.Repo + ".git", nil
	}
	if err := fetch.Check(g.URL); err != nil {
		return "", refuse("its repository has no address of the web: %v", err)
	}
	return strings.TrimRight(g.URL, "/"), nil
}

// locate says where a plugin in another repository stands now. What is pinned is asked nobody.
func (g gitSource) locate(ctx context.Context, s *Session) (p place, pinned bool, err error) {
	p.Path = g.Path
	if p.URL, err = g.address(); err != nil {
		return p, false, err
	}
	if g.SHA != "" {
		if !gitSHA.MatchString(g.SHA) {
			return p, true, refuse("its source is pinned to what is no commit")
		}
		p.Commit = g.SHA
		return p, true, nil
	}
	remote, err := gitread.Open(ctx, s, p.URL)
	if err != nil {
		return p, false, err
	}
	p.Commit, err = remote.Commit(g.Ref)
	return p, false, err
}

// files reads a plugin's files.
func (p place) files(ctx context.Context, s *Session, only []string) (map[string]string, error) {
	tree, err := s.tree(ctx, p.URL, p.Commit)
	if err != nil {
		return nil, refusedByGit(err)
	}
	if len(only) == 0 {
		files, err := tree.Files(p.Path)
		return files, refusedByGit(err)
	}
	out := map[string]string{}
	for _, folder := range only {
		files, err := tree.Files(path.Join(p.Path, path.Clean("/"+folder)))
		if err != nil {
			return nil, refusedByGit(err)
		}
		for name, text := range files {
			out[path.Join(strings.Trim(path.Clean("/"+folder), "/"), name)] = text
		}
		if len(out) > maxFiles {
			return nil, refuse("it holds more than %d files", maxFiles)
		}
	}
	return out, nil
}

// refusedByGit parts what is wrong with a repository from what may go right at another time.
func refusedByGit(err error) error {
	for _, wrong := range []error{gitread.ErrNoRepository, gitread.ErrNoCommit, gitread.ErrNoFile, gitread.ErrTooMuch, gitread.ErrPack} {
		if errors.Is(err, wrong) {
			return refuse("%v", err)
		}
	}
	return err
}

// stampOf is the stamp of a plugin: its entry and what stands where it is kept, or what its package is.
func stampOf(raw json.RawMessage, p *place, of *packed) string {
	switch {
	case of != nil:
		return stamp(raw) + " " + of.Integrity
	case p == nil:
		return stamp(raw)
	case p.Hash != "":
		return stamp(raw) + " " + p.Hash
	}
	return stamp(raw) + " " + p.Commit
}

// ofEntry says of a problem with where an entry's files are kept whether the entry is to blame, or that server for now.
func ofEntry(err error, server string) error {
	var status *fetch.StatusError
	if !errors.As(err, &status) {
		return refusedByGit(err)
	}
	if status.Status < 500 && !status.TooMany() {
		return refuse("its %s answers %d", server, status.Status)
	}
	return &AwayError{true, err}
}
