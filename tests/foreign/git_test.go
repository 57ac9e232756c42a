package foreign

import (
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// gitHost serves repositories by git's own program.
type gitHost struct {
	*server
	t   testing.TB
	dir string
}

func hostGit(t testing.TB) *gitHost {
	t.Helper()
	where, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("git is not here")
	}
	backend := filepath.Join(strings.TrimSpace(string(where)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not here")
	}
	g := &gitHost{server: serve(t), t: t, dir: t.TempDir()}
	run := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + g.dir, "GIT_HTTP_EXPORT_ALL=1"}}
	inner := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".git/") {
			g.mu.Lock()
			g.asked = append(g.asked, r.URL.RequestURI())
			g.mu.Unlock()
			run.ServeHTTP(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	})
	return g
}

func (g *gitHost) git(repo string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = filepath.Join(g.dir, repo)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+g.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit puts files into a repository, which is made when it is not there, and gives the commit's id.
func (g *gitHost) commit(repo string, files map[string]string) string {
	g.t.Helper()
	at := filepath.Join(g.dir, repo)
	if _, err := os.Stat(at); err != nil {
		if err := os.MkdirAll(at, 0o700); err != nil {
			g.t.Fatal(err)
		}
		g.git(repo, "init", "-q")
	}
	for name, body := range files {
		path := filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			g.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			g.t.Fatal(err)
		}
	}
	g.git(repo, "add", "-A")
	g.git(repo, "commit", "-q", "--allow-empty", "-m", "x")
	return g.git(repo, "rev-parse", "HEAD")
}

func (g *gitHost) address(repo string) string { return g.URL + "/" + repo + "/.git" }

func marketplace(plugins ...m) string {
	return string(text(m{"name": "theirs", "owner": m{"name": "Them", "email": "x@example.com"}, "metadata": m{"version": "1"}, "plugins": plugins}))
}

// A marketplace in a repository: plugins beside it, in other repositories, pinned or by branch, in a folder of one, and skills
// that the entry names.
func TestMarketplaceInGit(t *testing.T) {
	g, s := hostGit(t), start(t, apitest.Engines(t)[0])
	g.commit("pinned", map[string]string{"skills/one/SKILL.md": skill("one", "First."), ".claude-plugin/plugin.json": `{"name":"pinned","version":"3.0.0","description":"Says so itself."}`})
	pin := g.git("pinned", "rev-parse", "HEAD")
	g.git("pinned", "config", "uploadpack.allowReachableSHA1InWant", "true")
	g.commit("pinned", map[string]string{"skills/one/SKILL.md": skill("one", "After the pin.")})
	g.commit("moving", map[string]string{"agents/helper.md": "---\nname: helper\n---\n\nYou help.", ".mcp.json": `{"mcpServers":{"w":{"command":"npx","args":["-y","weather-mcp"],"env":{"KEY":"${KEY}"}}}}`, "hooks/hooks.json": `{}`})
	g.git("moving", "tag", "-a", "v1", "-m", "one")
	g.commit("many", map[string]string{"plugins/deep/skills/two/SKILL.md": skill("two", "Deep."), "big.bin": strings.Repeat("\x00\x01large", 400_000)})
	// What else a repository may hold: links, other repositories, and a name that only looks like a folder's.
	if err := os.Symlink("/etc/passwd", filepath.Join(g.dir, "many", "plugins", "deep", "skills", "two", "link.md")); err != nil {
		t.Fatal(err)
	}
	g.commit("theirs", map[string]string{
		"plugins/near/skills/near/SKILL.md": skill("near", "Near."), "own/a/SKILL.md": skill("a", "Own."), "own/b/SKILL.md": skill("b", "Own."), "own/c/SKILL.md": skill("c", "Not named."),
		"plugins/empty/README.md": "Nothing.",
	})
	g.git("theirs", "submodule", "add", "-q", g.address("pinned"), "plugins/near/other")
	g.commit("many", nil)
	entries := []m{
		{"name": "near", "source": "./plugins/near", "description": "Near.", "version": "1.0.0", "category": "x", "strict": false},
		{"name": "pinned", "source": m{"source": "url", "url": g.address("pinned"), "sha": pin}},
		{"name": "moving", "source": m{"source": "url", "url": g.address("moving")}, "description": "Moves.", "version": "1.0.0"},
		{"name": "tagged", "source": m{"source": "url", "url": g.address("moving"), "ref": "v1"}, "version": "1.0.0"},
		{"name": "deep", "source": m{"source": "git-subdir", "url": g.address("many"), "path": "plugins/deep"}, "version": "2.0.0"},
		{"name": "own", "source": "./", "strict": false, "skills": []string{"./own/a", "./own/b"}, "description": "Some skills.", "version": "1.0.0"},
		{"name": "empty", "source": "./plugins/empty"},
		{"name": "nowhere", "source": "./plugins/none"},
		{"name": "outside", "source": "../../../etc"},
		{"name": "lost", "source": m{"source": "url", "url": g.URL + "/lost/.git"}},
		{"name": "away", "source": m{"source": "url", "url": "http://127.0.0.1:1/x.git"}},
		{"name": "inward", "source": m{"source": "url", "url": "http://169.254.169.254/x.git"}},
		{"name": "nopin", "source": m{"source": "url", "url": g.address("pinned"), "sha": strings.Repeat("0", 40)}},
		{"name": "npm", "source": m{"source": "npm", "package": "@x/y", "registry": g.URL + "/npm"}},
		{"name": "ssh", "source": m{"source": "url", "url": "git@github.com:x/y.git"}},
		{"name": 5},
		{"source": "./plugins/near"},
	}
	g.commit("theirs", map[string]string{".claude-plugin/marketplace.json": marketplace(entries...)})
	add(t, s, g.address("theirs"), "git-marketplace")
	v := synced(t, s)
	expect(t, refusals(t, s), map[string]string{
		"empty": "no skill, no agent", "nowhere": "does not hold", "outside": "does not hold", "lost": "404", "away": "refused", "inward": "may not be dialled", "nopin": "does not have",
		"npm": "registry answers 404", "ssh": "no address of the web",
	})
	if v.Published != 6 {
		t.Fatalf("%+v", v)
	}
	republish(t, s)
	for id, want := range map[string]string{"near": "near 1.0.0", "pinned": "one 3.0.0", "moving": " 1.0.0", "tagged": " 1.0.0", "deep": "two 2.0.0", "own": "a b 1.0.0"} {
		r := row(t, s, "up/"+id)
		got := ""
		for _, one := range r.Skills {
			got += one.Name + " "
		}
		if got = strings.TrimSpace(got) + " " + r.Version; got != want {
			t.Errorf("%s has %q, not %q", id, got, want)
		}
	}
	if r := row(t, s, "up/moving"); r.Personas != 1 || len(r.Servers) != 1 || r.Servers[0].Command != "npx" {
		t.Errorf("%+v", r)
	}
	follow(t, g, s, entries)
}

