package httpapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/market/catalog"
)

func TestTasks(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		did := []struct{ path, name, action string }{
			{"/api/trial", "trial", "trial.requested"},
			{"/api/templates/install", "install", "template.installed"},
			{"/api/templates/package", "template_package_generated", "template.package_generated"},
			{"/api/member/installations/uninstall", "template_uninstalled", "template.uninstalled"},
		}
		for i, d := range did {
			s.Clock.Advance(time.Second)
			ada.With("X-Request-Id", fmt.Sprintf("task-%d", i)).Post(d.path, m{"template_id": translator}).OK(t)
		}
		ada.Post("/api/trial", m{"template_id": translator}).OK(t)            // active already: nothing was done
		ada.Post("/api/templates/prompt", m{"template_id": translator}).OK(t) // looked at, which is no task
		ada.Get("/api/templates/package/download", "template_id", starter).OK(t)
		bob.Post("/api/trial", m{"template_id": coach}).OK(t)

		r := ada.Get("/api/member/tasks").OK(t)
		if r.Int("data.count") != len(did)+1 || r.Str("data.user_id") != "ada" {
			t.Fatalf("tasks: %s", r.Body)
		}
		if r.Str("data.tasks.0.pack_id") != starter || r.Str("data.tasks.0.template_id") != "" {
			t.Errorf("a pack's task: %s", r.Body)
		}
		for i, d := range did {
			at := fmt.Sprintf("data.tasks.%d.", len(did)-i) // newest first
			if r.Str(at+"name") != d.name || r.Str(at+"action") != d.action || r.Str(at+"template_id") != translator || r.Str(at+"request_id") != fmt.Sprintf("task-%d", i) || r.At(at+"ok") != true ||
				r.Str(at+"at") != fmt.Sprintf("2026-03-02T09:00:%02d.000Z", i+1) {
				t.Errorf("task %d: %v", i, r.At(at[:len(at)-1]))
			}
		}
		pages(t, ada, r.All("data.tasks", "task_id"), "tasks", "task_id", "/api/member/tasks")
		refreshed := ada.Post("/api/member/tasks/refresh", m{"limit": 2}).OK(t)
		if refreshed.Int("data.count") != 2 || refreshed.Str("data.refreshed_at") == "" || refreshed.Str("data.next_cursor") == "" {
			t.Errorf("refreshed: %s", refreshed.Body)
		}
	})
}

func TestNotifications(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ctx := t.Context()
		sweep := func() {
			t.Helper()
			if err := s.App.SweepOnce(ctx); err != nil {
				t.Fatal(err)
			}
		}
		ada := s.As(t, "ada")
		ada.Post("/api/trial", m{"template_id": translator}).OK(t)
		s.Clock.Advance(trialTTL - time.Microsecond)
		sweep()
		if n := s.Count(t, "notification"); n != 0 {
			t.Fatalf("%d notifications before the trial's end", n)
		}
		s.Clock.Advance(time.Microsecond)
		together(8, func(int) { sweep() })
		sweep()

		approved := s.Submit(t, "ada", "ada/letters", "1.0.0", catalog.Community)
		if _, err := s.App.Approve(ctx, approved, "Lovely.", false); err != nil {
			t.Fatal(err)
		}
		rejected := s.Submit(t, "ada", "ada/notes", "1.0.0", catalog.Community)
		if _, err := s.App.Reject(ctx, rejected, "Too short."); err != nil {
			t.Fatal(err)
		}
		ada = s.As(t, "ada")
		r := ada.Get("/api/notifications").OK(t)
		if got := r.All("data.events", "kind"); !slices.Equal(got, []string{"submission_rejected", "submission_approved", "trial_expired"}) {
			t.Fatalf("events: %s", r.Body)
		}
		if got := r.All("data.events", "target"); !slices.Equal(got, []string{"ada/notes", "ada/letters", translator}) {
			t.Errorf("targets: %v", got)
		}
		if got := r.Str("data.events.0.message"); got != "Your submission of ada/notes 1.0.0 was not approved. The reviewer says: Too short." {
			t.Errorf("message: %s", got)
		}
		pages(t, ada, r.All("data.events", "id"), "events", "id", "/api/notifications")
		if r := s.As(t, "bob").Get("/api/notifications").OK(t); r.Int("data.count") != 0 {
			t.Errorf("bob's: %s", r.Body)
		}
		if r := ada.Get("/api/templates/detail", "template_id", "ada/letters").OK(t); r.Int("data.engagement.community_submissions") != 1 || r.Str("data.owner") != "ada" || r.Str("data.review_note") != "Lovely." {
			t.Errorf("approved: %s", r.Body)
		}
		ada.Get("/api/templates/detail", "template_id", "ada/notes").Want(t, 404, "template_not_found")
	})
}

