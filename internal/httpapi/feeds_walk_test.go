package httpapi_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"oras.land/oras-go/v2/registry/remote"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/internal/market/catalog"
)

// feedWalk are addresses of every family, for ada/garden of toolPack.
var feedWalk = map[string][]string{
	"git": {"/feeds/git/marketplace.json", "/feeds/git/items/ada/garden.git/info/refs?service=git-upload-pack", "/feeds/git/owners/ada.git/info/refs?service=git-upload-pack"},
	"npm": {"/feeds/npm/@stoa%2Fada--garden", "/feeds/npm/@stoa/ada--garden/-/ada--garden-1.0.0.tgz"},
	"skills": {
		"/.well-known/agent-skills/index.json", "/.well-known/skills/index.json", "/.well-known/agent-skills/watering/SKILL.md", "/feeds/skills/by/ada/.well-known/agent-skills/index.json",
		"/feeds/skills/api/search?q=garden",
	},
	"clawhub": {
		"/.well-known/clawhub.json", "/feeds/clawhub/api/v1/skills", "/feeds/clawhub/api/v1/search?q=garden", "/feeds/clawhub/api/v1/skills/ada--garden.watering",
		"/feeds/clawhub/api/v1/skills/ada--garden.watering/verify", "/feeds/clawhub/api/v1/download?slug=ada--garden.watering",
	},
	"astrbot":      {"/feeds/astrbot/plugins.json", "/feeds/astrbot/plugins-md5.json", "/feeds/astrbot/zip/ada--garden-1.0.0.zip"},
	"mcp-registry": {"/feeds/mcp/v0.1/servers", "/feeds/mcp/v0.1/servers/local.stoa%2Fada.garden.weather/versions/latest"},
	"cards":        {"/feeds/cards/index.json", "/feeds/cards/ada--garden.png", "/feeds/cards/ada--garden.v3.json", "/feeds/cards/ada--garden.v2.json"},
	"lobe":         {"/feeds/lobe", "/feeds/lobe/index.zh-CN.json", "/feeds/lobe/ada--garden.json"},
	"dify":         {"/feeds/dify/ada--garden.yml"},
	"oci":          {"/v2/", "/v2/ada/garden/manifests/1.0.0", "/v2/ada/garden/tags/list"},
	"stoa":         {"/feeds/stoa/index.json", "/feeds/stoa/items/ada--garden.json", "/feeds/stoa/packs/ada--garden/1.0.0.zip"},
	"atom":         {"/feeds/atom/author/ada", "/feeds/atom/tag/plants"},
}

// Every address answers HEAD as it answers GET, unpacks to the same bytes, and with 304 to whoever has them.
func TestFeedsAnswerAsTheWebDoes(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	for family, paths := range feedWalk {
		for _, path := range paths {
			res, body := feedGet(t, s, path, "", "Accept-Encoding", "identity")
			if res.StatusCode != http.StatusOK || len(body) == 0 || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %s is answered with %d %s", family, path, res.StatusCode, body)
				continue
			}
			head, err := http.Head(s.URL + path)
			if err != nil || head.StatusCode != res.StatusCode || head.Header.Get("ETag") != res.Header.Get("ETag") || head.Header.Get("Content-Type") != res.Header.Get("Content-Type") {
				t.Errorf("%s: HEAD gives %+v, GET %+v: %v", path, head, res.Header, err)
			}
			packed, small := feedGet(t, s, path, "", "Accept-Encoding", "gzip")
			if packed.Header.Get("Content-Encoding") == "gzip" {
				z, err := gzip.NewReader(bytes.NewReader(small))
				if err != nil {
					t.Fatal(err)
				}
				if small, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(small, body) {
				t.Errorf("%s says something else when it is compressed", path)
			}
			if tag := res.Header.Get("ETag"); tag != "" {
				if again, rest := feedGet(t, s, path, "", "If-None-Match", tag); again.StatusCode != http.StatusNotModified || len(rest) > 0 || again.Header.Get("ETag") != tag {
					t.Errorf("%s: whoever has %s gets %d", path, tag, again.StatusCode)
				}
			} else if !strings.Contains(path, ".git/") && path != "/v2/" {
				t.Errorf("%s has no tag", path)
			}
		}
	}
}

