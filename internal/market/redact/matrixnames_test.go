package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/market/redact/detect"
)

// namesOfCredentials are names behind which a person calls anything a secret.
var namesOfCredentials = strings.Split(`password,passwd,Password,PASSWORD,passWord,user_password,userPassword,db_password,DB_PASSWORD,dbPassword,mysql_root_password,MYSQL_ROOT_PASSWORD,POSTGRES_PASSWORD,redis_password,REDIS_PASSWORD,
smtp_password,smtpPassword,mail_password,email_password,admin_password,adminPassword,root_password,login_password,old_password,new_password,password_new,password_old,passwordConfirm,password_confirm,confirmPassword,password_value,
passwd_value,PASSWD,pwd,PWD,dbpwd,db_pwd,userpwd,user_pwd,ftp_pwd,pw,rootpw,adminpw,root_pw,passphrase,key_passphrase,ssh_passphrase,passcode,wifi_password,wifiPassword,sudo_password,vnc_password,ldap_password,bind_password,
keystore_password,keystorePassword,truststore_password,zip_password,proxy_password,rcon_password,rcon.password,spring.datasource.password,mail.smtp.password,connection-password,database-password,
api_key,apiKey,ApiKey,API_KEY,apikey,APIKEY,api-key,x-api-key,X-Api-Key,X-API-KEY,openai_api_key,OPENAI_API_KEY,openaiApiKey,anthropic_api_key,deepseek_api_key,gemini_api_key,tavily_api_key,GROQ_API_KEY,mistralApiKey,
api_key_backup,api_key_prod,api_key_primary,API_KEY_2,apiKey1,api_keys,apiKeys,API_KEYS,api_secret,apiSecret,API_SECRET,api_token,apiToken,API_TOKEN,api_pass,
access_key,accessKey,ACCESS_KEY,access_key_id,accessKeyId,access_key_secret,accessKeySecret,AWS_SECRET_ACCESS_KEY,aws_secret_access_key,secretAccessKey,secret_access_key,secret_key,secretKey,SECRET_KEY,DJANGO_SECRET_KEY,
secret-key,secretid,secret_id,SecretId,SecretKey,master_key,masterKey,encryption_key,encryptionKey,ENCRYPTION_KEY,aes_key,encoding_aes_key,EncodingAESKey,signing_key,signing_secret,SLACK_SIGNING_SECRET,private_key,privateKey,
PRIVATE_KEY,ssh_private_key,sshkey,privkey,rsa_private_key,private_pem,jwt_secret,JWT_SECRET,jwtSecret,jwt_key,session_secret,SESSION_SECRET,cookie_secret,NEXTAUTH_SECRET,AUTH_SECRET,webhook_secret,WEBHOOK_SECRET,webhookSecret,
client_secret,clientSecret,CLIENT_SECRET,client-secret,oauth_client_secret,app_secret,appSecret,APP_SECRET,feishu_app_secret,lark_app_secret,wecom_secret,corpsecret,corp_secret,channel_secret,LINE_CHANNEL_SECRET,
consumer_secret,consumerSecret,TWITTER_CONSUMER_SECRET,token_secret,shared_secret,storage_key,account_key,AccountKey,SharedAccessKey,subscription_key,Ocp-Apim-Subscription-Key,license_key,licenseKey,activation_code,product_key,
access_token,accessToken,ACCESS_TOKEN,access-token,refresh_token,refreshToken,REFRESH_TOKEN,id_token,auth_token,authToken,AUTH_TOKEN,bot_token,botToken,BOT_TOKEN,BOT_TOKEN_PROD,bot_token_prod,telegram_bot_token,TELEGRAM_BOT_TOKEN,
discord_token,DISCORD_TOKEN,DISCORD_BOT_TOKEN,SLACK_BOT_TOKEN,slackToken,github_token,GITHUB_TOKEN,GH_TOKEN,GITLAB_TOKEN,NPM_TOKEN,HF_TOKEN,HUGGINGFACE_TOKEN,VERCEL_TOKEN,CLOUDFLARE_API_TOKEN,cf_token,personal_access_token,pat,
verification_token,verify_token,channel_access_token,page_access_token,user_token,session_token,sessionToken,security_token,aws_session_token,vault_token,VAULT_TOKEN,sentry_auth_token,bearer_token,bearerToken,ws_reverse_token,token_list,
auth_code,authcode,authorization_code,access_code,accessCode,unlock_code,recovery_code,recovery_codes,backup_codes,recovery_key,otp_secret,totp_secret,mfa_secret,mnemonic_phrase,PHPSESSID,JSESSIONID,sessdata,SESSDATA,bili_jct,
basic_auth,basicAuth,http_auth,Authorization,authorization,Proxy-Authorization,X-Auth-Token,x-auth-token,Private-Token,PRIVATE-TOKEN,X-Vault-Token,X-Gitlab-Token,cookie,Cookie,Set-Cookie,cookies,hmac_secret,hmac_key,key_data,deploy_key,
密码,用户密码,管理员密码,登录密码,数据库密码,密钥,接口密钥,API密钥,应用密钥,私钥,密匙,口令,授权码,激活码,卡密,鉴权码,访问码,密碼,金鑰,パスワード,管理者パスワード,APIキー,アクセスキー,秘密鍵,暗証番号,認証キー,パスコード,비밀번호,API 키,인증키,암호,액세스 키,
contraseña,contrasena,clave_api,senha,chave_api,mot_de_passe,motdepasse,clé_api,passwort,Kennwort,Zugangsschlüssel,geheimschlüssel,passwort_neu,hasło,haslo,пароль,wachtwoord,lösenord,salasana,heslo,şifre,mật khẩu`, ",")

