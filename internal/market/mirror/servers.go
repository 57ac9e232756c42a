package mirror

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"stoa/internal/market/pack"
)

// server is what an MCP registry says of one server (schema of 2025-12-11), as far as it is used.
type server struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
	Website     string `json:"websiteUrl"`
	Packages    []struct {
		Type      string `json:"registryType"`
		ID        string `json:"identifier"`
		Version   string `json:"version"`
		Arguments []struct {
			Type  string `json:"type"`
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"packageArguments"`
		Variables []named `json:"environmentVariables"`
	} `json:"packages"`
	Remotes []struct {
		Type    string  `json:"type"`
		URL     string  `json:"url"`
		Headers []named `json:"headers"`
	} `json:"remotes"`
}

type named struct {
	Name string `json:"name"`
}

func listServers(ctx context.Context, f *Session, base, cursor, _ string) (Page, error) {
	address := base + "/v0.1/servers?limit=100&version=latest"
	if cursor != "" {
		address += "&cursor=" + url.QueryEscape(cursor)
	}
	var list struct {
		Servers []struct {
			Server json.RawMessage `json:"server"`
			Meta   struct {
				Official struct {
					Status string `json:"status"`
					Latest *bool  `json:"isLatest"`
				} `json:"io.modelcontextprotocol.registry/official"`
			} `json:"_meta"`
		} `json:"servers"`
		Metadata struct {
			Next string `json:"nextCursor"`
		} `json:"metadata"`
	}
	if _, err := getJSON(ctx, f, address, "", maxPage, &list); err != nil {
		return Page{}, err
	}
	if list.Servers == nil {
		return Page{}, refuse("this is no list of an MCP registry")
	}
	out := Page{Next: list.Metadata.Next}
	for _, entry := range list.Servers {
		var s server
		official := entry.Meta.Official
		if json.Unmarshal(entry.Server, &s) != nil || official.Latest != nil && !*official.Latest {
			continue
		}
		if r, ok := ref(s.Name, entry.Server); ok {
			r.Withdrawn = official.Status == "deleted"
			out.Refs = append(out.Refs, r)
		}
	}
	return out, nil
}

// starters are the commands that start a package of a registry of packages, and how a version is written there.
var starters = map[string]struct {
	command string
	args    []string
	between string
}{
	"npm": {"npx", []string{"-y"}, "@"}, "pypi": {"uvx", nil, "=="}, "oci": {"docker", []string{"run", "-i", "--rm"}, ":"},
}

func itemServer(_ context.Context, _ *Session, base string, r Ref) (Item, error) {
	var s server
	if err := json.Unmarshal(r.raw, &s); err != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	config, err := s.config()
	if err != nil {
		return Item{}, err
	}
	_, name, _ := strings.Cut(s.Name, "/")
	if name == "" {
		name = s.Name
	}
	title := s.Title
	if title == "" {
		title = name
	}
	item, err := packItem(title, s.Version, s.Description, map[string]any{pack.SectionMCPServers: map[string]any{name: config}})
	item.Digest, item.Page = digest(r.raw), base+"/v0.1/servers/"+url.PathEscape(s.Name)+"/versions/latest"
	item.Texts = map[string]string{"server.json": string(r.raw)}
	return item, err
}

// config is how the server is started or reached. What whoever installs has to give stands as ${NAME}.
func (s server) config() (map[string]any, error) {
	given := func(list []named) map[string]any {
		out := map[string]any{}
		for _, v := range list {
			out[v.Name] = "${" + v.Name + "}"
		}
		return out
	}
	for _, remote := range s.Remotes {
		kind := "streamable_http"
		if remote.Type == "sse" {
			kind = "sse"
		}
		if u, err := url.Parse(remote.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" {
			continue
		}
		return map[string]any{"transport": kind, "url": remote.URL, "headers": given(remote.Headers)}, nil
	}
	for _, p := range s.Packages {
		start, known := starters[p.Type]
		if !known || p.ID == "" || strings.HasPrefix(p.ID, "-") || strings.ContainsAny(p.ID, " \t\n") {
			continue
		}
		id := p.ID
		if p.Version != "" && (p.Type != "oci" || !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":")) {
			id += start.between + p.Version
		}
		args := append([]string{}, start.args...)
		if p.Type == "oci" {
			for _, v := range p.Variables {
				args = append(args, "-e", v.Name)
			}
		}
		args = append(args, id)
		for _, a := range p.Arguments {
			if a.Type == "named" && a.Name != "" {
				args = append(args, a.Name)
			}
			if a.Value != "" {
				args = append(args, a.Value)
			}
		}
		return map[string]any{"command": start.command, "args": args, "env": given(p.Variables)}, nil
	}
	return nil, refuse("it names no address and no package of npm, PyPI or a registry of containers")
}
