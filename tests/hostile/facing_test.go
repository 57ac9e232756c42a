package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/platform/listen"
)

// facing is a server behind the listener of stoa serve, with few places; over TLS where the test's other clients come over it.
type facing struct {
	*listen.Server
	address string
	tls     bool
}

func face(t *testing.T, s *apitest.Server, connections int) facing {
	t.Helper()
	return faceOver(t, s, connections, s.OverTLS())
}

func faceOver(t *testing.T, s *apitest.Server, connections int, overTLS bool) facing {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := listen.Options{Connections: connections, HeadTimeout: 2 * time.Second, ServeTime: 100 * time.Millisecond}
	if overTLS {
		o.Certificate = certificate(t)
	}
	f := facing{listen.New(s.Handler, o), l.Addr().String(), overTLS}
	go f.Serve(l)
	t.Cleanup(func() { f.Close() })
	return f
}

// certificate makes one for 127.0.0.1 in files, as an operator has it.
func certificate(t *testing.T) *listen.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert": {Type: "CERTIFICATE", Bytes: cert}, "key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := listen.LoadCertificate(filepath.Join(dir, "cert"), filepath.Join(dir, "key"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// connect opens a connection from an address, without a handshake.
func (f facing) connect(t *testing.T, from string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}).Dial("tcp", f.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// dial opens a connection from an address on which one of the protocols can be spoken.
func (f facing) dial(t *testing.T, from string, protocols ...string) net.Conn {
	t.Helper()
	c := f.connect(t, from)
	if !f.tls {
		return c
	}
	secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols}) //nolint:gosec // the test's own certificate
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if err := secure.Handshake(); err != nil {
		t.Logf("handshake: %v", err) // the connection may have had to make room
	}
	c.SetDeadline(time.Time{})
	return secure
}

// post begins a request from an address and sends a little of its body.
func (f facing) post(t *testing.T, from, path, token string) net.Conn {
	t.Helper()
	c := f.dial(t, from)
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: 200000\r\n\r\n{\"template_id\":\"ada/x\",", path, token)
	return c
}

// healthySoon is healthy for when all places have just been taken by requests that may be served for a moment before they make room.
func (f facing) healthySoon(t *testing.T) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		if c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.9")}, Timeout: time.Second}).Dial("tcp", f.address); err == nil {
			c.SetDeadline(time.Now().Add(time.Second))
			fmt.Fprint(c, "GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			n, _ := c.Read(make([]byte, 1))
			c.Close()
			if n == 1 {
				break // there is a place
			}
		}
	}
	f.healthy(t)
}

// healthy fails the test unless the server's health is answered to somebody who comes from elsewhere.
func (f facing) healthy(t *testing.T) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.9")}}
	transport := &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // as above
	scheme := "http://"
	if f.tls {
		scheme = "https://"
	}
	client := http.Client{Transport: transport, Timeout: 10 * time.Second}
	r, err := client.Get(scheme + f.address + "/api/health")
	if err != nil {
		t.Fatalf("health: %v (%+v)", err, f.Connections())
	}
	defer r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("health: %d", r.StatusCode)
	}
}
