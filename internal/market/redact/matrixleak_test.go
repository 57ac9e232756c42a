package redact

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/market/leakcheck"
)

// credentialPositions are settings of a connection with a key at a place where nothing else stands.
var credentialPositions = []struct {
	name string
	tree func(key string) map[string]any
}{
	{"string", func(key string) map[string]any {
		return map[string]any{"providers": map[string]any{"a": map[string]any{"type": "x", "key": key}}}
	}},
	{"list", func(key string) map[string]any {
		return map[string]any{"provider_sources": []any{map[string]any{"id": "a", "key": []any{key}}}}
	}},
	{"map", func(key string) map[string]any {
		return map[string]any{"platforms": []any{map[string]any{"type": "x", "token": map[string]any{"main": key}}}}
	}},
	{"header", func(key string) map[string]any {
		return map[string]any{"mcp_servers": map[string]any{"a": map[string]any{"url": "https://mcp.example.com/mcp", "headers": map[string]any{"X-Key": key}}}}
	}},
	{"environment", func(key string) map[string]any {
		return map[string]any{"mcp_servers": map[string]any{"a": map[string]any{"command": "npx", "env": map[string]any{"SERVICE_KEY": key}}}}
	}},
	{"argument", func(key string) map[string]any {
		return map[string]any{"mcp_servers": map[string]any{"a": map[string]any{"command": "npx", "args": []any{"-y", "server", "--api-key", key}}}}
	}},
	{"json inside", func(key string) map[string]any {
		text, _ := json.Marshal(map[string]any{"provider": map[string]any{"key": key}})
		return map[string]any{"providers": map[string]any{"a": map[string]any{"config": string(text)}}}
	}},
	{"yaml inside", func(key string) map[string]any {
		return map[string]any{"providers": map[string]any{"a": map[string]any{"config": "provider:\n  key: " + key + "\n"}}}
	}},
	{"base64 inside", func(key string) map[string]any {
		text, _ := json.Marshal(map[string]any{"key": key})
		return map[string]any{"providers": map[string]any{"a": map[string]any{"config": base64.StdEncoding.EncodeToString(text)}}}
	}},
}

// TestNoKeyLeavesACredentialPosition draws a key of each kind, sets it into each position of a connection's settings and at the
// same time into a place elsewhere: neither is left.
func TestNoKeyLeavesACredentialPosition(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("2,600 setups")
	}
	t.Parallel()
	e := New()
	leaks := newTally()
	for i, k := range matrixKinds {
		r := rand.New(rand.NewPCG(uint64(i), 77))
		for n, p := range credentialPositions {
			key := k.draw(r)
			sections := p.tree(key.text)
			elsewhere := matrixPlaces[(i*7+n)%len(matrixPlaces)]
			sections["notes"] = elsewhere.tree("acme", key.text)
			result, err := e.Sections(sections, Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(result.Sections)
			if err != nil {
				t.Fatal(err)
			}
			plain := unescapeJSON(string(out))
			leaks.count(p.name, !key.left(plain), k.name+" / "+elsewhere.name+": "+string(out))
		}
	}
	_, held, tried := leaks.share()
	t.Logf("%d of %d setups without a leak", held, tried)
	leaks.worst(t.Logf, 10)
	if held != tried {
		t.Errorf("%d leaks", tried-held)
	}
}

// TestTheSecondSearchFindsKeysEverywhere gives leakcheck outputs that nothing was taken out of: what stood in a
// credential position is found in every place.
func TestTheSecondSearchFindsKeysEverywhere(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("24,000 texts")
	}
	t.Parallel()
	missed := newTally()
	for i, k := range matrixKinds {
		r := rand.New(rand.NewPCG(uint64(i), 78))
		key := k.draw(r)
		values := leakcheck.Collect(credentialPositions[i%4].tree(key.text))
		for _, p := range matrixPlaces {
			out, err := json.Marshal(map[string]any{"notes": p.tree("acme", key.text)})
			if err != nil {
				t.Fatal(err)
			}
			missed.count(k.name+" as "+credentialPositions[i%4].name, len(values.Search("sections/notes.json", out)) > 0, k.name+": "+string(out))
		}
		missed.count("file name", len(values.Search("the names of the files", []byte("README.md\n"+strings.ReplaceAll(key.text, "/", "_")+".md"))) > 0, k.name)
	}
	_, found, tried := missed.share()
	t.Logf("%d of %d found", found, tried)
	missed.worst(t.Logf, 30)
	if found != tried {
		t.Errorf("%d are not found", tried-found)
	}
}

// TestKeysInNamesOfFiles draws the kinds that are recognised by themselves and names files after them.
func TestKeysInNamesOfFiles(t *testing.T) {
	e := New()
	missed := newTally()
	for i, k := range matrixKinds {
		key := k.draw(rand.New(rand.NewPCG(uint64(i), 79)))
		if !k.shaped || strings.ContainsAny(key.text, "/\\:|*\"<>?") {
			continue
		}
		for _, format := range []string{"README.md\nKEY.md\ntools/run.sh", "notes/KEY", "backup-KEY.json", "KEY/prompt.txt"} {
			found := e.VerifyNames(strings.Split(strings.ReplaceAll(format, "KEY", key.text), "\n"), "names")
			missed.count(format, len(found) > 0, k.name)
		}
	}
	share, found, tried := missed.share()
	t.Logf("%d of %d found (%.2f %%)", found, tried, 100*share)
	missed.worst(t.Logf, 10)
	if share < 0.98 {
		t.Errorf("only %.2f %%", 100*share)
	}
}
