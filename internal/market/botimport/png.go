package botimport

import (
	stdbytes "bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// Bounds of a picture with a card in it.
const (
	maxChunks    = 20_000
	maxTextChunk = 8 << 20 // also of what one unpacks to
)

var (
	errPNG   = errors.New("the PNG is cut short or damaged")
	errChunk = errors.New("a text in the PNG is larger than 8 MiB")
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// cardInPNG finds the card in a picture: the text chunk ccv3, else chara, in Base64. It is nil without an error when
// the picture holds none. Chunks are walked by hand: no pixel is decoded, and lengths are held against the file.
func cardInPNG(png []byte) ([]byte, error) {
	rest, ok := stdbytes.CutPrefix(png, []byte(pngMagic))
	if !ok {
		return nil, errPNG
	}
	cards := map[string]string{}
	for range maxChunks {
		if len(rest) < 12 {
			break // people's tools forget the last chunk
		}
		size := int64(binary.BigEndian.Uint32(rest))
		kind := string(rest[4:8])
		if size > int64(len(rest)-12) {
			return nil, errPNG
		}
		data := rest[8 : 8+size]
		rest = rest[12+size:]
		if kind == "IEND" {
			break
		}
		key, text, err := textChunk(kind, data)
		if err != nil {
			return nil, err
		}
		if key = strings.ToLower(key); key == "ccv3" || key == "chara" {
			cards[key] = text
		}
	}
	for _, key := range []string{"ccv3", "chara"} {
		if text, ok := cards[key]; ok {
			return unbase64(text)
		}
	}
	return nil, nil
}

// textChunk reads a tEXt, zTXt or iTXt chunk; other kinds have no key.
func textChunk(kind string, data []byte) (key, text string, err error) {
	if kind != "tEXt" && kind != "zTXt" && kind != "iTXt" {
		return "", "", nil
	}
	if len(data) > maxTextChunk {
		return "", "", errChunk
	}
	name, rest, ok := stdbytes.Cut(data, []byte{0})
	key = string(name)
	if lower := strings.ToLower(key); !ok || lower != "ccv3" && lower != "chara" {
		return "", "", nil // other texts are not unpacked
	}
	packed := kind == "zTXt"
	switch kind {
	case "zTXt":
		if len(rest) < 1 || rest[0] != 0 {
			return "", "", errPNG
		}
		rest = rest[1:]
	case "iTXt":
		if len(rest) < 2 || rest[1] != 0 {
			return "", "", errPNG
		}
		packed = rest[0] == 1
		_, rest, ok = stdbytes.Cut(rest[2:], []byte{0}) // language
		if ok {
			_, rest, ok = stdbytes.Cut(rest, []byte{0}) // translated key
		}
		if !ok {
			return "", "", errPNG
		}
	}
	if !packed {
		return key, string(rest), nil
	}
	z, err := zlib.NewReader(stdbytes.NewReader(rest))
	if err != nil {
		return "", "", errPNG
	}
	defer z.Close()
	out, err := io.ReadAll(io.LimitReader(z, maxTextChunk+1))
	if err != nil {
		return "", "", errPNG
	}
	if len(out) > maxTextChunk {
		return "", "", errChunk
	}
	return key, string(out), nil
}

// unbase64 decodes a card's text; some tools write the JSON itself.
func unbase64(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return []byte(text), nil
	}
	text = strings.NewReplacer("-", "+", "_", "/", "=", "", "\n", "", "\r", "", " ", "").Replace(text)
	out, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, errPNG
	}
	return out, nil
}
