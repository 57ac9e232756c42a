package astrbottest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

func (b *Bot) listServers(*http.Request) (any, error) {
	rows := []any{}
	for _, name := range slices.Sorted(maps.Keys(b.servers)) {
		row := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(b.servers[name]))
		d.UseNumber()
		_ = d.Decode(&row)
		row["name"], row["connected"], row["tools"] = name, true, []string{"forecast"}
		rows = append(rows, row)
	}
	return rows, nil
}

// keepServer stores a configuration after the test of its connection.
func (b *Bot) keepServer(name string, config map[string]json.RawMessage) error {
	for _, key := range []string{"name", "tools", "errlogs", "connected", "oldName"} {
		delete(config, key)
	}
	if _, ok := config["active"]; !ok {
		config["active"] = json.RawMessage("true")
	}
	if len(config) < 2 {
		return refuse("A valid server configuration is required")
	}
	if strings.Contains(string(config["command"]), "broken") {
		return refuse("MCP connection test failed: no such command")
	}
	text, err := json.Marshal(config)
	b.servers[name] = text
	return err
}

func (b *Bot) addServer(r *http.Request) (any, error) {
	var config map[string]json.RawMessage
	if err := body(r, &config); err != nil {
		return nil, err
	}
	var name string
	_ = json.Unmarshal(config["name"], &name)
	if name == "" {
		return nil, refuse("Server name cannot be empty")
	}
	if b.servers[name] != nil {
		return nil, refuse("Server %s already exists", name)
	}
	return nil, b.keepServer(name, config)
}

func (b *Bot) updateServer(r *http.Request) (any, error) {
	var in struct {
		Name   string                     `json:"server_name"`
		Config map[string]json.RawMessage `json:"config"`
	}
	if err := body(r, &in); err != nil {
		return nil, err
	}
	if b.servers[in.Name] == nil {
		return nil, refuse("Server %s does not exist", in.Name)
	}
	return nil, b.keepServer(in.Name, in.Config)
}

func (b *Bot) deleteServer(r *http.Request) (any, error) {
	name := r.URL.Query().Get("server_name")
	if b.servers[name] == nil {
		return nil, refuse("Server %s does not exist", name)
	}
	delete(b.servers, name)
	return nil, nil
}

func (b *Bot) listProviders(*http.Request) (any, error) {
	rows := []json.RawMessage{}
	for _, id := range slices.Sorted(maps.Keys(b.providers)) {
		rows = append(rows, b.providers[id])
	}
	return rows, nil
}

type providerIn struct {
	ID     string         `json:"provider_id"`
	Enable *bool          `json:"enabled"`
	Config map[string]any `json:"config"`
}

// keepProvider stores a provider, switched on unless it is said to be off.
func (b *Bot) keepProvider(id string, in providerIn) error {
	if in.Enable != nil {
		in.Config["enable"] = *in.Enable
	} else if _, ok := in.Config["enable"]; !ok {
		in.Config["enable"] = true
	}
	text, err := json.Marshal(in.Config)
	b.providers[id] = text
	return err
}

func (b *Bot) createProvider(r *http.Request) (any, error) {
	var in providerIn
	if err := body(r, &in); err != nil {
		return nil, err
	}
	id, _ := in.Config["id"].(string)
	if id == "" || b.providers[id] != nil {
		return nil, refuse("Provider ID %s already exists", id)
	}
	return nil, b.keepProvider(id, in)
}

func (b *Bot) updateProvider(r *http.Request) (any, error) {
	var in providerIn
	if err := body(r, &in); err != nil {
		return nil, err
	}
	if b.providers[in.ID] == nil {
		return nil, refuse("未找到对应服务提供商")
	}
	return nil, b.keepProvider(in.ID, in)
}

func (b *Bot) deleteProvider(r *http.Request) (any, error) {
	id := r.URL.Query().Get("provider_id")
	if b.providers[id] == nil {
		return nil, refuse("未找到对应服务提供商")
	}
	delete(b.providers, id)
	return nil, nil
}

func (b *Bot) getConfig(*http.Request) (any, error) {
	return map[string]any{"config": b.config, "metadata": map[string]any{}}, nil
}

// putConfig replaces the configuration. The accounts of administrators need a scope that Stoa never has.
func (b *Bot) putConfig(r *http.Request) (any, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var next, now map[string]json.RawMessage
	if json.Unmarshal(text, &next) != nil || json.Unmarshal(b.config, &now) != nil {
		return nil, refusal{http.StatusUnprocessableEntity, "Invalid request body"}
	}
	if !bytes.Equal(next["admins_id"], now["admins_id"]) {
		return nil, refusal{http.StatusForbidden, "config:edit_admin scope is required to change admins_id"}
	}
	b.config = text
	return nil, nil
}
