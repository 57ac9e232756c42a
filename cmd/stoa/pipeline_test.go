package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa/internal/apitest"
)

// pipeline: a run of GitHub Actions in the repository octo/garden. $STOA_PUBLISH_ISSUERS is its issuer, $PIPELINE asks for its identity tokens
// with $PIPELINE_KEY, and $STRANGE asks for those of another repository. What is asked for without the key is refused.
func fakePipeline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: pipeline")
	}
	is, stop := apitest.NewIssuer()
	ts.Defer(stop)
	var n atomic.Int64
	actions := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the-key" || r.URL.Query().Get("api-version") != "2.0" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		n.Add(1)
		token := is.Token(time.Now(), "octo/"+strings.TrimPrefix(r.URL.Path, "/"), map[string]any{"aud": r.URL.Query().Get("audience")})
		_ = json.NewEncoder(w).Encode(map[string]any{"count": n.Load(), "value": token})
	}))
	ts.Defer(actions.Close)
	ts.Setenv("STOA_PUBLISH_ISSUERS", is.URL)
	ts.Setenv("PIPELINE", actions.URL+"/garden?api-version=2.0")
	ts.Setenv("STRANGE", actions.URL+"/other?api-version=2.0")
	ts.Setenv("PIPELINE_KEY", "the-key")
}
