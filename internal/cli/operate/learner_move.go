package operate

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/internal/app"
	"stoa/internal/cli"
)

type learnerDatabasesCmd struct {
	UserID string `arg:"" optional:"" name:"user" help:"A learner's member id: say where they are instead."`
}

// Run lists the databases, or says where a learner is.
func (c *learnerDatabasesCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if c.UserID != "" {
			where, err := a.LearnersPlaceOf(ctx, c.UserID)
			if err != nil {
				return err
			}
			return o.Print(where, func(w io.Writer) {
				fmt.Fprintf(w, "%s is in database %d.\n", c.UserID, where.Number)
				if where.MovingTo != nil {
					fmt.Fprintf(w, "A move to %d has begun.\n", *where.MovingTo)
				}
			})
		}
		list, err := a.LearnersPlaces(ctx)
		if err != nil {
			return err
		}
		return o.Print(list, func(w io.Writer) {
			if len(list) == 0 {
				fmt.Fprintln(w, "Learners are in the main database. --learners-database names others.")
				return
			}
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "DATABASE\tLEARNERS\tSTATE")
			for _, p := range list {
				state := "works"
				if !p.Open {
					state = p.Problem
				}
				fmt.Fprintf(t, "%d\t%d\t%s\n", p.Number, p.Learners, state)
			}
			t.Flush()
		})
	})
}

type learnerMoveCmd struct {
	UserID string `arg:"" name:"user" help:"The learner's member id."`
	To     int64  `required:"" help:"The number of the database, as stoa learner databases lists it; 0 is the main one." placeholder:"NUMBER"`
}

// Run moves.
func (c *learnerMoveCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		moved, err := a.MoveLearner(ctx, c.UserID, c.To, nil)
		if err != nil {
			return err
		}
		return o.Print(moved, func(w io.Writer) {
			if moved.From == moved.To {
				fmt.Fprintf(w, "%s is in database %d already.\n", c.UserID, c.To)
				return
			}
			fmt.Fprintf(w, "Moved %s from database %d to %d: %d rows, %d of them again; changes waited %d ms.\n", c.UserID, moved.From, moved.To, moved.Rows, moved.Again, moved.PausedMS)
		})
	})
}
