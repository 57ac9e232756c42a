package foreign

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// versioned is an MCP registry that tells what changed since a time, with a clock of its own.
type versioned struct {
	*server
	rows  []versionedRow
	now   time.Time
	page  int
	since []string // what was asked for, of the lists that were begun
	deaf  bool     // takes no notice of updated_since
}

type versionedRow struct {
	name, says, status, message string
	updated                     time.Time
}

func (r *versioned) set(name, says, status, message string) {
	r.now = r.now.Add(time.Minute)
	row := versionedRow{name, says, status, message, r.now}
	if i := slices.IndexFunc(r.rows, func(o versionedRow) bool { return o.name == name }); i >= 0 {
		r.rows[i] = row
	} else {
		r.rows = append(r.rows, row)
	}
}

func (r *versioned) list(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	since, err := time.Parse(time.RFC3339, q.Get("updated_since"))
	if q.Get("cursor") == "" && (err != nil || since.Before(r.now.AddDate(1, 0, 0))) {
		r.since = append(r.since, q.Get("updated_since"))
	}
	var rows []versionedRow
	for _, row := range r.rows {
		if r.deaf || err != nil && row.status != "deleted" || err == nil && !row.updated.Before(since) && (row.status != "deleted" || q.Get("include_deleted") == "true") {
			rows = append(rows, row)
		}
	}
	from, _ := strconv.Atoi(q.Get("cursor"))
	to := min(from+r.page, len(rows))
	out := []m{}
	for _, row := range rows[min(from, to):to] {
		at := row.updated.Format(time.RFC3339Nano)
		out = append(out, m{
			"server": m{"name": "io.github.ines/" + row.name, "description": row.says, "version": "1.0.0", "remotes": []m{{"type": "streamable-http", "url": "https://mcp.example.com/" + row.name}}},
			"_meta":  m{"io.modelcontextprotocol.registry/official": m{"status": row.status, "statusMessage": row.message, "statusChangedAt": at, "publishedAt": at, "updatedAt": at, "isLatest": true}},
		})
	}
	meta := m{"count": len(out)}
	if to < len(rows) {
		meta["nextCursor"] = strconv.Itoa(to)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text(m{"servers": out, "metadata": meta}))
}

func startRegistry(t *testing.T, ahead time.Duration) (*versioned, *apitest.Server) {
	s := start(t, apitest.Engines(t)[0])
	r := &versioned{server: serve(t), now: s.Clock.Now().Add(ahead), page: 4}
	r.handle("/v0.1/servers", r.list)
	for i := range 10 {
		if r.set("s"+strconv.Itoa(i), "Server.", "active", ""); i == 8 {
			r.now = r.now.Add(2 * time.Hour)
		}
	}
	r.now = r.now.Add(time.Hour)
	s.Clock.Advance(3 * time.Hour)
	add(t, s, r.URL, "mcp-registry")
	synced(t, s)
	r.since = nil
	return r, s
}

