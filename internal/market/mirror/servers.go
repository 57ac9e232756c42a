package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"stoa/internal/market/pack"
	"stoa/internal/platform/fetch"
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

// registryEntry is an entry as it is kept between the list and the reading.
type registryEntry struct {
	Server     json.RawMessage `json:"server"`
	Deprecated bool            `json:"deprecated"`
	Message    string          `json:"message"`
}

// serverList is a page of a registry.
type serverList struct {
	Servers []struct {
		Server json.RawMessage `json:"server"`
		Meta   struct {
			Official struct {
				Status  string `json:"status"`
				Message string `json:"statusMessage"`
				Changed string `json:"statusChangedAt"`
				Updated string `json:"updatedAt"`
				Latest  *bool  `json:"isLatest"`
			} `json:"io.modelcontextprotocol.registry/official"`
		} `json:"_meta"`
	} `json:"servers"`
	Metadata struct {
		Next string `json:"nextCursor"`
	} `json:"metadata"`
}

// askServers reads a page of what changed since a time, of everything when it is "".
func askServers(ctx context.Context, f *Session, base, cursor, since string) (list serverList, err error) {
	address := base + "/v0.1/servers?limit=100&version=latest"
	if since != "" {
		address += "&include_deleted=true&updated_since=" + url.QueryEscape(since)
	}
	if cursor != "" {
		address += "&cursor=" + url.QueryEscape(cursor)
	}
	if _, err := getJSON(ctx, f, address, "", maxPage, &list); err != nil {
		return list, err
	}
	if list.Servers == nil {
		return list, refuse("this is no list of an MCP registry")
	}
	return list, nil
}

// tellsChanges finds out whether a registry takes notice of updated_since: nothing has changed since a time to come, by anybody's clock.
func tellsChanges(ctx context.Context, f *Session, base string) (bool, error) {
	list, err := askServers(ctx, f, base, "", f.now.AddDate(100, 0, 0).Format(time.RFC3339))
	var status *fetch.StatusError
	var refused *Refused
	if errors.As(err, &refused) || errors.As(err, &status) && status.Status < 500 && !status.TooMany() {
		return false, nil
	}
	return err == nil && len(list.Servers) == 0, err
}

func listServers(ctx context.Context, f *Session, base, cursor, mark string) (Page, error) {
	at := readWatermark(cursor, mark)
	if at.Since != "" && at.Cursor == "" {
		if tells, err := tellsChanges(ctx, f, base); err != nil {
			return Page{}, err
		} else if !tells {
			at = watermark{}
		}
	}
	list, err := askServers(ctx, f, base, at.Cursor, at.Since)
	if err != nil {
		return Page{}, err
	}
	out := Page{Partial: at.Since != ""}
	for _, entry := range list.Servers {
		var s server
		official := entry.Meta.Official
		at.saw(f.now, official.Updated, official.Changed)
		if json.Unmarshal(entry.Server, &s) != nil || official.Latest != nil && !*official.Latest {
			continue
		}
		kept, err := json.Marshal(registryEntry{entry.Server, official.Status == "deprecated", official.Message})
		if err != nil {
			return out, err
		}
		r, ok := ref(s.Name, kept)
		if !ok {
			continue
		}
		r.Stamp, r.Withdrawn = stamp(entry.Server), official.Status == "deleted"
		if official.Status == "deprecated" {
			r.Stamp += " deprecated " + stamp([]byte(official.Message))
		}
		out.Refs = append(out.Refs, r)
	}
	if list.Metadata.Next == "" {
		out.Mark = at.mark()
	} else {
		out.Next = at.next(list.Metadata.Next)
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
	var entry registryEntry
	var s server
	if json.Unmarshal(r.raw, &entry) != nil || json.Unmarshal(entry.Server, &s) != nil {
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
	if entry.Deprecated {
		s.Description = strings.TrimSpace(s.Description + "\n\nDeprecated at its source. " + clip(oneLine(entry.Message), 500))
	}
	item, err := packItem(title, s.Version, s.Description, map[string]any{pack.SectionMCPServers: map[string]any{name: config}})
	if entry.Deprecated {
		item.Document.Tags = append(item.Document.Tags, "deprecated")
	}
	item.Digest, item.Page = digest(entry.Server), base+"/v0.1/servers/"+url.PathEscape(s.Name)+"/versions/latest"
	item.Texts = map[string]string{"server.json": string(entry.Server), "status.txt": entry.Message}
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
