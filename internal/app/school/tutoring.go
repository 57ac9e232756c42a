package school

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/tutor"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/llm"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// AnswerAnalysis is what the tutor makes of an answer.
type AnswerAnalysis struct {
	Outcome    string   `json:"outcome"`
	ErrorTag   string   `json:"errorTag"`
	Confidence float64  `json:"confidence"`
	Overlap    float64  `json:"overlapRatio"`
	Matched    []string `json:"matchedKeywords"`
	Feedback   string   `json:"feedback"`
	// Doubtful says that the outcome counts for nothing unless the learner confirms it.
	Doubtful   bool   `json:"doubtful,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Expected   string `json:"expected,omitempty"`
	QuestionID string `json:"questionId,omitempty"`
}

// TutorReply is what the tutor says, with the evidence it rests on.
type TutorReply struct {
	Message   string                  `json:"message"`
	Suggested []string                `json:"suggestedActions"`
	Spans     []notebook.EvidenceSpan `json:"evidenceSpans"`
	Question  *notebook.AskedQuestion `json:"question,omitempty"`
	Note      *notebook.NoteText      `json:"note,omitempty"`
	Analysis  *AnswerAnalysis         `json:"answerAnalysis,omitempty"`
	Trace     tutors.TutorTrace       `json:"trace"`
}

// TutorActionInput asks the tutor for something.
type TutorActionInput struct {
	UserID string `json:"user_id"`
	Kind   string `json:"actionKind"`
	AtomID string `json:"atomId"`
	Prompt string `json:"prompt"`
	Answer string `json:"answer"`
	// QuestionID names the question that is asked for or answered; without it the prompt may.
	QuestionID string `json:"questionId"`
	tutors.TutorWish
}

const (
	shownOfSpan = 4
)

// RunTutorAction asks the tutor.
func (a *School) RunTutorAction(ctx context.Context, c core.Caller, in TutorActionInput) (TutorReply, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TutorReply{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return TutorReply{}, err
	}
	if g.Atom(in.AtomID) == nil {
		return TutorReply{}, learner.ErrNoAtom("atomId", in.AtomID)
	}
	kind := tutor.Action(in.Kind)
	if kind == "" {
		kind = tutor.FollowUp
		if in.Answer != "" {
			kind = tutor.AnalyzeAnswer
		}
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return TutorReply{}, err
	}
	now := a.Clock()
	route, err := a.RouteTutor(ctx, userID, in.TutorWish)
	if err != nil {
		return TutorReply{}, err
	}
	if err := a.MayAsk(ctx, userID); err != nil {
		return TutorReply{}, err
	}
	q := notebook.Question{AtomID: in.AtomID, Action: kind, Answer: in.Answer, Locale: c.Locale, QuestionID: in.QuestionID, Prompt: in.Prompt, Turn: known.Turn(in.AtomID)}
	said := a.ask(ctx, route, g, userID, q, now)
	if asked := g.Asked(&q); asked != nil && said.Question != nil {
		if said.Question.Body, err = a.Drawn(ctx, g, asked, in.AtomID, false); err != nil {
			return TutorReply{}, err
		}
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := a.UseQuota(tx, userID, core.QuotaTutorReplies, 1); err != nil {
			return err
		}
		return a.keepReply(tx, &said, now)
	})
	return said.TutorReply, err
}

// reply is what a tutor said, and the traces of the language models that were asked before.
type reply struct {
	TutorReply
	missed []tutors.TutorTrace
}

// subject is what a question is about.
func subject(g *notebook.Curriculum, q notebook.Question) tutor.Subject {
	atom := g.Atom(q.AtomID)
	s := tutor.Subject{Title: atom.Title, Content: atom.Content, Keywords: notes.Keywords(atom.Title, atom.Content), Question: g.Asked(&q)}
	if u := g.Unit(q.AtomID); u != nil {
		s.Content = u.Text()
	}
	if len(q.Relation) > 1 {
		if other := g.Atom(q.Relation[0]); other != nil && other.ID != q.AtomID {
			s.Neighbour = other.Title
		}
	}
	return s
}

func languageOf(locale string) string { return locale[:min(2, len(locale))] }

// say lets the rule engine reply. An answer without evidence in the notes is marked as not verified.
func replyTo(g *notebook.Curriculum, userID string, q notebook.Question, now time.Time) TutorReply {
	atom := g.Atom(q.AtomID)
	subject := subject(g, q)
	said := tutor.Say(q.Action, subject, q.Answer, languageOf(q.Locale))
	out := TutorReply{Message: said.Message, Suggested: said.Suggested, Spans: []notebook.EvidenceSpan{}, Question: g.Shown(subject.Question), Note: g.NoteText(q.AtomID)}
	out.Trace = tutors.TutorTrace{
		TraceID: core.NewID(), UserID: userID, ActionKind: string(q.Action), AtomID: q.AtomID, CreatedAt: clock.Text(now), Confidence: core.Rounded(said.Confidence, 4),
		Evidence: []string{}, Relation: core.NonNil(q.Relation), Source: tutors.RuleEngine, Verification: tutors.Verified,
	}
	for _, id := range atom.EvidenceSpans {
		if span := g.Span(id); span != nil && len(out.Spans) < shownOfSpan {
			out.Spans = append(out.Spans, notebook.SpanView(span))
			out.Trace.Evidence = append(out.Trace.Evidence, id)
		}
	}
	if len(out.Spans) == 0 {
		out.Trace.Verification, out.Trace.Reason = tutors.Unverified, tutors.NoEvidence
	}
	out.Analysis = analysisView(&said, subject.Question)
	return out
}

func analysisView(said *tutor.Reply, q *questions.Question) *AnswerAnalysis {
	if said.Analysis == nil {
		return nil
	}
	x := said.Analysis
	out := &AnswerAnalysis{
		Outcome: string(x.Outcome), ErrorTag: x.ErrorTag, Confidence: core.Rounded(x.Confidence, 4), Overlap: core.Rounded(x.Overlap, 4), Matched: core.NonNil(x.Matched), Feedback: said.Message,
		Doubtful: x.Doubtful, Reason: string(x.Why), Expected: x.Expected,
	}
	if q != nil {
		out.QuestionID, out.Expected = q.ID, q.Expected()
	}
	return out
}

// ask lets the language models of a route reply, one after the other until one does, and the rule engine when none does or
// what it says is not accepted. Never call it within a transaction: it may take long.
func (a *School) ask(ctx context.Context, route tutors.TutorRoute, g *notebook.Curriculum, userID string, q notebook.Question, now time.Time) reply {
	out := reply{TutorReply: replyTo(g, userID, q, now)}
	if len(out.Spans) == 0 {
		return out // there is nothing that a reply could rest on
	}
	if out.Analysis != nil && !out.Analysis.Doubtful {
		return out // the answer was compared with the expected one, and that decides
	}
	subject := subject(g, q)
	spans := make([]tutor.Span, len(out.Spans))
	for i := range out.Spans {
		spans[i] = tutor.Span{ID: out.Spans[i].ID, Text: a.Secrets.Mask(g.Passage(q.AtomID, &out.Spans[i]))} // a model may be a stranger's
	}
	system, user := tutor.Prompt(q.Action, subject, spans, a.Secrets.Mask(q.Answer), languageOf(q.Locale))
	user = a.Secrets.Mask(user)
	for i, m := range route.Order {
		if !a.TakeModelCall(ctx, userID, core.QuotaModelCalls) {
			out.Trace.Notes = core.QuotaNote
			break
		}
		t := out.Trace
		t.TraceID, t.Source, t.AdapterID, t.ProviderName, t.ProviderMode, t.Attempts = core.NewID(), tutors.LLMAdapter, m.ID, m.Provider, m.Mode, i+1
		t.Notes, t.DynamicMode, t.DynamicWhy, t.Fallback = route.Notes(), route.DynamicMode, core.Truncate(route.DynamicReason, 220), i > 0
		began := time.Now() // the machine's clock: this is about load
		said, err := a.askModel(ctx, m, route.Timeout, system, user, q.Action, spans)
		t.LatencyMs = core.Rounded(float64(time.Since(began).Microseconds())/1000, 3)
		if err != nil {
			t.Failed, t.Error, t.ErrorCode, t.Confidence, t.Verification, t.Fallback = true, err.Error(), llm.CodeOf(err), failedConfidence, tutors.Unverified, true
			t.Evidence = []string{} // it said nothing that could rest on any
			a.Log.Warn("tutor", "adapter", m.ID, "error", err)
			out.missed = append(out.missed, t)
			continue
		}
		if t.Reason = said.Refused(); t.Reason != "" {
			// The rule engine's words stand; the trace says whose were not taken. What was not accepted backs nothing, and how sure
			// the model was of it counts for no more than a failure, unless it was unsure itself.
			t.Evidence = []string{}
			t.Verification, t.Fallback, t.Confidence = tutors.Unverified, true, core.Rounded(min(said.Confidence, failedConfidence), 4)
			out.Trace = t
			return out
		}
		t.Evidence, t.Confidence, t.Verification = said.Evidence, core.Rounded(said.Confidence, 4), tutors.Verified
		out.Message, out.Suggested, out.Analysis, out.Trace = said.Message, said.Suggested, analysisView(&said.Reply, subject.Question), t
		out.Spans = slices.DeleteFunc(out.Spans, func(s notebook.EvidenceSpan) bool { return !slices.Contains(said.Evidence, s.ID) })
		return out
	}
	if n := len(out.missed); n > 0 { // the last failure is what this reply is traced as
		out.Trace, out.missed = out.missed[n-1], out.missed[:n-1]
	}
	return out
}

// failedConfidence is that of a language model that did not answer (field facts 2.7).
const failedConfidence = .2

func (a *School) askModel(ctx context.Context, m core.TutorModel, timeout time.Duration, system, user string, action tutor.Action, spans []tutor.Span) (tutor.FromModel, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text, err := m.Model.Chat(ctx, system, user)
	if err != nil {
		return tutor.FromModel{}, err
	}
	return tutor.Read(text, action, spans)
}

// keepReply keeps the traces of a reply.
func (a *School) keepReply(tx *store.Tx, r *reply, at time.Time) error {
	for _, t := range append(slices.Clone(r.missed), r.Trace) {
		if err := a.keepTrace(tx, t, at); err != nil {
			return err
		}
	}
	return nil
}

func (a *School) keepTrace(tx *store.Tx, t tutors.TutorTrace, at time.Time) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return tx.AddTutorTrace(schooldb.TutorTrace{UserID: t.UserID, ID: t.TraceID, Source: t.Source, Provider: t.ProviderName, CreatedAt: clock.Micros(at), Trace: text})
}
