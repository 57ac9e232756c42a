package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// FuzzRequests sends whatever it likes: the answer is never the server's fault and always fits the
// contract.
func FuzzRequests(f *testing.F) {
	for _, op := range apitest.Operations() {
		values := input(op)
		query := strings.TrimPrefix(apitest.Query(pairs(values)...), "?")
		f.Add(op.Method, op.Path, query, mustJSON(values), "application/json", "en", "id-1")
		f.Add("POST", op.Path+"/", "limit=0&cursor=AAAA&%ff=%00", []byte(`{"limit":-1,"user_id":["bob"]}`), "text/plain; charset=x", "zh-CN,zh;q=0.9", "a b")
	}
	f.Add("GET", "/api/templates", "query=%E7%BF%BB%E8%AF%91&facets=yes&featured=on&sort_by=installs&sort_order=asc&limit=2&cursor=Rw", []byte(nil), "", "ja", "")
	f.Add("GET", "/api/templates/package/download", "template_id="+translator, []byte(nil), "", "bytes=5-2", "\x00")
	f.Add("BREW", "//..//api/./x", "%", []byte("\xff\x00"), ";;=", "\x00", strings.Repeat("x", 129))
	s := apitest.Start(f, apitest.Engine{Name: "sqlite"}, apitest.Options{SignupOpen: true})
	ada := s.As(f, "ada")
	f.Fuzz(func(t *testing.T, method, path, query string, body []byte, contentType, language, id string) {
		req := &http.Request{
			Method: method, URL: &url.URL{Path: path, RawQuery: query}, Host: "localhost", RemoteAddr: "192.0.2.1:7", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header:        http.Header{"Content-Type": {contentType}, "Accept-Language": {language}, "Range": {language}, "User-Agent": {language}, "X-Request-Id": {id}},
			ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		}
		if path != "/api/logout" {
			req.Header.Set("Authorization", "Bearer "+ada.Token)
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, req.WithContext(t.Context()))
		r, err := apitest.NewReply(method, w.Result())
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range apitest.Check(method, path, r) {
			t.Errorf("%q %q?%q %q: %s\n%d %.1000s\n%s", method, path, query, body, problem, w.Code, w.Body, s.Log())
		}
	})
}
