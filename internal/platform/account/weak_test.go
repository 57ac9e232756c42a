package account

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWeakPasswords(t *testing.T) {
	for _, password := range []string{
		"            ", "a           b", "aaaaaaaaaaaa", "abababababab", "abcabcabcabc", "password1234", "Password1234!", "P@ssw0rd12345", "123456789012", "qwertyuiop123", "1qaz2wsx3edc",
		"iloveyou2024!", "adminadmin123", "Welcome2024!!", "letmein123456", "QwErTyUiOp!@#", "passwordpassword", "dragon-dragon", "monkey123monkey", "zxcvbnm,./123", "abcdefghijkl", "111222333444",
		"ada-lovelace1", "Ada-Lovelace2026", "ada-lovelace!!", "sunshine 2026", "motdepasse123", "changeme12345", "woaini1314520", "pa55w0rd2026!", "administrator1", "football12345", "qazwsxedc123",
	} {
		if Weak(password, "ada-lovelace", "stoa") == "" {
			t.Errorf("%q passes with %d parts", password, parts(strings.ToLower(password), []string{"ada-lovelace"}))
		}
	}
	for _, password := range []string{
		"correct horse battery", "another long password", "kettle-violin-octopus", "mein Fahrrad quietscht", "ㄅㄆㄇㄈ我們都愛吃火鍋", "パスワードは秘密です", "tr0ub4dor&3xyz", "xK9#mQ2$vL7p", "vier Gurken im Glas",
		"der-8te-Stuhl-links", "not the password", "0f3a9c1b7e2d",
	} {
		if why := Weak(password, "ada-lovelace", "stoa"); why != "" {
			t.Errorf("%q: %s (%d parts)", password, why, parts(strings.ToLower(password), nil))
		}
	}
	for range 1000 {
		if password := NewPassword(); Weak(password) != "" {
			t.Errorf("a generated password is weak: %s", password)
		}
	}
}

// The bounds are where they are said to be.
func TestWeakAtItsBounds(t *testing.T) {
	for text, want := range map[string]int{
		"abc": 2, "jxq": 3, "jxqv": 4, "qwer": 1, "2026": 1, "20268": 2, "dragon": 2, "d r a g o n": 6, "": 0, "  ": 0, "dr4gon": 2, "7x": 2, "12": 1, "jjjjjjjj": 1,
	} {
		if got := parts(text, nil); got != want {
			t.Errorf("%q has %d parts, want %d", text, got, want)
		}
	}
	if why := Weak("mvzkxzmvkxkz"); why != "" { // five different characters
		t.Error(why)
	}
	if why := Weak("mvzkzzmvkvkz"); why != TooRepetitive { // four
		t.Errorf("four different characters: %q", why)
	}
	if why := Weak("mvzkxqmvzkxq"); why != "" { // twice six
		t.Errorf("twice half of the shortest password: %q", why)
	}
	if why := Weak("mvzkxmvzkxmv"); why != TooRepetitive { // five, again and again
		t.Errorf("five characters, again and again: %q", why)
	}
	if why := Weak("jxqvkzwhpbd"); why != TooRepetitive { // eleven
		t.Errorf("too short: %q", why)
	}
}

// Any text is judged, without a panic, and has at most as many parts as characters.
func TestWeakOnAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "password")
		Weak(text, "ada")
		if n := parts(text, nil); n > utf8.RuneCountInString(text) {
			t.Errorf("%d parts of %d characters", n, utf8.RuneCountInString(text))
		}
	})
}
