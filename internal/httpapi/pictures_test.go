package httpapi_test

import (
	"archive/zip"
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
)

func picture(t testing.TB, width, height int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A package brings screenshots: the reviewer has to look at them, and the page of the item shows them to whoever may see it.
func TestPicturesOfAnItem(t *testing.T) {
	first, second := picture(t, 64, 48), picture(t, 20, 30)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		nobody := s.Nobody(t)
		submit := func(id string, visibility catalog.Visibility, a, b string) string {
			in := submit.TemplateInput{TemplateID: id}
			in.Options.Visibility = visibility
			return s.SubmitPackage(t, "ada", in, apitest.TemplatePackage(t, id, "1.0.0", "You paint.", map[string]string{"screenshots/a.png": a, "screenshots/b.png": b}))
		}
		sub := submit("ada/paint", "community", first, second)
		if d, err := s.App.Review(t.Context(), sub); err != nil || !strings.Contains(string(d.LeaveReport), `"screenshots/b.png"`) {
			t.Errorf("what leaves: %+v %v", d, err)
		}
		if _, err := s.App.Approve(t.Context(), sub, "", false); err == nil {
			t.Fatal("approved before the pictures were shown")
		}
		all, err := s.App.ReadSubmission(t.Context(), sub, review.Read{})
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, p := range all.Parts {
			if p.Picture == "image/png" && p.MustOpen && p.Shown {
				shown++
			}
		}
		if shown != 2 {
			t.Errorf("the reviewer sees %d pictures", shown)
		}
		nobody.Get("/api/market/picture", "item_id", "ada/paint", "name", "screenshots/a.png").Want(t, 404, "not_found")
		s.Approve(t, sub)
		page := nobody.Get("/api/market/item", "item_id", "ada/paint").OK(t)
		if len(page.At("data.pictures").([]any)) != 2 || page.Str("data.pictures.0.name") != "screenshots/a.png" || page.Int("data.pictures.0.width") != 64 || page.Int("data.pictures.1.height") != 30 {
			t.Errorf("%s", page.Body)
		}
		got := nobody.Get("/api/market/picture", "item_id", "ada/paint", "name", "screenshots/a.png")
		if got.Status != 200 || string(got.Body) != first || got.Header.Get("Content-Type") != "image/png" || got.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%d %v", got.Status, got.Header)
		}
		for _, name := range []string{"screenshots/c.png", "bundle.json", "screenshots/../bundle.json"} {
			nobody.Get("/api/market/picture", "item_id", "ada/paint", "name", name).Want(t, 404, "not_found")
		}
		// Pictures of what only its owner sees are for its owner alone.
		s.Approve(t, submit("ada/private", "private", second, first))
		nobody.Get("/api/market/picture", "item_id", "ada/private", "name", "screenshots/a.png").Want(t, 404, "not_found")
		ada := s.As(t, "ada")
		for _, one := range [][3]string{{"ada/private", "b", first}, {"ada/private", "a", second}, {"ada/paint", "b", second}} {
			if got := ada.Get("/api/market/picture", "item_id", one[0], "name", "screenshots/"+one[1]+".png"); got.Status != 200 || string(got.Body) != one[2] {
				t.Errorf("%v: %d", one[:2], got.Status)
			}
		}
	})
}

// A profile pack brings screenshots likewise: through a draft, past the reviewer, to the page of the item.
func TestPicturesOfAPack(t *testing.T) {
	shot := picture(t, 64, 48)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		m := pack.Manifest{PackType: "bot_profile_pack", PackID: "ada/garden", Version: "1.0.0", HostVersion: "any", PluginCompat: "*", Redaction: pack.Redaction{Mode: "exclude_secrets"}}
		sections := map[string]any{"personas": map[string]any{"entries": map[string]any{"ann": map[string]any{"system_prompt": "You are Ann."}}}}
		var out bytes.Buffer
		if _, err := pack.Write(&out, m, sections, nil, pack.Picture{Name: "screenshots/a.png", Content: []byte(shot)}); err != nil {
			t.Fatal(err)
		}
		draft := s.Draft(t, "ada", "garden.zip", out.Bytes())
		sub := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft})
		if d, err := s.App.Review(t.Context(), sub); err != nil || !strings.Contains(string(d.LeaveReport), `"screenshots/a.png"`) {
			t.Errorf("what leaves: %+v %v", d, err)
		}
		if _, err := s.App.Approve(t.Context(), sub, "", false); err == nil {
			t.Fatal("approved before the picture was shown")
		}
		s.Approve(t, sub)
		nobody := s.Nobody(t)
		page := nobody.Get("/api/market/item", "item_id", "ada/garden").OK(t)
		if page.Str("data.pictures.0.name") != "screenshots/a.png" || page.Int("data.pictures.0.width") != 64 {
			t.Errorf("%s", page.Body)
		}
		if got := nobody.Get("/api/market/picture", "item_id", "ada/garden", "name", "screenshots/a.png"); got.Status != 200 || string(got.Body) != shot {
			t.Errorf("%d", got.Status)
		}
		if got := nobody.Get("/api/market/picture", "item_id", "ada/garden", "name", "manifest.json"); got.Status != 404 {
			t.Errorf("%d", got.Status)
		}
		// Whoever downloads the pack has them, and the catalog's other readers are not disturbed by them.
		got := s.As(t, "bob").Get("/api/profile-pack/package/download", "pack_id", "ada/garden")
		files, err := zip.NewReader(bytes.NewReader(got.Body), int64(len(got.Body)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.Open("screenshots/a.png"); err != nil {
			t.Error(err)
		}
		if brought := s.As(t, "bob").Get("/api/market/bot-objects", "item_id", "ada/garden").OK(t); brought.Str("data.objects.0.id") != "ann" {
			t.Errorf("%s", brought.Body)
		}
	})
}
