package client

import (
	"context"
	"mime"
	"path"
	"strings"
)

// Session is a signed-in member.
type Session struct {
	Token     string `json:"token"`
	UserID    string `json:"user_id"`
	Role      string `json:"role"`
	ExpiresAt string `json:"expires_at"`
}

// Login signs a member in; "" is the server's default member. The client itself stays as it is: see WithToken.
func (c *Client) Login(ctx context.Context, userID, password string) (Session, error) {
	var s Session
	body := map[string]string{"password": password}
	if userID != "" {
		body["user_id"] = userID
	}
	err := c.post(ctx, "/api/login", "", body, false, &s)
	return s, err
}

// Logout ends the client's session.
func (c *Client) Logout(ctx context.Context) error {
	return c.post(ctx, "/api/logout", "", struct{}{}, false, nil)
}

// SetRecipient stores the age recipient to whom the member's secrets are sealed; "" takes it away.
func (c *Client) SetRecipient(ctx context.Context, recipient string) error {
	return c.post(ctx, "/api/preferences/recipient", "", map[string]string{"recipient": recipient}, false, nil)
}

// filename reads the name of a Content-Disposition, without any folder.
func filename(disposition string) string {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return ""
	}
	name := path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	if name == "." || name == "/" || name == ".." {
		return ""
	}
	return name
}
