package passkeytest

import "encoding/binary"

// The kinds of CBOR values that are needed here (RFC 8949, section 3.1).
const (
	kindUnsigned = iota
	kindNegative
	kindOctets
	kindText
	_ // arrays
	kindMap
)

// head begins a value: its kind and its size in the fewest bytes.
func head(kind byte, n uint64) []byte {
	kind <<= 5
	switch {
	case n < 24:
		return []byte{kind | byte(n)}
	case n < 1<<8:
		return []byte{kind | 24, byte(n)}
	default:
		return binary.BigEndian.AppendUint16([]byte{kind | 25}, uint16(n))
	}
}

func number(n int) []byte {
	if n < 0 {
		return head(kindNegative, uint64(-1-n))
	}
	return head(kindUnsigned, uint64(n))
}

func octets(b []byte) []byte { return append(head(kindOctets, uint64(len(b))), b...) }

func text(s string) []byte { return append(head(kindText, uint64(len(s))), s...) }

// object is a map of keys and values in turn, in the order given, which must be the canonical one.
func object(parts ...[]byte) []byte {
	out := head(kindMap, uint64(len(parts)/2))
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
