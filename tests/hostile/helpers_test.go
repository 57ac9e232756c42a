package hostile

import (
	"net/netip"

	"stoa/internal/httpapi"
)

// trustLoopback lets a test say, as a proxy would, where a request came from and that it came over TLS.
func trustLoopback(c *httpapi.Config) {
	c.Proxies = httpapi.Proxies{netip.MustParsePrefix("127.0.0.0/8")}
}
