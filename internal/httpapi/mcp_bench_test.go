package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi"
	"stoa/internal/market/catalog"
)

// How many prompts/list a second a member gets of a market with 30,000 items, through the whole server but for the network.
// Filling the market takes a minute; STOA_BENCH_ITEMS makes it smaller.
// STOA_TEST_POSTGRES= go test ./internal/httpapi -run '^$' -bench PromptsList -cpu 1 -benchtime 5s
func BenchmarkPromptsList(b *testing.B) {
	s := apitest.Start(b, apitest.Engines(b)[0], apitest.Options{})
	fillPrompts(b, s)
	for i := range 20 {
		if err := s.App.Feature(b.Context(), catalog.KindTemplate, fmt.Sprintf("bench/item-%05d", i*100), "", true); err != nil {
			b.Fatal(err)
		}
		if _, err := s.App.InstallTemplate(b.Context(), core.Caller{Role: core.Member, UserID: "ada"}, browse.InstallInput{TemplateID: fmt.Sprintf("bench/item-%05d", i*99+7)}); err != nil {
			b.Fatal(err)
		}
	}
	token := s.As(b, "ada").Post("/api/account/tokens", m{"label": "bench"}).OK(b).Str("data.token")
	for b.Loop() {
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, promptsRequest(token))
		if w.Code != http.StatusOK || w.Body.Len() < 5000 {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lists/s")
}

// promptItems is how many items the market of the benchmark has.
func promptItems() int {
	if n, err := strconv.Atoi(os.Getenv("STOA_BENCH_ITEMS")); err == nil {
		return max(n, 2000)
	}
	return 30_000
}

// What the first request to a feed waits for, when nothing was read ahead, and the same with nothing new.
// STOA_TEST_POSTGRES= go test ./internal/httpapi -run '^$' -bench FeedsCold -cpu 1 -benchtime 1x
func BenchmarkFeedsCold(b *testing.B) {
	s := apitest.Start(b, apitest.Engines(b)[0], apitest.Options{HTTP: func(c *httpapi.Config) { c.Feeds = httpapi.FeedNames() }})
	fillPrompts(b, s)
	for b.Loop() {
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/feeds/lobe", nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}

func fillPrompts(b *testing.B, s *apitest.Server) {
	b.Helper()
	var lines []string
	for i := range promptItems() {
		lines = append(lines, apitest.Line(map[string]any{"id": fmt.Sprintf("bench/item-%05d", i), "category": "writing", "author": "Ines", "locales": map[string]any{
			"en-US": map[string]string{"title": fmt.Sprintf("Helper %d", i), "description": "Helps with a task, politely.", "prompt": "Help {{name}} with {{task}}."},
		}}))
	}
	s.Import(b, review.ImportOptions{}, lines...)
}
