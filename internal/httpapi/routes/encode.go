package routes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Encode puts values by the contract's names where the operation takes them: into the query, or into a body of JSON.
func (r *Route) Encode(values map[string]any) (query url.Values, body []byte, err error) {
	query = url.Values{}
	if r.Body == nil || r.Method == http.MethodGet {
		for name, v := range values {
			query.Set(name, fmt.Sprint(v))
		}
		return query, nil, nil
	}
	if values == nil {
		return query, []byte("{}"), nil
	}
	body, err = json.Marshal(values)
	return query, body, err
}

// Request is a call of a route with values by the contract's names.
func (r *Route) Request(ctx context.Context, values map[string]any) (*http.Request, error) {
	query, body, err := r.Encode(values)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.URL.RawQuery = query.Encode()
	for _, p := range r.Params {
		if p.InPath {
			req.SetPathValue(p.Name, strings.TrimSpace(query.Get(p.Name)))
		}
	}
	return req, nil
}
