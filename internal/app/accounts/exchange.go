package accounts

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"stoa/internal/app/core"
	"stoa/internal/market/ids"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// Bounds of exchanging a pipeline's identity token.
const (
	// ExchangedTTL is how long a pipeline's token is good.
	ExchangedTTL = 15 * time.Minute
	// publisherTokens are the tokens of one trusted publisher that are good at a time.
	publisherTokens = 20
	// exchangesRefused are those of one address in a loginWindow.
	exchangesRefused = 30
	// refusalsPerSecond bounds how many refusals of all addresses are counted, which is a write each.
	refusalsPerSecond = 20
)

// ExchangeInput is the identity token of a run, and the item that it is going to publish.
type ExchangeInput struct {
	UserID  string `json:"user_id"` // whose trusted publisher it is; "" for the name before the item's slash
	ItemID  string `json:"item_id"`
	IDToken string `json:"id_token"`
}

// ExchangedToken is what a run may publish with.
type ExchangedToken struct {
	UserID    string `json:"user_id"`
	ItemID    string `json:"item_id"`
	Token     string `json:"token"`
	ExpiresAt string `json:"expires_at"`
}

// Why an exchange is refused beside what is wrong with the token. NoPublisher is said of members that are not there, too.
const (
	reasonNoPublisher = "no_trusted_publisher"
	reasonUsed        = "token_used"
)

var exchangeMessages = map[string]string{
	identity.IssuerNotAllowed: "Identity tokens of this issuer are not taken here.",
	identity.NotSigned:        "The identity token is not signed by its issuer.",
	identity.Expired:          "The identity token has expired. Ask the pipeline for a new one.",
	identity.NotYet:           "The identity token is good from a later time on. Compare the clocks.",
	identity.ClaimsMissing:    "The identity token does not say which run of which repository it is of.",
	identity.EventNotAllowed:  "This run was begun by a proposed change (pull_request, pull_request_target, workflow_run or a merge request). Publish from a push, a tag, a release or by hand.",
	reasonUsed:                "The identity token was exchanged before. Ask the pipeline for a new one.",
	reasonNoPublisher:         "No trusted publisher of this member fits: compare item, repository, workflow, environment and ref on the account's page.",
}

func (a *Accounts) refusal(reason string) *errs.Error {
	message := exchangeMessages[reason]
	if reason == identity.WrongAudience {
		message = "The identity token was made for another address. Ask for one with the audience " + a.WebURL + "."
	}
	return errs.New(errs.InvalidCredentials, message).With("reason", reason)
}

// ExchangeToken gives a run of a pipeline that a member trusts a token which submits one item and does nothing else.
func (a *Accounts) ExchangeToken(ctx context.Context, c core.Caller, in ExchangeInput) (ExchangedToken, error) {
	refused := budget{"exchange\x1f" + c.Remote, exchangesRefused, loginWindow}
	if wait := a.usedUp.wait(a.Clock(), []budget{refused}); wait > 0 {
		return ExchangedToken{}, tooMany(tooManyExchanges, wait)
	}
	out, reason, err := a.exchange(ctx, c, in)
	if err != nil || reason == "" {
		return out, err
	}
	if a.refusals.AllowN(a.Clock(), 1) {
		if err := a.spendBudget(ctx, tooManyExchanges, refused); err != nil {
			return ExchangedToken{}, err
		}
	}
	return ExchangedToken{}, a.refusal(reason)
}

const tooManyExchanges = "Too many identity tokens of no use came from this address. Wait a minute and try again."

func newRefusals() *rate.Limiter { return rate.NewLimiter(refusalsPerSecond, 10*refusalsPerSecond) }

func (a *Accounts) exchange(ctx context.Context, c core.Caller, in ExchangeInput) (out ExchangedToken, reason string, err error) {
	if a.Pipelines == nil {
		return out, identity.IssuerNotAllowed, nil
	}
	run, err := a.Pipelines.Verify(ctx, in.IDToken, a.WebURL)
	var bad *identity.Refused
	switch {
	case errors.As(err, &bad):
		a.Log.Info("the identity token of a pipeline was refused", "request_id", c.RequestID, "reason", bad.Reason)
		return out, bad.Reason, nil
	case errors.Is(err, identity.ErrUnreachable):
		return out, "", errs.Wrap(errs.ServiceUnavailable, "The issuer of this identity token cannot be asked for its keys. Try again in a moment.", err)
	case err != nil:
		return out, "", err
	}
	userID := either(in.UserID, ids.Namespace(in.ItemID))
	out = ExchangedToken{UserID: userID, ItemID: in.ItemID, Token: account.NewAPIToken()}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		reason, err = a.grantRun(ctx, tx, c, run, &out)
		if err == nil && reason != "" {
			err = errRefusedRun // nothing is kept
		}
		return err
	})
	if errors.Is(err, errRefusedRun) {
		a.Log.Info("a run of a pipeline was refused", "request_id", c.RequestID, "reason", reason, "issuer", run.Issuer)
		return out, reason, nil
	}
	return out, "", err
}

