package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Cost of one argon2id hash: the second recommended setting of RFC 9106 scaled to the OWASP minimum
// (19 MiB, two passes, one thread), so that a login flood on a small machine stays bounded.
const (
	argonMemoryKiB = 19 * 1024
	argonPasses    = 2
	argonThreads   = 1
	saltBytes      = 16
	hashBytes      = 32
)

// MinPasswordLength is in bytes; MaxPasswordLength bounds the work a stranger can ask for.
const (
	MinPasswordLength = 12
	MaxPasswordLength = 1024
)

// Hasher makes and checks password hashes, a bounded number at a time, for each source in turn.
type Hasher struct{ queue *queue }

// NewHasher allows at most parallel hashes at a time; each takes 19 MiB.
func NewHasher(parallel int) *Hasher { return &Hasher{newQueue(parallel)} }

// Full reports whether a source would be refused with ErrBusy at this moment.
func (h *Hasher) Full(source string) bool {
	h.queue.mu.Lock()
	defer h.queue.mu.Unlock()
	return h.queue.free == 0 && h.queue.full(h.queue.sources[source])
}

// Hash gives the PHC text of an argon2id hash with a fresh salt. source is who asks, such as an address; ErrBusy when too
// many wait already.
func (h *Hasher) Hash(ctx context.Context, source, password string) (string, error) {
	if err := h.queue.enter(ctx, source); err != nil {
		return "", err
	}
	defer h.queue.leave()
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	return phc(salt, derive(password, salt, argonMemoryKiB, argonPasses, argonThreads)), nil
}

// Verify tells whether password belongs to stored; stored "" takes as long and is false. source is as for Hash.
func (h *Hasher) Verify(ctx context.Context, source, stored, password string) (bool, error) {
	if len(password) > MaxPasswordLength {
		return false, nil
	}
	if err := h.queue.enter(ctx, source); err != nil {
		return false, err
	}
	defer h.queue.leave()
	missing := stored == ""
	if missing {
		stored = decoyHash
	}
	memory, passes, threads, salt, want, err := parsePHC(stored)
	if err != nil {
		return false, err
	}
	got := derive(password, salt, memory, passes, threads)
	return subtle.ConstantTimeCompare(got, want) == 1 && !missing, nil
}

var decoyHash = phc(make([]byte, saltBytes), make([]byte, hashBytes))

func derive(password string, salt []byte, memory, passes uint32, threads uint8) []byte {
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, hashBytes)
}

func phc(salt, hash []byte) string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemoryKiB, argonPasses, argonThreads,
		b.EncodeToString(salt), b.EncodeToString(hash))
}

func parsePHC(text string) (memory, passes uint32, threads uint8, salt, hash []byte, err error) {
	parts := strings.Split(text, "$")
	bad := errors.New("account: stored password hash is not argon2id PHC text")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return 0, 0, 0, nil, nil, bad
	}
	var version int
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return 0, 0, 0, nil, nil, bad
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil {
		return 0, 0, 0, nil, nil, bad
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return 0, 0, 0, nil, nil, bad
	}
	if hash, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return 0, 0, 0, nil, nil, bad
	}
	return memory, passes, threads, salt, hash, nil
}
