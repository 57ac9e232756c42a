package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/market/catalog"
)

func TestInstalling(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		install := func(body m) *apitest.Reply { t.Helper(); return ada.Post("/api/templates/install", body) }
		installs := func() int {
			return ada.Get("/api/templates/detail", "template_id", translator).OK(t).Int("data.engagement.installs")
		}

		before := s.Rows(t)
		r := install(m{"template_id": translator, "install_options": m{"preflight": true}}).OK(t)
		if r.Str("data.status") != "preflight_ready" || r.At("data.can_install") != true || r.Str("data.would") != "install" || s.Rows(t) != before {
			t.Errorf("preflight: %s", r.Body)
		}

		first := install(m{"template_id": translator, "session_id": "s1", "installOptions": m{"source_preference": "generated", "selected_sections": []string{"b", "a", "b", ""}}}).OK(t)
		if first.Str("data.status") != "installed" || first.Str("data.install_options.source_preference") != "generated" || first.Len("data.install_options.selected_sections") != 2 {
			t.Errorf("install: %s", first.Body)
		}
		if first.Str("data.version") != "1.0.0" || first.Str("data.prompt_bundle.prompt") == "" || first.Str("data.package_artifact.sha256") == "" || first.Str("data.installed_at") != "2026-03-02T09:00:00.000Z" {
			t.Errorf("install: %s", first.Body)
		}
		s.Clock.Advance(time.Minute)
		again := install(m{"template_id": translator, "session_id": "s2", "install_options": m{"source_preference": "uploaded_submission"}}).OK(t)
		if again.Str("data.status") != "already_installed" || again.Str("data.install_options.source_preference") != "generated" || again.Str("data.session_id") != "s1" || again.Str("data.installed_at") != first.Str("data.installed_at") {
			t.Errorf("again: %s", again.Body)
		}
		if installs() != 1 {
			t.Errorf("installs %d, want 1", installs())
		}
		for option, would := range map[string]string{"preflight": "nothing", "force_reinstall": "reinstall"} {
			before := s.Rows(t)
			r := install(m{"template_id": translator, "install_options": m{"preflight": true, option: true}}).OK(t)
			if r.Str("data.would") != would || s.Rows(t) != before {
				t.Errorf("preflight with %s: %s", option, r.Body)
			}
		}
		forced := install(m{"template_id": translator, "session_id": "s3", "install_options": m{"force_reinstall": true}}).OK(t)
		if forced.Str("data.status") != "reinstalled" || forced.Str("data.session_id") != "s3" || forced.Str("data.install_options.source_preference") != "auto" || installs() != 2 {
			t.Errorf("forced: %s, installs %d", forced.Body, installs())
		}
		list := ada.Get("/api/member/installations").OK(t)
		if list.Int("data.total") != 1 || list.Str("data.installations.0.installed_at") != first.Str("data.installed_at") || list.Str("data.installations.0.updated_at") != "2026-03-02T09:01:00.000Z" {
			t.Errorf("list: %s", list.Body)
		}
		for _, name := range []string{"template_id", "templateId", "pack_id"} {
			if r := install(m{name: starter}).OK(t); r.Str("data.kind") != "profile_pack" || r.At("data.prompt_bundle") != nil {
				t.Errorf("a pack as %s: %s", name, r.Body)
			}
		}
		r = install(m{"template_id": "nobody/has-this"}).Want(t, 404, "template_not_installable")
		if r.Str("data.template_id") != "nobody/has-this" || r.Str("data.status") != "not_installable" {
			t.Errorf("unknown: %s", r.Body)
		}
		install(m{}).Want(t, 400, "template_id_required")
		install(m{"template_id": strings.ToUpper(translator)}).Want(t, 404, "template_not_installable")
	})
}

