package client_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/apitest"
)

const password = "correct horse battery"

// signedIn is a member's client of a real server.
func signedIn(t *testing.T, s *apitest.Server, user string) *client.Client {
	t.Helper()
	if err := s.App.AddMember(t.Context(), user, password); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(s.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := c.Login(t.Context(), user, password)
	if err != nil || session.UserID != user || session.Token == "" {
		t.Fatal(session, err)
	}
	return c.WithToken(session.Token)
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.zip")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTemplateThereAndBack(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{Empty: true})
	c := signedIn(t, s, "ada")
	zip := apitest.TemplatePackage(t, "ada/letters", "1.0.0", "You write letters.", nil)
	file := client.FileAt(write(t, zip))
	var told int64
	file.Progress = func(n int64) { told = n }
	in := client.Template{TemplateID: "ada/letters", Version: "1.0.0", Options: client.UploadOptions{IdempotencyKey: "k1"}}
	first, err := c.SubmitTemplate(t.Context(), in, file)
	if err != nil || first.Status != "pending" || first.ItemID() != "ada/letters" || told != int64(len(zip)) {
		t.Fatal(first, told, err)
	}
	again, err := c.SubmitTemplate(t.Context(), in, file)
	if err != nil || !again.IdempotentReplay || again.SubmissionID != first.SubmissionID {
		t.Fatal(again, err)
	}
	in.Version = "2.0.0"
	if _, err = c.SubmitTemplate(t.Context(), in, file); client.CodeOf(err) != "idempotency_key_conflict" {
		t.Error(err)
	}
	got, err := c.DownloadTemplateSubmission(t.Context(), first.SubmissionID, client.Download{Path: filepath.Join(t.TempDir(), "x.zip"), Key: "d1"})
	if err != nil || got.TransferJobID == "" || !same(t, got.Path, zip) {
		t.Fatal(got, err)
	}
	if _, err := s.App.Approve(t.Context(), first.SubmissionID, "", false); err != nil {
		t.Fatal(err)
	}
	item, err := c.Template(t.Context(), "ada/letters")
	if err != nil || item.Digest("1.0.0") != got.SHA256 || item.Digest("9") != "" {
		t.Fatal(item, err)
	}
	dir := t.TempDir()
	got, err = c.DownloadTemplate(t.Context(), "ada/letters", "", client.Download{Path: dir + "/y.zip", SHA256: item.Digest("1.0.0")})
	if err != nil || !same(t, got.Path, zip) || got.Filename == "" {
		t.Fatal(got, err)
	}
	_, err = c.DownloadTemplate(t.Context(), "ada/letters", "", client.Download{Path: dir + "/z.zip", SHA256: strings.Repeat("0", 64)})
	if !errors.Is(err, client.ErrDigest) {
		t.Error(err)
	}
	if _, err := c.DownloadTemplate(t.Context(), "ada/letters", "", client.Download{Path: dir + "/z.zip", Limit: 10}); err == nil {
		t.Error("more than the limit was taken")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
	page, err := c.TemplateSubmissions(t.Context(), client.SubmissionFilter{Status: "approved", Limit: 5})
	if err != nil || len(page.Submissions) != 1 || page.Submissions[0].Kind != "template" {
		t.Error(page, err)
	}
	done, err := c.Install(t.Context(), "ada/letters", nil, false)
	if err != nil || done.Status != "installed" {
		t.Error(done, err)
	}
	if err := c.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.TemplateSubmissions(t.Context(), client.SubmissionFilter{}); client.CodeOf(err) != "unauthorized" {
		t.Error(err)
	}
}

func TestPackThereAndBack(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{Empty: true})
	c := signedIn(t, s, "ada")
	text := `{"provider_settings":{"default_personality":"default"},"persona":[{"name":"gardener","prompt":"You garden."}]}`
	path := write(t, []byte(text))
	file := client.FileAt(path)
	file.Name = "cmd_config.json"
	draft, err := c.ImportProfilePack(t.Context(), file, "i1")
	if err != nil || draft.ArtifactID == "" || len(draft.Sections) == 0 {
		t.Fatal(draft, err)
	}
	sub, err := c.SubmitProfilePack(t.Context(), client.Pack{
		ArtifactID: draft.ArtifactID, PackID: "ada/garden", Version: "1.0.0", Texts: client.Texts{Title: "Garden"},
		Options: client.SubmitOptions{UploadOptions: client.UploadOptions{IdempotencyKey: "s1"}, SelectedSections: []string{"personas"}},
	})
	if err != nil || sub.ItemID() != "ada/garden" {
		t.Fatal(sub, err)
	}
	if _, err := s.App.Approve(t.Context(), sub.SubmissionID, "", false); err != nil {
		t.Fatal(err)
	}
	item, err := c.ProfilePack(t.Context(), "ada/garden")
	if err != nil || item.ID() != "ada/garden" {
		t.Fatal(item, err)
	}
	dir := t.TempDir()
	got, err := c.DownloadProfilePack(t.Context(), "ada/garden", "1.0.0", client.Download{Path: dir + "/p.zip", SHA256: item.Digest("1.0.0")})
	if err != nil || got.SizeBytes != item.SizeBytes {
		t.Error(got, err)
	}
	if _, err := c.DownloadPackSubmission(t.Context(), sub.SubmissionID, client.Download{Path: dir + "/e.zip"}); err != nil {
		t.Error(err)
	}
	diff, err := contract.New(c).CompareProfilePackCatalog(t.Context(), contract.CompareProfilePackCatalogParams{PackID: "ada/garden"})
	if err != nil || diff.Before.Kind != "none" || len(diff.ChangedSections) != 1 {
		t.Error(diff, err)
	}
	if err := c.SetRecipient(t.Context(), "nonsense"); client.CodeOf(err) != "invalid_request" {
		t.Error(err)
	}
	var refused *client.Error
	if _, err = c.ProfilePack(t.Context(), "no/where"); !errors.As(err, &refused) || refused.Status != 404 || refused.RequestID == "" {
		t.Error(err)
	}
	if _, err := c.WithdrawPackSubmission(t.Context(), sub.SubmissionID); client.CodeOf(err) != "profile_pack_submission_state_invalid" {
		t.Error(err)
	}
}

// A package that is too large is refused with the server's word for it, before all of it was sent.
func TestTooLarge(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{Empty: true})
	c := signedIn(t, s, "ada")
	file := &client.File{Name: "x.zip", Size: 40 << 20, Open: func() (io.ReadCloser, error) { return io.NopCloser(zeros(40 << 20)), nil }}
	if _, err := c.ImportProfilePack(t.Context(), file, "k"); client.CodeOf(err) != "package_too_large" {
		t.Error(err)
	}
}

