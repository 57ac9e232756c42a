package clientdoc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"stoa/internal/platform/clientdoc"
)

// A stranger's address makes the server ask nobody at home, whatever it is called.
func TestNothingPrivateIsAsked(t *testing.T) {
	asked := 0
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	f := clientdoc.New(s.Client().Transport.(*http.Transport), nil)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f000001"} {
		if c, err := f.Fetch(t.Context(), "https://"+host+port+"/client"); err == nil {
			t.Errorf("%s: %+v", host, c)
		}
	}
	if asked != 0 {
		t.Errorf("it was asked %d times", asked)
	}
}

func TestDocuments(t *testing.T) {
	redirected := false
	mux := http.NewServeMux()
	s := httptest.NewTLSServer(mux)
	defer s.Close()
	doc := func(id, redirect string) string {
		return fmt.Sprintf(`{"client_id":%q,"client_name":"x","redirect_uris":[%q]}`, id, redirect)
	}
	serve := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	}
	serve("/good", doc(s.URL+"/good", "http://127.0.0.1:1/callback"))
	serve("/other", doc(s.URL+"/good", "http://127.0.0.1:1/callback"))
	serve("/script", doc(s.URL+"/script", "javascript:alert(1)"))
	serve("/plain", doc(s.URL+"/plain", "http://example.org/callback"))
	serve("/none", `{"client_id":"`+s.URL+`/none"}`)
	serve("/large", doc(s.URL+"/large", "https://example.org/"+strings.Repeat("x", 6000)))
	serve("/text", "hello")
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/target", http.StatusFound) })
	mux.HandleFunc("/target", func(http.ResponseWriter, *http.Request) { redirected = true })
	f := clientdoc.New(s.Client().Transport.(*http.Transport), func(netip.AddrPort) bool { return true })
	c, err := f.Fetch(t.Context(), s.URL+"/good")
	if err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]bool{
		"http://127.0.0.1:1/callback": true, "http://127.0.0.1:9999/callback": true, "http://127.0.0.1:9999/other": false, "https://127.0.0.1:1/callback": false,
		"http://127.0.0.1.evil.example/callback": false, "http://127.0.0.1:1/callback?x=1": false, "http://user@127.0.0.1:1/callback": false, "": false,
	} {
		if c.Returns(uri) != want {
			t.Errorf("%q: %t", uri, !want)
		}
	}
	for _, path := range []string{"/other", "/script", "/plain", "/none", "/large", "/text", "/moved", "/missing", "/", "", "/good#x"} {
		if c, err := f.Fetch(t.Context(), s.URL+path); err == nil {
			t.Errorf("%s: %+v", path, c)
		}
	}
	if c, err := f.Fetch(t.Context(), strings.Replace(s.URL, "https", "http", 1)+"/good"); err == nil || redirected {
		t.Errorf("%+v", c)
	}
}

// An id is read back as what was registered, and no id of anybody's making says more than a registration may.
func TestRegistrations(t *testing.T) {
	c, err := clientdoc.Register([]byte(`{"client_name":"An assistant","redirect_uris":["https://evil.example/","http://localhost:5/callback"],"grant_types":["refresh_token","password"]}`))
	if err != nil || len(c.RedirectURIs) != 1 || len(c.GrantTypes) != 1 || !clientdoc.IsRegistered(c.ID) {
		t.Fatalf("%+v %v", c, err)
	}
	back, ok := clientdoc.Registered(c.ID)
	if !ok || back.Name != c.Name || !back.Returns("http://localhost:99/callback") || back.Returns("http://localhost:99/other") || back.Returns("https://evil.example/") {
		t.Errorf("%+v %t", back, ok)
	}
	for n := range c.ID {
		for _, with := range []byte("A=.") {
			bent := c.ID[:n] + string(with) + c.ID[n+1:]
			got, ok := clientdoc.Registered(bent)
			if !ok {
				continue
			}
			if got.ID != bent || got.Returns("https://evil.example/") {
				t.Errorf("%q: %+v", bent, got)
			}
			for _, uri := range got.RedirectURIs {
				if !strings.HasPrefix(uri, "http://localhost") {
					t.Errorf("%q is answered at %s", bent, uri)
				}
			}
		}
	}
}
