package account

import (
	"strings"
	"testing"
)

func TestMemberIDs(t *testing.T) {
	for _, id := range []string{"ada", "webui-user", "newcomer-12", "x1", strings.Repeat("a", MaxIDLength)} {
		if !ValidID(id) || ReservedID(id) {
			t.Errorf("%s is refused", id)
		}
	}
	for _, id := range []string{"", "a", "Ada", "a.b", "a_b", "a@b", "a--b", "-a", "a-", "ä-user", "аda", "a b", "a/b", "ada\u200b", strings.Repeat("a", MaxIDLength+1)} {
		if ValidID(id) {
			t.Errorf("%q is valid", id)
		}
	}
	for _, id := range []string{
		"operator", "0perator", "admin", "adm1n", "admin-1", "stoa", "st0a", "stoa-help", "the-admin", "root", "system", "anonymous", "support", "official", "officia1", "null", "undefined", "me", "api",
		"support-team", "nobody", "maintainer",
		"console", "c0nsole", "con-sole", "git", "npm", "feeds", "operators", "the-operators", "reviewers", "mcp", "oauth", "v2", "assets", "oci", "skills", "registry", "well-known", "public-market", "ver1f1ed",
		"secur1ty", "secur1ty-tearn", "ad-min", "the-admins", "moderation", "publisher", "review", "tokens", "www", "nul",
	} {
		if !ReservedID(id) {
			t.Errorf("%s is free", id)
		}
	}
	for _, id := range []string{"gita", "nina", "feed-reader", "git-fan", "mirrorball", "theo", "book-reviewer", "constanze", "modesty", "rooted"} {
		if ReservedID(id) {
			t.Errorf("%s is reserved", id)
		}
	}
	if !Alike("webuiuser", "webui-user") || !Alike("webu1-user", "webui-user") || Alike("webui-user-2", "webui-user") {
		t.Error("what is taken for webui-user")
	}
	for a, b := range map[string]string{"Alice": "alice", "al1ce": "alice", "b0b": "bob", "maria": "marla", "modern": "modem", "a_b": "a-b", "a.b": "a-b"} {
		if Likeness(a) != Likeness(b) {
			t.Errorf("%s and %s are not alike", a, b)
		}
	}
	if Likeness("ada") == Likeness("ida") {
		t.Error("ada and ida are alike")
	}
}

func TestDescribeAgent(t *testing.T) {
	for header, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0":                                                           "Firefox, Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0":            "Edge, Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile Safari/604.1": "Safari, iOS",
		"stoa/1.2 (linux)": "stoa/1.2", "": "", "\x1b[31mevil": "[31mevil", strings.Repeat("x", 300): strings.Repeat("x", longestAgent),
	} {
		if got := DescribeAgent(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}
