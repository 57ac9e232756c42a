package runbook

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Status is a verdict of a check.
type Status string

// The verdicts. Unknown and None are only said of records and of no check at all.
const (
	Pass    Status = "pass"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Unknown Status = "unknown"
	None    Status = "none"
)

// atRisk tells whether a verdict asks for something to be done.
func (s Status) atRisk() bool { return s == Warn || s == Fail }

// TraceHint says which requests to look at.
type TraceHint struct {
	PathPrefix    string `json:"pathPrefix"`
	StatusAtLeast int    `json:"statusAtLeast"`
	Method        string `json:"method"`
	ErrorCode     string `json:"errorCode"`
}

// Verdict is what a rule says.
type Verdict struct {
	Status   Status
	Message  string // a sentence for people
	Observed string // "key=value, key=value"
	Expected string
	Evidence Evidence
}

// Evidence tells a verdict on what was seen from one on nothing.
type Evidence string

// The two kinds. A check without evidence warns by its status, which has no other word for it, but it is no risk: nothing
// is known of what it watches, and a verification of it is kept as unknown.
const (
	Seen   Evidence = "some"
	Unseen Evidence = "none"
)

// Part of the school that a check looks at.
type Part string

// The parts.
const (
	PartStore    Part = "store"
	PartSearch   Part = "search"
	PartAPI      Part = "api"
	PartLearning Part = "learning"
	PartTutor    Part = "tutor"
)

// Definition is a check as data: what it looks at, what it asks and where to look on.
type Definition struct {
	ID       string
	Part     Part
	Sentence string // what it watches, for people
	Rule     func(s *Signals, t *Thresholds) Verdict
	Actions  []string // what to do when it turns, the most useful first
	Hint     TraceHint
	Targets  []string // requests that show whether it helped
}

// Check is one line of the matrix.
type Check struct {
	ID       string    `json:"checkId"`
	Status   Status    `json:"status"`
	Evidence Evidence  `json:"evidence"`
	Message  string    `json:"message"`
	Observed string    `json:"observed"`
	Expected string    `json:"expected"`
	Explains string    `json:"explanation"`
	Priority int       `json:"priorityScore"`
	Actions  []string  `json:"recommendedActions"`
	Hint     TraceHint `json:"debugTraceHint"`
	targets  []string
}

// atRisk reports whether a check asks for something to be done.
func (c *Check) atRisk() bool { return c.Status.atRisk() && c.Evidence == Seen }

// Known is the verdict as it is kept: unknown where nothing was seen.
func (c *Check) Known() Status {
	if c.Evidence == Unseen {
		return Unknown
	}
	return c.Status
}

// Counts counts checks by verdict.
type Counts struct {
	Pass int `json:"passCount"`
	Warn int `json:"warnCount"`
	Fail int `json:"failCount"`
}

// Matrix is every check, the most urgent first.
type Matrix struct {
	Status     string     `json:"overallStatus"` // ready, degraded, blocked
	Thresholds Thresholds `json:"thresholds"`
	Summary    Counts     `json:"summary"`
	Checks     []Check    `json:"checks"`
	Signals    Signals    `json:"signals"`
	Incident   *Incident  `json:"incident"` // nil when nothing is wrong
}

// Evaluate holds signals to every check.
func Evaluate(s Signals, t Thresholds) Matrix {
	m := Matrix{Status: "ready", Thresholds: t, Checks: make([]Check, 0, len(Definitions))}
	for i := range Definitions {
		d := &Definitions[i]
		v := d.verdict(&s, &t)
		c := Check{
			ID: d.ID, Status: v.Status, Evidence: v.Evidence, Message: v.Message, Observed: v.Observed, Expected: v.Expected, Explains: d.Sentence, Actions: []string{}, Hint: d.Hint, targets: d.Targets,
		}
		c.Priority = priority(c)
		switch v.Status {
		case Fail:
			m.Summary.Fail++
		case Warn:
			m.Summary.Warn++
		default:
			m.Summary.Pass++
		}
		if c.atRisk() {
			c.Actions = append(c.Actions, d.Actions...)
		}
		m.Checks = append(m.Checks, c)
	}
	slices.SortStableFunc(m.Checks, func(a, b Check) int { return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID)) })
	if m.Summary.Fail > 0 {
		m.Status = "blocked"
	} else if m.Summary.Warn > 0 {
		m.Status = "degraded"
	}
	s.TopRiskStatus, s.TopRiskActions = None, []string{}
	if top := m.topRisk(); top != nil {
		s.TopRiskCheckID, s.TopRiskStatus, s.TopRiskPriority, s.TopRiskActions = top.ID, top.Status, top.Priority, top.Actions
	}
	m.Signals = s
	m.Incident = m.incident()
	return m
}

