package app

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/platform/store"
)

// watchHistory looks after the database being the one that it was, until ctx ends. When an operator accepts that it is another, what
// this process keeps of it in memory is dropped.
func (a *App) watchHistory(ctx context.Context) {
	a.Store.Watch(ctx, func(r store.Refusal) {
		if r.Kind != "" {
			a.Log.Error("history: the database is refused", "kind", r.Kind, "problem", r.Text)
			return
		}
		a.Log.Warn("history: the database is accepted as it is; what was kept of it in memory is dropped")
		a.Forget()
	})
}

// AcceptLoss lets every node go on with what the database has, and gives what was found missing until now.
func (a *App) AcceptLoss(ctx context.Context, reason string) (accepted []store.Loss, err error) {
	losses, err := a.Store.Losses(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range losses {
		if l.Accepted == "" {
			accepted = append(accepted, l)
		}
	}
	return accepted, a.Store.Write(ctx, func(tx *store.Tx) error {
		id, err := tx.AcceptLoss(reason)
		if err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{
			Action: "history.loss_accepted", Target: id, Status: "accepted", Detail: map[string]any{"reason": reason, "losses": accepted},
		}))
	})
}
