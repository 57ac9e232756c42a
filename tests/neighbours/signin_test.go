package neighbours

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// browser is what a client opens addresses with: a browser in which a member is signed in, and allows what is asked.
func (r *run) browser(user string) {
	opened := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		back, err := r.consent(user, req.FormValue("address"))
		if err == nil {
			var res *http.Response
			if res, err = http.Get(back); err == nil {
				res.Body.Close()
			}
		}
		if err != nil {
			r.t.Errorf("signing in: %v", err)
		}
	}))
	r.t.Cleanup(opened.Close)
	dir := r.t.TempDir()
	for _, name := range []string{"browser", "xdg-open"} {
		script := "#!/bin/sh\nexec curl -s --get --data-urlencode \"address=$1\" " + opened.URL + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
	r.env = append(r.env, "BROWSER="+filepath.Join(dir, "browser"), "PATH="+dir+":"+r.bin+":"+os.Getenv("PATH"))
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// consent opens the page that an assistant asks for and presses "allow"; it answers where the browser is sent.
func (r *run) consent(user, address string) (string, error) {
	session := r.s.As(r.t, user).Token
	do := func(method, address string, form url.Values) (*http.Response, string, error) {
		req, err := http.NewRequestWithContext(r.t.Context(), method, address, strings.NewReader(form.Encode()))
		if err != nil {
			return nil, "", err
		}
		req.Header.Set("Cookie", "stoa_session="+session)
		if method == http.MethodPost {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return nil, "", err
		}
		defer res.Body.Close()
		page, err := io.ReadAll(res.Body)
		return res, string(page), err
	}
	res, page, err := do(http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %d: %s", address, res.StatusCode, page)
	}
	form := url.Values{"decision": {"allow"}}
	for _, f := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(f[1], html.UnescapeString(f[2]))
	}
	if res, _, err = do(http.MethodPost, r.s.URL+"/oauth/authorize", form); err != nil {
		return "", err
	}
	return res.Header.Get("Location"), nil
}

// asksCodex has Codex say, without a model, what it knows of its MCP servers.
const asksCodex = `(echo '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"stoa","version":"1"}}}'
echo '{"method":"initialized"}'; echo '{"id":2,"method":"mcpServerStatus/list","params":{}}'; sleep 5) | codex app-server`
