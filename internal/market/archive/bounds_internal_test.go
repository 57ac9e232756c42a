package archive

import (
	"strings"
	"testing"
)

// An archive is told by its first bytes alone, and by nothing less.
func TestFormats(t *testing.T) {
	for format, head := range map[string]string{
		"zip": "PK\x03\x04", "gzip": "\x1f\x8b", "7z": "7z\xbc\xaf\x27\x1c", "rar": "Rar!\x1a\x07", "xz": "\xfd7zXZ\x00", "bzip2": "BZh", "zstd": "\x28\xb5\x2f\xfd", "tar": strings.Repeat("a", 257) + "ustar",
	} {
		if got := Format([]byte(head)); got != format {
			t.Errorf("%q is %q, want %q", head, got, format)
		}
		if got := Format([]byte(head[:len(head)-1])); got != "" {
			t.Errorf("the beginning of %s is %q", format, got)
		}
		if got := Format([]byte("x" + head)); got != "" && format != "tar" {
			t.Errorf("%s a byte later is %q", format, got)
		}
	}
	for _, empty := range []string{"PK\x05\x06", "PK\x07\x08"} {
		if Format([]byte(empty)) != "zip" {
			t.Errorf("%q is no zip", empty)
		}
	}
}

// Refusals say bounds in the unit that people read.
func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 20: "1 MiB", 5 << 19: "2.5 MiB", 100 << 20: "100 MiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// The longest field of each kind passes, and one byte more does not.
func TestExtraFieldsAtTheirBounds(t *testing.T) {
	for id, most := range extraBounds {
		if !knownExtra(id, make([]byte, most)) || knownExtra(id, make([]byte, most+1)) {
			t.Errorf("%#x: %d bytes", id, most)
		}
	}
	if knownExtra(0x1234, nil) {
		t.Error("an unknown kind passes")
	}
	for _, id := range []uint16{extraGrowth, extraAlign} {
		if !knownExtra(id, append([]byte("head"), make([]byte, 40)...)) || knownExtra(id, append([]byte("head"), 0, 1)) {
			t.Errorf("%#x: padding is zeros", id)
		}
	}
}
