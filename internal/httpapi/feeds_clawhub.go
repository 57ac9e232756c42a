package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/market/card"
	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

const clawBase = "/feeds/clawhub"

// mountClawHub serves the reading part of ClawHub's API below /feeds/clawhub, and the file at the root by which its clients
// find that.
func (s *Server) mountClawHub() {
	discovery := s.feed("application/json", func(f *feedCall) ([]byte, error) {
		return json.Marshal(map[string]string{"apiBase": f.base + clawBase, "minCliVersion": "0.1.0"})
	})
	s.mux.Handle("GET /.well-known/clawhub.json", discovery)
	s.mux.Handle("GET /.well-known/clawdhub.json", discovery)
	at := "GET " + clawBase + "/api/v1/"
	list := func(pattern string, write func(*feedCall) ([]byte, error)) {
		s.mux.Handle(at+pattern, s.feed("application/json", write))
	}
	list("search", clawSearch)
	list("skills", clawList)
	list("resolve", clawResolve)
	list("skills/{slug}", ofClaw(func(_ *feedCall, c feed.Claw) ([]byte, error) { return feed.ClawDetail(c), nil }))
	list("skills/{slug}/versions", ofClaw(clawVersions))
	list("skills/{slug}/versions/{version}", ofClaw(clawVersion))
	list("skills/{slug}/scan", ofClaw(func(_ *feedCall, c feed.Claw) ([]byte, error) { return feed.ClawDetail(c), nil }))
	list("skills/{slug}/verify", ofClaw(clawVerify))
	s.mux.Handle(at+"skills/{slug}/file", s.feed("text/plain; charset=utf-8", ofClaw(clawFile)))
	s.mux.Handle(at+"download", s.feed("application/zip", clawDownload))
	s.mux.HandleFunc("POST "+clawBase+"/api/v1/skills/-/security-verdicts", s.clawVerdicts)
}

func claws(f *feedCall) []feed.Claw {
	return remembered(f, "claws", func() []feed.Claw { return feed.Claws(f.view.Rows) })
}

var errNoClaw = errs.New(errs.NotFound, "There is no such skill here.")

func ofClaw(write func(*feedCall, feed.Claw) ([]byte, error)) func(*feedCall) ([]byte, error) {
	return func(f *feedCall) ([]byte, error) {
		slug := f.PathValue("slug")
		if slug == "" {
			slug = f.URL.Query().Get("slug")
		}
		c, err := f.claw(slug)
		if err != nil {
			return nil, err
		}
		return write(f, c)
	}
}

// claw finds a skill by any slug that it ever had: an item's only skill goes under the item's slug, and under one of its own from
// the version on that has several.
func (f *feedCall) claw(slug string) (feed.Claw, error) {
	all := claws(f)
	if c, ok := feed.FindClaw(all, slug); ok {
		return c, nil
	}
	item, skill, named := strings.Cut(slug, ".")
	r, ok := f.view.Row(item)
	if !ok || len(r.Skills) == 0 {
		return feed.Claw{}, errNoClaw
	}
	if !named {
		cards, err := f.server.app.FeedCards(f.Context(), f.caller, item)
		if err != nil {
			return feed.Claw{}, err
		}
		for _, c := range slices.Backward(cards) {
			if len(c.Skills) == 1 {
				skill = c.Skills[0].Name
				break
			}
		}
	}
	if i := slices.IndexFunc(r.Skills, func(s feed.SkillRow) bool { return s.Name == skill }); i >= 0 {
		return feed.Claw{Slug: slug, Row: r, At: i}, nil
	}
	return feed.Claw{}, errNoClaw
}

func clawSearch(f *feedCall) ([]byte, error) {
	q := f.URL.Query()
	rows, err := f.server.app.FeedSearch(f.Context(), f.caller, f.view, q.Get("q"), bounded(q.Get("limit"), 25, 100))
	if err != nil {
		return nil, err
	}
	var found []feed.Claw
	for _, r := range rows {
		for _, at := range r.NamedFirst(feed.NameWords(q.Get("q"))) {
			found = append(found, feed.ClawAt(r, at))
		}
	}
	return feed.ClawSearch(found), nil
}

func clawList(f *feedCall) ([]byte, error) {
	q := f.URL.Query()
	all, limit := claws(f), bounded(q.Get("limit"), 50, 200)
	if prefix := q.Get("prefix"); prefix != "" {
		from, _ := slices.BinarySearchFunc(all, prefix, func(c feed.Claw, p string) int { return strings.Compare(c.Slug, p) })
		n := 0
		for from+n < len(all) && strings.HasPrefix(all[from+n].Slug, prefix) {
			n++
		}
		all = all[from : from+n]
	}
	if after := q.Get("cursor"); after != "" {
		from, found := slices.BinarySearchFunc(all, after, func(c feed.Claw, a string) int { return strings.Compare(c.Slug, a) })
		if found {
			from++
		}
		all = all[from:]
	}
	if len(all) <= limit {
		return feed.ClawList(all, ""), nil
	}
	return feed.ClawList(all[:limit], all[limit-1].Slug), nil
}

