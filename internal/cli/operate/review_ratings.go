package operate

import (
	"context"
	"fmt"
	"io"

	"stoa/internal/app"
	"stoa/internal/cli"
)

type reviewRatingsCmd struct{}

// Run lists reported ratings.
func (c *reviewRatingsCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		all, err := a.ReportedRatings(ctx)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"ratings": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "No rating is reported.")
			}
			for _, r := range all {
				fmt.Fprintf(w, "%s  %s gave %s %d of 5 stars\n", r.RatingID, cli.Printable(r.UserID), cli.Printable(r.ItemID), r.Stars)
				if r.Text != "" {
					fmt.Fprintf(w, "  %s\n", cli.Printable(r.Text))
				}
				fmt.Fprintf(w, "  reported by %s at %s (%d in all): %s\n", cli.Printable(r.ReportedBy), r.ReportedAt, r.Reports, cli.Printable(r.Reason))
			}
		})
	})
}

type reviewHideCmd struct {
	RatingID string `arg:"" name:"rating" help:"The rating's id."`
	Note     string `required:"" help:"Why; who wrote it reads that."`
}

// Run hides.
func (c *reviewHideCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return decideRating(ctx, s, o, c.RatingID, c.Note, true)
}

type reviewKeepRatingCmd struct {
	RatingID string `arg:"" name:"rating" help:"The rating's id."`
}

// Run keeps.
func (c *reviewKeepRatingCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return decideRating(ctx, s, o, c.RatingID, "", false)
}

func decideRating(ctx context.Context, s *Settings, o cli.Output, id, note string, hide bool) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.DecideRating(ctx, id, hide, note); err != nil {
			return err
		}
		return o.Print(map[string]any{"rating_id": id, "hidden": hide}, func(w io.Writer) {
			if hide {
				fmt.Fprintln(w, "Hidden.")
			} else {
				fmt.Fprintln(w, "It is shown.")
			}
		})
	})
}
