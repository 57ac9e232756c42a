package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/transfer"
)

// largePackage is a template's zip of about so many bytes: plain text that is stored as it is.
func largePackage(t testing.TB, id string, size int) []byte {
	t.Helper()
	files := map[string]string{}
	for i := 0; size > 0; i++ {
		var text strings.Builder
		for line := 0; text.Len() < min(size, 4<<20); line++ {
			fmt.Fprintf(&text, "In part %d, line %d, the river goes its quiet way.\n", i, line)
		}
		files[fmt.Sprintf("notes/%02d.txt", i)] = text.String()
		size -= text.Len()
	}
	return apitest.StoredTemplatePackage(t, id, "1.0.0", "You carry a lot.", files)
}

// jobOf finds a member's job by its id.
func jobOf(t *testing.T, c *apitest.Client, id string) m {
	t.Helper()
	job := findJob(t, c, id)
	if job == nil {
		t.Fatalf("there is no job %s", id)
	}
	return job
}

// findJob is the job, or nil.
func findJob(t *testing.T, c *apitest.Client, id string) m {
	t.Helper()
	list, _ := c.Get("/api/member/transfers").OK(t).At("data.jobs").([]any)
	for _, j := range list {
		if j.(m)["job_id"] == id {
			return j.(m)
		}
	}
	return nil
}

func TestSmallDownloadsAreDoneAtOnce(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		zip := apitest.TemplatePackage(t, "ada/small", "1.0.0", "You are small.", nil)
		sub := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/small"}, zip)
		const path = "/api/member/submissions/package/download"
		first := ada.With("Idempotency-Key", "one").Get(path, "submission_id", sub).OK(t)
		again := ada.With("Idempotency-Key", "one").Get(path, "submission_id", sub).OK(t)
		other := ada.Get(path, "submission_id", sub).OK(t)
		id := first.Header.Get("X-Stoa-Transfer-Job-Id")
		if id == "" || id != again.Header.Get("X-Stoa-Transfer-Job-Id") || id == other.Header.Get("X-Stoa-Transfer-Job-Id") || !bytes.Equal(first.Body, zip) || !bytes.Equal(again.Body, zip) {
			t.Errorf("%v\n%v\n%v", first.Header, again.Header, other.Header)
		}
		job := jobOf(t, ada, id)
		if job["status"] != "done" || job["attempt_count"] != 2.0 || job["retry_count"] != 1.0 || job["max_attempts"] != 2.0 || job["done_bytes"] != float64(len(zip)) || job["direction"] != "download" ||
			job["finished_at"] == "" || job["started_at"] == "" {
			t.Errorf("%v", job)
		}
		// Whoever has the bytes, or only looks, takes nothing.
		jobs := s.Count(t, "transfer_job")
		etag := first.Header.Get("ETag")
		if r := ada.With("If-None-Match", etag).Get(path, "submission_id", sub); r.Status != 304 || len(r.Body) > 0 || r.Header.Get("ETag") != etag {
			t.Errorf("%d %v", r.Status, r.Header)
		}
		if r := ada.Do("HEAD", path+"?submission_id="+sub, nil); r.Status != 200 || r.Header.Get("Content-Length") != fmt.Sprint(len(zip)) || r.Header.Get("ETag") != etag {
			t.Errorf("%d %v", r.Status, r.Header)
		}
		if n := s.Count(t, "transfer_job"); n != jobs {
			t.Errorf("%d jobs for a look", n-jobs)
		}
		if r := ada.With("Range", "bytes=2-5").Get(path, "submission_id", sub); r.Status != 206 || !bytes.Equal(r.Body, zip[2:6]) {
			t.Errorf("%d %v", r.Status, r.Header)
		}
		ada.With("Range", "bytes=99999999-").Get(path, "submission_id", sub).Want(t, 416, "range_not_satisfiable")
		// What is not there is a failed job, and the same key tries it again.
		plain := submitPlain(t, ada, "ada/plain", "1.0.0", nil).Str("data.submission_id")
		for attempt := 1; attempt <= 2; attempt++ {
			r := ada.With("Idempotency-Key", "none").Get(path, "submission_id", plain).Want(t, 404, "submission_package_not_available")
			if r.Str("data.transfer_job.status") != "failed" || r.Str("data.transfer_job.failure_reason") != "artifact_missing" || r.Int("data.transfer_job.attempt_count") != attempt {
				t.Errorf("%s", r.Body)
			}
		}
		// A key of a download is none of a submit.
		submit := m{"template_id": "ada/keyed", "prompt": "x", "upload_options": m{"idempotency_key": "one"}}
		if r := ada.Post("/api/templates/submit", submit).OK(t); r.Str("data.transfer_job.job_id") == id {
			t.Errorf("%s", r.Body)
		}
	})
}

