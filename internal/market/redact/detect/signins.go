package detect

import (
	"strings"
	"unicode/utf8"
)

// pairLabels stand before a name and a password that only a sign divides: login: bot / x.
var pairLabels = []string{
	"login", "credentials", "creds", "logon", "sign-in", "signin", "zugangsdaten", "anmeldedaten", "identifiants", "credenciales", "credenziali", "inloggegevens",
	"logins", "account", "accounts", "账号", "帐号", "賬號", "账户", "登录", "登入", "登录信息", "登录账号", "ログイン", "ログイン情報", "アカウント", "로그인", "계정", "логин",
}

// bothLabels name the two at once, so that a blank may divide what they name: username & password: bot x.
var bothLabels = []string{
	"and password", "& password", "/password", "/ password", "+ password", "and pass", "/pass", "/pw", "/pwd", "und passwort", "/passwort", "et mot de passe", "y contraseña",
	"/密码", "和密码", "与密码", "及密码", "/密碼", "/パスワード", "とパスワード", "・パスワード", "/비밀번호", "와 비밀번호", "и пароль", "/пароль",
}

// givenAs stand behind a secret that is named after it: … as the password.
var givenAs = []string{
	" as the password", " as a password", " as password", " as my password", " as its password", " as your password", " as the passphrase", " as passphrase", " as the api key", " as api key", " as the token",
	" as the secret", " als passwort", " als kennwort", " comme mot de passe", " como contraseña", "作为密码", "作為密碼", "当密码", "做密码", "为密码", " to log in", " to login", " to sign in", " to unlock", "登录", "登入", "でログイン", "로 로그인", "をパスワード", "がパスワード", "를 비밀번호로", "을 비밀번호로",
}

// signingIn stand before user:password in a sentence.
var signingIn = []string{"log in with ", "login with ", "sign in with ", "ssh in with ", "logged in with ", "log in as ", "login as ", "sign in as ", "connect with ", "connect as ", "authenticate with ", "authenticate as "}

// passwordBehind stand before a password that follows at once: words that mean other things as well, such as a path.
var passwordBehind = []string{"パスは", "パス：", "パス:", "비번은 ", "비번 ", "비번: ", "비번:", "unlock it with ", "unlock with ", "vault with ", "unlock them with "}

// remarks are comments that name what stands before them: value: x # api token.
var remarks = []string{"# password", "# passwd", "# api token", "# api key", "# token", "# secret", "# the password", "# the token", "// password", "// api key", "// api token", "// token", "// secret", "# 密码", "// 密码", "# パスワード", "// パスワード"}

// passwordLike reports whether a word is one that a person made up as a password, or one that was drawn: not a word of a language, a
// version, a place, a path or a name of a file.
func passwordLike(word string) bool {
	if len(word) < 8 || len(word) > 128 || Placeholder(word) != "" || pathLike(word) || strings.Contains(word, "://") || strings.IndexByte("$<{[(%", word[0]) >= 0 {
		return false
	}
	if at := strings.IndexByte(word, '@'); at > 0 && strings.IndexByte(word[at:], '.') > 0 {
		return false // an address of mail
	}
	var upper, lower, digit, symbol bool
	for i := range len(word) {
		switch c := word[i]; {
		case IsDigit(c):
			digit = true
		case IsUpper(c):
			upper = true
		case isAlpha(c):
			lower = true
		case strings.IndexByte("!@#$%^&*+=~?", c) >= 0:
			symbol = true
		case c >= utf8.RuneSelf || c <= ' ':
			return false
		}
	}
	return symbol && (digit || upper) && (upper || lower) || upper && lower && digit && !strings.ContainsAny(word, ".-_/:") || RandomPart(word)
}

// pathLike reports whether a value is the path of a file.
func pathLike(value string) bool {
	for _, begin := range []string{"~/", "./", "../", "/etc/", "/home/", "/root/", "/run/", "/var/", "/opt/", "/usr/", "/mnt/", "/Users/", "/secrets/", "file:"} {
		if strings.HasPrefix(value, begin) {
			return true
		}
	}
	return false
}

