package detect

import "strings"

// Bounds of the search in names of files.
const (
	maxNameParts = 16  // of one component of a path
	maxNamePart  = 512 // bytes
)

// VerifyNames searches names of files and folders. A key stands in a name without blanks around it, so each component of
// a path is also read without its extension and from behind each of its hyphens, underscores and dots on. Findings tell the line
// of the list; at most one is told of a name.
func (e *Engine) VerifyNames(names []string, list string) []Finding {
	budget := NewBudget()
	var out []Finding
	for i, name := range names {
		budget.Grant(len(name))
		f, ok := e.nameHolds(name, budget)
		if budget.Over() {
			return append(out, TooCostly(list, ""))
		}
		if ok {
			f.File, f.Line = list, i+1
			out = append(out, f)
		}
		if len(out) == MaxFindings {
			break
		}
	}
	return out
}

// nameHolds returns what the first key in a name is.
func (e *Engine) nameHolds(name string, budget *Budget) (Finding, bool) {
	texts := []string{name}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > maxNamePart {
			continue
		}
		stem := part
		if dot := strings.LastIndexByte(part, '.'); dot > 0 && len(part)-dot <= 6 {
			stem = part[:dot]
		}
		n := 0
		for j := 0; j < len(stem) && n < maxNameParts; j++ {
			if j == 0 || strings.IndexByte("-_. ", stem[j-1]) >= 0 {
				texts = append(texts, stem[j:])
				n++
			}
		}
	}
	for _, text := range texts {
		if spans := e.Scan(text, "", 0, budget); len(spans) > 0 {
			return Finding{Column: 1, Rule: spans[0].Rule, Why: spans[0].Why, Length: spans[0].End - spans[0].Start}, true
		}
	}
	return Finding{}, false
}
