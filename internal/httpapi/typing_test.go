package httpapi_test

import (
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market"
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
		if got := finds("zzzzqqqq"); len(got) != 0 {
			t.Errorf("%v", got)
		}
		s.Import(t, market.ImportOptions{}, apitest.Line(m{"id": "ada/orchids", "version": "1.0.0", "locales": m{"en-US": m{"title": "Orchid keeper", "description": "Flowers.", "prompt": "Water them."}}}))
		s.Clock.Advance(2 * time.Minute)
		if got := finds("orhcid"); !slices.Equal(got, []string{"ada/orchids"}) {
			t.Errorf("%v", got)
		}
	})
}
