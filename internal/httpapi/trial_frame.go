package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
)

// A member's own model server is asked by the browser itself, without this server in between. The pages may connect to
// nowhere but here, and stay so: a document without an origin of its own does it for them. It has no cookies, no storage and no
// way into the page; it is told an address, a key and a question, and tells back what comes. See docs/trials.md.

//go:embed trial_frame.js
var frameScript string

const framePath = "/trial/frame"

var (
	framePage   = []byte("<!doctype html><meta charset=\"utf-8\"><title>Trial</title><script>" + frameScript + "</script>")
	framePolicy = "default-src 'none'; script-src 'sha256-" + digestOf(frameScript) + "'; connect-src http: https:; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'self'; sandbox allow-scripts"
)

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func (s *Server) mountTrialFrame() {
	p := newPage("frame.html", framePage)
	show := s.page(p, framePolicy)
	s.mux.Handle("GET "+framePath, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		show.ServeHTTP(w, req)
	}))
}
