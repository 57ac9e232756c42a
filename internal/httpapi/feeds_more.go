package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa/internal/market/export"
	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

var errNoFeedFile = errs.New(errs.NotFound, "There is no such file here.")

// mountAstrBot serves a source of plugins for AstrBot's dashboard.
func (s *Server) mountAstrBot() {
	market := func(f *feedCall) []byte {
		return remembered(f, "astrbot/"+f.base, func() []byte { return feed.AstrBotMarket(f.view.Rows, f.base, "Stoa on "+hostOf(f.base)) })
	}
	s.mux.Handle("GET /feeds/astrbot/plugins.json", s.feedOf("astrbot", "application/json", func(f *feedCall) ([]byte, error) { return market(f), nil }))
	s.mux.Handle("GET /feeds/astrbot/plugins-md5.json", s.feedOf("astrbot md5", "application/json", func(f *feedCall) ([]byte, error) { return feed.AstrBotSum(market(f)), nil }))
	s.mux.Handle("GET /feeds/astrbot/zip/{file}", s.feed("application/zip", astrBotZip))
}

// astrBotZip serves SLUG-VERSION.zip. Both may hold hyphens, so the version is found among those there are.
func astrBotZip(f *feedCall) ([]byte, error) {
	name, ok := strings.CutSuffix(f.PathValue("file"), ".zip")
	for i := range name {
		if name[i] != '-' || !ok {
			continue
		}
		if _, known := f.view.Row(name[:i]); !known {
			continue
		}
		c, err := f.server.app.FeedCard(f.Context(), f.caller, name[:i], name[i+1:])
		if err == nil && len(c.Skills) > 0 && c.Version == name[i+1:] {
			return feed.AstrBotPlugin(c, f.base), nil
		}
	}
	return nil, errNoFeedFile
}

const registryBase = "GET /feeds/mcp/v0.1/servers"

// mountRegistry serves the MCP servers of packs as an MCP registry, below /feeds/mcp.
func (s *Server) mountRegistry() {
	s.mux.Handle(registryBase, s.feed("application/json", registryList))
	s.mux.Handle(registryBase+"/{name}/versions", s.feed("application/json", registryVersions))
	s.mux.Handle(registryBase+"/{name}/versions/{version}", s.feed("application/json", registryVersion))
}

func registryServers(f *feedCall) []feed.RegistryServer {
	return remembered(f, "registry/"+f.base, func() []feed.RegistryServer {
		return feed.RegistryServers(f.view.Rows, feed.ReverseDNS(hostOf(f.base)))
	})
}

// registryEver are the servers there are and those that were withdrawn, sorted by name.
func registryEver(f *feedCall) []feed.RegistryServer {
	return remembered(f, "registry-ever/"+f.base, func() []feed.RegistryServer {
		all := append(feed.RegistryGone(f.view.Gone, feed.ReverseDNS(hostOf(f.base))), registryServers(f)...)
		slices.SortStableFunc(all, func(a, b feed.RegistryServer) int { return strings.Compare(a.Name, b.Name) })
		return all
	})
}

func registryList(f *feedCall) ([]byte, error) {
	q := f.URL.Query()
	var since time.Time
	if text := q.Get("updated_since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, errs.New(errs.InvalidRequest, "updated_since is no time such as 2026-11-22T10:00:00Z.")
		}
	}
	limit, search := bounded(q.Get("limit"), 30, 100), strings.ToLower(q.Get("search"))
	servers := registryServers
	if !since.IsZero() || q.Get("include_deleted") == "true" {
		servers = registryEver // who asks for changes has to hear of what is gone
	}
	var page []feed.RegistryServer
	for _, one := range servers(f) {
		version := q.Get("version")
		if one.Name <= q.Get("cursor") || one.Changed.Before(since) || !strings.Contains(strings.ToLower(one.Name), search) || version != "" && version != "latest" && version != one.Version {
			continue
		}
		if len(page) == limit {
			return feed.RegistryList(page, page[limit-1].Name), nil
		}
		page = append(page, one)
	}
	return feed.RegistryList(page, ""), nil
}

