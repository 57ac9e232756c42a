package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/app"
	"stoa/internal/platform/errs"
)

// downloadPackage sends a package's bytes. http.ServeContent answers ranges and uses sendfile.
func (r *request) downloadPackage() error {
	values, err := r.route.input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := into[app.DownloadInput](values)
	if err != nil {
		return err
	}
	known := false
	d, err := r.server.app.DownloadTemplatePackage(r.Context(), r.caller, in, func(sha256 string) bool {
		known = matches(r.Header.Get("If-None-Match"), `"`+sha256+`"`)
		return known || r.Method == http.MethodHead // which looks and takes nothing
	})
	if err != nil {
		return err
	}
	h := r.w.Header()
	h.Set("ETag", `"`+d.SHA256+`"`)
	h.Set("Cache-Control", "private, no-cache")
	if known {
		r.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Filename}))
	if d.File == nil {
		h.Set("Content-Length", strconv.FormatInt(d.Size, 10))
		r.w.WriteHeader(http.StatusOK)
		return nil
	}
	defer d.File.Close()
	info, err := d.File.Stat()
	if err != nil {
		return err
	}
	w := &ranged{recorder: r.w}
	http.ServeContent(w, r.Request, "", info.ModTime(), d.File)
	if w.impossible {
		return errs.New(errs.RangeNotSatisfiable, "The package is shorter than the part that was asked for.").With("size_bytes", d.Size)
	}
	return nil
}

// ranged keeps net/http's own text about an impossible range back, for the envelope to take its place.
type ranged struct {
	*recorder
	impossible bool
}

// WriteHeader passes on every status but that one.
func (w *ranged) WriteHeader(status int) {
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
