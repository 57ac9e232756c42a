package httpapi_test

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/pack"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store/marketdb"
)

// walkPages reads a list to its end in pages and answers the ids, in the order they came.
func walkPages(t *testing.T, c *apitest.Client, path, list, member string, limit int, query ...string) (ids []string) {
	t.Helper()
	cursor := ""
	for pages := 0; pages < 500; pages++ {
		r := c.Get(path, append([]string{"limit", strconv.Itoa(limit), "cursor", cursor}, query...)...).OK(t)
		page := r.All("data."+list, member)
		if len(page) > limit || r.Int("data.count") != len(page) {
			t.Fatalf("a page of %d, count %d", len(page), r.Int("data.count"))
		}
		ids = append(ids, page...)
		if cursor = r.Str("data.next_cursor"); cursor == "" {
			return ids
		}
		if len(page) != limit {
			t.Fatalf("%s: a page of %d before the end", path, len(page))
		}
	}
	t.Fatalf("%s has no end", path)
	return nil
}

// filed puts submissions straight into the store: as many as no test could make through the front door.
func filed(t *testing.T, s *apitest.Server, kind, userID string, n int) (all []marketdb.Submission) {
	t.Helper()
	statuses := []string{"pending", "approved", "rejected", "replaced", "withdrawn"}
	risks := []string{"low", "medium", "high"}
	var id string
	if kind == "template" {
		id = s.SubmitPackage(t, "cyn", submit.TemplateInput{TemplateID: "cyn/model", Prompt: "You are one."}, nil)
	} else {
		id = s.SubmitPack(t, "cyn", submit.PackInput{ArtifactID: s.Draft(t, "cyn", "cmd_config.json", apitest.Setup(t, "gardener"))})
	}
	model, err := s.Store.Submission(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		sub := model
		sub.SubmissionID, sub.ItemID, sub.UserID = uuid.Must(uuid.NewV7()).String(), fmt.Sprintf("%s/item-%03d", userID, i), userID
		sub.Status, sub.RiskLevel, sub.Facts.ReviewLabels, sub.Facts.WarningFlags = statuses[i%5], risks[i%3], []string{"risk_" + risks[i%3]}, []string{}
		if kind == "profile_pack" {
			facts := *model.Facts.Pack
			facts.PackType = []string{pack.BotProfilePack, pack.ExtensionPack}[i%2]
			sub.PackType, sub.Facts.Pack = facts.PackType, &facts
		}
		switch i {
		case 7:
			sub.ItemID, sub.Facts.ReviewLabels = "100%_sure\\", []string{"a_b", "prompt_injection_detected"}
		case 8:
			sub.ItemID, sub.Facts.WarningFlags = "翻译/古诗助手", []string{"command_exec", "a%b"}
		case 9:
			sub.ItemID, sub.Facts.ReviewLabels = "Übersetzer/ＦＵＬＬ", []string{"axb"}
		}
		sub.FoldedID = search.Fold(sub.ItemID)
		all = append(all, sub)
	}
	return all
}

func TestPagesOfSubmissions(t *testing.T) {
	heavy(t)
	const n = 130
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for kind, path := range map[string]string{"template": "/api/member/submissions", "profile_pack": "/api/member/profile-pack/submissions"} {
			all := filed(t, s, kind, "ada", n)
			bobs := filed(t, s, kind, "bob", 30)
			s.File(t, append(all, bobs...)...)
			var newest []string
			for _, sub := range all {
				newest = append(newest, sub.SubmissionID)
			}
			sort.Sort(sort.Reverse(sort.StringSlice(newest)))
			for _, limit := range []int{1, 7, 50, 65, 130, 200} {
				if limit == 1 && testing.Short() {
					continue
				}
				if got := walkPages(t, ada, path, "submissions", "submission_id", limit); !slices.Equal(got, newest) {
					t.Fatalf("%s in pages of %d: %d of %d, or in another order", path, limit, len(got), len(newest))
				}
			}
			if r := ada.Get(path).OK(t); r.Int("data.count") != 50 {
				t.Errorf("%s without a limit: %d", path, r.Int("data.count"))
			}
			text, item := "template_query", "template_id"
			if kind == "profile_pack" {
				text, item = "pack_query", "pack_id"
			}
			some := func(fits func(i int) bool) (ids []string) {
				for i, sub := range all {
					if fits(i) {
						ids = append(ids, sub.SubmissionID)
					}
				}
				sort.Sort(sort.Reverse(sort.StringSlice(ids)))
				return ids
			}
			only := func(k int) func(int) bool { return func(i int) bool { return i == k } }
			none := func(int) bool { return false }
			filters := []struct {
				name, value string
				fits        func(i int) bool
			}{
				{"status", "pending", func(i int) bool { return i%5 == 0 }},
				{"status", "WITHDRAWN", func(i int) bool { return i%5 == 4 }},
				{"status", "no-such", none},
				{"risk_level", "high", func(i int) bool { return i%3 == 2 }},
				{"review_label", "risk_low", func(i int) bool { return i%3 == 0 && i != 9 }},
				{"review_label", "a_b", only(7)},
				{"review_label", "prompt_injection_detected", only(7)},
				{"review_label", "prompt", none},
				{"review_label", "%", none},
				{"review_label", ",", none},
				{"warning_flag", "command_exec", only(8)},
				{"warning_flag", "a%b", only(8)},
				{"warning_flag", "a_b", none},
				{text, "item-00", func(i int) bool { return i < 10 && (i < 7 || i > 9) }},
				{text, "ITEM-12", func(i int) bool { return i >= 120 }},
				{text, "%", only(7)},
				{text, "_", only(7)},
				{text, "\\", only(7)},
				{text, "100%_S", only(7)},
				{text, "古诗", only(8)},
				{text, "译/古", only(8)},
				{text, "übersetzer/full", only(9)},
				{item, "item-129", only(129)},
				{text, "'; --", none},
			}
			if kind == "profile_pack" {
				filters = append(filters, []struct {
					name, value string
					fits        func(i int) bool
				}{{"pack_type", "extension_pack", func(i int) bool { return i%2 == 1 }}, {"pack_type", "x", none}}...)
			}
			for _, f := range filters {
				if got, want := walkPages(t, ada, path, "submissions", "submission_id", 9, f.name, f.value), some(f.fits); !slices.Equal(got, want) {
					t.Errorf("%s with %s=%s: %d found, want %d", path, f.name, f.value, len(got), len(want))
				}
			}
			got := walkPages(t, ada, path, "submissions", "submission_id", 2, "status", "pending", "risk_level", "low", text, "item-0")
			if want := some(func(i int) bool { return i%15 == 0 && i < 100 }); !slices.Equal(got, want) {
				t.Errorf("%s with three filters: %d found, want %d", path, len(got), len(want))
			}
		}
	})
}

