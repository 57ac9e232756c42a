package cards

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// QuestionsInput asks for the questions of a unit; or page by page for those that are asked of a note, of a folder and those in it, or of all.
type QuestionsInput struct {
	UserID     string `json:"user_id"`
	AtomID     string `json:"atomId"`
	DocumentID string `json:"documentId"`
	Folder     string `json:"folder"`
	Retirement bool   `json:"retirement"` // those alone that are proposed for it
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
}

// QuestionFigures are how a learner answered a question.
type QuestionFigures struct {
	Answers int64   `json:"answers"`
	Correct int64   `json:"correct"`
	Partial int64   `json:"partial"`
	Share   float64 `json:"correctShare"`
	LastAt  string  `json:"lastAnsweredAt"`
	// Expected is the probability that it is answered right now, by its learner's models; nil while its concept was never answered.
	Expected *float64 `json:"expectedCorrect,omitempty"`
}

// KeptQuestion is a question with its answer, as its learner sees it who edits it.
type KeptQuestion struct {
	notebook.AskedQuestion
	AtomID      string          `json:"atomId"`
	Accepted    []string        `json:"accepted"`
	Expected    string          `json:"expected"`
	Tolerance   float64         `json:"tolerance"`
	Explanation string          `json:"explanation"`
	Evidence    EvidenceRange   `json:"evidence"`
	Media       []string        `json:"media"`
	Version     int64           `json:"version"`
	Report      string          `json:"report"`
	Figures     QuestionFigures `json:"figures"`
	Leech       bool            `json:"leech"` // forgotten so often that it should be edited or suspended
	// Retirement is there when the answers say nothing of what is known.
	Retirement *RetirementProposal `json:"retirement,omitempty"`
}

