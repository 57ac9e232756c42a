package apitest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"stoa/internal/app"
	"stoa/internal/dbtest"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// learnersDatabases is how many databases of learners every server of a test run has beside its main one.
func learnersDatabases() int {
	n, _ := strconv.Atoi(os.Getenv("STOA_TEST_LEARNERS_DATABASES"))
	return n
}

// learners makes an empty database for learners and gives its address.
func (e Engine) learners(t testing.TB, dir string, i int) string {
	if e.admin != "" {
		return dbtest.Fresh(t, e.admin, dbtest.Empty)
	}
	return filepath.Join(dir, fmt.Sprintf("learners-%d.db", i))
}

// LearnersDatabases are the databases of learners as the application is given them.
func (s *Server) LearnersDatabases() (all []app.LearnersDatabase) {
	for _, where := range s.learners {
		all = append(all, s.learnersDatabase(where))
	}
	if away := s.options.LearnersAway; away != nil {
		open := all[0].Open
		all[0].Open = func(ctx context.Context) (*store.Store, error) {
			if away() {
				return nil, &sqldb.Unreachable{}
			}
			return open(ctx)
		}
	}
	return all
}

// NewLearnersDatabases makes empty databases that the server does not use.
func (s *Server) NewLearnersDatabases(t testing.TB, n int) (all []app.LearnersDatabase) {
	t.Helper()
	for i := range n {
		all = append(all, s.learnersDatabase(s.Engine.learners(t, s.Data, 100+i)))
	}
	return all
}

func (s *Server) learnersDatabase(where string) app.LearnersDatabase {
	return app.LearnersDatabase{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, where, s.Clock.Now, store.OfLearners())
		},
		Blobs: func(_ context.Context, number int64) (blob.Store, error) {
			return blob.OpenFolder(filepath.Join(s.Data, fmt.Sprintf("learners-%d", number)))
		},
	}
}

// stores are the main store and those of learners.
func (s *Server) stores() (all []*store.Store) {
	for _, a := range s.App.Learners() {
		all = append(all, a.Store)
	}
	return all
}

// Home is the application over the database that has a learner.
func (s *Server) Home(t testing.TB, userID string) *app.App {
	t.Helper()
	home, err := app.Visit(context.Background(), s.App, userID, func(home *app.App, _ context.Context) (*app.App, error) { return home, nil })
	if err != nil {
		t.Fatal(err)
	}
	return home
}
