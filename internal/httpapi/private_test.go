package httpapi_test

import (
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// An item that only its owner may see leaves no trace for anybody else, wherever they look.
func TestPrivateItems(t *testing.T) {
	const id = "bob/quiet-letters"
	apitest.Each(t, apitest.Options{Anonymous: true}, func(t *testing.T, s *apitest.Server) {
		lists := []string{
			"/api/templates", "/api/templates?facets=true", "/api/templates?query=quiet+letters", "/api/templates?query=bob", "/api/templates?tag=letters", "/api/templates?category=writing&facets=1",
			"/api/templates?maintainer=bob", "/api/templates?sort_by=newest", "/api/templates?source_channel=community_submission", "/api/profile-pack/catalog?facets=1", "/api/profile-pack/catalog/insights",
		}
		others := map[string]*apitest.Client{"nobody": s.Nobody(t), "ada": s.As(t, "ada")}
		before := map[string]string{}
		for name, c := range others {
			for _, list := range lists {
				before[name+list] = string(c.Do("GET", list, nil).OK(t).Body)
			}
		}
		s.Private(t, "bob", id)
		bob := s.As(t, "bob")
		if r := bob.Get("/api/templates", "query", "quiet letters").OK(t); r.Str("data.templates.0.template_id") != id || r.Str("data.templates.0.visibility") != "private" || r.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("bob does not find his own: %s", r.Body)
		}
		bob.Get("/api/templates/detail", "template_id", id).OK(t)
		bob.Post("/api/templates/install", m{"template_id": id}).OK(t)
		bob.Post("/api/trial", m{"template_id": id}).OK(t)
		bob.Post("/api/templates/prompt", m{"template_id": id}).OK(t)
		bob.Get("/api/templates/package/download", "template_id", id).OK(t)

		for name, c := range others {
			for _, list := range lists {
				if got := string(c.Do("GET", list, nil).OK(t).Body); got != before[name+list] {
					t.Errorf("%s sees another %s than before:\n%s\n%s", name, list, got, before[name+list])
				}
			}
			c.Get("/api/templates/detail", "template_id", id).Want(t, 404, "template_not_found")
			c.Post("/api/trial", m{"template_id": id}).Want(t, 404, "template_not_found")
			c.Get("/api/trial/status", "template_id", id).Want(t, 404, "template_not_found")
			c.Post("/api/templates/install", m{"template_id": id}).Want(t, 404, "template_not_installable")
			c.Post("/api/templates/install", m{"template_id": id, "install_options": m{"preflight": true}}).Want(t, 404, "template_not_installable")
			c.Get("/api/templates/package/download", "template_id", id).Want(t, 404, "template_not_installable")
		}
		ada := others["ada"]
		ada.Post("/api/templates/prompt", m{"template_id": id}).Want(t, 404, "template_not_installable")
		ada.Post("/api/templates/package", m{"template_id": id}).Want(t, 404, "template_not_installable")
		// Whether it exists is not to be told from the answer either.
		there := ada.Get("/api/templates/detail", "template_id", id)
		gone := ada.Get("/api/templates/detail", "template_id", "bob/quiet-nothing")
		if strings.ReplaceAll(string(there.Body), id, "") != strings.ReplaceAll(string(gone.Body), "bob/quiet-nothing", "") {
			t.Errorf("%s\n%s", there.Body, gone.Body)
		}
	})
}
