package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
)

// rows reads the whole list and answers the rows by id.
func rows(t *testing.T, c *apitest.Client, path, list, id string) map[string]m {
	t.Helper()
	r := c.Get(path).OK(t)
	all, _ := r.At("data." + list).([]any)
	out := map[string]m{}
	for _, row := range all {
		row := row.(m)
		out[row[id].(string)] = row
	}
	if len(out) != r.Int("data.total") || len(out) != r.Int("data.count") {
		t.Fatalf("%s: %d rows, total %d, count %d", path, len(out), r.Int("data.total"), r.Int("data.count"))
	}
	return out
}

// carries tells whether a row's field is, or as a list holds, a value.
func carries(row m, field, value string) bool {
	switch v := row[field].(type) {
	case string:
		return strings.EqualFold(v, value)
	case bool:
		return v == (value == "true")
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return strings.EqualFold(e.(string), value) })
	}
	return false
}

// Each filter gives exactly the rows that carry the value, in whatever case it is written.
func TestFilters(t *testing.T) {
	fields := map[string]string{
		"category": "category", "tag": "tags", "source_channel": "source_channel", "maintainer": "maintainer", "risk_level": "risk_level",
		"review_label": "review_labels", "warning_flag": "warning_flags", "featured": "featured", "pack_type": "pack_type",
	}
	values := map[string][]string{
		"category": {"writing", "MUSIC", "games", "翻译", "general"}, "tag": {"alpha", "delta", "DELTA", "诗歌"}, "source_channel": {"operator_import", "community_submission", "bundled_official"},
		"maintainer": {"Ines", "joao", "李雷", "stoa"}, "risk_level": {"low", "medium", "high"}, "review_label": {"official_template", "manual_reviewed", "prompt_injection_detected"},
		"warning_flag": {"ignore_previous_instructions"}, "featured": {"true", "false"}, "pack_type": {"bot_profile_pack", "extension_pack"},
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		c := s.Nobody(t)
		for _, kind := range []struct{ path, list, id string }{{"/api/templates", "templates", "template_id"}, {"/api/profile-pack/catalog", "packs", "pack_id"}} {
			all := rows(t, c, kind.path, kind.list, kind.id)
			found := map[string]int{}
			for filter, field := range fields {
				for _, value := range values[filter] {
					if filter == "pack_type" && kind.list == "templates" {
						continue
					}
					var want []string
					for id, row := range all {
						if carries(row, field, value) {
							want = append(want, id)
						}
					}
					slices.Sort(want)
					r := c.Get(kind.path, filter, value).OK(t)
					if got := r.All("data."+kind.list, kind.id); !slices.Equal(got, want) || r.Int("data.total") != len(want) {
						t.Errorf("%s %s=%s: %v of %d, want %v", kind.path, filter, value, got, r.Int("data.total"), want)
					}
					found[filter] += len(want)
				}
				r := c.Get(kind.path, filter, "nobody-carries-this").OK(t)
				if filter != "featured" && (filter != "pack_type" || kind.list != "templates") && r.Int("data.total") != 0 {
					t.Errorf("%s: an unknown %s matched %d", kind.path, filter, r.Int("data.total"))
				}
			}
			for _, filter := range []string{"category", "tag", "source_channel", "maintainer", "risk_level", "featured"} {
				if found[filter] == 0 {
					t.Errorf("%s: no value of %s matched anything", kind.path, filter)
				}
			}
			if kind.list == "templates" && (found["warning_flag"] == 0 || found["review_label"] == 0) {
				t.Error("no label or flag matched anything")
			}
		}
		// Filters narrow together.
		r := c.Get("/api/templates", "category", "writing", "tag", "alpha", "maintainer", "ines").OK(t)
		if got := r.All("data.templates", "template_id"); !slices.Equal(got, []string{"line-00"}) {
			t.Errorf("three filters: %v", got)
		}
		for spelt, want := range map[string]int{"yes": 1, "ON": 1, "1": 1, "maybe": 20} {
			if got := c.Get("/api/templates", "featured", spelt).OK(t).Int("data.total"); got != want {
				t.Errorf("featured=%s: %d, want %d", spelt, got, want)
			}
		}
	})
}

