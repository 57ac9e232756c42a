package clientdoc

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

// registeredPrefix begins the id of a client that registered; no https address begins so.
const registeredPrefix = "self."

// Bounds of a registration. An id travels in addresses.
const (
	MaxRegistration = 5 << 10
	maxRegistered   = 1500
	maxName         = 60
)

// Problems of a registration, in the words of RFC 7591.
var (
	ErrMetadata = errors.New("invalid_client_metadata")
	ErrRedirect = errors.New("invalid_redirect_uri")
)

// Register makes a client of what a program without a document says of itself (RFC 7591). The id holds all of it, so that
// nothing is kept; who makes one up gains nothing, since anybody may register anything. That is also why such a client is
// answered on the person's own machine alone: a site that wants to be answered must have a document at its own address.
func Register(text []byte) (Client, error) {
	var said struct {
		Client
		Responses []string `json:"response_types"`
	}
	if len(text) > MaxRegistration || json.Unmarshal(text, &said) != nil {
		return Client{}, ErrMetadata
	}
	c := Client{Name: strings.ToValidUTF8(said.Name, "")}
	if name := []rune(c.Name); len(name) > maxName {
		c.Name = string(name[:maxName])
	}
	for _, uri := range said.RedirectURIs {
		if OwnMachine(uri) && len(c.RedirectURIs) < maxRedirects {
			c.RedirectURIs = append(c.RedirectURIs, uri)
		}
	}
	for _, grant := range said.GrantTypes {
		if grant == "refresh_token" {
			c.GrantTypes = []string{grant}
		}
	}
	if len(c.RedirectURIs) == 0 {
		return Client{}, ErrRedirect
	}
	id, err := c.encode()
	if err != nil || len(id) > maxRegistered {
		return Client{}, ErrMetadata
	}
	c.ID = id
	return c, nil
}

// Registered gives the client that registered under an id; ok is false for any other id.
func Registered(id string) (c Client, ok bool) {
	coded, ok := strings.CutPrefix(id, registeredPrefix)
	if !ok || len(id) > maxRegistered {
		return Client{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil {
		return Client{}, false
	}
	c, err = Register(text)
	return c, err == nil && c.ID == id
}

// IsRegistered tells whether an id is of a client that registered, of which nothing was checked.
func IsRegistered(id string) bool { return strings.HasPrefix(id, registeredPrefix) }

func (c *Client) encode() (string, error) {
	text, err := json.Marshal(map[string]any{"client_name": c.Name, "redirect_uris": c.RedirectURIs, "grant_types": c.GrantTypes})
	return registeredPrefix + base64.RawURLEncoding.EncodeToString(text), err
}

// OwnMachine tells whether an address is one of the machine that opens it.
func OwnMachine(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && redirectable(uri) && u.Scheme == "http" && loopback(u.Hostname())
}
