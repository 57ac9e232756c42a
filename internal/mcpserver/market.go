package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/platform/errs"
)

// tools lists all tools in the order in which they are shown.
func tools() []tool { return append(marketTools(), schoolTools()...) }

const packKind = "profile_pack"

type searchInput struct {
	Query    string `json:"query,omitempty" jsonschema:"words to find, in any language; empty lists by id"`
	Kind     string `json:"kind,omitempty" jsonschema:"what to find: prompt templates (the default) or profile packs"`
	Category string `json:"category,omitempty" jsonschema:"exact category"`
	Tag      string `json:"tag,omitempty" jsonschema:"exact tag"`
	Risk     string `json:"risk_level,omitempty" jsonschema:"low, medium or high"`
	Featured bool   `json:"featured,omitempty" jsonschema:"only what the operator recommends"`
	Locale   string `json:"locale,omitempty" jsonschema:"language of the texts, such as en, zh-CN or ja"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type itemInput struct {
	ID     string `json:"id" jsonschema:"id of the item, such as owner/name"`
	Kind   string `json:"kind,omitempty" jsonschema:"what the id names; found out when left out"`
	Locale string `json:"locale,omitempty" jsonschema:"language of the texts, such as en, zh-CN or ja"`
}

type compareInput struct {
	ID          string `json:"id" jsonschema:"id of a profile pack"`
	Version     string `json:"version,omitempty" jsonschema:"the newer version; the latest when left out"`
	BaseVersion string `json:"base_version,omitempty" jsonschema:"the older version; the one before when left out"`
	BaseID      string `json:"base_id,omitempty" jsonschema:"another pack to compare with"`
	Sections    string `json:"sections,omitempty" jsonschema:"names of sections with commas between; all when left out"`
}

type planInput struct {
	ID        string `json:"id" jsonschema:"id of a template or a profile pack"`
	Reinstall bool   `json:"reinstall,omitempty" jsonschema:"plan an update of what is installed"`
	Sections  string `json:"sections,omitempty" jsonschema:"sections of a pack with commas between; all when left out"`
}

type pageInput struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"how many"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type noInput struct{}

func marketTools() []tool {
	return []tool{
		row(mcp.Tool{Name: "search", Title: "Search the market", Description: "Find prompt templates or profile packs by words, category, tag or risk. Only reviewed items are found."}, false, false, search),
		row(mcp.Tool{Name: "inspect", Title: "Inspect an item", Description: "Show one item: what it can do, what the scanner found, its versions and how it is used."}, false, false, inspect),
		row(mcp.Tool{Name: "compare", Title: "Compare versions", Description: "Show what a version of a profile pack changes against another version or pack, section by section."}, false, false, compare),
		row(mcp.Tool{Name: "plan_install", Title: "Plan an installation", Description: "Say what installing an item would do for the member. Nothing is installed."}, true, false, planInstall),
		row(mcp.Tool{Name: "installed", Title: "What is installed", Description: "List what the member has installed, with the version and whether an update is there."}, true, false,
			func(ctx context.Context, api API, in pageInput) (string, json.RawMessage, error) {
				return call(ctx, api, "listMemberInstallations", values{}.set("limit", in.Limit).set("cursor", in.Cursor))
			}),
		row(mcp.Tool{Name: "outdated", Title: "What is outdated", Description: "List what the member has installed that has a newer version in the market."}, true, false, outdated),
	}
}

// call carries out an operation that has no idempotency key.
func call(ctx context.Context, api API, operation string, v values) (string, json.RawMessage, error) {
	data, err := api.Call(ctx, operation, v, "")
	return operation, data, err
}

func search(ctx context.Context, api API, in searchInput) (string, json.RawMessage, error) {
	operation := "listTemplates"
	if in.Kind == packKind {
		operation = "listProfilePackCatalog"
	}
	v := values{"limit": in.Limit}.set("query", in.Query).set("category", in.Category).set("tag", in.Tag).set("risk_level", in.Risk).set("locale", in.Locale).set("cursor", in.Cursor)
	if in.Featured {
		v["featured"] = "true"
	}
	return call(ctx, api, operation, v)
}

func inspect(ctx context.Context, api API, in itemInput) (string, json.RawMessage, error) {
	if in.Kind != packKind {
		operation, data, err := call(ctx, api, "getTemplateDetail", values{"template_id": in.ID}.set("locale", in.Locale))
		if in.Kind != "" || errs.CodeOf(err) != errs.TemplateNotFound {
			return operation, data, err
		}
	}
	return call(ctx, api, "getProfilePackCatalogDetail", values{"pack_id": in.ID}.set("locale", in.Locale))
}

func compare(ctx context.Context, api API, in compareInput) (string, json.RawMessage, error) {
	return call(ctx, api, "compareProfilePackCatalog", values{"pack_id": in.ID}.set("version", in.Version).set("base_version", in.BaseVersion).
		set("base_pack_id", in.BaseID).set("selected_sections", in.Sections))
}

func planInstall(ctx context.Context, api API, in planInput) (string, json.RawMessage, error) {
	return call(ctx, api, "getInstallPlan", values{"template_id": in.ID}.set("force_reinstall", in.Reinstall).set("selected_sections", in.Sections))
}

// outdatedPages bounds how many pages of installations are looked through.
const outdatedPages = 10

// outdated goes through the installations and keeps those that have an update.
func outdated(ctx context.Context, api API, _ noInput) (string, json.RawMessage, error) {
	const operation = "refreshMemberInstallations"
	found, cursor, user := []json.RawMessage{}, "", ""
	for range outdatedPages {
		data, err := api.Call(ctx, operation, values{"limit": 200}.set("cursor", cursor), "")
		if err != nil {
			return operation, nil, err
		}
		var page struct {
			UserID        string            `json:"user_id"`
			Installations []json.RawMessage `json:"installations"`
			Next          string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			return operation, nil, err
		}
		for _, one := range page.Installations {
			var i struct {
				Update bool `json:"update_available"`
			}
			if err := json.Unmarshal(one, &i); err != nil {
				return operation, nil, err
			}
			if i.Update {
				found = append(found, one)
			}
		}
		user, cursor = page.UserID, page.Next
		if cursor == "" {
			break
		}
	}
	data, err := json.Marshal(map[string]any{"user_id": user, "count": len(found), "installations": found, "next_cursor": cursor})
	return operation, data, err
}
