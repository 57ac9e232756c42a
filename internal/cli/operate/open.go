package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// opened is the application over an open store.
type opened struct {
	*app.App
	DB *store.Store
}

// Shut ends the background work and closes the database.
func (o *opened) Shut() error {
	o.Close()
	return o.DB.Close()
}

// Open opens the stores and the blobs that the settings name. learners are the options of each database of learners.
func (s *Settings) Open(ctx context.Context, log *slog.Logger, c core.Config, learners func(where string) []store.Option, options ...store.Option) (*opened, error) {
	databases, err := s.learners(learners)
	if err != nil {
		return nil, err
	}
	where, err := s.Where()
	if err != nil {
		return nil, err
	}
	blobs, err := s.openBlobs(ctx)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, where, clock.System, options...)
	if err != nil {
		return nil, err
	}
	o := &opened{app.New(db, blobs, clock.System, log, c), db}
	if s.alone {
		return o, nil
	}
	if err := o.UseLearnersDatabases(ctx, databases); err != nil {
		return nil, errors.Join(err, o.Shut())
	}
	return o, nil
}

// Bare are no options of a database of learners.
func Bare(string) []store.Option { return nil }

// guard lets a server remember a database, the main one or one of learners. Several processes may share a data folder, and one may be pointed at
// another database, so each address to listen on has a memory of its own for each of them.
func (s *Settings) guard(listen, database string) store.Option {
	name := "sqlite"
	if at, err := url.Parse(database); err == nil && isPostgres(database) {
		name = "postgres" + at.Path
	}
	if database != s.Database { // those of learners may have the same name on several servers
		name += fmt.Sprintf("-%016x", xxhash.Sum64String(database))
	}
	name = strings.NewReplacer(":", "-", "[", "", "]", "", "/", "-").Replace(listen + "-" + name)
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	return store.Guarded(filepath.Join(s.Data, "history-"+name+".json"), host+" "+listen)
}

// command opens the application for one operator's command and closes it afterwards.
func (s *Settings) command(ctx context.Context, o cli.Output, f func(a *app.App) error) error {
	return s.commandWith(ctx, o, core.Config{}, f)
}

// commandWith is command for an application that needs to know some of the server's settings.
func (s *Settings) commandWith(ctx context.Context, o cli.Output, c core.Config, f func(a *app.App) error) error {
	log := slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c.AuthRequired, c.Version = true, cli.Version
	a, err := s.Open(ctx, log, c, Bare)
	if err != nil {
		return err
	}
	err = f(a.App)
	if closing := a.Shut(); err == nil {
		err = closing
	}
	return err
}

// learnerCommand is command for what is done for one learner: with the application over the database that has them.
func (s *Settings) learnerCommand(ctx context.Context, o cli.Output, userID string, f func(ctx context.Context, a *app.App) error) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.CheckMember(ctx, userID); err != nil {
			return f(ctx, a) // says so, or finds nothing
		}
		_, err := app.Visit(ctx, a, userID, func(home *app.App, ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx, home) })
		return err
	})
}
