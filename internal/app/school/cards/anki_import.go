package cards

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/media"
	"stoa/internal/platform/ankifile"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// AnkiImport is what came of an Anki package.
type AnkiImport struct {
	UserID    string                 `json:"userId"`
	Notes     int                    `json:"notes"`
	Cards     int                    `json:"cards"`
	Decks     int                    `json:"decks"`
	Media     int                    `json:"media"`
	Suspended int                    `json:"suspended"`
	Reviews   int                    `json:"reviews"`  // in the package
	Counted   int                    `json:"answers"`  // that were new to the learner's states
	Added     int                    `json:"newCards"` // questions that were not here before, or have changed
	Summary   notebook.IngestSummary `json:"summary"`
}

// ankiBounds bound a package that a member sends; an operator's command is bound by ankifile.Default. All of its texts and
// rows are in memory at a time.
var ankiBounds = ankifile.Limits{Unpacked: 256 << 20, Rows: 500_000, Kinds: 100_000, Text: 48 << 20, File: 32 << 20, Media: 512 << 20}

// AnkiImportInput says how a package is imported.
type AnkiImportInput struct {
	UserID string `json:"user_id"`
	// Content is collection, a package as Anki writes it, or rows, what changed of a collection as AnkiConnect tells it.
	Content string `json:"content"`
}

// importAnki takes a package in that a member sends.
func (a *Service) importAnki(ctx context.Context, c core.Caller, in AnkiImportInput, file io.ReaderAt, size int64) (AnkiImport, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return AnkiImport{}, err
	}
	merge := anki.Merge
	if in.Content == "rows" {
		merge = anki.MergeRows
	}
	return a.ankiIn(ctx, c.As(userID), userID, file, size, ankiBounds, merge)
}

// IngestAnki takes a package in. Only an operator's command may call it.
func (a *Service) IngestAnki(ctx context.Context, c core.Caller, userID string, file io.ReaderAt, size int64) (AnkiImport, error) {
	return a.ankiIn(ctx, c, userID, file, size, ankifile.Default, nil)
}

// ankiIn reads a package, adds it to what is kept of the learner's collection, and makes a document and a question of
// every card. Rows are written in one transaction, so that a package is imported whole or not at all; what an earlier try
// left of its media belongs to no row and is swept. Without merge it is an operator's, and no quota bounds it.
func (a *Service) ankiIn(ctx context.Context, c core.Caller, userID string, file io.ReaderAt, size int64, limits ankifile.Limits, merge func(kept, in anki.Collection) anki.Collection) (AnkiImport, error) {
	kinds := map[string]string{} // by digest
	if err := a.imports.Acquire(ctx, userID); err != nil {
		return AnkiImport{}, err
	}
	defer a.imports.Release()
	if size > notebook.SmallPackage {
		defer notebook.CollectOften(notebook.AnkiGarbage)()
	}
	in, err := ankifile.Read(ctx, file, size, os.TempDir(), limits, func(_ string, content io.Reader) (string, int64, error) {
		head, err := io.ReadAll(io.LimitReader(content, media.HeadBytes))
		if err != nil {
			return "", 0, err
		}
		digest, size, err := a.Blobs.Put(ctx, io.MultiReader(bytes.NewReader(head), content))
		kinds[digest] = media.Kind(head)
		return digest, size, err
	})
	if err != nil {
		return AnkiImport{}, err
	}
	if err := ctx.Err(); err != nil {
		return AnkiImport{}, err
	}
	before, kept, err := a.ankiKept(ctx, userID)
	if err != nil {
		return AnkiImport{}, err
	}
	out := AnkiImport{UserID: userID, Notes: len(in.Notes), Cards: len(in.Cards), Decks: len(in.Decks), Media: len(in.Media), Reviews: len(in.Reviews)}
	held := merge != nil
	if !held {
		merge = anki.Merge
	}
	merged := merge(kept, in)
	taken := ankiTaken{before: before, base: anki.Names(&kept), media: in.Media, merged: &merged, kinds: kinds, room: math.MaxInt64, held: held}
	more := len(merged.Cards) - len(kept.Cards)
	kept, in = anki.Collection{}, anki.Collection{} // what is merged has all that is needed of them
	if held {
		if taken.room, err = a.roomForAnki(ctx, userID, taken.media, more); err != nil {
			return out, err
		}
	}
	if err := a.keepAnki(ctx, c, userID, &taken, &out); err != nil {
		return out, err
	}
	answers := taken.answers
	merged, taken = anki.Collection{}, ankiTaken{} // of it the answers alone are needed
	if held, err := a.Notes.Of(userID).Read(ctx); err == nil && held.Bytes < notebook.LargeNotes {
		a.SyncIndex(ctx, userID) // of more text the index is made when something is searched for
	}
	if out.Reviews > notebook.FewNotes { // their states take as much as the notes
		if err := a.Notes.Of(userID).Release(ctx); err != nil {
			return out, err
		}
		debug.FreeOSMemory()
	}
	out.Counted, err = a.ankiAnswers(ctx, c, userID, &answers)
	return out, err
}

