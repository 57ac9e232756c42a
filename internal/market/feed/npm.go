package feed

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"time"

	"stoa/internal/market/card"
	"stoa/internal/market/ids"
)

// NPMScope is the scope that all packages of the npm view stand in.
const NPMScope = "@stoa"

// npmManifest is package.json. It never has scripts.
type npmManifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
	Homepage    string   `json:"homepage,omitempty"`
	Author      *person  `json:"author,omitempty"`
}

type npmVersion struct {
	npmManifest
	Dist npmDist `json:"dist"`
}

type npmDist struct {
	Tarball   string `json:"tarball"`
	Shasum    string `json:"shasum"`
	Integrity string `json:"integrity"`
}

type npmPackage struct {
	Name     string                `json:"name"`
	Tags     map[string]string     `json:"dist-tags"`
	Versions map[string]npmVersion `json:"versions"`
	Time     map[string]string     `json:"time"`
}

func manifestOf(c *card.Card) npmManifest {
	return npmManifest{Name: NPMScope + "/" + c.Slug, Version: c.Version, Description: c.Summary, Keywords: c.Tags, Homepage: c.Homepage, Author: author(c.Maintainer)}
}

// NPMPackage lists the versions of an item as npm reads them, cards oldest first; nil when npm could name none of them. base
// is the address of the registry.
func NPMPackage(cards []*card.Card, base string) []byte {
	p := npmPackage{Tags: map[string]string{}, Versions: map[string]npmVersion{}, Time: map[string]string{}}
	for _, c := range cards {
		if !ids.Version(c.Version) {
			continue
		}
		tarball := NPMTarball(c)
		short, long := sha1.Sum(tarball), sha512.Sum512(tarball)
		m := manifestOf(c)
		p.Name, p.Tags["latest"] = m.Name, c.Version
		p.Versions[c.Version] = npmVersion{m, npmDist{
			Tarball: base + "/" + m.Name + "/-/" + NPMFile(c), Shasum: hex.EncodeToString(short[:]), Integrity: "sha512-" + base64.StdEncoding.EncodeToString(long[:]),
		}}
		p.Time[c.Version] = c.Published.Format(time.RFC3339)
	}
	if p.Name == "" {
		return nil
	}
	return compact(p)
}

// NPMFile is the name of a version's tarball.
func NPMFile(c *card.Card) string { return c.Slug + "-" + c.Version + ".tgz" }

// NPMTarball is a plugin as a package of npm. Its bytes are stored, not packed, so that no later compressor changes the
// integrity value that somebody has locked.
func NPMTarball(c *card.Card) []byte {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.NoCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w := tar.NewWriter(z)
	files := append([]File{{"package.json", indented(manifestOf(c))}}, plugin(c)...)
	for _, f := range files {
		h := &tar.Header{Name: "package/" + f.Path, Mode: 0o644, Size: int64(len(f.Body)), ModTime: time.Unix(499162500, 0), Format: tar.FormatPAX} // the time that npm gives its own
		if err := w.WriteHeader(h); err != nil {
			panic(err) // the names come of this package
		}
		if _, err := w.Write(f.Body); err != nil {
			panic(err) // to memory
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}
