package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// LearnersDatabase opens one of the databases that have learners beside the main one. The store is opened with store.OfLearners.
type LearnersDatabase struct {
	Open func(ctx context.Context) (*store.Store, error)
	// Blobs opens the place for the pictures, sounds and packages of the database with a number.
	Blobs func(ctx context.Context, number int64) (blob.Store, error)
}

// learnersDatabases are the applications over the databases of learners, by number from 1 on.
type learnersDatabases struct {
	mu      sync.RWMutex
	open    map[int64]*App
	moves   map[int64]*otter.Cache[string, int64] // by database: the last move of a learner whom this process has served there
	away    []LearnersDatabase                    // that could not be reached yet
	started context.Context                       // of the background work; nil before Start
}

// knownMoves bounds how many learners of a database are remembered. Of one who was forgotten the rows are read again.
const knownMoves = 100_000

func newMoves() *otter.Cache[string, int64] {
	return otter.Must(&otter.Options[string, int64]{MaximumSize: knownMoves})
}

// errMissing says which databases the settings lack.
func errMissing(numbers []int64) error {
	return fmt.Errorf("learners' database %v of this Stoa is not among the settings: name every one with --learners-database, in any order", numbers)
}

// UseLearnersDatabases opens the databases of learners and makes sure that they are this main database's, all of them. A new, empty one gets the
// next number and the notes for everybody. One that cannot be reached is opened later, by Start.
func (a *App) UseLearnersDatabases(ctx context.Context, list []LearnersDatabase) error {
	rows, err := a.Store.LearnersDatabases(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Self {
			a.number = row.Number
		}
	}
	if a.number != 0 && len(list) > 0 {
		return a.RequireMain()
	}
	if a.number != 0 || len(list) == 0 && len(rows) == 0 {
		return nil
	}
	a.Fenced = true
	a.databases = &learnersDatabases{open: map[int64]*App{}, moves: map[int64]*otter.Cache[string, int64]{0: newMoves()}}
	for _, d := range list {
		err := a.useLearnersDatabase(ctx, d)
		if away := (*sqldb.Unreachable)(nil); errors.As(err, &away) {
			a.Log.Warn("a learners' database cannot be reached; it is opened when it can", "error", err)
			a.databases.away = append(a.databases.away, d)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	a.AddCheck("learners", a.checkLearners)
	a.SetPeers(a.storesBut(a.Store))
	return a.allNamed(ctx)
}

// RequireMain refuses a database of learners that is opened as the main one: there is nobody to sign in.
func (a *App) RequireMain() error {
	if a.number == 0 {
		return nil
	}
	return fmt.Errorf("this is learners' database %d of another: name its main one with --database, and this one with --learners-database", a.number)
}

// allNamed refuses settings that lack a database.
func (a *App) allNamed(ctx context.Context) error {
	rows, err := a.Store.LearnersDatabases(ctx)
	if err != nil {
		return err
	}
	var missing []int64
	for _, row := range rows {
		if row.Number != 0 && a.databases.open[row.Number] == nil {
			missing = append(missing, row.Number)
		}
	}
	if len(missing) > a.databases.awayNow() {
		return errMissing(missing)
	}
	return nil
}

// useLearnersDatabase opens one database and takes it among those in use.
func (a *App) useLearnersDatabase(ctx context.Context, d LearnersDatabase) error {
	db, err := d.Open(ctx)
	if err != nil {
		return err
	}
	number, err := a.numberOf(ctx, db)
	var blobs blob.Store
	if err == nil {
		blobs, err = d.Blobs(ctx, number)
	}
	if err == nil && a.databases.open[number] != nil {
		err = fmt.Errorf("learners' database %d is named twice in the settings", number)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	b := assemble(a.Beside(db, blobs, a.Log.With(slog.Int64("learners_database", number))))
	b.SetPeers(a.storesBut(db))
	l := a.databases
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[number] = b
	l.moves[number] = newMoves()
	if l.started != nil {
		b.startLearners(l.started)
	}
	return nil
}

// numberOf finds out which number a database has, and gives a new one the next, with the notes for everybody. Other nodes that do so wait.
func (a *App) numberOf(ctx context.Context, db *store.Store) (number int64, err error) {
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockLearnersDatabases(core.NewID()); err != nil {
			return err
		}
		known, err := tx.LearnersDatabases(ctx)
		if err != nil {
			return err
		}
		self, err := selfOf(ctx, db, known)
		if err != nil {
			return err
		}
		number = self.Number
		self.Self = false
		return tx.AddLearnersDatabase(self)
	})
	if err != nil {
		return 0, err
	}
	return number, a.giveShared(ctx, db)
}

// selfOf is what a database of learners says of itself. known are all that the main database knows, itself first; who calls has locked them.
func selfOf(ctx context.Context, db *store.Store, known []store.LearnersDatabase) (self store.LearnersDatabase, err error) {
	rows, err := db.LearnersDatabases(ctx)
	if err != nil {
		return self, err
	}
	if i := slices.IndexFunc(rows, func(d store.LearnersDatabase) bool { return d.Self }); i >= 0 {
		self = rows[i]
		switch {
		case self.Number == 0:
			return self, errors.New("a main database is named as a learners' database; each of those needs a database of its own")
		case rows[0].Number != 0 || rows[0].Identity != known[0].Identity:
			return self, fmt.Errorf("learners' database %d belongs to another Stoa than the main database", self.Number)
		case !slices.ContainsFunc(known, func(d store.LearnersDatabase) bool { return d.Number == self.Number && d.Identity != self.Identity }):
			return self, nil
		}
		unused := false
		err := db.Write(ctx, func(tx *store.Tx) (err error) {
			unused, err = tx.RenounceNumber()
			return err
		})
		if err == nil && !unused {
			err = fmt.Errorf("this is not the learners' database %d that the main database knows; was one of them restored from elsewhere?", self.Number)
		}
		if err != nil {
			return self, err
		}
	}
	if used, err := db.HasAccounts(ctx); err != nil || used {
		return self, errors.Join(err, errors.New("a learners' database must be empty when it is named for the first time, and this one has accounts"))
	}
	self = store.LearnersDatabase{Number: known[len(known)-1].Number + 1, Identity: core.NewID(), Self: true}
	return self, db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddLearnersDatabase(store.LearnersDatabase{Number: 0, Identity: known[0].Identity}); err != nil {
			return err
		}
		return tx.AddLearnersDatabase(self)
	})
}

