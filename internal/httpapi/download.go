package httpapi

import (
	"mime"
	"net/http"
	"stoa/internal/app"
	"strings"
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
	d, err := r.server.app.DownloadTemplatePackage(r.Context(), r.caller, in, func(sha256 string) bool {
		return matches(r.Header.Get("If-None-Match"), `"`+sha256+`"`)
	})
	if err != nil {
		return err
	}
	h := r.w.Header()
	h.Set("ETag", `"`+d.SHA256+`"`)
	h.Set("Cache-Control", "private, no-cache")
	if d.File == nil {
		r.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	defer d.File.Close()
	info, err := d.File.Stat()
	if err != nil {
		return err
	}
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Filename}))
	http.ServeContent(r.w, r.Request, "", info.ModTime(), d.File)
	return nil
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
