package httpapi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/memory"
	"oras.land/oras-go/v2/registry/remote"

	"stoa/internal/market/catalog"
)

var (
	pythonName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	pythonKeyword = []string{"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"}
)

// The rules of AstrBot's market sources and of its installer, as its documents and its dashboard's code have them.
func TestAstrBotSourceKeepsItsRules(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden-tools", "1.0.0-beta.1"))
	_, raw := feedGet(t, s, "/feeds/astrbot/plugins.json", "")
	var sum struct{ MD5 string }
	feedJSON(t, s, "/feeds/astrbot/plugins-md5.json", &sum)
	if want := md5.Sum(raw); sum.MD5 != hex.EncodeToString(want[:]) {
		t.Errorf("the sum is %s, the list has %x", sum.MD5, want)
	}
	var source map[string]map[string]any
	if err := json.Unmarshal(raw, &source); err != nil {
		t.Fatal(err)
	}
	meta := source["$meta"]
	if meta["schema_version"] != 1.0 || meta["name"] == "" {
		t.Errorf("$meta is %v", meta)
	}
	if _, err := time.Parse(time.RFC3339, meta["updated_at"].(string)); err != nil {
		t.Error(err)
	}
	delete(source, "$meta")
	if source["ada/stoa_ada__garden_tools"] == nil {
		t.Errorf("the pack is not listed: %s", raw)
	}
	folded := map[string]bool{}
	for key, p := range source {
		if folded[strings.ToLower(key)] {
			t.Errorf("%s is there twice but for case", key)
		}
		folded[strings.ToLower(key)] = true
		text := func(name string) string { s, _ := p[name].(string); return s }
		for _, needed := range []string{"author", "name", "version", "repo", "desc"} {
			if strings.TrimSpace(text(needed)) == "" {
				t.Errorf("%s has no %s", key, needed)
			}
		}
		for _, reserved := range []string{"plugin_id", "market_plugin_id", "market_plugin_identifier", "root_dir_name", "local_plugin_name", "install_method", "registry_url", "registry_name", "installed_at"} {
			if _, there := p[reserved]; there {
				t.Errorf("%s names the reserved %s", key, reserved)
			}
		}
		if key != text("author")+"/"+text("name") {
			t.Errorf("%s is by %s and called %s", key, text("author"), text("name"))
		}
		repo, err := url.Parse(text("repo"))
		if err != nil || repo.Host == "" || strings.Count(strings.Trim(repo.Path, "/"), "/") < 1 || strings.HasSuffix(repo.Path, ".zip") {
			t.Errorf("%s: the repository is %s", key, text("repo"))
		}
		if !strings.HasSuffix(text("download_url"), ".zip") {
			t.Errorf("%s is downloaded from %s", key, text("download_url"))
		}
		_, body := feedGet(t, s, strings.TrimPrefix(text("download_url"), s.URL), "")
		checkAstrBotPlugin(t, body, text("author"), text("name"), text("version"))
	}
}

