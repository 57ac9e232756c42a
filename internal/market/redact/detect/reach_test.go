package detect

import (
	"strings"
	"testing"
)

// How far a reader looks: what stands as far from its name as that is found, and one byte further it is not. The bounds keep the work on
// a text small; that they are where they are said to be keeps a slip from making them nothing.
func TestHowFarReadersLook(t *testing.T) {
	checkMarked(t, []marked{
		{"key-name", "password:{ *64}⟦apple9⟧"},
		{"", "password:{ *65}apple9"},
		{"authorization", "Basic   ⟦Ym90OmFwcGxlOXg=⟧"},
		{"key-name", "Password ({x*36}): ⟦apple9⟧"},
		{"", "Password ({x*38}): apple9"},
		{"key-name", "a |{ *189}password | ⟦apple9⟧ |"},
		{"key-name", "password: &{x*63} ⟦apple9⟧"},
		{"key-name", "password: ⟦&{a64}⟧ apple9"},
		{"key-name", "?a={x*83}&password=⟦apple9⟧&b=c"},
		{"key-name", "<password {x*119}>⟦apple9⟧</password>"},
		{"", "<password {x*120}>apple9</password>"},
		{"key-name", "<password>{ *16}⟦apple9⟧</password>"},
		{"sql-password", "CREATE USER bot IDENTIFIED BY '⟦{a198}⟧';"},
		{"", "CREATE USER bot IDENTIFIED BY '{a199}';"},
		{"sql-password", "CREATE USER bot IDENTIFIED {x*47} BY '⟦apple9⟧';"},
		{"", "CREATE USER bot IDENTIFIED {x*48} BY 'apple9';"},
		{"wifi-password", "WIFI:S:{x*289};P:⟦apple⟧"},
		{"", "WIFI:S:{x*299};P:apple"},
		{"sign-in", "{x*3} | winrm -u {x*75} -p ⟦{p12}⟧"},
		{"", "winrm -u {x*77} -p {p12}"},
		{"sign-in", "login: {u*64}/⟦{p12}⟧"},
		{"", "login: {u*65}/{p12}"},
		{"url-login", "a ⟦{u*64}:{a127}⟧@example.org:3306"},
		{"vendor-key", "⟦{a60}JQQJ99{a14}⟧"},
		{"vendor-key", "⟦{a52}JQQJ99{a34}⟧"},
		{"", "{a53}JQQJ99{a34}"},
		{"", "{a37}JQQJ99{a28}"},
		{"worded-key", "⟦{x*23}_sk_{a24}⟧"},
		{"", "{x*24}_sk_{a24}"},
		{"worded-key", "⟦acme_sk_{a299}⟧"},
		{"vendor-key", "⟦prod:{x*57}|{a40}⟧"},
		{"vendor-key", "⟦secret_{x*58}_{h32}.{a32}⟧"},
		{"key-name", "the password of {x*48} is ⟦apple9⟧"},
		{"", "the password of {x*49} is apple9"},
		{"key-name", "password: \"⟦apple 9xyz⟧\"{ *64}}"},
		{"key-name", "insert into t ({x,*255}password) values ({1,*255}'⟦apple9⟧')"},
		{"", "insert into t ({x,*257}password) values ({1,*257}'apple9')"},
		{"key-name", "insert into t (password{,x*255}) values ('⟦apple9⟧'{,1*255})"},
		{"", "insert into t (password{,x*257}) values ('apple9'{,1*257})"},
		{"command-option", "expect \"password:\"{;*290}send \"⟦apple9⟧\""},
		{"", "expect \"password:\"{;*293}send \"apple9\""},
		{"command-option", "curl {x *62}-u bot:⟦apple9x⟧"},
		{"", "curl {x *63}-u bot:apple9x"},
		{"key-name", "# {x*57} Password\n\n⟦apple9⟧\n"},
		{"", "# {x*58} Password\n\napple9\n"},
		{"command-option", "{x*20} kinit {x*150} <<< ⟦apple9⟧"},
		{"", "kinit {x*155} <<< apple9"},
		{"sign-in", "--password-command{ *20}'echo ⟦{p12}⟧'"},
		{"", "--password-command{ *25}'echo {p12}'"},
		{"discord-bot-token", "⟦MTIzNDU2Nzg5MDEyMzQ1Njc4.{a6}.{a79}⟧ x"},
		{"kubernetes-secret", "kind: Secret\n{x*8160}\ndata:\n  x: ⟦apple⟧"},
		{"", "kind: Secret\n{x*8192}\ndata:\n  x: apple"},
		{"jwk", "{\"kty\":\"RSA\",{x*2015}\"d\":\"⟦{w20}⟧\"}"},
		{"", "{\"kty\":\"RSA\",{x*2050}\"d\":\"{w20}\"}"},
		{"key-name", "machine {x*219} login a password ⟦apple9⟧"},
		{"", "machine {x*227} login a password apple9"},
	})
}

// Of long lists, tables and blocks so many entries are read.
func TestHowManyEntriesAreRead(t *testing.T) {
	for _, c := range []struct {
		front, entry, behind string
		want                 int
	}{
		{"passwords:\n", "- apple9\n", "", 64},
		{"passwords: [", "apple9, ", "]", 64},
		{"password: |\n", "  apple9\n", "", maxListItems},
		{"accounts:\n", filled("- bot / {p12}\n"), "", maxListItems},
		{"service,password\n", "a,apple9\n", "", 200},
		{"| a | password |\n|---|---|\n", "| a | apple9 |\n", "", maxRows},
		{"INSERT INTO t (a, password) VALUES ", "(1, 'apple9'), ", ";", maxRows},
		{"kind: Secret\ndata:", "\n  x: apple", "", maxRows},
	} {
		for n, want := range map[int]int{c.want: c.want, c.want + 5: c.want} {
			if got := len(shared.Scan(c.front+strings.Repeat(c.entry, n)+c.behind, "", 0, nil)); got != want {
				t.Errorf("%d times %q behind %q: %d are found, not %d", n, c.entry, c.front, got, want)
			}
		}
	}
}
