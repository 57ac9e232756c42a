package disclosure

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/redact"
)

func fileReport(name, text string) Report {
	c := NewCollector(nil)
	f := c.File(name)
	_, _ = f.Write([]byte(text))
	_ = f.Close()
	return c.Report(redact.Result{}, nil)
}

// In a file of settings the key says what the address behind it is for, whatever the notation.
func TestFilesOfSettings(t *testing.T) {
	for name, text := range map[string]string{
		"forecast.json":    `{"about": "https://docs.example.net", "services": [{"base_url": "https://api.example.org/v1"}]}`,
		"loose.json":       "{\n  // the server\n  \"about\": \"https://docs.example.net\",\n  \"base_url\": \"https://api.example.org/v1\",\n}",
		"forecast.yaml":    "about: https://docs.example.net\nservices:\n  - name: first\n    base_url: 'https://api.example.org/v1'\n",
		"list.yml":         "about: https://docs.example.net\nendpoint:\n  - https://api.example.org/v1\n",
		"forecast.toml":    "about = \"https://docs.example.net\"\n[service]\nbase_url = \"https://api.example.org/v1\"\n",
		"conf/default.ENV": "export ABOUT=https://docs.example.net\nBASE_URL=https://api.example.org/v1\n",
		"host.ini":         "about=https://docs.example.net\n[service]\nhost = api.example.org\n",
	} {
		r := fileReport(name, text)
		if !slices.Equal(r.Reach().Hosts, []string{"api.example.org"}) || len(r.Hosts) != 2 || !slices.Contains(r.Reach().Capabilities, NetworkOutbound) {
			t.Errorf("%s: %+v %v", name, r.Hosts, r.Reach())
		}
	}
	r := fileReport("mcp.json", `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "files"], "env": {"ROOT": ""}}}}`)
	if !slices.Contains(r.Reach().Capabilities, CommandExec) || !slices.Equal(r.Reach().Environment, []string{"ROOT"}) {
		t.Errorf("%+v", r.Reach())
	}
	if r := fileReport("a.md", "The base_url: https://api.example.org is named.\n"); len(r.Reach().Hosts) > 0 || len(r.Hosts) != 1 {
		t.Errorf("a text only mentions: %+v", r.Hosts)
	}
}

// What is too long to be taken apart is said not to be listed whole.
func TestLongSettings(t *testing.T) {
	text := "{\"a\": \"" + strings.Repeat("x", maxSettings) + "\", \"base_url\": \"https://api.example.org\"}"
	if r := fileReport("a.json", text); !r.Truncated || len(r.Hosts) != 1 {
		t.Errorf("%v %+v", r.Truncated, r.Hosts)
	}
	if r := fileReport("a.txt", text); r.Truncated {
		t.Error("a text is read whole")
	}
}

// A key of a megabyte is not copied for each value below it.
func TestLongKeysAreCheap(t *testing.T) {
	below := []any{}
	for i := range 100_000 {
		below = append(below, fmt.Sprint("v", i))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := NewCollector(nil)
	if err := c.Section("skills", map[string]any{strings.Repeat("k", 1<<20): below}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 200 {
		t.Errorf("%d MiB were allocated for a section of 2", grown)
	}
}
