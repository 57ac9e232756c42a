package llm

import (
	"net/http"
	"time"

	"stoa/internal/platform/dial"
)

const (
	dialTime     = 10 * time.Second
	largestHeads = 64 << 10
)

// NewGuarded makes a model whose address a stranger chose. Only addresses that allow says yes to are dialled, whatever a name
// resolves to at that moment; the environment's proxy is not used, no redirect is followed and no connection is kept.
func NewGuarded(base, name, key string, allow dial.Allow) (*Model, error) {
	return newModel(base, name, key, &http.Transport{
		DialContext: dial.Guarded(dialTime, allow).DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: largestHeads, TLSHandshakeTimeout: dialTime, ForceAttemptHTTP2: true,
	})
}
