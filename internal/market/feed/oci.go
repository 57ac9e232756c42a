package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"stoa/internal/market/card"
)

// Media types of the OCI view.
const (
	OCIManifestType = "application/vnd.oci.image.manifest.v1+json"
	OCIIndexType    = "application/vnd.oci.image.index.v1+json"
	ociPackType     = "application/vnd.stoa.pack.v1+zip"
	ociCardType     = "application/vnd.stoa.card.v1+json"
	ociEmptyType    = "application/vnd.oci.empty.v1+json"
)

// ociEmpty is the configuration of artifacts that have none.
const ociEmpty = "{}"

// Descriptor names a blob or a manifest by its digest.
type Descriptor struct {
	MediaType    string            `json:"mediaType"`
	Digest       string            `json:"digest"`
	Size         int64             `json:"size"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

type ociManifest struct {
	Schema       int               `json:"schemaVersion"`
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType"`
	Config       Descriptor        `json:"config"`
	Layers       []Descriptor      `json:"layers"`
	Subject      *Descriptor       `json:"subject,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// OCIVersion is one version as an artifact: its package, and what it carries and what of it runs as one that refers to it.
type OCIVersion struct {
	Tag      string
	Card     *card.Card
	Manifest []byte
	Digest   string
	// About is the manifest that refers to Manifest, and AboutBlob what it holds.
	About, AboutBlob             []byte
	AboutDigest, AboutBlobDigest string
}

var notTag = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// OCI makes the artifact of a version.
func OCI(c *card.Card) OCIVersion {
	v := OCIVersion{Tag: strings.TrimLeft(notTag.ReplaceAllString(c.Version, "_"), ".-"), Card: c, AboutBlob: indented(origin(c))}
	empty := describeBytes(ociEmptyType, []byte(ociEmpty))
	about := map[string]string{
		"org.opencontainers.image.title": c.Title, "org.opencontainers.image.version": c.Version, "org.opencontainers.image.created": c.Published.Format(time.RFC3339),
	}
	v.Manifest = compact(ociManifest{
		Schema: 2, MediaType: OCIManifestType, ArtifactType: ociPackType, Config: empty, Annotations: about,
		Layers: []Descriptor{{MediaType: ociPackType, Digest: "sha256:" + c.SHA256, Size: c.Size, Annotations: map[string]string{"org.opencontainers.image.title": c.Slug + "-" + v.Tag + ".zip"}}},
	})
	subject := describeBytes(OCIManifestType, v.Manifest)
	v.Digest = subject.Digest
	layer := describeBytes(ociCardType, v.AboutBlob)
	v.AboutBlobDigest = layer.Digest
	layer.Annotations = map[string]string{"org.opencontainers.image.title": "STOA.json"}
	v.About = compact(ociManifest{Schema: 2, MediaType: OCIManifestType, ArtifactType: ociCardType, Config: empty, Layers: []Descriptor{layer}, Subject: &subject})
	v.AboutDigest = Digest(v.About)
	return v
}

// Digest is how OCI names bytes.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func describeBytes(kind string, body []byte) Descriptor {
	return Descriptor{MediaType: kind, Digest: Digest(body), Size: int64(len(body))}
}

// OCIEmpty is the blob that stands for a missing configuration, and its digest.
func OCIEmpty() (body []byte, digest string) {
	return []byte(ociEmpty), Digest([]byte(ociEmpty))
}

// OCITags lists the tags of a repository after one, at most limit of them; last is the one to go on after, "" for the end.
func OCITags(name string, versions []OCIVersion, after string, limit int) (list []byte, last string) {
	tags := []string{}
	for _, v := range versions {
		if v.Tag <= after {
			continue
		}
		if len(tags) == limit {
			last = tags[limit-1]
			break
		}
		tags = append(tags, v.Tag)
	}
	return compact(map[string]any{"name": name, "tags": tags}), last
}

// OCIReferrers lists what refers to a digest.
func OCIReferrers(versions []OCIVersion, digest, kind string) []byte {
	found := []Descriptor{}
	for _, v := range versions {
		if v.Digest == digest && (kind == "" || kind == ociCardType) {
			d := describeBytes(OCIManifestType, v.About)
			d.ArtifactType = ociCardType
			found = append(found, d)
		}
	}
	return compact(map[string]any{"schemaVersion": 2, "mediaType": OCIIndexType, "manifests": found})
}
