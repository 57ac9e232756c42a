package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"stoa/internal/platform/fetch"
	"stoa/internal/platform/gitread"
)

// Fetcher gets documents; *fetch.Client is one.
type Fetcher interface {
	Get(ctx context.Context, address, etag string, limit int64) (fetch.Answer, error)
	Post(ctx context.Context, address, kind string, body []byte, limit int64) (fetch.Answer, error)
}

// AwayError says that something could not be had this time: an entry's own host cannot be reached, or a web page came where a
// document should have. It says nothing against the entry.
type AwayError struct {
	// Elsewhere: it is not the source that failed, but a host that it sends its readers to.
	Elsewhere bool
	Cause     error
}

// Error is the cause.
func (e *AwayError) Error() string { return e.Cause.Error() }

// Unwrap gives the cause.
func (e *AwayError) Unwrap() error { return e.Cause }

// deadAfter is how often a host that is not the source's may fail before it is left alone until the next sync, so that many
// entries on it do not each wait for it.
const deadAfter = 2

// Session is the reading of one source from its beginning to its end. It remembers which hosts do not answer and the
// repositories that were read last.
type Session struct {
	from Fetcher
	home string // the source's own host
	now  time.Time
	api  string // of a ClawHub, once it was asked for; lists are read by one at a time

	mu     sync.Mutex
	failed map[string]int

	git   sync.Mutex // held while a repository is read, so that it is read once
	trees []*keptTree
}

// keptTree is a commit that was read. Few are kept: a marketplace has many plugins in one repository.
type keptTree struct {
	address string
	tree    *gitread.Tree
}

const (
	treesKept = 2
	// besideAnother is how many bytes of them stay while another repository is read.
	besideAnother = 16 << 20
)

// gitLimits bound a repository.
var gitLimits = gitread.Limits{Packed: 64 << 20, Unpacked: 96 << 20, Inflated: 512 << 20, Objects: 50_000, File: maxText, Files: maxFiles, Folders: 1 << 30}

// NewSession begins to read the source at an address; no time that it says counts beyond now.
func NewSession(f Fetcher, address string, now time.Time) *Session {
	return &Session{from: f, home: hostOf(address), now: now, failed: map[string]int{}}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Get fetches a document.
func (s *Session) Get(ctx context.Context, address, etag string, limit int64) (fetch.Answer, error) {
	return s.ask(address, func() (fetch.Answer, error) { return s.from.Get(ctx, address, etag, limit) })
}

// Post sends a body and reads the answer.
func (s *Session) Post(ctx context.Context, address, kind string, body []byte, limit int64) (fetch.Answer, error) {
	return s.ask(address, func() (fetch.Answer, error) { return s.from.Post(ctx, address, kind, body, limit) })
}

func (s *Session) ask(address string, do func() (fetch.Answer, error)) (fetch.Answer, error) {
	host := hostOf(address)
	elsewhere := host != s.home
	s.mu.Lock()
	dead := elsewhere && s.failed[host] >= deadAfter
	s.mu.Unlock()
	if dead {
		return fetch.Answer{}, &AwayError{true, fmt.Errorf("%.100s did not answer before", host)}
	}
	answer, err := do()
	var broken net.Error
	switch {
	case err == nil && isPage(answer.Body):
		return fetch.Answer{}, &AwayError{elsewhere, fmt.Errorf("%.200s answers a web page where a document should be", address)}
	case elsewhere && err != nil && errors.As(err, &broken) && !errors.Is(err, context.Canceled):
		s.mu.Lock()
		s.failed[host]++
		s.mu.Unlock()
		return answer, &AwayError{true, err}
	}
	return answer, err
}

// isPage tells whether a body is a web page, as firewalls, sign-in pages and sites of one page answer anything with.
func isPage(body []byte) bool {
	start := bytes.ToLower(bytes.TrimLeft(body[:min(len(body), 200)], "\ufeff \t\r\n"))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

// tree reads a commit of a repository, or finds it among those that were read last.
func (s *Session) tree(ctx context.Context, address, commit string) (*gitread.Tree, error) {
	s.git.Lock()
	defer s.git.Unlock()
	for i, k := range s.trees {
		if k.address == address && k.tree.Commit == commit {
			s.trees = append(append(s.trees[:i:i], s.trees[i+1:]...), k)
			return k.tree, nil
		}
	}
	remote, err := gitread.Open(ctx, s, address)
	if err != nil {
		return nil, err
	}
	for len(s.trees) > 0 && (len(s.trees) == treesKept || s.kept() > besideAnother) {
		s.trees[0] = nil
		s.trees = s.trees[1:]
	}
	tree, err := remote.Fetch(ctx, s, commit, gitLimits)
	if err != nil {
		return nil, err
	}
	s.trees = append(s.trees, &keptTree{address, tree})
	return tree, nil
}

// kept is how many bytes of repositories are kept.
func (s *Session) kept() (n int64) {
	for _, k := range s.trees {
		n += k.tree.Size()
	}
	return n
}
