package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// lookAlikeTexts hold something that looks like a key and is none. {h40} and the like are drawn.
var lookAlikeTexts = strings.Split(strings.TrimSpace(`
Fixed in commit <h40> last week.
Merge commit <h7> into main
git checkout <h40>
https://github.com/example/bot/commit/<h40>
https://github.com/example/bot/blob/<h40>/README.md#L10-L20
uses: actions/checkout@<h40> # v4.1.7
commit: <h40>
"commit": "<h40>",
revision = "<h40>"
rev: <h40>
sha: <h40>
tree <h40>
sha256: <h64>
"sha256": "<h64>"
SHA-256 checksum: <h64>
<h64>  stoa_linux_amd64.tar.gz
md5: <h32>
MD5 (file.zip) = <h32>
"md5": "<h32>"
etag: "<h32>"
ETag: W/"<h32>"
checksum = "<h64>"
digest: sha256:<h64>
image: ghcr.io/example/bot@sha256:<h64>
FROM node:22-alpine@sha256:<h64>
"integrity": "sha512-<b86>=="
integrity="sha384-<b64>"
h1:<b43>=
github.com/example/lib v1.2.3 h1:<b43>=
"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#<h40>"
checksum: 10c0/<h128>
hash: <h64>
content hash <h64>
"id": "<uuid>"
id: <uuid>
conversation_id: <uuid>
"conversation_id": "<uuid>"
request_id=<uuid>
"requestId": "<uuid>",
trace_id: <h32>
"traceId": "<h32>", "spanId": "<h16>"
span_id=<h16>
X-Request-Id: <uuid>
correlation id <uuid>
user id <uuid> was not found
uuid: <uuid>
The session <uuid> ended at noon.
guid = <uuid>
Key files: /var/lib/docker/overlay2/<h64>/merged
container <h12> exited with code 1
container <h64>
pod/api-7d9f8b6c5d-<l5> is running
task arn:aws:ecs:eu-west-1:123456789012:task/main/<h32>
arn:aws:iam::123456789012:role/deploy-role
s3://my-bucket/releases/<h40>/app.zip
model: gpt-4o-2024-08-06
model: claude-3-5-sonnet-20241022
"model": "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"
model: meta-llama/Llama-3.3-70B-Instruct-Turbo
model = "qwen2.5-coder-32b-instruct-q4_K_M.gguf"
"model": "models/text-embedding-004"
"embedding_model": "BAAI/bge-large-zh-v1.5"
stable-diffusion-xl-base-1.0 with sd_xl_base_1.0_0.9vae.safetensors
"voice": "zh-CN-XiaoxiaoMultilingualNeural"
"voice_id": "<a20>"
version: 1.24.3-rc.2+build.<d4>
"version": "2024.11.22-<h7>"
v0.0.0-20241122101530-<h12>
python-3.12.7-h2ad013b_0_cpython
numpy==2.1.3
tag: v4.25.1
call me at +49 30 901820 or +1-202-555-0147
tel: 13800138000
phone: +86 138 0013 8000
QQ: 123456789, group 987654321
order number 2024-11-22-000123456789
ISBN 978-3-16-148410-0
DOI: 10.1145/3292500.3330701
arXiv:2310.06825v1
IBAN DE89 3704 0044 0532 0130 00
chat_id: -1001234567890
"channel": "123456789012345678"
guild 123456789012345678 and role 987654321098765432
![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA<b120>)
<img src="data:image/svg+xml;base64,PHN2ZyB4bWxucz0i<b100>=">
src: url(data:font/woff2;base64,d09GMgABAAAAA<b200>)
api_key: YOUR_API_KEY
api_key: your-api-key-here
API_KEY=<your key>
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx
OPENAI_API_KEY=sk-...
"api_key": "sk-your-key-here"
export TOKEN="$(cat token.txt)"
token: ${BOT_TOKEN}
token: ${{ secrets.GITHUB_TOKEN }}
password: {{ .Values.password }}
"password": "********"
api_key = os.getenv("OPENAI_API_KEY")
apiKey: process.env.OPENAI_API_KEY
const token = await getToken(user);
password = input("Password: ")
token = response.json()["access_token"]
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer $OPENAI_API_KEY"
max_tokens: 4096
"max_tokens": 8192, "top_p": 0.9
tokens per second: 45.2
The token limit is 128000.
password must have 12 characters and 1 digit
Passwords are hashed with argon2id.
The API key is stored in the keychain.
Your API key is shown once; copy it.
Never write the password into the prompt.
The key is that each step builds on the last.
Key: C# minor, tempo 120
primary key: user_id
foreign_key: orders.customer_id
"key": "conversation_history"
key: value
cache key: user:42:profile
press Ctrl+Shift+P to open
secret: the butler did it
The secret ingredient is 2 tbsp of soy sauce.
密码长度为8到16位
请输入密码
令牌上限是4096
APIキーは設定画面で入力してください
パスワードは8文字以上です
トークン数は4096です
Das Passwort ist zu kurz
La clave es la paciencia
Le mot de passe est requis
La clé est dans le titre
A chave é a prática
La chiave è la pratica
El token es válido por 24 horas
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA<b43> bot@host
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ<b200> me@example.com
-----BEGIN CERTIFICATE-----\nMIID<b60>\n-----END CERTIFICATE-----
-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq<b60>\n-----END PUBLIC KEY-----
age1<z58>
fingerprint SHA256:<b43>
public_key: <b43>=
"publicKey": "<h64>"
GPG key ID 0x<H16>
wallet 0x<h40>
contract 0x<h40> on mainnet
bc1q<l38>
tx 0x<h64>
ipfs://Qm<a44>
https://www.youtube.com/watch?v=<w11>
https://docs.google.com/document/d/<w44>/edit
https://www.notion.so/Team-Handbook-<h32>
https://arxiv.org/abs/2310.06825
https://huggingface.co/meta-llama/Llama-3.1-8B
https://example.com/posts/2024/11/how-to-use-api-keys-safely
https://cdn.example.com/assets/main.<h8>.js
https://cdn.example.com/assets/index-<w8>.css
main.<h20>.chunk.js
/assets/logo-<h8>.svg
https://example.com/search?q=token&page=2&sort=key
https://user@example.com/repo.git
git@github.com:example/bot.git
ws://localhost:8080/ws
http://127.0.0.1:7890
redis://localhost:6379/0
postgres://localhost:5432/bot
sqlite:///data/bot.db
mailto:bot@example.com
MAC 00:1a:2b:3c:4d:5e
IPv6 2001:db8:85a3::8a2e:370:7334
color: #1a2b3c; background: #ffeedd80
0x7ffee4b5c6d8 in main () at src/main.c:42
[2024-11-22T10:00:01.123Z] INFO request took 12ms
2024-11-22 10:00:01,123 [main] DEBUG id=<d12>
build 20241122.3 (<h8>)
serial number <u12>
license: Apache-2.0
SPDX-License-Identifier: MIT
const STORAGE_KEY = 'settings_v2';
localStorage.getItem("theme-mode-2024")
sk-learn-style estimators and sk-image-0.24 pipelines
risk_assessment_framework_2024_q3_final_version
test_user_login_with_expired_token_returns_401
live_streaming_platform_comparison_table_2024
api_v2_users_list_endpoint_response_schema
pat_riarchal societies and key_note speakers
access-control-allow-origin: https://example.com
auth-service-7d9f8b6c5d-<l5>
secret-santa-organizer-2024-edition
prod-eu-west-1-cluster-2-node-17
token-bucket-rate-limiter-implementation-v2
key-value-store-benchmark-results-2024-11
base64 of hello world: aGVsbG8gd29ybGQgdGhpcyBpcyBhIGdyZWV0aW5n
the text "<text64>" in base64
eyJ is how a JSON object begins in base64
ULID 01<u24>
nanoid: <w21>
"_id": "<h24>"
objectId: <h24>
"firebase": {"projectId": "my-app-1234", "messagingSenderId": "<d12>"}
pk_live_<a24> is a publishable key
"$schema": "https://json-schema.org/draft/2020-12/schema"
"stop": ["<|im_end|>", "</s>"]
seed: <d10>
"seed": <d9>, "steps": 30
temperature=0.7, seed=42, sampler=DPM++ 2M Karras
lora:<l8>_v2:0.8
![](https://i.imgur.com/<a7>.png)
https://avatars.githubusercontent.com/u/12345678?v=4
https://cdn.discordapp.com/emojis/<d18>.png
<:smile:123456789012345678>
$2 for 10, $5 for 30
pin: 4 of 16 GPIO pins
auth: none
auth_type: oauth2
session_timeout: 3600
Session 3: Monday 10:00 in room B12
ticket: ABC-1234
signature: def f(x1, y2) -> int
`), "\n")

