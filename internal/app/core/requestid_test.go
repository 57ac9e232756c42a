package core

import (
	"encoding/hex"
	"testing"
)

// Ids of requests are never alike, and one of a later millisecond sorts after all before it, which keeps their index small to write.
func TestRequestIDs(t *testing.T) {
	seen := map[string]bool{}
	const time = 12 // digits
	last := ""
	for range 2000 {
		id := NewRequestID()
		if b, err := hex.DecodeString(id); err != nil || len(b) != 12 || seen[id] {
			t.Fatalf("%q, %v, seen before: %v", id, err, seen[id])
		}
		if id[:time] < last {
			t.Fatalf("%s comes after %s", id, last)
		}
		seen[id], last = true, id[:time]
	}
	if last == "000000000000" {
		t.Error("no time in it")
	}
}
