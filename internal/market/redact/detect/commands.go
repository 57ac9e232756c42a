package detect

import (
	"slices"
	"strings"
)

// command is a program whose short options carry a credential.
type command struct {
	name     string
	password []string // options whose value is a password
	login    []string // options whose value is user:password
	glued    bool     // the password may follow its option without a blank: mysql -psecret
	first    bool     // its first argument is a password
	at       int      // the place of the argument that is a password, counted from 0; 0 is none
	share    bool     // the password stands behind the share or the user: net use x: \\host\share secret /user:bot
	only     string   // the options count behind this word alone: docker compose -p names a project
}

// commands are programs as their manual pages describe them. Long options with a telling name need no entry.
var commands = []command{
	{name: "curl", login: []string{"-u", "--user", "-U", "--proxy-user"}},
	{name: "http", login: []string{"-a", "--auth"}},
	{name: "https", login: []string{"-a", "--auth"}},
	{name: "wget", password: []string{"--password", "--http-password", "--ftp-password"}},
	{name: "sshpass", password: []string{"-p"}, glued: true},
	{name: "docker", password: []string{"-p"}, only: "login"},
	{name: "podman", password: []string{"-p"}, only: "login"},
	{name: "nerdctl", password: []string{"-p"}, only: "login"},
	{name: "helm", password: []string{"-p"}},
	{name: "buildah", password: []string{"-p"}, only: "login"},
	{name: "skopeo", login: []string{"--creds", "--src-creds", "--dest-creds"}},
	{name: "az", password: []string{"-p"}},
	{name: "mysql", password: []string{"-p"}, glued: true},
	{name: "mysqldump", password: []string{"-p"}, glued: true},
	{name: "mysqladmin", password: []string{"-p"}, glued: true},
	{name: "mariadb", password: []string{"-p"}, glued: true},
	{name: "mongo", password: []string{"-p"}},
	{name: "mongosh", password: []string{"-p"}},
	{name: "mongodump", password: []string{"-p"}},
	{name: "redis-cli", password: []string{"-a", "--pass"}},
	{name: "ldapsearch", password: []string{"-w"}},
	{name: "ldapadd", password: []string{"-w"}},
	{name: "zip", password: []string{"-P"}},
	{name: "unzip", password: []string{"-P"}},
	{name: "7z", password: []string{"-p"}, glued: true},
	{name: "rar", password: []string{"-p", "-hp"}, glued: true},
	{name: "unrar", password: []string{"-p"}, glued: true},
	{name: "openssl", password: []string{"-k", "-K"}, login: []string{"-passin", "-passout", "-pass"}},
	{name: "smbclient", login: []string{"-U"}},
	{name: "lftp", login: []string{"-u"}},
	{name: "oc", password: []string{"-p"}},
	{name: "vault", password: []string{"login"}},
	{name: "sqlcmd", password: []string{"-P"}, glued: true},
	{name: "ipmitool", password: []string{"-P"}},
	{name: "snmpwalk", password: []string{"-A", "-X"}},
	{name: "xfreerdp", password: []string{"/p"}, glued: true},
	{name: "rabbitmqadmin", password: []string{"-p"}},
	{name: "mosquitto_pub", password: []string{"-P"}},
	{name: "mosquitto_sub", password: []string{"-P"}},
	{name: "convertto-securestring", first: true},
	{name: "requirepass", first: true},
	{name: "masterauth", first: true},
	{name: "kinit", password: []string{"-w"}},
	{name: "net use", share: true},
	{name: "mc alias set", at: 3},
}

// maxCommand is how much of a command is read.
const maxCommand = 600

// commandRead is how far the words of a command were read, and whether the word was there behind which its options count.
type commandRead struct {
	to   int
	only bool
}

// reader returns the reader that is set off by the name of a command.
func (c command) reader() func(*scanning, int, int) {
	return func(s *scanning, start, end int) {
		if said := s.text[start:end]; said != c.name && (!c.first || !strings.EqualFold(said, c.name)) || start > 0 && tokenByte[s.text[start-1]] || end >= len(s.text) || s.text[end] != ' ' {
			return
		}
		at := commandRead{to: end, only: c.only == ""}
		if before := s.commands[c.name]; len(c.password)+len(c.login) > 0 && before.to > end {
			at = before // the same command again, among the words of the one before: its options were seen
		}
		limit := min(len(s.text), end+maxCommand)
		words, to := commandWords(s.text, at.to, limit)
		s.budget.Spend(max(valueWork, limit-at.to))
		at.to = max(at.to, to)
		at.only = at.only || slices.ContainsFunc(words, func(w word) bool { return s.text[w.start:w.end] == c.only })
		if s.commands == nil {
			s.commands = map[string]commandRead{}
		}
		s.commands[c.name] = at
		if !at.only {
			return
		}
		for i, w := range words {
			option := s.text[w.start:w.end]
			switch {
			case c.first && i == 0, c.at > 0 && i == c.at:
				s.commandSecret(w)
			case c.share && i > 0 && s.besideShare(words, i):
				s.commandSecret(w)
			case slices.Contains(c.password, option) && i+1 < len(words):
				s.commandSecret(words[i+1])
			case slices.Contains(c.login, option) && i+1 < len(words):
				s.commandLogin(words[i+1])
			default:
				s.joinedOption(c, w, option)
			}
		}
	}
}

