package operate

import (
	"github.com/prometheus/client_golang/prometheus"

	"stoa/internal/platform/listen"
)

// connections collects figures of the server's connections.
type connections struct{ server *listen.Server }

var (
	connectionsOpen    = prometheus.NewDesc("stoa_connections", "Connections, by whether they have a request.", []string{"state"}, nil)
	connectionsMost    = prometheus.NewDesc("stoa_connections_max", "Connections that are held at a time.", nil, nil)
	connectionsShed    = prometheus.NewDesc("stoa_connections_shed_total", "Connections closed while they waited, to make room for others.", nil, nil)
	connectionsRefused = prometheus.NewDesc("stoa_connections_refused_total", "Connections for which there was no room.", nil, nil)
)

// Describe implements prometheus.Collector.
func (connections) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{connectionsOpen, connectionsMost, connectionsShed, connectionsRefused} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c connections) Collect(ch chan<- prometheus.Metric) {
	n := c.server.Connections()
	ch <- prometheus.MustNewConstMetric(connectionsOpen, prometheus.GaugeValue, float64(n.Open-n.Waiting), "working")
	ch <- prometheus.MustNewConstMetric(connectionsOpen, prometheus.GaugeValue, float64(n.Waiting), "waiting")
	ch <- prometheus.MustNewConstMetric(connectionsMost, prometheus.GaugeValue, float64(n.Most))
	ch <- prometheus.MustNewConstMetric(connectionsShed, prometheus.CounterValue, float64(n.Shed))
	ch <- prometheus.MustNewConstMetric(connectionsRefused, prometheus.CounterValue, float64(n.Refused))
}