// giveShared gives a new database what all have: the notes for everybody, and the secret behind the noise in what learners share, since two
// would let who asks both see more.
func (a *App) giveShared(ctx context.Context, db *store.Store) error {
	has, err := db.HasLearned(ctx, core.SharedOwner)
	if err != nil || has {
		return err
	}
	secret := make([]byte, 32)
	rand.Read(secret) // it never fails
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		secret, err = tx.SharingKey(learner.DifficultyKey, secret)
		return err
	})
	if err != nil {
		return err
	}
	var tables []store.TableInfo
	for _, t := range store.LearnerTables() {
		if t.Area == store.AreaNotes {
			tables = append(tables, t)
		}
	}
	var notes []store.LearnerRow
	_, err = a.Store.CopyLearner(ctx, core.SharedOwner, tables, nil, func(rows []store.LearnerRow) error {
		notes = append(notes, rows...)
		return nil
	})
	if err != nil {
		return err
	}
	return db.Write(ctx, func(tx *store.Tx) error { // at once, so that there is never a part of them
		if err := tx.LockLearnersDatabases(""); err != nil {
			return err
		}
		if has, err := tx.HasLearned(ctx, core.SharedOwner); err != nil || has {
			return err // another node was faster
		}
		if _, err := tx.SharingKey(learner.DifficultyKey, secret); err != nil {
			return err
		}
		return tx.PutLearnerRows(notes, true)
	})
}

// Learners are the applications over all databases that have learners, the main one first.
func (a *App) Learners() []*App {
	all := []*App{a}
	if l := a.databases; l != nil {
		l.mu.RLock()
		defer l.mu.RUnlock()
		for _, number := range slices.Sorted(maps.Keys(l.open)) {
			all = append(all, l.open[number])
		}
	}
	return all
}

