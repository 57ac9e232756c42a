package accounts

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/platform/store/memberdb"
)

// Words of others begin no line of a mail, whichever of its fields they come in and whichever character breaks their lines.
func TestWordsOfOthersBeginNoLine(t *testing.T) {
	const base = "https://stoa.example.org"
	for locale, words := range mailTexts {
		for kind := range words.subjects {
			_, plain := mailWords(locale, memberdb.Delivery{Kind: kind, Target: "ada/garden", Message: "New words.", Page: "/market?item=ada/garden"}, base)
			lines := strings.Count(plain, "\n")
			for _, br := range []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\n\n"} {
				forged := br + words.open + "https://evil.example" + br
				for _, one := range []memberdb.Delivery{
					{Target: "ada/garden", Message: "New words." + forged},
					{Target: "ada/garden", Message: forged},
					{Target: "ada/garden" + forged, Message: "New words."},
				} {
					one.Kind, one.Page = kind, "/market?item=ada/garden"
					subject, body := mailWords(locale, one, base)
					if strings.Count(body, "\n") != lines || strings.ContainsAny(subject+body, "\r\v\f\u0085\u2028\u2029") || strings.Contains(subject, "\n") {
						t.Errorf("%s, %s: %q breaks a line of %q", locale, kind, br, body)
					}
					opening := slices.DeleteFunc(strings.Split(body, "\n"), func(line string) bool { return !strings.HasPrefix(line, words.open) })
					if !slices.Equal(opening, []string{words.open + base + one.Page}) {
						t.Errorf("%s, %s, %q: lines with an address %q", locale, kind, br, opening)
					}
				}
			}
		}
	}
}
