package operate

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/httpapi"
	"stoa/internal/platform/listen"
)

// FrontSettings are the flags of how the server meets the network.
type FrontSettings struct {
	PublicURL      string   `name:"public-url" help:"Address that people reach the server at, where it is not the one listened on." env:"STOA_PUBLIC_URL" json:"public_url" placeholder:"URL"`
	TrustedProxies []string `name:"trusted-proxies" help:"Networks of the proxies in front; only from them X-Forwarded-For and X-Forwarded-Proto count." env:"STOA_TRUSTED_PROXIES" json:"trusted_proxies" placeholder:"CIDR,…"`
	TLSCert        string   `name:"tls-cert" help:"PEM file with the certificate and its chain; read again when it changes." env:"STOA_TLS_CERT" json:"tls_cert" type:"path" placeholder:"FILE"`
	TLSKey         string   `name:"tls-key" help:"PEM file with the certificate's key." env:"STOA_TLS_KEY" json:"tls_key" type:"path" placeholder:"FILE"`

	NoClientDocuments bool `name:"no-client-documents" help:"Do not fetch what assistants that sign a member in say of themselves on the web; they register here instead. For a server that reaches nothing outside." env:"STOA_NO_CLIENT_DOCUMENTS" json:"no_client_documents"`
}

// AnonymousSettings are the flags of what visitors may do without signing in.
type AnonymousSettings struct {
	AllowAnonymousMember  bool   `help:"Let everybody use the allowlist of routes as the anonymous member." env:"STOA_ALLOW_ANONYMOUS_MEMBER" json:"allow_anonymous_member"`
	AnonymousMemberUserID string `help:"The id that the anonymous member acts under; nobody may have an account or own anything under it." default:"anonymous" env:"STOA_ANONYMOUS_MEMBER_USER_ID" json:"anonymous_member_user_id" placeholder:"ID"`
}

// config returns the settings as the application takes them.
func (s AnonymousSettings) config() core.Config {
	return core.Config{AllowAnonymousMember: s.AllowAnonymousMember, AnonymousMemberUserID: s.AnonymousMemberUserID}
}

// proxies reads the networks of the proxies; an address alone is a network of one.
func (f *FrontSettings) proxies() (httpapi.Proxies, error) {
	var all httpapi.Proxies
	for _, text := range f.TrustedProxies {
		text = strings.TrimSpace(text)
		if addr, err := netip.ParseAddr(text); err == nil {
			all = append(all, netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q of the trusted proxies is not a network like 10.0.0.0/8", text)
		}
		if network.Bits() == 0 {
			return nil, fmt.Errorf("%s as a trusted proxy would believe everybody; name the networks of your proxies", text)
		}
		all = append(all, network.Masked())
	}
	return all, nil
}

// certificate reads the TLS files; nil without them.
func (f *FrontSettings) certificate(log *slog.Logger) (*listen.Certificate, error) {
	if f.TLSCert == "" && f.TLSKey == "" {
		return nil, nil
	}
	if f.TLSCert == "" || f.TLSKey == "" {
		return nil, errors.New("TLS needs both --tls-cert and --tls-key")
	}
	return listen.LoadCertificate(f.TLSCert, f.TLSKey, log)
}

// public checks the public address and gives it without a slash at its end; "" when there is none.
func (f *FrontSettings) public() (string, error) {
	if f.PublicURL == "" {
		return "", nil
	}
	u, err := url.Parse(f.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return "", fmt.Errorf("the public address must look like https://stoa.example.org, without a path")
	}
	return u.Scheme + "://" + u.Host, nil
}