func TestPagesOfDraftsAndTransfers(t *testing.T) {
	heavy(t)
	const n = 125
	apitest.Each(t, apitest.Options{App: func(c *core.Config) { c.Quotas = core.Quotas{core.QuotaDrafts: n} }}, func(t *testing.T, s *apitest.Server) {
		var drafts []string
		for i := range n {
			if i%10 == 0 {
				s.Clock.Advance(time.Millisecond) // several share a moment
			}
			drafts = append(drafts, s.Draft(t, "ada", fmt.Sprintf("bot-%03d.json", i), apitest.Setup(t, "gardener")))
		}
		s.Draft(t, "bob", "cmd_config.json", apitest.Setup(t, "bob"))
		ada := s.As(t, "ada")
		slices.Reverse(drafts)
		for _, limit := range []int{7, 50, 125, 200} {
			if got := walkPages(t, ada, "/api/member/profile-pack/imports", "imports", "import_id", limit); !slices.Equal(got, drafts) {
				t.Fatalf("drafts in pages of %d: %d of %d, or in another order", limit, len(got), len(drafts))
			}
			got := walkPages(t, ada, "/api/member/transfers", "jobs", "submission_id", limit)
			sort.Sort(sort.Reverse(sort.StringSlice(got)))
			if !slices.Equal(got, drafts) {
				t.Fatalf("transfers in pages of %d: %d of %d", limit, len(got), len(drafts))
			}
			times := walkPages(t, ada, "/api/member/transfers", "jobs", "updated_at", limit)
			if !slices.IsSortedFunc(times, func(a, b string) int { return strings.Compare(b, a) }) {
				t.Errorf("transfers in pages of %d are not newest first", limit)
			}
		}
		ada.Post("/api/templates/submit", m{"template_id": "ada/x", "package_name": "p.zip", "package_base64": "AAAA"}).Want(t, 400, "invalid_package_payload")
		sub := s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/x"}, apitest.TemplatePackage(t, "ada/x", "1.0.0", "You are x.", nil))
		ada.Get("/api/member/submissions/package/download", "submission_id", sub).OK(t)
		for _, f := range []struct {
			query []string
			want  int
		}{
			{[]string{"direction", "download"}, 1},
			{[]string{"direction", "UPLOAD"}, n + 2},
			{[]string{"status", "failed"}, 1},
			{[]string{"status", "Failed", "direction", "download"}, 0},
			{[]string{"status", "done"}, n + 2},
			{[]string{"status", "queued"}, 0},
			{[]string{"status", "%"}, 0},
			{[]string{"direction", "sideways"}, 0},
		} {
			if got := walkPages(t, ada, "/api/member/transfers", "jobs", "job_id", 40, f.query...); len(got) != f.want {
				t.Errorf("%v: %d, want %d", f.query, len(got), f.want)
			}
		}
		r := ada.Post("/api/member/transfers/refresh", m{"direction": "download", "limit": 1}).OK(t)
		if r.Int("data.count") != 1 || r.Str("data.refreshed_at") != clock.Text(s.Clock.Now()) {
			t.Errorf("%s", r.Body)
		}
	})
}
