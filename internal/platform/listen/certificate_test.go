package listen

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issue writes a new self-signed certificate for 127.0.0.1 and gives it.
func issue(t *testing.T, name, certFile, keyFile string, changed time.Time) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(changed.UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestTLSByFile(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := LoadCertificate(certFile, keyFile, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("files that are not there were loaded")
	}
	at := time.Now().Add(-time.Hour)
	first := issue(t, "first", certFile, keyFile, at)
	var logged bytes.Buffer
	certificate, err := LoadCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	server := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, tls.VersionName(r.TLS.Version)+" "+r.Proto)
	}), Options{Certificate: certificate})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	ask := func(pool *x509.CertPool, most uint16) (body, name string, err error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MaxVersion: most}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		r, err := (&http.Client{Transport: transport, Timeout: 5 * time.Second}).Get("https://" + listener.Addr().String())
		if err != nil {
			return "", "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return string(text), r.TLS.PeerCertificates[0].Subject.CommonName, err
	}
	trust := func(all ...*x509.Certificate) *x509.CertPool {
		pool := x509.NewCertPool()
		for _, c := range all {
			pool.AddCert(c)
		}
		return pool
	}
	if body, name, err := ask(trust(first), 0); err != nil || body != "TLS 1.3 HTTP/2.0" || name != "first" {
		t.Fatalf("%q %q %v", body, name, err)
	}
	if body, _, err := ask(trust(first), tls.VersionTLS12); err != nil || !strings.HasPrefix(body, "TLS 1.2") {
		t.Errorf("TLS 1.2: %q %v", body, err)
	}
	if _, _, err := ask(trust(first), tls.VersionTLS11); err == nil {
		t.Error("TLS 1.1 was taken")
	}
	second := issue(t, "second", certFile, keyFile, at.Add(time.Minute))
	if _, name, err := ask(trust(second), 0); err != nil || name != "second" {
		t.Errorf("after the files changed: %q %v", name, err)
	}
	// A key that does not belong to the certificate leaves the old pair in force, until there is a good one.
	if err := os.WriteFile(certFile, []byte("half a certif"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, name, err := ask(trust(second), 0); err != nil || name != "second" {
		t.Errorf("with a broken file: %q %v", name, err)
	}
	if !strings.Contains(logged.String(), "cannot be used") {
		t.Errorf("nothing was said of the broken file: %s", logged.String())
	}
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	if _, name, err := ask(trust(second), 0); err != nil || name != "second" {
		t.Errorf("without a file: %q %v", name, err)
	}
	third := issue(t, "third", certFile, keyFile, at.Add(2*time.Minute))
	if _, name, err := ask(trust(third), 0); err != nil || name != "third" {
		t.Errorf("fixed: %q %v", name, err)
	}
	// A plain request gets no answer of ours, and no strange handshake reaches the warnings.
	if r, err := http.Get("http://" + listener.Addr().String()); err == nil && r.StatusCode != 400 {
		t.Errorf("plain HTTP: %d", r.StatusCode)
	}
	if err := server.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}
