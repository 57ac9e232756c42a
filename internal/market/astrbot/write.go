package astrbot

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stoa/internal/market/apply"
)

// Write brings one object from before to after.
func (b *Bot) Write(ctx context.Context, key apply.Key, before, after apply.Value) error {
	switch key.Kind {
	case apply.KindPersona:
		return b.writePersona(ctx, key.ID, before, after)
	case apply.KindSkill:
		return b.writeSkill(ctx, key.ID, before, after)
	case apply.KindServer:
		return b.writeServer(ctx, key.ID, before, after)
	case apply.KindProvider:
		return b.writeProvider(ctx, key.ID, before, after)
	case apply.KindConfig:
		return b.writeSetting(ctx, key.ID, after)
	}
	return fmt.Errorf("a bot has no %s", key.Kind)
}

// send makes a call whose data does not matter.
func (b *Bot) send(ctx context.Context, q call) error {
	_, err := b.do(ctx, q)
	return err
}

func (b *Bot) writePersona(ctx context.Context, id string, before, after apply.Value) error {
	if after == nil {
		return b.send(ctx, call{method: http.MethodDelete, path: "/personas/by-id", query: url.Values{"persona_id": {id}}, scope: "persona"})
	}
	var was, body map[string]any
	if err := json.Unmarshal(after, &body); err != nil {
		return err
	}
	body["persona_id"] = id
	if before == nil {
		return b.send(ctx, call{method: http.MethodPost, path: "/personas", body: body, scope: "persona"})
	}
	if err := json.Unmarshal(before, &was); err != nil {
		return err
	}
	folder, place := body["folder_id"], body["sort_order"]
	delete(body, "folder_id")
	delete(body, "sort_order")
	if err := b.send(ctx, call{method: http.MethodPut, path: "/personas/by-id", body: body, scope: "persona"}); err != nil {
		return err
	}
	if folder != was["folder_id"] {
		if err := b.send(ctx, call{method: http.MethodPost, path: "/personas/move", body: map[string]any{"persona_id": id, "folder_id": folder}, scope: "persona"}); err != nil {
			return err
		}
	}
	if place != was["sort_order"] {
		if place == nil {
			place = 0
		}
		items := []any{map[string]any{"id": id, "type": "persona", "sort_order": place}}
		return b.send(ctx, call{method: http.MethodPost, path: "/personas/reorder", body: map[string]any{"items": items}, scope: "persona"})
	}
	return nil
}

// skillValue is a skill as it is compared.
type skillValue struct {
	Text   string `json:"text"`
	Active *bool  `json:"active"`
}

func (s skillValue) on() bool { return s.Active == nil || *s.Active }

func (b *Bot) writeSkill(ctx context.Context, name string, before, after apply.Value) error {
	if after == nil {
		return b.send(ctx, call{method: http.MethodDelete, path: "/skills/by-name", query: url.Values{"skill_name": {name}}, scope: "skill"})
	}
	var was, next skillValue
	if err := json.Unmarshal(after, &next); err != nil {
		return err
	}
	if before == nil {
		if err := b.uploadSkill(ctx, name, next.Text); err != nil {
			return err
		}
	} else if err := json.Unmarshal(before, &was); err != nil {
		return err
	}
	if before != nil && was.Text != next.Text {
		body := map[string]any{"skill_name": name, "path": skillFile, "content": next.Text}
		if err := b.send(ctx, call{method: http.MethodPut, path: "/skills/file", body: body, scope: "skill"}); err != nil {
			return err
		}
	}
	if was.on() == next.on() {
		return nil
	}
	return b.send(ctx, call{method: http.MethodPatch, path: "/skills/by-name", body: map[string]any{"skill_name": name, "enabled": next.on()}, scope: "skill"})
}

// uploadSkill sends a zip with one folder.
func (b *Bot) uploadSkill(ctx context.Context, name, text string) error {
	var packed, form bytes.Buffer
	z := zip.NewWriter(&packed)
	f, err := z.Create(name + "/" + skillFile)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return err
	}
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("file", name+".zip")
	if err == nil {
		_, err = part.Write(packed.Bytes())
	}
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		return err
	}
	return b.send(ctx, call{method: http.MethodPost, path: "/skills", raw: form.Bytes(), media: m.FormDataContentType(), scope: "skill"})
}

func (b *Bot) writeServer(ctx context.Context, name string, before, after apply.Value) error {
	if after == nil {
		return b.send(ctx, call{method: http.MethodDelete, path: "/mcp/servers/by-name", query: url.Values{"server_name": {name}}, scope: "mcp"})
	}
	var config map[string]json.RawMessage // numbers stay as they are spelled
	err := json.Unmarshal(after, &config)
	if err != nil {
		return err
	}
	if before == nil {
		if config["name"], err = json.Marshal(name); err != nil {
			return err
		}
		return b.send(ctx, call{method: http.MethodPost, path: "/mcp/servers", body: config, scope: "mcp"})
	}
	return b.send(ctx, call{method: http.MethodPut, path: "/mcp/servers/by-name", body: map[string]any{"server_name": name, "config": config}, scope: "mcp"})
}

func (b *Bot) writeProvider(ctx context.Context, id string, before, after apply.Value) error {
	if after == nil {
		return b.send(ctx, call{method: http.MethodDelete, path: "/providers/by-id", query: url.Values{"provider_id": {id}}, scope: "provider"})
	}
	body := map[string]any{"config": json.RawMessage(after)}
	var config struct {
		Enable *bool `json:"enable"`
	}
	if json.Unmarshal(after, &config) == nil && config.Enable != nil {
		body["enabled"] = *config.Enable
	}
	if before == nil {
		return b.send(ctx, call{method: http.MethodPost, path: "/providers", body: body, scope: "provider"})
	}
	body["provider_id"] = id
	return b.send(ctx, call{method: http.MethodPut, path: "/providers/by-id", body: body, scope: "provider"})
}

// writeSetting sends the configuration back with one value changed. AstrBot has no call for a single setting. The rest
// goes back byte for byte and in its order; secrets that the bot answers as marks it keeps itself.
func (b *Bot) writeSetting(ctx context.Context, id string, after apply.Value) error {
	config, err := b.config(ctx)
	if err != nil {
		return err
	}
	config, ok := withSetting(config, strings.Split(id, "."), after)
	if !ok {
		return &Error{Refused, fmt.Sprintf("the bot has no setting %s; it may be another version", id)}
	}
	return b.send(ctx, call{method: http.MethodPut, path: "/config-profiles/default", raw: config, media: "application/json", scope: "config"})
}

// withSetting rewrites one member of an object; nil takes it out. The objects above it must be there.
func withSetting(text []byte, path []string, v []byte) ([]byte, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	out, found := []byte{'{'}, false
	add := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := jsontext.AppendQuote(nil, name)
		out = append(append(append(out, quoted...), ':'), value...)
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		switch {
		case key != path[0]:
			add(key, value)
		case len(path) > 1:
			inner, ok := withSetting(value, path[1:], v)
			if !ok {
				return nil, false
			}
			found = true
			add(key, inner)
		default:
			found = true
			if v != nil {
				add(key, v)
			}
		}
	}
	if !found && len(path) > 1 {
		return nil, false
	}
	if !found && v != nil {
		add(path[0], v)
	}
	return append(out, '}'), true
}
