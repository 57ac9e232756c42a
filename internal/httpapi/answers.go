package httpapi

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/maypok86/otter/v2"

	"stoa/internal/httpapi/routes"
	"stoa/internal/market/catalog"
)

const (
	// answerBytes bounds the finished public answers kept in memory.
	answerBytes = 16 << 20
	// longestKept is the longest query string whose answer is kept, so that strangers cannot fill the
	// memory with keys.
	longestKept = 512
	// leastCompressed is the size from which compressing pays.
	leastCompressed = 1 << 10
)

// answerKey names a public answer: what was asked for, in which language, by whom if that matters.
type answerKey struct {
	path, query, locale, viewer string
}

// answer is a finished public answer. It is good as long as stamp is the catalog's.
type answer struct {
	stamp  uint64
	etag   string
	head   []byte // the same for every answer of an operation, so it is not copied in front of the body
	body   []byte
	once   sync.Once
	zipped []byte // made when it is first asked for
}

// answers keeps finished public answers that were asked for more than once.
type answers struct {
	kept *otter.Cache[answerKey, *answer]
	// asked remembers what was asked for of late, by hash. It is lossy: a lost entry costs one more
	// rendering, a collision one needless keeping.
	asked [askedSlots]atomic.Uint64
	seed  maphash.Seed
}

// askedSlots is how many recent questions are remembered; a power of two.
const askedSlots = 1 << 13

func newAnswers() *answers {
	return &answers{seed: maphash.MakeSeed(), kept: otter.Must(&otter.Options[answerKey, *answer]{
		MaximumWeight: answerBytes,
		Weigher:       func(k answerKey, a *answer) uint32 { return uint32(len(a.body)*5/4 + len(k.query) + 256) },
	})}
}

// keep keeps an answer, unless this is the first time of late that it is asked for: most questions of
// a search are asked once, and keeping their answers would only drive out others. What is kept gets
// memory of its own, since the caller's is used again.
func (a *answers) keep(key answerKey, finished *answer) {
	if len(key.query) > longestKept {
		return
	}
	hash := maphash.Comparable(a.seed, key)
	if a.asked[hash%askedSlots].Swap(hash) != hash {
		return
	}
	finished.body = bytes.Clone(finished.body) // of the exact size
	a.kept.Set(key, finished)
}

func newAnswer(stamp uint64, head, body []byte) *answer {
	return &answer{stamp: stamp, head: head, body: body, etag: `W/"` + strconv.FormatUint(xxhash.Sum64(body), 36) + `"`}
}

func (a *answer) zip() []byte {
	a.once.Do(func() { a.zipped = zip(a.head, a.body) })
	return a.zipped
}

var zippers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func zip(parts ...[]byte) []byte {
	var out bytes.Buffer
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	w.Reset(&out)
	for _, part := range parts {
		w.Write(part) // to memory: cannot fail
	}
	w.Close()
	return out.Bytes()
}

// public serves a rendered catalog answer: kept while the catalog stands still, with an ETag, and
// compressed for those who take that.
func public[In any](message string, m method[In, json.RawMessage]) func(*request) error {
	head := envelopeHead(true, message)
	return func(r *request) error {
		stamp, private := r.server.app.CatalogState(r.caller)
		key := answerKey{path: r.URL.Path, query: r.URL.RawQuery, locale: r.caller.Locale}
		if private {
			key.viewer = r.caller.UserID
		}
		if a, ok := r.server.answers.kept.GetIfPresent(key); ok && a.stamp == stamp {
			return a.write(r, private)
		}
		data, err := render(r, m)
		if err != nil {
			return err
		}
		data = append(data, '}')
		a := newAnswer(stamp, head, data)
		r.server.answers.keep(key, a)
		err = a.write(r, private)
		r.server.app.Recycle(data)
		return err
	}
}

func render[In any](r *request, m method[In, json.RawMessage]) ([]byte, error) {
	values, err := r.route.Query(r.Request)
	if err != nil {
		return nil, err
	}
	in, err := routes.Into[In](values)
	if err != nil {
		return nil, err
	}
	return m(r.server.app, r.Context(), r.localized(values), in)
}

func (a *answer) write(r *request, private bool) error {
	h := r.w.Header()
	h["Etag"] = []string{a.etag}
	h["Vary"] = varyPublic
	h["Cache-Control"] = cachePublic
	if private {
		h["Cache-Control"] = cachePrivate
	}
	if matches(r.Header.Get("If-None-Match"), a.etag) {
		r.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	head, body := a.head, a.body
	if len(body) >= leastCompressed && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h["Content-Encoding"] = encodingGzip
		head, body = nil, a.zip()
	}
	h["Content-Type"] = contentJSON
	h["Content-Length"] = []string{strconv.Itoa(len(head) + len(body))}
	r.w.WriteHeader(http.StatusOK)
	r.w.Write(head)
	r.w.Write(body)
	return nil
}

// Header values that do not change are shared, so that an answer from memory allocates little.
var (
	contentJSON  = []string{"application/json"}
	encodingGzip = []string{"gzip"}
	varyPublic   = []string{"Accept-Encoding, Accept-Language, Authorization, Cookie"}
	cachePublic  = []string{"no-cache"}
	cachePrivate = []string{"private, no-cache"}
)

func acceptsGzip(header string) bool {
	for _, part := range strings.Split(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" || name == "*" {
			return catalog.Quality(params) > 0
		}
	}
	return false
}

func matchLocale(tags string) string { return catalog.MatchLocale(tags) }
