package redact

import (
	"maps"
	"slices"

	"stoa/internal/market/redact/detect"
	"stoa/internal/platform/errs"
)

// Mode is a redaction mode of the contract.
type Mode string

// The four modes.
const (
	ExcludeSecrets          Mode = "exclude_secrets"
	ExcludeProvider         Mode = "exclude_provider"
	IncludeProviderNoKey    Mode = "include_provider_no_key"
	IncludeEncryptedSecrets Mode = "include_encrypted_secrets"
)

// Options says how sections are redacted.
type Options struct {
	Mode      Mode     // "" means exclude_secrets
	MaskPaths []string // masked besides what is found
	DropPaths []string // removed
	Recipient string   // whom the secrets are sealed to, an age recipient; for include_encrypted_secrets
	Binding   string   // the pack's id, kept with the sealed secrets so that they fit no other pack
}

// Result is what is left, and what became of the rest. Paths are those of the input.
type Result struct {
	Sections  map[string]any
	Masked    []Mark
	Dropped   []Mark
	Kept      []Mark   // values that look like secrets by name or shape and were left on purpose
	Sealed    []byte   // armored age, nil unless secrets were sealed
	Known     []string // the secrets that Verify has to search for; never stored or shown
	Unmatched []string // mask and drop paths that fit nothing, which is often a misspelling
}

// Mark is one place and why it was masked, dropped or kept. It never holds the value.
type Mark struct {
	Section string `json:"section"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Why     string `json:"why"`
	Length  int    `json:"length"` // of the value, in bytes; 0 where it is no text
}

// Engine finds secrets, takes them out and proves that none is left. It is empty until its first use and then shared by everybody:
// it is safe for concurrent use.
type Engine struct{ *detect.Engine }

// New makes an engine; its rules are read when they are first needed.
func New() *Engine { return &Engine{detect.New()} }

// maxRounds bounds how often the result is searched again: what is masked changes what stands beside it.
const maxRounds = 4

// Sections redacts decoded JSON sections (name → tree of map[string]any, []any, string, json.Number, bool, nil). The
// input is not changed. Redacting the result again changes nothing.
func (e *Engine) Sections(sections map[string]any, o Options) (Result, error) {
	w, err := e.newWalk(o)
	if err != nil {
		return Result{}, err
	}
	w.sections(sections) // to learn every secret
	if w.budget.Over() {
		return Result{}, detect.ErrTooCostly("sections")
	}
	out := w.restart().sections(sections)
	w.clean()
	r := w.result(out)
	for range maxRounds {
		before := len(w.known)
		w.restart()
		again := w.sections(out)
		if len(w.marks) == 0 && len(w.dropped) == 0 {
			break
		}
		out = again
		if len(w.known) > before {
			w.restart()
			out = w.sections(out)
		}
		w.clean()
		r.Masked, r.Dropped = append(r.Masked, w.marks...), append(r.Dropped, w.dropped...)
		w.secrets = append(w.secrets, w.entries...)
	}
	r.Sections, r.Known = out, slices.Sorted(maps.Keys(w.known))
	if w.budget.Over() {
		return Result{}, detect.ErrTooCostly("sections")
	}
	if w.tooDeep {
		return Result{}, errs.Invalid("sections", "are nested more than 512 levels deep")
	}
	if w.o.Mode == IncludeEncryptedSecrets && len(w.secrets) > 0 {
		if r.Sealed, err = seal(Secrets{Binding: o.Binding, Entries: w.secrets}, o.Recipient); err != nil {
			return Result{}, err
		}
	}
	return r, nil
}

func (e *Engine) newWalk(o Options) (*walk, error) {
	w := &walk{e: e, o: o, mark: detect.Masked, budget: detect.NewBudget(), scanned: map[string][]detect.Span{}, known: map[string]bool{}, used: map[string]bool{}, finder: noFinder}
	switch o.Mode {
	case "":
		w.o.Mode = ExcludeSecrets
	case ExcludeSecrets, ExcludeProvider, IncludeProviderNoKey:
	case IncludeEncryptedSecrets:
		w.mark = detect.Sealed
		if o.Recipient == "" {
			return nil, errs.New(errs.EncryptionKeyRequired, "Give an age recipient (encryption_recipient) to seal the secrets to; `stoa keygen` makes one.")
		}
		if err := CheckRecipient(o.Recipient); err != nil {
			return nil, err
		}
	default:
		return nil, errs.Invalid("redaction_mode", "is not one of exclude_secrets, exclude_provider, include_provider_no_key, include_encrypted_secrets")
	}
	var err error
	if w.masks, err = parsePaths("mask_paths", o.MaskPaths); err != nil {
		return nil, err
	}
	if w.drops, err = parsePaths("drop_paths", o.DropPaths); err != nil {
		return nil, err
	}
	return w, nil
}

// result takes over what the walk noted.
func (w *walk) result(out map[string]any) Result {
	r := Result{Sections: out, Masked: w.marks, Dropped: w.dropped, Kept: w.kept}
	w.secrets = append(w.secrets, w.entries...)
	for _, paths := range [][]string{w.o.MaskPaths, w.o.DropPaths} {
		for _, p := range paths {
			if !w.used[p] {
				r.Unmatched = append(r.Unmatched, p)
			}
		}
	}
	return r
}
