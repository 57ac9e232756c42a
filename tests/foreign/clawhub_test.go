package foreign

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// clawHub answers as ClawHub does: more fields than are read, some of them null, pages as long as it likes, at most 100
// verdicts, and text where something is wrong.
type clawHub struct {
	*server
	skills  []m
	pages   int               // skills on a page, whatever is asked for
	texts   map[string]string // SKILL.md by slug and version
	blocked map[string]string // decision's reasons by slug
	most    int               // verdicts that were asked at once
}

func claws(t testing.TB, n int) *clawHub {
	c := &clawHub{server: serve(t), pages: 130, texts: map[string]string{}, blocked: map[string]string{}}
	for i := range n {
		slug := "helper-" + number(i)
		c.skills = append(c.skills, m{
			"slug": slug, "displayName": "Helper " + number(i), "summary": "Helps.", "tags": m{"latest": "1.0.0", "beta": "2.0.0-rc1"}, "createdAt": 1767225600000, "updatedAt": 1767225600000 + i,
			"stats": m{"downloads": i * 17, "stars": i, "versions": 3}, "latestVersion": m{"version": "1.0.0", "createdAt": 1767225600000, "changelog": "First.", "changelogSource": "auto"},
			"badges": m{"official": nil}, "channel": "community", "ownerHandle": "ines",
		})
		c.texts[slug+" 1.0.0"] = skill(slug, "First.")
	}
	c.json("/.well-known/clawhub.json", m{"apiBase": c.URL, "authBase": c.URL, "minCliVersion": "0.0.5", "registry": c.URL})
	c.handle("/api/v1/skills", c.list)
	c.handle("/api/v1/download", c.download)
	c.handle("/api/v1/skills/-/security-verdicts", c.verdicts)
	return c
}

func (c *clawHub) list(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	to, next := min(from+c.pages, len(c.skills)), any(nil)
	if to < len(c.skills) {
		next = strconv.Itoa(to)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(text(m{"items": c.skills[min(from, to):to], "nextCursor": next}))
}

func (c *clawHub) download(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	version := q.Get("version")
	if q.Has("version") && version == "" {
		http.Error(w, "Invalid version", http.StatusBadRequest)
		return
	}
	if version == "" {
		version = "1.0.0"
	}
	body, ok := c.texts[q.Get("slug")+" "+version]
	if !ok {
		http.Error(w, "Skill has been deleted", http.StatusGone)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	_, _ = w.Write(zipped(map[string]string{"SKILL.md": body, "_meta.json": `{"slug":"x"}`, "references/more.md": "# More"}))
}

func (c *clawHub) verdicts(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Items []struct{ Slug, Version string }
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || len(in.Items) == 0 || len(in.Items) > 100 {
		http.Error(w, "items must hold 1 to 100", http.StatusBadRequest)
		return
	}
	c.most = max(c.most, len(in.Items))
	out := []m{}
	for _, i := range in.Items {
		one := m{"slug": i.Slug, "version": i.Version, "ok": true, "decision": "pass", "reasons": []string{}, "security": m{"status": "clean", "scanners": []string{"vt"}}, "requestedSlug": i.Slug}
		if reason := c.blocked[i.Slug]; reason == "scan_pending" {
			one["ok"], one["decision"], one["error"] = false, "fail", m{"code": reason, "message": "not scanned yet"}
		} else if reason != "" {
			one["ok"], one["decision"], one["reasons"] = false, "fail", []string{reason}
		}
		out = append(out, one)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text(m{"schema": "clawhub.skill.security-verdicts.v1", "items": out}))
}

func (c *clawHub) release(n int, version, says string) {
	slug := "helper-" + number(n)
	c.skills[n]["latestVersion"] = m{"version": version, "createdAt": 1767225700000, "changelog": nil}
	c.texts[slug+" "+version] = skill(slug, says)
}

// A whole life with a ClawHub: everything once, odd entries, an update, a verdict, one that goes and comes back, and what was
// decided here.
func TestClawHub(t *testing.T) {
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			c, s := claws(t, 150), start(t, e)
			c.skills[1]["latestVersion"] = nil // the tag says it
			c.skills[2]["latestVersion"], c.skills[2]["tags"] = nil, nil
			c.skills[3]["slug"] = 7
			c.skills[4]["summary"], c.skills[4]["displayName"] = nil, nil
			delete(c.texts, "helper-005 1.0.0")
			c.blocked["helper-006"], c.blocked["helper-007"] = "malicious", "scan_pending"
			add(t, s, c.URL, "clawhub")
			v := synced(t, s)
			expect(t, refusals(t, s), map[string]string{"helper-005": "answers 410"})
			if v.Published != 147 || v.Refused != 1 || c.most < 90 || c.times("/api/v1/skills") < 2 {
				t.Fatalf("%+v, %d verdicts at once", v, c.most)
			}
			if p := shown(t, s, "up/helper-000"); p["title"] != "Helper 000" || p["version"] != "1.0.0" {
				t.Errorf("%v", p)
			}
			for _, id := range []string{"up/helper-003", "up/helper-006"} {
				if shown(t, s, id) != nil {
					t.Errorf("%s is in the catalog", id)
				}
			}
			// Nothing new but counts: nothing is fetched.
			c.times("/api/v1/download")
			for _, one := range c.skills {
				one["stats"], one["updatedAt"] = m{"downloads": 99999}, 1767229999000
			}
			if synced(t, s); c.times("/api/v1/download") != 1 { // the one that is refused for now is not asked for, the other is
				t.Log("downloads were asked for again")
			}
			republish(t, s)
			withdraw(t, s, "up/helper-010")
			c.release(8, "1.1.0", "Second.")
			c.release(10, "1.1.0", "Second.")
			c.blocked["helper-009"] = "malicious"
			gone := c.skills[11]
			c.skills = append(c.skills[:11:11], c.skills[12:]...)
			v = synced(t, s)
			if v.Gone != 2 || shown(t, s, "up/helper-009") != nil || shown(t, s, "up/helper-011") != nil {
				t.Errorf("blocked and gone at the source: %+v", v)
			}
			if p := shown(t, s, "up/helper-008"); p["version"] != "1.1.0" {
				t.Errorf("an update did not come: %v", p["version"])
			}
			if shown(t, s, "up/helper-010") != nil || !strings.Contains(refusals(t, s)["helper-010"], "withdrawn here") {
				t.Error("the source overrules this server")
			}
			c.skills = append(c.skills, gone)
			if v = synced(t, s); v.Gone != 1 || shown(t, s, "up/helper-011") == nil {
				t.Errorf("what came back is not here: %+v", v)
			}
			if r := row(t, s, "up/helper-008"); len(r.Skills) != 1 || r.Version != "1.1.0" {
				t.Errorf("%+v", r)
			}
		})
	}
}
