package botimport

import (
	"maps"
	"path"
	"slices"
	"strings"

	"stoa/internal/market/pack"
)

// serverKeys are the members under which programs keep their MCP servers.
var serverKeys = []string{"mcpServers", "mcp_servers", "servers"}

// mcpServers finds a list of MCP servers in a JSON value; "servers" counts only when they look like some.
func mcpServers(v any) (servers map[string]any, key string) {
	m := object(v)
	for _, key := range serverKeys {
		servers := object(m[key])
		if servers == nil {
			continue
		}
		if key != "servers" || slices.ContainsFunc(slices.Collect(maps.Values(servers)), func(s any) bool { return first(object(s), "command", "url") != "" }) {
			return servers, key
		}
	}
	return nil, ""
}

// servers maps MCP servers.
func (b *builder) servers(servers map[string]any, source string) {
	into := b.section(pack.SectionMCPServers)
	for _, name := range sortedKeys(servers) {
		at := pack.AppendKey(source, name)
		if b.full(len(into), at, "MCP servers") {
			break
		}
		if object(servers[name]) == nil {
			b.odd(at, "an MCP server must be an object")
			continue
		}
		id := free(into, clip(name, maxName))
		into[id] = b.take(servers[name], at, pack.AppendKey(pack.SectionMCPServers, id))
	}
	b.sum.MCPServerCount = len(into)
	if len(into) == 0 {
		delete(b.sections, pack.SectionMCPServers)
	}
}

// botServers maps mcp_server.json of a bot.
func (b *builder) botServers(l *layout) {
	for _, p := range []string{"mcp_server.json", "config/mcp_server.json", "directories/config/mcp_server.json", "directories/mcp_server.json"} {
		name := l.first(p)
		if name == "" || l.used[name] {
			continue
		}
		l.used[name] = true
		if servers, key := mcpServers(b.json(name, l.show(name))); servers != nil {
			b.servers(servers, inside(l.show(name), key))
		}
	}
}

// serverFiles maps the MCP lists of a folder that is no bot's: .mcp.json and the like. It tells whether there was any.
func (b *builder) serverFiles(names []string) bool {
	for _, name := range names {
		base := strings.ToLower(path.Base(name))
		if path.Ext(base) != ".json" || !strings.Contains(base, "mcp") && base != "claude_desktop_config.json" || b.files.Size(name) > maxConfigBytes {
			continue
		}
		if servers, key := mcpServers(b.json(name, name)); servers != nil {
			b.servers(servers, inside(name, key))
		}
	}
	return b.sum.MCPServerCount > 0
}