// EvidenceRange is where in an atom's content an answer stands, in bytes.
type EvidenceRange struct {
	AtomID string `json:"atomId"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
}

// QuestionList are the questions of a unit, those that are not asked included, or a page of those that are asked.
type QuestionList struct {
	Items      []KeptQuestion `json:"items"`
	NextCursor string         `json:"next_cursor"`
	Folders    []string       `json:"folders"` // that have something to ask; none for a unit
}

// ListQuestions answers the questions of a unit with their answers and figures.
func (a *Service) ListQuestions(ctx context.Context, c core.Caller, in QuestionsInput) (QuestionList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QuestionList{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return QuestionList{}, err
	}
	if in.AtomID == "" {
		return a.questionPage(ctx, g, userID, in)
	}
	if g.Atom(in.AtomID) == nil {
		return QuestionList{}, learner.ErrNoAtom("atomId", in.AtomID)
	}
	figures, err := a.FiguresOf(ctx, userID)
	if err != nil {
		return QuestionList{}, err
	}
	out := QuestionList{Items: []KeptQuestion{}, Folders: []string{}}
	list := g.Questions(in.AtomID)
	for id, k := range g.Bank.ByID { // those that are not asked stand at the end
		if k.AtomID == in.AtomID && !slices.ContainsFunc(list, func(q questions.Question) bool { return q.ID == id }) {
			list = append(slices.Clip(list), k.Parsed)
		}
	}
	for i := range list {
		shown, err := a.shownKept(ctx, g, &list[i], in.AtomID, figures)
		if err != nil {
			return QuestionList{}, err
		}
		out.Items = append(out.Items, shown)
	}
	slices.SortStableFunc(out.Items, func(a, b KeptQuestion) int { return strings.Compare(lastState(a), lastState(b)) })
	return out, nil
}

// lastState puts questions that are not asked after the others, by their ids.
func lastState(q KeptQuestion) string {
	if q.State == string(questions.Active) {
		return ""
	}
	return q.ID
}

func (a *Service) shownKept(ctx context.Context, g *notebook.Curriculum, q *questions.Question, atomID string, figures *learner.AnswerFigures) (KeptQuestion, error) {
	out := KeptQuestion{
		AskedQuestion: *g.Shown(q), AtomID: atomID, Accepted: core.NonNil(q.Answer.Texts), Expected: q.Expected(), Tolerance: q.Answer.Tolerance,
		Explanation: q.Explanation, Evidence: EvidenceRange(q.Evidence), Media: notebook.MediaOf(q.Media),
	}
	if len(q.Answer.Items) > 0 {
		out.Accepted = q.Answer.Items
	}
	if k := g.Bank.ByID[q.ID]; k != nil {
		out.Version, out.Report = k.Version, k.Report
	}
	out.Leech = figures.Leech(q, atomID)
	var err error
	if figures == nil {
		figures = &learner.AnswerFigures{}
	}
	if t, ok := figures.Tallies[q.ID]; ok {
		out.Figures = QuestionFigures{Answers: t.Answers, Correct: t.Correct, Partial: t.Partial, LastAt: clock.Text(clock.FromMicros(t.LastAt))}
		out.Figures.Share = core.Rounded(float64(t.Correct)/float64(max(1, t.Answers)), 4)
		if out.Figures.Expected, err = figures.Expected(atomID, q.ID, a.Clock()); err != nil {
			return out, err
		}
	}
	if out.Retirement, err = a.retirementOf(ctx, q, figures); err != nil {
		return out, err
	}
	out.Body, err = a.Drawn(ctx, g, q, atomID, true)
	return out, err
}

// SaveQuestionInput changes a question, or adds one when it names none. What is left out stays.
type SaveQuestionInput struct {
	UserID      string   `json:"user_id"`
	QuestionID  string   `json:"questionId"`
	AtomID      string   `json:"atomId"`
	Prompt      *string  `json:"prompt"`
	Accepted    []string `json:"accepted"`
	Explanation *string  `json:"explanation"`
	State       string   `json:"state"`
	Flag        *int64   `json:"flag"`
	Report      *string  `json:"report"`
	// Restore names an earlier version whose text comes back.
	Restore *int64 `json:"restoreVersion"`
	// Keep says of a question that is proposed for retirement whether its learner keeps it.
	Keep *bool `json:"keep"`
}

// ownQuestion is the origin of a question that a learner wrote in the page.
const ownQuestion = questions.Origin("own")

// SaveQuestion edits, suspends, frees, retires, flags or reports a question of the caller's, or adds one. The text as it
// was is kept.
func (a *Service) SaveQuestion(ctx context.Context, c core.Caller, in SaveQuestionInput) (KeptQuestion, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return KeptQuestion{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return KeptQuestion{}, err
	}
	q, row, err := toEdit(g, userID, in)
	if err != nil {
		return KeptQuestion{}, err
	}
	was, err := json.Marshal(q)
	if err != nil {
		return KeptQuestion{}, err
	}
	before := q.ID
	if in.Restore != nil {
		if err := a.restore(ctx, userID, *in.Restore, &q); err != nil {
			return KeptQuestion{}, err
		}
	}
	if err := in.apply(&q, &row); err != nil {
		return KeptQuestion{}, err
	}
	if q.ID == "" {
		q.ID = "qst_own_" + strings.ReplaceAll(core.NewID(), "-", "")
		row.ID = q.ID
	}
	row.State = string(q.State)
	if row.Body, err = json.Marshal(q); err != nil {
		return KeptQuestion{}, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		detail := map[string]any{"state": row.State}
		if in.Keep != nil {
			detail["keep"] = *in.Keep
			if err := keepQuestion(ctx, tx, userID, q.ID, *in.Keep); err != nil {
				return err
			}
		}
		if in.changes() {
			if err := in.put(ctx, tx, row, before, was); err != nil {
				return err
			}
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: "knowledge.question_saved", Target: q.ID, Status: "done", Detail: detail}))
	})
	if err != nil {
		return KeptQuestion{}, err
	}
	if g, err = a.Curriculum(ctx, userID); err != nil {
		return KeptQuestion{}, err
	}
	figures, err := a.FiguresOf(ctx, userID)
	if err != nil {
		return KeptQuestion{}, err
	}
	return a.shownKept(ctx, g, &q, row.AtomID, figures)
}

// put keeps the question under a new version of the bank; how it was too, when its text changes.
func (in *SaveQuestionInput) put(ctx context.Context, tx *store.Tx, row schooldb.Question, before string, was []byte) error {
	version, err := tx.LockQuestions(row.Owner)
	if err != nil {
		return err
	}
	if in.edits() && before != "" {
		if err := tx.AddQuestionVersion(row.Owner, row.ID, row.Version, was); err != nil {
			return err
		}
		if err := tx.ForgetQuestionAnswers(row.Owner, row.ID); err != nil { // they were to another text
			return err
		}
	}
	if in.edits() || row.Version == 0 {
		row.Version++
	}
	row.Changed = version
	if err := tx.PutQuestion(row); err != nil || !in.edits() {
		return err
	}
	return checkQuestionBytes(tx, row, len(was))
}

// mostQuestionBytes is how large a learner's questions may get by edits: all of them are held in memory while they learn.
const mostQuestionBytes = 64 << 20

// checkQuestionBytes refuses what makes a question longer, was bytes before, when the learner's are too large together.
func checkQuestionBytes(tx *store.Tx, row schooldb.Question, was int) error {
	if row.Version > 1 && len(row.Body) <= was {
		return nil
	}
	kept, err := tx.QuestionBytes(row.Owner)
	if err == nil && kept > mostQuestionBytes {
		err = errs.Newf(errs.QuotaExceeded, "Your questions are too long together (more than %d MiB). Shorten some, or write fewer.", mostQuestionBytes>>20).With("kind", "question_bytes").With("limit", mostQuestionBytes)
	}
	return err
}

// toEdit gives the question that is meant, and its row as it is kept or would be.
func toEdit(g *notebook.Curriculum, userID string, in SaveQuestionInput) (questions.Question, schooldb.Question, error) {
	if k := g.Bank.ByID[in.QuestionID]; k != nil {
		return k.Parsed, k.Question, nil
	}
	if g.Atom(in.AtomID) == nil {
		return questions.Question{}, schooldb.Question{}, learner.ErrNoAtom("atomId", in.AtomID)
	}
	row := schooldb.Question{Owner: userID, ID: in.QuestionID, AtomID: in.AtomID}
	if in.QuestionID == "" {
		if in.Prompt == nil || len(in.Accepted) == 0 {
			return questions.Question{}, row, errs.Invalid("prompt", "a new question needs a prompt and an accepted answer")
		}
		row.Origin = string(ownQuestion)
		return questions.Question{Origin: ownQuestion, State: questions.Active, UnitID: in.AtomID, Rank: 1, Evidence: questions.Evidence{AtomID: in.AtomID}}, row, nil
	}
	for _, q := range g.Questions(in.AtomID) {
		if q.ID == in.QuestionID {
			row.Origin = string(q.Origin)
			return q, row, nil
		}
	}
	return questions.Question{}, row, errs.New(errs.NotFound, "There is no question of this id at this concept.")
}

// written is what a learner typed as it is shown: Markdown, but beside the HTML of a card plain text.
func written(q *questions.Question, typed string) string {
	if q.Shown.HTML {
		return ""
	}
	return typed
}

// edits reports whether the text changes.
func (in *SaveQuestionInput) edits() bool {
	return in.Prompt != nil || len(in.Accepted) > 0 || in.Explanation != nil || in.Restore != nil
}

// changes reports whether anything but the decision on its retirement changes.
func (in *SaveQuestionInput) changes() bool {
	return in.edits() || in.State != "" || in.Flag != nil || in.Report != nil || in.Keep == nil
}

func (in *SaveQuestionInput) apply(q *questions.Question, row *schooldb.Question) error {
	if in.Prompt != nil {
		if q.Prompt = strings.TrimSpace(*in.Prompt); q.Prompt == "" {
			return errs.Invalid("prompt", "must not be empty")
		}
		q.Shown.Prompt = written(q, q.Prompt)
	}
	if len(in.Accepted) > 0 {
		q.Shown.Answer = ""
		answers := slices.DeleteFunc(slices.Clone(in.Accepted), func(s string) bool { return strings.TrimSpace(s) == "" })
		if len(answers) == 0 {
			return errs.Invalid("accepted", "must hold an answer")
		}
		switch q.Kind {
		case questions.Gaps, questions.Listing, questions.Order, questions.Match:
			q.Answer.Items = answers
		case questions.Gap, questions.Choice, questions.TrueFalse, questions.Occlusion:
			first := questions.GapFilled(answers[0])
			first.Texts = append(first.Texts, answers[1:]...)
			q.Answer = first
		default:
			pair := questions.Pair(q.Prompt, answers[0])
			q.Kind, q.Answer = pair.Kind, pair.Answer
			q.Answer.Texts = append(q.Answer.Texts, answers[1:]...)
			q.Shown.Answer = written(q, answers[0])
		}
	}
	if in.Explanation != nil {
		q.Explanation = strings.TrimSpace(*in.Explanation)
		q.Shown.Explanation = written(q, q.Explanation)
	}
	if in.State != "" {
		q.State = questions.State(in.State)
	}
	if in.Flag != nil {
		row.Flag = *in.Flag
	}
	if in.Report != nil {
		row.Report = strings.TrimSpace(*in.Report)
	}
	return nil
}
