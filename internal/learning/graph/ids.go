package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// digest names something by what makes it that thing; parts are kept apart by a byte no part begins with.
func digest(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return prefix + hex.EncodeToString(sum[:12])
}

// hash is the content hash of a document: SHA-256, hex.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// AtomID is the id of an owner's atom.
func AtomID(owner, stableKey string) string { return digest("atm_", owner, stableKey) }

// archivedID is the id under which an earlier version of an atom is kept.
func archivedID(atomID string, version int) string { return fmt.Sprintf("%s@%d", atomID, version) }

const edgePrefix = "rel_"

func edgeID(kind, source, target string) string { return digest(edgePrefix, kind, source, target) }

func stableKey(document, key string) string { return document + "::" + key }
