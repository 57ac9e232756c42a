// Package contract has a method for every operation of Stoa's contract that answers JSON, and a type for every schema, named as
// in the contract. What sends or answers files is in package client, which also retries and bounds every call:
//
//	c, err := client.New("https://stoa.example", client.Options{Token: token})
//	…
//	page, err := contract.New(c).ListTemplates(ctx, contract.ListTemplatesParams{Query: "translator"})
//
// All but this file is generated: go run ./internal/clientgen.
package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"stoa/client"
)

// API calls the operations of one server. It may be used by several goroutines.
type API struct {
	client *client.Client
	key    string
}

// New makes an API of a client, with the client's token and limits.
func New(c *client.Client) API { return API{client: c} }

// WithKey is the API with an idempotency key for what is called next: the same call with the same key is done once.
func (a API) WithKey(key string) API {
	a.key = key
	return a
}

// call carries out an operation; in is nil where it takes no body.
func call[Out any](ctx context.Context, a API, method, path string, query url.Values, in any) (out Out, err error) {
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return out, err
		}
	}
	data, err := a.client.Call(ctx, method, path, query, body, a.key)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// text writes a parameter as the query has it.
func text(v any) string { return fmt.Sprint(v) }
