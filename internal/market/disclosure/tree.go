package disclosure

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"stoa/internal/market/redact"
)

// place is where the collector reads.
type place struct {
	section string
	path    string
	contact bool // settings name addresses here to speak to them
	command bool // what stands here is run
	depth   int
}

const maxTree = 512

// maxPath is where a path stops to grow: a long key is not copied for each value below it.
const maxPath = 2 * maxText

func within(path, key string) string {
	if len(path) > maxPath {
		return path
	}
	return redact.JoinKey(path, key)
}

// sectionCapabilities are what a section that is not empty stands for.
var sectionCapabilities = map[string]string{
	"providers": ProviderAccess, "mcp_servers": MCPInvoke, "memory_store": MemoryExport, "conversation_history": ConversationExport,
	"knowledge_base": KnowledgeExport, "environment_manifest": EnvironmentReconfigure,
}

// whole notes what a section as such stands for.
func (c *Collector) whole(name string, tree any) {
	if capability, ok := sectionCapabilities[name]; ok {
		c.can(capability, name)
	}
	entries, _ := tree.(map[string]any)
	if name != "plugins" {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		c.plugin(id, entries[id])
	}
}

// plugin notes code that is installed. It runs with the rights of the bot.
func (c *Collector) plugin(id string, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := m[k].(string); ok && s != "" {
				return clip(s)
			}
		}
		return ""
	}
	p := Plugin{ID: clip(id), Version: text("version"), Source: text("source", "repo", "repository", "url"), InstallCmd: text("install_cmd", "install_command"), Path: redact.JoinKey("plugins", id)}
	p.Path = clip(p.Path)
	c.pluginCount++
	if len(c.plugins) < maxListed {
		c.plugins = append(c.plugins, p)
	}
	if p.Version != "" || p.Source != "" || p.InstallCmd != "" || m["hash"] != nil {
		for _, capability := range []string{CommandExec, NetworkOutbound, FileRead, FileWrite} {
			c.can(capability, p.Path)
		}
	}
}

var (
	commandKeys = set("command", "cmd", "args", "exec", "install_cmd", "install_command", "run", "script", "scripts", "shell", "entrypoint", "pre_start", "post_start", "postinstall", "preinstall", "hooks")
	contactKeys = set("url", "base_url", "api_base", "api_base_url", "endpoint", "webhook", "webhook_url", "proxy", "http_proxy", "https_proxy", "host", "hostname", "server", "server_url", "domain",
		"callback_url", "ws_url", "websocket_url", "database_url", "redis_url", "dsn", "api_url", "uri", "address", "telegram_api_base_url", "telegram_file_base_url", "api_host", "install_cmd", "remote", "sse_url", "homeserver")
	hostKeys  = set("host", "hostname", "server", "domain", "address", "api_host", "homeserver")
	modelKeys = set("model", "models", "model_name", "model_id", "default_model", "embedding_model", "fallback_chat_models", "vision_model", "image_model", "default_provider_id", "embedding_provider_id")
	readers   = set("read_file", "file_read", "list_directory", "fs_read", "open_file", "search_files", "read")
	writers   = set("write_file", "file_write", "edit_file", "create_file", "delete_file", "move_file", "fs_write", "write")
	runners   = set("bash", "shell", "run_command", "execute_command", "exec", "terminal", "python", "code_interpreter", "run_code", "local_shell")
	fetchers  = set("web_search", "web_fetch", "fetch", "fetch_url", "browser", "http_request", "open_url")
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func (c *Collector) tree(v any, at place) {
	if at.depth++; at.depth > maxTree {
		c.overflow = true
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			child := at
			child.path = within(at.path, key)
			c.field(key, v[key], child)
		}
	case []any:
		for i, e := range v {
			child := at
			if len(at.path) <= maxPath {
				child.path = at.path + "[" + strconv.Itoa(i) + "]"
			}
			c.tree(e, child)
		}
	case string:
		c.text(v, at)
	}
}

// field reads what stands under a key.
func (c *Collector) field(key string, v any, at place) {
	name := snake(key)
	switch {
	case commandKeys[name]:
		at.command, at.contact = true, true
		if !empty(v) {
			c.can(CommandExec, at.path)
		}
	case contactKeys[name] || strings.HasSuffix(name, "_url") || strings.HasSuffix(name, "_endpoint"):
		at.contact = true
	case name == "env" || name == "environment" || name == "environment_variables":
		if m, ok := v.(map[string]any); ok {
			for _, variable := range slices.Sorted(maps.Keys(m)) {
				c.note(c.environment, clip(variable), at.path)
			}
		}
	case name == "tools" || name == "allowed_tools" || name == "functions":
		c.tools(v, at)
	}
	if modelKeys[name] {
		c.modelNames(v, at)
	}
	if s, ok := v.(string); ok && hostKeys[name] && !strings.Contains(s, "://") && (domainLike(s) || s == "localhost") {
		c.host(strings.TrimSpace(s), at, true)
	}
	c.text(key, place{section: at.section, path: at.path})
	c.tree(v, at)
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case bool:
		return !v
	}
	return false
}