// A maintainer is found by the whole name in any case, never by a part of it.
func TestMaintainerIsWhole(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		c := s.Nobody(t)
		whole := c.Get("/api/templates", "maintainer", "Ines").OK(t).All("data.templates", "template_id")
		if len(whole) == 0 {
			t.Fatal("Ines made nothing")
		}
		for _, spelt := range []string{"ines", "INES", "iNeS"} {
			if got := c.Get("/api/templates", "maintainer", spelt).OK(t).All("data.templates", "template_id"); !slices.Equal(got, whole) {
				t.Errorf("maintainer=%s: %v, want %v", spelt, got, whole)
			}
		}
		for _, other := range []string{"Ine", "nes", "Ines Ines"} {
			if got := c.Get("/api/templates", "maintainer", other).OK(t).Int("data.total"); got != 0 {
				t.Errorf("maintainer=%s matched %d", other, got)
			}
		}
	})
}

func TestFacets(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		r := s.Nobody(t).Get("/api/templates", "facets", "true", "category", "writing").OK(t)
		counts := func(facet string) map[string]float64 {
			out := map[string]float64{}
			list, _ := r.At("data.facets." + facet).([]any)
			for _, v := range list {
				out[v.(m)["value"].(string)] = v.(m)["count"].(float64)
			}
			return out
		}
		// A facet shows what choosing another of its own values would give; the others are narrowed.
		if got := counts("category"); got["writing"] != 4 || got["Music"] != 4 || got["games"] != 4 {
			t.Errorf("category: %v", got)
		}
		if got := counts("maintainer"); got["Ines"] != 2 || got["Joao"] != 2 || got["Stoa"] != 0 {
			t.Errorf("maintainer: %v", got)
		}
	})
}

func TestSortsAndOrders(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		c := s.Nobody(t)
		for i, user := range []string{"ada", "bob", "cyn"} {
			member := s.As(t, user)
			for _, id := range []string{"line-07", "line-02", "pack/tools"}[i/2:] {
				s.Clock.Advance(time.Second)
				member.Post("/api/templates/install", m{"template_id": id}).OK(t)
			}
			for _, id := range []string{"line-09", "pack/quiet"}[:1+i%2] {
				s.Clock.Advance(time.Second)
				member.Post("/api/trial", m{"template_id": id}).OK(t)
			}
		}
		for _, kind := range []struct{ path, list, id string }{{"/api/templates", "templates", "template_id"}, {"/api/profile-pack/catalog", "packs", "pack_id"}} {
			all := rows(t, c, kind.path, kind.list, kind.id)
			sorts := map[string]func(m) any{
				kind.id:           func(row m) any { return row[kind.id] },
				"newest":          func(row m) any { return row["published_at"] },
				"installs":        func(row m) any { return row["engagement"].(m)["installs"] },
				"trial_requests":  func(row m) any { return row["engagement"].(m)["trial_requests"] },
				"recent_activity": func(row m) any { return row["engagement"].(m)["last_activity_at"] },
			}
			for sort, key := range sorts {
				for order, descending := range map[string]bool{"asc": false, "desc": true, "": sort != kind.id} {
					got := c.Get(kind.path, "sort_by", sort, "sort_order", order).OK(t).All("data."+kind.list, kind.id)
					if len(got) != len(all) {
						t.Fatalf("%s by %s %s: %d of %d", kind.path, sort, order, len(got), len(all))
					}
					for i := 1; i < len(got); i++ {
						a, b := key(all[got[i-1]]), key(all[got[i]])
						if descending {
							a, b = b, a
						}
						if less(b, a) {
							t.Errorf("%s by %s %q: %s before %s", kind.path, sort, order, got[i-1], got[i])
						}
					}
					pages(t, c, got, kind.list, kind.id, kind.path, "sort_by", sort, "sort_order", order)
				}
			}
		}
	})
}

func less(a, b any) bool {
	if s, ok := a.(string); ok {
		return s < b.(string)
	}
	return a.(float64) < b.(float64)
}

