package redact

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"

	"stoa/internal/market/redact/detect"
)

// sample is a drawn key. Its pieces are what was drawn: none of them may be left.
type drawn struct {
	text   string
	pieces []string
}

// keyKind is a sort of key: a pattern in which <a20> stands for twenty drawn characters of the alphabet a.
type keyKind struct {
	name    string
	pattern string
	shaped  bool // a person who knows the vendor recognises it without a name beside it
}

// The alphabets of patterns.
var matrixAlphabets = map[byte]string{
	'd': detect.Digits, 'h': detect.HexLower, 'H': detect.Digits + "ABCDEF", 'l': detect.Digits + detect.Lowers, 'u': detect.Digits + detect.Uppers, 'a': detect.Alnums, 'w': detect.URLSafe,
	'b': detect.Alnums + "+/", 'L': detect.Lowers, 'U': detect.Uppers, 'A': detect.Lowers + detect.Uppers, '2': detect.Uppers + "234567", '5': detect.Base58s, 'z': detect.Lowers + "234567", 'y': "023456789acdefghjklmnpqrstuvwxyz",
}

// draw makes a key of a kind.
func (k keyKind) draw(r *rand.Rand) drawn {
	var d drawn
	var b strings.Builder
	rest := k.pattern
	for {
		open := strings.IndexByte(rest, '<')
		if open < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:open])
		shut := open + strings.IndexByte(rest[open:], '>')
		code := rest[open+1 : shut]
		rest = rest[shut+1:]
		piece := ""
		switch code {
		case "uuid":
			id := []byte(draw(r, detect.HexLower, 32))
			id[12], id[16] = '4', "89ab"[id[16]&3]
			piece = string(id[:8]) + "-" + string(id[8:12]) + "-" + string(id[12:16]) + "-" + string(id[16:20]) + "-" + string(id[20:])
		case "jwt":
			piece = jwtOf(r)
		case "pem":
			piece = strings.ReplaceAll(strings.TrimPrefix(pemOf(r), "-----BEGIN "), "\n", `\n`)
		case "id64":
			piece = base64.RawURLEncoding.EncodeToString([]byte("1" + draw(r, detect.Digits, 18)))
		case "login64":
			piece = base64.StdEncoding.EncodeToString([]byte("bot:" + drawMixed(r, detect.Alnums, 18)))
		default:
			n, _ := strconv.Atoi(code[1:])
			alphabet := matrixAlphabets[code[0]]
			for piece = draw(r, alphabet, n); n >= 12 && !detect.Mixed(piece) && strings.ContainsAny(alphabet, detect.Digits) && strings.ContainsAny(alphabet, detect.Lowers+detect.Uppers); {
				piece = draw(r, alphabet, n)
			}
		}
		b.WriteString(piece)
		if len(piece) >= 8 {
			d.pieces = append(d.pieces, piece)
		}
	}
	d.text = b.String()
	return d
}

// left reports whether a part of a key that was drawn stands in an output, as it is, in hexadecimal or in base64.
func (d drawn) left(output string) bool {
	for _, p := range d.pieces {
		n := min(len(p), 10)
		for _, from := range []int{0, (len(p) - n) / 2, len(p) - n} {
			if part := p[from : from+n]; strings.Contains(output, part) || strings.Contains(output, hex.EncodeToString([]byte(part))) {
				return true
			}
		}
		for shift := range 3 {
			coded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", shift) + p))
			if from := (shift*8 + 5) / 6; len(coded) >= from+16 && strings.Contains(output, coded[from:from+12]) {
				return true
			}
		}
	}
	return false
}

