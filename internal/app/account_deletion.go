package app

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// erasedAtOnce is how many accounts one sweep erases.
const erasedAtOnce = 20

// eraseAccounts carries out the wishes of members whose grace period is over.
func (a *App) eraseAccounts(ctx context.Context, d *core.Job) error {
	due, err := a.Store.AccountsToErase(ctx, clock.Micros(a.Clock()), erasedAtOnce)
	if err != nil {
		return err
	}
	for _, userID := range due {
		// First the account is closed, so that nobody can take the wish back, by whatever clock: then it does not matter that
		// this takes several transactions. What is left by a node that stops between them the next one does again.
		err := d.Write(ctx, func(tx *store.Tx) error { return tx.CloseAccountToErase(userID) })
		if errors.Is(err, sqldb.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := a.eraseEverywhere(ctx, userID); err != nil {
			a.Log.Error("erase: an account waits until all that is kept of it can be erased", "error", err) // nobody else waits for it
			continue
		}
		err = d.Write(ctx, func(tx *store.Tx) error {
			if err := tx.DropLearnerRoute(userID); err != nil {
				return err
			}
			rows, err := tx.EraseAccount(userID)
			if err != nil {
				return err
			}
			return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{Owner: userID, Action: "account.erased", Target: userID, Status: "done", Detail: map[string]any{"rows": rows}}))
		})
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		a.Accounts.Forget()
		if err := a.Store.Scrub(ctx); err != nil {
			a.Log.Warn("erase: the rows are gone; deleted bytes may still be in the database's files", "error", err)
		}
	}
	return nil
}
