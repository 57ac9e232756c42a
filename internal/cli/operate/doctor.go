package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/platform/store"
)

// DoctorCmd is `stoa doctor`.
type DoctorCmd struct {
	Repair bool `help:"Repair what can be repaired."`
	HA     bool `name:"ha" help:"Look at the servers of the database instead: what would be lost with the primary?"`
	AnonymousSettings
}

// Run examines the store; it fails when something is wrong and stays wrong.
func (c *DoctorCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	where, err := s.Where()
	if err != nil {
		return err
	}
	if _, err := os.Stat(where); s.Database == "" && err != nil { // opening it would make one
		return fmt.Errorf("there is no store in %s: name its folder with --data, or its database with --database", s.Data)
	}
	if c.HA {
		return c.lookAtServers(ctx, s, where, o)
	}
	return s.commandWith(ctx, o, c.config(), func(a *app.App) error {
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
		disk, err := a.DiskUse(ctx)
		if err != nil {
			return err
		}
		if err := o.Print(map[string]any{"ok": bad == 0, "findings": findings, "disk": disk}, func(w io.Writer) {
			showFindings(w, findings)
			showDisk(w, disk)
		}); err != nil {
			return err
		}
		if bad > 0 {
			return errors.New("something is wrong; see above")
		}
		return nil
	})
}

// showDisk lists what takes at least a tenth of a MiB.
func showDisk(w io.Writer, disk []store.DiskUse) {
	fmt.Fprintln(w, "\nWhat fills the disk:")
	for _, use := range disk {
		if use.Bytes >= 100<<10 {
			fmt.Fprintf(w, "%10.1f MiB  %s\n", float64(use.Bytes)/(1<<20), use.Area)
		}
	}
}

func showFindings(w io.Writer, findings []core.Finding) {
	for _, f := range findings {
		mark := "ok  "
		if !f.OK {
			mark = "BAD "
		}
		fmt.Fprintf(w, "%s %-13s %s\n", mark, f.Check, cli.Printable(f.Detail))
		if f.Fix != "" {
			fmt.Fprintf(w, "     %-13s → %s\n", "", f.Fix)
		}
	}
}

// lookAtServers tells what would be lost with the primary, and what was.
func (c *DoctorCmd) lookAtServers(ctx context.Context, s *Settings, where string, o cli.Output) error {
	servers, err := store.CheckHA(ctx, where, s.Replicas...)
	if err != nil {
		return err
	}
	err = s.command(ctx, o, func(a *app.App) error {
		losses, err := a.Store.Losses(ctx)
		for _, l := range losses {
			servers = append(servers, store.HAFinding{
				OK: l.Accepted != "", Check: "history", Detail: "node " + l.Node + " found: " + l.Detail,
				Fix: "Nothing is written until you run stoa accept-loss.",
			})
		}
		return err
	})
	if err != nil {
		servers = append(servers, store.HAFinding{Check: "history", Detail: "cannot be read: " + err.Error()})
	}
	bad := 0
	findings := make([]core.Finding, len(servers))
	for i, f := range servers {
		if f.OK && f.Check == "history" {
			f.Fix = ""
		}
		findings[i] = core.Finding{Check: f.Check, OK: f.OK, Detail: f.Detail, Fix: f.Fix}
		if !f.OK {
			bad++
		}
	}
	if err := o.Print(map[string]any{"ok": bad == 0, "findings": findings}, func(w io.Writer) { showFindings(w, findings) }); err != nil {
		return err
	}
	if bad > 0 {
		return errors.New("something is wrong; see above")
	}
	return nil
}
