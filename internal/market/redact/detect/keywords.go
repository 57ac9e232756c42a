package detect

// secretNames are the names that credentials have in bot setups, as the words of the key joined by '_'. They are
// compared with the last one to three words of a key. Collected from the settings of AstrBot, OneBot, WeCom, Lark and
// Feishu, DingTalk, QQ, Telegram, Discord, Slack, LINE, KOOK, Matrix, Mattermost, Misskey, Satori, and of model providers.
var secretNames = merge(
	named(Certain, "password", "passwd", "passwords", "passphrase", "passcode", "pwd", "psw", "userpass", "dbpass",
		"apikey", "apikeys", "api_key", "api_keys", "api_secret", "api_secrets", "api_token", "api_tokens", "api_pass", "apitoken", "apisecret",
		"secret_key", "secret_keys", "secretkey", "secret_token", "access_key", "access_keys", "accesskey", "access_key_id", "access_key_secret",
		"accesskeyid", "accesskeysecret", "secret_access_key", "access_token", "access_tokens", "accesstoken", "refresh_token", "refreshtoken",
		"bot_token", "bot_tokens", "bottoken", "auth_token", "authtoken", "verification_token", "verify_token", "id_token", "user_token",
		"app_secret", "appsecret", "client_secret", "clientsecret", "channel_secret", "channel_access_token", "signing_secret", "corp_secret",
		"corpsecret", "webhook_secret", "signing_key", "sign_key", "sign_secret", "private_key", "private_keys", "privatekey", "private_pem", "ssh_key",
		"encrypt_key", "encryption_key", "decrypt_key", "encryptkey", "encoding_aes_key", "encodingaeskey", "aes_key", "aeskey", "master_key",
		"service_key", "service_account_key", "session_key", "session_secret", "session_token", "cookie_secret", "csrf_secret", "jwt_secret", "jwt_key",
		"license_key", "licence_key", "activation_key", "subscription_key", "account_key", "shared_key", "shared_secret", "shared_access_key",
		"hmac_key", "webhook_key", "deploy_key", "mnemonic", "mnemonics", "mnemonic_phrase", "seed_phrase", "recovery_phrase", "recovery_code",
		"recovery_codes", "backup_codes", "backup_code", "recovery_key", "otp", "totp", "totp_secret", "otp_secret", "mfa_secret",
		"sessdata", "bili_jct", "authorization", "proxy_authorization", "cookie", "cookies", "set_cookie", "secret_id", "secretid", "security_key",
		"connection_password", "root_password", "pat", "personal_access_token", "auth_key", "authkey", "app_key", "appkey", "token_secret",
		"aws_secret", "sasl_password", "keystore_password", "key_password", "contraseña", "senha", "passwort", "kennwort", "пароль", "motdepasse",
		"pw", "access_code", "accesscode", "auth_code", "authcode", "authorization_code", "auth_password", "basic_auth", "basicauth", "http_basic", "http_auth", "userpwd", "user_pwd", "phpsessid", "jsessionid", "key_data", "keydata",
		"secret_data", "hmac_secret", "contrasena", "mot_de_passe", "mdp", "haslo", "hasło", "parola", "psk", "wachtwoord", "lösenord", "losenord", "salasana", "jelszo", "heslo", "sifre", "şifre", "kata_sandi",
		"mat_khau", "geheimwort", "geheimnis", "zugangscode", "codigo_de_acceso", "palavra_passe", "adgangskode", "passord",
		"activation_code", "license_code", "licence_code", "product_key", "serial_key", "unlock_code", "key_api", "chave_api", "clave_api", "chiave_api", "cle_api", "clé_api",
		"clef_api", "clé_d_api", "klucz_api", "api_klucz", "api_sleutel", "api_nyckel", "zugangsschlüssel", "zugangsschluessel", "geheimschlüssel", "api_schlüssel"),
	named(Likely, "pass", "cred", "service_role", "hmac", "sess", "secret", "secrets", "token", "credential", "credentials", "creds", "bearer", "jwt", "sk", "ak", "user_pass", "db_pass",
		"smtp_pass", "mail_pass", "email_pass", "http_pass", "auth_pass", "login_pass", "custom_headers", "extra_headers", "default_headers", "auth_headers"),
	named(Weak, "storage_key", "clé", "clef", "nøgle", "clave", "chave", "chiave", "sleutel", "nyckel", "klucz", "schlüssel", "schluessel", "segredo", "jeton", "geheim", "key", "keys", "tokens", "auth", "session", "sessionid", "session_id", "salt", "seed", "seeds", "signature", "sig", "sign", "ticket",
		"credential_id", "pin", "pin_code", "csrf", "csrf_token", "xsrf_token", "sid"),
	named(Account, "appid", "app_id", "corpid", "corp_id", "agentid", "agent_id_wecom"),
	named(Link, "webhook", "webhooks", "webhook_url", "webhook_urls", "webhook_uri", "hook_url", "incoming_webhook", "callback_webhook", "push_url"),
	named(Source, "dsn", "connection_string", "connectionstring", "conn_str", "database_url", "db_url", "db_uri", "redis_url", "redis_uri", "mongodb_uri",
		"mongo_uri", "mongo_url", "mysql_url", "postgres_url", "amqp_url", "broker_url", "proxy", "http_proxy", "https_proxy", "all_proxy", "proxy_url"),
)

