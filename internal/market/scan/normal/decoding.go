package normal

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encoded decodes runs of base64 and of hexadecimal digits that hold text.
func encoded(t Text, view func(string, Text)) {
	for i := 0; i < len(t.B); {
		if !isBase64(t.B[i]) {
			i++
			continue
		}
		j, hex := i, true
		last := i // end of the run without trailing white space
		for j < len(t.B) && (isBase64(t.B[j]) || (t.B[j] == '\n' || t.B[j] == '\r') && last-i >= 60) {
			if t.B[j] > ' ' {
				hex = hex && isHex(t.B[j])
				last = j + 1
			}
			j++
		}
		run := t.Slice(i, last)
		if n := len(run.B); n >= 16 {
			if hex && n%2 == 0 {
				decodeHex(run, view)
			} else if n >= 20 {
				decodeBase64(run, view)
			}
		}
		i = max(last, j)
	}
	spacedHex(t, view)
}

func isBase64(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

func decodeBase64(t Text, view func(string, Text)) {
	upper, lower := false, false
	b := make([]byte, 0, len(t.B))
	for _, c := range t.B {
		switch {
		case c == '-':
			c = '+'
		case c == '_':
			c = '/'
		case c == '=' || c <= ' ':
			continue
		}
		upper = upper || 'A' <= c && c <= 'Z'
		lower = lower || 'a' <= c && c <= 'z'
		b = append(b, c)
	}
	if !upper || !lower {
		return
	}
	for skip := range 4 { // a window may begin inside a run
		if len(b)-skip < 16 {
			return
		}
		part := b[skip : len(b)-(len(b)-skip)%4]
		if (len(b)-skip)%4 >= 2 {
			part = b[skip:]
		}
		out, err := base64.RawStdEncoding.DecodeString(string(part))
		if err != nil {
			continue
		}
		if p, ok := decoded(out, t, 4, 3); ok {
			view(ViewBase64, p)
			return
		}
		if skip == 0 && len(b) < 4096 {
			return
		}
	}
}

func decodeHex(t Text, view func(string, Text)) {
	out := make([]byte, 0, len(t.B)/2)
	for i := 0; i+1 < len(t.B); i += 2 {
		out = append(out, unhex(t.B[i])<<4|unhex(t.B[i+1]))
	}
	if p, ok := decoded(out, t, 2, 1); ok {
		view(ViewHex, p)
	}
}

// spacedHex decodes "69 67 6e" and "0x69,0x67".
func spacedHex(t Text, view func(string, Text)) {
	for i := 0; i < len(t.B); {
		var out []byte
		j := i
		for j < len(t.B) {
			k := j
			if k+1 < len(t.B) && t.B[k] == '0' && t.B[k+1]|0x20 == 'x' {
				k += 2
			}
			if k+1 >= len(t.B) || !isHex(t.B[k]) || !isHex(t.B[k+1]) || k+2 < len(t.B) && (isLetter(t.B[k+2]) || isDigit(t.B[k+2])) {
				break
			}
			out = append(out, unhex(t.B[k])<<4|unhex(t.B[k+1]))
			k += 2
			for n := 0; n < 2 && k < len(t.B) && (t.B[k] == ' ' || t.B[k] == ',' || t.B[k] == ':' || t.B[k] == '\n'); n++ {
				k++
			}
			j = k
		}
		if len(out) >= 8 {
			if p, ok := decoded(out, t.Slice(i, j), 1, 1); ok {
				p.At[len(p.B)] = t.At[j]
				view(ViewHex, p)
			}
		}
		if j > i {
			i = j
			continue
		}
		for i < len(t.B) && (isLetter(t.B[i]) || isDigit(t.B[i])) {
			i++
		}
		i++
	}
}

// decoded takes bytes for text when they are printable and mostly letters. Each group of `from` source bytes
// made `to` of them.
func decoded(out []byte, source Text, from, to int) (Text, bool) {
	for len(out) > 0 && len(out) > 3 { // an unfinished character at either end
		if r, size := utf8.DecodeLastRune(out); r == utf8.RuneError && size == 1 {
			out = out[:len(out)-1]
			continue
		}
		break
	}
	letters, others := 0, 0
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && size == 1 && i > 3 {
			return Text{}, false
		}
		if unicode.IsLetter(r) || r == ' ' || '0' <= r && r <= '9' { // what is decoded may be base64 again
			letters++
		} else {
			others++
			if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
				return Text{}, false
			}
		}
		i += size
	}
	if letters < 6 || others > letters {
		return Text{}, false
	}
	w := newBuilder(len(out))
	for i, c := range out {
		w.byte(c, source.At[min(i/to*from, len(source.B))])
	}
	return w.text(end(source)), true
}

