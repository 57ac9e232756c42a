package cards

import (
	"context"
	"io"
	"strconv"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/reviewlog"
	"stoa/internal/platform/errs"
)

// cardNames gives what a review log calls each atom of a learner's: Anki's number of a card, else the atom's id.
func (a *Service) cardNames(ctx context.Context, userID string) (map[string]string, error) {
	_, collection, err := a.ankiKept(ctx, userID)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, card := range anki.Names(&collection) {
		names[graph.AtomID(userID, card.DocumentID+"::")] = strconv.FormatInt(card.Card, 10)
	}
	return names, nil
}

// ExportReviews gives the caller's answers as a file for FSRS's optimizers.
func (a *Service) ExportReviews(ctx context.Context, c core.Caller, in core.OwnInput) (*AnkiPackage, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return nil, err
	}
	out := &AnkiPackage{Filename: "revlog.csv"}
	if out.staged, err = a.Blobs.Stage(); err != nil {
		return nil, err
	}
	if out.Reviews, err = a.WriteReviewLog(ctx, userID, out.staged); err != nil {
		out.staged.Discard()
		return nil, err
	}
	out.Size, out.SHA256 = out.staged.Size(), out.staged.Digest()
	out.SectionReader = io.NewSectionReader(out.staged, 0, out.Size)
	return out, nil
}

// ImportReviews takes over such a file that the caller has sent.
func (a *Service) ImportReviews(ctx context.Context, c core.Caller, in core.OwnInput, f *notebook.File) (ReviewLogTaken, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ReviewLogTaken{}, err
	}
	return a.TakeReviewLog(ctx, c.As(userID), userID, io.NewSectionReader(f.Staged, 0, f.Staged.Size()))
}

// WriteReviewLog writes every answer of a learner for FSRS's optimizers, and returns how many. Only an operator's command may
// call it without a caller.
func (a *Service) WriteReviewLog(ctx context.Context, userID string, w io.Writer) (int, error) {
	names, err := a.cardNames(ctx, userID)
	if err != nil {
		return 0, err
	}
	answers, err := a.AnswersOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	var list []reviewlog.Review
	for atom, all := range answers {
		name, ok := names[atom]
		if !ok {
			name = atom
		}
		for _, o := range all {
			list = append(list, reviewlog.Review{Card: name, At: o.At(), Grade: o.Grade(), Took: o.Took()})
		}
	}
	return len(list), reviewlog.Write(w, list)
}

// ReviewLogTaken counts what became of a review log.
type ReviewLogTaken struct {
	Reviews int `json:"reviews"`
	Taken   int `json:"taken"`
	Older   int `json:"older"`   // not newer than the learner's latest answer to the same card
	Unknown int `json:"unknown"` // of cards that the learner does not have
}

// TakeReviewLog takes the reviews of a log over that are newer than what is known of each card. The same log again changes
// nothing. Only an operator's command may call it without a caller.
func (a *Service) TakeReviewLog(ctx context.Context, c core.Caller, userID string, r io.Reader) (ReviewLogTaken, error) {
	list, err := reviewlog.Read(r)
	if err != nil {
		return ReviewLogTaken{}, errs.Invalid("file", err.Error())
	}
	names, err := a.cardNames(ctx, userID)
	if err != nil {
		return ReviewLogTaken{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return ReviewLogTaken{}, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return ReviewLogTaken{}, err
	}
	atoms := map[string]string{}
	for atom, name := range names {
		atoms[name] = atom
	}
	latest, now := known.Latest(), a.Clock()
	out := ReviewLogTaken{Reviews: len(list)}
	var newer []mastery.Observation
	for _, one := range list {
		atom, ok := atoms[one.Card]
		if !ok {
			atom = one.Card
		}
		switch {
		case g.Atom(atom) == nil:
			out.Unknown++
		case !one.At.After(latest[atom].Truncate(time.Millisecond)) || one.At.After(now):
			out.Older++
		default:
			newer = append(newer, mastery.Observation{AtomID: atom, Outcome: learner.OutcomeOfGrade(one.Grade), Grade: fsrs.Grade(one.Grade), At: one.At, ResponseTime: one.Took})
		}
	}
	const atOnce = 2000 // a transaction must stay short
	for len(newer) > 0 {
		n := min(len(newer), atOnce)
		if err := a.ObserveAll(ctx, c, userID, g, newer[:n]); err != nil {
			return out, err
		}
		newer, out.Taken = newer[n:], out.Taken+n
	}
	return out, nil
}
