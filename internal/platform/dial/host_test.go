package dial_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"pgregory.net/rapid"

	"stoa/internal/platform/dial"
)

func TestHostsThatAreCertainlyPrivate(t *testing.T) {
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "a.localhost", "x.local", "x.internal", "metadata.google.internal", "router.home.arpa", "home.arpa", "x.lan", "intranet", "db",
		"2130706433", "0x7f.1", "0X7F.1", "127.1", "0177.0.0.1", "017700000001", "0", "0xa000001", "0x", "127.0.0.1.", "10.0.0.1", "169.254.169.254", "0251.0376.0251.0376",
		"::1", "::", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "fc00::1",
		"１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "ｌocalhost", "1.2.3.4.5", "256.1.1.1", "08.1.1.1", "999999999999", "a b.example.org", "",
	} {
		if dial.MayDial(host, dial.PublicOnly) {
			t.Errorf("%q may be dialled", host)
		}
	}
	for _, host := range []string{"example.org", "example.org.", "bücher.example", "1.1.1.1", "0x01010101", "2606:4700::1111", "localhost.example.org", "local.example.org", "1e100.net", "127.0.0.1.nip.io"} {
		if !dial.MayDial(host, dial.PublicOnly) {
			t.Errorf("%q may not be dialled", host)
		}
	}
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "2130706433": true, "intranet": true, "169.254.169.254": false, "2852039166": false, "fd00:ec2::254": false, "example.org": true} {
		if dial.MayDial(host, dial.PublicOrLocal) != want {
			t.Errorf("%s, where private addresses are allowed: %t", host, !want)
		}
	}
}

// Every notation of an IPv4 address is judged as the address.
func TestNotationsOfAnAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(0x7f000000, 0x7fffffff), rapid.Uint32Range(0x0a000000, 0x0affffff)).Draw(t, "address")
		b := [4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
		want := dial.Public(netip.AddrFrom4(b))
		for _, host := range []string{
			fmt.Sprint(n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0%o", n), fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("0x%x.0%o.%d", b[0], b[1], n&0xffff), fmt.Sprintf("0%o.%d.0x%x.%d", b[0], b[1], b[2], b[3]),
			fmt.Sprintf("::ffff:%x:%x", n>>16, n&0xffff),
		} {
			if dial.MayDial(host, dial.PublicOnly) != want {
				t.Fatalf("%s is %v: %t", host, netip.AddrFrom4(b), !want)
			}
		}
	})
}

// A name that leads to the internet when it is looked up and to this machine when it is dialled is not dialled, whatever kind of
// address it gives then.
func TestANameThatLeadsElsewhereAfterwards(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, inward := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00::1"} {
		var turned atomic.Bool
		server, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		go names(server, func() netip.Addr {
			if turned.Load() {
				return netip.MustParseAddr(inward)
			}
			return netip.MustParseAddr("93.184.216.34")
		})
		resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
		}}
		first, err := resolver.LookupHost(t.Context(), "turns.example.org")
		if err != nil || len(first) != 1 || !dial.MayDial("turns.example.org", dial.PublicOnly) || !dial.Public(netip.MustParseAddr(first[0])) {
			t.Fatalf("%v %v", first, err)
		}
		turned.Store(true)
		d := dial.Guarded(5*time.Second, dial.PublicOnly)
		d.Resolver = resolver
		if c, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("turns.example.org", port)); !errors.Is(err, dial.ErrBlocked) {
			t.Errorf("%s: %v %v", inward, c, err)
		}
	}
}

// names answers questions for names with one address, until its connection is closed.
func names(conn net.PacketConn, address func() netip.Addr) {
	buf := make([]byte, 512)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
		head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch a := address(); {
		case q.Type == dnsmessage.TypeA && a.Is4():
			reply.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: a.As4()}}}
		case q.Type == dnsmessage.TypeAAAA && !a.Is4():
			reply.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}}}
		}
		if packed, err := reply.Pack(); err == nil {
			_, _ = conn.WriteTo(packed, from)
		}
	}
}