// follow changes the repositories and looks here.
func follow(t *testing.T, g *gitHost, s *apitest.Server, entries []m) {
	t.Helper()
	g.commit("moving", map[string]string{"agents/helper.md": "---\nname: helper\n---\n\nYou help more."})
	near, own := shown(t, s, "up/near")["version"], shown(t, s, "up/own")["version"]
	g.times("/many/.git/git-upload-pack")
	synced(t, s)
	if got := shown(t, s, "up/moving")["version"]; got == "1.0.0" {
		t.Error("a branch moved and nothing came")
	}
	if got := shown(t, s, "up/tagged")["version"]; got != "1.0.0" {
		t.Errorf("a tag stands still, its item has %v", got)
	}
	if g.times("/many/.git/git-upload-pack") != 0 {
		t.Error("a repository that has not moved was fetched again")
	}
	g.commit("theirs", map[string]string{"plugins/near/skills/near/SKILL.md": skill("near", "Nearer.")})
	synced(t, s)
	if shown(t, s, "up/near")["version"] == near || shown(t, s, "up/own")["version"] != own {
		t.Errorf("near has %v after %v, own %v after %v", shown(t, s, "up/near")["version"], near, shown(t, s, "up/own")["version"], own)
	}
	g.commit("theirs", map[string]string{".claude-plugin/marketplace.json": marketplace(entries[1:]...)})
	if v := synced(t, s); v.Gone != 1 || shown(t, s, "up/near") != nil {
		t.Errorf("a plugin that is listed no more: %+v", v)
	}
	g.commit("theirs", map[string]string{".claude-plugin/marketplace.json": marketplace(entries...)})
	if v := synced(t, s); v.Gone != 0 || shown(t, s, "up/near") == nil {
		t.Errorf("and again: %+v", v)
	}
}

// A marketplace.json by address names folders of a repository that did not come with it, and repositories that did.
func TestMarketplaceByAddress(t *testing.T) {
	g, s := hostGit(t), start(t, apitest.Engines(t)[0])
	pin := g.commit("one", map[string]string{"skills/one/SKILL.md": skill("one", "One.")})
	zip := zipped(map[string]string{"p/skills/z/SKILL.md": skill("z", "Zip.")})
	g.says("/p.zip", "application/zip", zip)
	g.says("/marketplace.json", "application/json", []byte(marketplace(
		m{"name": "beside", "source": "./plugins/x"}, m{"name": "one", "source": m{"source": "url", "url": g.address("one"), "sha": pin}},
		m{"name": "zip", "source": m{"source": "archive", "url": "/p.zip", "sha256": strings.TrimPrefix(digestOf(zip), "sha256:")}},
	)))
	add(t, s, g.URL+"/marketplace.json", "marketplace")
	v := synced(t, s)
	expect(t, refusals(t, s), map[string]string{"beside": "mirror the repository"})
	if v.Published != 2 || shown(t, s, "up/one") == nil || shown(t, s, "up/zip") == nil {
		t.Errorf("%+v", v)
	}
}
