package httpapi_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/internal/platform/tracing"
)

// collecting is a collector that spans are sent to as they are to a real one.
type collecting struct {
	mu    sync.Mutex
	spans []*spans.Span
	raw   []byte
	names []string // of the services
}

func (c *collecting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent collector.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
		http.Error(w, "no traces", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, body...)
	for _, of := range sent.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				c.names = append(c.names, a.Value.GetStringValue())
			}
		}
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func attributes(s *spans.Span) map[string]any {
	all := map[string]any{}
	for _, a := range s.Attributes {
		if a.Value.GetStringValue() != "" {
			all[a.Key] = a.Value.GetStringValue()
		} else {
			all[a.Key] = a.Value.GetIntValue()
		}
	}
	return all
}

func TestSpansReachACollector(t *testing.T) {
	var c collecting
	receiver := httptest.NewServer(&c)
	defer receiver.Close()
	if tracing.Wanted() {
		t.Skip("the environment names a collector of its own")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	if !tracing.Wanted() {
		t.Fatal("the endpoint is not seen")
	}
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) {
		c.Proxies = httpapi.Proxies{netip.MustParsePrefix("10.1.0.0/16")}
	}})
	stop, err := tracing.Open(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	const trace = "0af7651916cd43dd8448eb211c80319c"
	parent := "00-" + trace + "-b7ad6b7169203331-01"
	s.Nobody(t).From("10.1.0.1").With("X-Forwarded-For", "198.51.100.77").With("traceparent", parent).Post("/api/login", right("ada")).OK(t)
	s.Nobody(t).From("203.0.113.5").With("traceparent", parent).Get("/api/templates/detail", "template_id", "somebodys/secret-thing").Want(t, 404, "template_not_found")
	s.Nobody(t).Get("/api/somebodys/private/path").Want(t, 404, "not_found")
	stop()

	c.mu.Lock()
	defer c.mu.Unlock()
	byName := map[string]*spans.Span{}
	for _, span := range c.spans {
		byName[span.Name] = span
	}
	login, detail, none := byName["POST /api/login"], byName["GET /api/templates/detail"], byName["GET /"]
	if login == nil || detail == nil || none == nil {
		t.Fatalf("spans: %v", byName)
	}
	transactions := 0
	for _, span := range c.spans {
		if span.Name == "transaction" && string(span.ParentSpanId) == string(login.SpanId) && string(span.TraceId) == string(login.TraceId) {
			transactions++
		}
	}
	if got := attributes(login); got["http.route"] != "/api/login" || got["http.response.status_code"] != int64(200) || got["stoa.operation"] != "login" {
		t.Errorf("login: %v", got)
	}
	if got := attributes(detail); got["error.type"] != "template_not_found" || got["http.response.status_code"] != int64(404) {
		t.Errorf("detail: %v", got)
	}
	if transactions != 2 { // the attempt is counted in one, the session begins in another
		t.Errorf("%d transactions are part of the login", transactions)
	}
	if hex.EncodeToString(login.TraceId) != trace {
		t.Errorf("a trusted proxy's trace is not continued: %s", hex.EncodeToString(login.TraceId))
	}
	if hex.EncodeToString(detail.TraceId) == trace {
		t.Error("a stranger's trace is continued")
	}
	if len(c.names) == 0 || c.names[0] != "stoa" {
		t.Errorf("services %v", c.names)
	}
	for _, private := range []string{"ada", "secret-thing", "198.51.100.77", "203.0.113.5", "private/path"} {
		if strings.Contains(string(c.raw), private) {
			t.Errorf("%q was sent to the collector", private)
		}
	}
	// Off again: nothing is begun any more.
	if _, span := tracing.Start(t.Context(), "late"); span.On() {
		t.Error("still on")
	}
	if n := testing.AllocsPerRun(100, func() { _, span := tracing.Start(t.Context(), "off"); span.End(nil) }); n != 0 {
		t.Errorf("%v allocations while off", n)
	}
}
