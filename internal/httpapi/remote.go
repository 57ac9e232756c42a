package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// remoteOf is the address that a request comes from. What stands in X-Forwarded-For is believed as far as those who wrote
// it are trusted: from its end on, the first address that is not a trusted proxy's is the caller's.
func remoteOf(req *http.Request, trusted []netip.Prefix) string {
	from, err := netip.ParseAddrPort(req.RemoteAddr)
	if err != nil {
		return req.RemoteAddr
	}
	remote := from.Addr().Unmap().WithZone("")
	if len(trusted) == 0 {
		return remote.String()
	}
	hops := strings.Split(strings.Join(req.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && within(remote, trusted); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break // a proxy that says nothing useful is as far as can be seen
		}
		remote = hop.Unmap().WithZone("")
	}
	return remote.String()
}

func within(address netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(address) {
			return true
		}
	}
	return false
}