func TestInsights(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		c := s.Nobody(t)
		for range 2 {
			for _, user := range []string{"ada", "bob"} {
				s.As(t, user).Post("/api/templates/install", m{"template_id": "pack/quiet"}).OK(t)
			}
		}
		r := c.Get("/api/profile-pack/catalog/insights").OK(t)
		all := rows(t, c, "/api/profile-pack/catalog", "packs", "pack_id")
		count := func(field, value string) (n int) {
			for _, row := range all {
				if carries(row, field, value) {
					n++
				}
			}
			return n
		}
		for metric, want := range map[string]int{
			"total": len(all), "featured": count("featured", "true"), "high_risk": count("risk_level", "high"), "low_risk": count("risk_level", "low"),
			"extension_pack": count("pack_type", "extension_pack"), "bot_profile_pack": count("pack_type", "bot_profile_pack"),
		} {
			if got := r.Int("data.metrics." + metric); got != want {
				t.Errorf("%s is %d, want %d", metric, got, want)
			}
		}
		if r.At("data.featured.featured") != true || r.Len("data.trending") != len(all) {
			t.Errorf("picks: %s", r.Body)
		}
		last := 1e300
		for i := range r.Len("data.trending") {
			score := r.At(fmt.Sprintf("data.trending.%d.trend_score", i)).(float64)
			if score > last {
				t.Errorf("trending: %v after %v", score, last)
			}
			last = score
		}
		c.Get("/api/profile-pack/catalog/detail").Want(t, 400, "pack_id_required")
		c.Get("/api/profile-pack/catalog/detail", "pack_id", translator).Want(t, 404, "profile_pack_not_published")
		c.Get("/api/templates/detail", "template_id", starter).Want(t, 404, "template_not_found")
		c.Get("/api/templates/detail").Want(t, 400, "template_id_required")
		detail := c.Get("/api/profile-pack/catalog/detail", "pack_id", "pack/tools").OK(t)
		if got := fmt.Sprint(detail.At("data.sections")); got != "[mcp_servers plugins]" {
			t.Errorf("sections: %s", got)
		}
		if got := fmt.Sprint(detail.At("data.capability_summary.high_risk_declared")); got != "[command.exec]" {
			t.Errorf("capabilities: %s", got)
		}
	})
}

func TestCapabilities(t *testing.T) {
	closed := func(op apitest.Operation) bool { return op.ID == "signup" }
	want := func(roles ...string) (names []string) {
		for _, op := range apitest.Operations() {
			for _, name := range append([]string{op.Capability}, op.Also...) {
				if !closed(op) && slices.Contains(roles, op.Role) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		return names
	}
	check := func(t *testing.T, c *apitest.Client, role, user string, authenticated, anonymous bool, operations []string) {
		t.Helper()
		r := c.Get("/api/ui/capabilities", "page_mode", "market").OK(t)
		var got []string
		for _, op := range r.At("data.operations").([]any) {
			got = append(got, op.(string))
		}
		if !slices.Equal(got, operations) || r.Str("data.role") != role || r.Str("data.user_id") != user || r.Str("user_id") != user || r.Str("data.page_mode") != "market" ||
			r.At("data.authenticated") != authenticated || r.At("data.anonymous_member") != anonymous {
			t.Errorf("capabilities: %s\nwant %v", r.Body, operations)
		}
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		check(t, s.Nobody(t), "public", "", false, false, want("public"))
		check(t, s.As(t, "ada"), "member", "ada", true, false, want("public", "allowlist", "member"))
		r := s.Nobody(t).Get("/api/auth-info").OK(t)
		if r.Len("data.anonymous_member_allowlist") != 13 || r.At("allow_anonymous_member") != false || r.Str("signup") != "closed" {
			t.Errorf("auth-info: %s", r.Body)
		}
	})
	apitest.Each(t, apitest.Options{Anonymous: true}, func(t *testing.T, s *apitest.Server) {
		check(t, s.Nobody(t), "member", apitest.AnonymousMember, false, true, want("public", "allowlist"))
		check(t, s.As(t, "ada"), "member", "ada", true, false, want("public", "allowlist", "member"))
	})
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		r := s.Nobody(t).Get("/api/ui/capabilities").OK(t)
		if operations, _ := r.At("data.operations").([]any); !slices.Contains(operations, any("auth.signup")) {
			t.Errorf("where sign-up is open: %v", operations)
		}
	})
	apitest.Each(t, apitest.Options{AuthOff: true}, func(t *testing.T, s *apitest.Server) {
		check(t, s.Nobody(t), "member", apitest.DefaultMember, true, false, want("public", "allowlist", "member"))
	})
}
