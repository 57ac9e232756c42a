package pack

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/platform/errs"
)

func drawn(t testing.TB, kind string, width, height int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width {
		img.Set(i, i%height, color.RGBA{uint8(i * 7), uint8(i * 3), 90, 255})
	}
	var out bytes.Buffer
	var err error
	if kind == "png" {
		err = png.Encode(&out, img)
	} else {
		err = jpeg.Encode(&out, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func chunk(kind, data string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE([]byte(kind+data)))
}

// tagged are pictures that say more than they show.
func tagged(t testing.TB) map[string][]byte {
	p, j := drawn(t, "png", 40, 30), drawn(t, "jpeg", 40, 30)
	segment := append([]byte{0xff, 0xe1, 0, 14}, "Exif\x00\x00Lisbon"...)
	comment := append([]byte{0xff, 0xfe, 0, 8}, "Lisbon"...)
	at := len(p) - 12 // before IEND
	return map[string][]byte{
		"text.png":    append(append(append([]byte{}, p[:at]...), chunk("tEXt", "Place\x00Lisbon")...), p[at:]...),
		"exif.png":    append(append(append([]byte{}, p[:33]...), chunk("eXIf", "MM Lisbon")...), p[33:]...),
		"behind.png":  append(append([]byte{}, p...), "Lisbon"...),
		"exif.jpg":    append(append([]byte{0xff, 0xd8}, segment...), j[2:]...),
		"comment.jpg": append(append([]byte{0xff, 0xd8}, comment...), j[2:]...),
		"behind.jpeg": append(append([]byte{}, j...), "Lisbon"...),
	}
}

func pictureReason(t *testing.T, files map[string]string) string {
	t.Helper()
	_, err := ReadTemplate(context.Background(), zipped(t, files), nil)
	if e, ok := errs.As(err); ok {
		return e.Data["reason"].(string)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// What says more than a picture is refused; packing takes it away and leaves the picture as it is.
func TestPicturesSayNoMoreThanTheyShow(t *testing.T) {
	for name, content := range tagged(t) {
		if !bytes.Contains(content, []byte("Lisbon")) {
			t.Fatal("nothing to find")
		}
		if got := pictureReason(t, map[string]string{"bundle.json": sampleBundle, "screenshots/" + name: string(content)}); got != ReasonPicture {
			t.Errorf("%s: %q", name, got)
		}
		bare, ok := barePicture(content)
		if !ok || bytes.Contains(bare, []byte("Lisbon")) {
			t.Errorf("%s: %v, %d bytes", name, ok, len(bare))
		}
		want, _, _ := image.Decode(bytes.NewReader(content))
		if got, _, err := image.Decode(bytes.NewReader(bare)); err != nil || !same(got, want) {
			t.Errorf("%s looks different: %v", name, err)
		}
		if got := pictureReason(t, map[string]string{"bundle.json": sampleBundle, "screenshots/" + name: string(bare)}); got != "" {
			t.Errorf("%s: %q after it was stripped", name, got)
		}
		var out bytes.Buffer
		if err := WriteTemplate(&out, zipped(t, map[string]string{"bundle.json": sampleBundle, "screenshots/" + name: string(content)})); err != nil {
			t.Fatal(err)
		}
		if b, err := ReadTemplate(context.Background(), opened(t, out.Bytes()), nil); err != nil || len(b.Pictures) != 1 || len(b.Files) != 0 {
			t.Errorf("%s: %v %+v", name, err, b)
		}
	}
}

func same(x, y image.Image) bool {
	if x.Bounds() != y.Bounds() {
		return false
	}
	for i := range x.Bounds().Dx() {
		for k := range x.Bounds().Dy() {
			if x.At(i, k) != y.At(i, k) {
				return false
			}
		}
	}
	return true
}

func TestPicturesThatAreRefused(t *testing.T) {
	p, noise := string(drawn(t, "png", 40, 30)), make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	for name, files := range map[string]map[string]string{
		"no picture":     {"screenshots/a.png": "hello"},
		"another kind":   {"screenshots/a.jpg": p},
		"cut":            {"screenshots/a.png": p[:len(p)-20]},
		"too wide":       {"screenshots/a.png": string(drawn(t, "png", 4097, 1))},
		"too many bytes": {"screenshots/a.png": p + string(noise)},
		"too many":       {"screenshots/1.png": p, "screenshots/2.png": p, "screenshots/3.png": p, "screenshots/4.png": p, "screenshots/5.png": p, "screenshots/6.png": p},
	} {
		files["bundle.json"] = sampleBundle
		if got := pictureReason(t, files); got != ReasonPicture {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"a.png", "pictures/a.png", "screenshots/deep/a.png", "screenshots/a.gif"} {
		if got := pictureReason(t, map[string]string{"bundle.json": sampleBundle, name: p}); got != ReasonBinaryFile {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Bytes in any order end, and what is left is left as it is by a second look.
func TestBarePictureLaws(t *testing.T) {
	seeds := [][]byte{drawn(t, "png", 9, 9), drawn(t, "jpeg", 9, 9)}
	rapid.Check(t, func(t *rapid.T) {
		content := bytes.Clone(seeds[rapid.IntRange(0, 1).Draw(t, "seed")])
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			content[rapid.IntRange(0, len(content)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		bare, ok := barePicture(content[:rapid.IntRange(0, len(content)).Draw(t, "length")])
		if !ok {
			return
		}
		if again, ok := barePicture(bare); !ok || !bytes.Equal(again, bare) {
			t.Fatalf("a second look changes it")
		}
	})
}
