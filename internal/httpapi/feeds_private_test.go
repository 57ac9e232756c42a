package httpapi_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/store"
)

// feedLists are the addresses that name many items, and feedFiles those of one, with its id or slug to be put in.
var (
	feedLists = []string{
		"/feeds/git/marketplace.json", "/.well-known/agent-skills/index.json", "/.well-known/skills/index.json", "/feeds/clawhub/api/v1/skills?limit=200",
		"/feeds/clawhub/api/v1/search?q=secret", "/feeds/skills/api/search?q=secret", "/feeds/astrbot/plugins.json", "/feeds/mcp/v0.1/servers?limit=100", "/feeds/cards/index.json",
		"/feeds/lobe/index.json", "/feeds/stoa/index.json", "/feeds/atom/author/ada", "/feeds/atom/author/bob", "/feeds/atom/tag/x",
	}
	feedFiles = []string{
		"/feeds/git/items/{id}.git/info/refs?service=git-upload-pack", "/feeds/npm/@stoa/{slug}", "/feeds/npm/@stoa/{slug}/-/{slug}-1.0.0.tgz", "/.well-known/agent-skills/{name}/SKILL.md",
		"/feeds/clawhub/api/v1/skills/{slug}", "/feeds/clawhub/api/v1/download?slug={slug}", "/feeds/astrbot/zip/{slug}-1.0.0.zip", "/feeds/cards/{slug}.v3.json",
		"/feeds/lobe/{slug}.json", "/feeds/dify/{slug}.yml", "/v2/{id}/manifests/latest", "/v2/{id}/tags/list",
		"/feeds/stoa/items/{slug}.json", "/feeds/stoa/packs/{slug}/1.0.0.zip",
	}
	// feedSome name only some of what may be seen.
	feedSome = []string{"/mcp/", "/atom/", "/stoa/"}
	// mcpCalls are what an assistant can ask of an item, with its id to be put in.
	mcpCalls = []string{
		`"prompts/list","params":{}`, `"resources/list","params":{}`, `"resources/read","params":{"uri":"stoa://item/{id}"}`, `"prompts/get","params":{"name":"{id}"}`,
		`"tools/call","params":{"name":"search","arguments":{"query":"secret"}}`, `"tools/call","params":{"name":"inspect","arguments":{"id":"{id}"}}`,
	}
)

// In random states of visibility and ownership, over the network: whoever may not see an item finds neither its name nor its
// words in any feed, and its owner finds it.
func TestNothingPrivateIsInAnyFeed(t *testing.T) {
	heavy(t)
	s := feedServer(t)
	const items = 8
	var lines []string
	for i := range items {
		lines = append(lines, apitest.Line(m{"id": fmt.Sprintf("ada/secret-%d", i), "locales": m{"en-US": m{"title": fmt.Sprintf("Secret word-%d", i), "description": "A secret.", "prompt": fmt.Sprintf("Say word-%d.", i)}}, "version": "1.0.0"}))
	}
	publish(t, s, "ada", lines...)
	random := rand.New(rand.NewPCG(22, 5))
	tokens := map[string]string{"": "", "ada": withToken(t, s, "ada", "read").Token, "bob": withToken(t, s, "bob", "read").Token}
	for round := range 6 {
		owners, private := scramble(t, s, random, items)
		for viewer, token := range tokens {
			for _, list := range feedLists {
				_, body := feedGet(t, s, list, token)
				for i := range items {
					id := fmt.Sprintf("secret-%d", i)
					sees := !private[i] || viewer != "" && owners[i] == viewer
					if !sees && (bytes.Contains(body, []byte(id)) || bytes.Contains(body, []byte(fmt.Sprintf("word-%d", i)))) {
						t.Fatalf("round %d: %q sees the private %s of %s in %s", round, viewer, id, owners[i], list)
					}
					some := slices.ContainsFunc(feedSome, func(part string) bool { return strings.Contains(list, part) })
					if sees && !some && !bytes.Contains(body, []byte(id)) {
						t.Errorf("round %d: %q does not see %s of %s in %s", round, viewer, id, owners[i], list)
					}
				}
			}
			for i := range items {
				id := fmt.Sprintf("ada/secret-%d", i)
				sees := !private[i] || viewer != "" && owners[i] == viewer
				for _, call := range mcpCalls {
					call = strings.ReplaceAll(call, "{id}", id)
					if text := mcpSays(t, s, token, call); !sees && strings.Contains(text, fmt.Sprintf("word-%d", i)) {
						t.Fatalf("round %d: %q is told of the private %s of %s by %s", round, viewer, id, owners[i], call)
					} else if sees && strings.Contains(call, "inspect") && token != "" && !strings.Contains(text, fmt.Sprintf("word-%d", i)) {
						t.Errorf("round %d: %q is not told of %s: %s", round, viewer, id, text)
					}
				}
				for _, file := range feedFiles {
					at := strings.NewReplacer("{id}", id, "{slug}", card.Slug(id), "{name}", fmt.Sprintf("secret-%d", i)).Replace(file)
					if res, _ := feedGet(t, s, at, token); (res.StatusCode == http.StatusOK) != sees {
						t.Fatalf("round %d: %q asks for %s of %s (private: %v) and gets %d", round, viewer, at, owners[i], private[i], res.StatusCode)
					}
				}
			}
		}
	}
}

// mcpSays is what an assistant is answered: a member's, or anybody's.
func mcpSays(t *testing.T, s *apitest.Server, token, call string) string {
	t.Helper()
	path := "/mcp"
	if token == "" {
		path = "/mcp/market"
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":`+call+`}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"} {
		req.Header.Set(name, v)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return bodyOf(t, res)
}

// scramble gives the items owners and visibilities at random.
func scramble(t *testing.T, s *apitest.Server, random *rand.Rand, items int) (owners []string, private []bool) {
	t.Helper()
	ctx := t.Context()
	err := s.Store.Write(ctx, func(tx *store.Tx) error {
		for i := range items {
			item, err := tx.Item(ctx, catalog.KindTemplate, fmt.Sprintf("ada/secret-%d", i))
			if err != nil {
				return err
			}
			item.Owner, item.Visibility = []string{"ada", "bob", "", "cyn"}[random.IntN(4)], catalog.Community
			if random.IntN(2) == 0 {
				item.Visibility = catalog.Private
			}
			owners, private = append(owners, item.Owner), append(private, item.Visibility == catalog.Private)
			if err := tx.UpdateItem(&item); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
	return owners, private
}
