package httpapi

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/listen"
)

// feedFamilies are the feeds of other assistants' formats by name. None of their routes is an operation of the contract:
// their shapes belong to others.
var feedFamilies = []struct {
	name  string
	mount func(s *Server)
}{
	{"git", (*Server).mountGit},
	{"npm", (*Server).mountNPM},
	{"skills", (*Server).mountSkills},
	{"clawhub", (*Server).mountClawHub},
	{"astrbot", (*Server).mountAstrBot},
	{"mcp-registry", (*Server).mountRegistry},
	{"cards", (*Server).mountCards},
	{"lobe", (*Server).mountLobe},
	{"dify", (*Server).mountDify},
	{"oci", (*Server).mountOCI},
	{"stoa", (*Server).mountStoa},
	{"atom", (*Server).mountAtom},
}

// FeedNames lists the feeds that can be on.
func FeedNames() []string {
	names := make([]string, len(feedFamilies))
	for i, f := range feedFamilies {
		names[i] = f.name
	}
	return names
}

// feedMemory bounds the finished answers of feeds, in bytes, and feedLongest one of them.
const (
	feedMemory  = 160 << 20 // all lists of 30,000 items, plain and compressed, are 90
	feedLongest = 32 << 20
)

// feedFormat changes with what the feeds write of the same items, so that nobody keeps an answer of an earlier form.
const feedFormat = "2"

type feedKey struct{ address, viewer string }

// feedAnswer is a finished answer of a feed, good as long as the stamp is the caller's view's.
type feedAnswer struct {
	kind   string
	body   []byte
	zipped []byte // nil where compressing does not pay
	stamp  uint64
}

func (s *Server) mountFeeds() {
	if len(s.Feeds) == 0 {
		return
	}
	s.feeds = otter.Must(&otter.Options[feedKey, *feedAnswer]{
		MaximumWeight: feedMemory,
		Weigher: func(k feedKey, a *feedAnswer) uint32 {
			return uint32(cap(a.body)+cap(a.zipped)+len(k.address)+len(k.viewer)) + 256
		},
	})
	s.parts = otter.Must(&otter.Options[feedKey, stamped]{
		MaximumWeight: partsMemory, Weigher: func(_ feedKey, v stamped) uint32 { return uint32(v.rows*partsOfRow) + 256 },
	})
	for _, f := range feedFamilies {
		if slices.Contains(s.Feeds, f.name) {
			f.mount(s)
		}
	}
}

// feedCall is a request to a feed.
type feedCall struct {
	*http.Request
	w      *recorder
	server *Server
	caller core.Caller
	view   browse.FeedView
	base   string // the server's address as the caller reaches it
}

// feed serves what write makes of what the caller sees. Equal views give equal answers, so the view's stamp is the ETag.
func (s *Server) feed(kind string, write func(*feedCall) ([]byte, error)) http.Handler {
	return s.feedOf("", kind, write)
}

// feedOf serves an answer that is the same at several addresses and whatever is asked behind the question mark, so that it is
// written and kept once: lists of everything are long. name "" is for an answer of one address.
func (s *Server) feedOf(name, kind string, write func(*feedCall) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		f := &feedCall{Request: req, w: w.(*recorder), server: s}
		err := f.admit()
		if err == nil {
			err = f.answer(name, kind, write)
		}
		if err != nil {
			s.fail(f.w, req, err)
		}
	})
}

// admit finds out who is calling. Only a token in a header counts: a browser's cookie belongs to the pages.
func (f *feedCall) admit() error {
	s := f.server
	if s.LoopbackOnly && listen.FromOtherSite(f.Request) {
		return errs.New(errs.PermissionDenied, "This request came from another site's page and was not carried out.")
	}
	token, given := feedToken(f.Request)
	caller, err := s.app.Identify(f.Context(), token)
	if err != nil {
		return err
	}
	if given && caller.Role == core.Public {
		return errs.New(errs.Unauthorized, "This token is unknown or has expired.")
	}
	if !caller.May(core.ScopeRead) {
		return routes.OutOfScope(core.ScopeRead)
	}
	f.caller = s.visit(caller, f.w, f.Request)
	f.w.userID = f.caller.UserID
	if wait := s.buckets.Take(&routes.Route{ID: "feed"}, f.caller, s.Clock()); wait > 0 {
		return limits.TooManyRequests(wait)
	}
	f.base = s.base(f.w, f.Request)
	f.view, err = s.app.Feed(f.Context(), f.caller)
	return err
}

// feedToken is the token of a request: a bearer's, or the password of one that knows only names and passwords, such as git.
func feedToken(req *http.Request) (token string, given bool) {
	if name, password, ok := req.BasicAuth(); ok {
		if password == "" {
			password = name // https://TOKEN@host
		}
		return password, password != ""
	}
	if req.Header.Get("Authorization") == "" {
		return "", false
	}
	scheme, value, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	value = strings.TrimSpace(value)
	return value, strings.EqualFold(scheme, "Bearer") && value != ""
}

func (f *feedCall) answer(name, kind string, write func(*feedCall) ([]byte, error)) error {
	zips := acceptsGzip(f.Header.Get("Accept-Encoding"))
	h := f.w.Header()
	h.Set("Vary", "Accept-Encoding, Authorization")
	h.Set("Cache-Control", "public, max-age=60")
	if f.view.Private || f.caller.Role != core.Public {
		h.Set("Cache-Control", "private, no-cache")
	}
	key := feedKey{address: f.base + cmp.Or(name, f.URL.RequestURI())}
	if f.view.Private {
		key.viewer = f.caller.UserID
	}
	plain, zipped := f.etags()
	if known := f.Header.Get("If-None-Match"); known != "" && (matches(known, plain) || matches(known, zipped)) {
		h.Set("ETag", plain)
		if matches(known, zipped) {
			h.Set("ETag", zipped)
		}
		f.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	a, ok := f.server.feeds.GetIfPresent(key)
	if !ok || a.stamp != f.view.Stamp {
		body, err := write(f)
		if err != nil {
			h.Del("Vary")
			return err
		}
		a = &feedAnswer{kind: kind, body: exact(body), stamp: f.view.Stamp}
		if compressible(kind) && len(body) >= leastCompressed {
			a.zipped = exact(zip(body))
		}
		if len(body) <= feedLongest && len(key.address) <= longestKept {
			f.server.feeds.Set(key, a)
		}
	}
	body := a.body
	h.Set("ETag", plain)
	if a.zipped != nil && zips {
		h.Set("ETag", zipped)
		h.Set("Content-Encoding", "gzip")
		body = a.zipped
	}
	writeBody(f.w, http.StatusOK, a.kind, body)
	return nil
}

// exact is a text without the room that writing it left, so that what is kept is what is counted.
func exact(b []byte) []byte {
	if cap(b)-len(b) > len(b)/16 {
		return bytes.Clone(b)
	}
	return b
}

// etags are the strong tags of the answer as it is and compressed. The version of the program is in them, since another may
// write the same items in other bytes.
func (f *feedCall) etags() (plain, zipped string) {
	tag := strconv.FormatUint(f.view.Stamp^xxhash.Sum64String(f.base+feedFormat+f.server.app.Version), 36)
	return `"` + tag + `"`, `"` + tag + `-gz"`
}