// storesBut are the stores of all databases that have learners, without one.
func (a *App) storesBut(one *store.Store) func() []*store.Store {
	return func() (others []*store.Store) {
		for _, b := range a.Learners() {
			if b.Store != one {
				others = append(others, b.Store)
			}
		}
		return others
	}
}

// at gives the application over the database with a number.
func (a *App) at(number int64) (*App, error) {
	if number == 0 {
		return a, nil
	}
	l := a.databases
	l.mu.RLock()
	defer l.mu.RUnlock()
	if b := l.open[number]; b != nil {
		return b, nil
	}
	return nil, errAway()
}

func errAway() error {
	e := errs.New(errs.ServiceUnavailable, "The database with your notes cannot be reached just now. Try again in a minute; the rest of the server works.")
	e.RetryAfter = 10 * time.Second
	return e
}

// visit gives the application over the database that has a learner, and what that says of them. Whoever has no place yet is given one. Where there is
// one database it is the application itself. ErrElsewhere when the learner is moved just now.
func (a *App) visit(ctx context.Context, userID string) (home *App, fence store.Fence, err error) {
	if a.databases == nil || userID == "" || userID == core.SharedOwner {
		return a, fence, nil
	}
	route, err := a.routeOf(ctx, userID)
	if err != nil {
		return nil, fence, err
	}
	if home, err = a.at(route.Place); err != nil {
		return nil, fence, err
	}
	if fence, err = home.Store.Fence(ctx, userID); err != nil {
		return nil, fence, err
	}
	if fence.State != store.FenceHere && fence.State != store.FencePaused { // who is paused may still be read
		return nil, fence, store.ErrElsewhere
	}
	a.databases.forgetMoved(home, userID, route.Place, fence.Move)
	return home, fence, nil
}

// forgetMoved drops what is kept in memory of a learner who was moved since this process saw them here last: a request that was still under way here may
// have read a part of the rows that were coming. Whatever such a request still finds, it keeps in what was dropped.
func (l *learnersDatabases) forgetMoved(home *App, userID string, place, move int64) {
	l.mu.RLock()
	known := l.moves[place]
	l.mu.RUnlock()
	if last, ok := known.GetIfPresent(userID); ok && last == move {
		return
	}
	home.ForgetLearner(userID)
	known.Set(userID, move)
}

// How long a request waits for a learner who is on the way from one database to another, and how often it looks.
const (
	movePatience = 3 * time.Second
	moveLook     = 20 * time.Millisecond
)

// Visit does something for a learner where they are, once more when they were moved meanwhile and nothing was written: what was read may be a part
// of the rows that were on their way.
func Visit[Out any](ctx context.Context, a *App, userID string, do func(home *App, ctx context.Context) (Out, error)) (out Out, err error) {
	for began := time.Now(); ; {
		home, fence, err := a.visit(ctx, userID)
		if err == nil && (a.databases == nil || userID == "") {
			return do(a, ctx)
		}
		if err == nil {
			visit := store.ForLearner(ctx, userID, fence.Move)
			out, err = do(home, visit)
			wrote := store.WroteForLearner(visit)
			if wrote && !errors.Is(err, store.ErrElsewhere) {
				return out, err
			}
			now, failed := home.Store.Fence(ctx, userID)
			if !errors.Is(err, store.ErrElsewhere) && (failed != nil || now.Move == fence.Move) {
				return out, err
			}
			if c, open := any(out).(io.Closer); open && err == nil {
				_ = c.Close() // it is made again
			}
			err = store.ErrElsewhere
			if wrote {
				return out, errMoving()
			}
		}
		if !errors.Is(err, store.ErrElsewhere) {
			return out, err
		}
		if time.Since(began) > movePatience || !core.Sleep(ctx, moveLook) {
			return out, errMoving()
		}
	}
}

func errMoving() error {
	e := errs.New(errs.ServiceUnavailable, "Your notes are being moved to another database. Try again in a few seconds.")
	e.RetryAfter = time.Second
	return e
}

