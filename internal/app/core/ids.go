package core

import (
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/google/uuid"
)

// NewID gives a UUIDv7: ids made later sort later.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// NewRequestID gives an id for a request that came without a usable one: the time in ms, so that the index of kept
// requests grows at its end, and 48 bits at random.
func NewRequestID() string {
	id := uuid.Must(uuid.NewV7())
	return hex.EncodeToString(id[:6]) + hex.EncodeToString(id[10:])
}

// IDOf makes a UUIDv7 of a moment by the application's clock. Those of the same millisecond sort as they were made.
func IDOf(at time.Time) string {
	id := uuid.New()
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(at.UnixMilli()))
	copy(id[:6], b[2:])
	// 12 and 30 bits of the machine's microseconds, then what is random.
	us := uint64(time.Now().UnixMicro())
	binary.BigEndian.PutUint16(id[6:], 0x7000|uint16(us>>30)&0xfff)
	binary.BigEndian.PutUint32(id[8:], 0x80000000|uint32(us)&0x3fffffff)
	return id.String()
}
