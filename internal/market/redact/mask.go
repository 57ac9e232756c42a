package redact

// Mask returns a text with its secrets masked, for readers outside the house such as a language model. A text that takes
// more work than its length allows is masked as a whole.
func (e *Engine) Mask(text string) string {
	budget := NewBudget()
	budget.grant(len(text))
	m := maskedText{text: text, mark: Masked}
	for range maxRounds {
		spans := e.scan(m.text, "", 0, budget)
		if budget.Over() {
			return Masked
		}
		if len(spans) == 0 {
			break
		}
		m.apply(spans)
	}
	return m.text
}