// pages walks a list page by page and wants each item once, in the order of the whole list.
func pages(t *testing.T, c *apitest.Client, want []string, list, id, path string, query ...string) {
	t.Helper()
	for _, limit := range []string{"2", "7"} {
		var got []string
		cursor := ""
		for range len(want) + 2 {
			r := c.Get(path, append(slices.Clone(query), "limit", limit, "cursor", cursor)...).OK(t)
			got = append(got, r.All("data."+list, id)...)
			if cursor = r.Str("data.next_cursor"); cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %v by %s: %v, want %v", path, query, limit, got, want)
		}
	}
}

func TestTextQueries(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		c := s.Nobody(t)
		for query, first := range map[string]string{
			"translator": translator, "TRANSL": translator, "careful translat": translator, "古诗": "zh-only", "翻译助手": "zh-only", "俳句": "ja-only", "俳句の先生": "ja-only",
			"添削": "ja-only", "ｈｅｌｐｅｒ ０７": "line-07", "翻译": "zh-only", "李雷": "zh-only", "诗歌": "zh-only", "official/study-coach": coach, "line-04": "line-04",
		} {
			for _, name := range []string{"query", "q"} {
				r := c.Get("/api/templates", name, query).OK(t)
				if !slices.Contains(r.All("data.templates", "template_id"), first) || query != "翻译" && r.Str("data.templates.0.template_id") != first {
					t.Errorf("%s=%s: %v, want %s first", name, query, r.All("data.templates", "template_id"), first)
				}
			}
		}
		for _, nothing := range []string{"zzzzzz", "俳诗", "!!!", "\"", "AND OR NOT", "a*\"(", "'; --", "NEAR(", "^", ":*", "\\", "%", "_"} {
			if r := c.Get("/api/templates", "query", nothing).OK(t); strings.ContainsAny(nothing, "z俳") && r.Int("data.total") != 0 {
				t.Errorf("%q found %v", nothing, r.All("data.templates", "template_id"))
			}
		}
		all := c.Get("/api/templates", "query", "helper").OK(t)
		if all.Int("data.total") != 12 {
			t.Errorf("helper: %d", all.Int("data.total"))
		}
		pages(t, c, all.All("data.templates", "template_id"), "templates", "template_id", "/api/templates", "query", "helper")
		// Filters and sorts hold for what is found too.
		r := c.Get("/api/templates", "query", "helper", "category", "games", "sort_by", "template_id", "sort_order", "desc").OK(t)
		if got := r.All("data.templates", "template_id"); !slices.Equal(got, []string{"line-11", "line-08", "line-05", "line-02"}) {
			t.Errorf("helper among games: %v", got)
		}
		if r := c.Get("/api/profile-pack/catalog", "query", "pack tools").OK(t); r.Str("data.packs.0.pack_id") != "pack/tools" {
			t.Errorf("packs: %v", r.All("data.packs", "pack_id"))
		}
	})
}