// besideShare reports whether a word is the password of a share that a user is named for: the next behind either of them that
// is no option.
func (s *scanning) besideShare(words []word, i int) bool {
	user := func(w word) bool { return strings.HasPrefix(strings.ToLower(s.text[w.start:w.end]), "/user:") }
	before := words[i-1]
	return slices.ContainsFunc(words, user) && s.text[words[i].start] != '/' && s.text[words[i].start] != '\\' &&
		(user(before) || strings.HasPrefix(s.text[before.start:before.end], `\\`))
}

// joinedOption reads an option that holds its value: --user=a:b, -psecret, /p:secret.
func (s *scanning) joinedOption(c command, w word, option string) {
	for _, names := range [][]string{c.password, c.login} {
		for _, name := range names {
			rest, ok := strings.CutPrefix(option, name)
			if !ok || rest == "" {
				continue
			}
			if rest[0] == '=' || rest[0] == ':' {
				rest = rest[1:]
			} else if !c.glued || rest[0] == '-' {
				continue
			}
			value := word{w.end - len(rest), w.end}
			if slices.Contains(c.login, name) {
				s.commandLogin(value)
			} else {
				s.commandSecret(value)
			}
			return
		}
	}
}

// word is one argument of a command, without its quotes.
type word struct{ start, end int }

// commandWords returns the arguments up to the end of the command: a line's end that is not escaped, or ; | &. to is where that is; where
// there is more to read, it is where the last argument but one begins, which may be an option whose value was cut off.
func commandWords(text string, i, limit int) (words []word, to int) {
	last := i
	for to = i; i < limit && len(words) < 64; {
		if strings.IndexByte(" \t\\", text[i]) < 0 {
			to, last = last, i
		}
		switch c := text[i]; {
		case c == '\\' && i+1 < limit && (text[i+1] == '\n' || text[i+1] == '\r'):
			i += 2
			continue
		case c == ' ' || c == '\t':
			i++
			continue
		case c == '\n' || c == '\r' || c == ';' || c == '|' || c == '&' || c == '`' || c == ')' || c == '<' || c == '>':
			return words, i
		case c == '"' || c == '\'':
			stop := strings.IndexByte(text[i+1:limit], c)
			if stop < 0 {
				return words, to
			}
			words = append(words, word{i + 1, i + 1 + stop})
			i += stop + 2
			continue
		}
		start := i
		for i < limit && strings.IndexByte(" \t\n\r;|&`<>\"'", text[i]) < 0 {
			i++
		}
		end := i
		if i < limit && (text[i] == '"' || text[i] == '\'') { // --user="a:b"
			if stop := strings.IndexByte(text[i+1:limit], text[i]); stop >= 0 {
				end, i = i+1+stop, i+2+stop
				if eq := strings.IndexByte(text[start:end], '='); eq >= 0 {
					words = append(words, word{start, start + eq})
					start += eq + 2
				}
			}
		}
		if start < end {
			words = append(words, word{start, end})
		}
	}
	return words, to
}

// commandSecret notes the value of an option that takes a password.
func (s *scanning) commandSecret(w word) {
	value := s.text[w.start:w.end]
	// Ports are published with -p as well: 8080:80, 127.0.0.1:80:80.
	if len(value) < 3 || Placeholder(value) != "" || strings.Trim(value, Digits+".:/tcpud-") == "" || value[0] == '-' || value[0] == '/' || value[0] == '.' || value[0] == '$' {
		return
	}
	s.add(w.start, w.end, "command-option", "is the password that a command is given", value)
}

// commandLogin notes the password of an option that takes user and password.
func (s *scanning) commandLogin(w word) {
	value := s.text[w.start:w.end]
	cut := strings.IndexAny(value, ":%,")
	if cut <= 0 || len(value)-cut < 4 || Placeholder(value) != "" || Placeholder(value[cut+1:]) != "" || value[0] == '$' || strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:") {
		return
	}
	s.add(w.start+cut+1, w.end, "command-option", "is the password that a command is given", value[cut+1:], value)
}
