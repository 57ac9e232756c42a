package detect

import "strings"

// ownRules are patterns of bot platforms and providers that gitleaks has no rule for, or only beside a name.
func ownRules() []*rule {
	own := func(id, what, regex string, accept func(string) bool, keywords ...string) *rule {
		return &rule{ID: id, why: what, Regex: regex, Keywords: keywords, accept: accept}
	}
	return []*rule{
		own("telegram-bot-token", "a Telegram bot token", `(?:^|[^0-9A-Za-z])([0-9]{7,11}:AA[A-Za-z0-9_-]{30,40})`, nil, ":aa"),
		own("model-provider-key", "a model provider's key", `(?:^|[^A-Za-z0-9_-])(sk-[A-Za-z0-9_-]{16,200})`, providerKey, "sk-"),
		own("anthropic-key", "an Anthropic key", `(?:^|[^A-Za-z0-9_-])(sk-ant-[A-Za-z0-9_-]{24,200})`, nil, "sk-ant-"),
		own("google-api-key", "a Google API key", `(?:^|[^A-Za-z0-9_-])(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)`, nil, "aiza"),
		own("groq-key", "a Groq key", `(?:^|[^A-Za-z0-9_-])(gsk_[A-Za-z0-9]{40,60})`, nil, "gsk_"),
		own("xai-key", "an xAI key", `(?:^|[^A-Za-z0-9_-])(xai-[A-Za-z0-9]{60,100})`, nil, "xai-"),
		own("tavily-key", "a Tavily key", `(?:^|[^A-Za-z0-9_-])(tvly-[A-Za-z0-9_-]{20,64})`, nil, "tvly-"),
		own("firecrawl-key", "a Firecrawl key", `(?:^|[^A-Za-z0-9_-])(fc-[a-f0-9]{32})(?:[^A-Za-z0-9]|$)`, nil, "fc-"),
		own("perplexity-key", "a Perplexity key", `(?:^|[^A-Za-z0-9_-])(pplx-[A-Za-z0-9]{32,64})`, nil, "pplx-"),
		own("replicate-key", "a Replicate token", `(?:^|[^A-Za-z0-9_-])(r8_[A-Za-z0-9]{36,40})`, nil, "r8_"),
		own("huggingface-token", "a Hugging Face token", `(?:^|[^A-Za-z0-9_-])(hf_[A-Za-z0-9]{30,40})(?:[^A-Za-z0-9]|$)`, nil, "hf_"),
		own("dify-key", "a Dify key", `(?:^|[^A-Za-z0-9_-])(app-[A-Za-z0-9]{24})(?:[^A-Za-z0-9-]|$)`, Mixed, "app-"),
		own("coze-token", "a Coze token", `(?:^|[^A-Za-z0-9_-])(pat_[A-Za-z0-9]{40,80})(?:[^A-Za-z0-9]|$)`, nil, "pat_"),
		own("github-token", "a GitHub token", `(?:^|[^A-Za-z0-9_-])(gh[pousr]_[A-Za-z0-9]{36,255})`, nil, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		own("slack-token", "a Slack token", `(?:^|[^A-Za-z0-9_-])(xox[abeoprs]-[A-Za-z0-9-]{20,200}|xapp-[0-9]-[A-Za-z0-9-]{30,200})`, nil, "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
		own("tencent-secret-id", "a Tencent Cloud SecretId", `(?:^|[^A-Za-z0-9_-])(AKID[A-Za-z0-9]{28,36})(?:[^A-Za-z0-9]|$)`, nil, "akid"),
		own("aws-access-key-id", "an AWS access key id", `(?:^|[^A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?:[^A-Za-z0-9]|$)`, nil, "akia", "asia", "abia", "acca"),
		own("kook-bot-token", "a KOOK bot token", `(?:^|[^A-Za-z0-9])([0-9]/M[A-Za-z0-9+]{4,12}={0,2}/[A-Za-z0-9+/]{20,24}={0,2})`, nil, "/m"),
		own("line-channel-token", "a LINE channel access token", `(?:^|[^A-Za-z0-9+/])([A-Za-z0-9+/]{120,200}/1O/w1cDnyilFU=)`, nil, "/1o/w1cdnyilfu="),
		own("airtable-token", "an Airtable token", `(?:^|[^A-Za-z0-9])(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})`, nil, "pat"),
		own("database-dsn", "a password in a database address", `[\w.-]{1,64}:([^\s@/"'<>]{3,128})@(?:tcp|tcp4|tcp6|unix|udp)\(`, notPlaceholder, "@tcp(", "@tcp4(", "@tcp6(", "@unix(", "@udp("),
		own("private-key-block", "a private key", `-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:.,()_"'-]{32,}?(?:-----END[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----|[^A-Za-z0-9+/=\s\\:.,()_"'-]|$)`, nil, "-----begin"),
		own("ssh2-private-key", "a private key", `---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----[A-Za-z0-9+/=\s\\:.,()_"'-]{32,}?---- END SSH2`, nil, "---- begin ssh2"),
		own("openvpn-static-key", "a static key of OpenVPN", `-----BEGIN OpenVPN Static key V1-----[a-f0-9\s\\nr"',]{64,}`, nil, "-----begin openvpn"),
		own("putty-private-key", "a private key of PuTTY", `(?i)Private-Lines: ?[0-9]+[A-Za-z0-9+/=\s\\]{40,}`, nil, "private-lines:"),
		own("age-identity", "an age identity", `(?i)(AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,100})`, nil, "age-secret-key-"),
		own("url-signature", "a signed link", `[?&](?:X-Amz-Signature|X-Goog-Signature|sig)=([A-Za-z0-9%+/=_-]{24,512})`, nil, "-signature=", "?sig=", "&sig="),
	}
}

// providerKey tells keys from words that begin like one, such as "sk-learn-style-estimator".
func providerKey(v string) bool {
	body := v[len("sk-"):]
	if Placeholder(v) != "" {
		return false
	}
	if Mixed(body) {
		return RandomPart(body) || entropy(body) >= 3.2
	}
	return len(body) >= 32 && !strings.ContainsAny(body, "-_") && entropy(body) >= 3
}

func notPlaceholder(v string) bool { return Placeholder(v) == "" }
