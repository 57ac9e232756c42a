package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/archive"
	"stoa/internal/market/archive/hostile"
)

// exactPackage is a template's zip of exactly so many bytes.
func exactPackage(t testing.TB, id string, size int) []byte {
	t.Helper()
	files := map[string]string{}
	build := func() []byte {
		return apitest.StoredTemplatePackage(t, id, "1.0.0", "You carry a lot.", files)
	}
	line := "The river goes its quiet way, and nobody asks where to.\n"
	for i := range 5 {
		files[fmt.Sprintf("notes/%d.txt", i)] = ""
	}
	left := size - len(build())
	for i := range 5 {
		n := left / (5 - i)
		files[fmt.Sprintf("notes/%d.txt", i)] = strings.Repeat(line, n/len(line)+1)[:n]
		left -= n
	}
	zip := build()
	if len(zip) != size {
		t.Fatalf("%d bytes, want %d", len(zip), size)
	}
	return zip
}

// uploadBody is a submit of a zip, its base64 in the middle.
func uploadBody(id string, zip []byte) []byte {
	return fmt.Appendf(nil, `{"template_id":%q,"package_base64":"%s","package_name":"p.zip"}`, id, apitest.Base64(zip))
}

// raw sends a request over a plain connection: its head at once, then as much of the body as is given.
func raw(t *testing.T, s *apitest.Server, token string, length int, body []byte) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "POST /api/templates/submit HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", token, length)
	if _, err := conn.Write(body); err != nil {
		t.Errorf("the connection was cut while the body was on its way: %v", err)
	}
	return conn
}

func answerOn(t *testing.T, conn net.Conn) *apitest.Reply {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := apitest.NewReply("POST", res)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHeavyHowLargeAnUploadMayBe(t *testing.T) {
	heavy(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	whole := exactPackage(t, "ada/whole", submit.MaxPackageBytes)
	r := ada.Do("POST", "/api/templates/submit", uploadBody("ada/whole", whole)).OK(t)
	if r.Int("data.transfer_job.done_bytes") != submit.MaxPackageBytes || r.Int("data.package_artifact.size_bytes") != submit.MaxPackageBytes {
		t.Errorf("%.2000s", r.Body)
	}
	over := uploadBody("ada/whole", append(whole, 0))
	refused := ada.Do("POST", "/api/templates/submit", over).Want(t, 413, "package_too_large")
	if refused.Int("data.max_size_bytes") != submit.MaxPackageBytes || refused.Str("data.transfer_job.status") != "failed" || refused.Str("data.transfer_job.failure_reason") != "payload_too_large" {
		t.Errorf("%s", refused.Body)
	}
	answerOn(t, raw(t, s, ada.Token, len(over), over)).Want(t, 413, "package_too_large") // writes everything, then reads
	forty := append(over, bytes.Repeat([]byte(" "), 40<<20-len(over))...)
	answerOn(t, raw(t, s, ada.Token, len(forty), forty)).Want(t, 413, "package_too_large")
	answerOn(t, raw(t, s, ada.Token, len(forty), forty[:1000])).Want(t, 413, "package_too_large") // before most of it was sent
	answerOn(t, raw(t, s, "", len(over), nil)).Want(t, 401, "unauthorized")
	answerOn(t, raw(t, s, ada.Token, 2<<20, append([]byte(`{"package_base64":"AAAA","title":"`), bytes.Repeat([]byte("x"), 2<<20-34)...))).Want(t, 413, "request_body_too_large")
	// Sent in chunks, without a length.
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/templates/submit", io.MultiReader(bytes.NewReader(over), strings.NewReader(" ")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ada.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := apitest.NewReply("POST", res); err != nil || r.Status != 413 || r.Code() != "package_too_large" {
		t.Errorf("%v %v", r, err)
	}
	// Blanks without end inside the file's text.
	blanks := []byte(`{"template_id":"x","package_name":"p","package_base64":"` + strings.Repeat(" ", 34<<20) + `"}`)
	req.Body, req.ContentLength = io.NopCloser(io.MultiReader(bytes.NewReader(blanks))), -1
	if res, err = http.DefaultClient.Do(req.Clone(t.Context())); err != nil {
		t.Fatal(err)
	}
	if r, err := apitest.NewReply("POST", res); err != nil || r.Status != 413 {
		t.Errorf("%v %v", r, err)
	}
	if n := s.Count(t, "submission WHERE user_id = 'ada'"); n != 1 {
		t.Errorf("%d submissions", n)
	}
	nothingTemporary(t, s)
}

func nothingTemporary(t *testing.T, s *apitest.Server) {
	t.Helper()
	left := eventually(t, func() ([]os.DirEntry, bool) {
		left, err := os.ReadDir(filepath.Join(s.BlobDir, "tmp"))
		return left, err == nil && len(left) == 0
	})
	if len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// filesOf lists what is in the blob folder.
func filesOf(t *testing.T, s *apitest.Server) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.BlobDir, "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

func TestAClientThatLeavesInTheMiddle(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		before, files := s.Rows(t, "submission", "import_draft", "idempotency"), filesOf(t, s)
		body := uploadBody("ada/left", exactPackage(t, "ada/left", 2<<20))
		for i, sent := range []int{4 << 10, 300 << 10, 1 << 20, len(body) - 50} {
			conn := raw(t, s, ada.Token, len(body), body[:sent])
			conn.Close()
			n := eventually(t, func() (int, bool) {
				n := s.Count(t, "transfer_job WHERE status = 'failed' AND failure_reason = 'interrupted'")
				return n, n == i+1
			})
			if n != i+1 {
				t.Errorf("after %d bytes: %s", sent, s.Rows(t, "transfer_job"))
			}
		}
		if s.Count(t, "transfer_job WHERE status <> 'failed'") != 0 || s.Rows(t, "submission", "import_draft", "idempotency") != before || filesOf(t, s) != files {
			t.Error("an upload that was broken off has left something")
		}
		nothingTemporary(t, s)
		// Who leaves before any of the file was sent has not begun.
		raw(t, s, ada.Token, len(body), body[:10]).Close()
		ada.Post("/api/templates/submit", m{"template_id": "ada/left", "prompt": "x"}).OK(t)
		if n := s.Count(t, "transfer_job WHERE status = 'failed'"); n != 4 {
			t.Errorf("%d failed jobs", n)
		}
	})
}