// The changes of a registry come without its whole list, whatever its clock says, and what was removed without a trace goes
// with the next whole list.
func TestChangesOfARegistry(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"clocks agree": 0, "its clock is slow": -50 * time.Hour, "its clock is fast": 50 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			r, s := startRegistry(t, ahead)
			r.set("s1", "Changed.", "active", "")
			r.set("s2", "Server.", "deprecated", "Use s3.")
			r.set("s3", "Server.", "deleted", "Malware.")
			r.set("new", "Server.", "active", "")
			r.set("never", "Server.", "deleted", "Gone before it was seen.")
			r.times("/v0.1/servers")
			v := synced(t, s)
			if n := r.times("/v0.1/servers"); ahead <= 0 && n > 3 {
				t.Errorf("%d requests for five changes", n)
			}
			if len(r.since) != 1 || r.since[0] == "" {
				t.Errorf("asked for what changed since %q", r.since)
			}
			if v.Published != 10 || v.Gone != 1 || shown(t, s, "up/io-github-ines-s3") != nil || shown(t, s, "up/io-github-ines-new") == nil {
				t.Errorf("%+v", v)
			}
			if p := shown(t, s, "up/io-github-ines-s1"); p["description"] != "Changed." {
				t.Errorf("%v", p)
			}
			if p := shown(t, s, "up/io-github-ines-s2"); !strings.Contains(string(text(p["tags"])), `"deprecated"`) || !strings.Contains(p["description"].(string), "Use s3.") {
				t.Errorf("%v", p)
			}
			// Back again, and one that is removed without a word.
			r.now = r.now.Add(2 * time.Hour)
			s.Clock.Advance(2 * time.Hour)
			r.set("s3", "Server.", "active", "")
			r.rows = slices.DeleteFunc(r.rows, func(o versionedRow) bool { return o.name == "s4" })
			if v = synced(t, s); v.Published != 11 || shown(t, s, "up/io-github-ines-s3") == nil {
				t.Errorf("%+v", v)
			}
			withdraw(t, s, "up/io-github-ines-s5")
			r.set("s5", "New words.", "active", "")
			for range 2 {
				v = synced(t, s)
			}
			if shown(t, s, "up/io-github-ines-s4") != nil || r.since[len(r.since)-1] != "" {
				t.Errorf("removed without a word: %+v after %q", v, r.since)
			}
			if shown(t, s, "up/io-github-ines-s5") != nil {
				t.Error("what was withdrawn here came back")
			}
		})
	}
}

// A list of changes that was cut goes on where it was, by another process too, and stays a list of changes.
func TestCutChanges(t *testing.T) {
	r, s := startRegistry(t, 0)
	for i := range 10 {
		r.set("s"+strconv.Itoa(i), "Changed.", "active", "")
	}
	var cut atomic.Bool
	cut.Store(true)
	r.handle("/v0.1/servers", func(w http.ResponseWriter, req *http.Request) {
		if cut.Load() && req.URL.Query().Get("cursor") == "8" {
			panic(http.ErrAbortHandler)
		}
		r.list(w, req)
	})
	if _, err := s.App.SyncMirror(t.Context(), "up"); err == nil {
		t.Fatal("the line was not cut")
	}
	cut.Store(false)
	r.since = nil
	s.Restart(t)
	r.times("/v0.1/servers")
	if v := synced(t, s); v.Published != 10 || v.Gone != 0 || r.times("/v0.1/servers") != 1 || len(r.since) != 0 {
		t.Errorf("%+v, lists begun: %q", v, r.since)
	}
	if p := shown(t, s, "up/io-github-ines-s9"); p["description"] != "Changed." {
		t.Errorf("%v", p)
	}
}

// A registry that takes no notice of the parameter is read whole: nothing stays that has left.
func TestRegistryWithoutChanges(t *testing.T) {
	r, s := startRegistry(t, 0)
	r.deaf = true
	r.rows = r.rows[1:]
	if v := synced(t, s); v.Gone != 1 || v.Published != 9 {
		t.Errorf("%+v", v)
	}
	r.handle("/v0.1/servers", func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Has("updated_since") {
			http.Error(w, "unknown parameter", http.StatusBadRequest)
			return
		}
		r.list(w, req)
	})
	r.rows = r.rows[1:]
	if v := synced(t, s); v.Gone != 2 || v.Problem != "" {
		t.Errorf("%+v", v)
	}
}

// npm serves a package as a registry of npm does; dist is what is said of its tarball.
func (s *server) npm(name, latest string, files map[string]string, dist m) {
	tarball := tarred(files)
	if dist["tarball"] == nil {
		dist["tarball"] = s.URL + "/tarballs/" + url.PathEscape(name) + latest + ".tgz"
		s.says("/tarballs/"+name+latest+".tgz", "application/octet-stream", tarball)
	}
	if dist["integrity"] == nil {
		dist["integrity"] = integrityOf(tarball)
	}
	s.json("/npm/"+name, m{"name": name, "dist-tags": m{"latest": latest}, "versions": m{latest: m{"name": name, "version": latest, "scripts": m{"postinstall": "exit 1"}, "dist": dist}}})
}

