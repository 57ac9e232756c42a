package operate

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/cli/member"
	"stoa/internal/market/apply"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/folder"
	"stoa/internal/platform/store"
)

// VerifyCmd is `stoa verify`.
type VerifyCmd struct {
	AuditHead []string `help:"An end of the audit log as a backup or an earlier verify showed it; the log must still have it." placeholder:"SEQ:HASH"`
	Backup    string   `help:"Verify this backup instead of the store." placeholder:"FILE"`
	Installed string   `help:"Verify a folder that you installed into instead: its files, and what the catalog says of its items now." placeholder:"DIR"`
	member.ServerFlags
	Identity string `short:"i" help:"File with your key, when the backup is encrypted." placeholder:"FILE"`
}

var headPattern = regexp.MustCompile(`^([0-9]{1,18}):([0-9a-f]{64})$`)

// Run reads everything and changes nothing; the exit code is 3 when something is wrong.
func (c *VerifyCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	if c.Installed != "" {
		return c.checkInstalled(ctx, o)
	}
	if c.Backup != "" {
		return c.checkBackup(ctx, o)
	}
	var options app.VerifyOptions
	for _, text := range c.AuditHead {
		m := headPattern.FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf("%s is no end of an audit log: that is a number, a colon and 64 digits and letters", cli.Printable(text))
		}
		seq, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return err
		}
		options.Known = append(options.Known, store.AuditHead{Seq: seq, Hash: m[2]})
	}
	db, blobs, schema, err := s.openAsIs(ctx)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	if schema.Current < schema.Newest {
		return fmt.Errorf("the store is at schema %d and this stoa would bring it to %d; verify it with the one that made it, or when this one has served it", schema.Current, schema.Newest)
	}
	log := slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	a := app.New(db, blobs, clock.System, log, core.Config{AuthRequired: true, Version: cli.Version})
	defer a.Close()
	progress, done := progressBars(o)
	options.Progress = progress
	v, err := a.Verify(ctx, options)
	done()
	if err != nil {
		return err
	}
	if err := o.Print(v, func(w io.Writer) {
		showFindings(w, v.Findings)
		fmt.Fprintf(w, "audit head %d:%s\n", v.Head.Seq, v.Head.Hash)
	}); err != nil {
		return err
	}
	if !v.OK {
		return cli.ErrFound
	}
	return nil
}

// checkInstalled holds a member's folder against what was installed, and each item against the catalog it came from.
func (c *VerifyCmd) checkInstalled(ctx context.Context, o cli.Output) error {
	target, err := folder.Open(c.Installed)
	if err != nil {
		return err
	}
	defer target.Close()
	items, err := target.Installed()
	if err != nil {
		return err
	}
	type verified struct {
		member.Upkeep
		Changed []string `json:"files_changed"`
	}
	all, bad := []verified{}, false
	for _, i := range items {
		from := member.ServerFlags{Server: i.Server}
		if c.Server == i.Server {
			from.Token = c.Token // a token goes to its own server alone
		}
		server, err := from.Connect(o)
		if err != nil {
			return err
		}
		u, err := member.Look(ctx, server, apply.Installed{ID: i.ID, Kind: i.Kind, Version: i.Version, SHA256: i.SHA256, Risk: i.Risk}, apply.Hold{}, member.Noticed(ctx, server))
		if err != nil {
			return err
		}
		v := verified{u, i.Changed}
		bad = bad || u.Bad() || len(v.Changed) > 0
		all = append(all, v)
	}
	err = o.Print(all, func(w io.Writer) {
		for _, v := range all {
			fmt.Fprintf(w, "%s %s  %s\n", cli.Printable(v.Item), cli.Printable(v.Version), cli.Printable(v.Sentence(
				"`stoa install --remove "+v.Item+" "+c.Installed+"` takes it out", "`stoa install "+v.Item+" "+c.Installed+"` brings version "+v.Latest)))
			for _, name := range v.Changed {
				fmt.Fprintf(w, "  changed  %s\n", cli.Printable(name))
			}
		}
		if len(all) == 0 {
			fmt.Fprintf(w, "Nothing that Stoa installed is in %s.\n", cli.Printable(c.Installed))
		}
	})
	if err == nil && bad {
		return cli.ErrFound
	}
	return err
}

func (c *VerifyCmd) checkBackup(ctx context.Context, o cli.Output) error {
	keys, err := readKeys(c.Identity)
	if err != nil {
		return err
	}
	progress, done := progressBars(o)
	r, err := backup.CheckFile(ctx, c.Backup, keys, progress)
	done()
	if err != nil {
		return err
	}
	return o.Print(map[string]any{"ok": true, "file": c.Backup, "backup": r}, func(w io.Writer) { showBackup(w, c.Backup+" is whole", r) })
}
