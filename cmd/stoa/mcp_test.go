package main

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/apitest"
)

// An assistant speaks to the program over its standard input and output, as the member that the token is of.
func TestMCPOverStandardInput(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	token := s.As(t, "ada").Post("/api/account/tokens", map[string]any{"label": "assistant"}).OK(t).Str("data.token")
	s.As(t, "ada").Post("/api/templates/install", map[string]any{"template_id": "official/careful-translator"}).OK(t)
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	done := make(chan int)
	var problems bytes.Buffer
	go func() { done <- run([]string{"mcp", "--server", s.URL, "--token", token}, in, out, &problems) }()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	a, err := c.Connect(context.Background(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatalf("%v %s", err, problems.String())
	}
	for tool, arguments := range map[string]any{"search": map[string]any{"query": "翻译"}, "installed": nil, "graph_around": map[string]any{"atom_id": apitest.Atom("", "limits")}} {
		r, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || r.IsError {
			t.Errorf("%s: %+v %v", tool, r, err)
		}
	}
	r, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer", Arguments: map[string]any{
		"atom_id": apitest.Atom("", "limits"), "question_id": "x", "answer": "y", "idempotency_key": "long enough",
	}})
	if err != nil || !r.IsError {
		t.Errorf("a token to read has written: %+v %v", r, err)
	}
	if list, err := a.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	toProgram.Close()
	a.Close()
	if code := <-done; code != 0 {
		t.Errorf("it ended with %d: %s", code, problems.String())
	}
}
