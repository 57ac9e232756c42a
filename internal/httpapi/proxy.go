package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of balancers and proxies in front of the server. What a request says about where it came
// from counts only when one of them sent it; from anybody else it is a stranger's word.
type Proxies []netip.Prefix

// origin is where a request came from: the client's address without a port, and whether the client spoke TLS.
type origin struct {
	remote  string
	https   bool
	proxied bool // a trusted proxy handed it on
}

// origin finds out where a request came from. Each proxy appends the address that it was called from to
// X-Forwarded-For, so the client is the right-most hop that is not one of the proxies; whatever stands further left
// was in the request already and may be made up.
func (p Proxies) origin(req *http.Request) origin {
	o := origin{remote: req.RemoteAddr, https: req.TLS != nil}
	if host, _, err := net.SplitHostPort(req.RemoteAddr); err == nil {
		o.remote = host
	}
	if len(p) == 0 || !p.trust(o.remote) {
		return o
	}
	o.proxied = true
	hops := strings.Split(strings.Join(req.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		addr, ok := parseHop(hops[i])
		if !ok {
			break // what cannot be read was not written by one of ours; neither was what is left of it
		}
		o.remote = addr.String()
		if !p.contains(addr) {
			break
		}
	}
	// The right-most word is the nearest proxy's.
	if protos := strings.Split(strings.Join(req.Header["X-Forwarded-Proto"], ","), ","); len(protos) > 0 {
		switch strings.ToLower(strings.TrimSpace(protos[len(protos)-1])) {
		case "https":
			o.https = true
		case "http":
			o.https = false
		}
	}
	return o
}

func (p Proxies) trust(remote string) bool {
	addr, err := netip.ParseAddr(remote)
	return err == nil && p.contains(plainAddr(addr))
}

func (p Proxies) contains(addr netip.Addr) bool {
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// parseHop reads one hop: an address, perhaps with a port.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return plainAddr(withPort.Addr()), true
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return plainAddr(addr), err == nil
}

// plainAddr is an address as it is compared: IPv4 without its IPv6 clothes, without a zone.
func plainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// base is the address that a request's sender reaches this server at, without a path.
func (s *Server) base(w *recorder, req *http.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return pageOrigin(w, req)
}

// pageOrigin is where the page is that a request comes from, as its browser sees it.
func pageOrigin(w *recorder, req *http.Request) string {
	if w.https {
		return "https://" + req.Host
	}
	return "http://" + req.Host
}
