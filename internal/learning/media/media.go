// Package media tells pictures and sounds from other bytes. A name says nothing: what a file is follows from how it begins.
package media

import (
	"bytes"
	"strings"
)

// HeadBytes is how much of a file Kind looks at.
const HeadBytes = 512

// Kind gives the media type of a file that a page may show, by its first bytes; "" for everything else, SVG included,
// since that is a document with scripts.
func Kind(head []byte) string {
	for _, k := range []struct{ kind, begins string }{
		{"image/png", "\x89PNG\r\n\x1a\n"},
		{"image/jpeg", "\xff\xd8\xff"},
		{"image/gif", "GIF87a"},
		{"image/gif", "GIF89a"},
		{"audio/mpeg", "ID3"},
		{"audio/mpeg", "\xff\xfb"},
		{"audio/mpeg", "\xff\xf3"},
		{"audio/mpeg", "\xff\xf2"},
		{"audio/ogg", "OggS"},
		{"audio/flac", "fLaC"},
		{"video/webm", "\x1aE\xdf\xa3"},
		{"image/bmp", "BM"},
	} {
		if strings.HasPrefix(string(head), k.begins) {
			return k.kind
		}
	}
	if len(head) < 12 {
		return ""
	}
	switch form := string(head[8:12]); {
	case bytes.HasPrefix(head, []byte("RIFF")) && form == "WEBP":
		return "image/webp"
	case bytes.HasPrefix(head, []byte("RIFF")) && form == "WAVE":
		return "audio/wav"
	case string(head[4:8]) == "ftyp" && (form == "avif" || form == "avis"):
		return "image/avif"
	case string(head[4:8]) == "ftyp" && strings.HasPrefix(form, "M4A"):
		return "audio/mp4"
	case string(head[4:8]) == "ftyp":
		return "video/mp4"
	}
	return ""
}
