package feed

import (
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"stoa/internal/market/card"
)

const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// RegistryServer is an MCP server of an item as the MCP Registry lists it.
type RegistryServer struct {
	Name      string
	Item      string // slug
	Version   string
	Published time.Time
	Changed   time.Time
	latest    bool
	gone      bool
	detail    serverDetail
}

type serverDetail struct {
	Schema      string          `json:"$schema"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Title       string          `json:"title,omitempty"`
	Version     string          `json:"version"`
	Packages    []serverPackage `json:"packages,omitempty"`
	Remotes     []serverRemote  `json:"remotes,omitempty"`
}

type serverPackage struct {
	Type      string           `json:"registryType"`
	ID        string           `json:"identifier"`
	Version   string           `json:"version,omitempty"`
	Hint      string           `json:"runtimeHint,omitempty"`
	Transport serverRemote     `json:"transport"`
	Arguments []serverArgument `json:"packageArguments,omitempty"`
	Variables []serverInput    `json:"environmentVariables,omitempty"`
}

type serverRemote struct {
	Type    string        `json:"type"`
	URL     string        `json:"url,omitempty"`
	Headers []serverInput `json:"headers,omitempty"`
}

type serverArgument struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// serverInput is a setting that whoever installs gives. No value is ever told.
type serverInput struct {
	Name     string `json:"name"`
	Required bool   `json:"isRequired"`
	Secret   bool   `json:"isSecret"`
}

// ReverseDNS is the namespace of a host's servers.
func ReverseDNS(host string) string {
	if net.ParseIP(host) != nil || !strings.Contains(host, ".") {
		return "local.stoa"
	}
	parts := strings.Split(strings.ToLower(host), ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// RegistryServers lists the servers of rows that the registry's format can say, sorted by name. One that is started by a
// command of its own, and not out of a registry of packages, has no place in it.
func RegistryServers(rows []*Row, namespace string) []RegistryServer {
	var out []RegistryServer
	for _, r := range rows {
		for _, s := range r.Servers {
			if one, ok := registryServer(namespace, r.ID, r.Title, r.Version, s); ok {
				one.Item, one.Published, one.Changed, one.latest = r.Slug, r.Published, r.Changed, true
				out = append(out, one)
			}
		}
	}
	slices.SortFunc(out, func(a, b RegistryServer) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// RegistryGone lists the servers of withdrawn rows. Of each it says no more than its name and that it is gone.
func RegistryGone(rows []*Row, namespace string) []RegistryServer {
	out := RegistryServers(rows, namespace)
	for i := range out {
		s := &out[i]
		s.gone = true
		s.detail = serverDetail{Schema: s.detail.Schema, Name: s.detail.Name, Description: "Withdrawn", Version: s.detail.Version}
	}
	return out
}

// RegistryVersions are the versions of one server, newest first; cards are the versions of its item, oldest first.
func RegistryVersions(cards []*card.Card, namespace, name string) []RegistryServer {
	var out []RegistryServer
	for i, c := range slices.Backward(cards) {
		for _, s := range c.Servers {
			if one, ok := registryServer(namespace, c.ID, c.Title, c.Version, s); ok && one.Name == name {
				one.Item, one.Published, one.Changed, one.latest = c.Slug, c.Published, c.Published, i == len(cards)-1
				out = append(out, one)
			}
		}
	}
	return out
}

func registryServer(namespace, id, title, version string, s card.Server) (RegistryServer, bool) {
	name := namespace + "/" + strings.ReplaceAll(id, "/", ".") + "." + s.Name
	d := serverDetail{Schema: serverSchema, Name: name, Description: shorten("The server "+s.Name+" of "+title, 100), Title: shorten(title, 100), Version: version}
	if s.Transport != "stdio" {
		kind := "streamable-http"
		if s.Transport == "sse" {
			kind = "sse"
		}
		d.Remotes = []serverRemote{{kind, s.URL, inputs(s.Headers)}}
		return RegistryServer{Name: name, Version: version, detail: d}, len(name) <= 200
	}
	p, ok := packaged(s)
	d.Packages = []serverPackage{p}
	return RegistryServer{Name: name, Version: version, detail: d}, ok && len(name) <= 200
}

func inputs(list []card.Variable) []serverInput {
	out := make([]serverInput, 0, len(list))
	for _, v := range list {
		out = append(out, serverInput{v.Name, v.Value == "", v.Value == ""})
	}
	return out
}

// runners start a package out of a registry of packages.
var runners = map[string]string{"npx": "npm", "bunx": "npm", "uvx": "pypi", "docker": "oci"}

var pinned = regexp.MustCompile(`^(@?[^@=]+)(?:@|==)([0-9][0-9A-Za-z.+-]*)$`)

// packaged reads a command that starts a package, such as npx -y name@1.2.3 --flag.
func packaged(s card.Server) (serverPackage, bool) {
	p := serverPackage{Type: runners[s.Command], Hint: s.Command, Transport: serverRemote{Type: "stdio"}, Variables: inputs(s.Env)}
	if p.Type == "" {
		return p, false
	}
	args := s.Args
	for len(args) > 0 && (strings.HasPrefix(args[0], "-") || p.Type == "oci" && args[0] == "run") {
		if p.Type == "oci" && (args[0] == "-e" || args[0] == "--env" || args[0] == "-v") && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return p, false
	}
	p.ID = args[0]
	if m := pinned.FindStringSubmatch(p.ID); m != nil && p.Type != "oci" {
		p.ID, p.Version = m[1], m[2]
	}
	p.ID = strings.TrimSuffix(p.ID, "@latest")
	for _, arg := range args[1:] {
		p.Arguments = append(p.Arguments, serverArgument{"positional", arg})
	}
	return p, true
}

type registryEntry struct {
	Server serverDetail   `json:"server"`
	Meta   map[string]any `json:"_meta"`
}

func (s RegistryServer) entry() registryEntry {
	status, since := "active", s.Published
	if s.gone {
		status, since = "deleted", s.Changed
	}
	return registryEntry{s.detail, map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{
		"status": status, "statusChangedAt": since.Format(time.RFC3339), "publishedAt": s.Published.Format(time.RFC3339),
		"updatedAt": s.Changed.Format(time.RFC3339), "isLatest": s.latest,
	}}}
}

// Registry writes one server.
func Registry(s RegistryServer) []byte { return compact(s.entry()) }

// RegistryList writes a page of servers; next is the cursor of the one after, "" for none.
func RegistryList(page []RegistryServer, next string) []byte {
	type metadata struct {
		Next  string `json:"nextCursor,omitempty"`
		Count int    `json:"count"`
	}
	out := struct {
		Servers  []registryEntry `json:"servers"`
		Metadata metadata        `json:"metadata"`
	}{make([]registryEntry, 0, len(page)), metadata{next, len(page)}}
	for _, s := range page {
		out.Servers = append(out.Servers, s.entry())
	}
	return compact(out)
}