// routeOf reads where a learner is. Whoever has learned in the main database stays there; anybody else gets the database with the fewest.
func (a *App) routeOf(ctx context.Context, userID string) (store.LearnerRoute, error) {
	r, found, err := a.Store.LearnerRoute(ctx, userID)
	if err != nil || found {
		return r, err
	}
	learned, err := a.Store.HasLearned(ctx, userID)
	if err != nil {
		return r, err
	}
	var place int64
	home := a
	if !learned {
		if home, place, err = a.emptiest(ctx); err != nil {
			return r, err
		}
	}
	if place != 0 {
		if err := home.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetFence(userID, store.FenceHere, 0) }); err != nil {
			return r, err
		}
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddLearnerRoute(userID, place); err != nil || place == 0 {
			return err
		}
		return tx.SetFence(userID, store.FenceGone, 0)
	})
	if err != nil && !errors.Is(err, sqldb.ErrConflict) {
		return r, err
	}
	conflict := err != nil
	r, _, err = a.Store.LearnerRoute(ctx, userID)
	if err == nil && conflict && place != 0 && r.Place != place && r.Target != place { // another node was faster
		err = home.Store.Write(ctx, func(tx *store.Tx) error {
			if f, err := tx.Fence(ctx, userID); err != nil || f.State != store.FenceHere || f.Move != 0 {
				return err
			}
			return tx.DropFence(userID)
		})
	}
	return r, err
}

// emptiest gives the database of learners that has the fewest of those that can be reached.
func (a *App) emptiest(ctx context.Context) (*App, int64, error) {
	rows, err := a.Store.LearnersDatabases(ctx)
	if err != nil {
		return nil, 0, err
	}
	var home *App
	place, least := rows[len(rows)-1].Number, int64(-1)
	a.databases.mu.RLock()
	defer a.databases.mu.RUnlock()
	for _, row := range rows {
		if b := a.databases.open[row.Number]; b != nil && (least < 0 || row.Learners < least) {
			home, place, least = b, row.Number, row.Learners
		}
	}
	if home == nil {
		return nil, 0, errAway()
	}
	return home, place, nil
}

// reopenEvery is how often a database that could not be reached is tried again.
const reopenEvery = 5 * time.Second

// openAway opens databases of learners that could not be reached at the start, until none is left or ctx ends.
func (a *App) openAway(ctx context.Context) {
	for a.databases.awayNow() > 0 && core.Sleep(ctx, reopenEvery) {
		if err := a.OpenAway(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("a learners' database cannot be opened", "error", err)
		}
	}
}

// OpenAway tries to open the databases of learners that could not be reached.
func (a *App) OpenAway(ctx context.Context) (err error) {
	l := a.databases
	l.mu.Lock()
	away := l.away
	l.away = nil
	l.mu.Unlock()
	for _, d := range away {
		if failed := a.useLearnersDatabase(ctx, d); failed != nil {
			err = errors.Join(err, failed)
			l.mu.Lock()
			l.away = append(l.away, d)
			l.mu.Unlock()
		}
	}
	return err
}

func (l *learnersDatabases) awayNow() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.away)
}

// startDatabases begins the background work of the databases of learners.
func (a *App) startDatabases(ctx context.Context) {
	l := a.databases
	if l == nil {
		return
	}
	l.mu.Lock()
	l.started = ctx
	for _, b := range l.open {
		b.startLearners(ctx)
	}
	l.mu.Unlock()
	a.run(ctx, a.openAway, a.settleMoves)
}

// startLearners begins the background work of a database of learners.
func (a *App) startLearners(ctx context.Context) {
	a.run(ctx, a.KeepQuestions, a.sweep, a.Propose, a.Chain, a.watchHistory)
}

// closeDatabases ends what is done in the databases of learners, and closes them.
func (a *App) closeDatabases() {
	for _, b := range a.Learners()[1:] {
		b.Close()
		if err := b.Store.Close(); err != nil {
			a.Log.Error("a learners' database could not be closed", "error", err)
		}
	}
}
