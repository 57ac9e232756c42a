package core

import (
	"stoa/internal/platform/llm"
)

// TutorModel is a language model that may reply in place of the rule engine.
type TutorModel struct {
	ID       string // names the adapter
	Provider string // shown to people
	Mode     string // sideLocal or sideCloud: where a learner's notes go
	Model    *llm.Model
}

// TrialConfig is how members may talk to what is in the catalog before they install it.
type TrialConfig struct {
	Model *llm.Model // the operator's; nil for none
	Host  string     // of the model, without its port, as it is shown
	Relay RelayMode
	// Bounds of an answer; the zero value means the usual ones.
	Bounds llm.Bounds
}

// RelayMode says to which model servers of their own members' questions are handed on.
type RelayMode string

// The modes. The zero value is RelayOff.
const (
	RelayOff     RelayMode = "off"
	RelayPublic  RelayMode = "public"  // addresses of the internet alone
	RelayPrivate RelayMode = "private" // also those of this machine and of private networks
)

// Embedder is a model on another server that gives the vectors of notes and questions. The zero value means the embedding
// that is built in. What it is asked leaves this machine: the operator decides on it.
type Embedder struct {
	Model *llm.Model
	Dims  int
}
