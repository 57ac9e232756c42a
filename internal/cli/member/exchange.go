package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
)

// runFlags are how a run of a pipeline says who it is.
type runFlags struct {
	IDToken string `name:"id-token" help:"Identity token of a run of a pipeline, exchanged for a token that publishes; GitHub Actions is asked for one by itself when there is no --token." env:"STOA_ID_TOKEN" placeholder:"TOKEN"`
	User    string `help:"Whose trusted publisher the pipeline is; the name before the item's slash otherwise." env:"STOA_USER" placeholder:"ID"`
}

// What GitHub Actions gives a job that may have an identity token.
const (
	actionsURL   = "ACTIONS_ID_TOKEN_REQUEST_URL"
	actionsToken = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
)

// connectRun is connect for publishing an item: a run of a pipeline that has no token exchanges its identity token for one.
func (f *runFlags) connectRun(ctx context.Context, o cli.Output, at *ServerFlags, itemID string) (*client.Client, error) {
	inActions := os.Getenv(actionsURL) != "" && os.Getenv(actionsToken) != ""
	if at.Token != "" || f.IDToken == "" && !inActions {
		return at.Connect(o)
	}
	server, err := at.Connect(o)
	if err != nil {
		return nil, err
	}
	id := f.IDToken
	if id == "" {
		if id, err = askActions(ctx, server.URL()); err != nil {
			return nil, err
		}
	}
	anyone, err := client.New(server.URL(), client.Options{})
	if err != nil {
		return nil, err
	}
	got, err := contract.New(anyone).ExchangeToken(ctx, contract.ExchangeRequest{UserID: f.User, ItemID: itemID, IDToken: id})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(o.Err, "stoa: this run publishes %s for %s, until %s\n", cli.Printable(got.ItemID), cli.Printable(got.UserID), cli.Printable(got.ExpiresAt))
	return client.New(server.URL(), client.Options{Token: got.Token})
}

// askActions asks GitHub Actions for an identity token that is made for a server.
func askActions(ctx context.Context, audience string) (string, error) {
	at, err := url.Parse(os.Getenv(actionsURL))
	if err != nil || at.Scheme != "https" && !client.Loopback(at.Hostname()) {
		return "", fmt.Errorf("%s is no https address", actionsURL)
	}
	q := at.Query()
	q.Set("audience", audience)
	at.RawQuery = q.Encode()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv(actionsToken))
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", fmt.Errorf("GitHub Actions cannot be asked for an identity token: %w", err)
	}
	defer res.Body.Close()
	var said struct {
		Value string `json:"value"`
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(text, &said) != nil || said.Value == "" {
		return "", errors.Join(fmt.Errorf("GitHub Actions gave no identity token (status %d); the job needs `permissions: { id-token: write }`", res.StatusCode), err)
	}
	return said.Value, nil
}
