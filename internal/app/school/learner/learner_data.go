package learner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// ExportLearner writes everything that is kept of a learner, a JSON line for each row. Only an operator's command may call
// it, or the learner themselves by one.
func (a *Service) ExportLearner(ctx context.Context, userID string, w io.Writer) (rows int, err error) {
	e := json.NewEncoder(w)
	err = a.Store.LearnerRows(ctx, userID, func(table string, row map[string]any) error {
		rows++
		return e.Encode(map[string]any{"table": table, "row": core.ReadableRow(row)})
	})
	return rows, err
}

// EachOwnNote calls each with the path and the Markdown of every note that is a member's own.
func (a *Service) EachOwnNote(ctx context.Context, userID string, each func(path, text string) error) error {
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return err
	}
	parts := map[string][]string{} // units by note
	var order []string
	for _, unit := range g.Own.Units {
		if parts[unit.DocumentID] == nil {
			order = append(order, unit.DocumentID)
		}
		parts[unit.DocumentID] = append(parts[unit.DocumentID], unit.ID)
	}
	for _, document := range order {
		if strings.HasPrefix(document, "anki:") {
			continue // cards, which have a format of their own
		}
		path, texts := "", []string{}
		for _, id := range parts[document] {
			note := g.NoteText(id)
			path = note.Path
			texts = append(texts, note.Text)
		}
		if err := each(path, strings.Join(texts, "\n\n")); err != nil {
			return err
		}
	}
	return nil
}

// EraseLearner removes everything that is kept of a learner and returns how many rows that were. Sums over all learners stay,
// and lines of the audit log, which have no texts of a learner.
func (a *Service) EraseLearner(ctx context.Context, c core.Caller, userID string) (rows int64, err error) {
	a.Tracer.Flush(ctx) // what is still in memory goes too
	a.Questions.Flush(ctx)
	files, err := a.FilesOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if rows, err = tx.EraseLearner(userID); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "learning.erased", Status: "done", Detail: map[string]any{"rows": rows}}))
	})
	if err != nil {
		return 0, err
	}
	a.RemoveFiles(ctx, files)
	if err := a.Store.Scrub(ctx); err != nil {
		a.Log.Warn("erase: the rows are gone; deleted bytes may still be in the database's files", "error", err)
	}
	return rows, nil
}

// CheckLearner rebuilds a learner's states from the log of observations and tells where they differ from what is kept;
// "" when they are the same to the byte.
func (a *Service) CheckLearner(ctx context.Context, userID string) (difference string, observations int, err error) {
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return "", 0, err
	}
	again := &Snapshot{Learner: store.Learner{UserID: userID}}
	m, err := again.models()
	if err != nil {
		return "", 0, err
	}
	tallies := map[string]*path.Practice{}
	var batch []store.Observation // answers that came together
	take := func() error {
		err := again.retake(m, batch, tallies)
		observations += len(batch)
		batch = batch[:0]
		return err
	}
	const page = 1000
	for after := int64(0); ; {
		list, err := a.Store.Observations(ctx, userID, after, page)
		if err != nil {
			return "", observations, err
		}
		for _, o := range list {
			after = o.Seq
			if len(batch) > 0 && (o.SessionID == "" || o.SessionID != batch[0].SessionID) {
				if err := take(); err != nil {
					return "", observations, err
				}
			}
			batch = append(batch, o)
		}
		if len(list) < page {
			break
		}
	}
	if err := take(); err != nil {
		return "", observations, err
	}
	if observations == 0 {
		return "", 0, nil
	}
	return differs(known, again, m, tallies), observations, nil
}

