package pack

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// Constraint is a list of clauses on a version, all of which must hold. The zero value holds for every version.
type Constraint []Clause

// Clause is one comparison: >=, <=, ==, =, > or < with a version.
type Clause struct {
	Op      string
	Version string
}

var (
	errClause  = errors.New("is not a list such as \">=1.2, <2\"")
	errClauses = errors.New("has more than 16 clauses")
)

const maxClauses = 16

// operators, the longer ones first.
var operators = []string{">=", "<=", "==", "=", ">", "<"}

// ParseConstraint reads clauses joined by commas. "", "any" and "*" hold for every version; a version without an
// operator means that version.
func ParseConstraint(text string) (Constraint, error) {
	switch text = strings.TrimSpace(text); strings.ToLower(text) {
	case "", "any", "*":
		return nil, nil
	}
	var out Constraint
	for part := range strings.SplitSeq(text, ",") {
		if len(out) == maxClauses {
			return nil, errClauses
		}
		clause := Clause{Op: "==", Version: strings.TrimSpace(part)}
		for _, op := range operators {
			if rest, ok := strings.CutPrefix(clause.Version, op); ok {
				clause = Clause{Op: op, Version: strings.TrimSpace(rest)}
				break
			}
		}
		if clause.Op == "=" {
			clause.Op = "=="
		}
		if !isVersion(clause.Version) {
			return nil, errClause
		}
		out = append(out, clause)
	}
	return out, nil
}

// isVersion holds a version of a clause to digits, letters and . - + _, beginning with a digit or v and a digit.
func isVersion(v string) bool {
	bare := strings.TrimPrefix(strings.TrimPrefix(v, "v"), "V")
	if bare == "" || len(v) > 64 || bare[0] < '0' || bare[0] > '9' {
		return false
	}
	return strings.Trim(strings.ToLower(bare), "abcdefghijklmnopqrstuvwxyz0123456789.-+_") == ""
}

// holds tells whether version fits every clause.
func (c Constraint) holds(version string) bool {
	for _, clause := range c {
		order := compareVersions(version, clause.Version)
		ok := false
		switch clause.Op {
		case "==":
			ok = order == 0
		case ">=":
			ok = order >= 0
		case "<=":
			ok = order <= 0
		case ">":
			ok = order > 0
		case "<":
			ok = order < 0
		}
		if !ok {
			return false
		}
	}
	return true
}

// compareVersions orders versions part by part: numbers by size, others as text and before numbers, a missing part
// as 0. A part behind "-" is a pre-release and comes before the same version without it; what follows "+" does not
// count, nor does a leading v.
func compareVersions(a, b string) int {
	aMain, aPre := splitVersion(a)
	bMain, bPre := splitVersion(b)
	if order := compareParts(aMain, bMain, "0"); order != 0 {
		return order
	}
	switch {
	case aPre == bPre:
		return 0
	case aPre == "":
		return 1
	case bPre == "":
		return -1
	}
	return compareParts(aPre, bPre, "")
}

func splitVersion(v string) (main, pre string) {
	v = strings.ToLower(strings.TrimSpace(v))
	v, _, _ = strings.Cut(strings.TrimPrefix(v, "v"), "+")
	main, pre, _ = strings.Cut(v, "-")
	return main, pre
}

func compareParts(a, b, missing string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		x, y := missing, missing
		if i < len(as) {
			x = as[i]
		}
		if i < len(bs) {
			y = bs[i]
		}
		if order := comparePart(x, y); order != 0 {
			return order
		}
	}
	return 0
}

func comparePart(x, y string) int {
	n, nErr := strconv.ParseUint(x, 10, 64)
	m, mErr := strconv.ParseUint(y, 10, 64)
	switch {
	case nErr == nil && mErr == nil:
		return cmp.Compare(n, m)
	case nErr == nil:
		return 1
	case mErr == nil:
		return -1
	}
	return strings.Compare(x, y)
}
