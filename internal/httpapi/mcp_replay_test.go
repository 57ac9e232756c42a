package httpapi_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/apitest"
	"stoa/internal/market/catalog"
)

// What is replayed is byte for byte what the protocol's handler says, is never another caller's, and is new at once when the
// catalog or the member's installations are.
func TestPromptsListIsReplayed(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := withToken(t, s, "ada", "write"), withToken(t, s, "bob", "read")
		list := func(c *apitest.Client, id, method string, more ...string) *apitest.Reply {
			c = c.With("Accept", "application/json, text/event-stream").With("MCP-Protocol-Version", "2026-07-28").With("Mcp-Method", method).With("Content-Type", "application/json")
			meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
			return c.Raw("POST", "/mcp", []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"prompts/list","params":`+meta+strings.Join(more, "")+`}`))
		}
		first := list(ada, "1", "prompts/list")
		if first.Status != 200 || !strings.Contains(string(first.Body), `"prompts"`) {
			t.Fatalf("%d %s", first.Status, first.Body)
		}
		for _, id := range []string{"1", "0", "-7", "123456789012345", `"a.b:c-1"`, `""`} {
			// A member that no message has makes the protocol's own handler answer, which does not mind it.
			own, again := list(ada, id, "prompts/list", `,"other":1`), list(ada, id, "prompts/list")
			if own.Status != 200 || again.Status != 200 || !bytes.Equal(bytes.TrimSpace(own.Body), bytes.TrimSpace(again.Body)) {
				t.Errorf("id %s: the handler says %d\n%s\nreplayed %d\n%s", id, own.Status, own.Body, again.Status, again.Body)
			}
			if got, want := again.Header.Get("Content-Type"), own.Header.Get("Content-Type"); got != want {
				t.Errorf("id %s: %s, want %s", id, got, want)
			}
		}
		if r := list(ada, "1", "tools/list"); r.Status != 400 {
			t.Errorf("a header that contradicts the message: %d %s", r.Status, r.Body)
		}
		ada.Post("/api/templates/install", m{"template_id": translator}).OK(t)
		if r := list(ada, "1", "prompts/list"); !strings.Contains(string(r.Body), translator) {
			t.Errorf("what was installed is not listed: %s", r.Body)
		}
		if r := list(bob, "1", "prompts/list"); strings.Contains(string(r.Body), translator) {
			t.Errorf("another member is told what ada installed: %s", r.Body)
		}
		if err := s.App.Feature(t.Context(), catalog.KindTemplate, translator, "", true); err != nil {
			t.Fatal(err)
		}
		if r := list(bob, "1", "prompts/list"); !strings.Contains(string(r.Body), translator) {
			t.Errorf("what was featured is not listed: %s", r.Body)
		}
	})
}

// What the SDK alone manages with the same prompts in memory, on the same machine: beside BenchmarkPromptsList.
func BenchmarkPromptsListBare(b *testing.B) {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	for i := range 40 {
		server.AddPrompt(&mcp.Prompt{
			Name: "bench/item-" + strings.Repeat("0", i), Title: "Helper", Description: "Helps with a task, politely.",
			Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}, {Name: "task", Required: true}},
		}, nil)
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, promptsRequest(""))
		if w.Code != http.StatusOK || w.Body.Len() < 5000 {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lists/s")
}

func promptsRequest(token string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	for name, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/list"} {
		req.Header.Set(name, v)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req
}