func clawVersions(f *feedCall, c feed.Claw) ([]byte, error) {
	cards, err := f.server.app.FeedCards(f.Context(), f.caller, c.Row.Slug)
	return feed.ClawVersions(cards), err
}

func clawVersion(f *feedCall, c feed.Claw) ([]byte, error) {
	of, text, err := f.skillText(c.Row, c.At, f.PathValue("version"))
	if err != nil {
		return nil, err
	}
	return feed.ClawVersion(c, of, text), nil
}

func clawVerify(f *feedCall, c feed.Claw) ([]byte, error) {
	version, from := f.URL.Query().Get("version"), "version"
	if version == "" {
		from = "latest"
	}
	of, err := f.server.app.FeedCard(f.Context(), f.caller, c.Row.Slug, version)
	if err != nil {
		return nil, err
	}
	return feed.ClawVerify(c, of, f.base, from), nil
}

func clawFile(f *feedCall, c feed.Claw) ([]byte, error) {
	q := f.URL.Query()
	if q.Get("path") != "SKILL.md" {
		return nil, errNoClaw
	}
	_, text, err := f.skillText(c.Row, c.At, q.Get("version"))
	return []byte(text), err
}

func clawDownload(f *feedCall) ([]byte, error) {
	return ofClaw(func(f *feedCall, c feed.Claw) ([]byte, error) {
		version := f.URL.Query().Get("version")
		if f.URL.Query().Get("tag") == "latest" {
			version = ""
		}
		_, text, err := f.skillText(c.Row, c.At, version)
		if err != nil {
			return nil, err
		}
		return feed.Zip([]feed.File{{Path: "SKILL.md", Body: []byte(text)}}), nil
	})(f)
}

// clawResolve says which version the files of a skill on somebody's disk are.
func clawResolve(f *feedCall) ([]byte, error) {
	return ofClaw(func(f *feedCall, c feed.Claw) ([]byte, error) {
		type version struct {
			Version string `json:"version"`
		}
		out := struct {
			Slug   string   `json:"slug"`
			Match  *version `json:"match"`
			Latest *version `json:"latestVersion"`
		}{Slug: c.Slug, Latest: &version{c.Row.Version}}
		cards, err := f.server.app.FeedCards(f.Context(), f.caller, c.Row.Slug)
		if err != nil {
			return nil, err
		}
		for _, of := range slices.Backward(cards) {
			if i := slices.IndexFunc(of.Skills, func(s card.Skill) bool { return s.Name == c.Row.Skills[c.At].Name }); i >= 0 && out.Match == nil &&
				feed.ClawFingerprint(of.Skills[i].Text) == f.URL.Query().Get("hash") {
				out.Match = &version{of.Version}
			}
		}
		return json.Marshal(out)
	})(f)
}

// Bounds of a question after verdicts.
const (
	maxVerdicts    = 100
	maxVerdictBody = 64 << 10
)

// clawVerdicts answers which of the installed skills may go on running: what a client asks to find out what was withdrawn.
func (s *Server) clawVerdicts(w http.ResponseWriter, req *http.Request) {
	f := &feedCall{Request: req, w: w.(*recorder), server: s}
	body, err := f.verdicts()
	if err != nil {
		s.fail(f.w, req, err)
		return
	}
	f.w.Header().Set("Cache-Control", "no-store")
	writeBody(f.w, http.StatusOK, "application/json", body)
}

func (f *feedCall) verdicts() ([]byte, error) {
	if err := f.admit(); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(http.MaxBytesReader(f.w, f.Body, maxVerdictBody))
	if err != nil {
		return nil, errs.New(errs.RequestBodyTooLarge, "Ask for fewer skills at a time.")
	}
	var in struct {
		Skills []feed.Asked `json:"skills"`
		Items  []feed.Asked `json:"items"`
	}
	if json.Unmarshal(text, &in) != nil {
		return nil, errs.New(errs.InvalidJSON, "The body is not the JSON that this route takes.")
	}
	asked := append(in.Skills, in.Items...)
	if len(asked) == 0 || len(asked) > maxVerdicts {
		return nil, errs.Newf(errs.InvalidRequest, "Ask for 1 to %d skills.", maxVerdicts)
	}
	return feed.ClawVerdicts(asked, func(a feed.Asked) (feed.Claw, bool) {
		c, err := f.claw(a.Slug)
		if err == nil {
			_, err = f.server.app.FeedCard(f.Context(), f.caller, c.Row.Slug, a.Version)
		}
		return c, err == nil
	}), nil
}

// bounded reads a number of a query, from 1 to most.
func bounded(text string, usual, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return usual
	}
	return min(n, most)
}
