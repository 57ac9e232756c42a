package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"stoa/internal/apitest"
)

// Pictures that are sent with a draft come with the pack to its page; what is no picture of its kind, and two of one name, are refused.
func TestPicturesComeWithADraft(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		var drawn, photo bytes.Buffer
		if png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 40, 30))) != nil || jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 60, 20)), nil) != nil {
			t.Fatal("no pictures")
		}
		one := func(name string, content []byte) m {
			return m{"name": name, "content_base64": base64.StdEncoding.EncodeToString(content)}
		}
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		submit := func(pictures ...m) *apitest.Reply {
			return ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/garden", "version": "1.0.0", "pictures": pictures})
		}
		submit(one("1.png", photo.Bytes())).Want(t, 400, "invalid_profile_pack_payload")
		submit(one("1.webp", drawn.Bytes())).Want(t, 400, "invalid_profile_pack_payload")
		submit(one("1.png", make([]byte, 2000))).Want(t, 400, "invalid_profile_pack_payload")
		submit(one("../1.png", drawn.Bytes())).Want(t, 422, "invalid_request")
		submit(one("1.png", drawn.Bytes()), one("1.png", drawn.Bytes())).Want(t, 422, "invalid_request")
		six := make([]m, 6)
		for i := range six {
			six[i] = one(string(rune('a'+i))+".png", drawn.Bytes())
		}
		submit(six...).Want(t, 422, "invalid_request")
		s.Approve(t, submit(one("1.png", drawn.Bytes()), one("2.jpg", photo.Bytes())).OK(t).Str("data.submission_id"))
		want(t, s.Nobody(t).Get("/api/market/item", "item_id", "ada/garden").OK(t), m{
			"data.pictures.0.name": "screenshots/1.png", "data.pictures.0.width": 40, "data.pictures.1.name": "screenshots/2.jpg", "data.pictures.1.height": 20,
		})
	})
}
