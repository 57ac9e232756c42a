package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/market/prompting"
	"stoa/internal/platform/errs"
)

// catalogue answers the requests after prompts and resources out of the operations: they are the caller's own, and too many
// to be registered one by one.
type catalogue struct {
	api        func(context.Context) API
	marketOnly bool
}

func (c catalogue) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.ListPromptsRequest:
			return c.prompts(ctx)
		case *mcp.GetPromptRequest:
			return c.prompt(ctx, r.Params)
		case *mcp.ListResourcesRequest:
			return c.resources(ctx, r.Params)
		case *mcp.ListResourceTemplatesRequest:
			return c.templates(), nil
		case *mcp.ReadResourceRequest:
			return c.read(ctx, r.Params.URI)
		}
		return next(ctx, method, req)
	}
}

// refused is an error of an operation as the protocol tells it.
func refused(err error) error {
	e, ok := errs.As(err)
	if !ok {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: told(e).Error()}
}

func private() mcp.Cacheable { return mcp.Cacheable{TTLMs: listTTL, CacheScope: "private"} }

// listedPrompt is an entry of prompts/list, read from what listPrompts answers.
type listedPrompt struct {
	Name        string                `json:"name"`
	Title       string                `json:"title"`
	Description string                `json:"description"`
	Arguments   []*mcp.PromptArgument `json:"arguments"`
}

func (c catalogue) prompts(ctx context.Context) (*mcp.ListPromptsResult, error) {
	data, err := c.api(ctx).Call(ctx, "listPrompts", nil, "")
	if err != nil {
		return nil, refused(err)
	}
	var list struct {
		Prompts []listedPrompt `json:"prompts"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	out := &mcp.ListPromptsResult{Prompts: make([]*mcp.Prompt, len(list.Prompts)), Cacheable: private()}
	for i, p := range list.Prompts {
		out.Prompts[i] = &mcp.Prompt{Meta: untrusted(), Name: p.Name, Title: p.Title, Description: p.Description, Arguments: p.Arguments}
	}
	return out, nil
}

func (c catalogue) prompt(ctx context.Context, in *mcp.GetPromptParams) (*mcp.GetPromptResult, error) {
	data, err := c.api(ctx).Call(ctx, "generatePromptBundle", values{"template_id": in.Name}, "")
	if err != nil {
		return nil, refused(err)
	}
	var bundle struct {
		Version string `json:"version"`
		Prompt  string `json:"prompt"`
	}
	if err := json.Unmarshal(data, &bundle); err != nil {
		return nil, err
	}
	text, missing := prompting.Fill(bundle.Prompt, in.Arguments)
	if len(missing) > 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Arguments are missing: " + strings.Join(missing, ", ") + "."}
	}
	meta := untrusted()
	meta["stoa/source"] = in.Name + "@" + bundle.Version
	return &mcp.GetPromptResult{
		Meta: meta, Description: fmt.Sprintf("The template %s, version %s, from the market.", in.Name, bundle.Version),
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text, Meta: untrusted()}}},
	}, nil
}

// The addresses of resources; ids are escaped.
const (
	itemScheme = "stoa://item/"
	noteScheme = "stoa://note/"
)

func (c catalogue) templates() *mcp.ListResourceTemplatesResult {
	out := &mcp.ListResourceTemplatesResult{Cacheable: mcp.Cacheable{TTLMs: toolsTTL, CacheScope: "public"}, ResourceTemplates: []*mcp.ResourceTemplate{
		{Name: "item", Title: "An item of the market", URITemplate: itemScheme + "{id}", MIMEType: "application/json", Description: "The card of a template or a pack, by its escaped id."},
	}}
	if !c.marketOnly {
		out.ResourceTemplates = append(out.ResourceTemplates, &mcp.ResourceTemplate{
			Name: "note", Title: "A note", URITemplate: noteScheme + "{id}", MIMEType: "text/markdown", Description: "A note of the member's.",
		})
	}
	return out
}

// resourcePage is how many notes a page of resources holds.
const resourcePage = 200

// resources lists what the member has installed, on the first page, and their notes.
func (c catalogue) resources(ctx context.Context, in *mcp.ListResourcesParams) (*mcp.ListResourcesResult, error) {
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: private()}
	if c.marketOnly {
		return out, nil
	}
	cursor := ""
	if in != nil {
		cursor = in.Cursor
	}
	api := c.api(ctx)
	if cursor == "" {
		data, err := api.Call(ctx, "listMemberInstallations", values{"limit": resourcePage}, "")
		if err != nil {
			return nil, refused(err)
		}
		var list struct {
			Installations []struct {
				ID    string `json:"template_id"`
				Title string `json:"title"`
			} `json:"installations"`
		}
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, err
		}
		for _, i := range list.Installations {
			out.Resources = append(out.Resources, &mcp.Resource{Meta: untrusted(), URI: itemScheme + url.PathEscape(i.ID), Name: i.ID, Title: i.Title, MIMEType: "application/json"})
		}
	}
	data, err := api.Call(ctx, "listKnowledgeDocuments", values{"limit": resourcePage}.set("cursor", cursor), "")
	if errs.CodeOf(err) == errs.Unauthorized {
		return out, nil // an anonymous member has no notes
	}
	if err != nil {
		return nil, refused(err)
	}
	var notes struct {
		Documents []struct {
			ID     string `json:"documentId"`
			Title  string `json:"title"`
			Path   string `json:"sourcePath"`
			Shared bool   `json:"shared"`
		} `json:"documents"`
		Next string `json:"next_cursor"`
	}
	if err := json.Unmarshal(data, &notes); err != nil {
		return nil, err
	}
	for _, n := range notes.Documents {
		if !n.Shared {
			out.Resources = append(out.Resources, &mcp.Resource{Meta: untrusted(), URI: noteScheme + url.PathEscape(n.ID), Name: n.Path, Title: n.Title, MIMEType: "text/markdown"})
		}
	}
	out.NextCursor = notes.Next
	return out, nil
}

func (c catalogue) read(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
	content := &mcp.ResourceContents{URI: uri, Meta: untrusted()}
	out := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}, Cacheable: private()}
	if id, ok := idIn(uri, itemScheme); ok {
		_, data, err := inspect(ctx, c.api(ctx), itemInput{ID: id})
		if err != nil {
			return nil, noResource(uri, err)
		}
		content.MIMEType, content.Text = "application/json", string(data)
		return out, nil
	}
	id, ok := idIn(uri, noteScheme)
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	data, err := c.api(ctx).Call(ctx, "getKnowledgeDocument", values{"documentId": id}, "")
	if err != nil {
		return nil, noResource(uri, err)
	}
	var note struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &note); err != nil {
		return nil, err
	}
	content.MIMEType, content.Text = "text/markdown", note.Text
	return out, nil
}

func idIn(uri, scheme string) (string, bool) {
	escaped, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", false
	}
	id, err := url.PathUnescape(escaped)
	return id, err == nil && id != ""
}

func noResource(uri string, err error) error {
	switch errs.CodeOf(err) {
	case errs.NotFound, errs.TemplateNotFound, errs.ProfilePackNotPublished:
		return mcp.ResourceNotFoundError(uri)
	}
	return refused(err)
}