// neverNames are names that hold such a word and name no credential.
var neverNames = SetOf("max_tokens", "token_limit", "tokenizer", "tokenizers", "top_k", "keyword", "keywords", "keyboard", "public_key", "public_keys", "pubkey",
	"primary_key", "foreign_key", "model_key", "monkey", "key_binding", "key_bindings", "keybinding", "keybindings", "keymap", "shortcut", "shortcut_key",
	"shortcut_keys", "hotkey", "hotkeys", "hot_key", "secret_santa", "password_hint", "password_policy", "public_token", "site_key", "author", "authors",
	"stop_token", "stop_tokens", "bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "mask_token", "cls_token", "special_token", "special_tokens",
	"start_token", "end_token", "image_token", "additional_special_tokens", "turkey", "donkey", "keystone", "keynote", "keynotes", "keyframe", "keyframes",
	"total_tokens", "prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "context_tokens", "ssh_public_key",
	"public_pem", "verify_key", "random_seed", "noise_seed", "image_seed", "unique_session", "fullmatch_key", "user_agent", "encryption_recipient")

// Quantities begin names of settings and counts.
var Quantities = SetOf("max", "min", "maximum", "minimum", "num", "n", "total", "count", "enable", "enabled", "disable", "disabled", "is", "has", "allow",
	"allowed", "show", "hide", "require", "requires", "required", "need", "needs", "support", "supports", "remaining", "limit")

// aspects end names that say something about a credential instead of being one.
var aspects = SetOf("limit", "limits", "count", "counts", "length", "len", "size", "type", "types", "name", "names", "hint", "hints", "policy", "url", "uri", "endpoint",
	"expiry", "expires", "expire", "expiration", "ttl", "timeout", "lifetime", "rotation", "format", "pattern", "regex", "index", "usage", "budget", "cost", "price",
	"rate", "ratio", "max", "min", "window", "enabled", "enable", "required", "env", "field", "header", "path", "file", "dir", "location", "label", "title",
	"description", "desc", "placeholder", "strategy", "mode", "algorithm", "alg", "provider", "source", "version", "status", "state", "encoding", "word", "words",
	"santa", "binding", "bindings", "mapping", "map", "shortcut", "note", "notes", "help", "tip", "prompt", "at", "in", "count", "method", "scheme", "scope", "scopes",
	"manager", "store", "vault", "ring", "chain", "id", "ids", "info", "level", "group", "rule", "rules", "per", "used", "left")

