package feed

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"stoa/internal/market/card"
)

// Claw is one skill as ClawHub's clients know it: an item with one skill goes under the item's slug, each skill of another
// under slug.skill. No slug holds a dot, so the two never meet.
type Claw struct {
	Slug string
	Row  *Row
	At   int
}

// Claws lists the skills of rows, sorted by slug.
func Claws(rows []*Row) []Claw {
	var out []Claw
	for _, r := range rows {
		for i := range r.Skills {
			out = append(out, ClawAt(r, i))
		}
	}
	slices.SortFunc(out, func(a, b Claw) int { return strings.Compare(a.Slug, b.Slug) })
	return out
}

// ClawAt is one skill of a row.
func ClawAt(r *Row, at int) Claw {
	slug := r.Slug
	if len(r.Skills) > 1 {
		slug += "." + r.Skills[at].Name
	}
	return Claw{slug, r, at}
}

// FindClaw finds a skill of Claws by its slug.
func FindClaw(claws []Claw, slug string) (Claw, bool) {
	i, ok := slices.BinarySearchFunc(claws, slug, func(c Claw, slug string) int { return strings.Compare(c.Slug, slug) })
	if !ok {
		return Claw{}, false
	}
	return claws[i], true
}

type clawVersion struct {
	Version   string `json:"version"`
	CreatedAt int64  `json:"createdAt"` // ms
	Changelog string `json:"changelog"`
	// License is null: without it a client says that everything is under ClawHub's own.
	License *string `json:"license"`
}

type clawSkill struct {
	Slug        string            `json:"slug"`
	DisplayName string            `json:"displayName"`
	Summary     string            `json:"summary"`
	Tags        map[string]string `json:"tags"`
	Stats       struct{}          `json:"stats"`
	CreatedAt   int64             `json:"createdAt"`
	UpdatedAt   int64             `json:"updatedAt"`
	Latest      *clawVersion      `json:"latestVersion,omitempty"`
}

type clawOwner struct {
	Handle      string  `json:"handle"`
	DisplayName string  `json:"displayName"`
	Image       *string `json:"image"`
}

type clawModeration struct {
	Suspicious bool     `json:"isSuspicious"`
	Blocked    bool     `json:"isMalwareBlocked"`
	Verdict    string   `json:"verdict"`
	Reasons    []string `json:"reasonCodes"`
	UpdatedAt  int64    `json:"updatedAt"`
	Summary    string   `json:"summary"`
}

func (c Claw) skill() clawSkill {
	r := c.Row
	return clawSkill{
		Slug: c.Slug, DisplayName: c.name(), Summary: r.Skills[c.At].Description, Tags: map[string]string{"latest": r.Version},
		CreatedAt: r.Published.UnixMilli(), UpdatedAt: r.Changed.UnixMilli(), Latest: &clawVersion{r.Version, r.Published.UnixMilli(), "", nil},
	}
}

func (c Claw) name() string {
	if len(c.Row.Skills) > 1 {
		return c.Row.Title + ": " + c.Row.Skills[c.At].Name
	}
	return c.Row.Title
}

func (c Claw) owner() clawOwner {
	owner, _, two := strings.Cut(c.Row.ID, "/")
	if !two {
		owner = cmp.Or(c.Row.Owner, "stoa")
	}
	return clawOwner{Handle: owner, DisplayName: cmp.Or(c.Row.Maintainer, owner)}
}

// suspicious tells whether an item is shown with a warning: the scan took something in it for an attack.
func (c Claw) suspicious() bool { return c.Row.Risk == "high" }

func (c Claw) reasons() []string {
	if !c.suspicious() {
		return []string{}
	}
	return append([]string{"risk_high"}, c.Row.Warnings...)
}

// ClawList is a page of the list of skills.
func ClawList(page []Claw, next string) []byte {
	out := struct {
		Items []clawSkill `json:"items"`
		Next  *string     `json:"nextCursor"`
	}{Items: make([]clawSkill, 0, len(page))}
	for _, c := range page {
		out.Items = append(out.Items, c.skill())
	}
	if next != "" {
		out.Next = &next
	}
	return compact(out)
}

// ClawSearch is the answer to a search, best first.
func ClawSearch(found []Claw) []byte {
	type result struct {
		Slug    string    `json:"slug"`
		Name    string    `json:"displayName"`
		Summary string    `json:"summary"`
		Version string    `json:"version"`
		Score   float64   `json:"score"`
		Updated int64     `json:"updatedAt"`
		Handle  string    `json:"ownerHandle"`
		Owner   clawOwner `json:"owner"`
	}
	out := struct {
		Results []result `json:"results"`
	}{make([]result, 0, len(found))}
	for i, c := range found {
		s, owner := c.skill(), c.owner()
		// The score says only what the order says: Stoa ranks by tiers, not by a number.
		out.Results = append(out.Results, result{s.Slug, s.DisplayName, s.Summary, c.Row.Version, 1 / float64(i+1), s.UpdatedAt, owner.Handle, owner})
	}
	return compact(out)
}

