package httpapi_test

import (
	"bytes"
	"os"
	"testing"

	"stoa/internal/apitest"
)

func TestSubmitPlainTemplate(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		r := ada.Post("/api/templates/submit", map[string]any{"template_id": "ada/letters", "prompt": "You write letters.", "title": "Letters", "tags": "a,b"})
		if r.Status == 422 { // tags are a list
			r = ada.Post("/api/templates/submit", map[string]any{"template_id": "ada/letters", "prompt": "You write letters.", "title": "Letters", "tags": []string{"a", "b"}})
		}
		r.OK(t)
		id := r.Str("data.submission_id")
		if r.Str("data.status") != "pending" || r.Str("data.version") != "1.0.0" || r.Str("data.transfer_job.status") != "done" || r.Str("data.title") != "Letters" {
			t.Errorf("%s", r.Body)
		}
		ada.Get("/api/member/submissions/detail", "submission_id", id).OK(t)
		if r := ada.Get("/api/member/submissions", "template_query", "LETT", "status", "pending").OK(t); r.Int("data.count") != 1 {
			t.Errorf("%s", r.Body)
		}
		ada.Get("/api/member/submissions/package/download", "submission_id", id).Want(t, 404, "submission_package_not_available")
		s.As(t, "bob").Get("/api/member/submissions/detail", "submission_id", id).Want(t, 403, "permission_denied")
		if r := ada.Post("/api/member/submissions/withdraw", map[string]any{"submission_id": id}).OK(t); r.Str("data.status") != "withdrawn" {
			t.Errorf("%s", r.Body)
		}
	})
}

func TestSubmitTemplatePackage(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		zip := apitest.TemplatePackage(t, "ada/letters", "1.2.0", "You write letters.", map[string]string{"notes/readme.md": "Call https://example.org."})
		body := map[string]any{"template_id": "ada/letters", "version": "1.2.0", "package_name": "letters.zip", "package_base64": apitest.Base64(zip), "upload_options": map[string]any{"idempotency_key": "k1"}}
		first := ada.Post("/api/templates/submit", body).OK(t)
		again := ada.Post("/api/templates/submit", body).OK(t)
		if first.Str("data.submission_id") != again.Str("data.submission_id") || again.At("data.idempotent_replay") != true {
			t.Errorf("%s\n%s", first.Body, again.Body)
		}
		body["version"] = "1.3.0"
		ada.Post("/api/templates/submit", body).Want(t, 409, "idempotency_key_conflict")
		d := ada.With("Idempotency-Key", "d1").Get("/api/member/submissions/package/download", "submission_id", first.Str("data.submission_id")).OK(t)
		if !bytes.Equal(d.Body, zip) || d.Header.Get("X-Stoa-Transfer-Status") != "done" {
			t.Errorf("%d bytes, %v", len(d.Body), d.Header)
		}
		if r := ada.Get("/api/member/transfers").OK(t); r.Int("data.count") != 3 { // the refused one is a job of its own
			t.Errorf("%s", r.Body)
		}
	})
}

func TestImportAndSubmitARealBackup(t *testing.T) {
	backup, err := os.ReadFile("../../../shared/data/bots/astrbot_backup_20260821.zip")
	if err != nil {
		t.Skip("the shared data is not there:", err)
	}
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		r := ada.Post("/api/member/profile-pack/imports", map[string]any{"filename": "astrbot_backup_20260821.zip", "content_base64": apitest.Base64(backup)}).OK(t)
		t.Logf("%.3000s", r.Body)
		p := ada.Post("/api/profile-pack/preview", map[string]any{"artifact_id": r.Str("data.artifact_id")}).OK(t)
		t.Logf("%.1000s", p.Body)
		sub := ada.Post("/api/profile-pack/submit", map[string]any{"artifact_id": r.Str("data.artifact_id"), "pack_id": "ada/garden"}).OK(t)
		t.Logf("%.3000s", sub.Body)
		ada.Get("/api/member/profile-pack/submissions/export/download", "submission_id", sub.Str("data.submission_id")).OK(t)
	})
}

func TestCompareNeedsNoLogin(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		r := s.Nobody(t).Get("/api/profile-pack/catalog/compare", "pack_id", starter).OK(t)
		if r.Str("data.status") != "compare_ready" || r.Str("data.before.kind") != "none" || r.Len("data.diff.sections") == 0 {
			t.Errorf("%.1000s", r.Body)
		}
		again := s.Nobody(t).Get("/api/profile-pack/catalog/compare", "pack_id", starter).OK(t)
		if string(again.Body) != string(r.Body) {
			t.Error("the same comparison reads differently the second time")
		}
		s.Nobody(t).Get("/api/profile-pack/catalog/compare", "pack_id", starter, "selected_sections", "nonsense").Want(t, 400, "invalid_profile_section")
		s.Nobody(t).Get("/api/profile-pack/catalog/compare", "pack_id", starter, "base_artifact_id", "x").Want(t, 401, "unauthorized")
		s.Nobody(t).Get("/api/profile-pack/catalog/compare").Want(t, 400, "pack_id_required")
		s.Nobody(t).Get("/api/profile-pack/catalog/compare", "pack_id", "x").Want(t, 404, "profile_pack_not_published")
	})
}
