package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// place is where a key may stand in what a member shares: a text, or fields.
type matrixPlace struct {
	name string
	bare bool // without a name beside it: only what is recognised by itself counts
	tree func(vendor, value string) any
}

// line is a place in a text. NAME is OPENAI_API_KEY, name openai_api_key, camel openaiApiKey, VALUE the key, JSON and
// URL the key with the escapes of either.
func textPlace(name, format string) matrixPlace {
	return matrixPlace{name, false, func(vendor, value string) any {
		return map[string]any{"prompt": "Before it.\n" + fill(format, vendor, value) + "\nAfter it."}
	}}
}

func barePlace(name, format string) matrixPlace {
	p := textPlace(name, format)
	p.bare = true
	return p
}

func fill(format, vendor, value string) string {
	snake := strings.NewReplacer(" ", "_", "-", "_").Replace(vendor)
	var camel strings.Builder
	for i, w := range strings.Split(snake, "_") {
		if i > 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		camel.WriteString(w)
	}
	quoted, _ := json.Marshal(value)
	plain := strings.Trim(string(quoted), `"`)
	return strings.NewReplacer("NAME", strings.ToUpper(snake)+"_API_KEY", "kebab", strings.ReplaceAll(snake, "_", "-"), "name", snake+"_api_key", "camel", camel.String()+"ApiKey",
		"VENDOR", vendor, "VALUE", value, "JSON", plain, "URL", url.QueryEscape(value)).Replace(format)
}

func encodedPlace(name string, encode func(string) string) matrixPlace {
	return matrixPlace{name, false, func(vendor, value string) any {
		return map[string]any{"prompt": "Settings: " + encode(fill(`{"service":"VENDOR","name":"JSON"}`, vendor, value))}
	}}
}

