package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"stoa/internal/app/core"
	"stoa/internal/learning/reminder"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// homeOf gives the application over the database that has a learner, without giving one to who has none: the main one.
func (a *App) homeOf(ctx context.Context, userID string) (*App, error) {
	if a.databases == nil {
		return a, nil
	}
	route, found, err := a.Store.LearnerRoute(ctx, userID)
	if err != nil || !found {
		return a, err
	}
	return a.at(route.Place)
}

// EraseLearner removes everything that is kept of a learner and returns how many rows that were: in the database that has them, and their request
// records and answers to keys in the main one.
func (a *App) EraseLearner(ctx context.Context, c core.Caller, userID string) (rows int64, err error) {
	home, err := a.homeOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	if home != a {
		at, err := home.ForLearner(ctx, userID)
		if err == nil {
			rows, err = home.School.EraseLearner(at, c, userID)
		}
		if err != nil {
			return rows, err
		}
		home.ForgetLearner(userID)
		n, err := a.School.EraseLearner(ctx, c, userID)
		return rows + n, err
	}
	at, err := a.ForLearner(ctx, userID)
	if err != nil {
		return 0, err
	}
	return a.School.EraseLearner(at, c, userID)
}

// eraseEverywhere removes everything that any database keeps of a learner whose account is being deleted.
func (a *App) eraseEverywhere(ctx context.Context, userID string) error {
	if a.databases != nil && a.databases.awayNow() > 0 {
		return errAway()
	}
	if route, found, err := a.Store.LearnerRoute(ctx, userID); err != nil || found && route.Moving {
		return errors.Join(err, store.ErrElsewhere) // a move is settled soon
	}
	if _, err := a.EraseLearner(ctx, core.Operator, userID); err != nil {
		return err
	}
	for _, b := range a.Learners()[1:] {
		files, err := b.Store.LearnerBlobs(ctx, userID)
		if err == nil {
			err = b.Store.Write(ctx, func(tx *store.Tx) error {
				if _, err := tx.ClearLearner(userID); err != nil {
					return err
				}
				return tx.DropFence(userID)
			})
		}
		if err != nil {
			return err
		}
		b.RemoveFiles(ctx, files)
	}
	return nil
}

// ExportLearner writes everything that is kept of a learner, as School.ExportLearner does, from the databases that have it.
func (a *App) ExportLearner(ctx context.Context, userID string, w io.Writer) (rows int, err error) {
	home, err := a.homeOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	rows, err = a.School.ExportLearner(ctx, userID, w)
	if err == nil && home != a {
		var n int
		n, err = home.School.ExportLearner(ctx, userID, w)
		rows += n
	}
	return rows, err
}

// CalendarOf gives the calendar whose address has a token, without the page it leads to, and whose it is.
func (a *App) CalendarOf(ctx context.Context, token string) (userID string, calendar reminder.Calendar, err error) {
	r, err := a.ReminderBy(ctx, token)
	if err != nil {
		return "", calendar, err
	}
	home, err := a.homeOf(ctx, r.UserID)
	if err != nil {
		return "", calendar, err
	}
	calendar, err = home.Calendar(ctx, r)
	return r.UserID, calendar, err
}

// copyQuotas writes a member's own limits to the database that has them as a learner.
func (a *App) copyQuotas(ctx context.Context, userID string) error {
	home, err := a.homeOf(ctx, userID)
	if err != nil || home == a {
		return err
	}
	return home.Store.Write(ctx, func(tx *store.Tx) error {
		limits, err := a.Store.MemberQuotas(ctx, userID)
		if err != nil {
			return err
		}
		return tx.SetMemberQuotas(userID, limits)
	})
}

// LearnersPlace is a database that has learners, as an operator sees it.
type LearnersPlace struct {
	Number   int64  `json:"number"` // 0 is the main one
	Learners int64  `json:"learners"`
	Open     bool   `json:"open"`
	Problem  string `json:"problem,omitempty"`
}

// LearnersPlaces lists the databases that have learners.
func (a *App) LearnersPlaces(ctx context.Context) ([]LearnersPlace, error) {
	rows, err := a.Store.LearnersDatabases(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]LearnersPlace, len(rows))
	var checks sync.WaitGroup
	for i, row := range rows {
		checks.Go(func() {
			p := LearnersPlace{Number: row.Number, Learners: row.Learners}
			b, err := a.at(row.Number)
			if err == nil {
				err = b.Store.Check(sqldb.Soon(ctx))
			}
			if p.Open = err == nil; err != nil {
				p.Problem = "it cannot be reached or written"
				a.Log.Error("a learners' database cannot be written", "number", row.Number, "error", err)
			}
			out[i] = p
		})
	}
	checks.Wait()
	return out, nil
}

// LearnerPlace is where a learner is.
type LearnerPlace struct {
	UserID   string `json:"user_id"`
	Number   int64  `json:"number"`
	MovingTo *int64 `json:"moving_to"` // null when they are not being moved
}

// LearnersPlaceOf says where a member's notes and answers are. Who has not learned yet is in the main database, and may be given another.
func (a *App) LearnersPlaceOf(ctx context.Context, userID string) (LearnerPlace, error) {
	p := LearnerPlace{UserID: userID}
	if err := a.CheckMember(ctx, userID); err != nil {
		return p, err
	}
	r, _, err := a.Store.LearnerRoute(ctx, userID)
	p.Number = r.Place
	if r.Moving && r.Target != r.Place {
		p.MovingTo = &r.Target
	}
	return p, err
}

// examineLearners looks at the databases of learners: whether each can be written and has those whom the main database says it has.
func (a *App) examineLearners(ctx context.Context) (findings []core.Finding) {
	places, err := a.LearnersPlaces(ctx)
	if err != nil || len(places) == 0 {
		return nil // the database's own finding says it
	}
	for _, p := range places[1:] {
		f := core.Finding{Check: "learners", OK: p.Open, Detail: fmt.Sprintf("database %d can be written and has %d learners", p.Number, p.Learners)}
		var here int64
		if p.Open {
			if b, err := a.at(p.Number); err == nil {
				here, err = b.Store.CountHere(ctx)
				f.OK = err == nil && here == p.Learners
			}
		}
		switch {
		case !p.Open:
			f.Detail, f.Fix = fmt.Sprintf("database %d cannot be reached or written; its %d learners wait", p.Number, p.Learners), "check that it runs and takes writes; everybody else can go on"
		case !f.OK:
			f.Detail = fmt.Sprintf("database %d has %d learners, and the main one says %d", p.Number, here, p.Learners)
			f.Fix = "when a move is under way, look again; else one of the two was restored from an older backup: restore both of one night"
		}
		findings = append(findings, f)
	}
	return findings
}

// checkLearners tells whether every database of learners can be written, for the health of the server.
func (a *App) checkLearners(ctx context.Context) core.HealthPart {
	places, err := a.LearnersPlaces(ctx)
	if err != nil {
		return core.Unhealthy("It cannot be read which databases have learners.")
	}
	var away []int64
	for _, p := range places[1:] {
		if !p.Open {
			away = append(away, p.Number)
		}
	}
	if len(away) == 0 {
		return core.Healthy
	}
	return core.Unhealthy(fmt.Sprintf("Learners' database %v cannot be written. Those who learn there cannot; everybody else can.", away))
}

// Flush writes out what is still in memory, of every database.
func (a *App) Flush(ctx context.Context) {
	for _, b := range a.Learners() {
		b.School.Flush(ctx)
	}
}
