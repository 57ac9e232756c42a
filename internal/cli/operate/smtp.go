package operate

import (
	"errors"
	"os"

	"stoa/internal/app/core"
	"stoa/internal/platform/mail"
)

// smtpSettings are the flags of the mail server.
type smtpSettings struct {
	Address  string `help:"Mail server that notifications go out by, such as mail.example:587; none are sent without one. Its password is STOA_SMTP_PASSWORD." env:"ADDRESS" json:"address" placeholder:"HOST:PORT"`
	From     string `help:"Address that mails are from." env:"FROM" json:"from" placeholder:"ADDRESS"`
	Username string `help:"What the mail server knows this server as; none without one." env:"USERNAME" json:"username" placeholder:"NAME"`
	TLS      string `name:"tls" help:"starttls, tls from the first byte, or none for a mail server on this machine." default:"starttls" enum:"starttls,tls,none" env:"TLS" json:"tls"`
}

// mailer is nil when no mail server is set.
func (s *smtpSettings) mailer() (core.Mailer, error) {
	if s.Address == "" {
		if s.From != "" || s.Username != "" {
			return nil, errors.New("--smtp.from and --smtp.username need --smtp.address")
		}
		return nil, nil
	}
	m := mail.Server{Address: s.Address, From: s.From, Username: s.Username, Password: os.Getenv("STOA_SMTP_PASSWORD"), TLS: mail.TLS(s.TLS)}
	return m, m.Check()
}
