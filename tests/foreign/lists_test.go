package foreign

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// The source of plugins as AstrBot's own collection publishes it: by name and without $meta, with counts that always move, and
// in the newer form.
func TestAstrBotSources(t *testing.T) {
	e := apitest.Engines(t)[0]
	old := func(stars int) m {
		return m{
			"astrbot_plugin_weather": m{"desc": "天气查询", "author": "Soulter", "repo": "https://github.com/Soulter/astrbot_plugin_weather", "tags": []string{"天气"}, "social_link": nil, "stars": stars, "version": "v1.2.0", "updated_at": "2026-08-01T00:00:00Z", "logo": "", "pinned": false},
			"astrbot_plugin_odd":     m{"name": "astrbot_plugin_odd", "desc": "Odd.", "author": "x", "repo": "https://github.com/x/odd", "tags": "games, fun", "version": "1"},
			"astrbot_plugin_none":    m{"desc": "No repository.", "author": "x"},
			"astrbot_plugin_numbers": m{"name": "n", "desc": "d", "author": "x", "repo": "https://github.com/x/n", "version": 2},
		}
	}
	t.Run("as published", func(t *testing.T) {
		u, s := serve(t), start(t, e)
		u.json("/plugins", old(10))
		add(t, s, u.URL+"/plugins", "astrbot")
		v := synced(t, s)
		expect(t, refusals(t, s), map[string]string{"astrbot_plugin_none": "lacks a name or a repository", "astrbot_plugin_numbers": "cannot be read"})
		if p := shown(t, s, "up/astrbot-plugin-weather"); v.Published != 2 || p["title"] != "astrbot_plugin_weather" || p["description"] != "天气查询" {
			t.Errorf("%+v %v", v, p)
		}
		if p := shown(t, s, "up/astrbot-plugin-odd"); !strings.Contains(string(text(p["tags"])), "games") {
			t.Errorf("tags: %v", p["tags"])
		}
		u.json("/plugins", old(11))
		if again := synced(t, s); again.Published != 2 || again.Gone != 0 {
			t.Errorf("%+v", again)
		}
	})
	t.Run("newer, and as a list", func(t *testing.T) {
		u, s := serve(t), start(t, e)
		entry := m{
			"author": "ada", "name": "garden", "version": "1.0.0", "repo": "https://github.com/ada/garden", "desc": "Garden.", "display_name": "花园", "download_url": u.URL + "/garden.zip",
			"i18n": m{"en-US": m{"display_name": "Garden"}}, "support_platforms": []string{"aiocqhttp"}, "astrbot_version": ">=4.16,<5", "stars": 3, "download_count": 9,
		}
		u.says("/garden.zip", "application/octet-stream", zipped(map[string]string{
			"garden-main/metadata.yaml": "name: garden", "garden-main/main.py": "print('hi')", "garden-main/skills/watering/SKILL.md": skill("watering", "Water."),
		}))
		u.json("/plugins.json", m{"$meta": m{"schema_version": 1}, "ada/garden": entry})
		u.json("/plugins-md5.json", m{"md5": "one"})
		add(t, s, u.URL+"/plugins.json", "astrbot")
		synced(t, s)
		republish(t, s)
		if r := row(t, s, "up/ada-garden"); len(r.Skills) != 1 || r.Title != "花园" {
			t.Errorf("%+v", r)
		}
		u.times("/plugins.json")
		if synced(t, s); u.times("/plugins.json") != 0 {
			t.Error("the whole list is read though its digest is the same")
		}
		u.json("/plugins-md5.json", m{"md5": "two"})
		u.json("/plugins.json", []m{entry, {"nothing": true}})
		u.times("/garden.zip")
		if v := synced(t, s); v.Published != 1 || v.Gone != 0 || u.times("/garden.zip") != 0 {
			t.Errorf("the same as a list: %+v", v)
		}
	})
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func tarred(files map[string]string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, body := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(body))}); err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			panic(err)
		}
	}
	if w.Close() != nil || z.Close() != nil {
		panic("tar")
	}
	return out.Bytes()
}

