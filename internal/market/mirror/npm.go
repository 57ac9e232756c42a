package mirror

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"hash"
	"net/url"
	"regexp"
	"strings"

	"stoa/internal/platform/fetch"
)

// publicNPM is the registry of packages that a plugin's source means when it names none.
const publicNPM = "https://registry.npmjs.org"

// npmSource is a plugin that comes as a package of npm.
type npmSource struct {
	Package  string `json:"package"`
	Version  string `json:"version"` // a version or a tag; "" means the tag "latest"
	Registry string `json:"registry"`
}

// packed is a version of a package: where its tarball is, and what it must be.
type packed struct {
	Package   string `json:"package"`
	Version   string `json:"version"`
	Tarball   string `json:"tarball"`
	Integrity string `json:"integrity"`
}

var (
	npmName    = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]{0,100}/)?[a-z0-9~-][a-z0-9._~-]{0,200}$`)
	npmVersion = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,100}$`)
)

// locate asks the registry which tarball the source is now; pinned when it names a version, which never changes.
func (n npmSource) locate(ctx context.Context, s *Session) (at packed, pinned bool, err error) {
	registry := strings.TrimRight(n.Registry, "/")
	if registry == "" {
		registry = publicNPM
	}
	if err := fetch.Check(registry); err != nil || strings.ContainsAny(registry, "?#") {
		return at, false, refuse("its registry of packages has no address of the web")
	}
	if !npmName.MatchString(n.Package) {
		return at, false, refuse("its source names no package of npm")
	}
	if n.Version != "" && !npmVersion.MatchString(n.Version) {
		return at, false, refuse("its source names a range of versions; one version or a tag can be followed")
	}
	var about struct {
		Name     string            `json:"name"`
		Tags     map[string]string `json:"dist-tags"`
		Versions map[string]struct {
			Dist struct {
				Tarball   string `json:"tarball"`
				Integrity string `json:"integrity"`
			} `json:"dist"`
		} `json:"versions"`
	}
	address := registry + "/" + strings.Replace(n.Package, "/", "%2f", 1)
	if _, err := getJSON(ctx, s, address, "", maxPackage, &about); err != nil {
		return at, false, err
	}
	at = packed{Package: n.Package, Version: n.Version}
	found, pinned := about.Versions[n.Version]
	if !pinned {
		tag := n.Version
		if tag == "" {
			tag = "latest"
		}
		at.Version = about.Tags[tag]
		found = about.Versions[at.Version]
	}
	switch {
	case about.Name != n.Package:
		return at, pinned, refuse("its registry answers with another package")
	case found.Dist.Tarball == "":
		return at, pinned, refuse("its registry has no version %.60q of it", n.Version)
	}
	if at.Integrity = strongest(found.Dist.Integrity); at.Integrity == "" {
		return at, pinned, refuse("its registry gives no digest of SHA-256 or better for it")
	}
	at.Tarball, err = resolve(address, found.Dist.Tarball)
	if err == nil && fetch.Check(at.Tarball) != nil {
		err = refuse("its tarball has no address of the web")
	}
	return at, pinned, err
}

var integrities = []struct {
	name string
	hash func() hash.Hash
}{{"sha512", sha512.New}, {"sha384", sha512.New384}, {"sha256", sha256.New}}

// strongest is the best digest of a text like "sha1-… sha512-…"; "" when there is none.
func strongest(text string) string {
	for _, one := range integrities {
		for _, word := range strings.Fields(text) {
			word, _, _ = strings.Cut(word, "?")
			sum, ok := strings.CutPrefix(word, one.name+"-")
			if raw, err := base64.StdEncoding.DecodeString(sum); ok && err == nil && len(raw) == one.hash().Size() {
				return word
			}
		}
	}
	return ""
}

// isWhole tells whether bytes are what an integrity says.
func isWhole(body []byte, integrity string) bool {
	for _, one := range integrities {
		if want, ok := strings.CutPrefix(integrity, one.name+"-"); ok {
			h := one.hash()
			h.Write(body)
			return subtle.ConstantTimeCompare([]byte(base64.StdEncoding.EncodeToString(h.Sum(nil))), []byte(want)) == 1
		}
	}
	return false
}

// files fetches the tarball and reads its texts. Nothing of it is run, its dependencies are not fetched.
func (p packed) files(ctx context.Context, s *Session) (files map[string]string, sum string, err error) {
	answer, err := s.Get(ctx, p.Tarball, "", maxPackage)
	if err != nil {
		return nil, "", err
	}
	if !isWhole(answer.Body, p.Integrity) {
		return nil, "", refuse("its package is not the one that its registry lists: the digests differ")
	}
	if files, err = unpack(answer.Body); err != nil {
		return nil, "", err
	}
	var manifest struct {
		Name string `json:"name"`
	}
	if json.Unmarshal([]byte(files["package.json"]), &manifest) != nil || manifest.Name != p.Package {
		return nil, "", refuse("its package says that it is another")
	}
	return files, digest(answer.Body), nil
}

// page is where people find a package.
func (p packed) page(base string) string {
	if u, err := url.Parse(p.Tarball); err == nil && u.Host == "registry.npmjs.org" {
		return "https://www.npmjs.com/package/" + p.Package
	}
	return base
}
