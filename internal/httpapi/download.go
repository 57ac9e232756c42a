package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
)

// downloadPackage sends a package's bytes. http.ServeContent answers ranges and uses sendfile for files.
func (r *request) downloadPackage() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[browse.DownloadInput](values)
	if err != nil {
		return err
	}
	known := false
	d, err := r.server.app.DownloadTemplatePackage(r.Context(), r.caller, in, r.unless(&known))
	if err != nil {
		return err
	}
	return r.send(d.Filename, d.SHA256, d.Size, known, d.Content)
}

// downloadPack sends a published profile pack's bytes.
func (r *request) downloadPack() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[browse.PackDownloadInput](values)
	if err != nil {
		return err
	}
	known := false
	d, err := r.server.app.DownloadProfilePack(r.Context(), r.caller, in, r.unless(&known))
	if err != nil {
		return err
	}
	return r.send(d.Filename, d.SHA256, d.Size, known, d.Content)
}

// transferred serves a download that is a transfer job.
func transferred(open func(a *app.App, ctx context.Context, c core.Caller, in submit.SubmissionInput, unless func(string) bool) (submit.TransferDownload, error)) func(*request) error {
	return func(r *request) error {
		values, err := r.route.Input(r.w, r.Request)
		if err != nil {
			return err
		}
		in, err := routes.Into[submit.SubmissionInput](values)
		if err != nil {
			return err
		}
		in.IdempotencyKey = idempotencyKey(r.Request)
		known := false
		d, err := open(r.server.app, r.Context(), r.caller, in, r.unless(&known))
		if err != nil {
			return err
		}
		if d.Job.JobID != "" {
			r.w.Header().Set("X-Stoa-Transfer-Job-Id", d.Job.JobID)
			r.w.Header().Set("X-Stoa-Transfer-Status", d.Job.Status)
		}
		return r.send(d.Filename, d.SHA256, d.Size, known, d.Content)
	}
}

// unless tells an application method that the client has the bytes already, which known then says, or
// that it looks and takes nothing.
func (r *request) unless(known *bool) func(sha256 string) bool {
	return func(sha256 string) bool {
		*known = matches(r.Header.Get("If-None-Match"), `"`+sha256+`"`)
		return *known || r.Method == http.MethodHead
	}
}

// send answers with a zip, or without its bytes when content is nil.
func (r *request) send(filename, sha256 string, size int64, known bool, content io.ReadSeekCloser) error {
	if content != nil {
		defer content.Close()
	}
	h := r.w.Header()
	if sha256 != "" { // of what is made for this request alone it would mean nothing
		h.Set("ETag", `"`+sha256+`"`)
	}
	h.Set("Cache-Control", "private, no-cache")
	if known {
		r.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/zip")
	if strings.HasSuffix(filename, ".csv") {
		h.Set("Content-Type", "text/csv")
	}
	// The name is ours and plain ASCII; some clients look for one form of RFC 6266, some for the other.
	h.Set("Content-Disposition", `attachment; filename="`+filename+`"; filename*=UTF-8''`+url.PathEscape(filename))
	if content == nil {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
		r.w.WriteHeader(http.StatusOK)
		return nil
	}
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // several parts at once are worth nothing here: whoever asks gets it all
	}
	w := &ranged{recorder: r.w}
	w.followed, _ = content.(*submit.Followed)
	http.ServeContent(w, r.Request, "", time.Time{}, content)
	if w.impossible {
		return errs.New(errs.RangeNotSatisfiable, "The package is shorter than the part that was asked for.").With("size_bytes", size)
	}
	return nil
}

// ranged keeps net/http's own text about an impossible range back, for the envelope to take its place.
type ranged struct {
	*recorder
	impossible bool
	followed   *submit.Followed
}

// WriteHeader passes on every status but that one, and tells the file how much of it is wanted.
func (w *ranged) WriteHeader(status int) {
	if n, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64); w.followed != nil && status == http.StatusPartialContent && err == nil {
		w.followed.Expect(n)
	}
	if w.impossible = status == http.StatusRequestedRangeNotSatisfiable; !w.impossible {
		w.recorder.WriteHeader(status)
	}
}

// Write drops the text.
func (w *ranged) Write(b []byte) (int, error) {
	if w.impossible {
		return len(b), nil
	}
	return w.recorder.Write(b)
}

// lastBytes of a followed file are read; what is before them the kernel sends without copying.
const lastBytes = 64 << 10

// ReadFrom passes a file on to net/http.
func (w *ranged) ReadFrom(src io.Reader) (sent int64, err error) {
	if rest, ok := src.(*io.LimitedReader); ok && w.followed != nil && rest.R == io.Reader(w.followed) && w.followed.File() != nil {
		for _, kept := range []int64{submit.EndingBytes, lastBytes} {
			if rest.N > kept {
				n, err := w.recorder.ReadFrom(io.LimitReader(w.followed.File(), rest.N-kept))
				w.followed.Sent(n)
				sent += n
				if rest.N -= n; err != nil {
					return sent, err
				}
			}
			if kept == submit.EndingBytes {
				w.followed.Ending()
			}
		}
	}
	n, err := w.recorder.ReadFrom(src)
	return sent + n, err
}

// matches compares an If-None-Match header with an ETag, weakly as the standard asks.
func matches(header, etag string) bool {
	if header == "" {
		return false
	}
	for _, candidate := range strings.Split(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}

// itemPicture sends a picture of an item's package.
func (r *request) itemPicture() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[browse.PictureInput](values)
	if err != nil {
		return err
	}
	p, err := r.server.app.GetItemPicture(r.Context(), r.caller, in)
	if err != nil {
		return err
	}
	defer r.w.holds(p.Content.Size())()
	return r.inline(p.SHA256, p.Kind, p.Content)
}

// inline sends what pages show in themselves; opened alone, it can do nothing.
func (r *request) inline(sha256, kind string, content io.ReadSeeker) error {
	h := r.w.Header()
	h.Set("ETag", `"`+sha256+`"`)
	h.Set("Cache-Control", "private, no-cache") // asked for again each time: under its name another may stand by then
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "inline")
	http.ServeContent(r.w, r.Request, "", time.Time{}, content)
	return nil
}
