package httpapi_test

import (
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// TestAPageNamesWhatItsScriptsAskForFirst: each address that a page names is one that answers whoever the page is for.
func TestAPageNamesWhatItsScriptsAskForFirst(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada, anyone := s.As(t, "ada"), s.Nobody(t)
	for _, c := range []struct {
		path   string
		client *apitest.Client
		named  int
	}{{"/", anyone, 2}, {"/market", anyone, 2}, {"/learn", anyone, 2}, {"/learn", ada, 2}, {"/runtime", ada, 2}} {
		links := c.client.Get(c.path).Header.Values("Link")
		if len(links) != c.named {
			t.Errorf("%s names %q", c.path, links)
		}
		for _, link := range links {
			address, _, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
			if reply := c.client.Get(address); reply.Status != 200 {
				t.Errorf("%s names %s, which answers %d", c.path, address, reply.Status)
			}
		}
	}
}