var errRefusedRun = errors.New("the run is refused")

// grantRun finds the trusted publisher that a run is of and keeps its token.
func (a *Accounts) grantRun(ctx context.Context, tx *store.Tx, c core.Caller, run identity.Run, out *ExchangedToken) (reason string, err error) {
	known, err := tx.Account(ctx, out.UserID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return reasonNoPublisher, nil
	}
	if err != nil {
		return "", err
	}
	all, err := tx.TrustedPublishersOf(ctx, out.UserID)
	if err != nil {
		return "", err
	}
	if known.Disabled || known.EraseAt != 0 || a.anonymous(out.UserID) {
		return reasonNoPublisher, nil
	}
	var p *memberdb.TrustedPublisher
	for i := range all {
		if covers(all[i].Item, out.ItemID) && fits(&all[i], run) {
			p = &all[i]
			break
		}
	}
	if p == nil {
		return reasonNoPublisher, nil
	}
	err = tx.AddExchangedToken(account.TokenHash(run.Issuer+"\x1f"+run.TokenID), clock.Micros(run.Until))
	if errors.Is(err, sqldb.ErrConflict) {
		return reasonUsed, nil
	}
	if err != nil {
		return "", err
	}
	now := clock.Micros(tx.Now)
	switch err := tx.UseTrustedPublisher(p.PublisherID, run.RepositoryID, now); {
	case errors.Is(err, sqldb.ErrNotFound): // removed meanwhile
		return reasonNoPublisher, nil
	case err != nil:
		return "", err
	}
	n, err := tx.PublisherTokens(ctx, p.PublisherID, now)
	if err != nil {
		return "", err
	}
	if n >= publisherTokens {
		return "", tooMany("This trusted publisher has many tokens that are still good. Wait some minutes and try again.", ExchangedTTL/publisherTokens)
	}
	expires := tx.Now.Add(ExchangedTTL)
	out.ExpiresAt = clock.Text(expires)
	if err := tx.AddAPIToken(memberdb.APIToken{
		TokenHash: account.TokenHash(out.Token), UserID: out.UserID, Label: run.Repository, Scope: string(core.ScopePublish), Item: out.ItemID, PublisherID: p.PublisherID,
		CreatedAt: now, ExpiresAt: clock.Micros(expires),
	}); err != nil {
		return "", err
	}
	return "", tx.AddEvent(core.NewAuditEvent(tx, c.As(out.UserID), core.AuditEntry{Owner: out.UserID, Action: "auth.token_exchanged", Target: p.PublisherID, Status: "ok", Detail: map[string]any{
		"item": out.ItemID, "issuer": run.Issuer, "repository": run.Repository, "workflow": run.Workflow, "environment": run.Environment, "ref": run.Ref,
	}}))
}

// covers tells whether an item is what a trusted publisher may publish.
func covers(pattern, itemID string) bool {
	if namespace, all := strings.CutSuffix(pattern, "/*"); all {
		return ids.Item(itemID) && ids.Namespace(itemID) == namespace
	}
	return pattern == itemID
}

// fits tells whether a run is of a trusted publisher. Names of repositories and environments are the same in small and large letters
// at the issuers; a repository that got the name of another is told by its number.
func fits(p *memberdb.TrustedPublisher, run identity.Run) bool {
	return p.Issuer == run.Issuer && strings.EqualFold(p.Repository, run.Repository) && (p.RepositoryID == "" || p.RepositoryID == run.RepositoryID) &&
		(p.Workflow == "" || p.Workflow == run.Workflow || !strings.Contains(p.Workflow, "/") && p.Workflow == path.Base(run.Workflow)) &&
		(p.Environment == "" || strings.EqualFold(p.Environment, run.Environment)) && fitsRef(p.Ref, run.Ref)
}

// fitsRef compares a ref with one that may end in * for whatever follows.
func fitsRef(pattern, ref string) bool {
	if begin, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(ref, begin)
	}
	return pattern == "" || pattern == ref
}
