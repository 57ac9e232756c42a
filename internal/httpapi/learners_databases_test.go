package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/platform/store"
)

// moveSteps are the steps of a move at each of which a mover may die.
var moveSteps = []string{"prepare", "copy", "pause", "copy again", "arrive", "switch", "leave", "end", "none"}

// homes tells which databases have rows of a learner, and what the route says.
func homes(t *testing.T, s *apitest.Server, userID string) (with []int, route int64) {
	t.Helper()
	for number, a := range s.App.Learners() {
		learned, err := a.Store.HasLearned(t.Context(), userID)
		if err != nil {
			t.Fatal(err)
		}
		if learned {
			with = append(with, number)
		}
	}
	r, _, err := s.Store.LearnerRoute(t.Context(), userID)
	if err != nil {
		t.Fatal(err)
	}
	return with, r.Place
}

// learned are the rows that a learner has in any database.
func learned(t *testing.T, s *apitest.Server, userID string) string {
	t.Helper()
	var tables []string
	for _, table := range store.LearnerTables() {
		tables = append(tables, table.Name+" WHERE "+table.Owner+" = '"+userID+"'")
	}
	return s.Rows(t, tables...)
}

// learning writes for a learner until told to stop: notes and answers, each with a key and repeated until it is acknowledged.
type learning struct {
	notes, answers atomic.Int64
	waited         atomic.Int64 // answers 503
}

func (l *learning) go1(t *testing.T, c *apitest.Client, writer int, stop <-chan struct{}) {
	for k := 0; ; k++ {
		select {
		case <-stop:
			return
		default:
		}
		path, body, count := ingestPath, m{"documents": []m{note(fmt.Sprintf("w%d-%d", writer, k), fmt.Sprintf("# Word%dx%d\n\nWord%dx%d is a thing of its own that a writer wants to keep in mind.\n", writer, k, writer, k))}}, &l.notes
		if k%2 == 1 {
			path, body, count = "/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": apitest.Atom("", "limits"), "outcome": "correct"}}}, &l.answers
		}
		keyed := c.With("Idempotency-Key", fmt.Sprintf("w%d-%d", writer, k))
		for {
			r := keyed.Post(path, body)
			if r.Status == http.StatusOK {
				count.Add(1)
				break
			}
			if r.Status != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %s", path, r.Status, r.Body)
				return
			}
			l.waited.Add(1)
		}
	}
}

// A learner is moved to and fro between three databases while four writers go on for them, and movers die at every step. What was acknowledged is there
// once, nothing is anywhere else afterwards, and nobody else is touched.
func TestMovingLearners(t *testing.T) {
	apitest.Each(t, apitest.Options{LearnersDatabases: 2}, func(t *testing.T, s *apitest.Server) {
		ctx, r := t.Context(), rand.New(rand.NewPCG(7, 1))
		bob := s.As(t, "bob")
		ingestNotes(t, bob, map[string]string{"bob.md": "# Bobword\n\nBobword is the only thing that Bob wants to keep.\n"})
		bobs := learned(t, s, "bob")
		ada := s.As(t, "ada")
		var l learning
		stop := make(chan struct{})
		var writers sync.WaitGroup
		for i := range 4 {
			writers.Go(func() { l.go1(t, ada, i, stop) })
		}
		for l.notes.Load() == 0 {
			time.Sleep(time.Millisecond) // the first write gives the learner a place
		}
		died := map[string]int{}
		errKilled := errors.New("killed")
		move := func(to int64, last string) {
			_, err := s.App.MoveLearner(ctx, "ada", to, func(step string) error {
				if step == last {
					return errKilled
				}
				return nil
			})
			if errors.Is(err, errKilled) {
				died[last]++
			} else if err != nil && !errors.Is(err, store.ErrTakenOver) {
				t.Errorf("to %d until %s: %v", to, last, err)
			}
		}
		for round := range 54 {
			move(int64(r.IntN(3)), moveSteps[round%len(moveSteps)])
		}
		var movers sync.WaitGroup // at once: each takes over from the other
		for to := range int64(3) {
			movers.Go(func() {
				if _, err := s.App.MoveLearner(ctx, "ada", to, nil); err != nil && !errors.Is(err, store.ErrTakenOver) {
					t.Errorf("at once to %d: %v", to, err)
				}
			})
		}
		movers.Wait()
		_, at := homes(t, s, "ada")
		move((at+1)%3, "none")
		close(stop)
		writers.Wait()

		home := s.Home(t, "ada")
		if difference, n, err := home.CheckLearner(ctx, "ada"); err != nil || difference != "" || int64(n) != l.answers.Load() {
			t.Errorf("%d answers were acknowledged and %d are there: %s %v", l.answers.Load(), n, difference, err)
		}
		documents := map[string]int{}
		for cursor := ""; ; {
			page := ada.Get("/api/knowledge/documents", "limit", "100", "cursor", cursor).OK(t)
			for _, path := range page.All("data.documents", "sourcePath") {
				documents[path]++
			}
			if cursor = page.Str("data.next_cursor"); cursor == "" {
				break
			}
		}
		mine := int64(0)
		for path, n := range documents {
			if !strings.HasPrefix(path, "w") {
				continue
			}
			if mine++; n != 1 {
				t.Errorf("%s is there %d times", path, n)
			}
		}
		if mine != l.notes.Load() {
			t.Errorf("%d notes were acknowledged and %d are there", l.notes.Load(), mine)
		}
		s.Clock.Advance(time.Hour)
		if err := s.App.SettleMoves(ctx); err != nil {
			t.Error(err)
		}
		if with, at := homes(t, s, "ada"); len(with) != 1 || int64(with[0]) != at {
			t.Errorf("rows are in %v, and the route is %d", with, at)
		}
		if got := learned(t, s, "bob"); got != bobs {
			t.Errorf("Bob's rows have changed:\n%s\n%s", bobs, got)
		}
		if l.notes.Load() < 10 || len(died) < 6 {
			t.Errorf("%d notes, movers died at %v: too little has happened", l.notes.Load(), died)
		}
		t.Logf("%d notes and %d answers acknowledged, %d times 503; movers died at %v", l.notes.Load(), l.answers.Load(), l.waited.Load(), died)
	})
}