// An index of Agent Skills on a site of one page, which answers every address with that page.
func TestSkillsOnASiteOfOnePage(t *testing.T) {
	u, s := serve(t), start(t, apitest.Engines(t)[0])
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("\n<!DOCTYPE html><html><body>Loading…</body></html>"))
	}
	for _, path := range []string{"/", "/.well-known/clawhub.json", "/feeds/stoa/index.json", "/v0.1/servers", "/info/refs", "/.well-known/agent-skills/lost/SKILL.md"} {
		u.handle(path, page)
	}
	water, archive := []byte(skill("watering", "Water.")), tarred(map[string]string{"pruning/SKILL.md": skill("pruning", "Cut."), "pruning/scripts/a.sh": "echo"})
	u.says("/.well-known/agent-skills/watering/SKILL.md", "text/plain", water)
	u.says("/files/pruning.tar.gz", "application/gzip", archive)
	u.says("/.well-known/agent-skills/other/SKILL.md", "text/plain", []byte(skill("other", "Not what was listed.")))
	index := m{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "generator": "x", "skills": []any{
		m{"name": "watering", "type": "skill-md", "description": "Water.", "url": "watering/SKILL.md", "digest": strings.ToUpper(digestOf(water)), "version": 3},
		m{"name": "pruning", "type": "archive", "description": "Cut.", "url": "/files/pruning.tar.gz", "digest": digestOf(archive)},
		m{"name": "other", "type": "skill-md", "description": "Other.", "url": "other/SKILL.md", "digest": digestOf(water)},
		m{"name": "lost", "type": "skill-md", "description": "Lost.", "url": "lost/SKILL.md", "digest": digestOf(water)},
		m{"name": 5},
		"nothing",
	}}
	u.json("/.well-known/agent-skills/index.json", index)
	add(t, s, u.URL, "agent-skills")
	v := synced(t, s)
	expect(t, refusals(t, s), map[string]string{"other": "digests differ", "lost": "web page"})
	if v.Published != 2 {
		t.Errorf("%+v", v)
	}
	// A page in place of the list, or of a skill that has changed, is no reason to withdraw anything.
	u.handle("/.well-known/agent-skills/index.json", page)
	if _, err := s.App.SyncMirror(t.Context(), "up"); err == nil || shown(t, s, "up/watering") == nil {
		t.Errorf("a page for a list: %v", err)
	}
	water = []byte(skill("watering", "More water."))
	index["skills"].([]any)[0].(m)["digest"] = digestOf(water)
	u.json("/.well-known/agent-skills/index.json", index)
	u.handle("/.well-known/agent-skills/watering/SKILL.md", page)
	if synced(t, s); shown(t, s, "up/watering") == nil {
		t.Error("a page for a skill takes it away")
	}
	u.says("/.well-known/agent-skills/watering/SKILL.md", "text/plain", water)
	u.says("/.well-known/agent-skills/lost/SKILL.md", "text/plain", []byte("nothing"))
	before := shown(t, s, "up/watering")["version"]
	if synced(t, s); shown(t, s, "up/watering")["version"] == before {
		t.Error("the change did not come once the page was gone")
	}
}

// Indexes that sites wrote by hand, in the shapes that public repositories hold: a path in place of an address, a bare sum, another
// word for the type, names that are no names of skills, nothing beside the name.
func TestSkillIndexesWrittenByHand(t *testing.T) {
	u, s := serve(t), start(t, apitest.Engines(t)[0])
	for _, name := range []string{"rules", "query", "count", "navigation", "search_notes", "wrong", "bare"} {
		u.says("/files/"+name+"/SKILL.md", "text/markdown", []byte(skill(name, "About "+name+".")))
	}
	u.says("/.well-known/agent-skills/bare/SKILL.md", "text/markdown", []byte(skill("bare", "Bare.")))
	sum := func(name string) string {
		return strings.TrimPrefix(digestOf([]byte(skill(name, "About "+name+"."))), "sha256:")
	}
	u.json("/.well-known/agent-skills/index.json", m{"$schema": "https://agentskills.io/schema/index.json", "version": "1.0", "publisher": m{"name": "x"}, "skills": []any{
		m{"name": "rules", "description": "Rules.", "path": "files/rules/SKILL.md"},
		m{"name": "query", "description": "Query.", "path": "/files/query/SKILL.md", "version": "0.1.0"},
		m{"name": "count", "type": "markdown", "description": "Count.", "url": u.URL + "/files/count/SKILL.md", "sha256": sum("count")},
		m{"id": "navigation", "name": "Site Navigation", "description": "Finds pages.", "url": "/files/navigation/SKILL.md"},
		m{"name": "search_notes", "type": "skill-md", "description": "Searches.", "url": "/files/search_notes/SKILL.md", "digest": "sha256:" + sum("search_notes"), "sha256": sum("search_notes"), "tool": "/t.js"},
		m{"name": "wrong", "type": "skill-md", "description": "Wrong.", "url": "/files/wrong/SKILL.md", "sha256": sum("rules")},
		m{"name": "bare"},
	}})
	add(t, s, u.URL, "agent-skills")
	v := synced(t, s)
	expect(t, refusals(t, s), map[string]string{"wrong": "digests differ"})
	if v.Published != 6 || shown(t, s, "up/site-navigation") == nil || shown(t, s, "up/search-notes") == nil {
		t.Errorf("%+v", v)
	}
	republish(t, s)
	if r := row(t, s, "up/site-navigation"); len(r.Skills) != 1 || r.Skills[0].Name != "navigation" {
		t.Errorf("%+v", r)
	}
}

