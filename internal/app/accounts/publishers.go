package accounts

import (
	"context"
	"errors"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// maxPublishers is how many trusted publishers one member may have.
const maxPublishers = 50

// TrustedPublisher is a pipeline that may publish for its member without a secret.
type TrustedPublisher struct {
	PublisherID string `json:"publisher_id"`
	Item        string `json:"item"`
	Issuer      string `json:"issuer"`
	Repository  string `json:"repository"`
	Workflow    string `json:"workflow"`
	Environment string `json:"environment"`
	Ref         string `json:"ref"`
	CreatedAt   string `json:"created_at"`
	LastUsedAt  string `json:"last_used_at"`
}

// TrustedPublishers are a member's own, and what a new one may name.
type TrustedPublishers struct {
	UserID     string             `json:"user_id"`
	Publishers []TrustedPublisher `json:"publishers"`
	Issuers    []string           `json:"issuers"`
	Audience   string             `json:"audience"`
}

func shownPublisher(p memberdb.TrustedPublisher) TrustedPublisher {
	out := TrustedPublisher{
		PublisherID: p.PublisherID, Item: p.Item, Issuer: p.Issuer, Repository: p.Repository, Workflow: p.Workflow, Environment: p.Environment, Ref: p.Ref,
		CreatedAt: clock.Text(clock.FromMicros(p.CreatedAt)),
	}
	if p.UsedAt > 0 {
		out.LastUsedAt = clock.Text(clock.FromMicros(p.UsedAt))
	}
	return out
}

// ListTrustedPublishers lists the caller's trusted publishers, the oldest first.
func (a *Accounts) ListTrustedPublishers(ctx context.Context, c core.Caller, in AccountInput) (TrustedPublishers, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TrustedPublishers{}, err
	}
	out := TrustedPublishers{UserID: userID, Publishers: []TrustedPublisher{}, Issuers: append([]string{}, a.Pipelines.Issuers()...), Audience: a.WebURL}
	all, err := a.Store.TrustedPublishersOf(ctx, userID)
	for _, p := range all {
		out.Publishers = append(out.Publishers, shownPublisher(p))
	}
	return out, err
}

// AddPublisherInput says which pipeline may publish what.
type AddPublisherInput struct {
	UserID      string `json:"user_id"`
	Item        string `json:"item"`
	Issuer      string `json:"issuer"`
	Repository  string `json:"repository"`
	Workflow    string `json:"workflow"`
	Environment string `json:"environment"`
	Ref         string `json:"ref"`
}

// AddedPublisher is a new trusted publisher.
type AddedPublisher struct {
	UserID string `json:"user_id"`
	TrustedPublisher
}

// AddTrustedPublisher lets a pipeline publish for the caller.
func (a *Accounts) AddTrustedPublisher(ctx context.Context, c core.Caller, in AddPublisherInput) (AddedPublisher, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return AddedPublisher{}, err
	}
	if err := a.requireConfirmed(ctx, c); err != nil {
		return AddedPublisher{}, err
	}
	if !slices.Contains(a.Pipelines.Issuers(), in.Issuer) {
		return AddedPublisher{}, errs.Invalid("issuer", "must be one that this server takes: "+either(strings.Join(a.Pipelines.Issuers(), ", "), "there is none"))
	}
	if err := a.ownItem(ctx, userID, in.Item); err != nil {
		return AddedPublisher{}, err
	}
	if in.Ref != "" && !strings.HasPrefix(in.Ref, "refs/") {
		in.Ref = "refs/heads/" + in.Ref
	}
	out := AddedPublisher{UserID: userID}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		p := memberdb.TrustedPublisher{
			PublisherID: core.NewID(), UserID: userID, Item: in.Item, Issuer: in.Issuer, Repository: in.Repository, Workflow: in.Workflow, Environment: in.Environment, Ref: in.Ref,
			CreatedAt: clock.Micros(tx.Now),
		}
		all, err := tx.TrustedPublishersOf(ctx, userID)
		if err != nil {
			return err
		}
		if len(all) >= maxPublishers {
			return errs.Newf(errs.QuotaExceeded, "You have %d trusted publishers already. Remove one that you no longer need.", len(all))
		}
		if err := tx.AddTrustedPublisher(p); err != nil {
			return err
		}
		out.TrustedPublisher = shownPublisher(p)
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.publisher_added", Target: p.PublisherID, Status: "ok", Detail: map[string]any{
			"item": p.Item, "issuer": p.Issuer, "repository": p.Repository, "workflow": p.Workflow, "environment": p.Environment, "ref": p.Ref,
		}}))
	})
	return out, err
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// ownItem refuses items that are not the member's: theirs is what stands under their own name, and what they have published.
func (a *Accounts) ownItem(ctx context.Context, userID, item string) error {
	if namespace, all := strings.CutSuffix(item, "/*"); all {
		if namespace == userID && ids.Segment(namespace) {
			return nil
		}
		return errs.Invalid("item", "must be under your own name: "+userID+"/*")
	}
	if !ids.Item(item) {
		return errs.Invalid("item", ids.ItemRule+", or your own name with /*")
	}
	if ids.Namespace(item) == userID {
		return nil
	}
	for _, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} {
		known, err := a.Store.Item(ctx, kind, item)
		if err == nil && known.Owner == userID {
			return nil
		}
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
	}
	return errs.Invalid("item", "must be under your own name, such as "+userID+"/garden, or one that you have published")
}

// RemovePublisherInput names one trusted publisher.
type RemovePublisherInput struct {
	UserID      string `json:"user_id"`
	PublisherID string `json:"publisher_id"`
}

// RemovedPublisher tells whether there was one to remove.
type RemovedPublisher struct {
	UserID      string `json:"user_id"`
	PublisherID string `json:"publisher_id"`
	Removed     bool   `json:"removed"`
}

// RemoveTrustedPublisher ends the caller's trust in a pipeline, with the tokens that it has. One that is not there counts as removed
// before.
func (a *Accounts) RemoveTrustedPublisher(ctx context.Context, c core.Caller, in RemovePublisherInput) (RemovedPublisher, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RemovedPublisher{}, err
	}
	out := RemovedPublisher{UserID: userID, PublisherID: in.PublisherID}
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if out.Removed, err = tx.RemoveTrustedPublisher(userID, in.PublisherID); err != nil || !out.Removed {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.publisher_removed", Target: in.PublisherID, Status: "ok"}))
	})
	a.tokens.kept.InvalidateAll()
	return out, err
}
