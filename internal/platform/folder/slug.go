package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"stoa/internal/market/ids"
)

// maxSlug bounds the name of a folder, in bytes; longer ones are named by their digest.
const maxSlug = 200

// slug returns the name of an item's folder. Different ids have different slugs, also where case does not count; none
// begins with a dot or is reserved on any system. ada/garden becomes ada__garden; every byte that is no lower-case
// letter, digit or hyphen becomes % and two hex digits.
func slug(id string) string {
	var out strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-' && i > 0:
			out.WriteByte(c)
		case c == '/' && i > 0:
			out.WriteString("__")
		default:
			fmt.Fprintf(&out, "%%%02x", c)
		}
	}
	slug := out.String()
	switch {
	case slug == "" || len(slug) > maxSlug:
		sum := sha256.Sum256([]byte(id))
		return "%id-" + hex.EncodeToString(sum[:])
	case ids.Device(slug):
		return fmt.Sprintf("%%%02x%s", slug[0], slug[1:])
	}
	return slug
}
