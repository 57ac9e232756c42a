package cards

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// ProposalsInput asks for the questions that wait for the learner's decision.
type ProposalsInput struct {
	UserID     string `json:"user_id"`
	DocumentID string `json:"documentId"`
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
}

// ProposedQuestion is a question that a language model proposed, with where its answer stands.
type ProposedQuestion struct {
	Question   KeptQuestion `json:"question"`
	DocumentID string       `json:"documentId"`
	NoteTitle  string       `json:"noteTitle"`
	Quote      string       `json:"quote"`
	Points     []string     `json:"points"` // what an explanation is judged by
}

// Proposals are the questions that wait, and the run that proposes them, nil when there never was one.
type Proposals struct {
	Run        *ProposalRun       `json:"run"`
	Items      []ProposedQuestion `json:"items"`
	Total      int                `json:"total"`
	NextCursor string             `json:"next_cursor"`
}

const usualProposals = 20

// ListProposals answers the questions that wait for the learner, note by note, and how far the run is.
func (a *Service) ListProposals(ctx context.Context, c core.Caller, in ProposalsInput) (Proposals, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return Proposals{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return Proposals{}, err
	}
	out := Proposals{Items: []ProposedQuestion{}}
	row, err := a.Store.QuestionRun(ctx, userID)
	switch {
	case err == nil:
		run, err := readRun(&row)
		if err != nil {
			return out, err
		}
		shown := run.shown()
		out.Run = &shown
	case !errors.Is(err, sqldb.ErrNotFound):
		return out, err
	}
	all := proposed(g, in.DocumentID)
	out.Total = len(all)
	if in.Cursor != "" {
		key, err := base64.RawURLEncoding.DecodeString(in.Cursor)
		if err != nil {
			return out, core.ErrCursor
		}
		at, found := slices.BinarySearchFunc(all, string(key), func(p proposedAt, key string) int { return cmp.Compare(p.key, key) })
		if found {
			at++
		}
		all = all[at:]
	}
	limit := cmp.Or(in.Limit, usualProposals)
	if len(all) > limit {
		all = all[:limit]
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(all[limit-1].key))
	}
	for i := range all {
		q := &all[i].question
		shown, err := a.shownKept(ctx, g, q, q.UnitID, nil)
		if err != nil {
			return out, err
		}
		atom := g.Atom(q.UnitID)
		out.Items = append(out.Items, ProposedQuestion{shown, atom.DocumentID, atom.Title, q.Quote, core.NonNil(q.Answer.Points)})
	}
	return out, nil
}

// proposedAt is a proposed question, and where in the list it stands.
type proposedAt struct {
	key      string
	question questions.Question
}

// proposed lists the questions that wait, of one note or of all, in the order of paths. What its note says no more is left out.
func proposed(g *notebook.Curriculum, documentID string) []proposedAt {
	var all []proposedAt
	for _, k := range g.Bank.ByID {
		atom := g.Atom(k.AtomID)
		if k.Parsed.State != questions.Proposed || atom == nil || documentID != "" && atom.DocumentID != documentID {
			continue
		}
		if q, ok := g.Quoted(k.Parsed); ok {
			all = append(all, proposedAt{strings.Join([]string{atom.SourcePath, atom.StableKey, q.ID}, "\n"), q})
		}
	}
	slices.SortFunc(all, func(a, b proposedAt) int { return cmp.Compare(a.key, b.key) })
	return all
}

// everyQuestion gives all questions of a unit, whether they are asked or not.
func everyQuestion(g *notebook.Curriculum, unitID string) []questions.Question {
	list := slices.Clone(g.Questions(unitID))
	for _, k := range g.Bank.ByID {
		if k.AtomID == unitID && k.Parsed.State != questions.Active {
			list = append(list, k.Parsed)
		}
	}
	slices.SortStableFunc(list, func(a, b questions.Question) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// DecideProposalsInput says what becomes of proposed questions: those that are named, or all of a note.
type DecideProposalsInput struct {
	UserID      string   `json:"user_id"`
	QuestionIDs []string `json:"questionIds"`
	DocumentID  string   `json:"documentId"`
	Decision    string   `json:"decision"` // accept or reject
}

// DecidedProposals says how many questions were decided and how many still wait.
type DecidedProposals struct {
	Decided int `json:"decided"`
	Waiting int `json:"waiting"`
}

// DecideProposals accepts or rejects proposed questions. A rejected one is kept, so that no other run proposes it again.
func (a *Service) DecideProposals(ctx context.Context, c core.Caller, in DecideProposalsInput) (DecidedProposals, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return DecidedProposals{}, err
	}
	if (len(in.QuestionIDs) == 0) == (in.DocumentID == "") {
		return DecidedProposals{}, errs.Invalid("questionIds", "name either questions or a documentId")
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return DecidedProposals{}, err
	}
	ids := in.QuestionIDs
	if in.DocumentID != "" {
		for _, p := range proposed(g, in.DocumentID) {
			ids = append(ids, p.question.ID)
		}
	}
	state := map[string]questions.State{"accept": questions.Active, "reject": questions.Retired}[in.Decision]
	out := DecidedProposals{}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		version, err := tx.LockQuestions(userID)
		if err != nil {
			return err
		}
		out.Decided = 0
		for _, id := range ids {
			row, err := tx.Question(tx.Context(), userID, id)
			if errors.Is(err, sqldb.ErrNotFound) || err == nil && row.State != string(questions.Proposed) {
				continue // it was decided, or is another's
			}
			if err != nil {
				return err
			}
			if err := decided(&row, state); err != nil {
				return err
			}
			row.Changed = version
			if err := tx.PutQuestion(row); err != nil {
				return err
			}
			out.Decided++
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: "knowledge.proposals_decided", Target: in.DocumentID, Status: in.Decision, Detail: map[string]any{"questions": out.Decided}}))
	})
	if err != nil {
		return out, err
	}
	if g, err = a.Curriculum(ctx, userID); err != nil {
		return out, err
	}
	out.Waiting = len(proposed(g, ""))
	return out, nil
}

func decided(row *schooldb.Question, state questions.State) error {
	var q questions.Question
	if err := json.Unmarshal(row.Body, &q); err != nil {
		return err
	}
	q.State, row.State = state, string(state)
	body, err := json.Marshal(q)
	row.Body = body
	return err
}