// A text filter finds a part of an id wherever it stands, the whole id first, and nothing else; the _query forms look at
// titles and tags too. Catalogs and the member's own lists mean the same.
func TestTextFilters(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		ada := s.As(t, "ada")
		for _, id := range []string{"community/basic", "basic", "big-daddy", "artificial-studio"} {
			submitPlain(t, ada, id, "1.0.0", nil)
			s.Approve(t, submitPlain(t, ada, id, "1.0.1", nil).Str("data.submission_id"))
		}
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		for _, id := range []string{"profile/garden", "garden"} {
			s.Approve(t, s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: id, Title: "Für Gärtner", Tags: []string{"Beete"}}))
		}
		for _, tc := range []struct {
			name, text             string
			templates, submissions []string
		}{
			{"template_id", "community/basic", []string{"community/basic"}, []string{"community/basic", "community/basic"}},
			{"template_id", "BASIC", []string{"basic", "community/basic"}, []string{"basic", "basic", "community/basic", "community/basic"}},
			{"template_id", "asic", []string{"basic", "community/basic"}, []string{"basic", "basic", "community/basic", "community/basic"}},
			{"template_id", "FICIAL-st", []string{"artificial-studio"}, []string{"artificial-studio", "artificial-studio"}},
			{"template_id", "community/nothing-like-it", nil, nil},
			{"template_id", "%", nil, nil},
			{"template_id", "ba_ic", nil, nil},
			{"template_query", "ig-dad", []string{"big-daddy"}, []string{"big-daddy", "big-daddy"}},
			{"template_query", "词翻译", nil, nil},
			{"template_query", "句の先", []string{"ja-only"}, nil},
			{"template_query", "诗歌", []string{"zh-only"}, nil},
		} {
			for _, sort := range [][]string{nil, {"sort_by", "template_id"}} {
				r := s.Nobody(t).Get("/api/templates", append([]string{tc.name, tc.text}, sort...)...).OK(t)
				if got := r.All("data.templates", "template_id"); !slices.Equal(got, tc.templates) || r.Int("data.total") != len(tc.templates) {
					t.Errorf("templates %s=%s: %v, want %v", tc.name, tc.text, got, tc.templates)
				}
			}
			r := ada.Get("/api/member/submissions", tc.name, tc.text).OK(t)
			if got := r.All("data.submissions", "template_id"); !slices.Equal(got, tc.submissions) {
				t.Errorf("submissions %s=%s: %v, want %v", tc.name, tc.text, got, tc.submissions)
			}
		}
		for _, tc := range []struct {
			name, text string
			want       []string
		}{
			{"pack_id", "arden", []string{"garden", "profile/garden"}},
			{"pack_id", "garden", []string{"garden", "profile/garden"}},
			{"pack_id", "profile/garden", []string{"profile/garden"}},
			{"pack_id", "profile/nosuch", nil},
			{"pack_query", "gartner", []string{"garden", "profile/garden"}},
			{"pack_query", "eet", []string{"garden", "profile/garden"}},
		} {
			if got := s.Nobody(t).Get("/api/profile-pack/catalog", tc.name, tc.text).OK(t).All("data.packs", "pack_id"); !slices.Equal(got, tc.want) {
				t.Errorf("packs %s=%s: %v, want %v", tc.name, tc.text, got, tc.want)
			}
			if got := ada.Get("/api/member/profile-pack/submissions", tc.name, tc.text).OK(t).All("data.submissions", "pack_id"); !slices.Equal(got, tc.want) {
				t.Errorf("pack submissions %s=%s: %v, want %v", tc.name, tc.text, got, tc.want)
			}
		}
		// Page by page it is the same list.
		var ids []string
		for cursor := ""; ; {
			r := ada.Get("/api/member/submissions", "template_id", "basic", "limit", "1", "cursor", cursor).OK(t)
			ids = append(ids, r.All("data.submissions", "template_id")...)
			if cursor = r.Str("data.next_cursor"); cursor == "" || len(ids) > 9 {
				break
			}
		}
		if want := []string{"basic", "basic", "community/basic", "community/basic"}; !slices.Equal(ids, want) {
			t.Errorf("by ones: %v, want %v", ids, want)
		}
	})
}

func TestLanguages(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		c := s.Nobody(t)
		for _, tc := range []struct{ header, locale, want string }{
			{"", "", "en-US"},
			{"zh", "", "zh-CN"},
			{"zh-TW,en;q=0.5", "", "zh-CN"},
			{"ja-JP", "", "ja-JP"},
			{"fr-FR", "", "en-US"},
			{"fr,ja;q=0.8", "", "ja-JP"},
			{"ja", "zh-CN", "zh-CN"},
			{"ja", "en", "en-US"},
			{"zh", "xx", "en-US"},
			{"en;q=0.2,zh;q=0.9", "", "zh-CN"},
			{"zh;q=0,ja", "", "ja-JP"},
		} {
			c := c.With("Accept-Language", tc.header)
			for _, r := range []*apitest.Reply{c.Get("/api/templates/detail", "template_id", translator, "locale", tc.locale), c.Get("/api/templates", "query", "official/careful-translator", "locale", tc.locale)} {
				got := r.OK(t).Str("data.locale")
				if r.At("data.templates") != nil {
					got = r.Str("data.templates.0.locale")
				}
				if got != tc.want {
					t.Errorf("Accept-Language %q, locale %q: %s, want %s", tc.header, tc.locale, got, tc.want)
				}
			}
		}
		// What there is only in one language is shown in that one.
		if r := c.Get("/api/templates/detail", "template_id", "zh-only", "locale", "ja-JP").OK(t); r.Str("data.locale") != "zh-CN" || r.Str("data.title") != "古诗翻译助手" {
			t.Errorf("zh-only: %s", r.Body)
		}
	})
}