// versionsOf lists the versions of the server that the path names.
func versionsOf(f *feedCall) ([]feed.RegistryServer, error) {
	all, name := registryServers(f), f.PathValue("name")
	i, ok := slices.BinarySearchFunc(all, name, func(s feed.RegistryServer, name string) int { return strings.Compare(s.Name, name) })
	if !ok {
		return nil, errs.New(errs.NotFound, "There is no such server here.")
	}
	cards, err := f.server.app.FeedCards(f.Context(), f.caller, all[i].Item)
	return feed.RegistryVersions(cards, feed.ReverseDNS(hostOf(f.base)), name), err
}

func registryVersions(f *feedCall) ([]byte, error) {
	versions, err := versionsOf(f)
	return feed.RegistryList(versions, ""), err
}

func registryVersion(f *feedCall) ([]byte, error) {
	versions, err := versionsOf(f)
	for i, v := range versions {
		if wanted := f.PathValue("version"); v.Version == wanted || wanted == "latest" && i == 0 {
			return feed.Registry(v), nil
		}
	}
	if err == nil {
		err = errs.New(errs.NotFound, "There is no such version of this server.")
	}
	return nil, err
}

// exportFeed is a folder of files that are made by package export, each of one persona: SLUG.end for the first of an item and
// SLUG.end?persona=NAME for another.
type exportFeed struct {
	end, kind string
	format    export.Format
	finish    func(document []byte, slug string) ([]byte, error) // nil for none
}

// mountCards serves personas and prompts as character cards.
func (s *Server) mountCards() {
	s.mux.Handle("GET /feeds/cards/index.json", s.feedOf("cards", "application/json", func(f *feedCall) ([]byte, error) { return feed.CardIndex(f.view.Rows, f.base), nil }))
	s.mountExports("cards", exportFeed{".png", "image/png", export.CardPNG, nil}, exportFeed{".v3.json", "application/json", export.CardV3, nil},
		exportFeed{".v2.json", "application/json", export.CardV2, nil})
}

// mountDify serves personas and prompts as applications of Dify.
func (s *Server) mountDify() {
	s.mountExports("dify", exportFeed{".yml", "application/yaml", export.Dify, nil})
}

// mountLobe serves personas and prompts as LobeChat's index of agents. Every language gets the same index and agents.
func (s *Server) mountLobe() {
	index := s.feedOf("lobe", "application/json", func(f *feedCall) ([]byte, error) { return feed.LobeIndex(f.view.Rows, f.base), nil })
	s.mux.Handle("GET /feeds/lobe", index)
	for _, name := range []string{"index.json", "index.en-US.json", "index.zh-CN.json", "index.ja-JP.json"} {
		s.mux.Handle("GET /feeds/lobe/"+name, index)
	}
	agent := exportFeed{".json", "application/json", export.LobeChat, feed.LobeAgent}
	forms := []exportFeed{}
	for _, locale := range []string{".en-US", ".zh-CN", ".ja-JP", ""} {
		form := agent
		form.end = locale + agent.end
		forms = append(forms, form)
	}
	s.mountExports("lobe", forms...)
}

// mountExports serves the files of one folder; of several endings that fit, the first counts.
func (s *Server) mountExports(folder string, forms ...exportFeed) {
	handlers := make([]http.Handler, len(forms))
	for i, form := range forms {
		handlers[i] = s.feed(form.kind, func(f *feedCall) ([]byte, error) {
			slug := strings.TrimSuffix(f.PathValue("file"), form.end)
			result, err := s.app.FeedExport(f.Context(), f.caller, slug, form.format, f.URL.Query().Get("persona"), f.base)
			if err != nil {
				return nil, err
			}
			if form.finish == nil {
				return result.Files[0].Data, nil
			}
			return form.finish(result.Files[0].Data, slug)
		})
	}
	s.mux.HandleFunc("GET /feeds/"+folder+"/{file}", func(w http.ResponseWriter, req *http.Request) {
		for i, form := range forms {
			if strings.HasSuffix(req.PathValue("file"), form.end) {
				handlers[i].ServeHTTP(w, req)
				return
			}
		}
		s.fail(w.(*recorder), req, errNoFeedFile)
	})
}
