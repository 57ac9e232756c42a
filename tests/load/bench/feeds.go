package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// What the feeds are measured over: packs that every feed has something of, and templates for prompts/list.
const (
	feedItems      = 30_000
	feedPublishers = 100
	feedPrompts    = 200
	feedMember     = "load-feeds"
	feedPatience   = 5 * time.Minute
)

// Goals of issue 22, §5 and §3.
const (
	feedWarmMost = 50.0 // ms, of a whole list
	feed304Most  = 1.0  // ms of processor time
	promptsLeast = 2000 // lists a second on one core
)

// feedLists are the lists of every feed, most of them whole. Pages are asked for near their list's end, where walking from the
// start would show.
func feedLists() []struct{ name, path string } {
	late := feedID(feedItems * 9 / 10)
	slug := strings.ReplaceAll(late, "/", "--")
	return []struct{ name, path string }{
		{"Agent Skills 0.2.0, whole", "/.well-known/agent-skills/index.json"},
		{"Agent Skills 0.1, whole", "/.well-known/skills/index.json"},
		{"marketplace.json, whole", "/feeds/git/marketplace.json"},
		{"AstrBot source, whole", "/feeds/astrbot/plugins.json"},
		{"AstrBot md5", "/feeds/astrbot/plugins-md5.json"},
		{"character cards, whole", "/feeds/cards/index.json"},
		{"LobeChat index, whole", "/feeds/lobe/index.json"},
		{"ClawHub, page of 200", "/feeds/clawhub/api/v1/skills?limit=200&cursor=" + slug},
		{"ClawHub search", "/feeds/clawhub/api/v1/search?limit=25&q=helper"},
		{"MCP registry, page of 100", "/feeds/mcp/v0.1/servers?limit=100&cursor=" + url.QueryEscape("local.stoa/"+strings.ReplaceAll(late, "/", "."))},
		{"MCP registry, updated_since", "/feeds/mcp/v0.1/servers?limit=100&updated_since=2099-01-01T00:00:00Z"},
		{"Stoa, page of 500", "/feeds/stoa/index.json?after=" + url.QueryEscape(late)},
		{"Atom of an author", "/feeds/atom/author/" + feedMember},
		{"Atom of a tag on all", "/feeds/atom/tag/plants"},
		{"npm package", "/feeds/npm/@stoa%2F" + slug},
		{"OCI tags", "/v2/" + late + "/tags/list"},
		{"git, an item's refs", "/feeds/git/items/" + late + ".git/info/refs?service=git-upload-pack"},
		{"git, a publisher's refs", "/feeds/git/owners/publisher-07.git/info/refs?service=git-upload-pack"},
	}
}

func feedID(n int) string { return fmt.Sprintf("publisher-%02d/item-%05d", n%feedPublishers, n) }

// feeds measures the lists that other assistants ask for, and prompts/list.
func (b *bench) feeds() error {
	kept, err := b.feedStore()
	if err != nil {
		return err
	}
	data, err := b.copyStore(kept, "feeds")
	if err != nil {
		return err
	}
	if err := b.feedsOf(data); err != nil {
		return err
	}
	if err := b.feedsAgain(data); err != nil {
		return err
	}
	return b.prompts(data)
}

// feedStore makes the store once, by the program's own import.
func (b *bench) feedStore() (string, error) {
	dir := filepath.Join(b.cache, fmt.Sprintf("feeds-1-%d", feedItems))
	if exists(filepath.Join(dir, "complete")) {
		return dir, nil
	}
	b.Progress("making the store of %d packs", feedItems)
	if err := os.RemoveAll(dir); err != nil {
		return dir, err
	}
	lines := filepath.Join(b.Dir, "feeds.jsonl")
	if err := writeFeedItems(lines); err != nil {
		return dir, err
	}
	add := exec.CommandContext(b.Ctx, b.Binary, "member", "add", "--data", dir, feedMember, "--password-stdin")
	add.Stdin = strings.NewReader(stores.Password)
	if out, err := add.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("member add: %w: %s", err, out)
	}
	calls := [][]string{{"import", "--data", dir, "--owner", feedMember, lines}}
	for i := range 20 {
		calls = append(calls, []string{"review", "feature", "--data", dir, fmt.Sprintf("prompts/prompt-%03d", i)})
	}
	for _, args := range calls {
		if out, err := exec.CommandContext(b.Ctx, b.Binary, args...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("%s: %w: %.500s", args[0], err, out)
		}
	}
	return dir, os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600)
}

