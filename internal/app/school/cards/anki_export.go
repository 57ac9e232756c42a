package cards

import (
	"context"
	"io"
	"os"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/ankifile"
	"stoa/internal/platform/blob"
)

// AnkiExportInput asks for a learner's cards as an Anki package.
type AnkiExportInput struct {
	UserID string `json:"user_id"`
	// Format is apkg, colpkg or legacy, the older schema; as the collection came when it is left out.
	Format string `json:"format"`
	// Content is cards, the imported collection, or notes, what is learned of notes; cards when there are any.
	Content string `json:"content"`
}

// AnkiPackage is a package that is written. Whoever gets one must Close it.
type AnkiPackage struct {
	Filename                 string
	SHA256                   string
	Size                     int64
	Notes, Reviews, Answered int // Answered are the cards that were learned here since they came
	*io.SectionReader
	staged *blob.Staged
}

// Close removes the bytes.
func (p *AnkiPackage) Close() error {
	p.staged.Discard()
	return nil
}

// ExportAnki gives a learner's cards as a package that Anki reads: what came from Anki as it came, with what was learned
// here, or what is learned of notes. It is the learner's own.
func (a *Service) ExportAnki(ctx context.Context, c core.Caller, in AnkiExportInput) (*AnkiPackage, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return nil, err
	}
	return a.AnkiPackage(ctx, userID, in)
}

// AnkiPackage writes the package. Only an operator's command may call it without a caller.
func (a *Service) AnkiPackage(ctx context.Context, userID string, in AnkiExportInput) (*AnkiPackage, error) {
	if err := a.imports.Acquire(ctx, userID); err != nil { // each may take a quarter of a gigabyte
		return nil, err
	}
	defer a.imports.Release()
	row, collection, err := a.ankiKept(ctx, userID)
	if err != nil {
		return nil, err
	}
	out := &AnkiPackage{Filename: "stoa.apkg"}
	if in.Format == "colpkg" {
		out.Filename = "stoa.colpkg"
	}
	if in.Content == "notes" || in.Content == "" && row.Version == 0 {
		collection, err = a.notesAsAnki(ctx, userID)
	} else {
		out.Answered, err = a.learnedCards(ctx, userID, &collection)
	}
	if err != nil {
		return nil, err
	}
	out.Notes, out.Reviews = len(collection.Notes), len(collection.Reviews)
	format := ankifile.FormatOf(&collection)
	if in.Format == "legacy" {
		format = ankifile.Legacy
	}
	if out.staged, err = a.Blobs.Stage(); err != nil {
		return nil, err
	}
	err = ankifile.Write(ctx, out.staged, &collection, format, os.TempDir(), func(digest string) (io.ReadCloser, error) { return a.Blobs.Open(ctx, digest) })
	if err != nil {
		out.staged.Discard()
		return nil, err
	}
	out.Size, out.SHA256 = out.staged.Size(), out.staged.Digest()
	out.SectionReader = io.NewSectionReader(out.staged, 0, out.Size)
	return out, nil
}

// learnedCards puts what was learned here, and the media, into a collection that was kept.
func (a *Service) learnedCards(ctx context.Context, userID string, collection *anki.Collection) (int, error) {
	list, err := a.Store.NoteMediaOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	for _, m := range list {
		if name, ok := strings.CutPrefix(m.Name, notebook.AnkiMedia); ok {
			collection.Media = append(collection.Media, anki.Media{Name: name, Digest: m.SHA256, Size: m.SizeBytes})
		}
	}
	answers, err := a.AnswersOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return 0, err
	}
	figures := learner.AnswerFigures{Known: known}
	kept, err := a.Banks.Of(ctx, userID)
	if err != nil {
		return 0, err
	}
	learned := map[int64]anki.Learned{}
	for _, k := range anki.Names(collection) {
		id := graph.AtomID(userID, k.DocumentID+"::")
		l := anki.Learned{Answers: answers[id]}
		if t := known.Atom(id); t != nil {
			l.Stability, l.Difficulty = t.Stability, t.Difficulty
		}
		if q := kept.ByID[k.QuestionID]; q != nil {
			if (q.Parsed.State != questions.Active) != k.Suspended {
				off := q.Parsed.State != questions.Active
				l.Suspended = &off
			}
			l.Flag = &q.Flag
			l.Leech = figures.Leech(&q.Parsed, id)
		}
		learned[k.Card] = l
	}
	return anki.Learn(collection, learned), nil
}
