package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa/internal/platform/errs"
)

// Names of the files in a profile pack beside the sections.
const (
	manifestFile = "manifest.json"
	SecretsFile  = "secrets.age"
)

// stamp is the time of every entry: the oldest that zip can hold, since a real one would change the bytes.
var stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

type entry struct {
	name string
	data []byte
}

func writeZip(out io.Writer, entries []entry) error {
	w := zip.NewWriter(out)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: stamp})
		if err != nil {
			return fmt.Errorf("pack: %w", err)
		}
		if _, err := f.Write(e.data); err != nil {
			return fmt.Errorf("pack: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return nil
}

// Write writes a profile pack and gives its manifest as written. Sections, include_sections and hashes are made
// from the sections given, lists are sorted and a signature is dropped: what is signed is another manifest.
// sealed is the content of secrets.age, nil for none. The manifest must pass the same checks as on reading.
func Write(out io.Writer, m Manifest, sections map[string]any, sealed []byte, pictures ...Picture) (Manifest, error) {
	canonical, err := canonicals(sections)
	if err != nil {
		return Manifest{}, err
	}
	names := slices.Sorted(maps.Keys(sections))
	m.Sections, m.Hashes, m.Signature = names, map[string]string{}, nil
	m.Capabilities = sorted(m.Capabilities)
	m.Redaction.IncludeSections = names
	m.Redaction.MaskPaths, m.Redaction.DropPaths = sorted(m.Redaction.MaskPaths), sorted(m.Redaction.DropPaths)
	entries := []entry{{name: manifestFile}}
	for _, name := range names {
		if err := checkShape(name, sections[name]); err != nil {
			return Manifest{}, err
		}
		m.Hashes[sectionFile(name)] = Digest(canonical[name])
		entries = append(entries, entry{sectionFile(name), canonical[name]})
	}
	if sealed != nil {
		if err := checkSealed(m, sealed); err != nil {
			return Manifest{}, err
		}
		entries = append(entries, entry{SecretsFile, sealed})
	}
	if err := checkPictures(errs.InvalidProfilePackPayload, pictures); err != nil {
		return Manifest{}, err
	}
	for _, p := range pictures {
		entries = append(entries, entry{p.Name, p.Content})
	}
	if err := m.check(); err != nil {
		return Manifest{}, fmt.Errorf("pack: %w", err)
	}
	text, err := indented(m)
	if err != nil {
		return Manifest{}, err
	}
	entries[0].data = text
	return m, writeZip(out, entries)
}

// maxSealedBytes bounds secrets.age.
const maxSealedBytes = 1 << 20

const ageHeader = "-----BEGIN AGE ENCRYPTED FILE-----"

func checkSealed(m Manifest, sealed []byte) error {
	switch {
	case m.Redaction.Mode != "include_encrypted_secrets":
		return errors.New("secrets.age has no place in a pack of redaction mode " + m.Redaction.Mode)
	case len(sealed) > maxSealedBytes:
		return errors.New("secrets.age is larger than 1 MiB")
	case !bytes.HasPrefix(sealed, []byte(ageHeader)):
		return errors.New("secrets.age is no age file in armor")
	}
	return nil
}

// Digest is the SHA-256 of a package in lower-case hex.
func Digest(zip []byte) string {
	sum := sha256.Sum256(zip)
	return hex.EncodeToString(sum[:])
}

// longestName bounds the two parts of a file's name, in bytes.
const longestName = 100

// Filename is the name under which a package is downloaded. It says nothing but the id and the version, and means nothing
// to any system but a name: no path, no hidden file, no other kind of file.
func Filename(id, version string) string {
	return safe(id) + "-" + safe(version) + ".zip"
}

// safe keeps what is fit for a file name and a header on every system.
func safe(s string) string {
	s = strings.ReplaceAll(s, "/", "__")
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-+@", r):
			return r
		}
		return '_'
	}, s)
	if strings.HasPrefix(s, ".") {
		s = "_" + s[1:]
	}
	return s[:min(len(s), longestName)]
}

func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}

// sorted is a sorted copy without repetitions, never nil.
func sorted(list []string) []string {
	return slices.Compact(append([]string{}, slices.Sorted(slices.Values(list))...))
}