// aLikePlaces are where they stand.
var aLikePlaces = []string{"%s", "See this:\n%s\nand go on.", "- %s\n- next", "```\n%s\n```", "| note | %s |"}

// TestLookAlikeTexts counts what is masked and is no secret.
func TestLookAlikeTexts(t *testing.T) {
	e := New()
	kinds := newTally()
	for i, format := range lookAlikeTexts {
		for p, place := range aLikePlaces {
			for seed := range matrixSeeds() {
				r := rand.New(rand.NewPCG(uint64(i), seed*16+uint64(p)))
				pattern := strings.ReplaceAll(format, `\n`, "\n")
				for _, angle := range []string{"<your key>", "<token>", "<|im_end|>", "</s>", "<:smile", "<img"} {
					pattern = strings.ReplaceAll(pattern, angle, strings.ReplaceAll(angle, "<", "\x00"))
				}
				pattern = strings.ReplaceAll(pattern, "<text64>", base64.StdEncoding.EncodeToString([]byte("The garden was quiet that morning, and nobody spoke.")))
				text := fmt.Sprintf(place, strings.ReplaceAll(keyKind{pattern: pattern}.draw(r).text, "\x00", "<"))
				result, err := e.Sections(map[string]any{"notes": map[string]any{"prompt": text}}, Options{})
				if err != nil {
					t.Fatal(err)
				}
				kinds.count(format, len(result.Masked) == 0, fmt.Sprint(result.Sections))
			}
		}
	}
	share, left, all := kinds.share()
	t.Logf("%d look-alikes: %d of %d left alone (%.2f %% masked)", len(lookAlikeTexts), left, all, 100*(1-share))
	kinds.worst(t.Logf, 40)
	if 1-share > 0.005 {
		t.Errorf("%.2f %% are masked", 100*(1-share))
	}
}
