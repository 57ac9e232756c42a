package detect

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Bounds of encoded runs, in bytes.
const (
	minRun = 24        // shorter runs of base64 hold no secret worth the name
	minID  = 18        // the first part of a Discord token is as long, or longer
	MaxRun = 256 << 10 // what is decoded of one run
)

// EncodedByte tells which bytes stand in encoded runs.
var EncodedByte = func() (t [256]bool) {
	for c := range 256 {
		b := byte(c)
		t[c] = isAlnum(b) || strings.IndexByte("+/_-", b) >= 0
	}
	return t
}()

// runs looks under encodings: every long run of base64 or hexadecimal digits is decoded and, when text comes out,
// searched; one that holds a secret is taken as a whole. Bot tokens of Discord, which have no fixed part, are found here too.
func (s *scanning) runs() {
	text := s.text
	for i := minID - 1; i < len(text); i += minID {
		if !EncodedByte[text[i]] {
			continue
		}
		start := i
		for start > 0 && EncodedByte[text[start-1]] && i-start < minID {
			start--
		}
		end := i + 1
		for end < len(text) && EncodedByte[text[end]] {
			end++
		}
		if end-start >= minID {
			s.run(start, end)
		}
		i = max(i, end-1)
	}
}

func (s *scanning) run(start, end int) {
	s.dotted(start, end)
	s.shaped(start, end)
	if s.depth >= MaxDepth || end-start < minRun {
		return
	}
	padded := end
	for padded < len(s.text) && s.text[padded] == '=' && padded-end < 6 { // of base32; of base64 there are two
		padded++
	}
	if !s.budget.Spend(10 * (end - start)) {
		return
	}
	for _, decoded := range decodings(s.text[start:min(end, start+MaxRun)]) {
		inner := s.e.Scan(decoded, "", s.depth+1, s.budget)
		if len(inner) == 0 {
			continue
		}
		values := []string{s.text[start:end]}
		for _, in := range inner {
			values = append(values, in.Values...)
		}
		s.add(start, padded, "encoded", "holds, base64 or hex encoded, something that "+inner[0].Why, values...)
		return
	}
}

// decodings gives the readable texts that a run may stand for.
func decodings(run string) []string {
	var out []string
	if text, ok := base32Of(run); ok {
		return []string{text}
	}
	if len(run)%2 == 0 {
		if b, err := hex.DecodeString(run); err == nil && Readable(b) {
			return []string{string(b)}
		}
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	for cut := 0; cut < 4 && len(run)-cut >= minRun; cut++ { // a run may have letters of its surroundings in front
		body := run[cut:]
		body = body[:len(body)-len(body)%4+tailOf(len(body)%4)]
		head, err := encoding.DecodeString(body[:min(len(body), 24)&^3])
		if err != nil {
			continue
		}
		if !Readable(head) {
			if cut == 0 {
				if b, err := encoding.DecodeString(body); err == nil {
					if text, ok := Unpacked(b); ok {
						return []string{text}
					}
				}
			}
			continue
		}
		if b, err := encoding.DecodeString(body); err == nil && Readable(b) {
			out = append(out, string(b))
			if cut == 0 {
				break
			}
		}
	}
	return out
}

// tailOf is how many characters of an incomplete last group can be decoded.
func tailOf(rest int) int {
	if rest == 1 {
		return 0
	}
	return rest
}

// Readable is text rather than noise: valid UTF-8 almost to the end, with few control characters.
func Readable(b []byte) bool {
	for cut := 0; cut < 4 && len(b) > 0 && !utf8.Valid(b); cut++ {
		b = b[:len(b)-1]
	}
	if len(b) < 8 || !utf8.Valid(b) {
		return false
	}
	bad := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			bad++
		}
	}
	return bad*50 <= len(b)
}

// dotted recognises the three parts of a Discord bot token: a numeric id in base64, a time, a signature.
func (s *scanning) dotted(start, end int) {
	if end-start > 30 || end >= len(s.text) || s.text[end] != '.' {
		return
	}
	a := end + 1
	b := a
	for b < len(s.text) && EncodedByte[s.text[b]] && b-a < 8 {
		b++
	}
	if b-a < 6 || b-a > 7 || b >= len(s.text) || s.text[b] != '.' {
		return
	}
	c := b + 1
	for c < len(s.text) && EncodedByte[s.text[c]] && c-b < 80 {
		c++
	}
	id, err := base64.RawURLEncoding.DecodeString(s.text[start : start+(end-start)])
	if c-b-1 < 27 || err != nil || strings.Trim(string(id), "0123456789") != "" {
		return
	}
	s.add(start, c, "discord-bot-token", "looks like a Discord bot token", s.text[start:c])
}
