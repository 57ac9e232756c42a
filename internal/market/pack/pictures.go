package pack

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/jpeg" // DecodeConfig reads both
	_ "image/png"
	"io"
	"path"
	"slices"
	"strings"

	"stoa/internal/platform/errs"
)

// pictureFolder holds the pictures that an item's page shows.
const pictureFolder = "screenshots/"

// Bounds of the pictures of a package.
const (
	mostPictures    = 5
	maxPictureBytes = 1 << 20
	maxPictureSide  = 4096
)

// IsPicture says whether a file of a package is a picture for its page rather than a text.
func IsPicture(name string) bool {
	dir, base := path.Split(name)
	return dir == pictureFolder && pictureType(base) != ""
}

func pictureType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "png"
	case ".jpg", ".jpeg":
		return "jpeg"
	}
	return ""
}

// PictureKind is the media type of a picture.
func PictureKind(name string) string { return "image/" + pictureType(name) }

// PictureSize reads how large a picture is, of the kind that its name says; not ok when it is none.
func PictureSize(name string, content []byte) (width, height int, ok bool) {
	c, kind, err := image.DecodeConfig(bytes.NewReader(content))
	return c.Width, c.Height, err == nil && kind == pictureType(name)
}

// Picture is a picture of a package.
type Picture struct {
	Name    string
	Size    int64
	SHA256  string
	Content []byte // of a profile pack alone: a template's stays in its package
}

// NewPicture is a picture that is to go into a profile pack, without what it says beside its picture.
func NewPicture(name string, content []byte) (Picture, error) {
	if bare, ok := barePicture(content); ok {
		content = bare
	}
	name = pictureFolder + name
	if !IsPicture(name) {
		return Picture{}, Refuse(errs.InvalidProfilePackPayload, ReasonPicture, name, Clean(name)+" is no picture by its name: PNG or JPEG.")
	}
	return readPicture(errs.InvalidProfilePackPayload, name, bytes.NewReader(content))
}

// readPicture refuses what is no picture, and one that says more than its picture: cameras and programs write places, names and
// times into it, and nobody who looks at it sees them.
func readPicture(code errs.Code, name string, r io.Reader) (Picture, error) {
	refuse := func(message string) (Picture, error) {
		return Picture{}, Refuse(code, ReasonPicture, name, Clean(name)+" "+message)
	}
	content, err := io.ReadAll(io.LimitReader(r, maxPictureBytes+1))
	if err != nil {
		return Picture{}, err
	}
	if len(content) > maxPictureBytes {
		return refuse("is larger than 1 MiB.")
	}
	width, height, ok := PictureSize(name, content)
	if !ok {
		return refuse("is no picture of the kind that its name says: PNG or JPEG.")
	}
	if width > maxPictureSide || height > maxPictureSide {
		return refuse("is wider or higher than 4096 pixels.")
	}
	if clean, ok := barePicture(content); !ok || !bytes.Equal(clean, content) {
		return refuse("holds more than its picture, such as when and where it was taken. `stoa pack` of the folder takes that away.")
	}
	return Picture{name, int64(len(content)), Digest(content), content}, nil
}

// checkPictures refuses more pictures than a page shows.
func checkPictures(code errs.Code, pictures []Picture) error {
	if len(pictures) <= mostPictures {
		return nil
	}
	return Refuse(code, ReasonPicture, pictures[mostPictures].Name, "The package has more than five pictures.")
}

// barePicture leaves of a PNG or JPEG what is needed to draw it; not ok when it does not end as it should.
func barePicture(content []byte) ([]byte, bool) {
	if bytes.HasPrefix(content, pngSignature) {
		return barePNG(content)
	}
	return bareJPEG(content)
}

var (
	pngSignature = []byte("\x89PNG\r\n\x1a\n")
	// pngDrawn are the chunks without which a picture looks different.
	pngDrawn = []string{"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "sRGB", "sBIT", "pHYs", "bKGD"}
)

func barePNG(content []byte) ([]byte, bool) {
	out := slices.Clone(pngSignature)
	for rest := content[len(pngSignature):]; len(rest) >= 12; {
		size := int64(binary.BigEndian.Uint32(rest)) + 12
		if size > int64(len(rest)) {
			return nil, false
		}
		kind := string(rest[4:8])
		if slices.Contains(pngDrawn, kind) {
			out = append(out, rest[:size]...)
		}
		if kind == "IEND" {
			return out, size == 12
		}
		rest = rest[size:]
	}
	return nil, false
}

// Markers of JPEG (ITU-T T.81, annex B).
const (
	jpegStart, jpegEnd, jpegScan = 0xd8, 0xd9, 0xda
	jpegApp0, jpegApp14          = 0xe0, 0xee // JFIF, and how Adobe's colours are meant
	jpegLastApp, jpegComment     = 0xef, 0xfe
	longestApp                   = 20 // without a small picture inside
)

func bareJPEG(content []byte) ([]byte, bool) {
	if len(content) < 4 || content[0] != 0xff || content[1] != jpegStart {
		return nil, false
	}
	out := slices.Clone(content[:2])
	for at := 2; at+4 <= len(content) && content[at] == 0xff; {
		marker := content[at+1]
		size := 2 + int(binary.BigEndian.Uint16(content[at+2:]))
		if at+size > len(content) {
			return nil, false
		}
		app := marker >= jpegApp0 && marker <= jpegLastApp
		if kept := (marker == jpegApp0 || marker == jpegApp14) && size <= longestApp; marker != jpegComment && (!app || kept) {
			out = append(out, content[at:at+size]...)
		}
		at += size
		if marker == jpegScan {
			end := at + entropy(content[at:])
			out = append(out, content[at:end]...)
			at = end
		}
		if at+2 <= len(content) && content[at] == 0xff && content[at+1] == jpegEnd {
			return append(out, 0xff, jpegEnd), true
		}
	}
	return nil, false
}

// entropy is how long the data of a scan is: until a marker that is neither a stuffed zero nor a restart.
func entropy(data []byte) int {
	for i := 0; i+1 < len(data); i++ {
		if next := data[i+1]; data[i] == 0xff && next != 0 && (next < 0xd0 || next > 0xd7) {
			return i
		}
	}
	return len(data)
}
