// Package metrics has the figures of a server for Prometheus: requests, answers and errors, the audit log, the database and its replicas.
package metrics

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"stoa/internal/app"
	"stoa/internal/platform/errs"
)

// Metrics answer how much is asked, how long answers take, what fails and what is under way.
type Metrics struct {
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	errors   *prometheus.CounterVec
	InFlight prometheus.Gauge
}

// NewMetrics makes the figures and registers them, if there is a registry.
func NewMetrics(registry prometheus.Registerer, a *app.App) Metrics {
	m := Metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "stoa_http_request_seconds", Help: "Time to answer a request, by operation and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation", "status"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoa_http_response_bytes_total", Help: "Bytes of answers, by operation.",
		}, []string{"operation"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoa_http_errors_total", Help: "Requests that were refused or failed, by operation and error code.",
		}, []string{"operation", "code"}),
		InFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "stoa_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
	}
	if registry == nil {
		return m
	}
	registry.MustRegister(m.seconds, m.bytes, m.errors, m.InFlight, prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "stoa_trace_dropped_total", Help: "Request records that were not kept.",
	}, func() float64 { return float64(a.TraceDropped()) }), prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "stoa_trace_evicted_total", Help: "Request records that were removed before their time because the table was full.",
	}, func() float64 { return float64(a.TraceEvicted()) }), auditWaiting{a}, pools{a})
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

// Observe counts an answer: its status, its bytes and its error code, "" for none.
func (m Metrics) Observe(operation string, status int, size int64, code errs.Code, took time.Duration) {
	m.seconds.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
	m.bytes.WithLabelValues(operation).Add(float64(size))
	if code != "" {
		m.errors.WithLabelValues(operation, string(code)).Inc()
	}
}

// pools collects how the database's connections and its queue of writers are used.
type pools struct{ app *app.App }

var (
	poolMost     = prometheus.NewDesc("stoa_db_connections_max", "Most connections of a pool to the database.", []string{"pool"}, nil)
	poolInUse    = prometheus.NewDesc("stoa_db_connections_in_use", "Connections of a pool that work.", []string{"pool"}, nil)
	poolWaits    = prometheus.NewDesc("stoa_db_waits_total", "Times that a connection of a pool had to be waited for.", []string{"pool"}, nil)
	poolWaited   = prometheus.NewDesc("stoa_db_wait_seconds_total", "Time that connections of a pool were waited for.", []string{"pool"}, nil)
	writeQueue   = prometheus.NewDesc("stoa_db_write_queue", "Writers that wait for the one writer of a SQLite database.", nil, nil)
	transactions = prometheus.NewDesc("stoa_db_transactions_total", "Transactions, by how they ended.", []string{"result"}, nil)
)

// What is told of the replicas, where there are any.
var (
	replicaReads   = prometheus.NewDesc("stoa_replica_reads_total", "Reads of the catalog that a replica was asked for: served, behind (too far for this read) or failed.", []string{"replica", "result"}, nil)
	replicaUp      = prometheus.NewDesc("stoa_replica_up", "1 while a replica is read from.", []string{"replica"}, nil)
	replicaDelay   = prometheus.NewDesc("stoa_replica_delay_seconds", "How old what a replica has may be.", []string{"replica"}, nil)
	replicaChanges = prometheus.NewDesc("stoa_replica_delay_changes", "Changes of items that this node has shown and a replica did not have when it was asked last.", []string{"replica"}, nil)
	primaryReads   = prometheus.NewDesc("stoa_replica_fallbacks_total", "Reads of the catalog that the primary answered although there are replicas.", nil, nil)
)

func (p pools) collectReplicas(ch chan<- prometheus.Metric) {
	states, primary := p.app.ReplicaStates()
	for _, r := range states {
		up := 1.0
		if r.Problem != "" {
			up = 0
		}
		ch <- prometheus.MustNewConstMetric(replicaUp, prometheus.GaugeValue, up, r.Name)
		ch <- prometheus.MustNewConstMetric(replicaDelay, prometheus.GaugeValue, r.Delay.Seconds(), r.Name)
		ch <- prometheus.MustNewConstMetric(replicaChanges, prometheus.GaugeValue, float64(r.Changes), r.Name)
		ch <- prometheus.MustNewConstMetric(replicaReads, prometheus.CounterValue, float64(r.Served), r.Name, "served")
		ch <- prometheus.MustNewConstMetric(replicaReads, prometheus.CounterValue, float64(r.Behind), r.Name, "behind")
		ch <- prometheus.MustNewConstMetric(replicaReads, prometheus.CounterValue, float64(r.Failed), r.Name, "failed")
	}
	if len(states) > 0 {
		ch <- prometheus.MustNewConstMetric(primaryReads, prometheus.CounterValue, float64(primary))
	}
}

// Describe implements prometheus.Collector.
func (pools) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolMost, poolInUse, poolWaits, poolWaited, writeQueue, transactions, replicaReads, replicaUp, replicaDelay, replicaChanges, primaryReads} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (p pools) Collect(ch chan<- prometheus.Metric) {
	p.collectReplicas(ch)
	load := p.app.StoreLoad()
	for _, pool := range load.Pools {
		ch <- prometheus.MustNewConstMetric(poolMost, prometheus.GaugeValue, float64(pool.Most), pool.Name)
		ch <- prometheus.MustNewConstMetric(poolInUse, prometheus.GaugeValue, float64(pool.InUse), pool.Name)
		ch <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(pool.Waits), pool.Name)
		ch <- prometheus.MustNewConstMetric(poolWaited, prometheus.CounterValue, pool.Waited.Seconds(), pool.Name)
	}
	ch <- prometheus.MustNewConstMetric(writeQueue, prometheus.GaugeValue, float64(load.Queued))
	ch <- prometheus.MustNewConstMetric(transactions, prometheus.CounterValue, float64(load.Committed), "committed")
	ch <- prometheus.MustNewConstMetric(transactions, prometheus.CounterValue, float64(load.Refused), "refused")
	ch <- prometheus.MustNewConstMetric(transactions, prometheus.CounterValue, float64(load.Failed), "failed")
}