func (c *Collector) modelNames(v any, at place) {
	switch v := v.(type) {
	case string:
		if v != "" && len(v) <= maxText {
			c.note(c.models, clip(v), at.path)
		}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok && s != "" {
				c.note(c.models, clip(s), at.path)
			}
		}
	}
}

// tools notes what the tools that a persona or skill is given can do.
func (c *Collector) tools(v any, at place) {
	var names []string
	switch v := v.(type) {
	case string:
		names = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	case []any:
		for _, e := range v {
			switch e := e.(type) {
			case string:
				names = append(names, e)
			case map[string]any:
				if s, ok := e["name"].(string); ok {
					names = append(names, s)
				}
			}
		}
	}
	for _, n := range names {
		n = snake(n)
		for capability, tools := range map[string]map[string]bool{FileRead: readers, FileWrite: writers, CommandExec: runners, NetworkOutbound: fetchers} {
			if tools[n] {
				c.can(capability, at.path)
			}
		}
	}
}

var (
	variables = lazily(`\$\{([A-Za-z_][A-Za-z0-9_]{0,80})(?::?-[^}]{0,80})?\}|\{\{\s*(?:env|secrets)\.([A-Za-z_][A-Za-z0-9_]{0,80})\s*\}\}|process\.env\.([A-Za-z_][A-Za-z0-9_]{0,80})|os\.(?:environ(?:\.get)?|getenv)[\[(]\s*["']([A-Za-z_][A-Za-z0-9_]{0,80})|\benv:([A-Z_][A-Z0-9_]{1,80})`)
	shellVar  = lazily(`\$([A-Z_][A-Z0-9_]{1,80})\b`)
	callers   = lazily(`(?:^|[\s;&|("'` + "`" + `])(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ping|dig|nslookup|ftp)\s+(?:-{1,2}[^\s]+\s+){0,8}([^\s"'` + "`" + `|;&]+)`)
	runs      = lazily(`\bsubprocess\.|\bos\.system\(|\bchild_process\b|\bexec\.Command\(|\bRuntime\.getRuntime\(|\beval\(`)
	reads     = lazily(`\bopen\(|\breadFile(?:Sync)?\(|\bos\.ReadFile\(|\.read_text\(|\bfs\.read`)
	writes    = lazily(`\bopen\([^)\n]{0,80}["'][wa]b?\+?["']|\bwriteFile(?:Sync)?\(|\bos\.WriteFile\(|\.write_text\(|\bshutil\.|\bos\.remove\(|\brm\s+-r`)
	speaks    = lazily(`\brequests\.(?:get|post|put|delete|request)\(|\bhttpx\.|\baiohttp\.|\burllib\.|\bfetch\(|\baxios\b|\bsocket\.(?:socket|create_connection)|\bhttp\.(?:Get|Post)\(|\bwebsockets?\.connect`)
)

// lazily compiles an expression when it is first used: a server that reads no package pays nothing.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// text reads running text and single values.
func (c *Collector) text(text string, at place) {
	if len(text) < 3 {
		return
	}
	if strings.Contains(text, "://") {
		c.addresses(text, at)
	}
	if strings.ContainsAny(text, "${.:") && (strings.Contains(text, "${") || strings.Contains(text, "{{") || strings.Contains(text, "env")) {
		for _, m := range variables().FindAllStringSubmatch(text, -1) {
			c.note(c.environment, strings.Join(m[1:], ""), at.path)
		}
	}
	if !at.command {
		return
	}
	for _, m := range shellVar().FindAllStringSubmatch(text, -1) {
		c.note(c.environment, m[1], at.path)
	}
	for _, m := range callers().FindAllStringSubmatch(text, -1) {
		c.can(NetworkOutbound, at.path)
		if word := m[1]; !strings.Contains(word, "://") {
			if i := strings.LastIndexByte(word, '@'); i >= 0 {
				word = word[i+1:]
			}
			if domainLike(word) {
				host, _, _ := strings.Cut(word, "/")
				c.host(host, at, true)
			}
		}
	}
	for capability, pattern := range map[string]func() *regexp.Regexp{CommandExec: runs, FileRead: reads, FileWrite: writes, NetworkOutbound: speaks} {
		if pattern().MatchString(text) {
			c.can(capability, at.path)
		}
	}
	if strings.Contains(text, "server-filesystem") || strings.Contains(text, "mcp-filesystem") {
		c.can(FileRead, at.path)
		c.can(FileWrite, at.path)
	}
	if strings.Contains(text, "server-fetch") || strings.Contains(text, "playwright") || strings.Contains(text, "puppeteer") || strings.Contains(text, "pip install") || strings.Contains(text, "npx") || strings.Contains(text, "uvx") || strings.Contains(text, "npm install") || strings.Contains(text, "git clone") {
		c.can(NetworkOutbound, at.path)
	}
}

var scriptEndings = set("sh", "bash", "zsh", "ps1", "bat", "cmd", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "go", "exe", "jar", "command", "applescript")

// scriptName says whether a file is run rather than read.
func scriptName(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot >= 0 && scriptEndings[strings.ToLower(name[dot+1:])]
}

// snake writes a key of any style in lower case with underscores.
func snake(key string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range key {
		switch {
		case r == '-' || r == ' ' || r == '.':
			r = '_'
		case unicode.IsUpper(r):
			if unicode.IsLower(before) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}
