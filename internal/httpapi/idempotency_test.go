package httpapi_test

import (
	"fmt"
	"sync"
	"testing"

	"stoa/internal/apitest"
)

// repeatable are the four routes that take an idempotency key, each with a body that uses one.
func repeatable(t *testing.T, s *apitest.Server, userID string) map[string]struct {
	path  string
	body  func(key, version string) m
	count string // rows that one effect makes
} {
	t.Helper()
	zip := func(version string) string {
		return apitest.Base64(apitest.TemplatePackage(t, userID+"/packed", version, "You are repeated.", map[string]string{"notes.md": "Nothing."}))
	}
	draft := s.Draft(t, userID, "cmd_config.json", apitest.Setup(t, "gardener"))
	type route = struct {
		path  string
		body  func(key, version string) m
		count string
	}
	return map[string]route{
		"package": {"/api/templates/submit", func(key, version string) m {
			return m{"template_id": userID + "/packed", "version": version, "package_name": "p.zip", "package_base64": zip(version), "upload_options": m{"idempotency_key": key}}
		}, "submission WHERE item_id = '" + userID + "/packed'"},
		"texts": {"/api/templates/submit", func(key, version string) m {
			return m{"template_id": userID + "/plain", "version": version, "prompt": "You are repeated.", "upload_options": m{"idempotency_key": key}}
		}, "submission WHERE item_id = '" + userID + "/plain'"},
		"pack": {"/api/profile-pack/submit", func(key, version string) m {
			return m{"artifact_id": draft, "pack_id": userID + "/pack", "version": version, "submit_options": m{"idempotency_key": key}}
		}, "submission WHERE item_id = '" + userID + "/pack'"},
		"import": {"/api/member/profile-pack/imports", func(key, version string) m {
			return m{"filename": "bot-" + version + ".json", "content_base64": apitest.Base64(apitest.Setup(t, "gardener")), "idempotency_key": key}
		}, "import_draft WHERE user_id = '" + userID + "' AND filename LIKE 'bot-%'"},
	}
}

func TestManyAtOnceWithOneKeyHaveOneEffect(t *testing.T) {
	const many = 50
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for name, route := range repeatable(t, s, "ada") {
			key := "many-" + name
			before := s.Count(t, route.count)
			replies := make([]*apitest.Reply, many)
			var wait sync.WaitGroup
			for i := range replies {
				wait.Go(func() { replies[i] = ada.Post(route.path, route.body(key, "1.0.0")) })
			}
			wait.Wait()
			first, jobs := map[string]int{}, map[string]int{}
			fresh := 0
			for _, r := range replies {
				if r.Status != 200 {
					t.Fatalf("%s: %d %s", name, r.Status, r.Body)
				}
				first[r.Str("data.submission_id")+r.Str("data.import_id")]++
				jobs[r.Str("data.transfer_job.job_id")]++
				if r.At("data.idempotent_replay") != true {
					fresh++
				}
			}
			if len(first) != 1 || len(jobs) != 1 || fresh != 1 {
				t.Errorf("%s: %d targets, %d jobs, %d fresh answers", name, len(first), len(jobs), fresh)
			}
			if n := s.Count(t, route.count); n != before+1 {
				t.Errorf("%s: %d effects", name, n-before)
			}
			if n := s.Count(t, "transfer_job WHERE user_id = 'ada' AND idempotency_key = '"+key+"'"); n != 1 {
				t.Errorf("%s: %d jobs", name, n)
			}
			if n := s.Count(t, fmt.Sprintf("transfer_job WHERE idempotency_key = '%s' AND status = 'done' AND attempt_count = %d AND retry_count = %d", key, many, many-1)); n != 1 {
				t.Errorf("%s: attempts have gone uncounted:\n%s", name, s.Rows(t, "transfer_job WHERE idempotency_key = '"+key+"'"))
			}
		}
	})
}