// ClawDetail is one skill with what the scan thinks of it.
func ClawDetail(c Claw) []byte {
	s := c.skill()
	latest := s.Latest
	s.Latest = nil
	m := clawModeration{Suspicious: c.suspicious(), Verdict: "clean", Reasons: c.reasons(), UpdatedAt: c.Row.Changed.UnixMilli()}
	if m.Suspicious {
		m.Verdict, m.Summary = "suspicious", "The scan of the server found something of high risk."
	}
	return compact(map[string]any{"skill": s, "latestVersion": latest, "owner": c.owner(), "moderation": m})
}

// ClawVersions lists the versions of a skill, newest first. cards are oldest first.
func ClawVersions(cards []*card.Card) []byte {
	items := []clawVersion{}
	for _, c := range slices.Backward(cards) {
		items = append(items, clawVersion{c.Version, c.Published.UnixMilli(), "", nil})
	}
	return compact(map[string]any{"items": items, "nextCursor": nil})
}

// ClawVersion is one version of a skill with its files.
func ClawVersion(c Claw, of *card.Card, text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return compact(map[string]any{
		"version": map[string]any{
			"version": of.Version, "createdAt": of.Published.UnixMilli(), "changelog": "", "files": []map[string]any{{"path": "SKILL.md", "size": len(text), "sha256": hex.EncodeToString(sum[:])}},
			"security": map[string]any{"status": status(c)},
		},
		"skill": map[string]string{"slug": c.Slug, "displayName": c.name()},
	})
}

func status(c Claw) string {
	if c.suspicious() {
		return "suspicious"
	}
	return "clean"
}

// ClawVerify is the envelope that `clawhub skill verify` reads. passed is false for a version that the scan warns of.
func ClawVerify(c Claw, of *card.Card, base, from string) []byte {
	decision := "pass"
	if c.suspicious() {
		decision = "fail"
	}
	owner := c.owner()
	return compact(map[string]any{
		"schema": "clawhub.skill.verify.v1", "ok": !c.suspicious(), "decision": decision, "reasons": c.reasons(), "slug": c.Slug, "displayName": c.name(), "pageUrl": Page(base, c.Row),
		"publisherHandle": owner.Handle, "publisherDisplayName": owner.DisplayName, "publisherProfileUrl": nil, "version": of.Version, "resolvedFrom": from, "tag": nil,
		"createdAt": of.Published.UnixMilli(), "card": nil, "artifact": map[string]any{"packageSha256": of.SHA256, "size": of.Size}, "provenance": nil,
		"security": map[string]any{"status": status(c), "passed": !c.suspicious(), "signals": map[string]any{"risk": c.Row.Risk, "warnings": c.Row.Warnings}}, "signature": nil,
	})
}

// Asked is a skill whose verdict somebody asks for.
type Asked struct {
	Slug    string `json:"slug"`
	Version string `json:"version"`
}

// ClawVerdicts answers what may go on running, in the order asked. find gives a version that the caller may see.
func ClawVerdicts(asked []Asked, find func(Asked) (Claw, bool)) []byte {
	type failed struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	type verdict struct {
		Asked
		OK       bool              `json:"ok"`
		Decision string            `json:"decision"`
		Reasons  []string          `json:"reasons"`
		Security map[string]string `json:"security,omitempty"`
		Error    *failed           `json:"error,omitempty"`
	}
	items := make([]verdict, 0, len(asked))
	for _, a := range asked {
		v := verdict{Asked: a, Decision: "fail", Reasons: []string{}}
		if c, ok := find(a); !ok {
			v.Error = &failed{"not_found", "There is no such version here, or no longer."}
			v.Reasons = []string{"not_found"}
		} else {
			v.OK, v.Reasons, v.Security = !c.suspicious(), c.reasons(), map[string]string{"status": status(c)}
			if v.OK {
				v.Decision = "pass"
			}
		}
		items = append(items, v)
	}
	return compact(map[string]any{"schema": "clawhub.skill.security-verdicts.v1", "items": items})
}

// ClawFingerprint is what ClawHub's clients call the files of a skill by: here always one.
func ClawFingerprint(text string) string {
	file := sha256.Sum256([]byte(text))
	all := sha256.Sum256([]byte("SKILL.md:" + hex.EncodeToString(file[:])))
	return hex.EncodeToString(all[:])
}

// Zip packs files. They are stored, so that the bytes never change.
func Zip(files []File) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Path, Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = to.Write(f.Body)
		}
		if err != nil {
			panic(err) // to memory, under names of this package
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}