// verdict asks the rule, unless what it looks at could not be read.
func (d *Definition) verdict(s *Signals, t *Thresholds) Verdict {
	if slices.Contains(s.Unread, string(d.Part)) {
		return unseen("It is not known, because the database did not answer in time.", "read=false", "read=true")
	}
	v := d.Rule(s, t)
	if v.Evidence == "" {
		v.Evidence = Seen
	}
	return v
}

// priority orders checks (field facts 4.4).
func priority(c Check) int {
	if c.Evidence == Unseen {
		return 150 // below every risk
	}
	p := map[Status]int{Fail: 300, Warn: 200}[c.Status]
	if p == 0 {
		p = 100
	}
	hot := strings.Contains(c.ID, "hotspots")
	for word, plus := range map[string]int{"hotspots": 40, "server_error": 20, "invalid_request": 15, "ratio": 5} {
		if strings.Contains(c.ID, word) {
			p += plus
		}
	}
	if hot {
		p += min(20, largestCount(c.Observed))
	}
	return p
}

// largestCount is the largest number that stands after a colon, as in "path:count".
func largestCount(text string) int {
	most := 0
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '=' }) {
		_, number, ok := strings.Cut(part, ":")
		if n, err := strconv.Atoi(number); ok && err == nil {
			most = max(most, n)
		}
	}
	return most
}

// Check finds a line by its id.
func (m *Matrix) Check(id string) *Check {
	for i := range m.Checks {
		if m.Checks[i].ID == id {
			return &m.Checks[i]
		}
	}
	return nil
}

// topRisk is the most urgent check that is not passed, nil when all are.
func (m *Matrix) topRisk() *Check {
	for i := range m.Checks {
		if m.Checks[i].atRisk() {
			return &m.Checks[i]
		}
	}
	return nil
}

// Runbook is what to do about one check.
type Runbook struct {
	Status    string    `json:"overallStatus"`
	Summary   Counts    `json:"summary"`
	Requested string    `json:"requestedCheckId"`
	Source    string    `json:"selectionSource"` // requested, top_risk, top_risk_fallback, none
	Selected  *Check    `json:"selectedCheck"`
	TopRisk   *Check    `json:"topRiskCheck"`
	Filter    TraceHint `json:"traceFilter"`
	Targets   []string  `json:"verificationTargets"`
}

const (
	mostTargets   = 5
	longestTarget = 220
	matrixTarget  = "Read the matrix again: GET /api/knowledge/runtime-capability-matrix"
)

// For makes the runbook of a check, or of the top risk when none or an unknown one is asked for.
func (m *Matrix) For(requested string) Runbook {
	r := Runbook{Status: m.Status, Summary: m.Summary, Requested: requested, Source: "none", TopRisk: m.topRisk(), Filter: TraceHint{PathPrefix: "/api/knowledge"}}
	switch {
	case requested != "" && m.Check(requested) != nil:
		r.Source, r.Selected = "requested", m.Check(requested)
	case r.TopRisk == nil:
	case requested != "":
		r.Source, r.Selected = "top_risk_fallback", r.TopRisk
	default:
		r.Source, r.Selected = "top_risk", r.TopRisk
	}
	if c := r.Selected; c != nil {
		r.Filter = c.Hint
		r.Targets = append(r.Targets, c.targets...)
		if c.Expected != "" {
			r.Targets = append(r.Targets, "Expected: "+c.Expected)
		}
		r.Targets = append(r.Targets, "Requests: GET /api/runtime-request-trace?"+c.Hint.query())
		r.Targets = append(r.Targets, c.Actions...)
	}
	// The matrix is always among the targets.
	r.Targets = append(r.Targets[:min(len(r.Targets), mostTargets-1)], matrixTarget)
	for i, t := range r.Targets {
		r.Targets[i] = Cut(t, longestTarget)
	}
	return r
}

// Cut gives the first so many bytes of a text, whole characters only.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Token brings a check id or a source into the form they are kept in: lower case, [a-z0-9_:-], at most so many bytes.
func Token(text string, most int) string {
	t := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == ':' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(text)))
	return t[:min(len(t), most)]
}
