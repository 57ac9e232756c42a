package httpapi_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/market/catalog"
)

// feedGet asks a feed over the network, as somebody else's program does.
func feedGet(t testing.TB, s *apitest.Server, path, token string, header ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

// feedJSON reads a feed that must be there.
func feedJSON(t testing.TB, s *apitest.Server, path string, into any) {
	t.Helper()
	res, body := feedGet(t, s, path, "")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, res.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, body)
	}
}

func TestNPMPackagesFitTheirIntegrity(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	publish(t, s, "ada", toolPack("ada/garden", "1.1.0"))
	for _, name := range []string{"@stoa%2Fada--garden", "@stoa%2fada--garden", "@stoa/ada--garden"} {
		var p struct {
			Tags     map[string]string `json:"dist-tags"`
			Versions map[string]struct {
				Scripts map[string]string
				Dist    struct{ Tarball, Integrity string }
			}
		}
		feedJSON(t, s, "/feeds/npm/"+name, &p)
		if p.Tags["latest"] != "1.1.0" || len(p.Versions) != 2 {
			t.Fatalf("%s has %+v", name, p)
		}
		for v, one := range p.Versions {
			_, tarball := feedGet(t, s, strings.TrimPrefix(one.Dist.Tarball, s.URL), "")
			sum := sha512.Sum512(tarball)
			if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != one.Dist.Integrity {
				t.Errorf("%s: the tarball has %s, the list says %s", v, got, one.Dist.Integrity)
			}
			z, err := gzip.NewReader(bytes.NewReader(tarball))
			if err != nil {
				t.Fatal(err)
			}
			for r := tar.NewReader(z); ; {
				h, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil || !strings.HasPrefix(h.Name, "package/") || h.Mode&0o111 != 0 || h.Typeflag != tar.TypeReg {
					t.Fatalf("%s holds %+v: %v", v, h, err)
				}
				if body, _ := io.ReadAll(r); h.Name == "package/package.json" && (bytes.Contains(body, []byte("scripts")) || !bytes.Contains(body, []byte(`"version": "`+v+`"`))) {
					t.Errorf("%s: package.json is %s", v, body)
				}
			}
		}
	}
	for _, missing := range []string{"npm", "@stoa/ada--none", "@stoa/ada--garden/-/ada--garden-9.0.0.tgz", "@stoa/ada--garden/-/other-1.0.0.tgz", "@other/ada--garden"} {
		if res, _ := feedGet(t, s, "/feeds/npm/"+missing, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered with %d", missing, res.StatusCode)
		}
	}
}

func TestSkillIndexesFitTheirFiles(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	publish(t, s, "bob", toolPack("bob/garden", "1.0.0"))
	for root, want := range map[string]string{"": "bob-watering", "/feeds/skills": "bob-watering", "/feeds/skills/by/bob": "watering"} {
		var index struct {
			Schema string `json:"$schema"`
			Skills []struct{ Name, Type, Description, URL, Digest string }
		}
		feedJSON(t, s, root+"/.well-known/agent-skills/index.json", &index)
		seen := map[string]bool{}
		for _, skill := range index.Skills {
			if seen[skill.Name] {
				t.Errorf("%s names %s twice", root, skill.Name)
			}
			seen[skill.Name] = true
			_, text := feedGet(t, s, root+"/.well-known/agent-skills/"+skill.URL, "")
			sum := sha256.Sum256(text)
			if "sha256:"+hex.EncodeToString(sum[:]) != skill.Digest || skill.Type != "skill-md" || skill.Description == "" {
				t.Errorf("%s%s does not fit %+v", root, skill.Name, skill)
			}
		}
		if !seen[want] {
			t.Errorf("%s has no %s: %v", root, want, seen)
		}
		var early struct {
			Skills []struct {
				Name  string
				Files []string
			}
		}
		feedJSON(t, s, root+"/.well-known/skills/index.json", &early)
		if len(early.Skills) != len(index.Skills) {
			t.Errorf("%s: the early index has %d skills, the new one %d", root, len(early.Skills), len(index.Skills))
		}
		if res, text := feedGet(t, s, root+"/.well-known/skills/"+want+"/SKILL.md", ""); res.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("# Watering")) {
			t.Errorf("%s: %d %s", want, res.StatusCode, text)
		}
	}
	if res, _ := feedGet(t, s, "/feeds/skills/by/nobody/.well-known/agent-skills/index.json", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("the index of nobody is answered with %d", res.StatusCode)
	}
}

