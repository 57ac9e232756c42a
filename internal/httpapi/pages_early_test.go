package httpapi_test

import (
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// TestAPageNamesWhatItsScriptsAskForFirst: each address that a page names is one that answers whoever the page is for.
func TestAPageNamesWhatItsScriptsAskForFirst(t *testing.T) {
	s := apitest.Start(t)
	ada := s.Member("ada")
	for _, c := range []struct {
		path   string
		client *apitest.Client
		named  int
	}{{"/", s.Client, 2}, {"/market", s.Client, 2}, {"/learn", s.Client, 2}, {"/learn", ada, 3}, {"/runtime", ada, 2}} {
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
