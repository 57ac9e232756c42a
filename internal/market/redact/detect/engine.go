package detect

import (
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Engine finds secrets. It is empty until its first use and then shared by everybody: it is safe for concurrent use.
type Engine struct {
	once     sync.Once
	rules    []*rule
	global   *allowlist
	literals *automaton
	actions  [][]action // by literal
	Names    names
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
		read((*scanning).identified, "identified ")
		read((*scanning).passed, ".login(", ".run(", "telebot(")
		read((*scanning).piped, "--password-stdin", "sudo -s")
		read((*scanning).pipedIn, "chpasswd", "cryptsetup ", "kinit ", "passwd --stdin", "--with-token")
		read((*scanning).hereString, "<<")
		read((*scanning).afterUser, " -p ")
		read((*scanning).echoed, "echo ")
		read((*scanning).follows, passwordBehind...)
		read((*scanning).sent, `send "`, `send -- "`)
		read(labelled(false), pairLabels...)
		read(labelled(true), bothLabels...)
		read((*scanning).namedAfter, givenAs...)
		read((*scanning).namedAfter, remarks...)
		read((*scanning).signedIn, signingIn...)
		read((*scanning).pgpass, ":5432:", ":5433:", ":6432:", ":*:")
		read((*scanning).wifi, "wifi:")
		read((*scanning).jwk, `"kty"`)
		read((*scanning).kubernetes, "kind:", `"kind"`)
		read((*scanning).azureKey, "jqqj99")
		read((*scanning).wordedKey, keyWords...)
		read((*scanning).cookieData, "%2c1", ",17", ",18")
		for _, k := range vendorKeys {
			read(k.reader(), strings.ToLower(k.prefix))
		}
		for _, c := range commands {
			read(c.reader(), c.name)
		}
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
var assignedWords = append([]string{
	"passw", "pwd", "passphrase", "passcode", "secret", "token", "key", "auth", "cookie", "cred", "sessdata", "bili_jct", "sess", "access_code", "access code", "accesscode", "service_role",
	`pat"`, "pat=", "pat:", `sk"`, "sk:", "sk=", `ak"`, "ak:", "ak=", "sid=", "jwt", "mnemonic", "seed", "otp", "pin", "salt", "webhook", "appid", "app_id", "corpid", "corp_id", "dsn", "connection", "sign", "ticket", "recovery", "backup_code",
	"pass", "psw", "hmac", "pw", "bearer", "private_pem", "senha", "contrasen", "mot de passe", "mot_de_passe", "mdp", "haslo", "parola", "wachtwoord", "psk", "losenord", "salasana", "jelszo", "heslo",
	"sifre", "kata sandi", "kata_sandi", "mat_khau", "geheim", "clave", "chave", "segredo", "jeton", "kennwort", "adgangskode", "sleutel", "nyckel", "klucz", "chiave", "schlüssel", "schluessel", "clé", "clef", "cle_api", "nøgle", "activation_code", "activation code", "license_code", "unlock_code",
}, labelTexts()...)

// labelTexts are the labels in other languages.
func labelTexts() []string {
	var out []string
	for _, l := range secretLabels {
		lower := strings.ToLower(l.text)
		first, size := utf8.DecodeRuneInString(lower)
		out = append(out, lower)
		if upper := string(unicode.ToUpper(first)) + lower[size:]; first >= utf8.RuneSelf && upper != lower {
			out = append(out, upper)
		}
	}
	return out
}
