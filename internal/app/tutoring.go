package app

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/learning/tutor"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// AnswerAnalysis is what the tutor makes of an answer.
type AnswerAnalysis struct {
	Outcome    string   `json:"outcome"`
	ErrorTag   string   `json:"errorTag"`
	Confidence float64  `json:"confidence"`
	Overlap    float64  `json:"overlapRatio"`
	Matched    []string `json:"matchedKeywords"`
	Feedback   string   `json:"feedback"`
}

// TutorTrace is what the tutor did once.
type TutorTrace struct {
	TraceID      string   `json:"traceId"`
	UserID       string   `json:"userId"`
	ActionKind   string   `json:"actionKind"`
	AtomID       string   `json:"atomId,omitempty"`
	CreatedAt    string   `json:"createdAt"`
	Confidence   float64  `json:"confidence"`
	Evidence     []string `json:"evidenceSpanIds"`
	Relation     []string `json:"relationPathAtomIds"`
	Source       string   `json:"source"`
	Notes        string   `json:"notes"`
	AdapterID    string   `json:"adapterId,omitempty"`
	ProviderName string   `json:"providerName,omitempty"`
	ProviderMode string   `json:"providerMode,omitempty"`
	Verification string   `json:"verificationStatus"`
	Reason       string   `json:"verificationReason,omitempty"`
	Attempts     int      `json:"providerAttemptCount,omitempty"`
	Fallback     bool     `json:"fallbackUsed,omitempty"`
	Failed       bool     `json:"failed,omitempty"`
	Error        string   `json:"errorMessage,omitempty"`
	DynamicMode  string   `json:"adapterRoutingDynamicPreferredMode,omitempty"`
	DynamicWhy   string   `json:"adapterRoutingDynamicModeReason,omitempty"`
}

// TutorReply is what the tutor says, with the evidence it rests on.
type TutorReply struct {
	Message   string          `json:"message"`
	Suggested []string        `json:"suggestedActions"`
	Spans     []EvidenceSpan  `json:"evidenceSpans"`
	Analysis  *AnswerAnalysis `json:"answerAnalysis,omitempty"`
	Trace     TutorTrace      `json:"trace"`
}

// TutorActionInput asks the tutor for something.
type TutorActionInput struct {
	UserID string `json:"user_id"`
	Kind   string `json:"actionKind"`
	AtomID string `json:"atomId"`
	Prompt string `json:"prompt"`
	Answer string `json:"answer"`
}

const (
	ruleEngine  = "rule-engine"
	verified    = "verified"
	unverified  = "pending_verification"
	noEvidence  = "no_bound_evidence"
	shownOfSpan = 4
)

// RunTutorAction asks the tutor.
func (a *App) RunTutorAction(ctx context.Context, c Caller, in TutorActionInput) (TutorReply, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return TutorReply{}, err
	}
	g, err := a.ground(ctx, userID)
	if err != nil {
		return TutorReply{}, err
	}
	if g.atom(in.AtomID) == nil {
		return TutorReply{}, errNoAtom("atomId", in.AtomID)
	}
	kind := tutor.Action(in.Kind)
	if kind == "" {
		kind = tutor.FollowUp
		if in.Answer != "" {
			kind = tutor.AnalyzeAnswer
		}
	}
	now := a.clock()
	out, _ := a.say(g, userID, in.AtomID, nil, kind, in.Answer, c.Locale, now)
	err = a.store.Write(ctx, func(tx *store.Tx) error { return a.keepTrace(tx, out.Trace, now) })
	return out, err
}

// say lets the tutor reply. An answer without evidence in the notes is marked as not verified.
func (a *App) say(g *ground, userID, atomID string, relation []string, kind tutor.Action, answer, locale string, now time.Time) (TutorReply, *AnswerAnalysis) {
	atom := g.atom(atomID)
	s := tutor.Subject{Title: atom.Title, Content: atom.Content, Keywords: atom.Keywords}
	if len(relation) > 1 {
		if other := g.atom(relation[0]); other != nil && other.ID != atomID {
			s.Neighbour = other.Title
		}
	}
	language := ""
	if len(locale) >= 2 {
		language = locale[:2]
	}
	said := tutor.Say(kind, s, answer, language)
	out := TutorReply{Message: said.Message, Suggested: said.Suggested, Spans: []EvidenceSpan{}}
	out.Trace = TutorTrace{
		TraceID: newID(), UserID: userID, ActionKind: string(kind), AtomID: atomID, CreatedAt: clock.Text(now), Confidence: rounded(said.Confidence, 4),
		Evidence: []string{}, Relation: orNone(relation), Source: ruleEngine, Verification: verified,
	}
	for _, id := range atom.EvidenceSpans {
		if span := g.span(id); span != nil && len(out.Spans) < shownOfSpan {
			out.Spans = append(out.Spans, shownSpan(span))
			out.Trace.Evidence = append(out.Trace.Evidence, id)
		}
	}
	if len(out.Spans) == 0 {
		out.Trace.Verification, out.Trace.Reason = unverified, noEvidence
	}
	if said.Analysis == nil {
		return out, nil
	}
	x := said.Analysis
	out.Analysis = &AnswerAnalysis{string(x.Outcome), x.ErrorTag, rounded(x.Confidence, 4), rounded(x.Overlap, 4), orNone(x.Matched), said.Message}
	return out, out.Analysis
}

func (a *App) keepTrace(tx *store.Tx, t TutorTrace, at time.Time) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return tx.AddTutorTrace(store.TutorTrace{UserID: t.UserID, ID: t.TraceID, Source: t.Source, Provider: t.ProviderName, CreatedAt: clock.Micros(at), Trace: text})
}