func writeFeedItems(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	lines := json.NewEncoder(buffered)
	type m = map[string]any
	for n := range feedItems {
		row := stores.RowOf(n + 1)
		skill := fmt.Sprintf("helper-%05d", n)
		err := lines.Encode(m{
			"id": feedID(n), "version": row.Version, "pack_type": "extension_pack", "category": row.Category, "tags": append(row.Tags, "plants"), "author": row.Maintainer,
			"locales": m{"en-US": m{"title": row.Title, "description": row.Description}},
			"sections": m{
				"skills":      m{skill: m{"text": "---\nname: " + skill + "\ndescription: " + row.Description + "\n---\n\n" + row.Prompt + "\n"}},
				"personas":    m{"entries": m{"helper": m{"system_prompt": row.Prompt}}},
				"mcp_servers": m{"tool": m{"command": "npx", "args": []string{"-y", fmt.Sprintf("tool-%05d@1.0.0", n)}}},
			},
		})
		if err != nil {
			return err
		}
	}
	for n := range feedPrompts {
		err := lines.Encode(m{"id": fmt.Sprintf("prompts/prompt-%03d", n), "category": "writing", "author": "Ines", "locales": m{
			"en-US": m{"title": fmt.Sprintf("Prompt %d", n), "description": "Helps with a task, politely.", "prompt": "Help {{name}} with {{task}}."},
		}})
		if err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// feedsOf measures when the lists are there after a start, what the first reader of each waits for, the same after one item of
// all has changed, and what everybody else waits for.
func (b *bench) feedsOf(data string) error {
	p, err := b.serve(data)
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := b.feedStarted(p, "for the first time"); err != nil {
		return err
	}
	first := map[string]time.Duration{}
	for _, l := range feedLists() {
		if first[l.name], err = asked(p, l.path); err != nil {
			return err
		}
	}
	if out, err := exec.CommandContext(b.Ctx, b.Binary, "review", "withdraw", "--data", data, "--pack", "--alone", "--note", "measured", feedID(3)).CombinedOutput(); err != nil {
		return fmt.Errorf("withdraw: %w: %s", err, out)
	}
	if err := gone(p, "/feeds/npm/@stoa%2F"+strings.ReplaceAll(feedID(3), "/", "--")); err != nil {
		return err
	}
	for _, l := range feedLists() {
		again, err := asked(p, l.path)
		if err != nil {
			return err
		}
		b.report.value(l.name+": the first to ask", rig.MS(first[l.name]), "ms", 0)
		b.report.value(l.name+": the first after a change", rig.MS(again), "ms", 0)
		if err := b.feedList(p, l.name, l.path); err != nil {
			return err
		}
	}
	b.report.value("resident memory after all lists", p.Memory("VmRSS"), "MiB", 0)
	return nil
}

// feedStarted measures how long a server that has just been started takes to its first feed.
func (b *bench) feedStarted(p *rig.Process, which string) error {
	what := fmt.Sprintf("start over %d packs, %s: ", feedItems, which)
	b.report.value(what+"first list of the API", rig.MS(time.Since(p.Started)), "ms", 0)
	if _, err := asked(p, "/feeds/stoa/index.json"); err != nil {
		return err
	}
	b.report.value(what+"first answer of a feed", rig.MS(time.Since(p.Started)), "ms", 0)
	b.report.value(what+"processor time by then", rig.MS(p.CPU()), "ms", 0)
	b.report.value(what+"resident memory by then", p.Memory("VmRSS"), "MiB", 0)
	return nil
}

// feedsAgain starts a server over a store that an earlier one of the same version has served.
func (b *bench) feedsAgain(data string) error {
	p, err := b.serve(data)
	if err != nil {
		return err
	}
	defer p.Stop()
	return b.feedStarted(p, "again")
}

// asked is how long one answer takes on a connection of its own; a server that prepares its feeds is asked again.
func asked(p *rig.Process, path string) (time.Duration, error) {
	began := time.Now()
	for {
		status, _, body, err := rig.Whole(p.Address, rig.Get(path))
		if err == nil && status == http.StatusServiceUnavailable && time.Since(began) < feedPatience {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s answered %d: %.300s", path, status, body)
		}
		return time.Since(began), err
	}
}

// gone waits until an address answers 404: the server has seen the change that another process made.
func gone(p *rig.Process, path string) error {
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
		if status, _, _, err := rig.Whole(p.Address, rig.Get(path)); err != nil || status == http.StatusNotFound {
			return err
		}
	}
	return fmt.Errorf("%s is still there", path)
}

// feedList measures a list that somebody has asked for before, on one connection.
func (b *bench) feedList(p *rig.Process, name, path string) error {
	one := func(item string, status int, request []byte) (row, error) {
		err := b.duel(duel{item: item, target: b.http(p, 1, status, always(request))})
		if err != nil {
			return row{}, err
		}
		return b.report.Rows[len(b.report.Rows)-1], nil
	}
	plain, err := one(name, http.StatusOK, rig.Get(path))
	if err != nil {
		return err
	}
	b.report.value(name+": warm, p99", plain.P99, "ms", feedWarmMost)
	b.report.value(name+": warm, processor time", plain.CPU/1000, "ms", 0)
	_, header, _, err := rig.Whole(p.Address, rig.Get(path))
	if err != nil || header.Get("ETag") == "" {
		return err // what clients of git and OCI ask has no entity tag
	}
	zipped, err := one(name+", gzip", http.StatusOK, rig.Get(path, "Accept-Encoding: gzip"))
	if err != nil {
		return err
	}
	b.report.value(name+": warm, gzip, p99", zipped.P99, "ms", feedWarmMost)
	same, err := one(name+", 304", http.StatusNotModified, rig.Get(path, "If-None-Match: "+header.Get("ETag")))
	if err != nil {
		return err
	}
	b.report.value(name+": 304, processor time", same.CPU/1000, "ms", feed304Most)
	return nil
}

// prompts measures prompts/list of a member and of everybody, on one core of the server.
func (b *bench) prompts(data string) error {
	if err := os.Setenv("GOMAXPROCS", "1"); err != nil {
		return err
	}
	p, err := b.serve(data)
	if unset := os.Unsetenv("GOMAXPROCS"); err == nil {
		err = unset
	}
	if err != nil {
		return err
	}
	defer p.Stop()
	if _, err := asked(p, "/feeds/lobe/index.json"); err != nil { // by then the feeds have been read
		return err
	}
	session, err := rig.Login(p.Address, feedMember)
	if err != nil {
		return err
	}
	for i := range 20 {
		in := fmt.Sprintf(`{"template_id":"prompts/prompt-%03d"}`, 100+i)
		if status, _, body, err := rig.Whole(p.Address, rig.Write("POST", "/api/templates/install", in, "Authorization: Bearer "+session)); err != nil || status != http.StatusOK {
			return fmt.Errorf("install answered %d: %s %w", status, body, err)
		}
	}
	status, _, body, err := rig.Whole(p.Address, rig.Write("POST", "/api/account/tokens", `{"label":"bench"}`, "Authorization: Bearer "+session))
	var made struct{ Data struct{ Token string } }
	if err == nil {
		err = json.Unmarshal(body, &made)
	}
	if err != nil || made.Data.Token == "" {
		return fmt.Errorf("a token answered %d: %s %w", status, body, err)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	headers := []string{"Accept: text/event-stream", "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: prompts/list"}
	for _, who := range []struct {
		name, path string
		headers    []string
	}{
		{"of a member with 20 installed", "/mcp", append(headers, "Authorization: Bearer "+made.Data.Token)},
		{"of everybody", "/mcp/market", headers},
	} {
		request := rig.Write("POST", who.path, list, who.headers...)
		if err := b.duel(duel{item: "prompts/list " + who.name + ", GOMAXPROCS=1", target: b.http(p, 8, http.StatusOK, always(request))}); err != nil {
			return err
		}
		// The rate is one of a core that the server has for itself; on a machine that does other things the processor time says it.
		b.report.value("prompts/list "+who.name+": processor time of each", b.report.Rows[len(b.report.Rows)-1].CPU/1000, "ms", 1000.0/promptsLeast)
	}
	return nil
}