func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func same(t *testing.T, path string, want []byte) bool {
	t.Helper()
	got, err := os.ReadFile(path)
	return err == nil && bytes.Equal(got, want)
}

// fake answers as a server does, with a failing handler before.
func fake(t *testing.T, o client.Options, handler http.HandlerFunc) (*client.Client, *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	pauses := &[]time.Duration{}
	o.Wait = func(_ context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return nil
	}
	c, err := client.New(server.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, pauses
}

func fails(w http.ResponseWriter, status int, header ...string) {
	for i := 0; i < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"ok":false,"error":{"code":"c`+strconv.Itoa(status)+`","message":"No.","details":[{"field":"f","problem":"p"}]}}`)
}

func TestRetries(t *testing.T) {
	for _, tc := range []struct {
		name     string
		status   int
		header   []string
		key      string
		get      bool
		attempts int32
	}{
		{"a read on 503", 503, nil, "", true, 5},
		{"a keyed write on 500", 500, nil, "k", false, 5},
		{"a write without a key", 503, nil, "", false, 1},
		{"a keyed write on 429", 429, []string{"Retry-After", "7"}, "k", false, 5},
		{"a read that is to wait too long", 429, []string{"Retry-After", "3600"}, "", true, 1},
		{"a refusal", 422, nil, "k", false, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var n atomic.Int32
			c, pauses := fake(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
				n.Add(1)
				if r.Header.Get("Idempotency-Key") != tc.key {
					t.Errorf("key %q", r.Header.Get("Idempotency-Key"))
				}
				fails(w, tc.status, tc.header...)
			})
			var err error
			if tc.get {
				_, err = c.Template(t.Context(), "x")
			} else {
				_, err = c.SubmitTemplate(t.Context(), client.Template{TemplateID: "x", Options: client.UploadOptions{IdempotencyKey: tc.key}}, nil)
			}
			var refused *client.Error
			if !errors.As(err, &refused) || refused.Code != "c"+strconv.Itoa(tc.status) || len(refused.Details) != 1 || n.Load() != tc.attempts {
				t.Fatalf("%d attempts, %v", n.Load(), err)
			}
			for i, p := range *pauses {
				if tc.status == 429 && p < 7*time.Second || p < 100*time.Millisecond || p > 8*time.Second {
					t.Errorf("pause %d is %v", i, p)
				}
			}
		})
	}
}

// An upload that was cut off is sent again from its beginning, and only the bytes of the file go.
func TestUploadAgain(t *testing.T) {
	want := bytes.Repeat([]byte("zip!?"), 100_001)
	var n atomic.Int32
	c, _ := fake(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) < 3 {
			_, _ = io.CopyN(io.Discard, r.Body, 1000)
			panic(http.ErrAbortHandler)
		}
		var body struct {
			TemplateID string `json:"template_id"`
			Name       string `json:"package_name"`
			File       string `json:"package_base64"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.TemplateID != "x" || body.Name != "package.zip" {
			t.Error(err, body.TemplateID, body.Name)
		}
		if got, err := base64.StdEncoding.DecodeString(body.File); err != nil || !bytes.Equal(got, want) {
			t.Error("other bytes arrived", err)
		}
		_, _ = io.WriteString(w, `{"ok":true,"data":{"submission_id":"s"}}`)
	})
	out, err := c.SubmitTemplate(t.Context(), client.Template{TemplateID: "x", Options: client.UploadOptions{IdempotencyKey: "k"}}, client.FileAt(write(t, want)))
	if err != nil || out.SubmissionID != "s" || n.Load() != 3 {
		t.Fatal(out, n.Load(), err)
	}
}

