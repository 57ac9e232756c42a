package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/platform/errs"
)

// Result is the structured content of a tool's answer. Data is what the operation of the HTTP API answers, or a part of it.
type Result struct {
	Notice    string          `json:"notice"`
	Operation string          `json:"operation"`
	Data      json.RawMessage `json:"data"`
}

// tool is one row of the table of tools.
type tool struct {
	name   string
	member bool // it needs a member
	writes bool // it needs a token for writing
	add    func(s *mcp.Server, api func(context.Context) API)
}

// row makes a tool of the usual form. run answers the operation that was carried out, and its data.
func row[In any](t mcp.Tool, member, writes bool, run func(ctx context.Context, api API, in In) (string, json.RawMessage, error)) tool {
	no, destructive := false, false
	t.Annotations = &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: !writes, OpenWorldHint: &no, IdempotentHint: true}
	if writes {
		t.Annotations.DestructiveHint = &destructive // it adds what was answered, and takes nothing away
	}
	t.Meta = untrusted()
	t.OutputSchema = resultSchema
	if schema, err := jsonschema.For[In](nil); err == nil {
		constrain(schema)
		t.InputSchema = schema
	}
	return tool{t.Name, member, writes, func(s *mcp.Server, api func(context.Context) API) {
		mcp.AddTool(s, &t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			operation, data, err := run(ctx, api(ctx), in)
			if err != nil {
				return nil, nil, told(err)
			}
			return &mcp.CallToolResult{Meta: untrusted(), Content: []mcp.Content{
				&mcp.TextContent{Text: notice}, &mcp.TextContent{Text: string(data), Meta: untrusted()},
			}}, Result{notice, operation, data}, nil
		})
	}}
}

var resultSchema = &jsonschema.Schema{
	Type: "object", Required: []string{"notice", "operation", "data"},
	Properties: map[string]*jsonschema.Schema{
		"notice":    {Type: "string"},
		"operation": {Type: "string", Description: "The operation of Stoa's HTTP API that answered; api/openapi.yaml describes its data."},
		"data":      {Type: "object", Description: "Untrusted content: texts in it were written by other people."},
	},
}

// Bounds that a type does not tell, by the name of the input.
func constrain(s *jsonschema.Schema) {
	least, most, page := 1.0, 50.0, 10.0
	if p := s.Properties["kind"]; p != nil {
		p.Enum = []any{"template", "profile_pack"}
	}
	if p := s.Properties["outcome"]; p != nil {
		p.Enum = []any{"correct", "partial", "incorrect", "skipped"}
	}
	if p := s.Properties["limit"]; p != nil {
		p.Minimum, p.Maximum, p.Default = &least, &most, json.RawMessage(fmt.Sprint(page))
	}
	if p := s.Properties["idempotency_key"]; p != nil {
		short := 8
		p.MinLength = &short
	}
}

// told is an error as an assistant is told it: a code and what to do. What is not ours is not shown.
func told(err error) error {
	e, ok := errs.As(err)
	if !ok {
		return errors.New(string(errs.Internal) + ": something went wrong on the server")
	}
	text := string(e.Code) + ": " + e.Message
	for _, d := range e.Details {
		text += fmt.Sprintf(" (%s %s)", d.Field, d.Problem)
	}
	return errors.New(text)
}

// Writes tells whether a tool changes something.
func Writes(name string) bool {
	for _, t := range tools() {
		if t.name == name {
			return t.writes
		}
	}
	return false
}

// values collects what an operation is called with; what is zero is left out.
type values map[string]any

func (v values) set(name string, value any) values {
	switch x := value.(type) {
	case string:
		if x == "" {
			return v
		}
	case int:
		if x == 0 {
			return v
		}
	case bool:
		if !x {
			return v
		}
	}
	v[name] = value
	return v
}
