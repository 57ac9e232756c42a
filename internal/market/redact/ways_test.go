package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/market/redact/detect"
)

// waysToLeaveOne are ways in which people leave a secret in a prompt, a note or a file of settings, each with a twin that speaks of the
// same and holds none. PLAIN is a password that a person made up, DRAWN one that was drawn, USERPASS one in base64 with its user.
var waysToLeaveOne = []struct{ left, twin string }{
	// what a shell is told
	{"kinit bot@EXAMPLE.ORG <<< 'PLAIN'", "kinit bot@EXAMPLE.ORG <<< \"$PASSWORD\""},
	{"kinit bot <<< PLAIN", "kinit bot < /run/secrets/keytab"},
	{"su - deploy <<< 'PLAIN'", "su - deploy <<< \"$(cat /run/secrets/deploy)\""},
	{"sudo -S systemctl restart bot <<< PLAIN", "sudo -S systemctl restart bot <<< $PW"},
	{"passwd bot <<< $'PLAIN\\nPLAIN'", "passwd bot <<EOF"},
	{"echo 'bot:PLAIN' | chpasswd", "echo 'bot:'$PW | chpasswd"},
	{"docker login ghcr.io -u bot --password-stdin <<< 'DRAWN'", "docker login ghcr.io -u bot --password-stdin <<< \"$CR_PAT\""},
	{"gh auth login --with-token <<< DRAWN", "gh auth login --with-token < token.txt"},
	{"cryptsetup open /dev/sdb1 data <<< 'PLAIN'", "cryptsetup open /dev/sdb1 data --key-file /root/key"},
	{"printf 'PLAIN' | cryptsetup luksOpen /dev/sdb1 data -", "printf 'hello' | grep hello"},
	{"smbclient //nas/share -U bot%PLAIN", "smbclient //nas/share -U bot"},
	{"ansible-playbook site.yml -e ansible_become_pass=PLAIN", "ansible-playbook site.yml -e ansible_become_pass={{ vault_pass }}"},
	{"mount -t cifs //nas/x /mnt -o username=bot,password=PLAIN", "mount -t cifs //nas/x /mnt -o credentials=/root/.smb"},
	{"curl -H 'Cookie: session=DRAWN; theme=dark' https://example.org", "curl -H 'Cookie: theme=dark; lang=en' https://example.org"},
	{"curl -b 'auth_session=DRAWN' https://example.org", "curl -b cookies.txt https://example.org"},
	{"curl -H \"PRIVATE-TOKEN: DRAWN\" https://gitlab.example.org/api/v4/projects", "curl -H \"PRIVATE-TOKEN: $TOKEN\" https://gitlab.example.org/api/v4/projects"},
	{"psql \"host=db user=bot password=PLAIN sslmode=require\"", "psql \"host=db user=bot passfile=/root/.pgpass sslmode=require\""},
	{"PGPASSWORD=PLAIN psql -h db -U bot", "PGPASSWORD=$DB_PASSWORD psql -h db -U bot"},
	{"mc alias set store https://s3.example.org bot DRAWN", "mc alias list store"},
	{"expect -c 'spawn ssh bot@host; expect \"password:\"; send \"PLAIN\\r\"; interact'", "expect -c 'spawn ssh bot@host; expect \"password:\"; send \"$env(PW)\\r\"; interact'"},
	// how people write a sign-in down
	{"login: bot / PLAIN", "login: bot / admin"},
	{"Login: bot@example.org / PLAIN", "Login: bot@example.org / Logout"},
	{"Credentials: bot / PLAIN", "Credentials: user / password"},
	{"user/pass: bot/PLAIN", "user/pass: see the vault"},
	{"username & password: bot PLAIN", "username & password: required"},
	{"Zugangsdaten: bot / PLAIN", "Zugangsdaten: beim Betreiber erfragen"},
	{"账号/密码：bot/PLAIN", "账号/密码：请向管理员申请"},
	{"账号 bot，密码 PLAIN", "账号 bot，密码 请自行设置"},
	{"用户名bot密码是PLAIN", "用户名和密码是必填的"},
	{"ID/パスワード：bot/PLAIN", "ID/パスワード：管理者に聞く"},
	{"パスワードは PLAIN にしました", "パスワードは 8文字以上 にしました"},
	{"ログイン：bot / PLAIN", "ログイン：bot / ログアウト"},
	{"아이디/비밀번호: bot / PLAIN", "아이디/비밀번호: 필수"},
	{"the admin panel takes admin and PLAIN as the password", "the admin panel takes admin and anything as the password"},
	{"ssh in with bot:PLAIN", "ssh in with bot:latest"},
	{"sign in as bot with password PLAIN", "sign in as bot with password manager"},
	{"WiFi 密码 PLAIN", "WiFi 密码 在前台"},
	{"我的密钥是DRAWN，不要告诉别人", "我的密钥是保密的，不要告诉别人"},
	{"APIキーは「DRAWN」を使ってください", "APIキーは「設定」画面で作ってください"},
	{"接続文字列: Server=db;Database=x;Uid=bot;Pwd=PLAIN;", "接続文字列: Server=db;Database=x;Integrated Security=true;"},
	// files of settings
	{"machine example.org\n  login bot\n  password PLAIN\n", "machine example.org\n  login bot\n"},
	{"{\"auths\":{\"ghcr.io\":{\"auth\":\"USERPASS\"}}}", "{\"auths\":{\"ghcr.io\":{}},\"credsStore\":\"pass\"}"},
	{"users:\n- name: bot\n  user:\n    token: DRAWN\n", "users:\n- name: bot\n  user:\n    tokenFile: /var/run/token\n"},
	{"users:\n- name: bot\n  user:\n    client-key-data: LONG\n", "users:\n- name: bot\n  user:\n    client-key: /etc/bot/client.key\n"},
	{"db_password = \"PLAIN\"\nregion = \"eu\"", "db_password = var.db_password\nregion = \"eu\""},
	{"variable \"db_password\" {\n  default = \"PLAIN\"\n}", "variable \"db_password\" {\n  sensitive = true\n  type = string\n}"},
	{"Host bastion\n  User bot\n  # password: PLAIN\n", "Host bastion\n  User bot\n  IdentityFile ~/.ssh/id_ed25519\n"},
	{"//npm.example.org/:_auth=USERPASS", "//npm.example.org/:always-auth=true"},
	{"[credentials]\nusername = bot\npassword = PLAIN\n", "[credentials]\nhelper = store\n"},
	{"spring.datasource.password=PLAIN", "spring.datasource.password=${DB_PASSWORD}"},
	{"<server><id>nexus</id><username>bot</username><password>PLAIN</password></server>", "<server><id>nexus</id><privateKey>~/.ssh/id</privateKey></server>"},
	{"https://oauth2:DRAWN@gitlab.example.org/a/b.git", "https://gitlab.example.org/a/b.git"},
	{"amqps://bot:PLAIN@mq.example.org/vhost", "amqps://mq.example.org/vhost"},
	{"mongodb+srv://bot:PLAIN@cluster0.ab1cd.mongodb.net/?retryWrites=true", "mongodb+srv://cluster0.ab1cd.mongodb.net/?retryWrites=true"},
	{"redis://:PLAIN@cache:6379/0", "redis://cache:6379/0"},
	{"DefaultEndpointsProtocol=https;AccountName=bot;AccountKey=LONG==;EndpointSuffix=core.windows.net", "DefaultEndpointsProtocol=https;AccountName=bot;EndpointSuffix=core.windows.net"},
	{"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=LONG=", "Endpoint=sb://x.servicebus.windows.net/;Authentication=Managed Identity"},
	{"https://x.blob.core.windows.net/c?sv=2024-08-04&sig=DRAWNDRAWN%3D&se=2027-01-01", "https://x.blob.core.windows.net/c?comp=list&restype=container"},
	{"https://hooks.slack.com/triggers/T0123ABCD/123456789012/HEXHEX", "https://hooks.slack.com/docs/incoming"},
	{"https://discord.com/api/webhooks/123456789012345678/LONG", "https://discord.com/api/webhooks/docs"},
	{"https://open.feishu.cn/open-apis/bot/v2/hook/UUID", "https://open.feishu.cn/document/client-docs/bot-v3"},
	{"https://oapi.dingtalk.com/robot/send?access_token=HEXHEX", "https://oapi.dingtalk.com/robot/send"},
	{"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=UUID", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send"},
	{"age1 is my recipient, the other half is AGE-SECRET-KEY-1BECH", "age1 is my recipient, the other half is at home"},
	{"Cookie: __Secure-next-auth.session-token=DRAWNDRAWN; a=b", "Cookie: a=b; theme=dark"},
	{"document.cookie = 'connect.sid=s%3ADRAWN.DRAWNDRAWN'", "document.cookie = 'theme=dark'"},
	{"otpauth://totp/x:bot?secret=BASE32&issuer=x", "otpauth://totp/x:bot?issuer=x&period=30"},
	{"2FA backup codes: 1234-5678 ABCD-7788, main secret BASE32", "2FA backup codes: keep them in the safe"},
	{"ssh -i key.pem bot@host  # passphrase PLAIN", "ssh -i key.pem bot@host  # passphrase in the vault"},
	{"SNOWFLAKE_PASSWORD: PLAIN", "SNOWFLAKE_ACCOUNT: ab12345.eu-west-1"},
	// what a name is of, between it and its value; the value in brackets right behind the name
	{"访问令牌（测试环境）：LONG", "访问令牌（测试环境）：暂无"},
	{"密码（管理员）：PLAIN", "密码（管理员）：另行通知"},
	{"アクセストークン（検証用）：DRAWN", "アクセストークン（検証用）：未発行"},
	{"パスワード（社内）は PLAIN です", "パスワード（社内）は 別途連絡 です"},
	{"APIキー「DRAWN」を設定してください", "APIキー「本番用」を設定してください"},
	{"把密钥“DRAWN”填进去", "把密钥“主密钥”填进去"},
	{"トークン『LONG』を渡す", "トークン『test-2026』を渡す"},
	// the same causes in other words
	{"kinit bot <<EOF\nPLAIN\nEOF", "kinit bot <<EOF\n$PASSWORD\nEOF"},
	{"chpasswd <<< 'bot:PLAIN'", "chpasswd <<< \"bot:$PW\""},
	{"Login bot / PLAIN", "Login page / dashboard"},
	{"accounts:\n- bot / PLAIN\n- eve / PLAIN", "accounts:\n- bot / reader\n- eve / writer"},
	{"登录：bot / PLAIN", "登录：首页 / 退出"},
	{"IDはbot、パスはPLAINです", "IDはbot、パスは後で送ります"},
	{"パスワードをPLAINに変えたよ", "パスワードを忘れたら再設定してください"},
	{"新しいパスワード→PLAIN", "新しいパスワード→メールで届きます"},
	{"密码改成PLAIN了", "密码改成功了"},
	{"把管理员密码设为PLAIN", "把管理员密码设为空"},
	{"用PLAIN登录后台", "用手机登录后台"},
	{"登录口令：PLAIN", "登录口令：请联系管理员"},
	{"비번은 PLAIN 입니다", "비번은 관리자에게 물어보세요"},
	{"use PLAIN to log in", "use it to log in"},
	{"unlock the vault with PLAIN", "unlock the vault with touch"},
	{"The root pw: PLAIN (change it)", "The root pw: see below (change it)"},
	{"mot de passe : PLAIN", "mot de passe : obligatoire"},
	{"la contraseña es PLAIN", "la contraseña es obligatoria"},
	{"пароль от почты PLAIN", "пароль от почты обязателен"},
	{"bot@nas's password is PLAIN", "bot@nas's password is unknown"},
	{"Set-Cookie: auth=DRAWN; Path=/; HttpOnly", "Set-Cookie: lang=en; theme=dark"},
	{"AUTH_HEADER='Basic USERPASS'", "AUTH_HEADER='Basic'"},
	{"headers = {'X-Auth': 'DRAWN'}", "headers = {'X-Request-Id': 'abc'}"},
	{"secretKeyRef is not used; value: DRAWN # api token", "secretKeyRef: { name: bot, key: token }"},
	{"AGE_KEY=AGE-SECRET-KEY-1BECH", "AGE_KEY_FILE=/etc/age/key.txt"},
	{"gpg --batch --passphrase PLAIN -d x.gpg", "gpg --batch --passphrase-file /root/p -d x.gpg"},
	{"restic -r s3:x --password-command 'echo PLAIN' backup", "restic -r s3:x --password-file /root/p backup"},
	{"winrm -u bot -p PLAIN", "winrm -u bot -p 5985"},
	{"git clone https://bot:DRAWN@github.com/a/b", "git clone https://github.com/a/b"},
	{"TOTP seed is BASE32", "TOTP seed is shown once"},
	{"VITE_SUPABASE_SERVICE_ROLE: DRAWNDRAWN", "VITE_SUPABASE_URL: https://abc.supabase.co"},
}

func drawWay(format string, r *rand.Rand) (text string, secrets []string) {
	text = format
	sub := func(name, value string, parts ...string) {
		if strings.Contains(text, name) {
			text = strings.ReplaceAll(text, name, value)
			secrets = append(append(secrets, value), parts...)
		}
	}
	words := []string{"Sunflower", "Garnet", "Willow", "Harbour", "Pepper", "Saturn"}
	plain := words[r.IntN(len(words))] + words[r.IntN(len(words))] + draw(r, detect.Digits, 3) + "!"
	sub("BASE32", draw(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32))
	sub("USERPASS", base64.StdEncoding.EncodeToString([]byte("bot:"+plain)))
	sub("AGE-SECRET-KEY-1BECH", "AGE-SECRET-KEY-1"+draw(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))
	sub("PLAIN", plain)
	sub("DRAWN", drawMixed(r, alnum, 24))
	sub("LONG", drawMixed(r, alnum+"+/", 86))
	sub("HEXHEX", draw(r, detect.HexLower, 32))
	id := draw(r, detect.HexLower, 8) + "-" + draw(r, detect.HexLower, 4) + "-4" + draw(r, detect.HexLower, 3) + "-a" + draw(r, detect.HexLower, 3) + "-" + draw(r, detect.HexLower, 12)
	sub("UUID", id)
	return text, secrets
}

// Of the ways above all are masked, as a line of a prompt and as a file of its own; of their twins none is touched.
func TestWaysToLeaveASecret(t *testing.T) {
	t.Parallel()
	e := New()
	masked := func(text string) (string, Result) {
		result, err := e.Sections(map[string]any{"s": map[string]any{"prompt": text}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return asJSON(result.Sections), result
	}
	for i, way := range waysToLeaveOne {
		for seed := range seeds() {
			text, secrets := drawWay(way.left, rand.New(rand.NewPCG(uint64(i), seed)))
			left := false
			for _, whole := range []string{text, "Read this first.\n\n" + text + "\n\nThen begin."} {
				got, _ := masked(whole)
				for _, secret := range secrets {
					left = left || strings.Contains(got, secret)
				}
			}
			if left {
				t.Errorf("left: %s", text)
				break
			}
		}
		for _, whole := range []string{way.twin, "Read this first.\n\n" + way.twin + "\n\nThen begin."} {
			if got, result := masked(whole); len(result.Masked) > 0 {
				t.Errorf("touched: %s → %s", whole, got)
				break
			}
		}
	}
}
