package httpapi

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/klauspost/compress/gzip"

	"stoa/api"
	"stoa/internal/platform/errs"
)

// The content security policy: everything comes from this server, nothing is inline, and no script
// may turn a string into markup except through the policy of the pages' framework.
const (
	cspBase = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; font-src 'self'; connect-src 'self'; frame-src 'self'; " +
		"manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
	cspTrusted = "; require-trusted-types-for 'script'; trusted-types svelte-trusted-html stoa-worker"
)

// secure sets the headers of every answer.
func (s *Server) secure(w *recorder) {
	h := w.Header()
	h["X-Content-Type-Options"] = noSniff
	h["X-Frame-Options"] = denyFrame
	h["Referrer-Policy"] = noReferrer
	h["Permissions-Policy"] = noSensors
	h["Content-Security-Policy"] = trustedPolicy
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Cross-Origin-Resource-Policy"] = sameOrigin
	h["X-Request-Id"] = []string{w.requestID}
}

var (
	noSniff       = []string{"nosniff"}
	denyFrame     = []string{"DENY"}
	noReferrer    = []string{"no-referrer"}
	noSensors     = []string{"camera=(), microphone=(), geolocation=()"}
	sameOrigin    = []string{"same-origin"}
	trustedPolicy = []string{cspBase + cspTrusted}
)

// page is a file of the built surfaces, read once.
type page struct {
	body              []byte
	zipped            func() []byte
	kind, etag, cache string
	in                func() map[string]*page // by locale, where the head names the words of several languages; nil for other files
}

func (s *Server) mountPages() error {
	built, err := s.readPages()
	if err != nil {
		return err
	}
	maps.DeleteFunc(built, func(name string, _ *page) bool { return consoleOnly(name) })
	surface := func(name string) *page {
		if p, ok := built[name+".html"]; ok {
			return p
		}
		return built["placeholder.html"]
	}
	for _, name := range surfaces {
		serve := s.page(surface(name), "")
		if name == "market" {
			serve = s.sharedPage(surface(name))
		}
		s.mux.Handle("GET /"+name, serve)
	}
	s.mux.Handle("GET /{$}", s.page(surface("home"), ""))
	for _, name := range rootFiles {
		if p, ok := built[name]; ok {
			s.mux.Handle("GET /"+name, s.page(p, ""))
		}
	}
	s.look = lookOf(surface("missing"))
	missing := s.noPage(surface("missing"))
	s.mux.Handle("GET /assets/", s.folder(built, missing))
	s.mux.Handle("GET /api/openapi.yaml", s.page(newPage("openapi.yaml", api.YAML), ""))
	// The viewer of the documentation writes markup from strings, so it goes without trusted types.
	docs, ok := built["docs/docs.html"]
	if !ok {
		docs = built["placeholder.html"]
	}
	s.mux.Handle("GET /api/docs", s.page(docs, cspBase))
	s.mux.Handle("GET /api/docs/{$}", http.RedirectHandler("/api/docs", http.StatusFound))
	for name, p := range built {
		if strings.HasPrefix(name, "docs/") {
			s.mux.Handle("GET /api/"+name, s.page(p, cspBase))
		}
	}
	for _, p := range []string{"/api/docs", "/api/openapi.yaml"} {
		s.mux.Handle(p, s.wrongMethod([]string{http.MethodGet}))
	}
	s.mountSignIn()
	s.mountTrialFrame()
	s.mux.Handle("/", missing)
	return nil
}

// rootFiles are what browsers, systems and robots ask for by name.
var rootFiles = []string{"favicon.ico", "icon-192.png", "icon-512.png", "manifest.webmanifest", "robots.txt", "learn-worker.js"}

func (s *Server) readPages() (map[string]*page, error) {
	built := map[string]*page{}
	err := fs.WalkDir(s.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(s.Pages, name)
		built[name] = newPage(name, body)
		return err
	})
	return built, err
}

func newPage(name string, body []byte) *page {
	p := newFile(name, body)
	if path.Ext(name) == ".html" {
		p.in = sync.OnceValue(func() map[string]*page { return inLanguages(name, body) })
	}
	return p
}

