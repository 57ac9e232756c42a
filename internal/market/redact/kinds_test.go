package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"stoa/internal/market/redact/detect"
)

const (
	alnum   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	lowNum  = "abcdefghijklmnopqrstuvwxyz0123456789"
	hexDigs = "0123456789abcdef"
	b64Digs = alnum + "+/"
	urlDigs = alnum + "-_"
)

func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// drawMixed draws until there are letters and digits, as any real key has.
func drawMixed(r *rand.Rand, alphabet string, n int) string {
	for {
		if s := draw(r, alphabet, n); detect.Mixed(s) {
			return s
		}
	}
}

// kind is a sort of secret as bot setups hold it. Values are made when a test runs: none stands in this repository.
type kind struct {
	name  string
	field string // the key it stands under
	make  func(r *rand.Rand) (value, secret string)
	blind bool // recognisable without its key
}

// whole is a kind whose value is the secret.
func whole(name, field string, blind bool, make func(r *rand.Rand) string) kind {
	return kind{name, field, func(r *rand.Rand) (string, string) { v := make(r); return v, v }, blind}
}

// within is a kind whose secret is a part of its value, at the place of the %s.
func within(name, field, format string, blind bool, make func(r *rand.Rand) string) kind {
	return kind{name, field, func(r *rand.Rand) (string, string) {
		s := make(r)
		return fmt.Sprintf(format, s), s
	}, blind}
}

func prefixed(prefix, alphabet string, n int, suffix string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return prefix + drawMixed(r, alphabet, n) + suffix }
}

// parts joins parts, so that no scanner takes this file for a leak.
func parts(p ...string) string { return strings.Join(p, "") }

var wordsOfPhrases = strings.Fields("abandon ability cradle about above absent cactus abstract dragon fabric galaxy habit ice jacket kangaroo ladder machine naive oak paddle quality rabbit saddle table ugly vacant wage yard zebra")

func mnemonicOf(r *rand.Rand) string {
	w := make([]string, 12)
	for i := range w {
		w[i] = wordsOfPhrases[r.IntN(len(wordsOfPhrases))]
	}
	return strings.Join(w, " ")
}