// A feed that is off is not there, and the others are.
func TestFeedsThatAreOff(t *testing.T) {
	for off := range feedWalk {
		others := slices.DeleteFunc(httpapi.FeedNames(), func(name string) bool { return name == off })
		s := withFeeds(t, apitest.Engines(t)[0], others...)
		publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
		for family, paths := range feedWalk {
			for _, path := range paths {
				if res, body := feedGet(t, s, path, ""); (res.StatusCode == http.StatusOK) != (family != off) {
					t.Errorf("without %s, %s is answered with %d %.100s", off, path, res.StatusCode, body)
				}
			}
		}
	}
	if len(feedWalk) != len(httpapi.FeedNames()) {
		t.Errorf("the walk knows %d of %v", len(feedWalk), httpapi.FeedNames())
	}
}

// No archive of any feed holds anything that could be executed, a link, or a file outside of it.
func TestArchivesHoldNothingExecutable(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	for _, path := range []string{"/feeds/astrbot/zip/ada--garden-1.0.0.zip", "/feeds/clawhub/api/v1/download?slug=ada--garden.watering", "/feeds/stoa/packs/ada--garden/1.0.0.zip", ociLayer(t, s)} {
		_, body := feedGet(t, s, path, "")
		z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		if err != nil || len(z.File) == 0 {
			t.Fatalf("%s is no zip: %v", path, err)
		}
		for _, file := range z.File {
			if mode := file.Mode(); !mode.IsRegular() || mode.Perm()&0o111 != 0 || strings.Contains(file.Name, "..") || strings.HasPrefix(file.Name, "/") {
				t.Errorf("%s holds %s with the mode %v", path, file.Name, mode)
			}
		}
	}
}

func ociLayer(t *testing.T, s *apitest.Server) string {
	t.Helper()
	var manifest struct{ Layers []struct{ Digest string } }
	feedJSON(t, s, "/v2/ada/garden/manifests/1.0.0", &manifest)
	return "/v2/ada/garden/blobs/" + manifest.Layers[0].Digest
}

func skillPack(id, version string, skills ...string) string {
	all := m{}
	for _, name := range skills {
		all[name] = m{"text": "---\nname: " + name + "\ndescription: About " + name + ".\n---\n\n" + name + " " + version + "\n"}
	}
	return apitest.Line(m{
		"id": id, "version": version, "pack_type": "extension_pack", "category": "garden", "author": "Ada", "locales": m{"en-US": m{"title": "A pack", "description": "Helps."}},
		"sections": m{"skills": all},
	})
}

