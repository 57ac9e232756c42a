package accounts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// Bounds of API tokens.
const (
	DefaultTokenDays = 30
	MaxTokenDays     = 366
	maxTokens        = 50 // of one member
	// tokenTouch is how far the time of last use may lag behind.
	tokenTouch = time.Hour
)

// tokenCache keeps API tokens that were just looked up.
type tokenCache struct {
	kept *otter.Cache[string, keptToken]
}

type keptToken struct {
	token  memberdb.APIToken
	readAt time.Time
}

func newTokenCache() *tokenCache {
	return &tokenCache{otter.Must(&otter.Options[string, keptToken]{MaximumSize: 20_000})}
}

// IdentifyFor finds out who holds a token at a resource, which tokens may be bound to. Sessions and tokens that are bound
// to nothing count there too.
func (a *Accounts) IdentifyFor(ctx context.Context, token, audience string) (core.Caller, error) {
	if a.AuthRequired && account.IsAPIToken(token) {
		return a.identifyToken(ctx, token, audience)
	}
	return a.Identify(ctx, token)
}

// identifyToken finds out who holds an API token. An unknown or expired one, and one for another resource, is nobody's.
func (a *Accounts) identifyToken(ctx context.Context, token, audience string) (core.Caller, error) {
	hash := account.TokenHash(token)
	t, err := a.apiToken(ctx, hash)
	if errors.Is(err, sqldb.ErrNotFound) {
		return core.Caller{}, nil
	}
	if err != nil {
		return core.Caller{}, err
	}
	now := clock.Micros(a.Clock())
	if now >= t.ExpiresAt || a.anonymous(t.UserID) || t.Audience != "" && t.Audience != audience {
		return core.Caller{}, nil
	}
	if now-t.SeenAt >= tokenTouch.Microseconds() {
		a.touchToken(ctx, t, now)
	}
	return core.Caller{Role: core.Member, UserID: t.UserID, Token: hash, Scope: core.Scope(t.Scope), Item: t.Item, ExpiresAt: t.ExpiresAt}, nil
}

func (a *Accounts) apiToken(ctx context.Context, hash string) (memberdb.APIToken, error) {
	now := a.Clock()
	if k, ok := a.tokens.kept.GetIfPresent(hash); ok && now.Sub(k.readAt) < sessionStale && !now.Before(k.readAt) {
		return k.token, nil
	}
	t, err := a.Store.APIToken(ctx, hash)
	if err != nil {
		a.tokens.kept.Invalidate(hash)
		return t, err
	}
	a.tokens.kept.Set(hash, keptToken{t, now})
	return t, nil
}

// touchToken notes a use. Whoever only reads is let in where nothing can be written.
func (a *Accounts) touchToken(ctx context.Context, t memberdb.APIToken, now int64) {
	soon, cancel := context.WithTimeout(ctx, touchPatience)
	defer cancel()
	if err := a.Store.Write(soon, func(tx *store.Tx) error { return tx.TouchAPIToken(t.TokenHash, now) }); err != nil {
		a.Log.Debug("the use of an API token was not noted", "error", err)
		return
	}
	t.SeenAt = now
	a.tokens.kept.Set(t.TokenHash, keptToken{t, a.Clock()})
}

// CreateTokenInput says what a new API token is for.
type CreateTokenInput struct {
	UserID string     `json:"user_id"`
	Label  string     `json:"label"`
	Scope  core.Scope `json:"scope"` // "" is ScopeRead
	Days   int        `json:"expires_in_days"`
}

// APIToken is an API token as its member sees it.
type APIToken struct {
	TokenID    string     `json:"token_id"`
	Label      string     `json:"label"`
	Scope      core.Scope `json:"scope"`
	CreatedAt  string     `json:"created_at"`
	LastUsedAt string     `json:"last_used_at"`
	ExpiresAt  string     `json:"expires_at"`
	// Client is the assistant that the member allowed it to; "" for a token that they made themselves.
	Client string `json:"client_id"`
}

// CreatedToken is a new API token; Token is shown this once.
type CreatedToken struct {
	UserID string `json:"user_id"`
	Token  string `json:"token"`
	APIToken
}

// APITokens are a member's own API tokens.
type APITokens struct {
	UserID string     `json:"user_id"`
	Tokens []APIToken `json:"tokens"`
}

func shownToken(t memberdb.APIToken) APIToken {
	out := APIToken{
		TokenID: t.PublicID(), Label: t.Label, Scope: core.Scope(t.Scope), CreatedAt: clock.Text(clock.FromMicros(t.CreatedAt)), ExpiresAt: clock.Text(clock.FromMicros(t.ExpiresAt)),
	}
	if t.SeenAt > 0 {
		out.LastUsedAt = clock.Text(clock.FromMicros(t.SeenAt))
	}
	return out
}

