package accounts

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"stoa/internal/app/core"
)

// beginsPerSecond bounds how many sign-ins all strangers together begin on a node at an issuer or by a passkey. Each is kept for
// some minutes, so a crowd of addresses would fill the disk. Addresses and browsers that somebody has signed in from are let
// through beyond it.
const (
	beginsPerSecond = 20
	beginsAtOnce    = 200
)

const tooManyBegun = "Too many sign-ins were begun. Wait a minute and try again."

// mayBegin counts the beginning of a sign-in by whoever is not signed in.
func (a *Accounts) mayBegin(ctx context.Context, c core.Caller, b budget) error {
	if !a.begun.AllowN(a.Clock(), 1) {
		known := ""
		for _, source := range c.Sources() {
			ok, err := a.Store.SourceKnown(ctx, source)
			if err != nil {
				return err
			}
			if ok {
				known = source
				break
			}
		}
		if known == "" {
			return tooMany(tooManyBegun, time.Second)
		}
		b.key = "begin\x1f" + known // one browser's, wherever it says that it is
	}
	return a.spendBudget(ctx, tooManyBegun, b)
}

func newBegun() *rate.Limiter { return rate.NewLimiter(beginsPerSecond, beginsAtOnce) }

// usedUp remembers which budgets are used up, and until when, so that an attempt that is refused anyway writes nothing.
type usedUp struct {
	kept *otter.Cache[string, time.Time]
}

const usedUpKept = 100_000

func newUsedUp() usedUp {
	return usedUp{otter.Must(&otter.Options[string, time.Time]{MaximumSize: usedUpKept})}
}

// wait tells how long the first of the budgets that is known to be used up stays so; 0 when none is.
func (u usedUp) wait(now time.Time, budgets []budget) time.Duration {
	for _, b := range budgets {
		end, ok := u.kept.GetIfPresent(b.key)
		if left := end.Sub(now); ok && left > 0 && left <= b.window { // longer: the clock was set back
			return max(left, time.Second)
		}
	}
	return 0
}

func (u usedUp) note(b budget, end time.Time) { u.kept.Set(b.key, end) }

func (u usedUp) forget(b budget) { u.kept.Invalidate(b.key) }
