package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
)

// bearer sends a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// assistant connects the SDK's own client, in a version of the protocol, or in its newest.
func assistant(t testing.TB, s *apitest.Server, path, token, version string) *mcp.ClientSession {
	t.Helper()
	var o *mcp.ClientSessionOptions
	if version != "" {
		o = &mcp.ClientSessionOptions{ProtocolVersion: version}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: s.URL + path, HTTPClient: &http.Client{Transport: bearer{token}}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// asked calls a tool and answers its structured content.
func asked(t testing.TB, a *mcp.ClientSession, tool string, in m) (m, *mcp.CallToolResult) {
	t.Helper()
	r, err := a.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var out m
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out, r
}

// Each tool answers what the operation that it stands for answers over HTTP.
func TestToolsAnswerAsTheAPIDoes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		ada := s.As(t, "ada")
		ada.Post("/api/templates/install", m{"template_id": translator}).OK(t)
		reader := withToken(t, s, "ada", "read")
		a := assistant(t, s, "/mcp", reader.Token, "")
		limits := apitest.Atom("ada", "limits")
		for _, c := range []struct {
			tool      string
			in        m
			operation string
			values    m
		}{
			{"search", m{"query": "rehearsals"}, "listTemplates", m{"query": "rehearsals", "limit": 10}},
			{"search", m{"kind": "profile_pack", "limit": 3, "tag": "alpha"}, "listProfilePackCatalog", m{"tag": "alpha", "limit": 3}},
			{"search", m{"query": "古诗", "locale": "zh-CN"}, "listTemplates", m{"query": "古诗", "locale": "zh-CN", "limit": 10}},
			{"inspect", m{"id": translator}, "getTemplateDetail", m{"template_id": translator}},
			{"inspect", m{"id": "pack/tools"}, "getProfilePackCatalogDetail", m{"pack_id": "pack/tools"}},
			{"inspect", m{"id": "pack/tools", "kind": "profile_pack", "locale": "ja"}, "getProfilePackCatalogDetail", m{"pack_id": "pack/tools", "locale": "ja"}},
			{"compare", m{"id": "pack/tools", "base_id": "pack/quiet"}, "compareProfilePackCatalog", m{"pack_id": "pack/tools", "base_pack_id": "pack/quiet"}},
			{"plan_install", m{"id": "line-05"}, "getInstallPlan", m{"template_id": "line-05"}},
			{"plan_install", m{"id": "pack/tools", "sections": "plugins"}, "getInstallPlan", m{"template_id": "pack/tools", "selected_sections": "plugins"}},
			{"installed", m{}, "listMemberInstallations", m{"limit": 10}},
			{"next_step", m{"actions": 2}, "planStudySession", m{"maxActions": 2}},
			{"question", m{"atom_id": limits}, "getKnowledgeQuestion", m{"atomId": limits}},
			{"why", m{"atom_id": limits}, "buildLearningPath", m{"focusAtomIds": []string{limits}}},
			{"ask_notes", m{"query": "limits of sequences"}, "queryKnowledge", m{"query": "limits of sequences"}},
			{"graph_around", m{"atom_id": limits}, "getKnowledgeGraph", m{"focusAtomId": limits}},
		} {
			got, _ := asked(t, a, c.tool, c.in)
			want := send(ada, operationNamed(t, c.operation), c.values).OK(t).At("data")
			dropClock(got["data"])
			dropClock(want)
			if diff := cmp.Diff(want, got["data"]); diff != "" || got["operation"] != c.operation || !strings.Contains(got["notice"].(string), "untrusted") {
				t.Errorf("%s %v (HTTP -, MCP +): %s", c.tool, c.in, diff)
			}
		}
	})
}

