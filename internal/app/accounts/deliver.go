package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/dial"
	"stoa/internal/platform/mail"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/webhook"
)

// Bounds of what is sent. All of a batch are tried at once, so that a batch ends well before the lease does.
const (
	deliverEvery    = 5 * time.Second
	deliverBatch    = 16
	deliverAttempts = 8
	deliverFirst    = 30 * time.Second // before the second attempt; then four times as long each time
	deliverSlowest  = 6 * time.Hour
)

// Deliver sends mails and calls webhooks until ctx ends; no request waits for it.
func (a *Accounts) Deliver(ctx context.Context) {
	for core.Sleep(ctx, deliverEvery) {
		if err := a.DeliverDue(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("notifications", "error", err)
		}
	}
}

// DeliverDue sends what is due. It does nothing while another node does, or when nothing is.
func (a *Accounts) DeliverDue(ctx context.Context) error {
	due, err := a.Store.DueDeliveries(ctx, clock.Micros(a.Clock()), 1)
	if err != nil || len(due) == 0 {
		return err
	}
	_, err = a.RunExclusive(ctx, core.JobNotify, func(d *core.Job) error {
		for {
			due, err := a.Store.DueDeliveries(ctx, clock.Micros(a.Clock()), deliverBatch)
			if err != nil || len(due) == 0 {
				return err
			}
			if err := a.deliverBatch(ctx, d, due); err != nil {
				return err
			}
		}
	})
	return err
}

func (a *Accounts) deliverBatch(ctx context.Context, d *core.Job, due []memberdb.Delivery) error {
	failed := make([]error, len(due))
	var g errgroup.Group
	for i, one := range due {
		g.Go(func() error {
			if failed[i] = a.deliver(ctx, one); failed[i] != nil && !errors.Is(failed[i], errNotWanted) {
				a.Log.InfoContext(ctx, "a notification could not be sent", "way", one.Way, "user_id", one.UserID, "attempt", one.Attempts+1, "error", failed[i])
			}
			return nil
		})
	}
	_ = g.Wait()
	if err := ctx.Err(); err != nil {
		return err // what was under way is tried again
	}
	return d.Write(ctx, func(tx *store.Tx) error {
		for i, one := range due {
			if err := settle(tx, one, failed[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// settle notes what came of an attempt.
func settle(tx *store.Tx, one memberdb.Delivery, failed error) error {
	if failed == nil || errors.Is(failed, errNotWanted) {
		return tx.DropDelivery(one.ID)
	}
	one.Attempts++
	next := int64(0)
	if one.Attempts < deliverAttempts {
		wait := deliverFirst
		for range one.Attempts - 1 {
			wait = min(4*wait, deliverSlowest)
		}
		next = clock.Micros(tx.Now.Add(wait))
	}
	return tx.PutOffDelivery(one.ID, one.Attempts, next, problemOf(failed))
}

// problemOf is what a member is told of a failure: no more than they could find out by themselves.
func problemOf(failed error) string {
	var answered webhook.Answered
	switch {
	case errors.As(failed, &answered):
		return failed.Error()
	case errors.Is(failed, dial.ErrBlocked):
		return "blocked"
	}
	return "unreachable"
}

// errNotWanted is of what its member has changed their mind about since.
var errNotWanted = errors.New("not wanted any more")

// deliver makes one attempt.
func (a *Accounts) deliver(ctx context.Context, one memberdb.Delivery) error {
	choice, err := a.choice(ctx, a.Store.Queries, one.UserID)
	if err != nil {
		return err
	}
	switch {
	case one.Way == core.WayWebhook && one.Recipient == choice.WebhookURL:
		allow := dial.Allow(dial.PublicOnly)
		if a.PrivateWebhooks {
			allow = dial.PublicOrLocal
		}
		body, err := json.Marshal(map[string]any{
			"type": "notification." + one.Kind, "timestamp": clock.Text(clock.FromMicros(one.At)), "data": map[string]string{"kind": one.Kind, "target": one.Target, "message": one.Message, "user_id": one.UserID, "url": a.WebURL + one.Page},
		})
		if err != nil {
			return err
		}
		return webhook.New(allow).Send(ctx, one.Recipient, choice.WebhookSecret, one.ID, a.Clock(), body)
	case one.Way == core.WayMail && a.Mail != nil && one.Recipient == choice.MailTo && (choice.MailConfirmed || one.Kind == mailCode):
		subject, body := mailWords(choice.Locale, one, a.WebURL)
		return a.Mail.Send(ctx, mail.Text{ID: one.ID, To: one.Recipient, Subject: subject, Body: body, Locale: choice.Locale, At: clock.FromMicros(one.At)})
	}
	return errNotWanted
}
