package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

const trialTTL = 2 * time.Hour

func TestUnknownRoutes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		unharmed(t, s, func() {
			paths := []string{
				"/api/", "/api/x", "/api/templates/x", "/api/Templates", "/api/templates/detail/x", "/api/%00", "/api/%ff%fe", "/api/templates%2Fdetail", "/api/admin/members",
				"/api/review", "/api//templates", "//api/templates", "/api/./templates", "/api/../api/templates", "/api/templates/../trial", "/x", "/.env", "/market/x", "/assets/x",
				"/assets/../web/embed.go", "/assets/%2e%2e/embed.go", "/api/" + strings.Repeat("x", 10_000),
			}
			for _, op := range apitest.Operations() {
				path := op.Target(m{"import_id": "x"})
				paths = append(paths, path+"/")
				if len(op.InPath) == 0 { // else its end is what the member calls it
					paths = append(paths, path+"%20", path+"%00")
				}
			}
			for _, path := range paths {
				for _, method := range []string{"GET", "POST", "DELETE"} {
					if r := ada.Do(method, path, nil); r.Status != 404 || r.Code() != "not_found" {
						t.Errorf("%s %.60s: %d %.200s", method, path, r.Status, r.Body)
					}
				}
			}
		})
	})
}

// What stands in a path is checked like every other parameter.
func TestPathParametersOfTheWrongKind(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		unharmed(t, s, func() {
			for _, op := range apitest.Operations() {
				for _, p := range op.InPath {
					for _, value := range misspelt(p.Schema) {
						r := ada.Do(op.Method, op.Target(m{p.Name: value}), nil)
						if r.Status != 422 || r.Code() != "invalid_request" || !slices.Contains(r.All("error.details", "field"), p.Name) {
							t.Errorf("%s with %s=%.20q: %d %s", op.ID, p.Name, value, r.Status, r.Body)
						}
					}
					for _, value := range []string{"x", " ", "..", "../x", "a/b", "%", "00000000-0000-7000-8000-000000000000", "'; DROP TABLE import_draft; --", "{import_id}", "\u202e"} {
						if r := ada.Do(op.Method, op.Target(m{p.Name: value}), nil); r.Status != 404 {
							t.Errorf("%s with %s=%q: %d %s", op.ID, p.Name, value, r.Status, r.Body)
						}
					}
				}
			}
		})
	})
}

func TestWrongMethods(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		allowed := map[string][]string{"/api/docs": {"GET", "HEAD"}, "/api/openapi.yaml": {"GET", "HEAD"}}
		for _, op := range apitest.Operations() {
			allowed[op.Path] = append(allowed[op.Path], op.Method)
			if op.Method == "GET" {
				allowed[op.Path] = append(allowed[op.Path], "HEAD")
			}
		}
		unharmed(t, s, func() {
			for path, methods := range allowed {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "BREW"} {
					if slices.Contains(methods, method) {
						continue
					}
					r := ada.Do(method, path, nil)
					got := strings.Split(r.Header.Get("Allow"), ", ")
					slices.Sort(got)
					slices.Sort(methods)
					if r.Status != 405 || r.Header.Get("X-Error-Code") != "method_not_allowed" || !slices.Equal(got, methods) {
						t.Errorf("%s %s: %d, Allow %q, want %q", method, path, r.Status, got, methods)
					}
				}
			}
		})
	})
}

// HEAD says what GET would, without the body.
func TestHead(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for _, op := range apitest.Operations() {
			if op.Method != http.MethodGet {
				continue
			}
			values := prepared(t, s, op, "ada")
			target := op.Target(values)
			delete(values, "import_id")
			target += apitest.Query(pairs(values)...)
			get, head := ada.Do("GET", target, nil), ada.Do("HEAD", target, nil)
			if head.Status != get.Status || len(head.Body) > 0 || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") || head.Header.Get("ETag") != get.Header.Get("ETag") {
				t.Errorf("HEAD %s: %d %v, GET: %d", target, head.Status, head.Header, get.Status)
			}
		}
		if n := s.Count(t, "audit_event WHERE action = 'template.package_downloaded'"); n != 1 {
			t.Errorf("one GET and one HEAD of a package were counted as %d downloads", n)
		}
	})
}

func TestRequestIDs(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for _, good := range []string{"a", "A-b.c_d:9", strings.Repeat("x", 128)} {
			if got := ada.With("X-Request-Id", good).Get("/api/health").Header.Get("X-Request-Id"); got != good {
				t.Errorf("sent %q, came back as %q", good, got)
			}
		}
		seen := map[string]bool{}
		for _, bad := range []string{"", " ", "a b", "a\"b", "<script>", "a/b", "é", "\xff\xfe", strings.Repeat("x", 129), "a,b", "a;b", "%0d%0a", "a\tb"} {
			got := ada.With("X-Request-Id", bad).Get("/api/health").Header.Get("X-Request-Id")
			if got == bad || seen[got] {
				t.Errorf("sent %q, came back as %q", bad, got)
			}
			seen[got] = true
		}
	})
}

// What a stranger's headers say is kept, shown and never trusted.
func TestHostileHeaders(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada").From("10.1.1.1")
		for i, agent := range []string{"a\x00b", "a\r\nSet-Cookie: x=1", "\x1b[2J", "\xff\xfe\x80", strings.Repeat("é", 5000), "'; DROP TABLE account; --", "\u202e\u0085"} {
			id := "agent-" + string(rune('a'+i))
			ada.With("X-Request-Id", id).With("User-Agent", agent).Get("/api/preferences").OK(t)
			r := ada.Get("/api/runtime-request-trace", "requestId", id).OK(t)
			got := r.Str("data.records.0.userAgent")
			if r.Int("data.summary.totalRequests") != 1 || got == "" || len([]rune(got)) > 180 || strings.ContainsAny(got, "\x00\r\n\x1b\x7f") {
				t.Errorf("agent %.30q is shown as %q", agent, got)
			}
		}
		for _, h := range []struct{ name, value string }{
			{"Accept-Language", "\x00\xff,,;;q=x," + strings.Repeat("-", 9000)},
			{"Accept-Encoding", ";;,,gzip;q=\x00"},
			{"If-None-Match", strings.Repeat(`"x",`, 9000)},
			{"Cookie", "stoa_session=\x00; ===; stoa_session"},
			{"Forwarded", "for=1.2.3.4"},
			{"X-Forwarded-For", "1.2.3.4"},
			{"X-Http-Method-Override", "DELETE"},
			{"Range", "bytes=-1-"},
		} {
			ada.With(h.name, h.value).Get("/api/templates").OK(t)
			ada.With(h.name, h.value).Get("/api/templates/package/download", "template_id", translator)
		}
		for _, value := range []string{"Bearer", "Bearer ", "Basic YTpi", "bearer \x00", "Bearer " + strings.Repeat("x", 100_000), "Bearer a b c"} {
			s.Nobody(t).From("10.1.1.2").With("Authorization", value).Get("/api/preferences").Want(t, 401, "unauthorized")
		}
	})
}