// notePassword notes a word as a password when it is like one.
func (s *scanning) notePassword(start, end int) {
	for start < end && strings.IndexByte("`\"'*", s.text[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte("`\"'*", s.text[end-1]) >= 0 {
		end--
	}
	if s.budget.Spend((end-start)*valueWork) && passwordLike(s.text[start:end]) {
		s.add(start, end, "sign-in", "is the password of a sign-in", s.text[start:end])
	}
}

// wordEnd is where the word that begins at i ends; the signs that end a sentence are not part of it unless one of them alone does.
func (s *scanning) wordEnd(i int) int {
	to := i
	for to < len(s.text) && to-i < mostBehind && printable(s.text[to]) && strings.IndexByte("\"'`<>,;()[]{}\\", s.text[to]) < 0 {
		to++
	}
	for to > i && strings.IndexByte(".:", s.text[to-1]) >= 0 {
		to--
	}
	return to
}

// userEnd is where the name of a user that begins at i ends.
func (s *scanning) userEnd(i int) int {
	to := i
	for to < len(s.text) && to-i < 64 && (wordByte(s.text[to]) || strings.IndexByte("@.+-\\", s.text[to]) >= 0) {
		to++
	}
	return to
}

// labelled gives a reader of sign-ins behind a label: the user, a sign, the password. loose lets a blank divide them.
func labelled(loose bool) func(*scanning, int, int) {
	return func(s *scanning, start, end int) {
		if s.text[start] < utf8.RuneSelf && start > 0 && wordByte(s.text[start]) && wordByte(s.text[start-1]) {
			return
		}
		s.budget.Spend(32)
		i := skip(s.text, end, " \t*`\"")
		signed := true
		switch r, n := utf8.DecodeRuneInString(s.text[i:]); r {
		case ':', '：', '=', '＝', '是', 'は':
			i += n
		default:
			signed = false
			if loose || i == end {
				return
			}
		}
		for range maxListItems { // one, or a list with one in each line
			next := skip(s.text, i, " \t*`\"'\r\n-")
			if i = s.userAndPassword(next, loose); i == 0 || !signed {
				return
			}
			if i = skip(s.text, i, " \t`\"'\r"); i >= len(s.text) || s.text[i] != '\n' {
				return
			}
		}
	}
}

// userAndPassword reads a user and a password that begin at i, and returns where they end, 0 when there are none.
func (s *scanning) userAndPassword(i int, loose bool) int {
	user := i
	if i = s.userEnd(i); i == user || !s.budget.Spend(2*(i-user)) {
		return 0
	}
	gap := skip(s.text, i, " \t*`\"'")
	r, n := utf8.DecodeRuneInString(s.text[gap:])
	switch {
	case strings.ContainsRune("/|,，、／・", r):
		gap = skip(s.text, gap+n, " \t*`\"'")
	case strings.HasPrefix(s.text[gap:], "and ") && gap > i:
		gap = skip(s.text, gap+4, " \t*`\"'")
	case !loose || gap == i:
		return 0
	}
	end := s.wordEnd(gap)
	s.notePassword(gap, end)
	return end
}

// namedAfter reads a secret whose name follows it.
func (s *scanning) namedAfter(start, stop int) {
	if stop < len(s.text) && s.text[stop-1] < utf8.RuneSelf && tokenByte[s.text[stop]] {
		return // another word
	}
	end := start
	for end > 0 && start-end < 24 && strings.IndexByte(" \t,;\"'`\\", s.text[end-1]) >= 0 {
		end--
	}
	from := end
	for from > 0 && end-from < mostBehind && printable(s.text[from-1]) {
		from--
	}
	s.notePassword(from, end)
}

// signedIn reads user:password, or user / password, behind words that say that somebody signs in with it.
func (s *scanning) signedIn(_, end int) {
	i := skipUpTo(s.text, end, "`\"'", 2)
	user := i
	i = s.userEnd(i)
	if i == user || i >= len(s.text) {
		return
	}
	if gap := skipUpTo(s.text, i, " ", 1); gap < len(s.text) && (s.text[i] == ':' || s.text[gap] == '/') {
		i = skipUpTo(s.text, gap+1, " ", 1)
		s.notePassword(i, s.wordEnd(i))
	}
}

// asking are what reads a password from its standard input.
var asking = []string{"kinit", "su ", "sudo ", "passwd", "chpasswd", "stdin", "--with-token", "cryptsetup", "ssh-add", "gpg ", "login", "openssl", "unlock"}

// follows notes the word behind what it is set off by.
func (s *scanning) follows(_, end int) { s.notePassword(end, s.wordEnd(end)) }

// hereString reads what a command that asks for a password is given: kinit bot <<< x, or in the one line of a here-document.
func (s *scanning) hereString(start, end int) {
	if start > 0 && s.text[start-1] == '<' {
		return // within <<<
	}
	before := s.text[max(0, start-160):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if !s.budget.Spend(4 * len(before)) {
		return
	}
	asks := false
	for _, word := range asking {
		asks = asks || strings.Contains(before, word)
	}
	if !asks {
		return
	}
	if end >= len(s.text) || s.text[end] != '<' {
		if !s.budget.Spend(maxCommand) {
			return
		}
		_, stop := s.line(end)
		mark := strings.Trim(s.text[end:stop], " -'\"\\\r")
		first, last := s.line(min(stop+1, len(s.text)-1))
		if text := s.text[min(last+1, len(s.text)):]; mark != "" && last > first && strings.HasPrefix(strings.TrimLeft(text, "\t "), mark) {
			s.given(before, word{first, last})
		}
		return
	}
	words, _ := commandWords(s.text, end+1, min(len(s.text), end+1+mostBehind))
	if len(words) == 0 || !s.budget.Spend(mostBehind) {
		return
	}
	w := words[0]
	if strings.HasPrefix(s.text[w.start:w.end], "$'") {
		w.start += 2
	}
	s.given(before, w)
}

// given notes what a command is given, of user:password the password.
func (s *scanning) given(command string, w word) {
	value := s.text[w.start:w.end]
	if user := strings.IndexByte(value, ':'); user > 0 && strings.Contains(command, "chpasswd") {
		w.start += user + 1
	}
	if w.start < w.end && s.text[w.start] != '$' {
		s.commandSecret(w)
	}
}

// afterUser reads -p x behind -u name, whatever the command.
func (s *scanning) afterUser(start, end int) {
	near := strings.ToLower(s.text[max(0, start-80):start])
	s.budget.Spend(4 * len(near))
	near = near[strings.LastIndexAny(near, "\n;|&")+1:]
	if strings.Contains(near, " -u ") || strings.Contains(near, " --user ") || strings.Contains(near, " --username ") {
		s.notePassword(end, s.wordEnd(end))
	}
}

// echoed reads what a setting prints in place of asking for a password: --password-command 'echo x'.
func (s *scanning) echoed(start, end int) {
	if start == 0 || strings.IndexByte("'\"=`(", s.text[start-1]) < 0 {
		return
	}
	near := strings.ToLower(s.text[max(0, start-40):start])
	s.budget.Spend(3 * len(near))
	if near = near[strings.LastIndexByte(near, '\n')+1:]; strings.Contains(near, "pass") && (strings.Contains(near, "command") || strings.Contains(near, "askpass")) {
		s.notePassword(end, s.wordEnd(end))
	}
}

// pipedIn reads what is written to a command that asks for a password and for other things as well.
func (s *scanning) pipedIn(start, end int) {
	w, ok := s.written(start)
	if !ok {
		return
	}
	if command := s.text[start:end]; command == "chpasswd" {
		s.given(command, w)
	} else {
		s.notePassword(w.start, w.end)
	}
}

// sent reads what a script of expect answers to a question for a password.
func (s *scanning) sent(start, end int) {
	s.budget.Spend(300)
	if near := s.text[max(0, start-300):start]; !strings.Contains(near, "assword") && !strings.Contains(near, "assphrase") {
		return
	}
	stop := end
	for stop < len(s.text) && stop-end < mostBehind && strings.IndexByte("\"\\\r\n", s.text[stop]) < 0 {
		stop++
	}
	if value := s.text[end:stop]; !strings.HasPrefix(value, "$") {
		s.commandSecret(word{end, stop})
	}
}

// maxBetween is how many words may stand between a name and a password that ends what is said: the password of the mailbox x.
const maxBetween = 4

// atTheEnd finds a word that can be nothing but a password a few words behind its name, where what is said ends with it.
func (s *scanning) atTheEnd(end int) (at int, ok bool) {
	i := end
	for n := 0; n <= maxBetween && i < len(s.text) && s.text[i] == ' '; n++ {
		from := i + 1
		for i = from; i < len(s.text) && i-from < 64 && strings.IndexByte(" \n\t,;:?", s.text[i]) < 0; i++ {
			continue
		}
		word := strings.Trim(s.text[from:i], "`\"'.")
		s.budget.Spend(i - from)
		if Mixed(word) && strings.ContainsAny(word, "!@#$%^&*+=~") && passwordLike(word) {
			return from, n > 0 && (i == len(s.text) || s.text[i] != ' ')
		}
	}
	return nowhere, false
}