// registry answers as an MCP registry does: pages with a cursor, several versions of a server, statuses, and what publishers add.
type registry struct {
	*server
	servers []m
	status  map[string]string
	on2     func() // before the second page
	page    int
}

func (r *registry) list(w http.ResponseWriter, req *http.Request) {
	from, _ := strconv.Atoi(req.URL.Query().Get("cursor"))
	if from > 0 && r.on2 != nil {
		r.on2()
		r.on2 = nil
	}
	out, to := []m{}, min(from+r.page, len(r.servers))
	for _, one := range r.servers[min(from, to):to] {
		status := r.status[one["name"].(string)]
		if status == "" {
			status = "active"
		}
		out = append(out, m{"server": one, "_meta": m{
			"io.modelcontextprotocol.registry/official":           m{"status": status, "statusChangedAt": "2026-01-01T00:00:00Z", "publishedAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "isLatest": one["version"] != "0.9.0"},
			"io.modelcontextprotocol.registry/publisher-provided": m{"status": 7, "isLatest": "no", "tool": "ci"},
		}})
	}
	meta := m{"count": len(out)}
	if to < len(r.servers) {
		meta["nextCursor"] = strconv.Itoa(to)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text(m{"servers": out, "metadata": meta}))
}

func TestMCPRegistry(t *testing.T) {
	r := &registry{server: serve(t), status: map[string]string{}, page: 10}
	s := start(t, apitest.Engines(t)[0])
	for i := range 25 {
		name := "io.github.ines/server-" + number(i)
		r.servers = append(r.servers, m{
			"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": name, "description": "Server.", "version": "1.0.0", "icons": []m{{"src": "https://x/i.png"}},
			"repository": m{"url": "https://github.com/ines/x", "source": "github"},
			"packages":   []m{{"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": "@ines/server-" + number(i), "version": "1.0.0", "transport": m{"type": "stdio"}, "environmentVariables": []m{{"name": "API_KEY", "isRequired": true, "isSecret": true}}}},
		})
	}
	r.servers[1] = m{"name": "io.github.ines/server-000", "description": "Old.", "version": "0.9.0", "remotes": []m{{"type": "sse", "url": "https://x/sse"}}}
	r.servers[2]["packages"], r.servers[2]["remotes"] = nil, []m{{"type": "streamable-http", "url": "https://mcp.example.com/mcp", "headers": []m{{"name": "Authorization", "isSecret": true}}}}
	r.servers[3]["packages"] = []m{{"registryType": "mcpb", "identifier": "https://x/a.mcpb", "fileSha256": "0"}}
	r.status["io.github.ines/server-004"], r.status["io.github.ines/server-005"] = "deleted", "deprecated"
	r.handle("/v0.1/servers", r.list)
	add(t, s, r.URL, "mcp-registry")
	v := synced(t, s)
	expect(t, refusals(t, s), map[string]string{"io.github.ines/server-003": "names no address and no package"})
	if v.Published != 22 || v.Refused != 1 {
		t.Fatalf("%+v", v)
	}
	republish(t, s)
	if one := row(t, s, "up/io-github-ines-server-000"); len(one.Servers) != 1 || one.Servers[0].Command != "npx" || one.Version != "1.0.0" || len(one.Servers[0].Env) != 1 || one.Servers[0].Env[0].Value != "${API_KEY}" {
		t.Errorf("%+v", one)
	}
	// Before the second page is read the first loses an entry, so that another slips past the reader: it must not be taken for gone.
	r.on2 = func() { r.servers = r.servers[2:] }
	if v = synced(t, s); v.Gone != 0 || shown(t, s, "up/io-github-ines-server-010") == nil {
		t.Errorf("pages moved under the reader: %+v", v)
	}
	if v = synced(t, s); v.Gone != 1 || shown(t, s, "up/io-github-ines-server-000") != nil {
		t.Errorf("the one that left: %+v", v)
	}
	r.status["io.github.ines/server-006"] = "deleted"
	if v = synced(t, s); v.Gone != 2 || shown(t, s, "up/io-github-ines-server-006") != nil {
		t.Errorf("a server that was deleted: %+v", v)
	}
}

func integrityOf(b []byte) string {
	sum := sha512.Sum512(b)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}