// The tools that answer a part of an operation answer that part: what has an update, and what is due. The tool that writes answers
// what its operation answers to the same key.
func TestToolsAnswerPartsAndWritesAsTheAPIDoes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, limits := s.As(t, "ada"), apitest.Atom("", "limits")
		for _, id := range []string{"ada/old", "ada/current"} {
			s.Import(t, review.ImportOptions{}, skillTemplate(id, "1.0.0"))
			ada.Post("/api/templates/install", m{"template_id": id}).OK(t)
		}
		s.Import(t, review.ImportOptions{}, skillTemplate("ada/old", "2.0.0"))
		token := withToken(t, s, "ada", "write")
		a := assistant(t, s, "/mcp", token.Token, "")

		question, _ := asked(t, a, "question", m{"atom_id": limits})
		id := question["data"].(m)["question"].(m)["questionId"]
		key := "the-same-key-twice"
		got, _ := asked(t, a, "answer", m{"atom_id": limits, "question_id": id, "answer": "the value that the terms approach", "outcome": "correct", "seconds": 4, "idempotency_key": key})
		want := ada.With("Idempotency-Key", key).Post("/api/knowledge/session/action", m{"action": m{"atomId": limits, "kind": "quiz", "questionId": id}, "answer": "the value that the terms approach", "outcome": "correct", "responseTimeMs": 4000}).OK(t).At("data")
		if diff := cmp.Diff(want, got["data"]); diff != "" || s.Count(t, "observation WHERE user_id = 'ada'") != 1 {
			t.Errorf("answer (HTTP -, MCP +): %s", diff)
		}

		s.Clock.Advance(60 * 24 * time.Hour)
		token = withToken(t, s, "ada", "read")
		a = assistant(t, s, "/mcp", token.Token, "")
		for tool, c := range map[string]struct {
			operation, list, part string
			keep                  func(m) bool
		}{
			"outdated":  {"refreshMemberInstallations", "installations", "installations", func(row m) bool { return row["update_available"] == true }},
			"due_today": {"getKnowledgeGraph", "nodes", "due", func(row m) bool { return row["state"] == "due" }},
		} {
			got, _ := asked(t, a, tool, m{})
			all := send(s.As(t, "ada"), operationNamed(t, c.operation), m{"limit": 200}).OK(t).At("data").(m)[c.list].([]any)
			part := slices.DeleteFunc(slices.Clone(all), func(row any) bool { return !c.keep(row.(m)) })
			if diff := cmp.Diff(part, got["data"].(m)[c.part]); diff != "" || len(part) == 0 || len(part) == len(all) || got["operation"] != c.operation {
				t.Errorf("%s, %d of %d (HTTP -, MCP +): %s", tool, len(part), len(all), diff)
			}
		}
	})
}

func skillTemplate(id, version string) string {
	return apitest.Line(m{"id": id, "version": version, "locales": m{"en-US": m{"title": "A prompt", "description": "Helps.", "prompt": "Help, " + version}}})
}

// dropClock takes out what differs from call to call: how long a question took.
func dropClock(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if strings.HasSuffix(name, "Ms") || strings.HasSuffix(name, "traceId") {
				delete(v, name)
			}
			dropClock(e)
		}
	case []any:
		for _, e := range v {
			dropClock(e)
		}
	}
}

func operationNamed(t testing.TB, id string) apitest.Operation {
	t.Helper()
	for _, op := range apitest.Operations() {
		if op.ID == id {
			return op
		}
	}
	t.Fatalf("there is no operation %s", id)
	return apitest.Operation{}
}

// All versions that the SDK speaks are answered on the one address, with the same tools in the same order.
func TestEveryVersionOfTheProtocol(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	token := withToken(t, s, "ada", "read").Token
	var first []string
	for _, version := range mcp.SupportedProtocolVersions() {
		a := assistant(t, s, "/mcp", token, version)
		list, err := a.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Annotations == nil || tool.Annotations.ReadOnlyHint == (tool.Name == "answer") || tool.Annotations.DestructiveHint != nil && *tool.Annotations.DestructiveHint {
				t.Errorf("%s: the hints of %s are %+v", version, tool.Name, tool.Annotations)
			}
		}
		if first == nil {
			first = names
		}
		if diff := cmp.Diff(first, names); diff != "" || len(names) != 13 {
			t.Errorf("%s: %d tools %s", version, len(names), diff)
		}
		got, _ := asked(t, a, "inspect", m{"id": translator})
		if got["operation"] != "getTemplateDetail" {
			t.Errorf("%s: %v", version, got)
		}
	}
}
