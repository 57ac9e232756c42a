package mail_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/platform/mail"
)

// The roots of the system are read once in a process, so that the one of these tests is there before the first connection.
var identities = map[string]tls.Certificate{}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "stoa-mail-")
	if err == nil {
		err = trust(dir)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// trust makes two certificates that this process trusts, for this machine and for another, and one that it does not.
func trust(dir string) error {
	var roots []byte
	for name, address := range map[string]string{"mine": "127.0.0.1", "another's": "192.0.2.1", "unknown": "127.0.0.1"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(int64(len(name))), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.ParseIP(address)},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		if err != nil {
			return err
		}
		identities[name] = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
		if name != "unknown" {
			roots = append(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
		}
	}
	file := filepath.Join(dir, "roots.pem")
	if err := os.WriteFile(file, roots, 0o600); err != nil {
		return err
	}
	return os.Setenv("SSL_CERT_FILE", file)
}

// post is a mail server that keeps what it hears, in the clear and under TLS.
type post struct {
	address string
	mu      sync.Mutex
	clear   []string
	secret  []string
}

func (p *post) heard() (clear, secret string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.clear, "\n"), strings.Join(p.secret, "\n")
}

// listen serves one way of TLS with a certificate; offered says whether STARTTLS is.
func listen(t *testing.T, way mail.TLS, identity string, offered bool) *post {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &post{address: l.Addr().String()}
	config := &tls.Config{Certificates: []tls.Certificate{identities[identity]}}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
				if way == mail.Implicit {
					p.serve(tls.Server(conn, config), nil, true)
				} else {
					p.serve(conn, config, offered)
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return p
}

// serve speaks as much SMTP as a client needs (RFC 5321, 3207, 4954).
func (p *post) serve(conn net.Conn, config *tls.Config, offered bool) {
	_, secure := conn.(*tls.Conn)
	r := bufio.NewReader(conn)
	say := func(lines ...string) {
		for _, line := range lines {
			_, _ = conn.Write([]byte(line + "\r\n"))
		}
	}
	say("220 here")
	inData := false
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		p.mu.Lock()
		if secure {
			p.secret = append(p.secret, line)
		} else {
			p.clear = append(p.clear, line)
		}
		p.mu.Unlock()
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch {
		case inData:
			if line == "." {
				inData = false
				say("250 kept")
			}
		case verb == "EHLO" && secure:
			say("250-here", "250 AUTH PLAIN")
		case verb == "EHLO" && offered:
			say("250-here", "250 STARTTLS")
		case verb == "EHLO":
			say("250-here", "250 AUTH PLAIN")
		case verb == "STARTTLS" && !offered:
			say("502 not here")
		case verb == "STARTTLS" && config != nil:
			say("220 go on")
			change := tls.Server(conn, config)
			if change.Handshake() != nil {
				return
			}
			conn, secure, r = change, true, bufio.NewReader(change)
		case verb == "AUTH":
			say("235 known")
		case verb == "DATA":
			inData = true
			say("354 go on")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func send(t *testing.T, p *post, way mail.TLS) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s := mail.Server{Address: p.address, From: "stoa@stoa.example", Username: "stoa", Password: "very secret", TLS: way}
	return s.Send(ctx, mail.Text{ID: "1", To: "ada@example.org", Subject: "你好", Body: "Your submission was approved.", Locale: "zh-CN", At: time.Unix(0, 0)})
}

func TestAMailGoesUnderTLSAlone(t *testing.T) {
	for _, way := range []mail.TLS{mail.StartTLS, mail.Implicit} {
		t.Run(string(way), func(t *testing.T) {
			p := listen(t, way, "mine", true)
			if err := send(t, p, way); err != nil {
				t.Fatal(err)
			}
			clear, secret := p.heard()
			password := base64.StdEncoding.EncodeToString([]byte("\x00stoa\x00very secret"))
			for _, want := range []string{"AUTH PLAIN " + password, "MAIL FROM:<stoa@stoa.example>", "RCPT TO:<ada@example.org>", "Your submission was approved."} {
				if !strings.Contains(secret, want) || strings.Contains(clear, want) {
					t.Errorf("%q: in the clear %q, under TLS %q", want, clear, secret)
				}
			}
			if way == mail.StartTLS && !strings.HasSuffix(clear, "STARTTLS") {
				t.Errorf("in the clear: %q", clear)
			}
		})
	}
}

// Whoever stands between must not get a word of a mail, nor the password.
func TestNoMailGoesToWhoeverCannotProveWhoTheyAre(t *testing.T) {
	for name, one := range map[string]struct {
		way, served mail.TLS
		identity    string
		offered     bool
	}{
		"starttls is not offered":          {mail.StartTLS, mail.StartTLS, "mine", false},
		"starttls, another's certificate":  {mail.StartTLS, mail.StartTLS, "another's", true},
		"starttls, nobody's certificate":   {mail.StartTLS, mail.StartTLS, "unknown", true},
		"tls, another's certificate":       {mail.Implicit, mail.Implicit, "another's", true},
		"tls, nobody's certificate":        {mail.Implicit, mail.Implicit, "unknown", true},
		"tls, and the server speaks clear": {mail.Implicit, mail.StartTLS, "mine", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := listen(t, one.served, one.identity, one.offered)
			if err := send(t, p, one.way); err == nil {
				t.Error("it was sent")
			}
			clear, secret := p.heard()
			for _, bad := range []string{"AUTH", "MAIL", "approved"} {
				if strings.Contains(clear+secret, bad) {
					t.Errorf("the server heard %q: %q, %q", bad, clear, secret)
				}
			}
		})
	}
}
