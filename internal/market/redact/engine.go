package redact

import (
	"sort"
	"sync"
)

// Engine finds secrets. It is empty until its first use and then shared by everybody: it is safe for concurrent use.
type Engine struct {
	once     sync.Once
	rules    []*rule
	global   *allowlist
	literals *automaton
	actions  [][]action // by literal
	names    names
	scratch  sync.Pool
}

// action is what a literal in a text sets off: a rule that is tried around it, or a reader of ours.
type action struct {
	rule   int // index of a rule, -1 for a reader
	reader func(*scanning, int, int)
}

// New makes an engine; its rules are read when they are first needed.
func New() *Engine { return &Engine{} }

func (e *Engine) load() {
	e.once.Do(func() {
		e.rules, e.global = loadRules()
		byLiteral := map[string][]action{}
		for i, r := range e.rules {
			for _, k := range r.Keywords {
				byLiteral[k] = append(byLiteral[k], action{rule: i})
			}
		}
		read := func(reader func(*scanning, int, int), literals ...string) {
			for _, l := range literals {
				byLiteral[l] = append(byLiteral[l], action{rule: -1, reader: reader})
			}
		}
		read((*scanning).url, "://")
		read((*scanning).pair, "@")
		read((*scanning).assigned, assignedWords...)
		read((*scanning).scheme, "bearer ", "basic ")
		literals := make([]string, 0, len(byLiteral))
		for l := range byLiteral {
			literals = append(literals, l)
		}
		sort.Strings(literals)
		for _, l := range literals {
			e.actions = append(e.actions, byLiteral[l])
		}
		e.literals = newAutomaton(literals)
	})
}

// assignedWords are the literals at which a text is read as "name: value".
var assignedWords = []string{
	"passw", "pwd", "passphrase", "passcode", "secret", "token", "key", "auth", "cookie", "credential", "creds", "sessdata", "bili_jct", "session",
	"jwt", "mnemonic", "seed", "otp", "pin", "salt", "webhook", "appid", "app_id", "corpid", "corp_id", "dsn", "connection", "sign", "ticket", "recovery", "backup_code", "senha", "_pass", "--pass", "psw",
	"密码", "密碼", "密钥", "密鑰", "秘钥", "秘鑰", "私钥", "私鑰", "口令", "授权码", "助记词", "凭证", "凭据", "令牌", "パスワード", "パスフレーズ", "秘密鍵", "暗証番号",
	"シークレット", "トークン", "キー", "認証情報", "비밀번호", "비밀키", "토큰", "contraseña", "пароль",
}