func TestFileThatChanges(t *testing.T) {
	c, _ := fake(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fails(w, 500)
	})
	for _, size := range []int64{1 << 10, 3 << 20} {
		file := &client.File{Name: "x", Size: 2 << 20, Open: func() (io.ReadCloser, error) { return io.NopCloser(zeros(size)), nil }}
		if _, err := c.ImportProfilePack(t.Context(), file, "k"); err == nil || !strings.Contains(err.Error(), "changed its size") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A download that was cut off is taken again, and a server that lies about its bytes is found out.
func TestDownloadAgain(t *testing.T) {
	var n atomic.Int32
	c, _ := fake(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../../x.zip"`)
		w.Header().Set("Content-Length", "10")
		if n.Add(1) == 1 {
			_, _ = io.WriteString(w, "01234")
			return
		}
		_, _ = io.WriteString(w, "0123456789")
	})
	dir := t.TempDir()
	got, err := c.DownloadTemplate(t.Context(), "x", "", client.Download{Path: dir + "/x"})
	if err != nil || got.SizeBytes != 10 || got.Filename != "x.zip" || !same(t, dir+"/x", []byte("0123456789")) {
		t.Fatal(got, err)
	}
	liar, _ := fake(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"`+strings.Repeat("ab", 32)+`"`)
		_, _ = io.WriteString(w, "0123456789")
	})
	if _, err := liar.DownloadTemplate(t.Context(), "x", "", client.Download{Path: dir + "/y"}); !errors.Is(err, client.ErrDigest) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
}

// The token goes to no other host, and what is no Stoa server is said to be none.
func TestStrangers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	c, _ := fake(t, client.Options{Token: "secret"}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := c.Template(t.Context(), "x"); err == nil {
		t.Error("a redirect to another host was followed")
	}
	page, _ := fake(t, client.Options{Retries: -1}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
	if _, err := page.Template(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "not as a Stoa server") {
		t.Error(err)
	}
	gone, err := client.New("127.0.0.1:1", client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Template(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error(err)
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"stoa.example": "https://stoa.example", "localhost:8106": "http://localhost:8106", "HTTP://Stoa.Example/base/": "http://stoa.example/base",
		"127.0.0.1:8106/": "http://127.0.0.1:8106", "[::1]:8106": "http://[::1]:8106", "127.9.9.9": "http://127.9.9.9", "LOCALHOST": "http://localhost",
		"127.evil.example": "https://127.evil.example", "127.0.0.1.evil.example:8106": "https://127.0.0.1.evil.example:8106", "localhost.evil.example": "https://localhost.evil.example",
		"localhost@evil.example": "", "evil.example/localhost": "https://evil.example/localhost", "127.0.0.1%2eevil.example": "", "10.0.0.1": "https://10.0.0.1", "ftp://x": "", "": "", "http://": "", "https://a:b@x": "", "https://x?y": "",
	} {
		if got, err := client.Address(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
}

// Sending and receiving cost no memory that grows with the file.
func TestMemoryIsBounded(t *testing.T) {
	const size = 64 << 20
	c, _ := fake(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"ok":true,"data":{}}`)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file := &client.File{Name: "x", Size: size, Open: func() (io.ReadCloser, error) { return io.NopCloser(zeros(size)), nil }}
	if _, err := c.ImportProfilePack(t.Context(), file, "k"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d MiB were allocated to send %d", grown>>20, size>>20)
	}
}
