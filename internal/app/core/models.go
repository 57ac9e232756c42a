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

// Embedder is a model on another server that gives the vectors of notes and questions. The zero value means the embedding
// that is built in. What it is asked leaves this machine: the operator decides on it.
type Embedder struct {
	Model *llm.Model
	Dims  int
}
