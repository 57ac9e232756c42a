package astrbot

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stoa/internal/market/apply"
)

// The files of a skill.
const skillFile = "SKILL.md"

// Read answers the objects that are there.
func (b *Bot) Read(ctx context.Context, keys []apply.Key) (map[apply.Key]apply.Value, error) {
	out := map[apply.Key]apply.Value{}
	wanted := map[apply.Kind][]string{}
	for _, key := range keys {
		wanted[key.Kind] = append(wanted[key.Kind], key.ID)
	}
	for _, kind := range []struct {
		kind apply.Kind
		read func(context.Context, []string) (map[string]any, error)
	}{
		{apply.KindPersona, b.personas}, {apply.KindSkill, b.skills}, {apply.KindServer, b.servers}, {apply.KindProvider, b.providers}, {apply.KindConfig, b.settings},
	} {
		ids := wanted[kind.kind]
		if len(ids) == 0 {
			continue
		}
		found, err := kind.read(ctx, ids)
		if err != nil {
			return nil, err
		}
		for id, v := range found {
			text, err := apply.Canonical(v)
			if err != nil {
				return nil, b.nonsense(string(kind.kind))
			}
			out[apply.Key{Kind: kind.kind, ID: id}] = text
		}
	}
	return out, nil
}

func (b *Bot) personas(ctx context.Context, ids []string) (map[string]any, error) {
	data, err := b.do(ctx, call{method: http.MethodGet, path: "/personas", scope: "persona"})
	if err != nil {
		return nil, err
	}
	rows, ok := list(data, "personas")
	if !ok {
		return nil, b.nonsense("its personas")
	}
	out := map[string]any{}
	for _, row := range rows {
		id, ok := row["persona_id"].(string)
		if !ok {
			return nil, b.nonsense("its personas")
		}
		if !slices.Contains(ids, id) {
			continue
		}
		v := map[string]any{
			"system_prompt": row["system_prompt"], "begin_dialogs": row["begin_dialogs"], "tools": row["tools"], "skills": row["skills"],
			"custom_error_message": row["custom_error_message"],
		}
		if v["begin_dialogs"] == nil {
			v["begin_dialogs"] = []any{}
		}
		if row["folder_id"] != nil {
			v["folder_id"] = row["folder_id"]
		}
		if n, ok := row["sort_order"].(json.Number); ok && n != "0" {
			v["sort_order"] = n
		}
		out[id] = v
	}
	return out, nil
}

func (b *Bot) skills(ctx context.Context, ids []string) (map[string]any, error) {
	data, err := b.do(ctx, call{method: http.MethodGet, path: "/skills", scope: "skill"})
	if err != nil {
		return nil, err
	}
	rows, ok := list(data, "skills")
	if !ok {
		return nil, b.nonsense("its skills")
	}
	out := map[string]any{}
	for _, row := range rows {
		name, ok := row["name"].(string)
		if !ok {
			return nil, b.nonsense("its skills")
		}
		if !slices.Contains(ids, name) {
			continue
		}
		v, err := b.skill(ctx, name)
		if err != nil {
			return nil, err
		}
		if row["active"] == false {
			v["active"] = false
		}
		out[name] = v
	}
	return out, nil
}

// skill reads a skill's text and the names of the files beside it.
func (b *Bot) skill(ctx context.Context, name string) (map[string]any, error) {
	data, err := b.do(ctx, call{method: http.MethodGet, path: "/skills/file", query: url.Values{"skill_name": {name}, "path": {skillFile}}, scope: "skill"})
	if err != nil {
		return nil, err
	}
	file, ok := object(data)
	content, isText := file["content"].(string)
	if !ok || !isText {
		return nil, b.nonsense("a skill")
	}
	v := map[string]any{"text": content}
	if data, err = b.do(ctx, call{method: http.MethodGet, path: "/skills/files", query: url.Values{"skill_name": {name}}, scope: "skill"}); err != nil {
		return nil, err
	}
	entries, ok := list(data, "entries")
	if !ok {
		return nil, b.nonsense("the files of a skill")
	}
	files := []string{}
	for _, e := range entries {
		if s, _ := e["name"].(string); s != skillFile {
			files = append(files, s)
		}
	}
	if len(files) > 0 {
		slices.Sort(files)
		v["files"] = files
	}
	return v, nil
}

// serverState are members of an MCP server that say how it runs, not how it is configured.
var serverState = []string{"name", "connected", "tools", "errlogs"}

func (b *Bot) servers(ctx context.Context, ids []string) (map[string]any, error) {
	data, err := b.do(ctx, call{method: http.MethodGet, path: "/mcp/servers", scope: "mcp"})
	if err != nil {
		return nil, err
	}
	rows, ok := list(data, "servers")
	if !ok {
		return nil, b.nonsense("its MCP servers")
	}
	out := map[string]any{}
	for _, row := range rows {
		name, ok := row["name"].(string)
		if !ok {
			return nil, b.nonsense("its MCP servers")
		}
		if slices.Contains(ids, name) {
			for _, key := range serverState {
				delete(row, key)
			}
			out[name] = row
		}
	}
	return out, nil
}

func (b *Bot) providers(ctx context.Context, ids []string) (map[string]any, error) {
	data, err := b.do(ctx, call{method: http.MethodGet, path: "/providers", scope: "provider"})
	if err != nil {
		return nil, err
	}
	rows, ok := list(data, "providers")
	if !ok {
		return nil, b.nonsense("its providers")
	}
	out := map[string]any{}
	for _, row := range rows {
		if id, _ := row["id"].(string); slices.Contains(ids, id) {
			out[id] = row
		}
	}
	return out, nil
}

func (b *Bot) settings(ctx context.Context, ids []string) (map[string]any, error) {
	text, err := b.config(ctx)
	if err != nil {
		return nil, err
	}
	config, ok := object(text)
	if !ok {
		return nil, b.nonsense("its configuration")
	}
	out := map[string]any{}
	for _, id := range ids {
		var v any = config
		for _, step := range strings.Split(id, ".") {
			m, _ := v.(map[string]any)
			if v, ok = m[step]; !ok {
				break
			}
		}
		if ok {
			out[id] = v
		}
	}
	return out, nil
}

// config is the bot's configuration as it was answered.
func (b *Bot) config(ctx context.Context) (json.RawMessage, error) {
	data, err := b.do(ctx, call{method: http.MethodGet, path: "/config-profiles/default", scope: "config"})
	if err != nil {
		return nil, err
	}
	var profile struct {
		Config json.RawMessage `json:"config"`
	}
	if json.Unmarshal(data, &profile) != nil || len(profile.Config) == 0 {
		return nil, b.nonsense("its configuration")
	}
	return profile.Config, nil
}
