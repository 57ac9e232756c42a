package httpapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/market/redact"
)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// planted are secrets made for this run: none stands in the repository.
type planted struct {
	random *rand.Rand
	values []string
}

func (p *planted) draw(prefix, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[p.random.IntN(len(alphabet))]
	}
	b[0], b[1], b[n-1] = 'a', '7', 'f' // letters and digits, as in any real key
	p.values = append(p.values, string(b))
	return prefix + string(b)
}

// setup is a bot's configuration with a secret wherever people put one.
func (p *planted) setup(t *testing.T) []byte {
	t.Helper()
	const hexDigits = "0123456789abcdef"
	buried := p.draw("sk-"+"proj-", letters, 48)
	text, err := json.Marshal(m{
		"config_version":    2,
		"provider_settings": m{"default_personality": "gardener", "websearch_tavily_key": []any{p.draw("tvly-", hexDigits, 32)}, "max_tokens": 4096},
		"provider":          []any{m{"id": "one", "type": "openai_chat_completion", "key": []any{p.draw("sk-", letters, 48), p.draw("sk-", hexDigits, 32)}, "api_base": "https://bot:" + p.draw("", letters, 20) + "@llm.example.org/v1"}},
		"provider_sources":  []any{m{"id": "src", "apiKey": p.draw("gs"+"k_", letters, 52)}},
		"platform": []any{
			m{"id": "tg", "type": "telegram", "telegram_token": "7612345678:AA" + p.draw("", letters, 33)},
			m{"id": "wx", "type": "wecom", "corpsecret": p.draw("", letters, 43), "encoding_aes_key": p.draw("", letters, 43)},
			m{"id": "hook", "callback": "https://oapi.dingtalk.com/robot/send?access_token=" + p.draw("", hexDigits, 64)},
		},
		"persona": []any{
			m{"name": "gardener", "prompt": "You garden. When asked, call https://api.example.org with Bearer " + p.draw("", letters, 40) + " as the header."},
			m{"name": "postman", "prompt": "You carry letters.", "begin_dialogs": []any{"my key is " + p.draw("gh"+"p_", letters, 36), m{"deep": []any{m{"password": p.draw("", letters, 14)}}}}},
		},
		"mcp":  m{"mcpServers": m{"search": m{"command": "npx", "args": []any{"--api-key", p.draw("sk-"+"ant-api03-", letters, 93) + "AA"}, "env": m{"GITLAB_TOKEN": p.draw("glp"+"at-", letters, 20)}}}},
		"note": base64.StdEncoding.EncodeToString([]byte(`{"api_key":"` + buried + `"}`)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// leak names the first secret that stands in some bytes, in whatever common form; "" when there is none.
func (p *planted) leak(text []byte) string {
	for i, v := range p.values {
		forms := []string{v, url.QueryEscape(v), hex.EncodeToString([]byte(v)), fmt.Sprintf("%+q", v)}
		for shift := range 3 { // base64 of something that holds it, wherever it begins
			enc := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + v))
			enc = strings.TrimRight(enc, "=")
			if from, to := []int{0, 2, 3}[shift], len(enc)-2; to-from >= 12 {
				forms = append(forms, enc[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(enc[from:to]))
			}
		}
		for _, form := range forms {
			if bytes.Contains(text, []byte(form)) {
				return fmt.Sprintf("secret %d (%.3s…)", i, v)
			}
		}
	}
	return ""
}

// unzipped is a zip's files behind each other, for a look into what is packed.
func unzipped(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range r.File {
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(file); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	return out
}

// A setup full of secrets goes the whole way: none of them is anywhere but where its owner sealed it.
func TestSecretsStayAtHome(t *testing.T) {
	seed := rand.Uint64()
	apitest.Each(t, apitest.Options{LogLevel: -4}, func(t *testing.T, s *apitest.Server) {
		t.Logf("seed %d", seed)
		secrets := &planted{random: rand.New(rand.NewPCG(seed, 1))}
		ada := s.As(t, "ada")
		watch := func(what string, r *apitest.Reply) *apitest.Reply {
			t.Helper()
			text := r.Body
			if r.Header.Get("Content-Type") == "application/zip" && r.Status == 200 {
				for name, file := range unzipped(t, r.Body) {
					if leak := secrets.leak(file); leak != "" {
						t.Errorf("%s holds %s in %s", what, leak, name)
					}
				}
			}
			if leak := secrets.leak(text); leak != "" {
				t.Errorf("%s shows %s: %.1500s", what, leak, text)
			}
			for name, values := range r.Header {
				if leak := secrets.leak([]byte(strings.Join(values, " "))); leak != "" {
					t.Errorf("%s shows %s in %s", what, leak, name)
				}
			}
			return r
		}
		setup := secrets.setup(t)
		body := m{"filename": "cmd_config.json", "content_base64": apitest.Base64(setup), "idempotency_key": "imported"}
		draft := watch("import", ada.Post("/api/member/profile-pack/imports", body)).OK(t).Str("data.artifact_id")
		watch("a replayed import", ada.Post("/api/member/profile-pack/imports", body)).OK(t)
		watch("draft", ada.Get("/api/member/profile-pack/imports/"+draft)).OK(t)
		watch("drafts", ada.Get("/api/member/profile-pack/imports")).OK(t)
		broken := append(bytes.Clone(setup[:len(setup)-1]), `,"persona":[]}`...) // named twice
		watch("a broken import", ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(broken)})).Want(t, 400, "invalid_profile_pack_payload")
		watch("an import cut off", ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(setup[:len(setup)/2])})).Want(t, 400, "invalid_profile_pack_payload")

		identity, recipient, err := redact.GenerateIdentity()
		if err != nil {
			t.Fatal(err)
		}
		modes := []string{"exclude_secrets", "exclude_provider", "include_provider_no_key", "include_encrypted_secrets"}
		for i, mode := range modes {
			options := m{"redaction_mode": mode, "idempotency_key": mode}
			in := m{"artifact_id": draft, "pack_id": "ada/garden", "version": fmt.Sprintf("1.%d.0", i), "submit_options": options}
			if mode == "include_encrypted_secrets" {
				watch("no recipient", ada.Post("/api/profile-pack/submit", in)).Want(t, 400, "profile_pack_encryption_key_required")
				watch("no recipient", ada.Post("/api/profile-pack/preview", in)).Want(t, 400, "profile_pack_encryption_key_required")
				options["encryption_recipient"] = recipient
			}
			watch(mode+" preview", ada.Post("/api/profile-pack/preview", in)).OK(t)
			sub := watch(mode+" submit", ada.Post("/api/profile-pack/submit", in)).OK(t).Str("data.submission_id")
			watch(mode+" submit again", ada.Post("/api/profile-pack/submit", in)).OK(t)
			watch(mode+" detail", ada.Get("/api/member/profile-pack/submissions/detail", "submission_id", sub)).OK(t)
			export := watch(mode+" export", ada.Get("/api/member/profile-pack/submissions/export/download", "submission_id", sub)).OK(t)
			if mode == "include_encrypted_secrets" {
				sealed := unzipped(t, export.Body)["secrets.age"]
				opened, err := redact.Unseal(sealed, identity)
				if err != nil {
					t.Fatalf("the owner cannot open it: %v", err)
				}
				all, err := json.Marshal(opened)
				if err != nil {
					t.Fatal(err)
				}
				for j, v := range secrets.values {
					if !bytes.Contains(all, []byte(v)) && j > 0 { // the first is buried in base64
						t.Errorf("secret %d was not sealed", j)
					}
				}
				if _, stranger, err := redact.GenerateIdentity(); err != nil || stranger == recipient {
					t.Error(err)
				}
			} else if _, ok := unzipped(t, export.Body)["secrets.age"]; ok {
				t.Errorf("%s has sealed secrets", mode)
			}
			review, err := s.App.Review(t.Context(), sub)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := json.Marshal(review); err != nil || secrets.leak(text) != "" {
				t.Errorf("%s review shows %s %v", mode, secrets.leak(text), err)
			}
			if _, err := s.App.Approve(t.Context(), sub, "fine", false); err != nil {
				t.Fatal(err)
			}
			nobody := s.Nobody(t)
			watch(mode+" catalog", nobody.Get("/api/profile-pack/catalog/detail", "pack_id", "ada/garden")).OK(t)
			watch(mode+" compare", nobody.Get("/api/profile-pack/catalog/compare", "pack_id", "ada/garden")).OK(t)
			watch(mode+" compare with the draft", ada.Get("/api/profile-pack/catalog/compare", "pack_id", "ada/garden", "base_artifact_id", draft)).OK(t)
			watch(mode+" compare with another", nobody.Get("/api/profile-pack/catalog/compare", "pack_id", starter, "base_pack_id", "ada/garden")).OK(t)
			watch(mode+" download", s.As(t, "bob").Get("/api/profile-pack/package/download", "pack_id", "ada/garden")).OK(t)
		}
		// The member's stored recipient does as well as one in the options.
		ada.Post("/api/preferences/recipient", m{"recipient": recipient}).OK(t)
		watch("stored recipient", ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/stored", "submit_options": m{"redaction_mode": "include_encrypted_secrets"}})).OK(t)
		// A secret in the texts around is a secret too.
		watch("secret in a text", ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/told", "description": "My key is " + "gh" + "p_" + secrets.values[len(secrets.values)-4]}))

		secretPackages(t, s, secrets, watch)

		for _, path := range []string{"/api/member/tasks", "/api/notifications", "/api/runtime-request-trace?limit=200", "/api/member/transfers?limit=200", "/api/member/profile-pack/submissions", "/api/member/submissions", "/api/profile-pack/catalog"} {
			watch(path, ada.Do("GET", path, nil)).OK(t)
		}
		if leak := secrets.leak([]byte(s.Log())); leak != "" {
			t.Errorf("the log shows %s", leak)
		}
		if leak := secrets.leak([]byte(s.Rows(t))); leak != "" {
			t.Errorf("a row holds %s", leak)
		}
		onDisk(t, s, secrets)
	})
}

// secretPackages submits templates with a secret in them: nothing of these is kept.
func secretPackages(t *testing.T, s *apitest.Server, secrets *planted, watch func(string, *apitest.Reply) *apitest.Reply) {
	t.Helper()
	ada := s.As(t, "ada")
	key := secrets.draw("gh"+"p_", letters, 36)
	before, files := s.Count(t, "submission"), filesOf(t, s)
	zip := apitest.TemplatePackage(t, "ada/leaky", "1.0.0", "You are careless.", map[string]string{"tools/call.py": "import os\n\n\ntoken = \"" + key + "\"\n"})
	r := watch("a leaky package", ada.Post("/api/templates/submit", m{"template_id": "ada/leaky", "package_name": "p.zip", "package_base64": apitest.Base64(zip)})).Want(t, 422, "secrets_detected")
	if fields := r.All("error.details", "field"); !slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, "tools/call.py:4:") }) {
		t.Errorf("the place is not named: %v", fields)
	}
	watch("a leaky prompt", ada.Post("/api/templates/submit", m{"template_id": "ada/leaky", "prompt": "Use " + key + " for everything."})).Want(t, 422, "secrets_detected")
	bundle := apitest.TemplatePackage(t, "ada/leaky", "1.0.0", "Use "+key+" for everything.", nil)
	watch("a leaky bundle", ada.Post("/api/templates/submit", m{"template_id": "ada/leaky", "package_name": "p.zip", "package_base64": apitest.Base64(bundle)})).Want(t, 422, "secrets_detected")
	clean := apitest.TemplatePackage(t, "ada/leaky", "1.0.0", "You are careful.", nil)
	for _, field := range []string{"title", "description", "change_note", "maintainer", "category", "tags"} {
		in := m{"template_id": "ada/leaky", "prompt": "x", field: "See " + key}
		if field == "tags" {
			in[field] = []string{"good", key}
		}
		if r := watch("a leaky "+field, ada.Post("/api/templates/submit", in)); r.Status != 422 || r.Code() != "secrets_detected" {
			t.Errorf("a secret as %s: %d %s", field, r.Status, r.Code())
		}
		if field == "change_note" || field == "title" { // what counts beside a package too
			in["package_name"], in["package_base64"] = "p.zip", apitest.Base64(clean)
			if r := watch("a leaky "+field, ada.Post("/api/templates/submit", in)); r.Status != 422 || r.Code() != "secrets_detected" {
				t.Errorf("a secret as %s of a package: %d %s", field, r.Status, r.Code())
			}
		}
	}
	if s.Count(t, "submission") != before || filesOf(t, s) != files {
		t.Error("a package with a secret has left something")
	}
}

// onDisk looks into every file that the server has written, the database and its log of writes among them.
func onDisk(t *testing.T, s *apitest.Server, secrets *planted) {
	t.Helper()
	err := filepath.WalkDir(s.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if leak := secrets.leak(text); leak != "" {
			t.Errorf("%s holds %s", filepath.Base(path), leak)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
