package llm

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// errBlocked is of an address that may not be dialled.
var errBlocked = errors.New("llm: this address may not be asked")

const (
	dialTime     = 10 * time.Second
	largestHeads = 64 << 10
)

// NewGuarded makes a model whose address a stranger chose. Only addresses that allow says yes to are dialled, whatever a name
// resolves to at that moment; the environment's proxy is not used, no redirect is followed and no connection is kept.
func NewGuarded(base, name, key string, allow func(netip.AddrPort) bool) (*Model, error) {
	dialer := &net.Dialer{Timeout: dialTime, Control: func(_, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err != nil || !allow(a) {
			return errBlocked
		}
		return nil
	}}
	return newModel(base, name, key, &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: largestHeads, TLSHandshakeTimeout: dialTime, ForceAttemptHTTP2: true,
	})
}

// Local tells whether an address is of this machine or of a private network, which an operator may allow. The addresses that
// clouds tell secrets at (169.254.0.0/16, fe80::/10, fd00:ec2::/32) are never among them.
func Local(a netip.Addr) bool {
	a = a.Unmap()
	return a.Zone() == "" && (a.IsLoopback() || a.IsPrivate() && !metadata.Contains(a))
}

var metadata = netip.MustParsePrefix("fd00:ec2::/32")
