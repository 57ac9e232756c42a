package disclosure

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/redact"
)

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPackReport(t *testing.T) {
	sections := tree(t, `{
		"providers": {"openai": {"model": "gpt-5", "base_url": "https://api.openai.com/v1"}},
		"mcp_servers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/data"], "env": {"API_BASE": "${API_BASE}"}},
			"remote": {"url": "https://mcp.bücher.example/sse"}},
		"plugins": {"weather": {"version": "1.4.2", "source": "https://github.com/example/weather", "install_cmd": "pip install -r requirements.txt && curl get.example.org/x | sh"}},
		"personas": {"a": {"system_prompt": "See https://docs.example.net/a?b=c for more; never http://127.0.0.1:8080/.", "tools": ["web_search", "read_file"]}},
		"conversation_history": [{"role": "user", "content": "hello"}],
		"memory_store": {},
		"astrbot_core": {"proxy": "http://***REDACTED***@10.0.0.2:7890", "host": "bot.example.com"}
	}`)
	r, err := OfSections(sections, nil, redact.Result{Masked: []redact.Mark{{Path: "astrbot_core.proxy"}}}, []string{"provider.access", "knowledge.export"})
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]string{}
	for _, h := range r.Hosts {
		hosts[h.Host] = fmt.Sprint(h.Use, " ", h.Private, " ", h.Unicode)
	}
	for host, want := range map[string]string{
		"api.openai.com": "contacted false ", "mcp.xn--bcher-kva.example": "contacted false mcp.bücher.example", "github.com": "mentioned false ", "get.example.org": "contacted false ",
		"docs.example.net": "mentioned false ", "127.0.0.1": "mentioned true ", "10.0.0.2": "contacted true ", "bot.example.com": "contacted false ",
	} {
		if hosts[host] != want {
			t.Errorf("%s: %q, want %q", host, hosts[host], want)
		}
	}
	if len(hosts) != 8 {
		t.Errorf("hosts: %v", hosts)
	}
	var found []string
	for _, c := range r.Capabilities {
		found = append(found, c.Name)
		if len(c.Places) == 0 {
			t.Errorf("%s has no evidence", c.Name)
		}
	}
	want := []string{CommandExec, ConversationExport, FileRead, FileWrite, MCPInvoke, NetworkOutbound, ProviderAccess}
	if !slices.Equal(found, want) {
		t.Errorf("capabilities %v", found)
	}
	if !slices.Equal(r.ClaimedNotFound, []string{"knowledge.export"}) || slices.Contains(r.FoundNotClaimed, ProviderAccess) || len(r.FoundNotClaimed) != 6 {
		t.Errorf("claims: %v %v", r.ClaimedNotFound, r.FoundNotClaimed)
	}
	if len(r.Environment) != 1 || r.Environment[0].Name != "API_BASE" || len(r.Models) != 1 || r.Models[0].Name != "gpt-5" || len(r.Plugins) != 1 || r.Plugins[0].Version != "1.4.2" {
		t.Errorf("%+v %+v %+v", r.Environment, r.Models, r.Plugins)
	}
	if r.Totals.Sections != 7 || r.Totals.Masked != 1 || r.Truncated || len(r.Sections[0].SHA256) != 64 {
		t.Errorf("%+v", r.Totals)
	}
	text, _ := json.Marshal(r)
	if strings.Contains(string(text), "null") {
		t.Errorf("lists are never null: %s", text)
	}
}

// A file gives the same report in whatever pieces it comes.
func TestFilesInPieces(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "line %d goes to https://h%d.example.com/path and uses ${VAR_%d}\n", i, i%300, i%100)
	}
	report := func(piece int) string {
		c := NewCollector(nil)
		f := c.File("docs/a.md")
		for rest := text.String(); rest != ""; {
			n := min(piece, len(rest))
			_, _ = f.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		f.Close()
		out, _ := json.Marshal(c.Report(redact.Result{}, nil))
		return string(out)
	}
	want := report(1 << 20)
	if !strings.Contains(want, `"hosts":300,`) || !strings.Contains(want, `"environment":100,`) {
		t.Errorf("%.300s", want[len(want)-400:])
	}
	for _, piece := range []int{777, 64 << 10} {
		if report(piece) != want {
			t.Errorf("pieces of %d give another report", piece)
		}
	}
}

func TestScriptsSpeak(t *testing.T) {
	c := NewCollector(nil)
	f := c.File("scripts/run.py")
	_, _ = f.Write([]byte("import requests, os\nrequests.get('https://x.example.com')\nopen('a','w').write(os.environ['HOME_KEY'])\nsubprocess.run(['ls'])\n"))
	f.Close()
	r := c.Report(redact.Result{}, nil)
	var names []string
	for _, x := range r.Capabilities {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, []string{CommandExec, FileRead, FileWrite, NetworkOutbound}) || r.Environment[0].Name != "HOME_KEY" {
		t.Errorf("%v %v", names, r.Environment)
	}
}

// A hostile pack cannot grow a report.
func TestReportsAreBounded(t *testing.T) {
	many := map[string]any{}
	for i := range 30_000 {
		many[fmt.Sprintf("k%d", i)] = map[string]any{"url": fmt.Sprintf("https://h%d.example.com/${V%d}", i, i), "model": fmt.Sprint("m", i)}
	}
	var masked []redact.Mark
	for i := range 2000 {
		masked = append(masked, redact.Mark{Path: fmt.Sprint("a.", i)})
	}
	r, err := OfSections(map[string]any{"skills": many}, nil, redact.Result{Masked: masked}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(r)
	if !r.Truncated || len(text) > 1<<20 || r.Masked.Count != 2000 || len(r.Masked.Listed) != 500 || len(r.Hosts) != 500 {
		t.Errorf("%d bytes, %+v", len(text), r.Totals)
	}
}

func FuzzTexts(f *testing.F) {
	f.Add("https://[::1]:80/x http://a@b:c@d.e/ ${A} xn--zzz://")
	f.Fuzz(func(t *testing.T, text string) {
		c := NewCollector(nil)
		_ = c.Section("mcp_servers", map[string]any{"a": map[string]any{"command": text, "url": text, text: text}})
		if _, err := json.Marshal(c.Report(redact.Result{}, []string{text})); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkText(b *testing.B) {
	line := strings.Repeat("An ordinary sentence about gardens, with a link to https://example.com/a and nothing else. ", 1000)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		c := NewCollector(nil)
		f := c.File("a.md")
		_, _ = f.Write([]byte(line))
		f.Close()
	}
}
