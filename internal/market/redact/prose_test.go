package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Secrets as people write them into prompts and notes. SECRET is drawn when the test runs.
var saidInProse = []string{
	"My password for the mail account is SECRET!", "password: SECRET", "Password (admin): SECRET", "**Password:** `SECRET`", "the passphrase is SECRET.",
	"密码是SECRET。", "管理员密码：SECRET，请勿外传", "密码 SECRET", "口令为 SECRET", "API密钥=SECRET", "パスワードは「SECRET」です。", "パスワードはSECRETです", "トークン: SECRET", "비밀번호: SECRET",
	"api key = SECRET", "The bot token is \"SECRET\"", "OPENAI_API_KEY=SECRET", "export BOT_PASSWORD='SECRET'", "run it with --token SECRET --port 1", "--api-key=SECRET", "X-Api-Key: SECRET",
	"Authorization: Bearer SECRET", "Authorization: token SECRET", "use Bearer SECRET here", "curl -u bot:SECRET https://example.com", "https://bot:SECRET@example.com/x", "https://example.com/x?token=SECRET",
	"https://example.com/cb#access_token=SECRET&x=1", "bot:SECRET@tcp(10.0.0.2:3306)/x", "socks5://u:SECRET@10.0.0.2:1080", "proxy is u:SECRET@10.0.0.2:1080", "login(user='a', password='SECRET')",
	"<add key=\"password\" value=\"SECRET\"/>", "- name: DB_PASSWORD\n  value: SECRET", "Server=db;User Id=sa;Password=SECRET;", "{\\\"client_secret\\\": \\\"SECRET\\\"}", "secrets:\n  - SECRET\n  - other", "client_secret => SECRET",
	"SESSDATA=SECRET; bili_jct=SECRET", "CREATE USER bot IDENTIFIED BY 'SECRET';", "ALTER USER bot IDENTIFIED WITH mysql_native_password BY 'SECRET';",
	"CREATE ROLE bot LOGIN PASSWORD 'SECRET';", "ALTER USER bot WITH ENCRYPTED PASSWORD 'SECRET'", "requirepass SECRET", "echo SECRET | sudo -S apt update", "echo 'SECRET' | docker login --password-stdin", "git config --global github.token SECRETSECRET",
	"npm config set //registry.npmjs.org/:_authToken SECRETSECRET", "client.login('SECRETSECRET')", "bot.run(\"SECRETSECRET\")", "telebot.TeleBot('SECRETSECRET')", "psk=\"SECRET\"", "nmcli dev wifi connect home password SECRET", "ConvertTo-SecureString 'SECRET' -AsPlainText -Force",
	"aws configure set aws_secret_access_key SECRETSECRET", "rclone config create x webdav pass SECRETSECRET", "mosquitto_pub -u bot -P SECRET", "sftp bot:SECRETSECRET@host", "user bot pass SECRETSECRET", "账号bot密码SECRET", "Cookie: sid=SECRET; theme=dark", "redis-cli -a x --pass SECRET", "\"token\",\"SECRET\"\nkey_name: x\ntoken: SECRET", "appSecret:SECRET", "jwt_secret   =   SECRET", "PASSWORD=SECRET",
	`net use x: \\host\share SECRET /user:bot`, `net use \\host\share /user:dom\bot SECRET`, `net use \\host\share "SECRET" /USER:bot`,
}

