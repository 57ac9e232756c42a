package account_test

import (
	"regexp"
	"strings"
	"testing"

	"stoa/internal/platform/account"
)

func TestAPasswordIsReadAloudInFourGroupsOfFive(t *testing.T) {
	shape := regexp.MustCompile(`^[a-z2-9]{5}(-[a-z2-9]{5}){3}$`)
	for range 20 {
		if made := account.NewPassword(); !shape.MatchString(made) || strings.ContainsAny(made, "ilo01") {
			t.Errorf("%q is no four groups of five letters that cannot be mistaken", made)
		}
	}
}

func TestATokenOfAProgramIsToldByItsWholeForm(t *testing.T) {
	made := account.NewAPIToken()
	for text, want := range map[string]bool{made: true, made + "A": false, made[:len(made)-1]: false, strings.TrimPrefix(made, "stoa_"): false, account.NewToken(): false, "stoa_": false, "": false} {
		if account.IsAPIToken(text) != want {
			t.Errorf("%q is a program's token: %v", text, !want)
		}
	}
}

func TestAProgramIsNamedInPrintableLetters(t *testing.T) {
	for header, want := range map[string]string{"curl/8.1 (x)": "curl/8.1", "a\x7fb~!\x1f/1": "ab~!/1", "wgét/1": "wgt/1"} {
		if got := account.DescribeAgent(header); got != want {
			t.Errorf("%q is shown as %q, not %q", header, got, want)
		}
	}
}