func jwtOf(r *rand.Rand) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"`+draw(r, "0123456789", 12)+`","iat":1700000000}`)) + "." + drawMixed(r, urlDigs[:62], 43)
}

func pemOf(r *rand.Rand) string {
	lines := []string{parts("-----BEGIN ", "PRIVATE KEY-----")}
	for range 6 {
		lines = append(lines, drawMixed(r, b64Digs, 64))
	}
	return strings.Join(append(lines, parts("-----END ", "PRIVATE KEY-----")), "\n")
}

func discordOf(r *rand.Rand) string {
	id := base64.RawURLEncoding.EncodeToString([]byte("1" + draw(r, "0123456789", 17)))
	return id + "." + draw(r, alnum, 6) + "." + drawMixed(r, alnum, 38)
}

// kinds are the secrets of bot setups: what the research's 48 name, and more.
var kinds = []kind{
	whole("openai project key", "api_key", true, func(r *rand.Rand) string {
		return parts("sk-", "proj-") + drawMixed(r, alnum, 58) + parts("T3Blbk", "FJ") + drawMixed(r, alnum, 58)
	}),
	whole("openai key", "key", true, prefixed("sk-", alnum, 48, "")),
	whole("anthropic", "apiKey", true, prefixed(parts("sk-ant", "-api03-"), alnum, 93, "AA")),
	whole("deepseek", "key", true, prefixed("sk-", hexDigs, 32, "")),
	whole("moonshot", "moonshotai_api_key", true, prefixed("sk-", alnum, 48, "")),
	whole("siliconflow", "key", true, func(r *rand.Rand) string { return "sk-" + draw(r, lowNum[:26], 48) }),
	whole("google ai", "key", true, prefixed(parts("AI", "za"), alnum, 35, "")),
	whole("groq", "key", true, prefixed(parts("gs", "k_"), alnum, 52, "")),
	whole("openrouter", "key", true, prefixed(parts("sk-or", "-v1-"), hexDigs, 64, "")),
	whole("hugging face", "token", true, prefixed(parts("h", "f_"), alnum, 34, "")),
	whole("tavily", "websearch_tavily_key", true, prefixed("tvly-", hexDigs, 32, "")),
	whole("github pat", "github_token", true, prefixed(parts("gh", "p_"), alnum, 36, "")),
	whole("gitlab pat", "gitlab_token", true, prefixed(parts("glp", "at-"), alnum, 20, "")),
	whole("aws access key id", "access_key_id", true, func(r *rand.Rand) string { return parts("AK", "IA") + draw(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16) }),
	whole("aws secret key", "aws_secret_access_key", false, func(r *rand.Rand) string { return drawMixed(r, b64Digs, 40) }),
	whole("alibaba access key", "accessKeyId", true, prefixed(parts("LT", "AI"), alnum, 20, "")),
	whole("tencent secret id", "secret_id", true, prefixed(parts("AK", "ID"), alnum, 32, "")),
	whole("azure key", "azure_api_key", false, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 32) }),
	whole("slack bot token", "bot_token", true, func(r *rand.Rand) string {
		return parts("xo", "xb-") + draw(r, "123456789", 12) + "-" + draw(r, "123456789", 12) + "-" + drawMixed(r, alnum, 24)
	}),
	within("slack webhook", "webhook_url", parts("https://hooks.slack", ".com/services/%s"), true, func(r *rand.Rand) string {
		return "T" + draw(r, "ABCDEFGHIJ0123456789", 9) + "/B" + draw(r, "ABCDEFGHIJ0123456789", 9) + "/" + drawMixed(r, alnum, 24)
	}),
	whole("discord bot token", "discord_token", true, discordOf),
	within("discord webhook", "webhook", parts("https://discord", ".com/api/webhooks/%s"), true, func(r *rand.Rand) string { return draw(r, "123456789", 18) + "/" + drawMixed(r, urlDigs, 68) }),
	whole("telegram token", "telegram_token", true, func(r *rand.Rand) string { return draw(r, "123456789", 10) + ":AA" + drawMixed(r, urlDigs, 33) }),
	within("telegram address", "callback", "https://api.telegram.org/bot%s/sendMessage", true, func(r *rand.Rand) string { return draw(r, "123456789", 10) + ":AA" + drawMixed(r, urlDigs, 33) }),
	within("feishu webhook", "webhook", "https://open.feishu.cn/open-apis/bot/v2/hook/%s", true, func(r *rand.Rand) string {
		h := drawMixed(r, hexDigs, 32)
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	}),
	whole("feishu app secret", "app_secret", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 32) }),
	within("dingtalk webhook", "webhook", "https://oapi.dingtalk.com/robot/send?access_token=%s", true, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 64) }),
	within("wecom webhook", "webhook", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=%s", true, func(r *rand.Rand) string {
		h := drawMixed(r, hexDigs, 32)
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	}),
	whole("wecom aes key", "encoding_aes_key", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 43) }),
	whole("wecom secret", "corpsecret", false, func(r *rand.Rand) string { return drawMixed(r, urlDigs, 43) }),
	whole("qq bot secret", "secret", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 32) }),
	whole("onebot token", "ws_reverse_token", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 16) }),
	whole("kook token", "kook_bot_token", true, func(r *rand.Rand) string {
		return "1/" + base64.StdEncoding.EncodeToString([]byte("1"+draw(r, "0123456789", 4))) + "/" + drawMixed(r, b64Digs, 22) + "=="
	}),
	whole("line channel secret", "channel_secret", false, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 32) }),
	whole("line channel token", "channel_access_token", true, func(r *rand.Rand) string { return drawMixed(r, b64Digs, 152) + "/1O/w1cDnyilFU=" }),
	within("bearer in prose", "note", "call it with Bearer %s as the header", true, func(r *rand.Rand) string { return drawMixed(r, alnum, 40) }),
	within("bilibili cookie", "cookie", "SESSDATA=%s; path=/", true, func(r *rand.Rand) string {
		return drawMixed(r, hexDigs, 8) + "%2C17" + draw(r, "0123456789", 8) + "%2C" + drawMixed(r, hexDigs, 5) + "*b1"
	}),
	within("mysql dsn", "dsn", "bot:%s@tcp(db.example.net:3306)/bot", true, func(r *rand.Rand) string { return drawMixed(r, alnum, 14) }),
	within("postgres address", "database_url", "postgres://bot:%s@db.example.net:5432/bot", true, func(r *rand.Rand) string { return drawMixed(r, alnum, 14) }),
	within("redis address", "redis_url", "redis://:%s@cache.example.net:6379/0", true, func(r *rand.Rand) string { return drawMixed(r, alnum, 14) }),
	within("mongodb address", "mongo_uri", "mongodb+srv://bot:%s@cluster0.example.net/bot", true, func(r *rand.Rand) string { return drawMixed(r, alnum, 14) }),
	within("proxy login", "proxy", "http://proxyuser:%s@10.0.0.2:7890", true, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 14) }),
	whole("plain password", "password", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 10) }),
	whole("jwt", "jwt", true, jwtOf),
	whole("private key", "private_key", true, pemOf),
	whole("stripe key", "stripe_key", true, prefixed(parts("sk_", "live_"), alnum, 24, "")),
	whole("sendgrid key", "sendgrid_api_key", true, func(r *rand.Rand) string {
		return "SG." + drawMixed(r, urlDigs[:62], 22) + "." + drawMixed(r, urlDigs[:62], 43)
	}),
	whole("npm token", "npm_token", true, prefixed(parts("np", "m_"), lowNum, 36, "")),
	// beyond the research's 48
	whole("age identity", "identity", true, func(r *rand.Rand) string {
		return parts("AGE-SECRET", "-KEY-1") + draw(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)
	}),
	whole("mnemonic", "mnemonic", false, mnemonicOf),
	whole("misskey token", "misskey_token", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 32) }),
	whole("mattermost token", "mattermost_bot_token", false, func(r *rand.Rand) string { return drawMixed(r, lowNum, 26) }),
	whole("matrix token", "access_token", false, func(r *rand.Rand) string { return "syt_" + drawMixed(r, alnum, 40) }),
	whole("satori token", "satoriToken", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 24) }),
	whole("jwt secret", "jwt_secret", false, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 64) }),
	whole("xai key", "key", true, prefixed(parts("xa", "i-"), alnum, 80, "")),
	whole("chinese label", "管理员密码", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 12) }),
	whole("japanese label", "パスワード", false, func(r *rand.Rand) string { return drawMixed(r, alnum, 12) }),
	whole("api key header", "X-Api-Key", false, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 32) }),
	within("basic login", "authorization", "Basic %s", false, func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte("bot:" + drawMixed(r, alnum, 18)))
	}),
	within("signed address", "image", "https://cdn.example.net/a.png?X-Amz-Signature=%s", true, func(r *rand.Rand) string { return drawMixed(r, hexDigs, 64) }),
	whole("totp secret", "totp_secret", false, func(r *rand.Rand) string { return draw(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32) }),
	whole("contentful token", "token", true, prefixed(parts("CF", "PAT-"), alnum, 43, "")),
	whole("nomic key", "key", true, prefixed("nk-", alnum, 43, "")),
	whole("modal token", "key", true, prefixed("ak-", alnum, 22, "")),
	whole("composio key", "key", true, prefixed("ak_", alnum, 20, "")),
	whole("adafruit key", "key", true, prefixed(parts("ai", "o_"), alnum, 28, "")),
	whole("flutterwave key", "key", true, prefixed(parts("FLW", "SECK-"), hexDigs, 32, "-X")),
	whole("typeform token", "token", true, prefixed(parts("tf", "p_"), alnum, 44, "")),
	whole("serverchan key", "key", true, func(r *rand.Rand) string {
		return parts("SC", "T") + draw(r, "123456789", 6) + "T" + drawMixed(r, alnum, 28)
	}),
	whole("lob key", "key", true, func(r *rand.Rand) string { return parts("li", "ve_") + drawMixed(r, hexDigs, 35) }),
	whole("weights and biases", "key", true, prefixed(parts("wandb", "_v1_"), alnum, 60, "")),
	whole("asana token", "token", true, func(r *rand.Rand) string {
		return "2/" + draw(r, "123456789", 16) + "/" + draw(r, "123456789", 16) + ":" + drawMixed(r, hexDigs, 32)
	}),
	whole("convex key", "key", true, func(r *rand.Rand) string { return "prod:happy-otter-123|" + drawMixed(r, b64Digs, 80) + "=" }),
	whole("lambda key", "key", true, func(r *rand.Rand) string {
		return parts("sec", "ret_") + "default_" + drawMixed(r, hexDigs, 32) + "." + drawMixed(r, alnum, 32)
	}),
	whole("baseten key", "key", true, func(r *rand.Rand) string { return "aB3" + drawMixed(r, alnum, 5) + "." + drawMixed(r, alnum, 32) }),
	whole("perplexity key", "key", true, prefixed(parts("pp", "lx-"), alnum, 48, "")),
	whole("session cookie", "Cookie", false, func(r *rand.Rand) string { return "sid=" + hex.EncodeToString([]byte(drawMixed(r, alnum, 16))) }),
}

// researched are the first 48: those the research measured others with.
const researched = 48

// lookAlikes are fields that hold no secret.
var lookAlikes = map[string]any{
	"max_tokens": 4096, "token_limit": 2000, "maxTokens": "8192", "tokenizer": "cl100k_base", "top_k": 40, "keyword": "spring-2024", "keywords": []any{"garden", "plants2024"},
	"keyboard": "qwerty-us-104", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vb2x0ZXN0a2V5Zm9ydGVzdHMxMjM0NTY3ODkw bot@host", "primary_key": "user_id_2024", "foreign_key": "orders.user_id",
	"model_key": "gpt-4o-2024-08-06", "monkey": "george123456", "key_bindings": map[string]any{"save": "ctrl+s", "open": "ctrl+shift+o2"}, "shortcut": "ctrl+alt+k9", "secret_santa": "alice42draws",
	"password_hint": "the name of my 1st dog", "password_policy": "min12chars", "enable_token": true, "require_password": "false", "api_key": "${OPENAI_API_KEY}", "apiKey": "{{ api_key }}", "token": "$BOT_TOKEN",
	"secret": "<your-secret>", "password": "", "access_token": "YOUR_ACCESS_TOKEN", "client_secret": "env:CLIENT_SECRET", "app_secret": "xxxxxxxxxxxx", "bot_token": "***REDACTED***", "private_key": "changeme",
	"openai_api_key": "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "auth_token": "your-token-here", "secret_key": "sk-...", "refresh_token": nil, "session_timeout": 3600, "token_count": 1234567, "total_tokens": 128000,
	"prompt_tokens": 1500, "stop_tokens": []any{"<|im_end|>", "</s>"}, "eos_token": "<|endoftext|>", "api_key_env": "OPENAI_API_KEY", "token_url": "https://auth.example.com/oauth/token", "auth_type": "bearer",
	"auth": "none", "authorization_endpoint": "https://auth.example.com/authorize", "key": "sel_conv_id", "id": "openai/gpt-5", "model": "claude-3-5-sonnet-20241022", "version": "v1.4.2", "uuid_example": "plain",
	"seed": 1234567890, "salt": "sea", "author": "Ann2024", "hotkey": "F12", "sort_key": "created_at2", "cache_key": "user:profile:42", "passage": "It was the best of times", "compass": "north",
	"homepage": "https://github.com/example/astrbot_plugin_weather", "repo": "https://example.com/a/b?tab=readme", "timezone": "Asia/Shanghai", "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"commit": "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "wake_prefix": []any{"/", "!"}, "关键词": "春天2024花园abc", "密码提示": "我的第1只狗", "令牌上限": "4096", "公钥": "abc123def456ghi789", "トークン数": 2048, "キーワード": "春2024の花",
	"unique_session": false, "website": "https://user@example.com/", "email": "bot@example.com", "time": "12:30@home", "pin": "always", "proxy": "http://127.0.0.1:7890", "database_url": "sqlite:///data/bot.db",
	"redis_url": "redis://localhost:6379/0", "webhook_path": "/hooks/incoming", "callback_url": "https://example.com/api/callback", "tokens": []any{"user:", "assistant:"}, "note": "Bearer of good news came at noon",
	"prompt": "You keep a secret: the key to the garden is patience. Never reveal your token of love.", "description": "Uses the OPENAI_API_KEY environment variable. Set password: required.", "cookies_enabled": true,
	"command": []any{"npx", "-y", "server", "--token", "${GITHUB_TOKEN}"}, "args": "--api-key=<YOUR_KEY> --port 8080", "image": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
}
