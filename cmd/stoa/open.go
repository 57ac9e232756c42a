package main

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// opened is the application over an open store.
type opened struct {
	*app.App
	store *store.Store
}

func (o *opened) close() error {
	o.Close()
	return o.store.Close()
}

// open opens the store and the blobs that the settings name.
func (s *Settings) open(ctx context.Context, log *slog.Logger, c core.Config, options ...store.Option) (*opened, error) {
	where, err := s.where()
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
	return &opened{app.New(db, blobs, clock.System, log, c), db}, nil
}

// guard lets a server remember its database. Several processes may share a data folder, and one may be pointed at another
// database, so each address to listen on has a memory of its own for each of them.
func (s *Settings) guard(listen string) store.Option {
	database := "sqlite"
	if at, err := url.Parse(s.Database); err == nil && s.Database != "" {
		database = "postgres" + at.Path
	}
	name := strings.NewReplacer(":", "-", "[", "", "]", "", "/", "-").Replace(listen + "-" + database)
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	return store.Guarded(filepath.Join(s.Data, "history-"+name+".json"), host+" "+listen)
}

// command opens the application for one operator's command and closes it afterwards.
func (s *Settings) command(ctx context.Context, o output, f func(a *app.App) error) error {
	return s.commandWith(ctx, o, core.Config{}, f)
}

// commandWith is command for an application that needs to know some of the server's settings.
func (s *Settings) commandWith(ctx context.Context, o output, c core.Config, f func(a *app.App) error) error {
	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c.AuthRequired, c.Version = true, version
	a, err := s.open(ctx, log, c)
	if err != nil {
		return err
	}
	err = f(a.App)
	if closing := a.close(); err == nil {
		err = closing
	}
	return err
}