// Whoever installed a skill finds it again when the pack gets a second one or loses it.
func TestClawHubSlugsLast(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", skillPack("ada/grows", "1.0.0", "watering"), skillPack("ada/shrinks", "1.0.0", "watering", "digging"))
	publish(t, s, "ada", skillPack("ada/grows", "2.0.0", "digging", "watering"), skillPack("ada/shrinks", "2.0.0", "watering"))
	base := "/feeds/clawhub/api/v1/"
	for slug, want := range map[string]int{
		"ada--grows": 200, "ada--grows.watering": 200, "ada--grows.digging": 200, "ada--shrinks": 200, "ada--shrinks.watering": 200, "ada--shrinks.digging": 404, "ada--grows.other": 404, "ada--none": 404,
	} {
		res, body := feedGet(t, s, base+"skills/"+slug+"/file?path=SKILL.md", "")
		if res.StatusCode != want || want == 200 && !strings.HasSuffix(string(body), " 2.0.0\n") {
			t.Errorf("%s is answered with %d %s", slug, res.StatusCode, body)
		}
	}
	if _, body := feedGet(t, s, base+"skills/ada--grows/file?path=SKILL.md", ""); !strings.Contains(string(body), "watering") {
		t.Errorf("the slug of the first skill is now %s", body)
	}
	res, err := http.Post(s.URL+base+"skills/-/security-verdicts", "application/json", strings.NewReader(`{"items":[{"slug":"ada--grows","version":"1.0.0"},{"slug":"ada--shrinks.watering","version":"2.0.0"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if text := bodyOf(t, res); strings.Contains(text, "fail") {
		t.Errorf("the verdicts are %s", text)
	}
}

// A skill is found by its name, although the catalog's own search knows the pack's words alone.
func TestSkillsAreFoundByName(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", skillPack("ada/one", "1.0.0", "tree-pruning"), skillPack("ada/two", "1.0.0", "digging", "pruning"), skillPack("ada/three", "1.0.0", "else"))
	for _, path := range []string{"/feeds/clawhub/api/v1/search?q=pruning", "/feeds/skills/api/search?q=Pruning"} {
		_, body := feedGet(t, s, path, "")
		text := strings.NewReplacer("--", "/").Replace(string(body))
		if exact, part := strings.Index(text, "ada/two"), strings.Index(text, "ada/one"); exact < 0 || part < exact || strings.Contains(text, "ada/three") || strings.Index(text, "digging") < strings.Index(text, "pruning") {
			t.Errorf("%s finds %s", path, body)
		}
	}
	if _, body := feedGet(t, s, "/feeds/clawhub/api/v1/search?q=%21%21", ""); !strings.Contains(string(body), `"results":[]`) {
		t.Errorf("no words find %s", body)
	}
}

// Clients page through tags by the header that names the next page.
func TestOCITagsArePaged(t *testing.T) {
	s := feedServer(t)
	want := []string{}
	for i := range 5 {
		version := fmt.Sprintf("1.%d.0", i)
		want = append(want, version)
		publish(t, s, "ada", skillPack("ada/garden", version, "watering"))
	}
	repo, err := remote.NewRepository(strings.TrimPrefix(s.URL, "http://") + "/ada/garden")
	if err != nil {
		t.Fatal(err)
	}
	repo.PlainHTTP, repo.TagListPageSize = true, 2
	var tags []string
	pages := 0
	if err := repo.Tags(t.Context(), "", func(page []string) error { tags = append(tags, page...); pages++; return nil }); err != nil || !slices.Equal(tags, want) || pages != 3 {
		t.Errorf("in %d pages the tags are %v: %v", pages, tags, err)
	}
}

// Whoever asks a registry for changes hears of a server that is gone; nobody else does, and nothing of it is told but its name.
func TestTheRegistryTellsWhatIsGone(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"), toolPack("ada/kept", "1.0.0"))
	s.Private(t, "ada", "ada/diary")
	before := s.Clock.Now().Add(time.Minute).UTC()
	s.Clock.Advance(time.Hour)
	if err := s.App.WithdrawItem(t.Context(), catalog.KindProfilePack, "ada/garden", "reason"); err != nil {
		t.Fatal(err)
	}
	const list = "/feeds/mcp/v0.1/servers"
	since := "?updated_since=" + url.QueryEscape(before.Format(time.RFC3339))
	if _, body := feedGet(t, s, list, ""); bytes.Contains(body, []byte("ada.garden")) || !bytes.Contains(body, []byte("ada.kept")) {
		t.Errorf("the list is %s", body)
	}
	for _, query := range []string{since, "?include_deleted=true"} {
		_, body := feedGet(t, s, list+query, "")
		text := string(body)
		if !strings.Contains(text, `"name":"local.stoa/ada.garden.weather"`) || strings.Count(text, `"deleted"`) != 1 || strings.Contains(text, "Garden 1.0.0\",\"version") && query == since {
			t.Errorf("%s gives %s", query, text)
		}
		if strings.Contains(text, "ada.kept") != (query != since) {
			t.Errorf("%s: %s", query, text)
		}
	}
	if res, _ := feedGet(t, s, list+"/local.stoa%2Fada.garden.weather/versions", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("the versions of a withdrawn server are answered with %d", res.StatusCode)
	}
	if err := s.App.RestoreItem(t.Context(), catalog.KindProfilePack, "ada/garden"); err != nil {
		t.Fatal(err)
	}
	if _, body := feedGet(t, s, list+since, ""); !bytes.Contains(body, []byte("ada.garden")) || bytes.Contains(body, []byte("deleted")) {
		t.Errorf("restored: %s", body)
	}
}
