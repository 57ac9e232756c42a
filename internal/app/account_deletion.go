package app

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
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
		// Nobody can take the wish back now, so it does not matter that this takes two transactions; what is left by a node
		// that stops between them the next one does again.
		if _, err := a.EraseLearner(ctx, core.Operator, userID); err != nil {
			return err
		}
		err := d.Write(ctx, func(tx *store.Tx) error {
			rows, err := tx.EraseAccount(userID)
			if err != nil {
				return err
			}
			return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{Owner: userID, Action: "account.erased", Target: userID, Status: "done", Detail: map[string]any{"rows": rows}}))
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		a.Accounts.Forget()
		if err := a.Store.Scrub(ctx); err != nil {
			a.Log.Warn("erase: the rows are gone; deleted bytes may still be in the database's files", "error", err)
		}
	}
	return nil
}