func plugin(name, says string) map[string]string {
	return map[string]string{"package/package.json": `{"name":"` + name + `","version":"1.0.0","scripts":{"postinstall":"touch /tmp/owned"}}`, "package/skills/one/SKILL.md": skill("one", says)}
}

func TestPluginsFromNPM(t *testing.T) {
	u, s := serve(t), start(t, apitest.Engines(t)[0])
	u.npm("@ines/good", "1.0.0", plugin("@ines/good", "Good."), m{})
	u.npm("followed", "2.0.0", plugin("followed", "First."), m{})
	u.npm("sums", "1.0.0", plugin("sums", "Sums."), m{"integrity": integrityOf([]byte("something else"))})
	u.npm("weak", "1.0.0", plugin("weak", "Weak."), m{"integrity": "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="})
	u.npm("another", "1.0.0", plugin("someone-else", "Another."), m{})
	u.npm("inward", "1.0.0", plugin("inward", "In."), m{"tarball": "http://169.254.169.254/x.tgz"})
	u.npm("local", "1.0.0", plugin("local", "In."), m{"tarball": "file:///etc/passwd"})
	u.npm("empty", "1.0.0", map[string]string{"package/package.json": `{"name":"empty"}`}, m{})
	u.npm("large", "1.0.0", map[string]string{"package/package.json": `{"name":"large"}`, "package/big.js": strings.Repeat("x", 2<<20)}, m{})
	var entries []m
	source := func(name string, v m) {
		v["source"], v["package"] = "npm", name
		if v["registry"] == nil {
			v["registry"] = u.URL + "/npm"
		}
		entries = append(entries, m{"name": strings.TrimPrefix(strings.ReplaceAll(name, "/", "-"), "@"), "source": v})
	}
	source("@ines/good", m{"version": "1.0.0"})
	for _, name := range []string{"followed", "sums", "weak", "another", "inward", "local", "empty", "large", "missing"} {
		source(name, m{})
	}
	source("ranges", m{"version": "^1.0.0"})
	source("../../etc", m{})
	source("secret", m{"registry": "https://me:word@registry.example"})
	entries[11]["name"] = "dots"
	u.says("/marketplace.json", "application/json", []byte(marketplace(entries...)))
	add(t, s, u.URL+"/marketplace.json", "marketplace")
	v := synced(t, s)
	expect(t, refusals(t, s), map[string]string{
		"sums": "digests differ", "weak": "no digest of SHA-256", "another": "says that it is another", "inward": "may not be dialled", "local": "no address of the web", "empty": "no skill",
		"large": "holds too much", "missing": "registry answers 404", "ranges": "a range of versions", "dots": "no package of npm", "secret": "no address of the web",
	})
	if p := shown(t, s, "up/ines-good"); v.Published != 2 || p["version"] != "1.0.0" || shown(t, s, "up/followed")["version"] != "2.0.0" {
		t.Errorf("%+v %v", v, p)
	}
	// A tag is followed; what is pinned is not fetched again.
	u.npm("followed", "2.1.0", plugin("followed", "Second."), m{})
	u.times("/tarballs/@ines/good1.0.0.tgz")
	if synced(t, s); shown(t, s, "up/followed")["version"] != "2.1.0" || u.times("/tarballs/@ines/good1.0.0.tgz") != 0 {
		t.Error("a tag moved and nothing came, or what had not changed came again")
	}
	// A registry that is away takes nothing out of the catalog.
	for _, name := range []string{"followed", "@ines/good"} {
		u.handle("/npm/"+name, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) })
	}
	if synced(t, s); shown(t, s, "up/followed") == nil || shown(t, s, "up/ines-good") == nil {
		t.Error("a registry that is down takes plugins away")
	}
}
