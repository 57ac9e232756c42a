package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
)

// The picture of a card: 400 by 600 is what readers of cards show without cutting.
const (
	pictureWidth  = 400
	pictureHeight = 600
	cells         = 5
)

// cardPNG puts a card into a picture: tEXt ccv3 with Version 3, and chara with Version 2 for older readers.
func (w *writer) cardPNG(p *Persona, v2, v3 any) ([]byte, error) {
	var out bytes.Buffer
	if err := png.Encode(&out, picture(w.item.ID+"\x00"+p.Name)); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	data := out.Bytes()
	const end = 12 // IEND: length, name, checksum
	body, tail := data[:len(data)-end], data[len(data)-end:]
	with := append([]byte{}, body...)
	for _, c := range []struct {
		key  string
		card any
	}{{"chara", v2}, {"ccv3", v3}} {
		text, err := json.Marshal(c.card)
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		with = appendChunk(with, "tEXt", append([]byte(c.key+"\x00"), base64.StdEncoding.EncodeToString(text)...))
	}
	return append(with, tail...), nil
}

// appendChunk adds a chunk with its length and checksum.
func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data))) //nolint:gosec // a card is far below 4 GiB
	start := len(out)
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}

// picture is a symmetric pattern that the name alone decides, so that an item looks the same everywhere.
func picture(name string) image.Image {
	sum := sha256.Sum256([]byte(name))
	hue := int(binary.BigEndian.Uint16(sum[:])) % 360
	palette := color.Palette{hsl(hue, 35, 92), hsl(hue, 55, 42), hsl((hue+40)%360, 55, 60)}
	img := image.NewPaletted(image.Rect(0, 0, pictureWidth, pictureHeight), palette)
	const cell = pictureWidth / (cells + 1)
	left, top := (pictureWidth-cells*cell)/2, (pictureHeight-cells*cell)/2
	for row := range cells {
		for col := range cells {
			b := sum[2+row*3+min(col, cells-1-col)]
			if b%2 == 0 {
				continue
			}
			ink := 1 + b>>1&1
			for y := top + row*cell; y < top+(row+1)*cell; y++ {
				for x := left + col*cell; x < left+(col+1)*cell; x++ {
					img.Pix[y*img.Stride+x] = ink
				}
			}
		}
	}
	return img
}

// hsl is a colour by hue in degrees, saturation and lightness in percent.
func hsl(hue, saturation, lightness int) color.RGBA {
	s, l := float64(saturation)/100, float64(lightness)/100
	spread := s * min(l, 1-l)
	at := func(n float64) uint8 {
		k := n + float64(hue)/30
		for k >= 12 {
			k -= 12
		}
		return uint8((l - spread*max(-1, min(k-3, 9-k, 1))) * 255)
	}
	return color.RGBA{R: at(0), G: at(8), B: at(4), A: 255}
}
