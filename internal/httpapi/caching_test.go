package httpapi_test

import (
	"testing"

	"stoa/internal/apitest"
)

func TestETags(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t)
		for _, target := range []string{"/api/templates", "/api/templates?query=translator&facets=1", "/api/profile-pack/catalog", "/api/templates/detail?template_id=" + translator, "/api/profile-pack/catalog/detail?pack_id=" + starter} {
			first := c.Do("GET", target, nil).OK(t)
			etag := first.Header.Get("ETag")
			for _, sent := range []string{etag, `"other", ` + etag, "*"} {
				if r := c.With("If-None-Match", sent).Do("GET", target, nil); r.Status != 304 || len(r.Body) > 0 || r.Header.Get("ETag") != etag {
					t.Errorf("%s with %s: %d, ETag %s", target, sent, r.Status, r.Header.Get("ETag"))
				}
			}
			c.With("If-None-Match", `"other"`).Do("GET", target, nil).OK(t)
			if r := c.With("Accept-Language", "zh").With("If-None-Match", etag).Do("GET", target, nil); r.Status != 200 {
				t.Errorf("%s in another language: %d", target, r.Status)
			}
		}
		// A change that shows makes a new answer.
		old := c.Get("/api/templates/detail", "template_id", translator)
		s.As(t, "ada").Post("/api/templates/install", m{"template_id": translator}).OK(t)
		now := c.With("If-None-Match", old.Header.Get("ETag")).Get("/api/templates/detail", "template_id", translator).OK(t)
		if now.Int("data.engagement.installs") != old.Int("data.engagement.installs")+1 {
			t.Errorf("installs %d, were %d", now.Int("data.engagement.installs"), old.Int("data.engagement.installs"))
		}
	})
}

func TestGzip(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t)
		plain := c.Get("/api/templates").OK(t)
		for header, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "*": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "": false} {
			r := c.With("Accept-Encoding", header).Get("/api/templates").OK(t)
			if (r.Header.Get("Content-Encoding") == "gzip") != packed || string(r.Body) != string(plain.Body) {
				t.Errorf("Accept-Encoding %q: %q, %d bytes", header, r.Header.Get("Content-Encoding"), len(r.Body))
			}
			if r.Header.Get("Vary") == "" {
				t.Error("Vary is missing")
			}
		}
	})
}
