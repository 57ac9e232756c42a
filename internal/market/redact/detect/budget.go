package detect

import "stoa/internal/platform/errs"

// Budget bounds the work of one operation on texts of strangers. Work is counted in units of about a nanosecond, by what
// is about to be looked at and not by a clock, so the same input is always accepted or always refused. It serves one
// goroutine.
type Budget struct {
	Left int64
	over bool
}

// What may be spent.
const (
	baseWork  = 100e6 // what any operation may cost
	ByteWork  = 200   // and what each byte of its input adds
	maxWork   = 2e9   // of one operation, however long its input
	regexWork = 40    // for a byte in front of a regular expression
	allowWork = 400   // for a byte in front of the regular expressions of an allowlist
)

// NewBudget returns the budget of one operation.
func NewBudget() *Budget { return &Budget{Left: baseWork} }

// Grant adds what n bytes of input are allowed to cost.
func (b *Budget) Grant(n int) {
	if b != nil {
		b.Left = min(b.Left+int64(n)*ByteWork, maxWork)
	}
}

// Spend takes n units and reports whether there were as many.
func (b *Budget) Spend(n int) bool {
	if b == nil {
		return true
	}
	b.Left -= int64(n)
	b.over = b.over || b.Left < 0
	return !b.over
}

// Over reports whether the work was given up, so that the text was not searched to its end.
func (b *Budget) Over() bool { return b != nil && b.over }

// RuleTooCostly is the rule of a finding that says that a text was not searched to its end.
const RuleTooCostly = "too-costly"

const whyTooCostly = "takes more work to search for secrets than a text of its length may; split its long lines, or leave it out"

// TooCostly is the finding that says that a text was not searched to its end.
func TooCostly(file, path string) Finding {
	return Finding{File: file, Path: path, Rule: RuleTooCostly, Why: whyTooCostly}
}

// ErrTooCostly is the refusal of a text that takes more work than its length allows.
func ErrTooCostly(field string) *errs.Error {
	return errs.Invalid(field, whyTooCostly).With("reason", "text_too_costly")
}
