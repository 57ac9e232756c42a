package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Line is one message of a conversation.
type Line struct {
	Role    string `json:"role"` // user or assistant
	Content string `json:"content"`
}

// Example is a conversation with an item that its author held with a model and keeps to be shown. Beside what the item says
// itself: it is no part of its package and changes no bot.
type Example struct {
	Persona string `json:"persona"` // of a pack; "" for a template
	Model   string `json:"model"`   // that answered, by the author's word
	Lines   []Line `json:"messages"`
	Cut     bool   `json:"cut"` // it went on
}

// ExamplesDigest is the SHA-256 of the document's examples; "" without any.
func (d *Document) ExamplesDigest() string {
	if len(d.Examples) == 0 {
		return ""
	}
	text, err := json.Marshal(d.Examples)
	if err != nil {
		panic(err) // texts always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
