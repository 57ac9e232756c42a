package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/card"
	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

// mountOCI serves packages as artifacts of a registry of containers. The specification puts it at /v2.
func (s *Server) mountOCI() {
	s.mux.HandleFunc("GET /v2/{path...}", func(w http.ResponseWriter, req *http.Request) {
		f := &feedCall{Request: req, w: w.(*recorder), server: s}
		w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
		if err := f.oci(); err != nil {
			f.ociFailed(err)
		}
	})
}

// ociFailed answers as registries do. Whoever is nobody is asked for a password wherever something may be private.
func (f *feedCall) ociFailed(err error) {
	e, ok := errs.As(err)
	if !ok || statusOf[e.Code] == 0 || e.Code == errs.RateLimited || e.Code == errs.ServiceUnavailable {
		f.server.fail(f.w, f.Request, err)
		return
	}
	status, code := statusOf[e.Code], "NAME_UNKNOWN"
	switch {
	case status == http.StatusUnauthorized || status == http.StatusNotFound && f.caller.Role != core.Member:
		status, code = http.StatusUnauthorized, "UNAUTHORIZED"
		f.w.Header().Set("WWW-Authenticate", `Basic realm="stoa"`)
	case strings.Contains(f.PathValue("path"), "/manifests/"):
		code = "MANIFEST_UNKNOWN"
	case strings.Contains(f.PathValue("path"), "/blobs/"):
		code = "BLOB_UNKNOWN"
	}
	f.w.code = e.Code
	f.w.Header().Set("Cache-Control", "no-store")
	body, err := json.Marshal(map[string]any{"errors": []map[string]string{{"code": code, "message": e.Message}}})
	if err != nil {
		panic(err) // texts always encode
	}
	writeBody(f.w, status, "application/json", body)
}

var errNoArtifact = errs.New(errs.NotFound, "There is no such artifact here.")

func (f *feedCall) oci() error {
	if err := f.admit(); err != nil {
		return err
	}
	f.w.Header().Set("Cache-Control", "no-cache")
	path := f.PathValue("path")
	if path == "" {
		writeBody(f.w, http.StatusOK, "application/json", []byte("{}"))
		return nil
	}
	for _, part := range []string{"/manifests/", "/blobs/", "/tags/", "/referrers/"} {
		name, reference, ok := strings.Cut(path, part)
		if !ok {
			continue
		}
		cards, err := f.server.app.FeedCards(f.Context(), f.caller, card.Slug(name))
		if err != nil {
			return err
		}
		versions := remembered(f, "oci/"+name, func() []feed.OCIVersion {
			out := make([]feed.OCIVersion, 0, len(cards))
			for _, c := range cards {
				out = append(out, feed.OCI(c))
			}
			return out
		})
		switch part {
		case "/manifests/":
			return f.ociManifest(versions, reference)
		case "/blobs/":
			return f.ociBlob(card.Slug(name), versions, reference)
		case "/referrers/":
			body := feed.OCIReferrers(versions, reference, f.URL.Query().Get("artifactType"))
			f.ociDocument(feed.OCIIndexType, feed.Digest(body), body)
			return nil
		}
		sorted := slices.SortedFunc(slices.Values(versions), func(a, b feed.OCIVersion) int { return strings.Compare(a.Tag, b.Tag) })
		n := bounded(f.URL.Query().Get("n"), 100, 1000)
		tags, last := feed.OCITags(name, sorted, f.URL.Query().Get("last"), n)
		if last != "" {
			// Clients ask for the next page where this header sends them, and otherwise take the list for the whole.
			f.w.Header().Set("Link", "</v2/"+name+"/tags/list?"+url.Values{"n": {strconv.Itoa(n)}, "last": {last}}.Encode()+`>; rel="next"`)
		}
		f.ociDocument("application/json", feed.Digest(tags), tags)
		return nil
	}
	return errNoArtifact
}

func (f *feedCall) ociManifest(versions []feed.OCIVersion, reference string) error {
	for i, v := range versions {
		body, digest := v.Manifest, v.Digest
		switch reference {
		case v.AboutDigest:
			body, digest = v.About, v.AboutDigest
		case v.Tag, v.Digest:
		case "latest":
			if i < len(versions)-1 {
				continue
			}
		default:
			continue
		}
		f.w.Header().Set("Docker-Content-Digest", digest)
		f.ociDocument(feed.OCIManifestType, digest, body)
		return nil
	}
	return errNoArtifact
}

// ociDocument answers with a document, or that the caller has it.
func (f *feedCall) ociDocument(kind, digest string, body []byte) {
	tag := `"` + digest + `"`
	f.w.Header().Set("ETag", tag)
	if matches(f.Header.Get("If-None-Match"), tag) {
		f.w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(f.w, http.StatusOK, kind, body)
}

func (f *feedCall) ociBlob(slug string, versions []feed.OCIVersion, digest string) error {
	h := f.w.Header()
	h.Set("Docker-Content-Digest", digest)
	h.Set("ETag", `"`+digest+`"`)
	h.Set("Content-Type", "application/octet-stream")
	if empty, of := feed.OCIEmpty(); digest == of {
		http.ServeContent(f.w, f.Request, "", time.Time{}, bytes.NewReader(empty))
		return nil
	}
	for _, v := range versions {
		if digest == v.AboutBlobDigest {
			http.ServeContent(f.w, f.Request, "", time.Time{}, bytes.NewReader(v.AboutBlob))
			return nil
		}
		if digest == "sha256:"+v.Card.SHA256 {
			d, err := f.server.app.FeedPackage(f.Context(), f.caller, slug, v.Card.Version)
			if err != nil {
				return err
			}
			defer d.Content.Close()
			http.ServeContent(f.w, f.Request, "", time.Time{}, d.Content)
			return nil
		}
	}
	h.Del("Docker-Content-Digest")
	h.Del("ETag")
	return errNoArtifact
}