// Sentences that speak of secrets and hold none.
var harmlessProse = []string{
	"Password: required", "password: string", "The password must have 12 characters.", "Your API key is stored safely.", "Never share your token with anyone.", "token: int = 4096", "api_key: Optional[str] = None",
	"api_key = os.environ[\"OPENAI_API_KEY\"]", "password = getpass.getpass()", "const token = await getToken(user1)", "secret: the butler did it", "The secret is that there is none.", "密码是什么？", "请输入密码：", "密码长度为8到16位",
	"パスワードは必須です。", "パスワードは8文字以上にしてください", "トークン数は4096です", "The key is patience.", "key: C# minor 7", "Primary key: user_id2", "keywords: seo2024, growth", "tokens: 128000", "max_tokens=4096",
	"session: morning-2024", "Bearer tokens are sent in the header.", "basic authentication2 explained", "Use ${DB_PASSWORD} as the password.", "password: ${DB_PASSWORD}", "--token <TOKEN>", "--token $TOKEN", "sk-learn-style estimators", "risk-assessment-framework-2024",
	"author: ann2024", "pin: the message", "auth: none", "signature: def f(x1, y2)", "The Password Manager Pro 2024 edition is great", "see RFC7519 for jwt: a format", "ticket: ABC-1234", "https://example.com/?page=2&key=name", "https://user@example.com",
	"git@github.com:owner/repo.git", "mailto:bot@example.com:25", "at 10:30@office:2024", "access_token=YOUR_ACCESS_TOKEN", "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "cookie: chocolate chip", "seed: 42",
	"Use the token gpt-4o-mini-2024-07-18 for it.", "Press key F12 or key Ctrl2.", "The token limit is 128k; token 4096 is the last.", "The password 'required' is shown.", "app.run(\"127.0.0.1\", 8080)", "client.run('daily_report_job_2024')", "form.login('email-and-password-form')",
	"echo $PASSWORD | docker login --password-stdin", "sudo -S reads it from standard input", "the secret 'ingredient' is love", "auth oauth2client", "密码gpt4帮助", "ann:hello@home", "CREATE USER bot IDENTIFIED BY '<password>';", `net use x: \\host\share * /user:bot`, `net use x: \\host\share /user:bot /persistent:yes`, `net use x: \\host\share2024 hello`, "net use 2024 of energy", "ALTER USER bot IDENTIFIED BY '${DB_PASSWORD}';",
}

func TestProse(t *testing.T) {
	t.Parallel()
	e := New()
	for i, format := range saidInProse {
		for seed := range seeds() {
			r := rand.New(rand.NewPCG(uint64(i), seed))
			secret := drawMixed(r, alnum, 14)
			text := strings.ReplaceAll(format, "SECRET", secret)
			result, err := e.Sections(map[string]any{"s": map[string]any{"prompt": "Before. " + text + "\nAfter."}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if holds(result.Sections, secret) {
				t.Errorf("left: %s", text)
				break
			}
		}
	}
	for _, text := range harmlessProse {
		result, err := e.Sections(map[string]any{"s": map[string]any{"prompt": "Before. " + text + "\nAfter."}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Masked) > 0 {
			t.Errorf("touched: %s → %s %v", text, asJSON(result.Sections), result.Masked)
		}
	}
}

// Of a text with escapes the secret alone is masked, wherever in it the secret stands.
func TestWhatIsEscapedIsMaskedAlone(t *testing.T) {
	e := New()
	key := "sk-" + "proj-" + drawMixed(rand.New(rand.NewPCG(3, 4)), alnum, 48)
	percent, entities, units := "", "", ""
	for _, r := range key {
		percent += fmt.Sprintf("%%%02X", r)
		entities += fmt.Sprintf("&#%d;", r)
		units += fmt.Sprintf(`\u%04x`, r)
	}
	short := ""
	for _, r := range key {
		short += fmt.Sprintf(`\x%02x`, r)
	}
	for _, form := range []string{percent, entities, units, short} {
		for _, text := range []string{"Send " + form + " along, then wait.", form + " along, then wait.", "Send " + form} {
			result, err := e.Sections(map[string]any{"s": map[string]any{"prompt": text}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := asJSON(result.Sections)
			if strings.Contains(got, form) || strings.Contains(text, "Send ") != strings.Contains(got, "Send ") || strings.Contains(text, "then wait.") != strings.Contains(got, "then wait.") {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
}
