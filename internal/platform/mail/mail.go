// Package mail sends short texts by SMTP.
package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"strings"
	"time"
)

// TLS says how a connection to the server is made safe.
type TLS string

// The ways to a mail server.
const (
	StartTLS TLS = "starttls" // begins in the clear and must change over
	Implicit TLS = "tls"      // from the first byte
	NoTLS    TLS = "none"     // for a server on this machine
)

// patience bounds sending one mail.
const patience = 15 * time.Second

// Server is where mails are given, and from whom they are.
type Server struct {
	Address            string // host:port
	From               string
	Username, Password string
	TLS                TLS
}

// Check says what is wrong with the settings.
func (s Server) Check() error {
	if _, _, err := net.SplitHostPort(s.Address); err != nil {
		return fmt.Errorf("%q is no address of a mail server such as mail.example:587", s.Address)
	}
	if _, err := Address(s.From); err != nil {
		return fmt.Errorf("%q is no address that mails can be from", s.From)
	}
	return nil
}

// Address reads one bare mail address.
func Address(text string) (string, error) {
	a, err := mail.ParseAddress(text)
	if err != nil {
		return "", err
	}
	if a.Name != "" || a.Address != text || len(text) > 254 || strings.ContainsAny(text, "\r\n\x00<>\"") {
		return "", errors.New("mail: not one bare address")
	}
	return text, nil
}

// Text is one mail.
type Text struct {
	ID, To, Subject, Body, Locale string
	At                            time.Time
}

// Send gives a mail to the server, which has taken it when there is no error.
func (s Server) Send(ctx context.Context, m Text) error {
	to, err := Address(m.To)
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(s.Address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(end); err != nil {
			return err
		}
	}
	secure := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if s.TLS == Implicit {
		conn = tls.Client(conn, secure)
	}
	c, err := smtp.NewClient(conn, host)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // what counts was answered before
	if s.TLS == StartTLS {
		if err := c.StartTLS(secure); err != nil {
			return err
		}
	}
	if s.Username != "" {
		if err := c.Auth(smtp.PlainAuth("", s.Username, s.Password, host)); err != nil {
			return err
		}
	}
	if err := c.Mail(s.From); err != nil {
		return err
	}
	if err := c.Rcpt(to); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(s.message(m, to)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the server has it
	return nil
}

// message writes a mail out (RFC 5322).
func (s Server) message(m Text, to string) []byte {
	var b bytes.Buffer
	_, domain, _ := strings.Cut(s.From, "@")
	for _, h := range [][2]string{
		{"From", (&mail.Address{Name: "Stoa", Address: s.From}).String()},
		{"To", to},
		{"Subject", mime.QEncoding.Encode("utf-8", oneLine(m.Subject))},
		{"Date", m.At.UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + m.ID + "@" + domain + ">"},
		{"Content-Language", m.Locale},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(strings.ReplaceAll(m.Body, "\n", "\r\n")))
	_ = w.Close()
	return b.Bytes()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
