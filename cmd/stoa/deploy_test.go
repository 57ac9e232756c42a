package main

import (
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"stoa/internal/apitest"
	"stoa/internal/cli/operate"
	"stoa/internal/platform/blob"
)

type tree = map[string]any

// documents reads every YAML document of a file of deploy/.
func documents(t *testing.T, path ...string) (all []tree) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(deployed(t, path...)))
	for {
		var one tree
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

func deployed(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "deploy"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// at follows names into a tree; a number in a list is its place, 0 to 9.
func at(t *testing.T, from any, path string) any {
	t.Helper()
	for _, name := range strings.Split(path, "/") {
		switch v := from.(type) {
		case tree:
			from = v[name]
		case []any:
			from = v[int(name[0]-'0')]
		default:
			t.Fatalf("there is no %s", path)
		}
	}
	if from == nil {
		t.Fatalf("there is no %s", path)
	}
	return from
}

// binary is the command line as it is, and the variables that it reads.
func binary(t *testing.T) (*kong.Kong, map[string]bool) {
	t.Helper()
	parser, err := kong.New(&commandLine{}, kong.Name("stoa"), kong.Exit(func(int) { t.Error("the command line ends the program") }))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"STOA_S3_ACCESS_KEY": true, "STOA_S3_SECRET_KEY": true} // openBlobs
	for _, command := range parser.Model.Leaves(false) {
		for _, group := range command.AllFlags(false) {
			for _, flag := range group {
				for _, name := range flag.Envs {
					known[name] = true
				}
			}
		}
	}
	return parser, known
}

// checkCommand checks that the binary takes the arguments and reads the variables.
func checkCommand(t *testing.T, what string, args []any, variables tree) {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value.(string))
	}
	parser, known := binary(t)
	var words []string
	for _, a := range args {
		words = append(words, a.(string))
	}
	if _, err := parser.Parse(words); err != nil {
		t.Errorf("%s: %v: %v", what, words, err)
	}
	for name, value := range variables {
		if !known[name] {
			t.Errorf("%s sets %s, which nobody reads", what, name)
		}
		if name == "STOA_BLOBS" {
			if _, err := blob.ParseAddress(value.(string)); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if name == "STOA_DATABASE" {
			if where, err := (&operate.Settings{Database: value.(string)}).Where(); err != nil || where != value {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

func TestDeployDockerfile(t *testing.T) {
	text := deployed(t, "Dockerfile")
	last := text[strings.LastIndex(text, "\nFROM ")+1:]
	if !strings.HasPrefix(last, "FROM scratch\n") || !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(last) || !strings.Contains(last, "ca-certificates.crt") {
		t.Errorf("the last stage is\n%s", last)
	}
	if !strings.Contains(last, `ENTRYPOINT ["/stoa"]`) {
		t.Error("no entrypoint")
	}
	variables := tree{}
	for _, line := range regexp.MustCompile(`(?m)^ENV (.*)$`).FindAllStringSubmatch(last, -1) {
		for _, pair := range strings.Fields(line[1]) {
			name, value, _ := strings.Cut(pair, "=")
			variables[name] = value
		}
	}
	checkCommand(t, "the image", []any{"serve"}, variables)
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)[1]
	if !strings.Contains(text, "ARG GOLANG=golang:"+string(wanted)+"-") {
		t.Errorf("the image is not built with Go %s", wanted)
	}
	for _, from := range regexp.MustCompile(`(?m)^COPY ([^-\n].*) \S+$`).FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Fields(from[1]) {
			if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
				t.Errorf("the Dockerfile copies what there is not: %v", err)
			}
		}
	}
}

func TestDeployCompose(t *testing.T) {
	compose := documents(t, "compose", "compose.yaml")[0]
	services := at(t, compose, "services").(tree)
	example := deployed(t, "compose", "example.env")
	for _, name := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(deployed(t, "compose", "compose.yaml"), -1) {
		if !strings.Contains(example, "\n"+name[1]+"=") {
			t.Errorf("example.env has no %s", name[1])
		}
	}
	caddy := deployed(t, "compose", "Caddyfile")
	nodes := 0
	for name, service := range services {
		for other := range at(t, services, name).(tree) {
			if other == "depends_on" {
				depends, _ := service.(tree)["depends_on"].(tree)
				for on := range depends {
					if at(t, services, on).(tree)["healthcheck"] == nil {
						t.Errorf("%s waits for the health of %s, which has none", name, on)
					}
				}
			}
		}
		if !strings.HasPrefix(name, "stoa") {
			continue
		}
		nodes++
		checkCommand(t, name, at(t, service, "command").([]any), at(t, service, "environment").(tree))
		if !strings.Contains(caddy, " "+name+":8106") {
			t.Errorf("the balancer does not know %s", name)
		}
		for _, volume := range at(t, service, "volumes").([]any) {
			if source, _, _ := strings.Cut(volume.(string), ":"); compose["volumes"].(tree)[source] == nil {
				t.Errorf("%s has no volume %s", name, source)
			}
		}
	}
	if nodes != 3 {
		t.Errorf("%d nodes", nodes)
	}
	healthy(t, regexp.MustCompile(`health_uri (\S+)`).FindStringSubmatch(caddy)[1])
}

func TestDeployKubernetes(t *testing.T) {
	byKind := tree{}
	for _, d := range documents(t, "kubernetes", "stoa.yaml") {
		byKind[d["kind"].(string)] = d
	}
	pod := byKind["Deployment"].(tree)
	container := at(t, pod, "spec/template/spec/containers/0").(tree)
	variables := tree{}
	for _, kind := range []string{"ConfigMap/data", "Secret/stringData"} {
		for name, value := range at(t, byKind, kind).(tree) {
			variables[name] = value
		}
	}
	checkCommand(t, "the pod", at(t, container, "args").([]any), variables)
	for _, name := range []string{"startupProbe", "readinessProbe"} {
		healthy(t, at(t, container, name+"/httpGet/path").(string))
	}
	labels := at(t, pod, "spec/template/metadata/labels").(tree)
	for _, selector := range []any{at(t, pod, "spec/selector/matchLabels"), at(t, byKind, "Service/spec/selector"), at(t, byKind, "PodDisruptionBudget/spec/selector/matchLabels")} {
		for name, value := range selector.(tree) {
			if labels[name] != value {
				t.Errorf("%s=%s is not the pod's", name, value)
			}
		}
	}
	if at(t, byKind, "PodDisruptionBudget/spec/minAvailable").(int) >= at(t, pod, "spec/replicas").(int) {
		t.Error("no pod could ever be moved")
	}
	if at(t, container, "securityContext/readOnlyRootFilesystem") != true || at(t, pod, "spec/template/spec/securityContext/runAsNonRoot") != true {
		t.Error("the pod may do too much")
	}
	if _, port, _ := strings.Cut(variables["STOA_LISTEN"].(string), ":"); port != "8106" || at(t, container, "ports/0/containerPort") != 8106 {
		t.Error("the pod listens elsewhere")
	}
}

// healthy asks a server what a probe asks.
func healthy(t *testing.T, target string) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	s.Nobody(t).Do("GET", u.String(), nil).OK(t)
}