func checkAstrBotPlugin(t *testing.T, body []byte, author, name, version string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	files := map[string]string{}
	for _, f := range z.File {
		if f.Mode()&0o111 != 0 || !f.Mode().IsRegular() || path.Clean(f.Name) != f.Name || path.IsAbs(f.Name) || strings.HasPrefix(f.Name, "..") {
			t.Errorf("%s holds %s with the mode %v", name, f.Name, f.Mode())
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		files[f.Name] = string(text)
	}
	var meta map[string]string
	if err := yaml.Unmarshal([]byte(files["metadata.yaml"]), &meta); err != nil {
		t.Error(err)
	}
	if meta["author"] != author || meta["name"] != name || meta["version"] != version || meta["desc"] == "" || !pythonName.MatchString(meta["name"]) || slices.Contains(pythonKeyword, meta["name"]) {
		t.Errorf("metadata.yaml of %s is %v", name, meta)
	}
	if !strings.Contains(files["main.py"], "class StoaSkills(Star)") || strings.Count(files["main.py"], "import") != 1 {
		t.Errorf("%s comes with code of its own: %s", name, files["main.py"])
	}
	if _, there := files["requirements.txt"]; there {
		t.Errorf("%s has something installed", name)
	}
	skills := 0
	for file, text := range files {
		folder, ok := strings.CutPrefix(file, "skills/")
		if !ok {
			continue
		}
		skills++
		if !strings.HasSuffix(folder, "/SKILL.md") || !strings.Contains(text, "\nname: "+path.Dir(folder)+"\n") {
			t.Errorf("%s: %s begins %.60q", name, file, text)
		}
	}
	if skills == 0 {
		t.Errorf("%s has no skills", name)
	}
}

var serverName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

func TestMCPRegistryListsServersWithoutValues(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	before := s.Clock.Now()
	publish(t, s, "ada", strings.Replace(toolPack("ada/garden", "1.1.0"), `"-y"`, `"-y","--quiet"`, 1), toolPack("ada/second", "1.0.0"))
	type server struct {
		Server struct {
			Name, Description, Version string
			Packages                   []struct {
				RegistryType, Identifier string
				EnvironmentVariables     []map[string]any
			}
		}
		Meta map[string]map[string]any `json:"_meta"`
	}
	var list struct {
		Servers  []server
		Metadata struct{ NextCursor string }
	}
	feedJSON(t, s, "/feeds/mcp/v0.1/servers?limit=1", &list)
	if len(list.Servers) != 1 || list.Metadata.NextCursor == "" {
		t.Fatalf("the first page is %+v", list)
	}
	first := list.Servers[0]
	if name := first.Server.Name; !serverName.MatchString(name) || name != "local.stoa/ada.garden.weather" || len(first.Server.Description) == 0 || len(first.Server.Description) > 100 {
		t.Errorf("the server is %+v", first)
	}
	if p := first.Server.Packages; len(p) != 1 || p[0].RegistryType != "npm" || p[0].Identifier != "weather-mcp" || p[0].EnvironmentVariables[0]["isSecret"] != true || p[0].EnvironmentVariables[0]["value"] != nil {
		t.Errorf("its package is %+v", p)
	}
	if first.Meta["io.modelcontextprotocol.registry/official"]["status"] != "active" {
		t.Errorf("it says of itself %v", first.Meta)
	}
	feedJSON(t, s, "/feeds/mcp/v0.1/servers?cursor="+url.QueryEscape(list.Metadata.NextCursor), &list)
	if len(list.Servers) != 1 || list.Servers[0].Server.Name != "local.stoa/ada.second.weather" {
		t.Errorf("the second page is %+v", list)
	}
	feedJSON(t, s, "/feeds/mcp/v0.1/servers?updated_since="+before.Add(time.Hour).UTC().Format(time.RFC3339), &list)
	if len(list.Servers) != 0 {
		t.Errorf("nothing has changed since, but %+v", list)
	}
	at := "/feeds/mcp/v0.1/servers/" + url.QueryEscape(first.Server.Name)
	feedJSON(t, s, at+"/versions", &list)
	if len(list.Servers) != 2 || list.Servers[0].Server.Version != "1.1.0" {
		t.Errorf("the versions are %+v", list.Servers)
	}
	var one server
	if feedJSON(t, s, at+"/versions/latest", &one); one.Server.Version != "1.1.0" {
		t.Errorf("the latest is %+v", one)
	}
	if res, _ := feedGet(t, s, at+"/versions/9.9.9", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("a version that is not there is answered with %d", res.StatusCode)
	}
}

func TestPersonasInOthersFormats(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	_, png := feedGet(t, s, "/feeds/cards/ada--garden.png", "")
	i := bytes.Index(png, []byte("ccv3\x00"))
	if !bytes.HasPrefix(png, []byte("\x89PNG\r\n\x1a\n")) || i < 0 {
		t.Fatalf("the picture of %d bytes holds no card", len(png))
	}
	end := bytes.IndexByte(png[i+5:], '=')
	if end < 0 {
		end = len(png) - i - 5 - 16
	}
	if _, err := base64.StdEncoding.DecodeString(string(png[i+5 : i+5+(end/4)*4])); err != nil {
		t.Error(err)
	}
	for file, want := range map[string]string{"v3.json": "chara_card_v3", "v2.json": "chara_card_v2"} {
		var c struct {
			Spec string
			Data struct {
				Name   string
				Prompt string `json:"system_prompt"`
			}
		}
		if feedJSON(t, s, "/feeds/cards/ada--garden."+file, &c); c.Spec != want || c.Data.Name != "gardener" || c.Data.Prompt != "You are a gardener." {
			t.Errorf("%s is %+v", file, c)
		}
	}
	var index struct {
		Schema int `json:"schemaVersion"`
		Agents []struct{ Identifier string }
	}
	feedJSON(t, s, "/feeds/lobe/index.zh-CN.json", &index)
	if !slices.ContainsFunc(index.Agents, func(a struct{ Identifier string }) bool { return a.Identifier == "ada--garden" }) {
		t.Errorf("the index of agents is %+v", index)
	}
	for _, a := range index.Agents {
		var agent struct {
			Identifier string
			Config     struct{ SystemRole string }
		}
		if feedJSON(t, s, "/feeds/lobe/"+a.Identifier+".zh-CN.json", &agent); agent.Identifier != a.Identifier || agent.Config.SystemRole == "" {
			t.Errorf("the agent %s is %+v", a.Identifier, agent)
		}
	}
	_, dify := feedGet(t, s, "/feeds/dify/ada--garden.yml", "")
	var app struct {
		Kind  string
		Model struct {
			Prompt string `yaml:"pre_prompt"`
		} `yaml:"model_config"`
	}
	if err := yaml.Unmarshal(dify, &app); err != nil || app.Kind != "app" || app.Model.Prompt != "You are a gardener." {
		t.Errorf("the application is %s: %v", dify, err)
	}
}

func TestOCIPullsByTagAndDigest(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	publish(t, s, "ada", toolPack("ada/garden", "1.1.0"))
	ctx := t.Context()
	repo, err := remote.NewRepository(strings.TrimPrefix(s.URL, "http://") + "/ada/garden")
	if err != nil {
		t.Fatal(err)
	}
	repo.PlainHTTP = true
	var tags []string
	if err := repo.Tags(ctx, "", func(page []string) error { tags = append(tags, page...); return nil }); err != nil || !slices.Equal(tags, []string{"1.0.0", "1.1.0"}) {
		t.Errorf("the tags are %v: %v", tags, err)
	}
	store := memory.New()
	got, err := oras.Copy(ctx, repo, "1.0.0", store, "one", oras.DefaultCopyOptions) // which compares every digest
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oras.Copy(ctx, repo, got.Digest.String(), memory.New(), "again", oras.DefaultCopyOptions); err != nil {
		t.Errorf("by digest: %v", err)
	}
	if latest, err := repo.Resolve(ctx, "latest"); err != nil || latest.Digest == got.Digest {
		t.Errorf("the latest is %v: %v", latest, err)
	}
	referring, err := referrers(ctx, repo, got.Digest.String())
	if err != nil || referring != 1 {
		t.Errorf("%d artifacts refer to it: %v", referring, err)
	}
	withdraw(t, s, catalog.KindProfilePack, "ada/garden")
	if _, err := repo.Resolve(ctx, "1.0.0"); err == nil {
		t.Error("a withdrawn item can be resolved")
	}
}

func referrers(ctx context.Context, repo *remote.Repository, digest string) (n int, err error) {
	d, err := repo.Resolve(ctx, digest)
	if err != nil {
		return 0, err
	}
	all, err := repo.Predecessors(ctx, d)
	return len(all), err
}
