package listen

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// networkBits is what one household or machine is given of IPv6: whoever has one address of it has them all.
const networkBits = 64

// Source returns what counts as one address: an IPv4 address as it is, of an IPv6 address its network of 64 bits. What is
// no address, or this machine's own, is returned unchanged.
func Source(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() || addr.IsLoopback() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, networkBits).Masked().String()
}

// FromOtherSite reports whether a browser sent a request for another site's page, also one of another port of this
// machine. Programs that are no browsers say nothing of it.
func FromOtherSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
	default:
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host)
}
