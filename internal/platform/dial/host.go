package dial

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Names that never lead to the internet: RFC 6761, 6762 and 8375, ICANN's word on "internal", and what ICANN will not give away because
// so many private networks use it.
var private = strings.Fields("localhost local internal home.arpa localdomain intranet lan home corp private")

// MayDial tells whether what stands in an address as its host may lead to somewhere that is allowed, as far as the text alone says:
// an address in any notation that a resolver reads is judged as the address, a name that is known to be private as this machine.
// Where any other name leads is only known when it is dialled.
func MayDial(host string, allow Allow) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return allow(netip.AddrPortFrom(a, 0))
	}
	name, err := idna.Lookup.ToASCII(strings.ToLower(host)) // full-width digits and dots become plain ones, as they do when dialled
	if err != nil {
		return false
	}
	name = strings.TrimSuffix(name, ".")
	labels := strings.Split(name, ".")
	if last := labels[len(labels)-1]; number(last) {
		a, ok := loose(labels)
		return ok && allow(netip.AddrPortFrom(a, 0))
	}
	local := len(labels) == 1
	for _, p := range private {
		local = local || name == p || strings.HasSuffix(name, "."+p)
	}
	return !local || allow(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0))
}

// number tells whether a label cannot be the last of a name, since no top-level name is a number.
func number(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, is := strings.CutPrefix(label, "0x")
	return is && strings.Trim(hex, "0123456789abcdef") == ""
}

// loose reads an IPv4 address as inet_aton does: one to four numbers, decimal, octal after 0 or hexadecimal after 0x, the last of
// which fills the bytes that are left.
func loose(parts []string) (netip.Addr, bool) {
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var all uint64
	for i, part := range parts {
		base, most := 10, uint64(255)
		if hex, is := strings.CutPrefix(part, "0x"); is {
			part, base = "0"+hex, 16
		} else if len(part) > 1 && part[0] == '0' {
			base = 8
		}
		if i == len(parts)-1 {
			most = 1<<(8*(5-len(parts))) - 1
		}
		n, err := strconv.ParseUint(part, base, 64)
		if err != nil || n > most {
			return netip.Addr{}, false
		}
		if i == len(parts)-1 {
			all = all<<(8*(5-len(parts))) | n
		} else {
			all = all<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}), true
}
