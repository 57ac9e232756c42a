package client

import (
	"context"
)

// OwnSession is one of the places where a member is signed in.
type OwnSession struct {
	ID         string `json:"session_id"`
	Current    bool   `json:"current"` // the one that this client uses
	CreatedAt  string `json:"created_at"`
	LastSeenAt string `json:"last_seen_at"`
	ExpiresAt  string `json:"expires_at"`
	Address    string `json:"address"`
	Agent      string `json:"agent"`
}

// Sessions lists where the member is signed in.
func (c *Client) Sessions(ctx context.Context) ([]OwnSession, error) {
	var out struct {
		Sessions []OwnSession `json:"sessions"`
	}
	err := c.get(ctx, "/api/account/sessions", nil, 0, &out)
	return out.Sessions, err
}

// EndSession signs the member out in one place.
func (c *Client) EndSession(ctx context.Context, id string) error {
	return c.post(ctx, "/api/account/sessions/end", "", map[string]string{"session_id": id}, false, nil)
}

// EndSessions signs the member out everywhere, here too.
func (c *Client) EndSessions(ctx context.Context) error {
	return c.post(ctx, "/api/account/sessions/end-all", "", struct{}{}, false, nil)
}

// ChangePassword gives the member another password, of at least 12 characters.
func (c *Client) ChangePassword(ctx context.Context, current, next string) error {
	return c.post(ctx, "/api/account/password", "", map[string]string{"current_password": current, "new_password": next}, false, nil)
}

// APIToken is a token with which a program acts for the member.
type APIToken struct {
	ID         string `json:"token_id"`
	Label      string `json:"label"`
	Scope      string `json:"scope"` // read or write
	CreatedAt  string `json:"created_at"`
	LastUsedAt string `json:"last_used_at"`
	ExpiresAt  string `json:"expires_at"`
	ClientID   string `json:"client_id"`
	Token      string `json:"token,omitempty"` // of a new one only
}

// Tokens lists the member's API tokens, without their secrets.
func (c *Client) Tokens(ctx context.Context) ([]APIToken, error) {
	var out struct {
		Tokens []APIToken `json:"tokens"`
	}
	err := c.get(ctx, "/api/account/tokens", nil, 0, &out)
	return out.Tokens, err
}

// Confirm proves that it is the member who calls, by their password: making a token wants that.
func (c *Client) Confirm(ctx context.Context, password string) error {
	return c.post(ctx, "/api/account/confirm", "", map[string]string{"password": password}, false, nil)
}

// CreateToken makes an API token for so many days; scope is read or write. Its Token is answered this once. Only a member
// who proved a short time ago that it is them may: see Confirm.
func (c *Client) CreateToken(ctx context.Context, label, scope string, days int) (APIToken, error) {
	var t APIToken
	err := c.post(ctx, "/api/account/tokens", "", map[string]any{"label": label, "scope": scope, "expires_in_days": days}, false, &t)
	return t, err
}

// RevokeToken ends an API token and tells whether there was one.
func (c *Client) RevokeToken(ctx context.Context, id string) (bool, error) {
	var out struct {
		Revoked bool `json:"revoked"`
	}
	err := c.post(ctx, "/api/account/tokens/revoke", "", map[string]string{"token_id": id}, false, &out)
	return out.Revoked, err
}

// Quota is how much of one kind the member has used. Limit is nil where there is no bound.
type Quota struct {
	Kind   string `json:"kind"`
	Period string `json:"period"` // stored, day or hour
	Unit   string `json:"unit"`   // count or bytes
	Used   int64  `json:"used"`
	Limit  *int64 `json:"limit"`
}

// Quotas lists what the member may keep and do, and how much of it is used.
func (c *Client) Quotas(ctx context.Context) ([]Quota, error) {
	var out struct {
		Quotas []Quota `json:"quotas"`
	}
	err := c.get(ctx, "/api/member/quotas", nil, 0, &out)
	return out.Quotas, err
}