// ankiTaken is a package that was read.
type ankiTaken struct {
	before schooldb.AnkiCollection
	base   []anki.Named      // the cards that there were
	media  []anki.Media      // that came
	merged *anki.Collection  // what there is now; its texts go as its cards are read
	kinds  map[string]string // of media, by digest
	room   int64             // bytes that the cards may have together
	held   bool              // to the member's quotas

	answers anki.Log // of merged, once it is written
}

// ankiKept gives what is kept of a learner's collection, without the bytes of media; nothing when none came.
func (a *Service) ankiKept(ctx context.Context, userID string) (schooldb.AnkiCollection, anki.Collection, error) {
	row, err := a.Store.AnkiCollection(ctx, userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return schooldb.AnkiCollection{Owner: userID}, anki.Collection{}, nil
	}
	if err != nil {
		return row, anki.Collection{}, err
	}
	file, err := a.Blobs.Open(ctx, row.SHA256)
	if err != nil {
		return row, anki.Collection{}, err
	}
	defer file.Close()
	kept, err := ankifile.Read(ctx, file, row.SizeBytes, os.TempDir(), ankifile.Default, nil)
	return row, kept, err
}

// roomForAnki refuses a package beyond what a member may keep, and gives how many bytes the cards may have together.
func (a *Service) roomForAnki(ctx context.Context, userID string, media []anki.Media, more int) (int64, error) {
	held, err := a.Store.CountNotes(ctx, userID) // the notes themselves are read when what comes of the package is small
	if err != nil {
		return 0, err
	}
	if err := a.CheckQuota(ctx, a.Store.Queries, userID, core.QuotaNotes, held, int64(max(0, more))); err != nil {
		return 0, err
	}
	_, size, err := a.Store.NoteMediaHeld(ctx, userID)
	if err != nil {
		return 0, err
	}
	for _, m := range media {
		size += m.Size
	}
	if size > notebook.MostMedia {
		return 0, errs.Newf(errs.PackageTooLarge, "The pictures and sounds of your notes would take more than %d MiB. Export the deck from Anki without media.", notebook.MostMedia>>20)
	}
	limit, bounded, err := a.QuotaOf(ctx, a.Store.Queries, userID, core.QuotaNoteBytes)
	if !bounded {
		limit = math.MaxInt64
	}
	return limit, err
}

