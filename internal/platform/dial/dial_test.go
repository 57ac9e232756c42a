package dial_test

import (
	"net/netip"
	"testing"

	"stoa/internal/platform/dial"
)

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1:248:1893:25c8:1946": true, "127.0.0.1": false, "10.1.2.3": false, "192.168.1.1": false, "172.16.0.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false, "::1": false, "::": false, "fe80::1": false, "fd00::1": false, "::ffff:127.0.0.1": false,
		"::ffff:169.254.169.254": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "198.18.0.1": false, "fe80::1%eth0": false,
	} {
		if got := dial.Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}

func TestLocal(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "192.168.1.1": true, "fd12::1": true, "::1": true, "169.254.169.254": false, "fe80::1": false, "fd00:ec2::254": false, "8.8.8.8": false, "0.0.0.0": false,
		"::ffff:169.254.169.254": false,
	} {
		if dial.Local(netip.MustParseAddr(address)) != want {
			t.Errorf("%s is taken for local: %t", address, !want)
		}
	}
}