func TestOneKeyMeansOneThing(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		routes, bobs := repeatable(t, s, "ada"), repeatable(t, s, "bob")
		for name, route := range routes {
			key := "key-" + name
			first := ada.Post(route.path, route.body(key, "1.0.0")).OK(t)
			made := s.Rows(t, "submission", "import_draft")
			other := ada.Post(route.path, route.body(key, "2.0.0")).Want(t, 409, "idempotency_key_conflict")
			job := other.Str("data.transfer_job.job_id")
			if job == first.Str("data.transfer_job.job_id") || other.Str("data.transfer_job.status") != "failed" || other.Str("data.transfer_job.failure_reason") != "idempotency_conflict" ||
				s.Count(t, "transfer_job WHERE user_id = 'ada' AND status = 'failed' AND job_id = '"+job+"'") != 1 || other.Str("data.existing_submission_id") != either(first, "data.submission_id", "data.import_id") {
				t.Errorf("%s: %s", name, other.Body)
			}
			for elsewhere, route := range routes {
				if elsewhere != name {
					ada.Post(route.path, route.body(key, "1.0.0")).Want(t, 409, "idempotency_key_conflict")
				}
			}
			if s.Rows(t, "submission", "import_draft") != made {
				t.Errorf("%s: a conflict has made something", name)
			}
			// The job of the key is still what it was.
			if n := s.Count(t, "transfer_job WHERE user_id = 'ada' AND status = 'done' AND attempt_count = 1 AND job_id = '"+first.Str("data.transfer_job.job_id")+"'"); n != 1 {
				t.Errorf("%s: %s", name, s.Rows(t, "transfer_job WHERE idempotency_key = '"+key+"'"))
			}
			// Another member's key is another key.
			if r := bob.Post(bobs[name].path, bobs[name].body(key, "1.0.0")).OK(t); r.At("data.idempotent_replay") != nil {
				t.Errorf("%s: %s", name, r.Body)
			}
			s.Restart(t)
			again := ada.Post(route.path, route.body(key, "1.0.0")).OK(t)
			if again.At("data.idempotent_replay") != true || either(again, "data.submission_id", "data.import_id") != either(first, "data.submission_id", "data.import_id") ||
				again.Str("data.created_at") != first.Str("data.created_at") {
				t.Errorf("%s after a restart: %s", name, again.Body)
			}
			// The key in the body counts before that of the header, and the header's where there is none.
			if r := ada.With("Idempotency-Key", "other").Post(route.path, route.body(key, "1.0.0")).OK(t); r.At("data.idempotent_replay") != true {
				t.Errorf("%s: the header's key won: %s", name, r.Body)
			}
			for _, header := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
				if r := ada.With(header, key).Post(route.path, route.body("", "1.0.0")).OK(t); r.At("data.idempotent_replay") != true {
					t.Errorf("%s: %s was not looked at: %s", name, header, r.Body)
				}
			}
			// Without a key everything is new, and what is left of a key after its odd characters counts.
			if r := ada.Post(route.path, route.body("", "1.0.0")).OK(t); r.At("data.idempotent_replay") != nil {
				t.Errorf("%s: %s", name, r.Body)
			}
			if r := ada.Post(route.path, route.body(" "+key+"/鍵", "1.0.0")).OK(t); r.At("data.idempotent_replay") != true {
				t.Errorf("%s: %s", name, r.Body)
			}
		}
	})
}

func either(r *apitest.Reply, a, b string) string {
	if v := r.Str(a); v != "" {
		return v
	}
	return r.Str(b)
}

// A submit is answered again as it was, also when its draft has gone and its submission was decided.
func TestReplaysOutliveWhatTheyMade(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		body := m{"artifact_id": draft, "pack_id": "ada/gone", "submit_options": m{"idempotency_key": "gone", "selected_sections": []string{"personas", "astrbot_core", "personas"}}}
		first := ada.Post("/api/profile-pack/submit", body).OK(t)
		ada.Post("/api/member/profile-pack/submissions/withdraw", m{"submission_id": first.Str("data.submission_id")}).OK(t)
		ada.Do("DELETE", "/api/member/profile-pack/imports/"+draft, nil).OK(t)
		body["submit_options"] = m{"idempotency_key": "gone", "selected_sections": []string{"astrbot_core", "personas"}, "redaction_mode": "exclude_secrets"} // the same, said otherwise
		again := ada.Post("/api/profile-pack/submit", body).OK(t)
		if again.At("data.idempotent_replay") != true || again.Str("data.submission_id") != first.Str("data.submission_id") || again.Str("data.status") != "pending" {
			t.Errorf("%s", again.Body)
		}
		body["submit_options"] = m{"idempotency_key": "new"}
		ada.Post("/api/profile-pack/submit", body).Want(t, 404, "profile_pack_not_found")
	})
}

// What failed has not used its key up: the same job is tried again.
func TestAKeyIsFreeUntilItsWorkIsDone(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		good := apitest.TemplatePackage(t, "ada/retried", "1.0.0", "You try again.", nil)
		body := m{"template_id": "ada/retried", "package_name": "p.zip", "package_base64": apitest.Base64(good[:len(good)-9]), "upload_options": m{"idempotency_key": "try"}}
		failed := ada.Post("/api/templates/submit", body).Want(t, 400, "invalid_package_payload")
		if failed.Str("data.transfer_job.status") != "failed" || failed.Str("data.transfer_job.failure_reason") != "invalid_payload" {
			t.Errorf("%s", failed.Body)
		}
		body["package_base64"] = apitest.Base64(good)
		r := ada.Post("/api/templates/submit", body).OK(t)
		job := r.At("data.transfer_job").(m)
		if job["job_id"] != failed.Str("data.transfer_job.job_id") || job["status"] != "done" || job["attempt_count"] != 2.0 || job["retry_count"] != 1.0 || job["failure_reason"] != "" ||
			job["failure_detail"] != "" || int(job["done_bytes"].(float64)) != len(good) || int(job["size_bytes"].(float64)) != len(good) {
			t.Errorf("%v", job)
		}
		if n := s.Count(t, "transfer_job WHERE user_id = 'ada'"); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
}
