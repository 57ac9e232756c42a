package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

func TestItemExport(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		content := func(args ...string) (*apitest.Reply, []byte) {
			t.Helper()
			r := ada.Get("/api/market/export", args...).OK(t)
			data, err := base64.StdEncoding.DecodeString(r.Str("data.content_base64"))
			if err != nil || len(data) != r.Int("data.size_bytes") {
				t.Fatal(err)
			}
			return r, data
		}
		r, data := content("item_id", translator, "format", "card-png")
		if _, err := png.Decode(bytes.NewReader(data)); err != nil || !strings.HasSuffix(r.Str("data.filename"), ".png") || r.Str("data.media_type") != "image/png" {
			t.Errorf("%v %s", err, r.Str("data.filename"))
		}
		english, first := content("item_id", translator, "format", "prompt", "locale", "en-US")
		_, second := content("item_id", translator, "format", "prompt", "locale", "zh-CN")
		if _, agent := content("item_id", translator, "format", "lobechat"); !bytes.Contains(agent, []byte(`"createdAt"`)) { // the index of LobeChat has it
			t.Errorf("%s", agent)
		}
		if bytes.Equal(first, second) || english.Len("data.losses") != 0 {
			t.Errorf("%s\n%s", first, second)
		}
		if r, _ := content("item_id", starter, "format", "agent"); r.Len("data.losses") == 0 {
			t.Errorf("a pack loses nothing: %s", r.Body)
		}
		for _, c := range []struct {
			args   []string
			status int
		}{
			{[]string{"item_id", translator, "format", "docx"}, http.StatusUnprocessableEntity},
			{[]string{"item_id", translator}, http.StatusUnprocessableEntity},
			{[]string{"format", "prompt"}, http.StatusUnprocessableEntity},
			{[]string{"item_id", "no/where", "format", "prompt"}, http.StatusNotFound},
			{[]string{"item_id", translator, "version", "9.9.9", "format", "prompt"}, http.StatusNotFound},
			{[]string{"item_id", starter, "format", "prompt", "persona", "nobody"}, http.StatusUnprocessableEntity},
		} {
			if r := ada.Get("/api/market/export", c.args...); r.Status != c.status {
				t.Errorf("%v: %d %s", c.args, r.Status, r.Body)
			}
		}
		if r := s.Nobody(t).Get("/api/market/export", "item_id", translator, "format", "prompt"); r.Status != http.StatusUnauthorized {
			t.Errorf("nobody: %d", r.Status)
		}
	})
}
