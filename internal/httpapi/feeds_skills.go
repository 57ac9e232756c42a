package httpapi

import (
	"encoding/json"
	"slices"
	"strings"

	"stoa/internal/market/card"
	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

// mountSkills serves the index of agent skills in both versions: of everybody at the server's root and below /feeds/skills, of
// one publisher below /feeds/skills/by/NAME.
func (s *Server) mountSkills() {
	for _, root := range []string{"", "/feeds/skills", "/feeds/skills/by/{owner}"} {
		newer, early := "skills", "early skills"
		if strings.Contains(root, "{owner}") {
			newer, early = "", ""
		}
		s.mux.Handle("GET "+root+"/.well-known/agent-skills/index.json", s.feedOf(newer, "application/json", skillIndex(feed.SkillIndex)))
		s.mux.Handle("GET "+root+"/.well-known/skills/index.json", s.feedOf(early, "application/json", skillIndex(feed.EarlySkillIndex)))
		for _, version := range []string{"agent-skills", "skills"} {
			s.mux.Handle("GET "+root+"/.well-known/"+version+"/{skill}/SKILL.md", s.feed("text/markdown; charset=utf-8", skillFile))
		}
	}
	s.mux.Handle("GET /feeds/skills/api/search", s.feed("application/json", skillSearch))
}

// namedSkills are the skills that a request is about, each under a name of its own.
func namedSkills(f *feedCall) ([]feed.NamedSkill, error) {
	owner := f.PathValue("owner")
	skills := remembered(f, "skills/"+owner, func() []feed.NamedSkill {
		rows := f.view.Rows
		if owner != "" {
			rows = nil
			for _, r := range f.view.Rows {
				if publisher(r) == owner {
					rows = append(rows, r)
				}
			}
		}
		return feed.NameSkills(rows)
	})
	if owner != "" && len(skills) == 0 {
		return nil, errs.New(errs.NotFound, "Nobody publishes skills under this name.")
	}
	return skills, nil
}

func skillIndex(write func([]feed.NamedSkill) []byte) func(*feedCall) ([]byte, error) {
	return func(f *feedCall) ([]byte, error) {
		skills, err := namedSkills(f)
		if err != nil {
			return nil, err
		}
		return write(skills), nil
	}
}

func skillFile(f *feedCall) ([]byte, error) {
	skills, err := namedSkills(f)
	if err != nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(skills, f.PathValue("skill"), func(s feed.NamedSkill, name string) int { return strings.Compare(s.Name, name) })
	if !ok {
		return nil, errs.New(errs.NotFound, "There is no such skill here.")
	}
	_, text, err := f.skillText(skills[i].Row, skills[i].At, "")
	return []byte(text), err
}

// skillText is the SKILL.md of a version; "" is the latest.
func (f *feedCall) skillText(r *feed.Row, at int, version string) (*card.Card, string, error) {
	c, err := f.server.app.FeedCard(f.Context(), f.caller, r.Slug, version)
	if err != nil {
		return nil, "", err
	}
	for _, s := range c.Skills {
		if s.Name == r.Skills[at].Name {
			return c, s.Text, nil
		}
	}
	return nil, "", errs.New(errs.NotFound, "This version does not have the skill.")
}

func skillSearch(f *feedCall) ([]byte, error) {
	q := f.URL.Query()
	rows, err := f.server.app.FeedSearch(f.Context(), f.caller, f.view, q.Get("q"), bounded(q.Get("limit"), 10, 100))
	if err != nil {
		return nil, err
	}
	hits := []feed.SkillHit{}
	for _, r := range rows {
		for _, at := range r.NamedFirst(feed.NameWords(q.Get("q"))) {
			s := r.Skills[at]
			if owner := q.Get("owner"); owner == "" || publisher(r) == owner {
				hits = append(hits, feed.SkillHit{ID: r.ID + "/" + s.Name, Name: s.Name, Source: f.base + "/feeds/git/items/" + r.ID + ".git"})
			}
		}
	}
	return json.Marshal(map[string]any{"skills": hits})
}

// remembered keeps what is made of a view as long as the view stands, so that asking for one thing out of many is cheap.
func remembered[T any](f *feedCall, name string, compute func() T) T {
	key := feedKey{address: "\x00" + name}
	if f.view.Private {
		key.viewer = f.caller.UserID
	}
	if kept, ok := f.server.parts.GetIfPresent(key); ok && kept.stamp == f.view.Stamp {
		return kept.value.(T)
	}
	value := compute()
	f.server.parts.Set(key, stamped{f.view.Stamp, value, len(f.view.Rows)})
	return value
}

// stamped is a value that is good for one state of a view, of so many rows.
type stamped struct {
	stamp uint64
	value any
	rows  int
}

// Bounds of such values, in bytes: of all, and of what one keeps of a row, which is little more than a name and where it is.
const (
	partsMemory = 48 << 20
	partsOfRow  = 96
)