// Eight at once, each as large as can be: what they hold on the heap does not grow with what they send.
func TestHeavyMemoryOfUploads(t *testing.T) {
	heavy(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	const many = 8
	body := uploadBody("ada/heavy", exactPackage(t, "ada/heavy", submit.MaxPackageBytes))
	ada.Do("POST", "/api/templates/submit", uploadBody("ada/light", exactPackage(t, "ada/light", 2<<20))).OK(t) // what is made once is made
	// What the last collection marked: a busy machine allocates a good deal between a collection and a look.
	live := func() int64 {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	before := live()
	var most, running atomic.Int64
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			runtime.GC()
			if running.Load() > 0 {
				most.Store(max(most.Load(), live()-before))
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	var wait sync.WaitGroup
	for range many {
		wait.Go(func() {
			running.Add(1)
			defer running.Add(-1)
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/templates/submit", bytes.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+ada.Token)
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if res.StatusCode != 200 {
				text, _ := io.ReadAll(res.Body)
				t.Errorf("%d %.300s", res.StatusCode, text)
			}
		})
	}
	wait.Wait()
	close(done)
	watch.Wait()
	t.Logf("%.1f MiB on the heap for each of %d uploads", float64(most.Load())/many/(1<<20), many)
	if most.Load() > many*8<<20 {
		t.Errorf("%d MiB on the heap for %d uploads", most.Load()>>20, many)
	}
}

// Every trick that a zip can play is refused by both routes, with its reason, and leaves nothing.
func TestHeavyHostileArchives(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		before, files := s.Rows(t, "submission", "import_draft", "idempotency", "item"), filesOf(t, s)
		seen := map[archive.Reason]bool{}
		for _, c := range hostile.Small() {
			if s.Engine.Name != "sqlite" && seen[c.Reason] {
				continue // what is refused does not reach the engine: of every reason one will do
			}
			seen[c.Reason] = true
			for _, route := range []struct {
				path, code string
				body       m
			}{
				{"/api/templates/submit", "invalid_package_payload", m{"template_id": "ada/x", "package_name": "p.zip", "package_base64": apitest.Base64(c.Bytes), "upload_options": m{"idempotency_key": "k"}}},
				{"/api/member/profile-pack/imports", "invalid_profile_pack_payload", m{"filename": "p.zip", "content_base64": apitest.Base64(c.Bytes), "idempotency_key": "k2"}},
			} {
				r := ada.Post(route.path, route.body)
				if len(c.Bytes) == 0 { // that is no file at all
					if r.Status != 400 {
						t.Errorf("%s: %d %s", route.path, r.Status, r.Body)
					}
					continue
				}
				// An import looks only at what could be a setup, and a template package takes no binary file whatever is in it.
				reason := r.Str("data.reason")
				known := reason == string(c.Reason) || reason == "unknown_setup" && route.code == "invalid_profile_pack_payload" || reason == "binary_file" && c.When == "read"
				if r.Status != 400 || r.Code() != route.code || !known {
					t.Errorf("%s: %s: %d %.600s, want the reason %s", route.path, c.Name, r.Status, r.Body, c.Reason)
				}
				if text := string(r.Body); strings.Contains(text, s.Data) || strings.Contains(text, "/tmp") || strings.Contains(text, ".go:") {
					t.Errorf("%s: %s: shows the server's inside: %s", route.path, c.Name, text)
				}
			}
		}
		if after := s.Rows(t, "submission", "import_draft", "idempotency", "item"); after != before || filesOf(t, s) != files {
			t.Errorf("a refused archive has left something: %s", firstDifference(before, after))
		}
		if n := s.Count(t, "transfer_job"); n != 2 {
			t.Errorf("%d jobs for two keys", n)
		}
		nothingTemporary(t, s)
	})
}

// What is no file at all.
func TestFilesThatAreNone(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for _, text := range []string{"a\x00b", "====", "AAA", "é", "AA==AA==", "data:application/zip;base64,AAAA"} {
			ada.Post("/api/templates/submit", m{"template_id": "x", "package_name": "p.zip", "package_base64": text}).Want(t, 400, "invalid_package_payload")
			ada.Post("/api/member/profile-pack/imports", m{"filename": "p.zip", "content_base64": text}).Want(t, 400, "invalid_profile_pack_payload")
		}
		for _, text := range []string{"AAAA", apitest.Base64([]byte("some text")), apitest.Base64([]byte("PK\x03\x04"))} {
			ada.Post("/api/templates/submit", m{"template_id": "x", "package_name": "p.zip", "package_base64": text}).Want(t, 400, "invalid_package_payload")
			ada.Post("/api/member/profile-pack/imports", m{"filename": "p.zip", "content_base64": text}).Want(t, 400, "invalid_profile_pack_payload")
		}
		ada.Post("/api/templates/submit", m{"template_id": "x", "package_name": "p.zip"}).Want(t, 400, "invalid_package_payload")
		ada.Post("/api/templates/submit", m{"prompt": "x"}).Want(t, 400, "template_id_required")
		ada.Post("/api/member/profile-pack/imports", m{"filename": "p.zip"}).Want(t, 400, "profile_pack_payload_required")
		ada.Post("/api/member/profile-pack/imports", m{"content_base64": "AAAA"}).Want(t, 400, "profile_pack_payload_required")
		// With a file on its way, a field that does not fit fails the transfer.
		r := ada.Post("/api/member/profile-pack/imports", m{"filename": "a\nb", "content_base64": "AAAA"}).Want(t, 422, "invalid_request")
		if r.Str("data.transfer_job.failure_reason") != "validation_failed" {
			t.Errorf("%s", r.Body)
		}
	})
}