// What the settings must not say is refused with a word that helps, and nothing changes.
func TestLearnersDatabasesMustFit(t *testing.T) {
	apitest.Each(t, apitest.Options{LearnersDatabases: 2}, func(t *testing.T, s *apitest.Server) {
		other := apitest.Start(t, s.Engine, apitest.Options{LearnersDatabases: 1})
		all, others := s.LearnersDatabases(), other.LearnersDatabases()
		main := app.LearnersDatabase{
			Open: func(ctx context.Context) (*store.Store, error) {
				return store.Open(ctx, s.Database, s.Clock.Now, store.OfLearners())
			},
			Blobs: all[0].Blobs,
		}
		for want, list := range map[string][]app.LearnersDatabase{
			"database [1 2]":  {},
			"database [2]":    all[:1],
			"named twice":     {all[0], all[1], all[0]},
			"another Stoa":    {all[0], all[1], others[0]},
			"a main database": {all[0], all[1], main},
			"":                {all[1], all[0]},
		} {
			a := app.New(s.Store, s.Blobs, s.Clock.Now, s.App.Log, core.Config{})
			err := a.UseLearnersDatabases(t.Context(), list)
			a.Close()
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", want, err)
			}
		}
	})
}

// After a restore of backups of different nights the main database does not know where a learner is. Nothing is removed, and a move to where they are
// puts it right.
func TestALearnerIsFoundAgain(t *testing.T) {
	apitest.Each(t, apitest.Options{LearnersDatabases: 2}, func(t *testing.T, s *apitest.Server) {
		ctx := t.Context()
		ada := s.As(t, "ada")
		move := func(to int64) error {
			_, err := s.App.MoveLearner(ctx, "ada", to, nil)
			return err
		}
		if err := move(1); err != nil {
			t.Fatal(err)
		}
		old, _, err := s.Store.LearnerRoute(ctx, "ada")
		if err != nil {
			t.Fatal(err)
		}
		if err := move(2); err != nil {
			t.Fatal(err)
		}
		notes := string(ada.Get("/api/knowledge/documents").OK(t).Body)
		if err := s.Store.Write(ctx, func(tx *store.Tx) error { return tx.PutLearnerRoute(old, 2) }); err != nil { // the main database of the night before
			t.Fatal(err)
		}
		ada.Post(ingestPath, m{"documents": []m{note("lost", "# Lost\n\nA lost thing is one that nobody finds.\n")}}).Want(t, 503, "service_unavailable")
		if err := move(0); err == nil || !strings.Contains(err.Error(), "older backup") {
			t.Errorf("to where they are not: %v", err)
		}
		s.Clock.Advance(time.Hour)
		if err := s.App.SettleMoves(ctx); err != nil {
			t.Error(err)
		}
		if err := move(2); err != nil {
			t.Fatal(err)
		}
		if got := string(ada.Get("/api/knowledge/documents").OK(t).Body); got != notes {
			t.Errorf("notes have changed:\n%s\n%s", notes, got)
		}
		if with, at := homes(t, s, "ada"); len(with) != 1 || with[0] != 2 || at != 2 {
			t.Errorf("in %v, the route is %d", with, at)
		}
		ada.Post(ingestPath, m{"documents": []m{note("found", "# Found\n\nA found thing is one that was lost.\n")}}).OK(t)
		if err := move(0); err != nil { // and on
			t.Error(err)
		}
	})
}

