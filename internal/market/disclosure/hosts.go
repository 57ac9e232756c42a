package disclosure

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// host notes a host as it stands in the bytes: with a port, a login, brackets, in any script.
func (c *Collector) host(authority string, at place, contacted bool) {
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	name := strings.ToLower(authority)
	if strings.HasPrefix(name, "[") {
		name, _, _ = strings.Cut(name[1:], "]")
	} else if i := strings.LastIndexByte(name, ':'); i >= 0 && strings.Count(name, ":") == 1 {
		name = name[:i]
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > 253 || strings.Contains(name, "***") {
		return
	}
	shown := ""
	if ascii, err := idna.Punycode.ToASCII(name); err == nil && ascii != name {
		name, shown = ascii, name
	} else if u, err := idna.Punycode.ToUnicode(name); err == nil && u != name {
		shown = u
	}
	name = clip(name)
	h := c.hosts[name]
	if h == nil {
		if len(c.hosts) >= maxNames {
			c.overflow = true
			return
		}
		h = &Host{Host: name, Unicode: clip(shown), Private: private(name), Use: Mentioned}
		c.hosts[name] = h
	}
	h.Count++
	h.Places = addPlace(h.Places, at.path)
	if contacted {
		h.Use = Contacted
		if !h.Private {
			c.can(NetworkOutbound, at.path)
		}
	}
}

// private is this machine, a private network, or a name that no public server answers to.
func private(name string) bool {
	if ip, err := netip.ParseAddr(name); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() || sharedAddresses.Contains(ip)
	}
	if !strings.Contains(name, ".") {
		return !strings.ContainsAny(name, "${}%<")
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet", ".test", ".invalid", ".svc"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// Carrier-grade NAT, RFC 6598.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// addresses notes every host behind "://" in a text.
func (c *Collector) addresses(text string, at place) {
	for rest := text; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return
		}
		scheme := i
		for scheme > 0 && schemeByte(rest[scheme-1]) && i-scheme < 20 {
			scheme--
		}
		name := strings.ToLower(rest[scheme:i])
		rest = rest[i+3:]
		end := authorityEnd(rest)
		if name == "" || name == "file" || name == "data" || name == "sqlite" || end == 0 {
			continue
		}
		c.host(rest[:end], at, at.contact || at.command)
	}
}

func schemeByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '.' || b == '-'
}

func authorityEnd(text string) int {
	for i, r := range text {
		if r == '/' || r == '?' || r == '#' || r <= ' ' || strings.ContainsRune("\"'`<>|\\^,;()*，。、；）」』】", r) && r != '*' || i > 300 || r == utf8.RuneError {
			return len(strings.TrimRight(text[:i], ".:!?]}*"))
		}
	}
	return len(strings.TrimRight(text, ".:!?}*"))
}

// domainLike says whether a word of a command is a host's name.
func domainLike(word string) bool {
	if i := strings.IndexAny(word, "/:"); i >= 0 {
		word = word[:i]
	}
	if _, err := netip.ParseAddr(word); err == nil {
		return true
	}
	dot := strings.LastIndexByte(word, '.')
	if dot <= 0 || dot+3 > len(word) || strings.HasPrefix(word, "-") || strings.HasPrefix(word, ".") {
		return false
	}
	for _, r := range word {
		if r != '.' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	tld := word[dot+1:]
	for i := range len(tld) {
		if tld[i] >= '0' && tld[i] <= '9' {
			return false
		}
	}
	return !fileEndings[strings.ToLower(tld)]
}

var fileEndings = set("js", "mjs", "ts", "py", "json", "yaml", "yml", "toml", "txt", "md", "sh", "exe", "zip", "gz", "html", "css", "db", "log", "lock", "cfg", "ini", "env", "bat", "jar", "so", "dll", "rb", "go", "rs", "png", "jpg")