// matrixKinds are the formats of keys: 250 vendors' own. They are facts of the vendors' documentation, of the rule
// files of gitleaks 8 and of Betterleaks (config/betterleaks.toml, commit 001955c2), of GitHub's list of partner patterns and of
// what members of bot platforms use; the table is ours.
var matrixKinds = []keyKind{
	// model providers
	{"openai legacy", "sk-<a20>T3BlbkFJ<a20>", true},
	{"openai project", "sk-proj-<w74>T3BlbkFJ<w74>", true},
	{"openai service", "sk-svcacct-<w58>T3BlbkFJ<w58>", true},
	{"openai admin", "sk-admin-<w58>T3BlbkFJ<w58>", true},
	{"openai session", "sess-<a40>", true},
	{"anthropic", "sk-ant-api03-<w93>AA", true},
	{"anthropic admin", "sk-ant-admin01-<w93>AA", true},
	{"anthropic oauth", "sk-ant-oat01-<w86>", true},
	{"deepseek", "sk-<h32>", true},
	{"moonshot", "sk-<a48>", true},
	{"siliconflow", "sk-<L48>", true},
	{"minimax", "sk-api-<w119>", true},
	{"openrouter", "sk-or-v1-<h64>", true},
	{"stability", "sk-<a48>", true},
	{"langfuse secret", "sk-lf-<uuid>", true},
	{"litellm virtual", "sk-<w22>", true},
	{"helicone", "sk-helicone-<l7>-<l7>-<l7>-<l7>", true},
	{"poe", "<w43>", false},
	{"google", "AIza<w35>", true},
	{"google new", "AQ.Ab8RN6<w44>", true},
	{"groq", "gsk_<a52>", true},
	{"xai", "xai-<a80>", true},
	{"perplexity", "pplx-<a48>", true},
	{"hugging face", "hf_<A34>", true},
	{"hugging face org", "api_org_<A34>", true},
	{"replicate", "r8_<a37>", true},
	{"nvidia", "nvapi-<w64>", true},
	{"cerebras", "csk-<l48>", true},
	{"fireworks", "fw_<a24>", true},
	{"fireworks short", "fw_<a22>", true},
	{"together v1", "tgp_v1_<w43>", true},
	{"together old", "<h64>", false},
	{"mistral", "<a32>", false},
	{"cohere", "<a40>", false},
	{"ai21", "<a32>", false},
	{"sambanova", "<uuid>", false},
	{"jina", "jina_<h32><w28>", true},
	{"voyage", "pa-<w43>", true},
	{"zhipu", "<h32>.<a16>", true},
	{"dashscope", "sk-<h32>", true},
	{"volcengine ak", "AKLT<a44>", true},
	{"volcengine ark", "<uuid>", false},
	{"qianfan", "bce-v3/ALTAK-<a21>/<h40>", true},
	{"tencent id", "AKID<a32>", true},
	{"tencent key", "<a32>", false},
	{"aliyun id", "LTAI<a20>", true},
	{"aliyun secret", "<a30>", false},
	{"baichuan", "sk-<h32>", true},
	{"stepfun", "<a64>", false},
	{"elevenlabs", "sk_<h48>", true},
	{"cartesia", "sk_car_<w21>", true},
	{"deepgram", "<h40>", false},
	{"assemblyai", "<h32>", false},
	{"fal", "<uuid>:<h32>", true},
	{"runpod", "rpa_<u40>", true},
	{"modal id", "ak-<a22>", true},
	{"modal secret", "as-<a22>", true},
	{"baseten", "<a8>.<a32>", true},
	{"anyscale", "esecret_<a27>", true},
	{"lambda", "secret_default_<h32>.<a32>", true},
	{"novita", "sk_<w43>", true},
	{"writer", "<w44>", false},
	{"nomic", "nk-<w43>", true},
	{"unify", "<b43>=", false},
	{"gigachat", "<login64>", false},
	// what agents are built on
	{"tavily", "tvly-<a32>", true},
	{"tavily dev", "tvly-dev-<a32>", true},
	{"exa", "<uuid>", false},
	{"brave search", "BSA<w27>", true},
	{"serpapi", "<h64>", false},
	{"serper", "<h40>", false},
	{"firecrawl", "fc-<h32>", true},
	{"browserbase", "bb_live_<w27>", true},
	{"pinecone", "pcsk_<a5>_<a63>", true},
	{"qdrant", "<w36>|<w58>", false},
	{"weaviate", "<a36>", false},
	{"zilliz", "<h72>", false},
	{"langsmith", "lsv2_pt_<h32>_<h10>", true},
	{"langsmith service", "lsv2_sk_<h32>_<h10>", true},
	{"e2b", "e2b_<h40>", true},
	{"composio", "ak_<w20>", true},
	{"mem0", "m0-<a40>", true},
	{"dify app", "app-<a24>", true},
	{"dify dataset", "dataset-<a24>", true},
	{"fastgpt", "fastgpt-<a44>", true},
	{"ragflow", "ragflow-<a45>", true},
	{"coze", "pat_<a64>", true},
	{"n8n", "n8n_api_<h80>", true},
	{"flowise", "<b43>=", false},
	{"weights and biases", "<h40>", false},
	{"weights and biases new", "wandb_v1_<a60>", true},
	{"comet", "<a25>", false},
	{"cursor", "key_<h64>", true},
	{"greptile", "<a48>", false},
	{"devin", "apk_user_<b140>", true},
	{"devin service", "cog_<z52>", true},
	{"apify", "apify_api_<a36>", true},
	{"smithery", "<uuid>", false},
	{"context7", "ctx7sk-<uuid>", true},
	// clouds and hosts
	{"aws access key", "AKIA<216>", true},
	{"aws temporary key", "ASIA<216>", true},
	{"aws secret key", "<b40>", false},
	{"bedrock long", "ABSK<b109>==", true},
	{"bedrock short", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t<b80>", true},
	{"appsync", "da2-<l26>", true},
	{"azure openai", "<a32>", false},
	{"azure openai new", "<a42>JQQJ99<a10>AAAB<a20>", true},
	{"azure storage", "<b86>==", false},
	{"azure ad secret", "<w3>8Q~<w34>", true},
	{"azure devops", "<a42>AZDO<a4>", false},
	{"google client secret", "GOCSPX-<w28>", true},
	{"google access token", "ya29.<w120>", true},
	{"google refresh token", "1//0<w60>", true},
	{"digitalocean", "dop_v1_<h64>", true},
	{"digitalocean oauth", "doo_v1_<h64>", true},
	{"heroku", "HRKU-AA<w58>", true},
	{"fly", "FlyV1 fm2_<b120>", true},
	{"vercel", "vcp_<a56>", true},
	{"vercel old", "<a24>", false},
	{"netlify", "nfp_<a40>", true},
	{"render", "rnd_<a28>", true},
	{"railway", "<uuid>", false},
	{"deno", "ddp_<a36>", true},
	{"cloudflare new", "cfut_<a40>", true},
	{"cloudflare", "<w40>", false},
	{"cloudflare origin", "v1.0-<h24>-<h146>", true},
	{"supabase token", "sbp_<h40>", true},
	{"supabase secret", "sb_secret_<w31>", true},
	{"neon", "napi_<a64>", true},
	{"planetscale token", "pscale_tkn_<w43>", true},
	{"planetscale password", "pscale_pw_<w43>", true},
	{"planetscale oauth", "pscale_oauth_<w43>", true},
	{"cockroach", "CCDB1_<a22>_<a40>", true},
	{"mongodb atlas", "mdb_sa_sk_<w40>", true},
	{"upstash", "A<b60>=", false},
	{"turso", "<jwt>", true},
	{"aiven", "AVNS_<w19>", true},
	{"clickhouse", "4b1d<a38>", true},
	{"elastic serverless", "essu_<w80>", true},
	{"confluent", "<a64>", false},
	{"databricks", "dapi<h32>", true},
	{"snowflake", "ver:1-hint:<d12>-ETMsDgAAAX<b80>", false},
	{"tailscale", "tskey-auth-<a12>CNTRL-<a32>", true},
	{"doppler", "dp.pt.<a43>", true},
	{"doppler service", "dp.st.prd.<a43>", true},
	{"vault service", "hvs.<w95>", true},
	{"vault batch", "hvb.<w140>", true},
	{"terraform cloud", "<a14>.atlasv1.<w67>", true},
	{"pulumi", "pul-<h40>", true},
	{"1password service", "ops_eyJ<b250>", true},
	{"1password secret", "A3-<u6>-<u11>-<u5>-<u5>-<u5>", true},
	{"infracost", "ico-<a32>", true},
	{"scaleway", "<uuid>", false},
	{"hetzner", "<a64>", false},
	{"linode", "<h64>", false},
	{"vultr", "<u36>", false},
	{"exoscale", "EXO<h24>", true},
	{"upcloud", "ucat_<u26>", true},
	{"yandex", "AQVN<w37>", true},
	{"ibm cloud", "<w44>", false},
	{"endor labs", "endr+<a16>", true},
	// code and builds
	{"github classic", "ghp_<a36>", true},
	{"github fine", "github_pat_<a22>_<a59>", true},
	{"github app", "ghs_<a36>", true},
	{"github oauth", "gho_<a36>", true},
	{"github refresh", "ghr_<a76>", true},
	{"gitlab", "glpat-<w20>", true},
	{"gitlab routable", "glpat-<w27>.01.<l9>", true},
	{"gitlab deploy", "gldt-<w20>", true},
	{"gitlab runner", "glrt-<w20>", true},
	{"gitlab trigger", "glptt-<h40>", true},
	{"gitlab job", "glcbt-64_<w20>", true},
	{"bitbucket app", "ATBB<a32>", true},
	{"atlassian", "ATATT3xFfGF0<w170>=<H8>", true},
	{"npm", "npm_<a36>", true},
	{"pypi", "pypi-AgEIcHlwaS5vcmc<w150>", true},
	{"rubygems", "rubygems_<h48>", true},
	{"crates", "cio<a32>", true},
	{"nuget", "oy2<z43>", true},
	{"clojars", "CLOJARS_<h60>", true},
	{"docker", "dckr_pat_<w27>", true},
	{"docker org", "dckr_oat_<w32>", true},
	{"jfrog", "AKCp<a69>", true},
	{"jfrog reference", "cmVmd<a59>", true},
	{"circleci", "CCIPAT_<a22>_<h40>", true},
	{"buildkite", "bkua_<h40>", true},
	{"sonar", "squ_<h40>", true},
	{"snyk", "<uuid>", false},
	{"sourcegraph", "sgp_<h16>_<h40>", true},
	{"codecov", "<uuid>", false},
	{"postman", "PMAK-<h24>-<h34>", true},
	{"linear", "lin_api_<a40>", true},
	{"notion", "ntn_<d11><a35>", true},
	{"notion old", "secret_<a43>", true},
	{"figma", "figd_<w40>", true},
	{"asana", "2/<d16>/<d16>:<h32>", true},
	{"clickup", "pk_<d8>_<u32>", true},
	{"trello", "ATTA<h72>", true},
	{"monday", "<jwt>", true},
	{"airtable", "pat<a14>.<h64>", true},
	{"airtable old", "keyA<a13>", true},
	{"coda", "<uuid>", false},
	{"readme", "rdme_<l70>", true},
	{"configcat", "configcat-sdk-1/<w22>/<w22>", true},
	{"launchdarkly", "sdk-<uuid>", true},
	{"prefect", "pnu_<a36>", true},
	{"typeform", "tfp_<w44>_<a14>", true},
	{"contentful", "CFPAT-<w43>", true},
	{"octopus", "API-<u26>", true},
	{"canva", "cnvca<w51>", true},
	{"harness", "pat.<w22>.<h24>.<a20>", true},
	// messengers and notifications
	{"slack bot", "xoxb-<d12>-<d13>-<a24>", true},
	{"slack user", "xoxp-<d12>-<d12>-<d13>-<h32>", true},
	{"slack app", "xapp-1-A<u10>-<d13>-<h64>", true},
	{"slack cookie", "xoxd-<a40>%2B<a40>%3D", true},
	{"slack webhook", "https://hooks.slack.com/services/T<u10>/B<u10>/<a24>", true},
	{"discord bot", "<id64>.<w6>.<w38>", true},
	{"discord webhook", "https://discord.com/api/webhooks/<d18>/<w68>", true},
	{"telegram", "<d10>:AA<w33>", true},
	{"matrix", "syt_<b16>_<A20>_<a6>", true},
	{"mattermost", "<l26>", false},
	{"feishu webhook", "https://open.feishu.cn/open-apis/bot/v2/hook/<uuid>", true},
	{"feishu app secret", "<a32>", false},
	{"dingtalk sign", "SEC<h64>", true},
	{"dingtalk webhook", "https://oapi.dingtalk.com/robot/send?access_token=<h64>", true},
	{"wecom webhook", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<uuid>", true},
	{"wecom secret", "<w43>", false},
	{"wecom aes", "<a43>", false},
	{"qq bot secret", "<a32>", false},
	{"onebot token", "<a16>", false},
	{"kook", "1/MT<d1>yMzQ=/<b22>==", true},
	{"line token", "<b168>/1O/w1cDnyilFU=", true},
	{"line secret", "<h32>", false},
	{"serverchan", "SCT<d6>T<a28>", true},
	{"serverchan3", "sctp<d4>t<l28>", true},
	{"bark", "https://api.day.app/<a22>", true},
	{"pushplus", "<h32>", false},
	{"ntfy", "tk_<y29>", true},
	{"pushbullet", "o.<a32>", true},
	{"wxpusher", "AT_<a32>", true},
	{"teams webhook", "https://contoso.webhook.office.com/webhookb2/<uuid>@<uuid>/IncomingWebhook/<h32>/<uuid>", true},
	{"twilio sid key", "SK<h32>", true},
	{"twilio auth", "<h32>", false},
	{"vonage", "<a16>", false},
	{"facebook", "EAAC<a160>", true},
	{"instagram", "IGAA<w140>", true},
	{"twitter bearer", "AAAAAAAAAAAAAAAAAAAAA<a40>%3D<a40>", true},
	{"bilibili", "<h8>%2C17<d8>%2C<h5>*<l2>", true},
	{"vk", "vk1.a.<w85>", true},
	{"twitch", "oauth:<l30>", true},
	{"misskey", "<a32>", false},
	{"mastodon", "<w43>", false},
	// mail, money, shops, measuring
	{"sendgrid", "SG.<w22>.<w43>", true},
	{"mailgun", "key-<h32>", true},
	{"mailgun new", "<h32>-<h8>-<h8>", true},
	{"mailchimp", "<h32>-us<d2>", true},
	{"resend", "re_<a8>_<a24>", true},
	{"brevo", "xkeysib-<h64>-<a16>", true},
	{"postmark", "<uuid>", false},
	{"webhook signing", "whsec_<b32>", true},
	{"stripe live", "sk_live_<a24>", true},
	{"stripe restricted", "rk_live_<a99>", true},
	{"stripe test", "sk_test_<a24>", true},
	{"square", "sq0atp-<w22>", true},
	{"shopify", "shpat_<h32>", true},
	{"razorpay", "rzp_live_<a14>", true},
	{"plaid", "access-production-<uuid>", true},
	{"duffel", "duffel_live_<w43>", true},
	{"easypost", "EZAK<a54>", true},
	{"shippo", "shippo_live_<h40>", true},
	{"hubspot", "pat-na1-<uuid>", true},
	{"datadog", "<h32>", false},
	{"new relic", "NRAK-<u27>", true},
	{"grafana service", "glsa_<a32>_<h8>", true},
	{"grafana cloud", "glc_<b80>=", true},
	{"posthog personal", "phx_<a43>", true},
	{"sentry org", "sntrys_eyJpYXQiO<b80>LCJyZWdpb25fdXJs<b40>_<b43>", true},
	{"sentry user", "sntryu_<h64>", true},
	{"honeycomb", "hcaik_<a58>", true},
	{"dynatrace", "dt0c01.<u24>.<u64>", true},
	{"mapbox secret", "sk.eyJ1Ijoi<w60>.<w22>", true},
	{"dropbox", "sl.B<w134>", true},
	{"maxmind", "<a6>_<a29>_mmk", true},
	{"adafruit", "aio_<a28>", true},
	{"rapidapi", "<l10>msh<h15>p1<h6>jsn<h12>", false},
	// forms of their own
	{"jwt", "<jwt>", true},
	{"private key", "-----BEGIN <pem>", true},
	{"age identity", "AGE-SECRET-KEY-1<u58>", true},
	{"nostr", "nsec1<y58>", true},
	{"bcrypt", "$2b$12$<a53>", true},
	{"argon2", "$argon2id$v=19$m=65536,t=3,p=4$<b22>$<b43>", true},
	{"postgres address", "postgres://bot:<a16>@db.example.net:5432/bot", true},
	{"redis address", "redis://:<a16>@cache.example.net:6379/0", true},
	{"proxy address", "http://user:<a14>@10.0.0.2:7890", true},
}
