package operate

import (
	"context"
	"fmt"
	"io"
	"os"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/school/cards"
	"stoa/internal/cli"
	"stoa/internal/platform/clock"
)

// LearnerCmd is `stoa learner`.
type LearnerCmd struct {
	Export        learnerExportCmd        `cmd:"" help:"Write everything that is kept of a learner into one file."`
	Anki          learnerAnkiCmd          `cmd:"" help:"Write what a learner learns, with their reviews, as an Anki package."`
	ExportReviews learnerExportReviewsCmd `cmd:"" help:"Write a learner's reviews as CSV for FSRS's optimizers."`
	ImportReviews learnerImportReviewsCmd `cmd:"" help:"Import the reviews of such a CSV into a learner's record."`
	Erase         learnerEraseCmd         `cmd:"" help:"Remove everything that is kept of a learner."`
	Check         learnerCheckCmd         `cmd:"" help:"Rebuild a learner's states from the log of answers and compare."`
	Databases     learnerDatabasesCmd     `cmd:"" help:"List the databases that have learners."`
	Move          learnerMoveCmd          `cmd:"" help:"Move a learner to another database while they go on learning."`
}

type learnerExportCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
	Output string `short:"o" help:"File to write; - is standard output." default:"-"`
}

// Run exports.
func (c *learnerExportCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) (err error) {
		w := o.Out
		if c.Output != "-" {
			file, err := os.OpenFile(c.Output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return fmt.Errorf("cannot write %s; it must not be there yet", c.Output)
			}
			defer func() {
				if closing := file.Close(); err == nil {
					err = closing
				}
			}()
			w = file
		}
		rows, err := a.ExportLearner(ctx, c.UserID, w)
		if err == nil && c.Output != "-" {
			fmt.Fprintf(o.Err, "%d rows in %s\n", rows, c.Output)
		}
		return err
	})
}

type learnerAnkiCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
	Output string `short:"o" required:"" help:"File to write, such as cards.apkg or cards.colpkg."`
	Notes  bool   `help:"What is learned of notes, rather than the cards that came from Anki."`
	Legacy bool   `help:"In the older schema, for Anki before 2.1.50 and other programs."`
}

// Run writes the package.
func (c *learnerAnkiCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.learnerCommand(ctx, o, c.UserID, func(ctx context.Context, a *app.App) (err error) {
		in := cards.AnkiExportInput{UserID: c.UserID}
		if c.Notes {
			in.Content = "notes"
		}
		if c.Legacy {
			in.Format = "legacy"
		}
		p, err := a.AnkiPackage(ctx, c.UserID, in)
		if err != nil {
			return err
		}
		defer func() { _ = p.Close() }()
		file, err := os.OpenFile(c.Output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("cannot write %s; it must not be there yet", c.Output)
		}
		defer func() {
			if closing := file.Close(); err == nil {
				err = closing
			}
		}()
		if _, err := io.Copy(file, p); err != nil {
			return err
		}
		return o.Print(map[string]any{"notes": p.Notes, "reviews": p.Reviews, "learned_here": p.Answered}, func(w io.Writer) {
			fmt.Fprintf(w, "%d notes and %d reviews in %s; %d cards were learned here\n", p.Notes, p.Reviews, c.Output, p.Answered)
		})
	})
}

type learnerExportReviewsCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
	Output string `short:"o" required:"" help:"File to write, such as revlog.csv; it must not be there yet."`
}

// Run writes the reviews.
func (c *learnerExportReviewsCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.learnerCommand(ctx, o, c.UserID, func(ctx context.Context, a *app.App) (err error) {
		file, err := os.OpenFile(c.Output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("cannot write %s; it must not be there yet", c.Output)
		}
		defer func() {
			if closing := file.Close(); err == nil {
				err = closing
			}
		}()
		n, err := a.WriteReviewLog(ctx, c.UserID, file)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"reviews": n}, func(w io.Writer) { fmt.Fprintf(w, "%d reviews in %s\n", n, c.Output) })
	})
}

type learnerImportReviewsCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
	File   string `arg:"" help:"A CSV with card_id, review_time and review_rating." type:"existingfile"`
}

// Run takes the reviews over.
func (c *learnerImportReviewsCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.learnerCommand(ctx, o, c.UserID, func(ctx context.Context, a *app.App) error {
		if err := a.CheckMember(ctx, c.UserID); err != nil {
			return err
		}
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer file.Close()
		out, err := a.TakeReviewLog(ctx, core.Caller{UserID: "operator"}, c.UserID, file)
		if err != nil {
			return err
		}
		return o.Print(out, func(w io.Writer) {
			fmt.Fprintf(w, "%d of %d reviews imported; %d were known or older, %d are of cards that %s does not have\n", out.Taken, out.Reviews, out.Older, out.Unknown, c.UserID)
		})
	})
}

type learnerEraseCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
	Yes    bool   `help:"Do it without asking."`
}

// Run erases.
func (c *learnerEraseCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	if !c.Yes {
		return fmt.Errorf("this removes the notes, answers and sessions of %s for good; say --yes to do it", c.UserID)
	}
	return s.command(ctx, o, func(a *app.App) error {
		rows, err := a.EraseLearner(ctx, core.Caller{UserID: "operator"}, c.UserID)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"user_id": c.UserID, "rows": rows, "erased_at": clock.Text(clock.System())}, func(w io.Writer) {
			fmt.Fprintf(w, "Erased %d rows of %s.\n", rows, c.UserID)
		})
	})
}

type learnerCheckCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
}

// Run checks.
func (c *learnerCheckCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.learnerCommand(ctx, o, c.UserID, func(ctx context.Context, a *app.App) error {
		difference, n, err := a.CheckLearner(ctx, c.UserID)
		if err != nil {
			return err
		}
		if difference != "" {
			return fmt.Errorf("what is kept of %s does not follow from their %d answers: %s", c.UserID, n, difference)
		}
		return o.Print(map[string]any{"user_id": c.UserID, "observations": n, "same": true}, func(w io.Writer) {
			fmt.Fprintf(w, "What is kept of %s follows from their %d answers, byte for byte.\n", c.UserID, n)
		})
	})
}
