package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/httpapi/routes"
	"stoa/internal/mcpserver"
	"stoa/internal/platform/errs"
)

// MCPCmd is `stoa mcp`.
type MCPCmd struct {
	MarketOnly bool `help:"Offer the market alone, without signing in."`
	ServerFlags
}

// Run answers an assistant that started this program, over its standard input and output, by calling a server as the member.
func (c *MCPCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	known, err := routes.Routes()
	if err != nil {
		return err
	}
	far := &remote{server, map[string]*routes.Route{}}
	for i := range known {
		far.routes[known[i].ID] = &known[i]
	}
	s := mcpserver.New(mcpserver.Options{Version: cli.Version, MarketOnly: c.MarketOnly, API: func(context.Context) mcpserver.API { return far }})
	err = s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(o.In), Writer: stdout{cli.Raw(o.Out)}})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil // the assistant has ended
	}
	return err
}

// stdout is where the messages go; it stays open.
type stdout struct{ io.Writer }

func (stdout) Close() error { return nil }

// remote carries out operations on a server.
type remote struct {
	server *client.Client
	routes map[string]*routes.Route
}

// Call implements mcpserver.API.
func (r *remote) Call(ctx context.Context, operation string, values map[string]any, key string) (json.RawMessage, error) {
	route := r.routes[operation]
	if route == nil {
		return nil, fmt.Errorf("there is no operation %s", operation)
	}
	query, body, err := route.Encode(values)
	if err != nil {
		return nil, err
	}
	data, err := r.server.Call(ctx, route.Method, route.Path, query, body, key)
	var refused *client.Error
	if !errors.As(err, &refused) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "stoa:", err)
			err = errs.New(errs.ServiceUnavailable, "The server cannot be reached just now: "+r.server.URL())
		}
		return data, err
	}
	e := errs.New(errs.Code(refused.Code), refused.Message)
	for _, d := range refused.Details {
		e.Details = append(e.Details, errs.Detail{Field: d.Field, Problem: d.Problem})
	}
	return nil, e
}