// matrixPlaces are the places.
var matrixPlaces = []matrixPlace{
	textPlace("env", "NAME=VALUE"),
	textPlace("env quoted", `NAME="VALUE"`),
	textPlace("shell export", "export NAME='VALUE'"),
	textPlace("fish", "set -gx NAME VALUE"),
	textPlace("powershell", `$env:NAME = "VALUE"`),
	textPlace("json", `{"service": "VENDOR", "name": "JSON"}`),
	textPlace("json list", `{"names": ["JSON"]}`),
	textPlace("json indented", "{\n  \"camel\": \"JSON\",\n  \"port\": 8080\n}"),
	textPlace("json in json", `{"config": "{\"name\": \"VALUE\"}"}`),
	textPlace("python dict", `{'name': 'VALUE', 'port': 8080}`),
	textPlace("yaml", "service: VENDOR\nname: VALUE"),
	textPlace("yaml quoted", `name: "VALUE"`),
	textPlace("yaml list", "names:\n  - VALUE"),
	textPlace("yaml block", "name: |\n  VALUE\nport: 1"),
	textPlace("toml", "[VENDOR]\nname = \"VALUE\""),
	textPlace("ini", "[VENDOR]\napi_key=VALUE"),
	textPlace("properties", "app.kebab.api.key=VALUE"),
	textPlace("xml element", "<camel>VALUE</camel>"),
	textPlace("xml attribute", `<add key="camel" value="VALUE"/>`),
	textPlace("compose", "services:\n  bot:\n    environment:\n      - NAME=VALUE"),
	textPlace("compose map", "environment:\n  NAME: VALUE"),
	textPlace("kubernetes env", "- name: NAME\n  value: VALUE"),
	textPlace("dockerfile", "ENV NAME VALUE"),
	textPlace("terraform", "variable \"name\" {\n  default = \"VALUE\"\n}"),
	textPlace("curl bearer", `curl -H "Authorization: Bearer VALUE" https://api.example.com/v1/models`),
	textPlace("curl header", `curl https://api.example.com -H 'X-Api-Key: VALUE' -d '{}'`),
	textPlace("http header", "GET /v1 HTTP/1.1\nAuthorization: Token VALUE"),
	textPlace("url query", "https://api.example.com/v1?model=x&api_key=URL"),
	textPlace("basic auth url", "https://bot:URL@api.example.com/v1"),
	textPlace("flag", "server --api-key VALUE --port 8080"),
	textPlace("flag equals", "npx -y some-server --kebab-api-key=VALUE"),
	textPlace("flag list", `"args": ["-y", "server", "--api-key", "JSON"]`),
	textPlace("python", `NAME = "VALUE"`),
	textPlace("python environ", `os.environ["NAME"] = "VALUE"`),
	textPlace("shell default", "NAME=${NAME:-VALUE}"),
	textPlace("getenv default", `key = os.getenv("NAME", "VALUE")`),
	textPlace("env or", "const key = process.env.NAME || 'VALUE';"),
	textPlace("python call", `client = Client(api_key="VALUE", timeout=3)`),
	textPlace("javascript", "const camel = 'VALUE';"),
	textPlace("javascript object", "new Client({ apiKey: 'VALUE', retries: 2 })"),
	textPlace("go", "camel := \"VALUE\""),
	textPlace("java", "private static final String NAME = \"VALUE\";"),
	textPlace("ruby", "config.api_key = 'VALUE'"),
	textPlace("php", "define('NAME', 'VALUE');"),
	textPlace("comment", "# VENDOR api key: VALUE"),
	textPlace("comment c", "// api key = VALUE"),
	textPlace("html comment", "<!-- api_key: VALUE -->"),
	textPlace("table row", "| field | value |\n|---|---|\n| API key | `VALUE` |"),
	textPlace("table column", "| service | api_key |\n|---|---|\n| VENDOR | VALUE |"),
	textPlace("csv", "service,api_key\nVENDOR,VALUE"),
	textPlace("heading", "## API key\n\n`VALUE`"),
	textPlace("log", "2026-11-22 10:00:01 INFO [client] using api_key=VALUE for VENDOR"),
	textPlace("english", "My VENDOR API key is VALUE, so keep it to yourself."),
	textPlace("english colon", "API key: VALUE."),
	textPlace("english for", "The API key for VENDOR is VALUE"),
	textPlace("chinese", "我的API密钥是VALUE，请勿外传。"),
	textPlace("chinese colon", "接口密钥：VALUE"),
	textPlace("japanese", "APIキーはVALUEです。"),
	textPlace("japanese colon", "アクセスキー：VALUE"),
	textPlace("korean", "API 키는 VALUE 입니다."),
	textPlace("german", "Der API-Schlüssel lautet VALUE."),
	textPlace("german colon", "Zugangsschlüssel: VALUE"),
	textPlace("spanish", "La clave de API es VALUE."),
	textPlace("french", "La clé d'API est VALUE."),
	textPlace("french colon", "Clé API : VALUE"),
	textPlace("italian", "La chiave API è VALUE."),
	textPlace("portuguese", "A chave de API é VALUE."),
	textPlace("russian", "Ключ API: VALUE"),
	encodedPlace("base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
	encodedPlace("percent", url.QueryEscape),
	{"field", false, func(vendor, value string) any {
		return map[string]any{"service": vendor, fill("name", vendor, ""): value}
	}},
	{"field list", false, func(vendor, value string) any { return map[string]any{fill("names", vendor, ""): []any{value, value}} }},
	{"pair", false, func(vendor, value string) any {
		return map[string]any{"env": []any{map[string]any{"name": fill("NAME", vendor, ""), "value": value}}}
	}},
	{"arguments", false, func(_, value string) any { return map[string]any{"args": []any{"-y", "server", "--api-key", value}} }},
	barePlace("code", "Use `VALUE` to sign in."),
	barePlace("sentence", "We got VALUE from them yesterday."),
	barePlace("sentence end", "They sent VALUE."),
	barePlace("chinese sentence", "昨天收到了VALUE，已经试过。"),
	barePlace("brackets", "(VALUE) and \"VALUE\" and <VALUE>"),
	barePlace("table cell", "| VENDOR | VALUE |"),
	barePlace("block", "```\nVALUE\n```"),
	{"tags", true, func(_, value string) any { return map[string]any{"tags": []any{"bot", value, "helper"}} }},
	{"description", true, func(_, value string) any { return map[string]any{"description": "Built with " + value + " inside"} }},
	{"object key", true, func(_, value string) any { return map[string]any{"map": map[string]any{value: 1}} }},
}