// plainKeys before "key" make a name of something else than a credential.
var plainKeys = SetOf("public", "primary", "foreign", "model", "sort", "cache", "partition", "hot", "shortcut", "translation", "i18n", "locale", "lang", "index", "group",
	"unique", "lookup", "dict", "map", "json", "object", "row", "column", "field", "idempotency", "event", "registry", "hash", "routing", "message", "config", "setting",
	"settings", "preference", "answer", "major", "minor", "music", "piano", "song", "title", "label", "name", "data", "item", "list", "arrow", "enter", "escape",
	"function", "modifier", "press", "trigger", "wake", "command", "search", "query", "param", "path", "state", "storage", "natural", "composite", "surrogate", "candidate",
	"order", "host", "cluster", "memory", "context", "scope", "umo", "session", "provider", "persona", "section", "feature", "metric", "color", "any", "each", "issue", "attribute", "pub", "verify")

// harmless are pairs that only look like a credential's name.
var harmless = SetOf("stop token", "next token", "last token", "first token", "page token", "next secret", "cancellation token", "not secret", "csrf token", "public token", "design tokens", "santa secret")

// plainLabels and secretLabels are read as parts of a key.
var plainLabels = []string{
	"提示词", "密码提示", "密码学", "密码长度", "密码强度", "公钥", "公鑰", "主键", "外键", "关键", "關鍵", "令牌数", "令牌上限", "令牌限制", "最大令牌", "令牌桶",
	"ключев", "токенов", "токены", "암호화", "暗号化", "暗号資産", "秘密保持", "保守秘密",
	"公開鍵", "主キー", "外部キー", "キーワード", "キーボード", "トークン数", "トークン上限", "最大トークン", "トークン制限", "トークナイザ", "パスワードのヒント", "パスワードヒント", "토큰 수", "최대 토큰", "공개 키",
}

var secretLabels = []struct {
	text    string
	verdict Verdict
}{
	{"密码", Certain},
	{"密碼", Certain},
	{"密钥", Certain},
	{"密鑰", Certain},
	{"秘钥", Certain},
	{"秘鑰", Certain},
	{"私钥", Certain},
	{"私鑰", Certain},
	{"口令", Certain},
	{"授权码", Certain},
	{"密匙", Certain},
	{"卡密", Certain},
	{"激活码", Certain},
	{"鉴权码", Certain},
	{"訪問碼", Certain},
	{"访问码", Certain},
	{"通行码", Certain},
	{"金鑰", Certain},
	{"憑證", Likely},
	{"秘密", Likely},
	{"认证信息", Likely},
	{"暗号", Likely},
	{"合言葉", Likely},
	{"認証コード", Certain},
	{"認証キー", Certain},
	{"パスコード", Certain},
	{"アクセスコード", Certain},
	{"암호", Certain},
	{"인증키", Certain},
	{"인증 키", Certain},
	{"개인키", Certain},
	{"액세스 키", Certain},
	{"시크릿", Likely},
	{"hasło", Certain},
	{"токен", Likely},
	{"секрет", Likely},
	{"ключ", Weak},
	{"şifre", Certain},
	{"lösenord", Certain},
	{"mật khẩu", Certain},
	{"รหัสผ่าน", Certain},
	{"סיסמה", Certain},
	{"كلمة المرور", Certain},
	{"κωδικός", Certain},
	{"गुप्त कुंजी", Certain},
	{"पासवर्ड", Certain},
	{"助记词", Certain},
	{"凭证", Likely},
	{"凭据", Likely},
	{"令牌", Likely},
	{"權杖", Likely},
	{"暗号キー", Certain},
	{"パスワード", Certain},
	{"パスフレーズ", Certain},
	{"秘密鍵", Certain},
	{"暗証番号", Certain},
	{"シークレット", Likely},
	{"トークン", Likely},
	{"APIキー", Certain},
	{"アクセスキー", Certain},
	{"認証情報", Likely},
	{"비밀번호", Certain},
	{"비밀 키", Certain},
	{"비밀키", Certain},
	{"API 키", Certain},
	{"토큰", Likely},
	{"contraseña", Certain},
	{"пароль", Certain},
}

// SetOf makes a set of words.
func SetOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func named(v Verdict, words ...string) map[string]Verdict {
	m := make(map[string]Verdict, len(words))
	for _, w := range words {
		m[w] = v
	}
	return m
}

func merge(maps ...map[string]Verdict) map[string]Verdict {
	all := map[string]Verdict{}
	for _, m := range maps {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}
