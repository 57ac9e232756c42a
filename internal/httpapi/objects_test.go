package httpapi_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/s3test"
)

// longestWait is how long a request may take whatever the object store does: three tries of an upload, and the waits between.
const longestWait = 8 * time.Second

// While the object store fails, what needs it is refused with a time to try again, everything else answers, and what was
// acknowledged before is there afterwards. The same request with the same key then has one effect.
func TestObjectStoreFaults(t *testing.T) {
	for name, fault := range map[string]s3test.Fault{"errors": s3test.Error, "silence": s3test.Hang} {
		t.Run(name, func(t *testing.T) {
			apitest.OnObjects(t, apitest.Options{ObjectPatience: 700 * time.Millisecond}, func(t *testing.T, s *apitest.Server) {
				ada := s.As(t, "ada")
				zip := apitest.TemplatePackage(t, "ada/kept", "1.0.0", "You are kept.", nil)
				kept := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/kept"}, zip)
				const path = "/api/member/submissions/package/download"
				next := apitest.TemplatePackage(t, "ada/next", "1.0.0", "You come next.", nil)
				submit := func() *apitest.Reply {
					return ada.Post("/api/templates/submit", m{"template_id": "ada/next", "package_name": "next.zip", "package_base64": apitest.Base64(next), "upload_options": m{"idempotency_key": "next"}})
				}

				s.Faults.Fail(fault, -1)
				for what, call := range map[string]func() *apitest.Reply{
					"submit":   submit,
					"download": func() *apitest.Reply { return ada.Get(path, "submission_id", kept) },
					"package":  func() *apitest.Reply { return ada.Get("/api/templates/package/download", "template_id", translator) },
					"import": func() *apitest.Reply {
						return ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(apitest.Setup(t, "Ada"))})
					},
				} {
					began := time.Now()
					r := call()
					if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); r.Status != 503 || r.Code() != "service_unavailable" || err != nil || seconds < 1 {
						t.Errorf("%s: %d, Retry-After %q: %s", what, r.Status, r.Header.Get("Retry-After"), r.Body)
					}
					if took := time.Since(began); took > longestWait {
						t.Errorf("%s took %s", what, took)
					}
				}
				ada.Get("/api/templates", "limit", "1").OK(t)
				ada.Get("/api/member/submissions").OK(t)
				if !strings.Contains(s.Log(), "does not answer") {
					t.Error("the log does not say why")
				}

				s.Faults.Fail(s3test.None, 0)
				if r := ada.Get(path, "submission_id", kept).OK(t); !bytes.Equal(r.Body, zip) {
					t.Error("what was acknowledged came back as other bytes")
				}
				first := submit().OK(t)
				if again := submit().OK(t); again.Str("data.submission_id") != first.Str("data.submission_id") || first.At("data.idempotent_replay") == true {
					t.Errorf("%s\n%s", first.Body, again.Body)
				}
				if n := s.Count(t, "submission WHERE item_id = 'ada/next'"); n != 1 {
					t.Errorf("%d submissions", n)
				}
				if r := ada.Get(path, "submission_id", first.Str("data.submission_id")).OK(t); !bytes.Equal(r.Body, next) {
					t.Error("the second one came back as other bytes")
				}
			})
		})
	}
}

// Packages that no row names leave the object store, those that are named stay.
func TestOrphansInAnObjectStore(t *testing.T) {
	apitest.OnObjects(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		zip := apitest.TemplatePackage(t, "ada/kept", "1.0.0", "You are kept.", nil)
		sub := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/kept"}, zip)
		orphan, _, err := s.Blobs.Put(t.Context(), strings.NewReader("nobody names me"))
		if err != nil {
			t.Fatal(err)
		}
		sweep := func() int {
			t.Helper()
			n, err := s.App.SweepOrphans(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		// The object store's clock is the machine's.
		s.Clock.Advance(time.Since(s.Clock.Now()))
		sweep()
		if there, err := s.Blobs.Has(t.Context(), orphan); !there || err != nil {
			t.Errorf("a new one is swept: %v", err)
		}
		s.Clock.Advance(3 * time.Hour)
		for sweep() > 0 { // it is set aside, and then removed
		}
		if there, err := s.Blobs.Has(t.Context(), orphan); there || err != nil {
			t.Errorf("the orphan is there: %v %v", there, err)
		}
		ada := s.As(t, "ada")
		if r := ada.Get("/api/member/submissions/package/download", "submission_id", sub).OK(t); !bytes.Equal(r.Body, zip) {
			t.Error("another package")
		}
		findings, err := s.App.Examine(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if !f.OK {
				t.Errorf("%s: %s", f.Check, f.Detail)
			}
		}
	})
}
