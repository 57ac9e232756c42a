package accounts

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// budget bounds the attempts of one key within a window. Every node counts in the store.
type budget struct {
	key    string
	limit  int64
	window time.Duration
}

// The budgets of signing in and signing up.
const (
	loginWindow         = time.Minute
	loginFailures       = 10  // of an address and a member
	loginFailuresRemote = 100 // of an address

	// Guesses at one member from all the addresses and browsers that the member has never signed in from. Whoever is
	// known, or has a one-time link, is not held up by them.
	guessWindow   = 10 * time.Minute
	guessFailures = 20
	guessDay      = 24 * time.Hour
	guessDayLimit = 100

	// All addresses together may try to sign up signupShare times as often as one.
	signupWindow = time.Hour
	signupShare  = 10

	passwordChanges = 10 // wrong current passwords of a member in a loginWindow
)

// countAttempts counts one attempt in each budget, in order, and stops at the first that is used up: what is refused by one does
// not use up the next. What this node knows to be used up is not written again, however often it is tried.
func (a *Accounts) countAttempts(tx *store.Tx, budgets []budget) (wait time.Duration, err error) {
	if wait := a.usedUp.wait(tx.Now, budgets); wait > 0 {
		return wait, nil
	}
	for _, b := range budgets {
		n, since, err := tx.CountFailure(b.key, b.window.Microseconds())
		if err != nil {
			return 0, err
		}
		if n > b.limit {
			end := clock.FromMicros(since).Add(b.window)
			a.usedUp.note(b, end)
			return max(end.Sub(tx.Now), time.Second), nil
		}
	}
	return 0, nil
}

// returnAttempts takes the attempt out of the budgets again.
func (a *Accounts) returnAttempts(tx *store.Tx, budgets ...budget) error {
	for _, b := range budgets {
		a.usedUp.forget(b)
		if err := tx.UncountFailure(b.key); err != nil {
			return err
		}
	}
	return nil
}

// restartBudget lets a budget start over.
func (a *Accounts) restartBudget(tx *store.Tx, b budget) error {
	a.usedUp.forget(b)
	return tx.ForgetFailures(b.key)
}

// spendBudget is countAttempts in a transaction of its own; rate_limited with message when a budget is used up.
func (a *Accounts) spendBudget(ctx context.Context, message string, budgets ...budget) error {
	if wait := a.usedUp.wait(a.Clock(), budgets); wait > 0 {
		return tooMany(message, wait)
	}
	var wait time.Duration
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		wait, err = a.countAttempts(tx, budgets)
		return err
	})
	if err != nil || wait == 0 {
		return err
	}
	return tooMany(message, wait)
}

func tooMany(message string, wait time.Duration) error {
	return &errs.Error{Code: errs.RateLimited, Message: message, RetryAfter: wait}
}

// busy turns a full queue for passwords into an answer.
func busy(err error) error {
	if errors.Is(err, account.ErrBusy) {
		return &errs.Error{Code: errs.ServiceUnavailable, Message: "Too many are signing in at this moment. Try again in a few seconds.", RetryAfter: 3 * time.Second}
	}
	return err
}

// guessBudgets bound how often a member's password is tried from everywhere. A source that the member has signed in from
// before has a budget of its own. The key of the others is one of 65,536, so that made-up names cannot fill the store, and
// names that exist are not told from those that do not.
func guessBudgets(ctx context.Context, tx *store.Tx, c core.Caller, userID string) ([]budget, error) {
	for _, source := range c.Sources() {
		known, err := tx.KnownSource(ctx, userID, source)
		if err != nil {
			return nil, err
		}
		if known {
			return []budget{{"known\x1f" + source + "\x1f" + userID, guessFailures, guessWindow}}, nil
		}
	}
	key := account.TokenHash("guess\x1f" + userID)[:4]
	return []budget{{"guess\x1f" + key, guessFailures, guessWindow}, {"guesses\x1f" + key, guessDayLimit, guessDay}}, nil
}

// checkPasswordOf counts an attempt at a member's password, in the budgets given and in those of guesses from everywhere, and
// looks at the password then. The account is the zero one when there is none, and spent are the budgets to give back to whoever gets in.
func (a *Accounts) checkPasswordOf(ctx context.Context, c core.Caller, userID, password string, here []budget) (known memberdb.Account, spent []budget, err error) {
	switch { // before anything is written down
	case a.hasher.Full(c.Remote):
		return known, nil, busy(account.ErrBusy)
	case len(password) > account.MaxPasswordLength:
		return known, nil, errWrong
	}
	var wait time.Duration
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		guesses, err := guessBudgets(ctx, tx, c, userID)
		if err == nil {
			spent = append(here, guesses...)
			wait, err = a.countAttempts(tx, spent)
		}
		return err
	})
	if err != nil {
		return known, nil, err
	}
	if wait > 0 {
		return known, nil, tooMany("Too many failed sign-ins. Wait and try again, or sign in from a browser that you have used before.", wait)
	}
	known, err = a.Store.Account(ctx, userID)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return known, nil, err
	}
	ok, err := a.hasher.Verify(ctx, c.Remote, known.PasswordHash, password)
	switch {
	case err != nil:
		return known, nil, busy(err)
	case !ok:
		return known, nil, errWrong
	}
	return known, spent, nil
}
