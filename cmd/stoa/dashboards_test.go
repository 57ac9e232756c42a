package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"

	"stoa/internal/apitest"
)

// metricsOf is what a real server shows at /metrics after a little traffic.
func metricsOf(t *testing.T) string {
	t.Helper()
	out, in := io.Pipe()
	logged, logging := io.Pipe()
	exit := make(chan int)
	go func() {
		defer in.Close()
		defer logging.Close()
		exit <- run([]string{
			"serve", "--data", filepath.Join(t.TempDir(), "data"), "--database", apitest.Engine{Name: "sqlite"}.NewDatabase(t),
			"--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
		}, nil, in, logging)
	}()
	go io.Copy(io.Discard, out)
	var base, metrics string
	lines := bufio.NewScanner(logged)
	for (base == "" || metrics == "") && lines.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		switch line.Msg {
		case "serving":
			base = line.Address
		case "serving metrics":
			metrics = line.Address
		}
	}
	if base == "" || metrics == "" {
		t.Fatalf("the server did not start: exit code %d", <-exit)
	}
	go io.Copy(io.Discard, logged)
	get := func(url string) string {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	get(base + "/api/templates")
	get(base + "/api/no-such-route")
	text := get(metrics + "/metrics")
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
	return text
}

var (
	notNames   = regexp.MustCompile(`"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	metricName = regexp.MustCompile(`[A-Za-z_:][A-Za-z0-9_:]*`)
	// What is not a metric in our queries: operators and functions of the query language.
	language = []string{"sum", "rate", "topk", "histogram_quantile", "or", "and", "unless", "label_values", "instance"}
)

// wanted are the metrics that a query asks for.
func wanted(query string) (all []string) {
	for _, name := range metricName.FindAllString(notNames.ReplaceAllString(query, " "), -1) {
		if !slices.Contains(language, name) {
			all = append(all, name)
		}
	}
	return all
}

// Every metric that the dashboard and the alerts ask for is there, with the labels that they choose by.
func TestDashboardAndAlertsAskForMetricsThatThereAre(t *testing.T) {
	shown := metricsOf(t)
	there := map[string]string{"up": `up{job=""}`} // Prometheus makes it itself
	for _, line := range strings.Split(shown, "\n") {
		if name := metricName.FindString(line); name != "" && !strings.HasPrefix(line, "#") {
			there[name] += line + "\n"
		}
	}
	var queries []string
	text, err := os.ReadFile("../../deploy/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &alerts); err != nil {
		t.Fatal(err)
	}
	for _, rule := range alerts.Groups[0].Rules {
		if rule.Alert == "" || rule.Annotations["summary"] == "" || rule.Annotations["todo"] == "" {
			t.Errorf("%s does not say what is wrong and what to do", rule.Alert)
		}
		queries = append(queries, rule.Expr)
	}
	text, err = os.ReadFile("../../deploy/grafana/stoa.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Definition string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s is wider than the board", p.Title)
		}
		for _, target := range p.Targets {
			queries = append(queries, target.Expr)
		}
	}
	for _, v := range board.Templating.List {
		queries = append(queries, v.Definition)
	}
	if len(queries) < 25 {
		t.Fatalf("only %d queries were found", len(queries))
	}
	asked := map[string]bool{}
	for _, query := range queries {
		found := wanted(query)
		if query != "" && len(found) == 0 {
			t.Errorf("no metric in %q", query)
		}
		for _, name := range found {
			if asked[name] = true; there[name] == "" {
				t.Errorf("%s is asked for and not there: %s", name, query)
			}
		}
		for _, chosen := range regexp.MustCompile(`([a-z_:]+)\{([^}]*)\}`).FindAllStringSubmatch(query, -1) {
			for _, label := range regexp.MustCompile(`([a-z_]+)\s*[!=]`).FindAllStringSubmatch(chosen[2], -1) {
				if l := label[1]; l != "instance" && l != "job" && !strings.Contains(there[chosen[1]], l+`="`) {
					t.Errorf("%s has no label %s: %s", chosen[1], l, query)
				}
			}
		}
	}
	// And nothing that we measure is measured for nobody.
	for name := range there {
		if ours := strings.HasPrefix(name, "stoa_"); ours && !asked[name] && !strings.HasSuffix(name, "_bucket") {
			t.Errorf("%s is on no panel and in no alert", name)
		}
	}
}