// CreateAPIToken makes an API token for the caller.
func (a *Accounts) CreateAPIToken(ctx context.Context, c core.Caller, in CreateTokenInput) (CreatedToken, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return CreatedToken{}, err
	}
	if !c.May(core.ScopeSession) {
		return CreatedToken{}, errs.New(errs.PermissionDenied, "A token cannot make tokens. Sign in.").With("error", string(errs.PermissionDenied))
	}
	if err := a.requireConfirmed(ctx, c); err != nil {
		return CreatedToken{}, err
	}
	if in.Scope == "" {
		in.Scope = core.ScopeRead
	}
	if in.Days == 0 {
		in.Days = DefaultTokenDays
	}
	out := CreatedToken{UserID: userID, Token: account.NewAPIToken()}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		t := memberdb.APIToken{
			TokenHash: account.TokenHash(out.Token), UserID: userID, Label: in.Label, Scope: string(in.Scope), CreatedAt: clock.Micros(tx.Now),
			ExpiresAt: clock.Micros(tx.Now.Add(time.Duration(in.Days) * 24 * time.Hour)),
		}
		all, err := tx.APITokensOf(ctx, userID, t.CreatedAt)
		if err != nil {
			return err
		}
		if len(all) >= maxTokens {
			return errs.Newf(errs.QuotaExceeded, "You have %d API tokens already. Revoke one that you no longer need.", len(all))
		}
		if err := tx.AddAPIToken(t); err != nil {
			return err
		}
		out.APIToken = shownToken(t)
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.token_created", Target: t.PublicID(), Status: "ok", Detail: map[string]any{"scope": in.Scope, "days": in.Days}}))
	})
	return out, err
}

// ListAPITokens lists the caller's API tokens, the newest first.
func (a *Accounts) ListAPITokens(ctx context.Context, c core.Caller, in AccountInput) (APITokens, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return APITokens{}, err
	}
	out := APITokens{UserID: userID, Tokens: []APIToken{}}
	all, err := a.Store.APITokensOf(ctx, userID, clock.Micros(a.Clock()))
	for _, t := range all {
		out.Tokens = append(out.Tokens, shownToken(t))
	}
	if err != nil {
		return out, err
	}
	grants, err := a.Store.OAuthGrantsOf(ctx, userID, clock.Micros(a.Clock()))
	for _, g := range grants {
		shown := shownToken(memberdb.APIToken{TokenHash: g.GrantHash, Label: g.ClientName, Scope: g.Scope, CreatedAt: g.CreatedAt, SeenAt: g.SeenAt, ExpiresAt: g.ExpiresAt})
		shown.Client = g.ClientID
		out.Tokens = append(out.Tokens, shown)
	}
	return out, err
}

// RevokeTokenInput names one API token.
type RevokeTokenInput struct {
	UserID  string `json:"user_id"`
	TokenID string `json:"token_id"`
}

// RevokedToken tells whether there was a token to revoke.
type RevokedToken struct {
	UserID  string `json:"user_id"`
	TokenID string `json:"token_id"`
	Revoked bool   `json:"revoked"`
}

// RevokeAPIToken ends one of the caller's API tokens. One that is not there counts as revoked before.
func (a *Accounts) RevokeAPIToken(ctx context.Context, c core.Caller, in RevokeTokenInput) (RevokedToken, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RevokedToken{}, err
	}
	out := RevokedToken{UserID: userID, TokenID: in.TokenID}
	hash := ""
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		all, err := tx.APITokensOf(ctx, userID, 0)
		i := slices.IndexFunc(all, func(t memberdb.APIToken) bool { return t.PublicID() == in.TokenID })
		if err == nil && i < 0 {
			out.Revoked, err = endGrant(ctx, tx, userID, in.TokenID)
			if err != nil || !out.Revoked {
				return err
			}
			return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.assistant_revoked", Target: in.TokenID, Status: "ok"}))
		}
		if err != nil {
			return err
		}
		hash = all[i].TokenHash
		if out.Revoked, err = tx.RevokeAPIToken(hash); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.token_revoked", Target: in.TokenID, Status: "ok"}))
	})
	a.tokens.kept.InvalidateAll()
	return out, err
}

// endGrant ends what a member has allowed an assistant, with its access tokens.
func endGrant(ctx context.Context, tx *store.Tx, userID, publicID string) (bool, error) {
	grants, err := tx.OAuthGrantsOf(ctx, userID, 0)
	for _, g := range grants {
		if g.PublicID() == publicID {
			return tx.EndOAuthGrant(g.GrantHash)
		}
	}
	return false, err
}
