package listen

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is a TLS certificate out of two files, read again when they change.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	kept *tls.Certificate
	of   [2]fileState // what kept was read from, or what could not be read and is not tried again
}

type fileState struct {
	changed time.Time
	size    int64
}

// LoadCertificate reads a certificate and its key, in PEM. It fails when they cannot be read or do not belong together.
func LoadCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	state, err := c.state()
	if err != nil {
		return nil, err
	}
	kept, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("the TLS certificate cannot be used: %w", err)
	}
	c.kept, c.of = &kept, state
	return c, nil
}

// get answers a handshake. New files that cannot be used leave the old certificate in force: they may be half written,
// and an operator's mistake is no reason to answer nobody.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state, err := c.state()
	if err != nil || state == c.of {
		return c.kept, nil //nolint:nilerr // a file that is just being replaced
	}
	c.of = state
	renewed, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		c.log.Error("the new TLS certificate cannot be used; the old one stays in force", "error", err)
		return c.kept, nil
	}
	c.kept = &renewed
	c.log.Info("a new TLS certificate is in force", "until", renewed.Leaf.NotAfter)
	return c.kept, nil
}

func (c *Certificate) state() (all [2]fileState, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return all, fmt.Errorf("the TLS certificate cannot be used: %w", err)
		}
		all[i] = fileState{info.ModTime(), info.Size()}
	}
	return all, nil
}