func TestClawHubSearchInstallVerdict(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"), apitest.Line(m{"id": "ada/letters", "locales": m{"en-US": m{"title": "Letters", "description": "Writes letters.", "prompt": "Write a letter."}}, "version": "2.0.0"}))
	base := "/feeds/clawhub/api/v1/"
	var found struct {
		Results []struct{ Slug, Version, OwnerHandle string }
	}
	feedJSON(t, s, base+"search?q=letters", &found)
	if len(found.Results) == 0 || found.Results[0].Slug != "ada--letters" || found.Results[0].OwnerHandle != "ada" {
		t.Errorf("the search finds %+v", found)
	}
	slugs, cursor := map[string]bool{}, ""
	for range 50 {
		var page struct {
			Items      []struct{ Slug string }
			NextCursor string
		}
		feedJSON(t, s, base+"skills?limit=3&cursor="+cursor, &page)
		for _, item := range page.Items {
			if slugs[item.Slug] {
				t.Errorf("%s stands on two pages", item.Slug)
			}
			slugs[item.Slug] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if !slugs["ada--letters"] || !slugs["ada--garden.watering"] || !slugs["ada--garden.risky"] {
		t.Errorf("the list has %v", slugs)
	}
	_, body := feedGet(t, s, base+"download?slug=ada--garden.watering&version=1.0.0", "")
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || len(z.File) != 1 || z.File[0].Name != "SKILL.md" {
		t.Fatalf("the download is no zip of one skill: %v", err)
	}
	verdict := func(slug string) string {
		res, err := http.Post(s.URL+base+"skills/-/security-verdicts", "application/json", strings.NewReader(`{"skills":[{"slug":"`+slug+`","version":"1.0.0"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var out struct {
			Schema string
			Items  []struct{ Decision string }
		}
		if err := json.NewDecoder(res.Body).Decode(&out); err != nil || len(out.Items) != 1 || out.Schema != "clawhub.skill.security-verdicts.v1" {
			t.Fatalf("%d %+v: %v", res.StatusCode, out, err)
		}
		return out.Items[0].Decision
	}
	if got := verdict("ada--garden.watering"); got != "pass" {
		t.Errorf("a clean skill is judged %s", got)
	}
	withdraw(t, s, catalog.KindProfilePack, "ada/garden")
	if got := verdict("ada--garden.watering"); got != "fail" {
		t.Errorf("a withdrawn skill is judged %s", got)
	}
	if res, _ := feedGet(t, s, base+"skills/ada--garden.watering", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("a withdrawn skill is answered with %d", res.StatusCode)
	}
}

func TestFeedsAreCachedByTheirTag(t *testing.T) {
	s := feedServer(t)
	publish(t, s, "ada", toolPack("ada/garden", "1.0.0"))
	path := "/.well-known/agent-skills/index.json"
	first, body := feedGet(t, s, path, "", "Accept-Encoding", "identity")
	packed, small := feedGet(t, s, path, "", "Accept-Encoding", "gzip")
	tag, packedTag := first.Header.Get("ETag"), packed.Header.Get("ETag")
	if strings.HasPrefix(tag, "W/") || tag == "" || tag == packedTag || packed.Header.Get("Content-Encoding") != "gzip" || len(small) >= len(body) {
		t.Errorf("tags %s and %s, %d and %d bytes", tag, packedTag, len(body), len(small))
	}
	for _, known := range []string{tag, packedTag} {
		if res, body := feedGet(t, s, path, "", "If-None-Match", known); res.StatusCode != http.StatusNotModified || len(body) > 0 || res.Header.Get("ETag") != known {
			t.Errorf("%s is answered with %d %s", known, res.StatusCode, res.Header.Get("ETag"))
		}
	}
	res, err := http.Head(s.URL + path)
	if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("ETag") == "" || res.ContentLength <= 0 {
		t.Errorf("HEAD: %v %+v", err, res)
	}
	// What only its owner sees changes the owner's tag alone, and nobody may keep it for others.
	token := withToken(t, s, "ada", "read").Token
	s.Private(t, "ada", "ada/diary")
	own, ownBody := feedGet(t, s, path, token, "Accept-Encoding", "identity")
	if !bytes.Contains(ownBody, []byte("diary")) || own.Header.Get("Cache-Control") != "private, no-cache" || !strings.Contains(own.Header.Get("Vary"), "Authorization") {
		t.Errorf("the owner sees %s with %v", ownBody, own.Header)
	}
	if res, body := feedGet(t, s, path, "", "If-None-Match", own.Header.Get("ETag")); res.StatusCode != http.StatusOK || bytes.Contains(body, []byte("diary")) {
		t.Errorf("a stranger with the owner's tag gets %d %s", res.StatusCode, body)
	}
	if res, _ := feedGet(t, s, path, "no-such-token"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("an unknown token is answered with %d", res.StatusCode)
	}
}
