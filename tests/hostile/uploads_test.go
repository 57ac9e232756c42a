package hostile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi"
)

func init() {
	add("M3", "uploads that dribble do not hold the connections", apitest.Options{HTTP: func(c *httpapi.Config) { c.UploadWindow = 500 * time.Millisecond }}, dribbledUploads)
	add("M3", "bodies of strangers that dribble do not hold the connections", apitest.Options{}, dribbledBodies)
	alone("L1", "what is stored is the server's user's alone", apitest.Options{Empty: true}, privateFiles)
	alone("L4", "downloads are named by the server", apitest.Options{}, namedDownloads)
	add("L9", "what is sent in place of an id does not stay in the audit log", apitest.Options{}, noSecretInLog)
	add("L10", "names that differ in case alone are refused", apitest.Options{}, twoPrompts)
}

func dribbledUploads(t *testing.T, s *apitest.Server) {
	const places = 40
	f := face(t, s, places)
	token := s.As(t, "ada").Token
	var all []net.Conn
	for i := range some(2*places, 50*places) {
		all = append(all, f.post(t, fmt.Sprintf("127.0.0.%d", 2+i%4), "/api/templates/submit", token))
		if i%20 == 0 {
			f.healthy(t)
		}
	}
	f.healthy(t)
	// Those that were taken end by themselves: nothing came within their window.
	ended, refused := 0, 0
	for _, c := range all {
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		switch {
		case err == nil && r.StatusCode == http.StatusTooManyRequests:
			refused++
		case err == nil && r.StatusCode < 400:
			t.Errorf("a dribbled upload was answered %d", r.StatusCode)
		default:
			ended++
		}
	}
	t.Logf("%d uploads: %d refused, %d ended (%+v)", len(all), refused, ended, f.Connections())
	if ended == 0 {
		t.Error("no dribbled upload was ended")
	}
	r := s.As(t, "ada").Post("/api/templates/submit", m{"template_id": "ada/letters", "prompt": "You write letters."})
	r.OK(t)
}

func dribbledBodies(t *testing.T, s *apitest.Server) {
	const places = 40
	f := face(t, s, places)
	for i := range some(3*places, 50*places) {
		f.post(t, fmt.Sprintf("127.0.0.%d", 20+i%20), "/api/login", "")
		if i%10 == 0 {
			f.healthy(t)
		}
	}
	f.healthy(t)
	if n := f.Connections(); n.Open > places || n.Shed == 0 {
		t.Errorf("%+v", n)
	}
}

func privateFiles(t *testing.T, s *apitest.Server) {
	s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
	if s.Engine.Name != "sqlite" {
		return // the database is another machine's
	}
	seen := 0
	err := filepath.WalkDir(s.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == s.Data {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %s", path, info.Mode())
		}
		seen++
		return err
	})
	if err != nil || seen < 3 {
		t.Fatal(seen, err)
	}
}

func namedDownloads(t *testing.T, s *apitest.Server) {
	ada := s.As(t, "ada")
	for i, name := range []string{"x.html", "x.exe", "../../x.zip", "a\u202epiz.exe", "con.bat", strings.Repeat("x", 150) + ".zip", ".ssh", "a\"; filename=\"b.exe"} {
		id := fmt.Sprintf("ada/letters-%d", i)
		zip := apitest.TemplatePackage(t, id, "1.0.0", "You write letters.", nil)
		submitted := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: id, PackageName: name}, zip)
		s.Approve(t, submitted)
		want := fmt.Sprintf(`attachment; filename="ada__letters-%d-1.0.0.zip"; filename*=UTF-8''ada__letters-%d-1.0.0.zip`, i, i)
		for _, r := range []*apitest.Reply{
			ada.Get("/api/templates/package/download", "template_id", id).OK(t), ada.Get("/api/member/submissions/package/download", "submission_id", submitted).OK(t),
		} {
			if got := r.Header.Get("Content-Disposition"); got != want {
				t.Errorf("%q is downloaded as %s", name, got)
			}
			if r.Header.Get("Content-Type") != "application/zip" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%q: %v", name, r.Header)
			}
		}
	}
}

func noSecretInLog(t *testing.T, s *apitest.Server) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	ada := s.As(t, "ada")
	for _, id := range []string{secret, "ada/" + secret, "sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e"} {
		r := ada.Post("/api/templates/submit", m{"template_id": id, "package_name": "p.zip", "package_base64": "AAAA"})
		if r.Status < 400 {
			t.Errorf("%s: %d", id, r.Status)
		}
		if log := s.Rows(t, "audit_event"); strings.Contains(log, id) || strings.Contains(log, secret) {
			t.Errorf("the audit log has %s", id)
		}
		if strings.Contains(s.Log(), id) {
			t.Errorf("the log has %s", id)
		}
	}
}

func twoPrompts(t *testing.T, s *apitest.Server) {
	ada := s.As(t, "ada")
	for i, bundle := range []string{
		`{"template_id":"ada/x","version":"1.0.0","prompt":"You help.","Prompt":"You harm."}`,
		`{"template_id":"ada/x","version":"1.0.0","prompt":"You help.","locales":{"en-US":{"title":"a","Title":"b"}}}`,
		`{"template_id":"ada/x","version":"1.0.0","prompt":"You help.","verſion":"2.0.0"}`,
	} {
		if !json.Valid([]byte(bundle)) {
			t.Fatal(bundle)
		}
		zip := apitest.Zip(t, map[string]string{"bundle.json": bundle})
		r := ada.Post("/api/templates/submit", m{"template_id": "ada/x", "package_name": "p.zip", "package_base64": apitest.Base64(zip)})
		if r.Status != 400 || r.Code() != "invalid_package_payload" || !strings.Contains(string(r.Body), "in upper and in lower case") {
			t.Errorf("%d: %d %.300s", i, r.Status, r.Body)
		}
	}
}
