package httpapi_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

func TestPrompts(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		english := ada.Post("/api/templates/prompt", m{"template_id": translator}).OK(t)
		chinese := ada.With("Accept-Language", "zh").Post("/api/templates/prompt", m{"template_id": translator}).OK(t)
		japanese := ada.With("Accept-Language", "zh").Post("/api/templates/prompt", m{"template_id": translator, "locale": "ja"}).OK(t)
		for r, want := range map[*apitest.Reply]string{english: "en-US", chinese: "zh-CN", japanese: "ja-JP"} {
			if r.Str("data.locale") != want || r.Str("data.version") != "1.0.0" || len(r.Str("data.prompt")) < 200 {
				t.Errorf("want the prompt in %s: %.300s", want, r.Body)
			}
		}
		detail := ada.Get("/api/templates/detail", "template_id", translator).OK(t)
		if prompt := []rune(english.Str("data.prompt")); detail.Int("data.engagement.prompt_generations") != 3 || detail.Int("data.prompt_length") != len(prompt) || detail.Str("data.prompt_preview") != string(prompt[:240]) {
			t.Errorf("detail: %s", detail.Body)
		}
		ada.Post("/api/templates/prompt", m{"template_id": starter}).Want(t, 404, "template_not_installable")
		ada.Post("/api/templates/prompt", m{}).Want(t, 400, "template_id_required")
	})
}

func TestDownloadingAPackage(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		made := ada.Post("/api/templates/package", m{"template_id": translator}).OK(t)
		if ada.Get("/api/templates/detail", "template_id", translator).Int("data.engagement.package_generations") != 1 {
			t.Error("making a package was not counted")
		}
		for _, id := range []string{translator, starter} {
			r := ada.Get("/api/templates/package/download", "template_id", id).OK(t)
			sum := sha256.Sum256(r.Body)
			digest := hex.EncodeToString(sum[:])
			if r.Header.Get("ETag") != `"`+digest+`"` || r.Header.Get("Content-Length") != strconv.Itoa(len(r.Body)) || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; filename=") {
				t.Errorf("%s: %v", id, r.Header)
			}
			if id == translator && (made.Str("data.sha256") != digest || made.Int("data.size_bytes") != len(r.Body)) {
				t.Errorf("made %s, downloaded %s", made.Body, digest)
			}
			opens(t, r.Body)
			get := func(name, value string) *apitest.Reply {
				return ada.With(name, value).Get("/api/templates/package/download", "template_id", id)
			}
			if r := get("If-None-Match", `"`+digest+`"`); r.Status != 304 || len(r.Body) > 0 {
				t.Errorf("If-None-Match: %d", r.Status)
			}
			if part := get("Range", "bytes=2-11"); part.Status != 206 || !bytes.Equal(part.Body, r.Body[2:12]) {
				t.Errorf("a range: %d, %d bytes", part.Status, len(part.Body))
			}
			if part := get("Range", "bytes=-5"); part.Status != 206 || !bytes.Equal(part.Body, r.Body[len(r.Body)-5:]) {
				t.Errorf("the end: %d, %d bytes", part.Status, len(part.Body))
			}
			if r := get("Range", "bytes=999999999-").Want(t, 416, "range_not_satisfiable"); r.Header.Get("Content-Range") == "" {
				t.Error("416 without Content-Range")
			}
		}
		ada.Get("/api/templates/package/download").Want(t, 400, "template_id_required")
		ada.Get("/api/templates/package/download", "template_id", "nobody/has-this").Want(t, 404, "template_not_installable")
	})
}

func opens(t *testing.T, body []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) == 0 {
		t.Error("the zip is empty")
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// A generated package that is lost is made again, to the same bytes.
func TestALostPackageIsMadeAgain(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		lose := func() {
			t.Helper()
			for _, item := range []string{translator} {
				digest := ada.Get("/api/templates/detail", "template_id", item).OK(t).Str("data.package_artifact.sha256")
				if err := s.Blobs.Remove(t.Context(), digest); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := ada.Get("/api/templates/package/download", "template_id", translator).OK(t)
		lose()
		if r := ada.Get("/api/templates/package/download", "template_id", translator).OK(t); !bytes.Equal(r.Body, before.Body) {
			t.Error("the package made again differs")
		}
		lose()
		if r := ada.Post("/api/templates/package", m{"template_id": translator}).OK(t); `"`+r.Str("data.sha256")+`"` != before.Header.Get("ETag") {
			t.Errorf("made again: %s", r.Body)
		}
	})
}