// Words that give a turned, rotated or misspelt text away: frequent ones, and those that attacks are made of.
var (
	keywords = strings.Fields(`the and you your for that with this from have are not but all what can will about which when
make them then these some would other into more only over also after most like than time because could there their should
please write tell give show repeat print output reveal display answer respond response reply question questions user users
ignore disregard forget previous prior above earlier instructions instruction rules rule guidelines prompt prompts system
message messages developer administrator admin mode access root bypass disable override safety filter filters restrictions
restriction policy policies content ethical moral unrestricted uncensored unfiltered limits pretend character roleplay
never always refuse must obey command commands execute password passwords secret secrets token tokens credentials private
send upload email server external data files file conversation history hidden initial original words exactly following
instead everything anything nothing without between before another assistant language model chatbot openai chatgpt
illegal hack malware weapon bomb drugs steal attack virus dangerous harmful explain describe detail details step steps
information context task tasks start begin enable activate switch behave acting answerer remember permanently future
session sessions silently secretly inform informing notify mention request requests comply confirm confirmation transfer
account money payment immediately important urgent security update environment variables configuration translate summarize
sentence sentences paragraph text story poem`)
	turnedWords = func() map[string]int {
		plain := map[string]bool{}
		for _, w := range keywords {
			plain[w] = true
		}
		for _, w := range strings.Fields("era tub won saw pots pets eman liame txet ton") {
			plain[w] = true
		}
		m := map[string]int{}
		for _, w := range keywords {
			rot, rev := []byte(w), []byte(w)
			for i := range rot {
				rot[i] = 'a' + (rot[i]-'a'+13)%26
				rev[len(w)-1-i] = w[i]
			}
			if !plain[string(rev)] {
				m[string(rev)] = 2
			}
			if !plain[string(rot)] {
				m[string(rot)] = 1
			}
		}
		return m
	}()
	scrambled = func() map[string]string {
		m := map[string]string{}
		for _, w := range keywords {
			if len(w) >= 5 {
				m[w] = w
				if s := string(signature([]byte(w), make([]byte, 0, 24))); m[s] == "" {
					m[s] = w
				}
			}
		}
		return m
	}()
	// cjkPairs are neighbours in frequent words: 1 turned round, -1 as they are written.
	cjkPairs = func() map[[2]rune]int {
		m := map[[2]rune]int{}
		for _, w := range strings.Fields(`忽略 指令 之前 以上 提示 系统 规则 指示 无视 無視 限制 制限 用户 告诉 角色 什么 要求 密码 回答 所有 设定 输出 现在 没有 可以 不要 请你 你的 发送
が プロ ロン ンプ プト シス ステ テム ルー ール 表示 命令 以前 上記 これ まで です ます して くだ ださ さい いて ない から ある した する とを`) {
			r := []rune(w)
			if len(r) != 2 {
				continue
			}
			m[[2]rune{r[0], r[1]}] = -1
			if back := [2]rune{r[1], r[0]}; m[back] == 0 {
				m[back] = 1
			}
		}
		return m
	}()
)

// signature is a word's first and last letter with the sorted ones between them.
func signature(word, into []byte) []byte {
	into = append(into[:0], word...)
	slices.Sort(into[1 : len(into)-1])
	return append(into, '~')
}

// rotated finds lines that are rot13 or written backwards.
func rotated(t Text, view func(string, Text)) {
	lines(t, func(line Text) {
		rot, rev, words := 0, 0, 0
		for i := 0; i < len(line.B); {
			if !isLetter(line.B[i]) {
				i++
				continue
			}
			var word [16]byte
			n := 0
			for ; i < len(line.B) && isLetter(line.B[i]); i++ {
				if n < len(word) {
					word[n] = line.B[i] | 0x20
				}
				n++
			}
			words++
			if n < len(word) {
				switch turnedWords[string(word[:n])] {
				case 1:
					rot++
				case 2:
					rev++
				}
			}
		}
		if few := words < 16; rot >= 2 && rot*8 >= words || few && rot >= 1 && rot*5 >= words {
			w := newBuilder(len(line.B))
			for i, c := range line.B {
				if isLetter(c) {
					base := c&0x20 | 'A'
					c = base + (c-base+13)%26
				}
				w.byte(c, line.At[i])
			}
			view(ViewRot13, w.text(end(line)))
		}
		if rev < 2 && words*8 < len(line.B) && len(line.B) < 8192 {
			rev += turnedPairs(line.B)
		}
		if few := words < 16 && len(line.B) < 300; rev >= 2 && rev*8 >= words || few && rev >= 1 && rev*5 >= words {
			view(ViewReversed, reverse(line))
		}
	})
}

// turnedPairs counts pairs of characters that stand the wrong way round, less those that stand right.
func turnedPairs(b []byte) (n int) {
	var last rune
	for i := 0; i < len(b); {
		if b[i] < 0xe3 {
			last = 0
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if last != 0 {
			n += cjkPairs[[2]rune{last, r}]
		}
		last = r
		i += size
	}
	return n
}
