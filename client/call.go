package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
)

// Call carries out any operation of the contract and answers the envelope's data. body is JSON, nil for none; key is an
// idempotency key or "".
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, body []byte, key string) (json.RawMessage, error) {
	q := &call{method: method, path: path, query: query, key: key, limit: maxLong}
	if method != http.MethodGet {
		q.body = func() (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		}
	}
	var data json.RawMessage
	err := c.data(ctx, q, &data)
	return data, err
}
