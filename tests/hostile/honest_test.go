package hostile

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// hashBesidePassword is the template that has a password's hash and the password beside it, in each language.
const hashBesidePassword = "prisma"

// What honest members send is taken, with the bytes that were sent: templates of a public catalog as packages, their texts in two more
// languages, two bots and two vaults. -hostile.long sends all of them.
func TestHonestInputIsTaken(t *testing.T) {
	const data = "../../../shared/data"
	if _, err := os.Stat(data); err != nil {
		t.Skip("the shared data is not there:", err)
	}
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	lines := catalogLines(t, filepath.Join(data, "catalog", "agents.jsonl"))
	lines = lines[:some(25, len(lines))]
	for locale, member := range map[string]string{"en-US": "ada", "ja-JP": "bob", "zh-CN": "cyn"} {
		c, risks, high, refused := s.As(t, member), map[string]int{}, []string{}, []string{}
		for _, line := range lines {
			text := line.Locales[locale]
			in := m{"template_id": fmt.Sprint("mail/", strings.ToLower(locale[:2]), "-", line.ID), "version": "1.0.0", "title": text.Title, "description": text.Description, "tags": line.Tags, "category": line.Category, "prompt": text.Prompt}
			var zip []byte
			if locale == "en-US" {
				zip = apitest.Zip(t, map[string]string{"bundle.json": apitest.Line(in)})
				in = m{"template_id": in["template_id"], "version": "1.0.0", "package_name": "a.zip", "package_base64": apitest.Base64(zip)}
			}
			r := c.Post("/api/templates/submit", in)
			switch {
			case r.Status == 200:
				if risks[r.Str("data.risk_level")]++; r.Str("data.risk_level") == "high" {
					high = append(high, line.ID)
				}
			case line.ID == hashBesidePassword && r.Code() == "secrets_detected":
				refused = append(refused, line.ID)
			default:
				t.Errorf("%s in %s is refused: %d %.500s", line.ID, locale, r.Status, r.Body)
			}
			if r.Status == 200 && zip != nil {
				if got := c.Get("/api/member/submissions/package/download", "submission_id", r.Str("data.submission_id")).OK(t); string(got.Body) != string(zip) {
					t.Errorf("%s: the package is not what was sent", line.ID)
				}
			}
		}
		t.Logf("%s: %d sent, by risk %v, high %v, refused %v", locale, len(lines), risks, high, refused)
	}
	ada := s.As(t, "ada")
	for _, name := range []string{"astrbot_backup_20260821.zip", "cmd_config.json"} {
		content, err := os.ReadFile(filepath.Join(data, "bots", name))
		if err != nil {
			t.Fatal(err)
		}
		draft := ada.Post("/api/member/profile-pack/imports", m{"filename": name, "content_base64": apitest.Base64(content)}).OK(t).Str("data.artifact_id")
		ada.Post("/api/profile-pack/preview", m{"artifact_id": draft}).OK(t)
		id := "ada/" + strings.NewReplacer(".", "-", "_", "-").Replace(name)
		t.Logf("%s: %s", name, ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": id}).OK(t).Str("data.risk_level"))
	}
	for member, name := range map[string]string{"bob": "dendron-site.tar.gz", "cyn": "mathwiki.tar.gz"} {
		notes := vaultNotes(t, filepath.Join(data, "vault", name))
		notes = notes[:some(50, len(notes))]
		c := s.As(t, member)
		for sent := range slices.Chunk(notes, 200) {
			c.Post("/api/knowledge/ingest", m{"documents": sent}).OK(t)
		}
		if n := s.Count(t, "note WHERE owner = '"+member+"'"); n != len(notes) {
			t.Errorf("%s: %d of %d notes are kept", name, n, len(notes))
		}
		t.Logf("%s: %d notes", name, len(notes))
	}
}

type catalogLine struct {
	ID, Category string
	Tags         []string
	Locales      map[string]struct{ Title, Description, Prompt string }
}

func catalogLines(t *testing.T, file string) (all []catalogLine) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one catalogLine
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// vaultNotes are the Markdown files of an archive, as a program that keeps a vault here sends them.
func vaultNotes(t *testing.T, file string) (all []m) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || path.Ext(h.Name) != ".md" {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m{"sourcePath": h.Name, "content": string(text)})
	}
}