// One of them on its own can be looked at, and not served: there is nobody to sign in.
func TestALearnersDatabaseIsNoMainOne(t *testing.T) {
	apitest.Each(t, apitest.Options{LearnersDatabases: 1}, func(t *testing.T, s *apitest.Server) {
		db, err := s.LearnersDatabases()[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		a := app.New(db, s.Blobs, s.Clock.Now, s.App.Log, core.Config{})
		defer a.Close()
		if err := a.UseLearnersDatabases(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if err := a.RequireMain(); err == nil || !strings.Contains(err.Error(), "learners' database 1") {
			t.Error(err)
		}
		if v, err := a.Verify(t.Context(), app.VerifyOptions{}); err != nil || !v.OK {
			t.Errorf("%+v %v", v, err)
		}
		if err := s.App.RequireMain(); err != nil {
			t.Error(err)
		}
	})
}

// Nodes that start at once with new databases, in different orders, agree on the numbers.
func TestLearnersDatabasesAreNumberedOnce(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		list := append(s.LearnersDatabases(), s.NewLearnersDatabases(t, 3)...)
		for _, d := range list { // a new file is brought up to date by one process
			db, err := d.Open(t.Context())
			if err == nil {
				err = db.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var nodes sync.WaitGroup
		for i := range 4 {
			nodes.Go(func() {
				db, err := store.Open(t.Context(), s.Database, s.Clock.Now)
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				a := app.New(db, s.Blobs, s.Clock.Now, s.App.Log, core.Config{})
				defer a.Close()
				own := slices.Clone(list)
				rand.New(rand.NewPCG(uint64(i), 5)).Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
				if err := a.UseLearnersDatabases(t.Context(), own); err != nil {
					t.Errorf("node %d: %v", i, err)
				}
			})
		}
		nodes.Wait()
		rows, err := s.Store.LearnersDatabases(t.Context())
		if err != nil || len(rows) != 1+len(list) {
			t.Errorf("%+v %v", rows, err)
		}
	})
}

// A database that cannot be reached when a server starts is used once it can. Its learners wait, all others go on, and health says so.
func TestALearnersDatabaseIsAway(t *testing.T) {
	apitest.Each(t, apitest.Options{LearnersDatabases: 2}, func(t *testing.T, s *apitest.Server) {
		for to, name := range map[int64]string{1: "ada", 2: "bob"} {
			ingestNotes(t, s.As(t, name), map[string]string{"n.md": "# Word\n\nWord is a thing of its own that one wants to keep in mind.\n"})
			if _, err := s.App.MoveLearner(t.Context(), name, to, nil); err != nil {
				t.Fatal(err)
			}
		}
		notes := func(name string) *apitest.Reply { return s.As(t, name).Get("/api/knowledge/documents") }
		health := func() *apitest.Reply { return s.Nobody(t).Get("/api/health") }
		var back atomic.Bool
		s.RestartWith(t, func(o *apitest.Options) { o.LearnersAway = func() bool { return !back.Load() } })
		notes("ada").Want(t, http.StatusServiceUnavailable, "service_unavailable")
		notes("bob").OK(t)
		if r := health(); r.Status != http.StatusServiceUnavailable || r.At("data.checks.learners.ok") != false {
			t.Errorf("health: %d %s", r.Status, r.Body)
		}
		back.Store(true)
		if err := s.App.OpenAway(t.Context()); err != nil {
			t.Fatal(err)
		}
		notes("ada").OK(t)
		s.Restart(t) // what health says is kept for a second of the machine's clock
		if r := health(); r.Status != http.StatusOK || r.At("data.checks.learners.ok") != true {
			t.Errorf("health: %d %s", r.Status, r.Body)
		}
	})
}