// keepAnki writes the collection, its media, the documents and the questions.
func (a *Service) keepAnki(ctx context.Context, c core.Caller, userID string, taken *ankiTaken, out *AnkiImport) error {
	merged, before := taken.merged, taken.before
	staged, err := a.Blobs.Stage()
	if err != nil {
		return err
	}
	defer staged.Discard()
	bare := *merged
	bare.Media = nil
	if err := ankifile.Write(ctx, staged, &bare, ankifile.FormatOf(merged), os.TempDir(), nil); err != nil {
		return err
	}
	row := schooldb.AnkiCollection{
		Owner: userID, Version: before.Version + 1, Schema: int64(merged.Schema), Whole: before.Whole,
		Notes: int64(len(merged.Notes)), Cards: int64(len(merged.Cards)), Reviews: int64(len(merged.Reviews)),
	}
	taken.answers, merged.Reviews = anki.LogOf(merged), nil
	batch := graph.Batch{Mode: graph.Auto, At: a.Clock()}
	asked, err := a.spendCards(ctx, userID, taken, &batch)
	if err != nil {
		return err
	}
	defer asked.close()
	if len(merged.Notes) > notebook.FewNotes {
		debug.FreeOSMemory() // the texts of the package, before the notes are made
	}
	if row.SHA256, row.SizeBytes, err = staged.Keep(ctx); err != nil {
		return err
	}
	options, err := json.Marshal(ankifile.Rules(merged))
	if err != nil {
		return err
	}
	row.DeckOptions = string(options)
	if taken.held {
		if batch.MaxAtoms, err = a.MostSections(ctx, userID); err != nil {
			return err
		}
	}
	began := time.Now()
	lib := a.Notes.Of(userID)
	_, err = lib.Change(ctx, func(g *graph.Library) (graph.Changes, []schooldb.Correction) {
		return g.Ingest(batch), nil
	}, func(tx *store.Tx, changes graph.Changes) error {
		if taken.held {
			if err := a.CheckNotes(tx, lib, batch.MaxAtoms, changes); err != nil {
				return err
			}
		}
		out.Summary = notebook.IngestView(userID, changes).Summary
		out.Summary.LatencyMs = float64(time.Since(began).Microseconds()) / 1000
		if mine, err := tx.PutAnkiCollection(row); err != nil || !mine {
			return cmp.Or(err, error(errs.New(errs.ServiceUnavailable, "Another package of yours was imported just now. Send this one again.")))
		}
		for _, m := range taken.media {
			if err := tx.PutNoteMedia(userID, schooldb.NoteMedia{Name: notebook.AnkiMedia + m.Name, SHA256: m.Digest, SizeBytes: m.Size, Kind: taken.kinds[m.Digest]}); err != nil {
				return err
			}
		}
		if out.Added, out.Suspended, err = asked.keep(tx, userID, taken.base); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Action: "knowledge.anki_imported", Status: "done", Detail: map[string]any{"notes": out.Notes, "cards": out.Cards, "reviews": out.Reviews, "media": out.Media},
		}))
	})
	return err
}

// ankiAnswers takes the reviews over that the learner's log does not have. What was answered here and is in Anki too by now is no
// new one, under whatever id.
func (a *Service) ankiAnswers(ctx context.Context, c core.Caller, userID string, log *anki.Log) (counted int, err error) {
	if log.Len() == 0 {
		return 0, nil
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return 0, err
	}
	all, err := a.AnswersOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	own, err := a.Store.AnkiReviews(ctx, userID)
	if err != nil {
		return 0, err
	}
	here := make(map[int64]*schooldb.AnkiReview, len(own))
	for i := range own {
		here[own[i].ReviewID] = &own[i]
	}
	ours := func(o *anki.Logged) bool {
		r := here[o.At().UnixMilli()]
		if r == nil || r.CardID != o.Card {
			return false
		}
		given, there := answerAt(all[r.AtomID], r.AnsweredAt, r.Nth)
		return !there || given.Grade() == o.Grade() && given.Took().Milliseconds() == o.Took().Milliseconds() // what was taken back stays so
	}
	type answer struct {
		atom     string
		at, took int64 // ms
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b anki.Answer) int { return a.At().Compare(b.At()) })
	}
	const atOnce = 2000 // a transaction must stay short
	batch := make([]mastery.Observation, 0, atOnce)
	write := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := a.ObserveAll(ctx, c, userID, g, batch); err != nil {
			return err
		}
		counted += len(batch)
		batch = batch[:0]
		return nil
	}
	// They come by time, so that only those of the same moment can be the same answer twice.
	var moment time.Time
	same := map[answer]bool{}
	for o := range log.Each() {
		id := graph.AtomID(userID, o.DocumentID+"::")
		one := answer{id, o.At().UnixMilli(), o.Took().Milliseconds()}
		if !o.At().Equal(moment) {
			moment = o.At()
			clear(same)
		}
		if g.Own.Atoms[id] == nil || hasAnswer(all[id], one.at, one.took) || same[one] || ours(&o) {
			continue
		}
		same[one] = true
		batch = append(batch, mastery.Observation{AtomID: id, Outcome: learner.OutcomeOfGrade(o.Grade()), Grade: fsrs.Grade(o.Grade()), At: o.At(), ResponseTime: o.Took()})
		if len(batch) == atOnce {
			if err := write(); err != nil {
				return counted, err
			}
		}
	}
	return counted, write()
}

// hasAnswer tells whether there is an answer of a moment that took a time, both in ms, in a list by time.
func hasAnswer(list []anki.Answer, at, took int64) bool {
	i, _ := slices.BinarySearchFunc(list, at, func(o anki.Answer, at int64) int { return cmp.Compare(o.At().UnixMilli(), at) })
	for ; i < len(list) && list[i].At().UnixMilli() == at; i++ {
		if list[i].Took().Milliseconds() == took {
			return true
		}
	}
	return false
}
