package tracing

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracer is nil while spans are off.
var tracer atomic.Pointer[trace.Tracer]

// stopTime is how long the spans that wait may take to be sent when the server stops.
const stopTime = 5 * time.Second

// Wanted tells whether the environment names a collector.
func Wanted() bool {
	return os.Getenv("OTEL_SDK_DISABLED") != "true" &&
		(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "")
}

// Open switches spans on for the process. The endpoint, its headers, the sampler and the batches are as the OTEL_
// variables of the environment say. stop switches them off and sends what waits.
func Open(ctx context.Context, version string) (stop func(), err error) {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("the OpenTelemetry exporter cannot be made: %w", err)
	}
	named := resource.NewSchemaless(attribute.String("service.name", "stoa"), attribute.String("service.version", version))
	if fromEnv, err := resource.New(ctx, resource.WithFromEnv()); err == nil { // OTEL_SERVICE_NAME wins
		if merged, err := resource.Merge(named, fromEnv); err == nil {
			named = merged
		}
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(named))
	t := provider.Tracer("stoa")
	tracer.Store(&t)
	return func() {
		tracer.Store(nil)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		_ = provider.Shutdown(ctx) // a collector that has gone keeps nobody waiting
	}, nil
}

// Span is a span under way, or nothing while spans are off.
type Span struct{ span trace.Span }

// On tells whether the span is one.
func (s Span) On() bool { return s.span != nil }

// Request begins the span of a request. What a caller says of a trace that it belongs to counts when it is trusted.
func Request(req *http.Request, trusted bool) (context.Context, Span) {
	t := tracer.Load()
	if t == nil {
		return req.Context(), Span{}
	}
	ctx := req.Context()
	if trusted {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(req.Header))
	}
	ctx, span := (*t).Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Start begins a span of something done within a request.
func Start(ctx context.Context, name string) (context.Context, Span) {
	t := tracer.Load()
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := (*t).Start(ctx, name)
	return ctx, Span{span}
}

// Answered ends the span of a request. operation and route are the contract's names, code the error's.
func (s Span) Answered(method, route, operation string, status int, code string) {
	if s.span == nil {
		return
	}
	s.span.SetName(method + " " + route)
	s.span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.String("stoa.operation", operation), attribute.Int("http.response.status_code", status))
	if code != "" {
		s.span.SetAttributes(attribute.String("error.type", code))
	}
	if status >= 500 {
		s.span.SetStatus(codes.Error, code)
	}
	s.span.End()
}

// End ends a span. An error's text may hold somebody's data, so only that there was one is told.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}