func newFile(name string, body []byte) *page {
	p := &page{body: body, kind: kindOf(name), etag: `W/"` + strconv.FormatUint(xxhash.Sum64(body), 36) + `"`, cache: "no-cache"}
	p.zipped = sync.OnceValue(func() []byte { return zipSmall(body) })
	if strings.HasPrefix(name, "assets/") {
		p.cache = "public, max-age=31536000, immutable" // their names change with their bytes
	}
	return p
}

// localeCookie holds the language that somebody chose on the pages, before which that of the browser gives way.
const localeCookie = "stoa_locale"

var (
	// headWords is a line of a page for one language: it has the browser fetch the words while the scripts still come, or is the
	// first view.
	headWords = regexp.MustCompile(`(?m)^.*<(?:link|div) [^>]*data-language="([^"]+)".*\n`)
	// firstView is the line with a surface's heading, which is there before the scripts are; with a query the heading is another.
	firstView = regexp.MustCompile(`(?m)^.*<div class="first-view.*\n`)
)

// inLanguages returns the page once for each language that it has lines for, with those of that one alone, and under the
// language and a question mark once more without its first view.
func inLanguages(name string, body []byte) map[string]*page {
	in := map[string]*page{}
	for _, line := range headWords.FindAllSubmatch(body, -1) {
		language := string(line[1])
		if in[language] == nil {
			in[language] = newFile(name, headWords.ReplaceAllFunc(body, func(line []byte) []byte {
				if string(headWords.FindSubmatch(line)[1]) == language {
					return line
				}
				return nil
			}))
			in[language+"?"] = newFile(name, firstView.ReplaceAll(in[language].body, nil))
		}
	}
	return in
}

// pageLocale is the language that was chosen on the pages, else that of the browser.
func pageLocale(req *http.Request) string {
	if chosen, err := req.Cookie(localeCookie); err == nil {
		return matchLocale(chosen.Value)
	}
	return matchLocale(req.Header.Get("Accept-Language"))
}

// wanted is, for the language that was chosen or that of the browser, the page with the words that it will want first.
func (p *page) wanted(req *http.Request) *page {
	key := pageLocale(req)
	if req.URL.RawQuery != "" {
		key += "?"
	}
	if p.in != nil {
		return cmp.Or(p.in()[key], p)
	}
	return p
}

func kindOf(name string) string {
	switch path.Ext(name) {
	case ".yaml":
		return "application/yaml; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2"
	case ".ico":
		return "image/x-icon"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func (s *Server) folder(built map[string]*page, missing http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		p, ok := built[strings.TrimPrefix(req.URL.Path, "/")]
		if !ok {
			missing.ServeHTTP(w, req)
			return
		}
		s.page(p, "").ServeHTTP(w, req)
	})
}

func (s *Server) page(p *page, csp string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		if csp != "" {
			h.Set("Content-Security-Policy", csp)
		}
		h.Set("Vary", "Accept-Encoding")
		if p.in != nil {
			h.Set("Vary", "Accept-Encoding, Accept-Language, Cookie")
		}
		p := p.wanted(req)
		h.Set("ETag", p.etag)
		h.Set("Cache-Control", p.cache)
		if matches(req.Header.Get("If-None-Match"), p.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		body := p.body
		if len(body) >= leastCompressed && compressible(p.kind) && acceptsGzip(req.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = p.zipped()
		}
		writeBody(w.(*recorder), http.StatusOK, p.kind, body)
	})
}

// zipSmall compresses what is sent many times as well as can be.
func zipSmall(body []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(body) // to memory: cannot fail
	w.Close()
	return out.Bytes()
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.Contains(kind, "javascript") || strings.Contains(kind, "svg") || strings.Contains(kind, "yaml") || strings.Contains(kind, "json")
}

// noPage answers for a page that is not there: people get a page that leads on, programs the envelope.
func (s *Server) noPage(p *page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodGet && strings.Contains(req.Header.Get("Accept"), "text/html") {
			h := w.Header()
			h.Set("Cache-Control", "no-store")
			h.Set("X-Error-Code", string(errs.NotFound))
			h.Set("Vary", "Accept-Language, Cookie")
			writeBody(w.(*recorder), http.StatusNotFound, p.kind, p.wanted(req).body)
			return
		}
		s.fail(w.(*recorder), req, errs.New(errs.NotFound, "There is no such page. The market is at /market."))
	})
}
