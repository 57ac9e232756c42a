package hostile

import (
	"sync"

	"stoa/internal/market/archive"
)

// Case is one hostile archive.
type Case struct {
	// Name says what the trick is, in words fit for a test's name.
	Name string
	// Reason is why archive refuses it with its Default limits.
	Reason archive.Reason
	// When is the call that refuses: "open", or "read" for what only shows while it is unpacked.
	When string
	// Bytes is the archive. It is shared: do not change it.
	Bytes []byte
}

// All gives every case, the same each time: about 93 MB together, made once in about a second.
func All() []Case { return all() }

// Small gives the cases of at most 1 MiB, for tests that send each of them often.
func Small() []Case {
	var small []Case
	for _, c := range All() {
		if len(c.Bytes) <= 1<<20 {
			small = append(small, c)
		}
	}
	return small
}

var all = sync.OnceValue(func() []Case {
	var cases []Case
	for _, group := range []func() []Case{bombs, names, kinds, records, ends, lies, nested} {
		cases = append(cases, group()...)
	}
	return cases
})

func open(name string, reason archive.Reason, bytes []byte) Case {
	return Case{Name: name, Reason: reason, When: "open", Bytes: bytes}
}

func read(name string, reason archive.Reason, bytes []byte) Case {
	return Case{Name: name, Reason: reason, When: "read", Bytes: bytes}
}

// Good gives archives that must be taken: what common tools write.
func Good() map[string][]byte { return good() }
