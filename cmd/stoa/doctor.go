package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"stoa/internal/app"
)

type doctorCmd struct {
	Repair bool `help:"Mend what can be mended."`
}

// Run examines the store; it fails when something is wrong and stays wrong.
func (c *doctorCmd) Run(ctx context.Context, s *Settings, o output) error {
	return s.command(ctx, o, func(a *app.App) error {
		findings, err := a.Examine(ctx, c.Repair)
		if err != nil {
			return err
		}
		bad := 0
		for _, f := range findings {
			if !f.OK {
				bad++
			}
		}
		if err := o.print(map[string]any{"ok": bad == 0, "findings": findings}, func(w io.Writer) { showFindings(w, findings) }); err != nil {
			return err
		}
		if bad > 0 {
			return errors.New("something is wrong; see above")
		}
		return nil
	})
}

func showFindings(w io.Writer, findings []app.Finding) {
	for _, f := range findings {
		mark := "ok  "
		if !f.OK {
			mark = "BAD "
		}
		fmt.Fprintf(w, "%s %-13s %s\n", mark, f.Check, f.Detail)
		if f.Mend != "" {
			fmt.Fprintf(w, "     %-13s → %s\n", "", f.Mend)
		}
	}
}