func TestUninstalling(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		s.As(t, "bob").Post("/api/templates/install", m{"template_id": translator}).OK(t)
		ada.Post("/api/member/installations/uninstall", m{"template_id": translator}).Want(t, 404, "member_installation_not_found")
		ada.Post("/api/templates/install", m{"template_id": translator}).OK(t)
		if r := ada.Post("/api/member/installations/uninstall", m{"templateId": translator}).OK(t); r.Str("data.status") != "uninstalled" || r.Str("data.version") != "1.0.0" {
			t.Errorf("uninstall: %s", r.Body)
		}
		ada.Post("/api/member/installations/uninstall", m{"template_id": translator}).Want(t, 404, "member_installation_not_found")
		ada.Post("/api/member/installations/uninstall", m{}).Want(t, 400, "template_id_required")
		if n := s.Count(t, "installation"); n != 1 {
			t.Errorf("%d installations are left, want bob's", n)
		}
		if r := ada.Post("/api/templates/install", m{"template_id": translator}).OK(t); r.Str("data.status") != "installed" {
			t.Errorf("after uninstalling: %s", r.Body)
		}
	})
}

func line(prompt string) string {
	return apitest.Line(m{"id": "helper", "category": "writing", "author": "Ines", "locales": m{"en-US": m{"title": "Helper", "description": "Helps.", "prompt": prompt}}})
}

func TestUpdatesReachWhoHasInstalled(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Import(t, review.ImportOptions{}, line("Help."))
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		old := ada.Post("/api/templates/install", m{"template_id": "helper"}).OK(t)
		s.Clock.Advance(time.Minute)
		if report := s.Import(t, review.ImportOptions{}, line("Help.")); report.Unchanged != 1 || report.Updated != 0 {
			t.Errorf("the same line again: %+v", report)
		}
		if report := s.Import(t, review.ImportOptions{}, line("Help better.")); report.Updated != 1 {
			t.Errorf("a changed line: %+v", report)
		}
		for _, r := range []*apitest.Reply{ada.Get("/api/member/installations").OK(t), ada.Post("/api/member/installations/refresh", m{}).OK(t)} {
			if r.At("data.installations.0.update_available") != true || r.Str("data.installations.0.version") != "1.0.0" || r.Str("data.installations.0.latest_version") != "1.0.1" {
				t.Errorf("after the update: %s", r.Body)
			}
		}
		r := ada.Get("/api/notifications").OK(t)
		if r.Int("data.count") != 1 || r.Str("data.events.0.kind") != "update_available" || r.Str("data.events.0.target") != "helper" || !strings.Contains(r.Str("data.events.0.message"), "1.0.1") {
			t.Errorf("ada's notifications: %s", r.Body)
		}
		if r := bob.Get("/api/notifications").OK(t); r.Int("data.count") != 0 {
			t.Errorf("bob's notifications: %s", r.Body)
		}
		// What is installed stays what it was until it is installed again.
		still := ada.Post("/api/templates/install", m{"template_id": "helper"}).OK(t)
		if still.Str("data.version") != "1.0.0" || still.Str("data.prompt_bundle.prompt") != "Help." || still.Str("data.package_artifact.sha256") != old.Str("data.package_artifact.sha256") {
			t.Errorf("the pinned version: %s", still.Body)
		}
		now := ada.Post("/api/templates/install", m{"template_id": "helper", "install_options": m{"force_reinstall": true}}).OK(t)
		if now.Str("data.version") != "1.0.1" || now.Str("data.prompt_bundle.prompt") != "Help better." {
			t.Errorf("reinstalled: %s", now.Body)
		}
		detail := ada.Get("/api/templates/detail", "template_id", "helper").OK(t)
		if got := detail.All("data.versions", "version"); !slices.Equal(got, []string{"1.0.1", "1.0.0"}) || detail.At("data.versions.0.latest") != true {
			t.Errorf("versions: %v", got)
		}
	})
}

