package catalog

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// ErrCursor reports a cursor that is damaged or belongs to another sort or order.
var ErrCursor = errors.New("catalog: cursor does not belong to this list")

// A cursor is base64url of one byte naming the ordering, then the place of the last
// item given: the ID; or the number as varint and the seq as uvarint; or, for a
// ranked list, rank and seq as uvarints. It says where to go on, not what was
// shown, so it stays good while items come, go and move.
const (
	cursorMark   = 0x40 // format 1
	cursorDesc   = 0x01
	cursorID     = 0 // shifted left by one, beside cursorDesc
	cursorColumn = 1 // plus the column
	cursorRanked = cursorColumn + int(numColumns)
)

var cursorCoding = base64.RawURLEncoding.Strict()

// afterFirst is the cursor after a page that had room for the item alone that a text filter names whole.
var afterFirst = cursorCoding.EncodeToString([]byte{byte(cursorMark | (cursorRanked+1)<<1), 0})

func (o ordering) mark() byte {
	kind := cursorID
	if !o.byID {
		kind = cursorColumn + int(o.col)
	}
	b := byte(cursorMark | kind<<1)
	if o.desc {
		b |= cursorDesc
	}
	return b
}

func encodeCursor(o ordering, p position) string {
	b := append(make([]byte, 0, 32), o.mark())
	if o.byID {
		b = append(b, p.id...)
	} else {
		b = binary.AppendVarint(b, p.num)
		b = binary.AppendUvarint(b, uint64(p.seq))
	}
	return cursorCoding.EncodeToString(b)
}

func decodeCursor(o ordering, s string) (position, error) {
	if s == "" {
		return position{}, nil
	}
	b, err := cursorCoding.DecodeString(s)
	if err != nil || len(b) < 2 || b[0] != o.mark() {
		return position{}, ErrCursor
	}
	b = b[1:]
	if o.byID {
		return position{set: true, id: string(b)}, nil
	}
	num, n := binary.Varint(b)
	if n <= 0 {
		return position{}, ErrCursor
	}
	seq, m := binary.Uvarint(b[n:])
	if m <= 0 || n+m != len(b) || seq > maxSeq {
		return position{}, ErrCursor
	}
	return position{set: true, num: num, seq: uint32(seq)}, nil
}

// encodeRank makes the cursor after ranked[rank].
func encodeRank(rank int, seq int64) string {
	b := append(make([]byte, 0, 16), byte(cursorMark|cursorRanked<<1))
	b = binary.AppendUvarint(b, uint64(rank))
	b = binary.AppendUvarint(b, uint64(seq))
	return cursorCoding.EncodeToString(b)
}

// decodeRank returns the place in ranked to go on from. The search may answer
// differently by now: the item is looked for first, its old rank is the fallback.
func decodeRank(s string, ranked []int64) (int, error) {
	if s == "" {
		return 0, nil
	}
	b, err := cursorCoding.DecodeString(s)
	if err != nil || len(b) < 3 || b[0] != byte(cursorMark|cursorRanked<<1) {
		return 0, ErrCursor
	}
	b = b[1:]
	rank, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, ErrCursor
	}
	seq, m := binary.Uvarint(b[n:])
	if m <= 0 || n+m != len(b) || seq > maxSeq || rank > maxSeq {
		return 0, ErrCursor
	}
	if at := int(rank); at < len(ranked) && ranked[at] == int64(seq) {
		return at + 1, nil
	}
	for i, r := range ranked {
		if r == int64(seq) {
			return i + 1, nil
		}
	}
	return min(int(rank), len(ranked)), nil
}
