package botimport

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded gives a text in UTF-8: UTF-16 is told by its byte order mark, a mark of UTF-8 is taken off.
func decoded(b []byte) []byte {
	if len(b) < 2 {
		return b
	}
	var order binary.ByteOrder
	switch {
	case len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf:
		return b[3:]
	case b[0] == 0xff && b[1] == 0xfe:
		order = binary.LittleEndian
	case b[0] == 0xfe && b[1] == 0xff:
		order = binary.BigEndian
	default:
		return b
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 2; i+1 < len(b); i += 2 {
		units = append(units, order.Uint16(b[i:]))
	}
	out := make([]byte, 0, len(b))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}
