package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/review"
	"stoa/internal/app/school/notebook"
)

// rpc sends one message as the newest version of the protocol has it.
func rpc(c *apitest.Client, path, method, name string, params m) *apitest.Reply {
	meta := m{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": m{}}
	all := m{"_meta": meta}
	for k, v := range params {
		all[k] = v
	}
	c = c.With("Accept", "application/json, text/event-stream").With("MCP-Protocol-Version", "2026-07-28").With("Mcp-Method", method)
	if name != "" {
		all["name"] = name
		c = c.With("Mcp-Name", name)
	}
	return c.Raw("POST", path, mustJSON(m{"jsonrpc": "2.0", "id": 1, "method": method, "params": all}))
}

// Whoever calls, nothing is written but by a token for writing.
func TestAssistantsWriteOnlyWithTheScope(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		limits := apitest.Atom("", "limits")
		in := m{"atom_id": limits, "question_id": "none", "answer": "the value that the terms approach", "idempotency_key": "answer-one"}
		read, write := withToken(t, s, "ada", "read"), withToken(t, s, "ada", "write")
		listed, err := assistant(t, s, "/mcp", read.Token, "").ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		arguments := map[string]m{
			"search": {}, "inspect": {"id": translator}, "compare": {"id": starter}, "plan_install": {"id": translator}, "question": {"atom_id": limits},
			"answer": in, "why": {"atom_id": limits}, "ask_notes": {"query": "limits"}, "graph_around": {"atom_id": limits},
		}
		before := kept(t, s)
		for _, tool := range listed.Tools {
			r := rpc(read, "/mcp", "tools/call", tool.Name, m{"arguments": arguments[tool.Name]})
			if tool.Name == "answer" {
				if r.Status != 403 || !strings.Contains(r.Header.Get("WWW-Authenticate"), `error="insufficient_scope", scope="read write"`) {
					t.Errorf("%s: %d %v %s", tool.Name, r.Status, r.Header, r.Body)
				}
			} else if r.Status != 200 || r.At("result.isError") == true {
				t.Errorf("%s: %d %s", tool.Name, r.Status, r.Body)
			}
			if now := kept(t, s); now != before {
				t.Fatalf("%s has written for a token to read:\n%s", tool.Name, firstDifference(before, now))
			}
		}
		// The operation refuses on its own, whatever the address let through.
		batch := read.With("Accept", "application/json, text/event-stream").With("MCP-Protocol-Version", "2025-03-26").
			Raw("POST", "/mcp", mustJSON([]m{{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": m{"name": "answer", "arguments": in}}}))
		if batch.Status != 403 || kept(t, s) != before {
			t.Errorf("a batch: %d %s", batch.Status, batch.Body)
		}
		for _, bad := range []m{{"atom_id": limits, "question_id": "none", "answer": "x"}, {"atom_id": limits, "question_id": "none", "answer": "x", "idempotency_key": ""}} {
			if r := rpc(write, "/mcp", "tools/call", "answer", m{"arguments": bad}); r.At("result.isError") != true || kept(t, s) != before {
				t.Errorf("without an idempotency key: %s", r.Body)
			}
		}
		asked := rpc(read, "/mcp", "tools/call", "question", m{"arguments": m{"atom_id": limits}})
		in["question_id"], in["outcome"] = asked.Str("result.structuredContent.data.question.questionId"), "correct"
		first := rpc(write, "/mcp", "tools/call", "answer", m{"arguments": in})
		if first.Status != 200 || first.At("result.isError") == true || s.Count(t, "observation WHERE user_id = 'ada'") != 1 {
			t.Fatalf("%d %s", first.Status, first.Body)
		}
		again := rpc(write, "/mcp", "tools/call", "answer", m{"arguments": in})
		if string(again.Body) != string(first.Body) || s.Count(t, "observation WHERE user_id = 'ada'") != 1 {
			t.Errorf("the same answer again: %s\nwas %s", again.Body, first.Body)
		}
	})
}

// What an assistant is offered is the caller's: what others have private, or installed, is not there.
func TestPromptsAndResourcesAreTheCallers(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		s.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "ada/letter", "locales": m{"en-US": m{"title": "Letter", "description": "Writes a letter.", "prompt": "Write to {{ name }} in {{tone}}. Keep {this}."}}}))
		s.As(t, "ada").Post("/api/templates/install", m{"template_id": "ada/letter"}).OK(t)
		if _, err := s.App.IngestKnowledge(t.Context(), core.Caller{Role: core.Member, UserID: "ada"}, notebook.IngestInput{Documents: []notebook.IngestDocument{{DocumentID: "diary/1 ü", SourcePath: "diary.md", Content: "# Diary\n\nA day is what one makes of it, and nobody else reads this.\n"}}}); err != nil {
			t.Fatal(err)
		}
		ada, bob := assistant(t, s, "/mcp", withToken(t, s, "ada", "read").Token, ""), assistant(t, s, "/mcp", withToken(t, s, "bob", "read").Token, "")
		names := func(a *mcp.ClientSession) (all []string) {
			list, err := a.ListPrompts(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range list.Prompts {
				all = append(all, p.Name)
				if p.Name == "ada/letter" && (len(p.Arguments) != 2 || p.Arguments[0].Name != "name" || !p.Arguments[1].Required || p.Meta["stoa/content-trust"] != "untrusted") {
					t.Errorf("%+v", p)
				}
			}
			return all
		}
		if got := names(ada); !slices.Contains(got, "ada/letter") || !slices.Contains(got, "line-05") || !slices.IsSorted(got) {
			t.Errorf("ada is offered %v", got)
		}
		if got := names(bob); slices.Contains(got, "ada/letter") || !slices.Contains(got, "line-05") {
			t.Errorf("bob is offered %v", got)
		}
		if got := names(assistant(t, s, "/mcp/market", "", "")); slices.Contains(got, "ada/letter") || !slices.Contains(got, "line-05") {
			t.Errorf("nobody is offered %v", got)
		}
		got, err := ada.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ada/letter", Arguments: map[string]string{"name": "Ines {{tone}}", "tone": "earnest"}})
		if err != nil || got.Messages[0].Content.(*mcp.TextContent).Text != "Write to Ines {{tone}} in earnest. Keep {this}." || got.Messages[0].Role != "user" {
			t.Errorf("%+v %v", got, err)
		}
		if _, err := ada.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ada/letter", Arguments: map[string]string{"name": "x"}}); err == nil {
			t.Error("a prompt without one of its arguments")
		}
		list, err := ada.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 5 {
			t.Fatalf("%+v %v", list, err)
		}
		for _, r := range list.Resources {
			text, err := ada.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
			if err != nil || text.Contents[0].Text == "" || text.Contents[0].Meta["stoa/content-trust"] != "untrusted" {
				t.Errorf("%s: %+v %v", r.URI, text, err)
			}
			if _, err := bob.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); (err != nil) != strings.Contains(r.URI, "diary") {
				t.Errorf("bob reads %s: %v", r.URI, err)
			}
		}
		for _, uri := range []string{"stoa://note/none", "stoa://item/none", "file:///etc/passwd", "stoa://item/%zz", "stoa://note/"} {
			if r, err := ada.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("%s: %+v", uri, r)
			}
		}
	})
}

