// Package dial makes connections to addresses that strangers name. Which ones may be dialled is judged by the address that
// a name resolves to at the moment of dialling, so a name cannot lead to another one afterwards.
package dial

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// ErrBlocked is of an address that may not be dialled.
var ErrBlocked = errors.New("dial: this address may not be dialled")

// Allow says which addresses may be dialled.
type Allow func(netip.AddrPort) bool

// PublicOnly allows the addresses of the internet.
func PublicOnly(a netip.AddrPort) bool { return Public(a.Addr()) }

// PublicOrLocal allows those of this machine and of private networks too.
func PublicOrLocal(a netip.AddrPort) bool { return Public(a.Addr()) || Local(a.Addr()) }

// Guarded makes a dialer that refuses with ErrBlocked what allow says no to.
func Guarded(timeout time.Duration, allow Allow) *net.Dialer {
	return &net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err != nil || !allow(a) {
			return ErrBlocked
		}
		return nil
	}}
}

// Networks beside the private ones that are nobody's on the internet, or stand for addresses that are (RFC 6890 and its kin).
var special = func() (all []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}()

// Public tells whether an address is one of the internet.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// metadata is where a cloud tells its machines secrets; its other addresses (169.254.0.0/16, fe80::/10) are link-local.
var metadata = netip.MustParsePrefix("fd00:ec2::/32")

// Local tells whether an address is of this machine or of a private network, which an operator may allow. The addresses at
// which clouds tell secrets are never among them.
func Local(a netip.Addr) bool {
	a = a.Unmap()
	return a.Zone() == "" && (a.IsLoopback() || a.IsPrivate() && !metadata.Contains(a))
}
