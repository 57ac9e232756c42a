package httpapi_test

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi/routes"
	"stoa/internal/market/catalog"
)

// What a client of the earlier service reads, a line each: the operation and the path of the field.
//
//go:embed testdata/client_reads.txt
var clientReads string

func reads() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(clientReads) {
		if op, path, ok := strings.Cut(strings.TrimSpace(line), " "); ok && op != "#" {
			out[op] = append(out[op], path)
		}
	}
	return out
}

// Whatever such a client reads, the contract declares.
func TestTheContractDeclaresWhatAClientReads(t *testing.T) {
	routes, err := routes.Routes()
	if err != nil {
		t.Fatal(err)
	}
	left := reads()
	for _, route := range routes {
		for _, path := range left[route.ID] {
			var schema any
			if err := json.Unmarshal(route.Responses["200"], &schema); err != nil {
				t.Fatal(err)
			}
			if !declares(schema, steps(path)) {
				t.Errorf("%s does not declare %s", route.ID, path)
			}
		}
		delete(left, route.ID)
	}
	for op := range left {
		t.Errorf("there is no operation %s", op)
	}
}

// steps are the parts of a path; [] is a step of its own.
func steps(path string) []string { return strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".") }

func declares(schema any, path []string) bool {
	s, _ := schema.(map[string]any)
	if len(path) == 0 || s == nil {
		return s != nil
	}
	for _, list := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := s[list].([]any)
		for _, p := range parts {
			if declares(p, path) {
				return true
			}
		}
	}
	if path[0] == "[]" {
		return s["items"] != nil && declares(s["items"], path[1:])
	}
	properties, _ := s["properties"].(map[string]any)
	return properties[path[0]] != nil && declares(properties[path[0]], path[1:])
}

// sent says what is missing of a path in an answer, "" when it is there.
func sent(v any, path []string) string {
	if len(path) == 0 {
		return ""
	}
	if path[0] == "[]" {
		list, _ := v.([]any)
		if len(list) == 0 {
			return "an element"
		}
		for _, e := range list {
			if missing := sent(e, path[1:]); missing != "" {
				return missing
			}
		}
		return ""
	}
	object, _ := v.(map[string]any)
	inner, there := object[path[0]]
	if !there || inner == nil {
		return strings.Join(path, ".")
	}
	return sent(inner, path[1:])
}

// And the server sends it, to a member who has been through the flows of that client.
func TestTheServerSendsWhatAClientReads(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		pack := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden"})
		s.Approve(t, pack)
		submitBundle(t, ada, "ada/letters", nil)
		text := m{"en-US": m{"title": "A pack", "description": "Sections for a bot."}}
		plugins := m{"rain": m{"enabled": true, "version": "1.0.0", "install_cmd": "pip install git+https://github.com/a/rain"}}
		s.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "pack/rain", "pack_type": "bot_profile_pack", "locales": text, "sections": m{"plugins": plugins}}))
		if err := s.App.Feature(t.Context(), catalog.KindProfilePack, "pack/rain", "Grows.", true); err != nil {
			t.Fatal(err)
		}
		ada.Post("/api/trial", m{"template_id": translator, "session_id": "one"}).OK(t)
		s.Clock.Advance(time.Second)
		install := ada.Post("/api/templates/install", m{"template_id": translator}).OK(t)
		wanted := map[string]m{
			"getTemplateDetail": {"template_id": translator}, "getProfilePackCatalogDetail": {"pack_id": "pack/rain"}, "compareProfilePackCatalog": {"pack_id": "pack/rain"},
			"getTrialStatus": {"template_id": translator, "session_id": "one"}, "listProfilePackImports": {"selection_tree": "true"}, "getProfilePackImport": {"import_id": draft},
			"login": {"user_id": "ada", "password": apitest.Password},
		}
		all := reads()
		for _, op := range apitest.Operations() {
			if len(all[op.ID]) == 0 {
				continue
			}
			r := install
			if op.ID != "installTemplate" {
				r = send(ada, op, wanted[op.ID]).OK(t)
			}
			var body any
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			for _, path := range all[op.ID] {
				if missing := sent(body, steps(path)); missing != "" {
					t.Errorf("%s: of %s there is no %s in %.300s", op.ID, path, missing, r.Body)
				}
			}
		}
	})
}