func TestWhoMayConnect(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	read := withToken(t, s, "ada", "read")
	for _, c := range []struct {
		name   string
		client *apitest.Client
		path   string
		status int
	}{
		{"nobody", s.Nobody(t), "/mcp", 401},
		{"nobody, the market", s.Nobody(t), "/mcp/market", 200},
		{"a session's cookie", s.Nobody(t).With("Cookie", "stoa_session="+s.As(t, "ada").Token), "/mcp", 401},
		{"a session", s.As(t, "ada"), "/mcp", 200},
		{"another site's page", read.With("Origin", "https://evil.example"), "/mcp", 403},
		{"another site's page, the market", s.Nobody(t).With("Origin", "https://evil.example"), "/mcp/market", 403},
		{"another site's page, by metadata", read.With("Sec-Fetch-Site", "cross-site"), "/mcp", 403},
		{"a token", read, "/mcp", 200},
	} {
		r := rpc(c.client, c.path, "tools/list", "", nil)
		if r.Status != c.status || c.status == 401 && !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s: %d %v %s", c.name, r.Status, r.Header.Get("WWW-Authenticate"), r.Body)
		}
		if c.status == 200 && strings.Contains(string(r.Body), `"answer"`) != (c.path == "/mcp") {
			t.Errorf("%s sees %s", c.name, r.Body)
		}
	}
	if r := read.Raw(http.MethodGet, "/mcp", nil); r.Status != 405 {
		t.Errorf("GET: %d", r.Status)
	}
	if r := rpc(read, "/mcp", "tools/list", "", m{"x": strings.Repeat("x", 600<<10)}); r.Status != 413 {
		t.Errorf("a message of 600 KiB: %d %s", r.Status, r.Body)
	}
	for _, body := range []string{"", "{", "null", "[]", "[1]", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":7}}`, "\xff", strings.Repeat("[", 100_000)} {
		c := read.With("Accept", "application/json, text/event-stream")
		if r := c.Raw("POST", "/mcp", []byte(body)); r.Status >= 500 {
			t.Errorf("%.40q: %d %s", body, r.Status, r.Body)
		}
	}
}
