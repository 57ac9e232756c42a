package media

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

func TestKind(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 4, 4), nil)
	var p, j, g bytes.Buffer
	png.Encode(&p, image.NewGray(image.Rect(0, 0, 4, 4)))
	jpeg.Encode(&j, image.NewGray(image.Rect(0, 0, 4, 4)), nil)
	picture.Palette = append(picture.Palette, image.Black.C)
	gif.Encode(&g, picture, nil)
	for kind, head := range map[string][]byte{"image/png": p.Bytes(), "image/jpeg": j.Bytes(), "image/gif": g.Bytes(), "image/webp": []byte("RIFF....WEBPVP8 "), "audio/mp4": []byte("\x00\x00\x00 ftypM4A ")} {
		if got := Kind(head); got != kind {
			t.Errorf("%s: %q", kind, got)
		}
	}
	for _, bad := range []string{"", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>", "<html><script>alert(1)</script>", "MZ\x90\x00 a program of some length", "%PDF-1.7 and so on and on"} {
		if got := Kind([]byte(bad)); got != "" {
			t.Errorf("%q is %s", bad, got)
		}
	}
}
