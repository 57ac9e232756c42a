package detect

import (
	"strings"
	"testing"
)

// What texts cost in units of a budget. The numbers bound what strangers can make a server do (tests/hostile/cost measures that a unit is
// about a nanosecond), so a reader that looks at more, or forgets to count what it looks at, shows here.
var costs = []struct {
	text  string
	units int64
}{
	{"plain words of no importance", 168},
	{"password: apple9", 1398},
	{"password: |\n  apple9\n  pear88\nx: y", 1800},
	{"password: \"apple9 is never closed{ xy*40}", 3094},
	{"passwords: [apple9, pear88]", 1566},
	{"passwords:\n- apple9\n- pear88\n", 1618},
	{"| service | password |\n|---|---|\n| a | apple9 |\n| b | pear88 |\n", 1898},
	{"service,password\na,apple9\n", 1530},
	{"# Password\n\napple9\n", 2066},
	{"INSERT INTO users (name, password) VALUES ('bot', 'apple9')", 1656},
	{"mysql -u bot -papple9x shop", 791},
	{"mysql -u bot -papple9x mysql -u eve", 1463},
	{"echo apple9 | sudo -S reboot", 1388},
	{"nmcli wifi password Apple9xyzq and some more words", 1716},
	{"the password of the old mailbox of mine", 1455},
	{"{\"kty\":\"RSA\",\"d\":\"{w40}\"}", 1872},
	{"kind: Secret\ndata:\n  x: apple\n", 2057},
	{"{a40} and {h40}", 1310},
	{"https://bot:apple9x@example.org/a?token={a16}#x", 4211},
	{"https://example.org/?u=https://inner.example.org/x", 4266},
	{"bot:apple9x@example.org:3306", 786},
	{"rpa_{a40}", 1988},
	{"acme_sk_{a24}", 2128},
	{"%41%42%43%44 and words", 392},
	{"&#65;&#66; and words", 352},
	{"login: bot / {p12}", 992},
	{"login page, then / more", 842},
	{"winrm -u bot -p {p12}", 1020},
	{"restic --password-command 'echo {p12}'", 2355},
	{"expect \"password:\"; send \"apple9\\r\"", 2584},
	{"kinit bot <<< apple9x", 2845},
	{"kinit bot <<EOF\napple9x\nEOF", 2631},
	{"use {p12} to log in", 960},
	{"unlock it with {p12}", 1566},
	{"Bearer {a24}", 2154},
	{"gitlab_token = {a24}", 3042},
	{"ghp_{a36}", 19880},
	{"my vendor api_key = {a24};", 5318},
	{"-----BEGIN PRIVATE KEY-----", 7470},
	{"facebook secret and twitter = no", 1411},
	{"heroku_key: 0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", 5940},
	{"glpat-{w20} glpat-{w20}", 6102},
	{"sk-{a48}", 6035},
	{"eyJ{a30}.eyJ{a30}.{a30}", 51626},
	{"?X-Amz-Signature={h64}", 6054},
	{"123456789:AA{w33}", 2465},
	{"SK{h32} and dapi{h32}", 6660},
	{"contentful adobe_id = {h32}", 2556},
	{"{l26}.apps key pat{a14}.{h64}", 7434},
	{"sonar-login: {a40} dropbox={a15}", 4957},
}

func TestWhatTextsCost(t *testing.T) {
	for _, c := range costs {
		b := &Budget{Left: 1 << 40}
		shared.Scan(filled(c.text), "", 0, b)
		if cost := 1<<40 - b.Left; cost != c.units {
			t.Errorf("%q costs %d units, not %d", c.text, cost, c.units)
		}
	}
	long := &Budget{Left: 1 << 40}
	shared.Scan(strings.Repeat("plain words ", 1000), "", 0, long)
	if cost := 1<<40 - long.Left; cost != 12_000*literalWork {
		t.Errorf("plain words cost %d units", cost)
	}
}