func TestLargeDownloadsRunUntilTheirLastByte(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		zip := largePackage(t, "ada/large", 8<<20)
		sub := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/large"}, zip)
		const path = "/api/member/submissions/package/download"
		whole := ada.With("Idempotency-Key", "whole").Get(path, "submission_id", sub).OK(t)
		if whole.Header.Get("X-Stoa-Transfer-Status") != "running" || !bytes.Equal(whole.Body, zip) {
			t.Errorf("%d bytes, %v", len(whole.Body), whole.Header)
		}
		id := whole.Header.Get("X-Stoa-Transfer-Job-Id")
		if job := jobOf(t, ada, id); job["status"] != "done" || job["done_bytes"] != float64(len(zip)) {
			t.Errorf("%v", job)
		}
		// The key is spoken for: what is read again is done already.
		if r := ada.With("Idempotency-Key", "whole").Get(path, "submission_id", sub).OK(t); r.Header.Get("X-Stoa-Transfer-Status") != "done" || r.Header.Get("X-Stoa-Transfer-Job-Id") != id {
			t.Errorf("%v", r.Header)
		}
		for want, part := range map[string][]byte{"bytes=100-300000": zip[100:300001], "bytes=-5": zip[len(zip)-5:], "bytes=0-1,5-6": zip} {
			r := ada.With("Range", want).Get(path, "submission_id", sub)
			if !bytes.Equal(r.Body, part) {
				t.Errorf("%s: %d bytes, %v", want, len(r.Body), r.Header)
			}
			if job := jobOf(t, ada, r.Header.Get("X-Stoa-Transfer-Job-Id")); job["status"] != "done" || job["done_bytes"] != float64(len(part)) {
				t.Errorf("%s: %v", want, job)
			}
		}
		// A client that leaves.
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path+"?submission_id="+sub, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+ada.Token)
		req.Header.Set("Idempotency-Key", "left")
		res, err := (&http.Transport{ReadBufferSize: 4 << 10, DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		left := res.Header.Get("X-Stoa-Transfer-Job-Id")
		if job := jobOf(t, ada, left); job["status"] != "running" || res.Header.Get("X-Stoa-Transfer-Status") != "running" {
			t.Errorf("%v", job)
		}
		_, _ = io.CopyN(io.Discard, res.Body, 1000)
		res.Body.Close()
		job := eventually(t, func() (m, bool) { job := jobOf(t, ada, left); return job, job["status"] != "running" })
		if job["status"] != "failed" || job["failure_reason"] != "interrupted" {
			t.Errorf("%v", job)
		}
		if r := ada.With("Idempotency-Key", "left").Get(path, "submission_id", sub).OK(t); r.Header.Get("X-Stoa-Transfer-Job-Id") != left || !bytes.Equal(r.Body, zip) {
			t.Errorf("%v", r.Header)
		}
		if job := jobOf(t, ada, left); job["status"] != "done" || job["attempt_count"] != 2.0 || job["failure_reason"] != "" {
			t.Errorf("%v", job)
		}
	})
}

