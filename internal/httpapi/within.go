package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"stoa/internal/app/core"
	"stoa/internal/platform/errs"
)

// within carries out operations for a request that came by another protocol, as its caller. Whether the caller may, and
// what comes out, is decided where it is for the HTTP API: by the route and its row of the table.
type within struct {
	server *Server
	caller core.Caller
	outer  *recorder
}

// Call answers the data of an operation's envelope.
func (c *within) Call(ctx context.Context, operation string, values map[string]any, key string) (json.RawMessage, error) {
	route := c.server.routes[operation]
	if route == nil {
		return nil, fmt.Errorf("httpapi: there is no operation %s", operation)
	}
	if err := route.Permits(c.caller); err != nil {
		return nil, err
	}
	req, err := route.Request(ctx, values)
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	answer := memory{header: http.Header{}}
	rec := newRecorder(&answer, req, origin{remote: c.outer.remote, https: c.outer.https})
	defer rec.free()
	rec.requestID, rec.idSent, rec.route, rec.userID = c.outer.requestID, c.outer.idSent, route, c.caller.UserID
	r := &request{Request: req, w: rec, server: c.server, route: route, caller: c.caller}
	if c.caller.Role != core.Public {
		r.Request = req.WithContext(c.server.app.Metered(ctx, c.caller))
	}
	if err := c.server.handlers[operation](r); err != nil {
		return nil, c.shown(r.Request, err)
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(answer.body.Bytes(), &envelope); err != nil {
		return nil, err
	}
	return envelope.Data, nil
}

// shown is an error as the HTTP API tells it; what is not ours is logged.
func (c *within) shown(req *http.Request, err error) error {
	if e, ok := errs.As(err); ok && statusOf[e.Code] != 0 {
		return e
	}
	c.outer.problem = err
	if away := core.Outage(err); away != nil {
		return away
	}
	if unavailable(req, err) {
		return errs.New(errs.ServiceUnavailable, "The server is busy or stopping. Try again in a moment.")
	}
	return errs.Newf(errs.Internal, "Something went wrong on the server. Quote the request id %s to its operator.", c.outer.requestID)
}

// memory is an answer that is not sent.
type memory struct {
	header http.Header
	body   bytes.Buffer
}

func (m *memory) Header() http.Header         { return m.header }
func (m *memory) WriteHeader(int)             {}
func (m *memory) Write(b []byte) (int, error) { return m.body.Write(b) }
