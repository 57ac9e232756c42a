package apply

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"stoa/internal/market/disclosure"
	"stoa/internal/market/export"
	"stoa/internal/market/strictjson"
)

// Kind is a kind of object in a bot.
type Kind string

// The kinds, in the order in which they are made: what others refer to comes first.
const (
	KindSkill    Kind = "skill"
	KindServer   Kind = "mcp_server"
	KindProvider Kind = "provider"
	KindPersona  Kind = "persona"
	KindConfig   Kind = "config" // one setting, its id a dotted path
)

var order = []Kind{KindSkill, KindServer, KindProvider, KindPersona, KindConfig}

// replaceable tells whether an object of the member's own may be replaced when they ask for it.
func (k Kind) replaceable() bool { return k != KindServer && k != KindProvider }

// Key names an object of a bot.
type Key struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id"`
}

// Value is an object as canonical JSON; nil is no object. In JSON it is written as a text, so that no object and an
// object that is null stay two things.
type Value []byte

// MarshalJSON writes the value as a text, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	return json.Marshal(string(v))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	*v = nil
	if s != nil {
		*v = Value(*s)
	}
	return nil
}

// Object is an object with its value.
type Object struct {
	Key
	Value Value
}

// Target is a bot.
type Target interface {
	// Name is the bot's address, as the journal keeps it. It holds no secret.
	Name() string
	// Read answers the objects that are there, as Canonical writes them.
	Read(ctx context.Context, keys []Key) (map[Key]Value, error)
	// Write brings one object from before to after; nil is no object.
	Write(ctx context.Context, key Key, before, after Value) error
}

// Installed is an item as it is in a bot.
type Installed struct {
	ID      string           `json:"id"`
	Kind    string           `json:"kind"`
	Version string           `json:"version"`
	SHA256  string           `json:"sha256"`
	Server  string           `json:"server"`
	Reach   disclosure.Reach `json:"reach"`
	With    []string         `json:"with"` // what was taken beyond personas, skills and MCP servers: providers, config
	At      time.Time        `json:"at"`
	Risk    string           `json:"risk_level,omitempty"` // of the version, as the catalog said it then
}

// Package is an item that is to be applied.
type Package struct {
	Installed
	Objects []Object
	Left    []export.Loss // what the bot has no place for
}

// Canonical writes a value in the one form in which values are compared.
func Canonical(v any) (Value, error) { return strictjson.Canonical(v) }

func same(a, b Value) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func digest(v Value) string {
	if v == nil {
		return ""
	}
	sum := sha256.Sum256(v)
	return hex.EncodeToString(sum[:])
}
