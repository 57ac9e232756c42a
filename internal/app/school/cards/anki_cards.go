package cards

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// askedCards are the questions of a package's cards, in a file: they are as large as the package and are not needed before
// their documents are kept.
type askedCards struct{ staged *blob.Staged }

// askedCard is a line of the file.
type askedCard struct {
	Flag     int64
	Question questions.Question
}

// spendCards adds the documents of all cards to a batch and puts their questions into a file. The texts of the collection are
// gone afterwards. Whoever gets a file must close it.
func (a *Service) spendCards(ctx context.Context, userID string, taken *ankiTaken, batch *graph.Batch) (_ *askedCards, err error) {
	staged, err := a.Blobs.Stage()
	if err != nil {
		return nil, err
	}
	out := &askedCards{staged}
	defer func() {
		if err != nil {
			out.close()
		}
	}()
	file := bufio.NewWriterSize(staged, 64<<10)
	lines := json.NewEncoder(file)
	batch.Documents = make([]graph.Document, 0, len(taken.merged.Cards))
	err = anki.SpendCards(ctx, taken.merged, taken.room, func(one *anki.Asked) error {
		batch.Documents = append(batch.Documents, one.Document)
		q := &one.Question
		q.UnitID = graph.AtomID(userID, one.Document.ID+"::")
		q.Evidence = questions.Evidence{AtomID: q.UnitID, End: len(one.Document.Content)}
		return lines.Encode(askedCard{one.Flag, *q})
	})
	if errors.Is(err, anki.ErrTooMuch) {
		return nil, errs.Newf(errs.QuotaExceeded, "The cards of this package have more text together than you may keep here (%d MiB). Export some of its decks, or ask whoever runs the server.", taken.room>>20).
			With("kind", string(core.QuotaNoteBytes)).With("limit", taken.room)
	}
	if err != nil {
		return nil, err
	}
	return out, file.Flush()
}

func (f *askedCards) close() { f.staged.Discard() }

// keep keeps the questions of cards that are new or have changed. What was edited here stays as it was edited. Whether a card is
// suspended, and its flag, follow Anki where they changed there since it came last, which base says.
func (f *askedCards) keep(tx *store.Tx, userID string, cards []anki.Named) (added, suspended int, err error) {
	version, err := tx.LockQuestions(userID)
	if err != nil {
		return 0, 0, err
	}
	base := make(map[string]*anki.Named, len(cards))
	for i := range cards {
		base[cards[i].QuestionID] = &cards[i]
	}
	lines := json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(f.staged, 0, f.staged.Size()), 64<<10))
	for lines.More() {
		var one askedCard
		if err := lines.Decode(&one); err != nil {
			return added, suspended, err
		}
		if one.Question.State == questions.Suspended {
			suspended++
		}
		changed, err := keepCard(tx, userID, version, &one, base[one.Question.ID])
		if err != nil {
			return added, suspended, err
		}
		if changed {
			added++
		}
	}
	return added, suspended, nil
}

// keepCard keeps one question and reports whether that changed anything; b is its card as it came last, nil when it is new.
func keepCard(tx *store.Tx, userID string, version int64, one *askedCard, b *anki.Named) (changed bool, err error) {
	q := one.Question
	row := schooldb.Question{Owner: userID, ID: q.ID, AtomID: q.UnitID, Origin: string(q.Origin), Changed: version, Version: 1, Flag: one.Flag}
	var was schooldb.Question
	err = sqldb.ErrNotFound
	if version > 1 { // else the owner had none before
		was, err = tx.Question(tx.Context(), userID, q.ID)
	}
	if errors.Is(err, sqldb.ErrNotFound) {
		row.State = string(q.State)
		if row.Body, err = json.Marshal(q); err != nil {
			return false, err
		}
		return true, tx.PutQuestion(row)
	}
	if err != nil || was.State == string(questions.Retired) {
		return false, err
	}
	kept, err := notebook.QuestionOf(&was)
	if err != nil {
		return false, err
	}
	if b != nil && b.Suspended == (q.State == questions.Suspended) {
		q.State = questions.State(was.State)
	}
	if b != nil && b.Flag == row.Flag {
		row.Flag = was.Flag
	}
	row.Report = was.Report
	if was.Version > 1 {
		state := q.State
		q, row.Version = kept, was.Version
		q.State = state
	}
	row.State = string(q.State)
	if row.Body, err = json.Marshal(q); err != nil {
		return false, err
	}
	same, err := json.Marshal(kept)
	if err != nil || was.Flag == row.Flag && bytes.Equal(same, row.Body) {
		return false, err
	}
	return true, tx.PutQuestion(row)
}