// Without a key every download is a job of its own: one that lasts shows while it runs, and one whose client
// leaves has failed, however soon.
func TestDownloadsWithoutAKey(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		zip := largePackage(t, "ada/large", 8<<20)
		sub := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/large"}, zip)
		const path = "/api/member/submissions/package/download"
		seen := map[string]bool{}
		for range 3 {
			r := ada.Get(path, "submission_id", sub).OK(t)
			id := r.Header.Get("X-Stoa-Transfer-Job-Id")
			if job := jobOf(t, ada, id); job["status"] != "done" || job["done_bytes"] != float64(len(zip)) || job["attempt_count"] != 1.0 || seen[id] {
				t.Errorf("%v", job)
			}
			seen[id] = true
		}
		for _, wait := range []bool{true, false} {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path+"?submission_id="+sub, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+ada.Token)
			res, err := (&http.Transport{ReadBufferSize: 4 << 10, DisableKeepAlives: true}).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			id := res.Header.Get("X-Stoa-Transfer-Job-Id")
			if wait {
				if job := eventually(t, func() (m, bool) { job := findJob(t, ada, id); return job, job != nil }); job["status"] != "running" {
					t.Errorf("%v", job)
				}
			}
			_, _ = io.CopyN(io.Discard, res.Body, 1000)
			res.Body.Close()
			job := eventually(t, func() (m, bool) { job := findJob(t, ada, id); return job, job != nil && job["status"] != "running" })
			if job["status"] != "failed" || job["failure_reason"] != "interrupted" {
				t.Errorf("%v", job)
			}
		}
	})
}

// A download is written down as done while its last bytes go out; when its client leaves then, it has failed after all.
func TestDownloadsThatEndTooEarly(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		zip := largePackage(t, "ada/large", 4<<20)
		sub := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/large"}, zip)
		for leaves, want := range map[bool]string{true: "failed", false: "done"} {
			d, err := s.App.GetMemberSubmissionPackage(t.Context(), core.Caller{UserID: "ada", Role: core.Member}, submit.SubmissionInput{SubmissionID: sub}, func(string) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			content := d.Content.(*submit.Followed)
			if _, err := io.CopyN(io.Discard, content, d.Size-submit.EndingBytes); err != nil {
				t.Fatal(err)
			}
			content.Ending()
			if !leaves {
				if n, err := io.Copy(io.Discard, content); err != nil || n != submit.EndingBytes {
					t.Errorf("%d bytes: %v", n, err)
				}
			}
			if err := content.Close(); err != nil {
				t.Error(err)
			}
			if job := jobOf(t, ada, d.Job.JobID); job["status"] != want {
				t.Errorf("left %v: %v", leaves, job)
			}
		}
	})
}

// eventually asks again until it is so: the server notices a client's leaving when it next writes.
func eventually[T any](t *testing.T, ask func() (T, bool)) T {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		v, ok := ask()
		if ok || time.Now().After(deadline) {
			return v
		}
	}
}

// The jobs of a process that has died are failed once nothing has moved for a while.
func TestJobsOfADeadProcess(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		file, err := s.App.BeginUpload(t.Context(), core.Caller{Role: core.Member, UserID: "ada"}, transfer.ProfilePackImport, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(make([]byte, 512<<10)); err != nil {
			t.Fatal(err)
		}
		running := ada.Get("/api/member/transfers", "status", "running", "direction", "upload").OK(t)
		if running.Int("data.count") != 1 || running.Int("data.jobs.0.done_bytes") != 512<<10 || running.Int("data.jobs.0.size_bytes") != 1<<20 {
			t.Fatalf("%s", running.Body)
		}
		// It goes on while bytes come.
		s.Clock.Advance(14 * time.Minute)
		if _, err := file.Write(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(2 * time.Minute)
		sweep := func() string {
			if err := s.App.SweepOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			return s.As(t, "ada").Get("/api/member/transfers").OK(t).Str("data.jobs.0.status")
		}
		if got := sweep(); got != "running" {
			t.Errorf("it is %s", got)
		}
		s.Clock.Advance(14 * time.Minute)
		if got := sweep(); got != "failed" {
			t.Errorf("it is %s", got)
		}
		if r := s.As(t, "ada").Get("/api/member/transfers").OK(t); r.Str("data.jobs.0.failure_reason") != "interrupted" || r.Str("data.jobs.0.finished_at") == "" {
			t.Errorf("%s", r.Body)
		}
		file.Close()
	})
}
