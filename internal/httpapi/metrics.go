package httpapi

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"stoa/internal/app"
)

// metrics count requests by operation and status, and how long they took.
type metrics struct {
	seconds *prometheus.HistogramVec
	bytes   *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer, a *app.App) metrics {
	m := metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "stoa_http_request_seconds", Help: "Time to answer a request, by operation and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation", "status"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoa_http_response_bytes_total", Help: "Bytes of answers, by operation.",
		}, []string{"operation"}),
	}
	if registry == nil {
		return m
	}
	registry.MustRegister(m.seconds, m.bytes, prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "stoa_trace_dropped_total", Help: "Request records that were not kept.",
	}, func() float64 { return float64(a.TraceDropped()) }), auditWaiting{a})
	return m
}

// auditWaiting looks at the audit log when the metrics are read.
type auditWaiting struct{ a *app.App }

var (
	waitingEvents  = prometheus.NewDesc("stoa_audit_unchained_events", "Events that wait for their place in the chain of the audit log.", nil, nil)
	waitingSeconds = prometheus.NewDesc("stoa_audit_unchained_seconds", "How long the first of them has waited.", nil, nil)
)

// scrapeTimeout bounds what a scrape may ask of the database.
const scrapeTimeout = 5 * time.Second

// Describe implements prometheus.Collector.
func (auditWaiting) Describe(to chan<- *prometheus.Desc) {
	to <- waitingEvents
	to <- waitingSeconds
}

// Collect implements prometheus.Collector. It says nothing when the database says nothing.
func (w auditWaiting) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	events, longest := w.a.AuditWaiting(ctx)
	if events < 0 {
		return
	}
	to <- prometheus.MustNewConstMetric(waitingEvents, prometheus.GaugeValue, float64(events))
	to <- prometheus.MustNewConstMetric(waitingSeconds, prometheus.GaugeValue, longest.Seconds())
}

func (m metrics) observe(w *recorder, took time.Duration) {
	operation := "page"
	if w.route != nil {
		operation = w.route.ID
	} else if w.code != "" {
		operation = "none"
	}
	m.seconds.WithLabelValues(operation, strconv.Itoa(w.status)).Observe(took.Seconds())
	m.bytes.WithLabelValues(operation).Add(float64(w.size))
}
