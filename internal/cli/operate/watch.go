package operate

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"stoa/internal/platform/listen"
)

// serveMetrics serves what the operator watches on a listener of its own: /metrics, /debug/pprof/ and /log-level. That
// it cannot is no reason not to serve: two servers on one machine may want the same port.
func (c *ServeCmd) serveMetrics(ctx context.Context, log *slog.Logger, level *slog.LevelVar, registry *prometheus.Registry) (stop func()) {
	if c.MetricsListen == "off" {
		return func() {}
	}
	if loopback, err := isLoopback(c.MetricsListen); err != nil || !loopback {
		log.Warn("metrics are not served: their address must be on loopback", "address", c.MetricsListen)
		return func() {}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.MetricsListen)
	if err != nil {
		log.Warn("metrics are not served", "error", err)
		return func() {}
	}
	server := &http.Server{Handler: watching(log, level, registry), ReadHeaderTimeout: listen.HeadTimeout}
	go server.Serve(listener)
	log.Info("serving metrics", "address", "http://"+listener.Addr().String())
	return func() { server.Close() }
}

// watching answers on the loopback listener, to requests that name this machine: a page of another site whose name has
// been bent to 127.0.0.1 is not among them.
func watching(log *slog.Logger, level *slog.LevelVar, registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /log-level", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, strings.ToLower(level.Level().String()))
	})
	mux.HandleFunc("PUT /log-level", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, 64))
		wanted, known := logLevels[strings.TrimSpace(string(text))]
		if err != nil || !known {
			http.Error(w, "The level is debug, info, warn or error.", http.StatusUnprocessableEntity)
			return
		}
		before := level.Level()
		level.Set(wanted)
		log.Warn("the log level was changed", "from", strings.ToLower(before.String()), "to", strings.ToLower(wanted.String()))
		fmt.Fprintln(w, strings.ToLower(wanted.String()))
	})
	return underOwnNames(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Profiles cost the server its time, whoever reads them.
		if listen.FromOtherSite(r) {
			http.Error(w, "This request came from another site's page and was not carried out.", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		mux.ServeHTTP(w, r)
	}))
}

// underOwnNames answers requests that name this machine.
func underOwnNames(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), "0")
		}
		if ours, err := isLoopback(host); err != nil || !ours {
			http.Error(w, "This listener answers under the names of its own machine.", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

var logLevels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
