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

// Passkey is one of a member's passkeys. A browser makes them; there is no secret in it.
type Passkey struct {
	ID         string `json:"passkey_id"`
	Label      string `json:"label"`
	Host       string `json:"host"`   // the host name that it is for
	Synced     bool   `json:"synced"` // whether copies of it are on other devices
	CreatedAt  string `json:"created_at"`
	LastUsedAt string `json:"last_used_at"`
}

// Passkeys lists the member's passkeys.
func (c *Client) Passkeys(ctx context.Context) ([]Passkey, error) {
	var out struct {
		Passkeys []Passkey `json:"passkeys"`
	}
	err := c.get(ctx, "/api/account/passkeys", nil, 0, &out)
	return out.Passkeys, err
}

// RenamePasskey gives a passkey another label.
func (c *Client) RenamePasskey(ctx context.Context, id, label string) error {
	return c.post(ctx, "/api/account/passkeys/rename", "", map[string]string{"passkey_id": id, "label": label}, false, nil)
}

// RemovePasskey removes a passkey and tells whether there was one. It wants a confirmed session: see Confirm.
func (c *Client) RemovePasskey(ctx context.Context, id string) (bool, error) {
	var out struct {
		Removed bool `json:"removed"`
	}
	err := c.post(ctx, "/api/account/passkeys/remove", "", map[string]string{"passkey_id": id}, false, &out)
	return out.Removed, err
}

// NotificationKind is where the member is told of one kind.
type NotificationKind struct {
	Kind    string `json:"kind"`
	Page    bool   `json:"page"`
	Feed    bool   `json:"feed"`
	Mail    bool   `json:"mail"`
	Webhook bool   `json:"webhook"`
}

// NotificationChoices are where the member is told of what.
type NotificationChoices struct {
	Kinds          []NotificationKind `json:"kinds"`
	Locale         string             `json:"locale"`
	MailOffered    bool               `json:"mail_offered"`
	MailTo         string             `json:"mail_to"`
	MailConfirmed  bool               `json:"mail_confirmed"`
	MailProblem    string             `json:"mail_problem"`
	WebhookURL     string             `json:"webhook_url"`
	WebhookProblem string             `json:"webhook_problem"`
	HasFeed        bool               `json:"has_feed"`
}

// NotificationChoices answers where the member is told of what.
func (c *Client) NotificationChoices(ctx context.Context) (NotificationChoices, error) {
	var out NotificationChoices
	err := c.get(ctx, "/api/account/notifications", nil, 0, &out)
	return out, err
}

// SetNotificationWays chooses where the member is told of some kinds; the others stay as they are.
func (c *Client) SetNotificationWays(ctx context.Context, kinds []NotificationKind) error {
	return c.post(ctx, "/api/account/notifications", "", map[string]any{"kinds": kinds}, false, nil)
}

// RenewNotificationFeed gives the member's feed a new private address, which is answered this once, or ends it.
func (c *Client) RenewNotificationFeed(ctx context.Context, on bool) (url string, err error) {
	var out struct {
		URL string `json:"url"`
	}
	err = c.post(ctx, "/api/account/notifications/feed", "", map[string]bool{"on": on}, false, &out)
	return out.URL, err
}

// SetNotificationMail names where mails go, "" for nowhere. Nothing goes there before ConfirmNotificationMail.
func (c *Client) SetNotificationMail(ctx context.Context, address string) error {
	return c.post(ctx, "/api/account/notifications/mail", "", map[string]string{"address": address}, false, nil)
}

// ConfirmNotificationMail gives back the code that was sent to the address.
func (c *Client) ConfirmNotificationMail(ctx context.Context, code string) error {
	return c.post(ctx, "/api/account/notifications/mail/confirm", "", map[string]string{"code": code}, false, nil)
}

// SetNotificationWebhook names where messages are posted, "" for nowhere, and answers what they are signed with.
func (c *Client) SetNotificationWebhook(ctx context.Context, url string) (secret string, err error) {
	var out struct {
		Secret string `json:"secret"`
	}
	err = c.post(ctx, "/api/account/notifications/webhook", "", map[string]string{"url": url}, false, &out)
	return out.Secret, err
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
