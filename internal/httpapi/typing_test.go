package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
)

// A search with typing errors finds what was meant, also what was published a minute ago; one without is what it was.
func TestSearchForgivesTypingErrors(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		public := s.Nobody(t)
		finds := func(query string) []string {
			t.Helper()
			return public.Get("/api/templates", "query", query).OK(t).All("data.templates", "template_id")
		}
		if got := finds("carefull transaltor"); len(got) == 0 || got[0] != translator {
			t.Errorf("%v", got)
		}
		// What was searched for instead is said; nothing is when nothing was.
		for typed, meant := range map[string]any{"transaltor": "translator", "translator": nil, "zzzzqqqq": nil} {
			if got := public.Get("/api/templates", "query", typed).OK(t).At("data.corrected_query"); got != meant {
				t.Errorf("%s was searched for as %v, want %v", typed, got, meant)
			}
		}
		if got := finds("zzzzqqqq"); len(got) != 0 {
			t.Errorf("%v", got)
		}
		s.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "ada/orchids", "version": "1.0.0", "locales": m{"en-US": m{"title": "Orchid keeper", "description": "Flowers.", "prompt": "Water them."}}}))
		s.Clock.Advance(2 * time.Minute)
		if got := public.Get("/api/templates", "query", "orhcid").OK(t).Str("data.corrected_query"); got != "orchid" {
			t.Errorf("orhcid was searched for as %q", got)
		}
		// Words of what only its owner sees are told to nobody else.
		s.Private(t, "ada", "ada/zymurgist")
		s.Clock.Advance(2 * time.Minute)
		for _, query := range []string{"zymurgits", "careful zymurgits"} {
			if got := s.As(t, "ada").Get("/api/templates", "query", query).OK(t).At("data.corrected_query"); got == nil {
				t.Errorf("ada is not told what %s was taken for", query)
			}
			if got := public.Get("/api/templates", "query", query).OK(t); strings.Contains(string(got.Body), "zymurgist") {
				t.Errorf("everybody is told of a private item: %s", got.Body)
			}
		}
		if got := finds("orhcid"); !slices.Equal(got, []string{"ada/orchids"}) {
			t.Errorf("%v", got)
		}
	})
}
