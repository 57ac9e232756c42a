package redact

import (
	"stoa/internal/market/redact/detect"
)

// Mask returns a text with its secrets masked, for readers outside the house such as a language model. A text that takes
// more work than its length allows is masked as a whole.
func (e *Engine) Mask(text string) string {
	budget := detect.NewBudget()
	budget.Grant(len(text))
	m := maskedText{text: text, mark: detect.Masked}
	for range maxRounds {
		spans := e.Scan(m.text, "", 0, budget)
		if budget.Over() {
			return detect.Masked
		}
		if len(spans) == 0 {
			break
		}
		m.apply(spans)
	}
	return m.text
}