// retake takes answers that came together in again, as ObservationRecorder did.
func (s *Snapshot) retake(m *models, batch []store.Observation, tallies map[string]*path.Practice) error {
	at, law := time.Time{}, together{}
	for _, o := range batch {
		if o.PriorVariance > 0 {
			m.population.Expect(o.AtomID, online.Belief{Mean: o.PriorEase, Var: o.PriorVariance})
		}
		if at = clock.FromMicros(o.ObservedAt); o.SessionID != "" {
			law.begin(m, o.AtomID, at)
		}
	}
	for _, o := range batch {
		obs := mastery.Observation{
			AtomID: o.AtomID, Outcome: mastery.Outcome(o.Outcome), Grade: fsrs.Grade(o.Grade), At: at, ResponseTime: time.Duration(o.ResponseUS) * time.Microsecond, Confidence: o.Confidence, QuestionID: o.QuestionID,
		}
		if o.ByQuestion {
			obs.ItemID, obs.ItemEase = o.QuestionID, online.Belief{Mean: o.QuestionPriorEase, Var: o.QuestionPriorVariance}
		}
		if o.GivenStability > 0 {
			obs.Given = &fsrs.State{Stability: o.GivenStability, Difficulty: o.GivenDifficulty}
		}
		if err := json.Unmarshal(o.Tags, &obs.Tags); err != nil {
			return err
		}
		update, err := m.engine.Observe(m.population, m.learner, obs)
		if err != nil {
			return err
		}
		t := tallies[o.AtomID]
		if t == nil {
			t = &path.Practice{}
			tallies[o.AtomID] = t
		}
		t.Take(&s.PathTraits, obs, o.Readiness)
		t.Shown = core.Rounded(update.After.MasteryProbability, 6)
		law.answered(&obs)
	}
	law.settle(m, at, func(id string, shown float64) { tallies[id].Shown = shown })
	return nil
}

func differs(known, again *Snapshot, m *models, tallies map[string]*path.Practice) string {
	if !bytes.Equal(known.Person, m.learner.Person.Encode()) || !bytes.Equal(known.Core, mastery.EncodeCore(m.population.Core)) {
		return "the state of the person"
	}
	again.PathTraits.Pace = known.PathTraits.Pace // the log does not tell which kind of action took how long
	traits, err := json.Marshal(again.PathTraits)
	if err != nil || !bytes.Equal(known.Traits, traits) {
		return "the traits of the person"
	}
	for id, a := range known.Each {
		own, shared := m.learner.Atoms[id], m.population.Atoms[id]
		if own == nil || shared == nil || !bytes.Equal(a.state, own.Encode()) || !bytes.Equal(a.shared, mastery.EncodeSharedAtom(shared)) {
			return "the state of atom " + id
		}
		counted := a.Practice
		counted.Strategy = "" // the log does not tell
		is, err := json.Marshal(counted)
		was, errTally := json.Marshal(tallies[id])
		if err != nil || errTally != nil || !bytes.Equal(is, was) {
			return fmt.Sprintf("the tally of atom %s: %s, not %s", id, is, was)
		}
	}
	return ""
}

// AnswersOf gives every answer of a learner by atom, in the order of the log.
func (a *Service) AnswersOf(ctx context.Context, userID string) (map[string][]anki.Answer, error) {
	all := map[string][]anki.Answer{}
	err := a.EachAnswer(ctx, userID, func(o store.Observation, answer anki.Answer) { all[o.AtomID] = append(all[o.AtomID], answer) })
	return all, err
}

// EachAnswer hands out a learner's answers in the order of the log.
func (a *Service) EachAnswer(ctx context.Context, userID string, take func(o store.Observation, answer anki.Answer)) error {
	const page = 1000
	for after := int64(0); ; {
		list, err := a.Store.Observations(ctx, userID, after, page)
		if err != nil {
			return err
		}
		for _, o := range list {
			after = o.Seq
			if o.GivenStability > 0 {
				continue // another program has that answer, and which grade it was is not known
			}
			if grade := cmp.Or(int(o.Grade), grades[mastery.Outcome(o.Outcome)]); grade > 0 {
				take(o, anki.NewAnswer(clock.FromMicros(o.ObservedAt), grade, time.Duration(o.ResponseUS)*time.Microsecond))
			}
		}
		if len(list) < page {
			return nil
		}
	}
}

// grades are the buttons of Anki; a skipped question was not reviewed.
var grades = map[mastery.Outcome]int{mastery.Incorrect: 1, mastery.Partial: 2, mastery.Correct: 3}
