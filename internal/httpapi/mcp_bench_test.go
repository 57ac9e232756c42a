package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market"
	"stoa/internal/market/catalog"
)

// How many prompts/list a second a member gets of a market with 30,000 items, through the whole server but for the network.
// Filling the market takes minutes.
// STOA_TEST_POSTGRES= go test ./internal/httpapi -run '^$' -bench PromptsList -cpu 1 -benchtime 5s
func BenchmarkPromptsList(b *testing.B) {
	s := apitest.Start(b, apitest.Engines(b)[0], apitest.Options{})
	var lines []string
	for i := range 30_000 {
		lines = append(lines, apitest.Line(map[string]any{"id": fmt.Sprintf("bench/item-%05d", i), "category": "writing", "author": "Ines", "locales": map[string]any{
			"en-US": map[string]string{"title": fmt.Sprintf("Helper %d", i), "description": "Helps with a task, politely.", "prompt": "Help {{name}} with {{task}}."},
		}}))
	}
	s.Import(b, market.ImportOptions{}, lines...)
	for i := range 20 {
		if err := s.App.Feature(b.Context(), catalog.KindTemplate, fmt.Sprintf("bench/item-%05d", i*1000), "", true); err != nil {
			b.Fatal(err)
		}
		if _, err := s.App.InstallTemplate(b.Context(), core.Caller{Role: core.Member, UserID: "ada"}, market.InstallInput{TemplateID: fmt.Sprintf("bench/item-%05d", i*999+7)}); err != nil {
			b.Fatal(err)
		}
	}
	token := s.As(b, "ada").Post("/api/account/tokens", m{"label": "bench"}).OK(b).Str("data.token")
	body := string(mustJSON(m{"jsonrpc": "2.0", "id": 1, "method": "prompts/list", "params": m{"_meta": m{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": m{}}}}))
	b.ResetTimer()
	for range b.N {
		req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
		for name, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/list", "Authorization": "Bearer " + token} {
			req.Header.Set(name, v)
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, req)
		if w.Code != http.StatusOK || w.Body.Len() < 5000 {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lists/s")
}
