package client_test

import (
	"bytes"
	"image"
	"image/png"
	"path/filepath"
	"testing"

	"stoa/client"
	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
)

// A screenshot comes as it was published.
func TestItemPicture(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{Empty: true})
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	s.Approve(t, s.SubmitPackage(t, "ada", submit.TemplateInput{TemplateID: "ada/paint"}, apitest.TemplatePackage(t, "ada/paint", "1.0.0", "You paint.", map[string]string{"screenshots/a.png": drawn.String()})))
	c, err := client.New(s.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.ItemPicture(t.Context(), "ada/paint", "screenshots/a.png", client.Download{Path: filepath.Join(t.TempDir(), "a.png")})
	if err != nil || !same(t, got.Path, drawn.Bytes()) {
		t.Fatal(got, err)
	}
	if _, err := c.ItemPicture(t.Context(), "ada/paint", "screenshots/b.png", client.Download{Path: filepath.Join(t.TempDir(), "b.png")}); client.CodeOf(err) != "not_found" {
		t.Error(err)
	}
}