func TestInstallationsPageByPage(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		ada := s.As(t, "ada")
		var want []string
		for i := range 12 {
			id := fmt.Sprintf("line-%02d", i)
			ada.Post("/api/templates/install", m{"template_id": id}).OK(t)
			want = append([]string{id}, want...)
			if i%3 == 0 {
				s.Clock.Advance(time.Second) // some at the same instant: these go by id
			}
		}
		for _, limit := range []int{1, 5, 12, 50} {
			var got []string
			for cursor := ""; ; {
				r := ada.Post("/api/member/installations/refresh", m{"limit": limit, "cursor": cursor}).OK(t)
				if r.Int("data.total") != 12 || r.Str("data.refreshed_at") == "" {
					t.Errorf("page: %s", r.Body)
				}
				got = append(got, r.All("data.installations", "template_id")...)
				if cursor = r.Str("data.next_cursor"); cursor == "" || len(got) > 20 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("by %d: %v, want %v", limit, got, want)
			}
		}
	})
}

// Sixty-four members' installs at once: each row once, each counter what the rows say.
func TestInstallsAtOnceCountExactly(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Market(t)
		clients := []*apitest.Client{s.As(t, "ada"), s.As(t, "bob"), s.As(t, "cyn")}
		together(64, func(i int) {
			c := clients[i%len(clients)]
			c.Post("/api/templates/install", m{"template_id": "line-00"})
			c.Post("/api/templates/install", m{"template_id": fmt.Sprintf("line-%02d", 1+i%11)})
			c.Post("/api/templates/install", m{"template_id": "line-00"})
		})
		for i := range 12 {
			id := fmt.Sprintf("line-%02d", i)
			stored := s.Count(t, "installation WHERE item_id = '"+id+"'")
			item, err := s.Store.Item(t.Context(), catalog.KindTemplate, id)
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.Store.Engagement(t.Context(), item.Seq)
			if err != nil {
				t.Fatal(err)
			}
			shown := clients[0].Get("/api/templates/detail", "template_id", id).OK(t).Int("data.engagement.installs")
			if stored != 3 || int(e.Installs) != stored || shown != stored || s.Count(t, "audit_event WHERE action = 'template.installed' AND item_id = '"+id+"'") != stored {
				t.Errorf("%s: %d rows, %d counted, %d shown, want 3", id, stored, e.Installs, shown)
			}
		}
	})
}

// Installing and uninstalling the same thing from many places never fails, and leaves one row or none.
func TestInstallAndUninstallAtOnce(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		together(16, func(i int) {
			for range 12 {
				path := "/api/templates/install"
				if i%2 == 0 {
					path = "/api/member/installations/uninstall"
				}
				if r := ada.Post(path, m{"template_id": translator, "install_options": m{"force_reinstall": i%4 == 1}}); r.Status != 200 && r.Code() != "member_installation_not_found" {
					t.Errorf("%s: %d %s", path, r.Status, r.Body)
				}
			}
		})
		if n := s.Count(t, "installation"); n > 1 {
			t.Errorf("%d rows", n)
		}
	})
}

// A reader who comes while a version is published sees the old one or the new one, and from the
// moment the import is over only the new one, whatever was kept in memory meanwhile.
func TestReadersSeeEachNewVersion(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	c := s.Nobody(t)
	s.Import(t, review.ImportOptions{}, line("Help, version 0."))
	for i := 1; i <= 15; i++ {
		done := make(chan struct{})
		readers := make(chan struct{})
		go func() {
			defer close(readers)
			together(4, func(int) {
				for {
					select {
					case <-done:
						return
					default:
						c.Get("/api/templates/detail", "template_id", "helper")
					}
				}
			})
		}()
		s.Import(t, review.ImportOptions{}, line(fmt.Sprintf("Help, version %d.", i)))
		close(done)
		<-readers
		r := c.Get("/api/templates/detail", "template_id", "helper").OK(t)
		if want := fmt.Sprintf("Help, version %d.", i); r.Str("data.prompt_preview") != want {
			t.Fatalf("after the import: %q, want %q", r.Str("data.prompt_preview"), want)
		}
	}
}