// namesThatMayBe are names behind which a drawn value is a secret and a word is none.
var namesThatMayBe = strings.Split(`token,Token,TOKEN,tokens,secret,Secret,SECRET,secrets,key,Key,KEY,keys,auth,AUTH,creds,credential,credentials,cred,pass,PASS,db_pass,DB_PASS,smtp_pass,userpass,sk,ak,jwt,bearer,session,session_id,sid,salt,seed,signature,sign,ticket,
hmac,csrf_token,xsrf_token,pin_code,令牌,凭证,凭据,秘密,トークン,シークレット,認証情報,토큰,시크릿,токен,секрет,clave,chave,chiave,Schlüssel,jeton,segredo,开发者key,key值,secret值,token值,llm_key,my_key,service_token,push_token,robot_secret,
openai_key,gpt_key,bot_key,sdkKey,serverKey,webhook_token`, ",")

// valuesOfCredentials are what stands behind them.
var valuesOfCredentials = []struct {
	name   string
	random bool
	make   func(r *rand.Rand) string
}{
	{"hexadecimal", true, func(r *rand.Rand) string { return drawMixed(r, detect.HexLower, 32) }},
	{"uuid", true, func(r *rand.Rand) string { return keyKind{pattern: "<uuid>"}.draw(r).text }},
	{"letters and digits", true, func(r *rand.Rand) string { return drawMixed(r, detect.Alnums, 24) }},
	{"base64", true, func(r *rand.Rand) string { return drawMixed(r, detect.Alnums+"+/", 43) + "=" }},
	{"long hexadecimal", true, func(r *rand.Rand) string { return drawMixed(r, detect.HexLower, 64) }},
	{"short", false, func(r *rand.Rand) string { return drawMixed(r, detect.Alnums, 10) }},
	{"word and year", false, func(r *rand.Rand) string { return "Summer" + draw(r, "123456789", 4) }},
	{"signs", false, func(r *rand.Rand) string { return "P@ss" + drawMixed(r, detect.Lowers+detect.Digits, 6) + "!" }},
	{"digits", false, func(r *rand.Rand) string { return draw(r, "123456789", 8) }},
	{"leet", false, func(r *rand.Rand) string { return "c0rrecth0rse" + draw(r, detect.Digits, 2) }},
}

// namedPlaces are the places in which a name is set before a value.
var namedPlaces = []struct {
	name string
	tree func(name, value string) any
}{
	{"field", func(name, value string) any { return map[string]any{"id": "a", name: value} }},
	{"json", func(name, value string) any {
		return map[string]any{"prompt": "see {\"id\": \"a\", \"" + name + "\": \"" + value + "\"} for it"}
	}},
	{"line", func(name, value string) any {
		return map[string]any{"prompt": "Settings:\n" + name + ": " + value + "\nport: 1"}
	}},
	{"assignment", func(name, value string) any {
		return map[string]any{"prompt": "Settings:\n" + name + "=" + value + "\nPORT=1"}
	}},
}

// TestNamesOfCredentials sets ten values behind each name in four places.
func TestNamesOfCredentials(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("12,000 texts")
	}
	t.Parallel()
	e := New()
	names, values, places := newTally(), newTally(), newTally()
	tried := 0
	for i, list := range [][]string{namesOfCredentials, namesThatMayBe} {
		for n, name := range list {
			name = strings.TrimSpace(name)
			tried++
			for v, value := range valuesOfCredentials {
				if i == 1 && !value.random {
					continue
				}
				secret := value.make(rand.New(rand.NewPCG(uint64(n), uint64(v))))
				for _, p := range namedPlaces {
					out := redacted(t, e, p.tree(name, secret))
					ok := !strings.Contains(out, secret)
					example := fmt.Sprintf("%s / %s / %s: %.120s", name, value.name, p.name, out)
					names.count(name, ok, example)
					values.count(value.name, ok, example)
					places.count(p.name, ok, example)
				}
			}
		}
	}
	share, masked, all := names.share()
	t.Logf("%d names, %d of %d masked (%.2f %%)", tried, masked, all, 100*share)
	places.worst(t.Logf, 4)
	values.worst(t.Logf, 10)
	names.worst(t.Logf, 40)
	if share < 0.98 {
		t.Errorf("only %.2f %% are masked", 100*share)
	}
	for name, n := range names.tried {
		if names.failed[name]*2 > n {
			t.Errorf("%s: %d of %d are left", name, names.failed[name], n)
		}
	}
}
