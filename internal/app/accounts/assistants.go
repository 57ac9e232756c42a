package accounts

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// How long what an assistant is given is good. Every use extends a refresh token by its whole time.
const (
	codeTTL    = time.Minute
	AccessTTL  = time.Hour
	refreshTTL = 30 * 24 * time.Hour
)

// ErrGrant is for a code or a refresh token that is unknown, used, too old, or somebody else's.
var ErrGrant = errors.New("accounts: not a grant that stands")

// Consent is what a member allows an assistant.
type Consent struct {
	ClientID, ClientName, RedirectURI string
	Scope                             core.Scope
	Resource                          string
	Challenge                         string // of PKCE, S256
	Refreshes                         bool
}

// AllowAssistant keeps a member's consent and answers the code that the assistant turns into tokens.
func (a *Accounts) AllowAssistant(ctx context.Context, c core.Caller, in Consent) (code string, err error) {
	userID, err := c.Member("")
	if err != nil {
		return "", err
	}
	if !c.May(core.ScopeSession) {
		return "", errs.New(errs.PermissionDenied, "A token cannot allow anything. Sign in.").With("error", string(errs.PermissionDenied))
	}
	code = account.NewToken()
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		err := tx.AddOAuthCode(memberdb.OAuthCode{
			CodeHash: account.TokenHash(code), UserID: userID, ClientID: in.ClientID, ClientName: in.ClientName, RedirectURI: in.RedirectURI, Scope: string(in.Scope),
			Resource: in.Resource, Challenge: in.Challenge, Refreshes: in.Refreshes, ExpiresAt: clock.Micros(tx.Now.Add(codeTTL)),
		})
		if err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "auth.assistant_allowed", Status: "ok", Detail: map[string]any{"client": in.ClientID, "scope": in.Scope}}))
	})
	return code, err
}

// IssuedTokens are what an assistant calls with; Refresh is "" when there is none.
type IssuedTokens struct {
	Access, Refresh string
	Scope           core.Scope
}

// RedeemInput is a code and what proves that it is the assistant's. Resource "" means the one that was consented to.
type RedeemInput struct {
	Code, ClientID, RedirectURI, Verifier, Resource string
}

// RedeemCode turns a code into tokens.
func (a *Accounts) RedeemCode(ctx context.Context, c core.Caller, in RedeemInput) (IssuedTokens, error) {
	var out IssuedTokens
	refused, again := false, false
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		grant := grantOf(in.Code)
		code, err := tx.TakeOAuthCode(account.TokenHash(in.Code))
		if errors.Is(err, sqldb.ErrNotFound) {
			// A code that comes a second time was seen by somebody else: what the first one gave ends, too.
			refused = true
			again, err = tx.EndOAuthGrant(account.TokenHash(grant))
			return err
		}
		if err != nil {
			return err
		}
		if refused = !in.fits(code); refused {
			return nil // the code is used up all the same
		}
		secret := ""
		g := memberdb.OAuthGrant{
			GrantHash: account.TokenHash(grant), UserID: code.UserID, ClientID: code.ClientID, ClientName: code.ClientName, Scope: code.Scope, Resource: code.Resource,
			CreatedAt: clock.Micros(tx.Now), SeenAt: clock.Micros(tx.Now), ExpiresAt: clock.Micros(tx.Now.Add(AccessTTL)),
		}
		out = IssuedTokens{Scope: core.Scope(code.Scope)}
		if code.Refreshes {
			secret = account.NewToken()
			g.RefreshHash, g.ExpiresAt = account.TokenHash(secret), clock.Micros(tx.Now.Add(refreshTTL))
			out.Refresh = grant + "." + secret
		}
		if err := tx.AddOAuthGrant(g); err != nil {
			return err
		}
		c.UserID = code.UserID
		if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: g.UserID, Action: "auth.assistant_signed_in", Target: g.PublicID(), Status: "ok"})); err != nil {
			return err
		}
		out.Access, err = access(tx, g)
		return err
	})
	if again {
		a.tokens.kept.InvalidateAll()
	}
	if err == nil && refused {
		err = ErrGrant
	}
	return out, err
}

// grantOf names the grant that a code gives, so that it can be found when the code comes again.
func grantOf(code string) string {
	sum := sha256.Sum256([]byte("grant\x1f" + code))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// fits tells whether a code is redeemed by whom it was given to.
func (in RedeemInput) fits(code memberdb.OAuthCode) bool {
	sum := sha256.Sum256([]byte(in.Verifier))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	return len(in.Verifier) >= 43 && len(in.Verifier) <= 128 && subtle.ConstantTimeCompare([]byte(proof), []byte(code.Challenge)) == 1 &&
		in.ClientID == code.ClientID && in.RedirectURI == code.RedirectURI && (in.Resource == "" || in.Resource == code.Resource)
}

// access makes an access token under a grant.
func access(tx *store.Tx, g memberdb.OAuthGrant) (string, error) {
	token := account.NewAPIToken()
	return token, tx.AddAPIToken(memberdb.APIToken{
		TokenHash: account.TokenHash(token), UserID: g.UserID, Label: g.ClientName, Scope: g.Scope, Audience: g.Resource, GrantID: g.GrantHash,
		CreatedAt: clock.Micros(tx.Now), ExpiresAt: clock.Micros(tx.Now.Add(AccessTTL)),
	})
}

// RefreshAssistant turns a refresh token into new tokens. One that was used before ends the grant: somebody has a copy.
func (a *Accounts) RefreshAssistant(ctx context.Context, refresh, clientID string) (IssuedTokens, error) {
	grant, secret, _ := strings.Cut(refresh, ".")
	var out IssuedTokens
	refused := false
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		g, err := tx.OAuthGrant(account.TokenHash(grant))
		if errors.Is(err, sqldb.ErrNotFound) || err == nil && (g.ClientID != clientID || g.RefreshHash == "") {
			return ErrGrant
		}
		if err != nil {
			return err
		}
		next := account.NewToken()
		rotated, err := tx.RotateRefresh(g.GrantHash, account.TokenHash(secret), account.TokenHash(next), clock.Micros(tx.Now.Add(refreshTTL)))
		if err != nil {
			return err
		}
		if refused = !rotated; refused {
			_, err := tx.EndOAuthGrant(g.GrantHash)
			return err
		}
		out = IssuedTokens{Refresh: grant + "." + next, Scope: core.Scope(g.Scope)}
		out.Access, err = access(tx, g)
		return err
	})
	if refused {
		a.tokens.kept.InvalidateAll()
		err = ErrGrant
	}
	return out, err
}

// ForgetAssistantToken ends an access token, or with a refresh token all that it stands for. Unknown ones are ended already.
func (a *Accounts) ForgetAssistantToken(ctx context.Context, token string) error {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if account.IsAPIToken(token) {
			_, err := tx.RevokeAPIToken(account.TokenHash(token))
			return err
		}
		grant, secret, _ := strings.Cut(token, ".")
		g, err := tx.OAuthGrant(account.TokenHash(grant))
		if errors.Is(err, sqldb.ErrNotFound) || err == nil && g.RefreshHash != account.TokenHash(secret) {
			return nil
		}
		if err == nil {
			_, err = tx.EndOAuthGrant(g.GrantHash)
		}
		return err
	})
	a.tokens.kept.InvalidateAll()
	return err
}
