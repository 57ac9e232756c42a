package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The verifier finds a known value in every encoding, in JSON and in other texts.
func TestVerifyEncodings(t *testing.T) {
	e := New()
	r := rand.New(rand.NewPCG(1, 1))
	for _, secret := range []string{drawMixed(r, alnum, 12), "p@ss w/ö&rd <" + draw(r, alnum, 6), drawMixed(r, lowNum, 6), "秘密" + draw(r, "0123456789", 7)} {
		quoted, _ := json.Marshal(secret)
		var escaped, upper strings.Builder
		for _, c := range secret {
			fmt.Fprintf(&escaped, `\u%04x`, c)
			fmt.Fprintf(&upper, `\u%04X`, c)
		}
		forms := map[string]string{
			"raw": secret, "json": string(quoted[1 : len(quoted)-1]), "escaped": escaped.String(), "upper": upper.String(), "half": `\u` + fmt.Sprintf("%04x", []rune(secret)[0]) + string([]rune(secret)[1:]),
			"query": url.QueryEscape(secret), "path": url.PathEscape(secret), "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		}
		for shift := range 3 {
			forms[fmt.Sprint("base64 ", shift)] = base64.StdEncoding.EncodeToString([]byte("xyz"[:shift] + secret + "tail"))
			forms[fmt.Sprint("base64url ", shift)] = base64.URLEncoding.EncodeToString([]byte("\xff\xfe\xfd"[:shift] + secret))
		}
		for name, form := range forms {
			for file, out := range map[string]string{"a.txt": "one\ntwo " + form + " three", "s.json": `{"a": {"b": ["x ` + strings.ReplaceAll(form, `"`, `\"`) + ` y"]}}`} {
				f := e.Verify([]byte(out), file, []string{secret, "unrelated1"})
				if len(f) == 0 {
					t.Errorf("%q as %s in %s is not found: %s", secret, name, file, out)
				} else if file == "a.txt" && f[0].Line != 2 && name != "half" {
					t.Errorf("%s in %s: %v", name, file, f)
				}
			}
		}
	}
	if f := e.Verify([]byte(`{"a":{"b":"c", "model": "gpt-5"}}`), "s.json", []string{"unrelated1", "short", "model"}); len(f) > 0 {
		t.Errorf("found %v in nothing", f)
	}
	if f := e.Verify([]byte(`{"a":{"password":"`+drawMixed(r, alnum, 12)+`"}}`), "sections/s.json", nil); len(f) != 1 || f[0].Path != "s.a.password" {
		t.Errorf("%v", f)
	}
}

// Time is linear in the output and in the known values, also when they are made to collide.
func TestVerifyScales(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("a measurement")
	}
	size := 8 << 20
	if everything {
		size = 64 << 20
	}
	r := rand.New(rand.NewPCG(2, 2))
	known := make([]string, 10_000)
	for i := range known {
		known[i] = draw(r, alnum, 8+r.IntN(60))
	}
	start := time.Now()
	f := newFinder(known)
	t.Logf("%d forms in %v", len(f.forms), time.Since(start))
	text := proseText(size)
	start = time.Now()
	if found := knownIn(f, text, "a", false); len(found) > 0 {
		t.Errorf("%v", found)
	}
	t.Logf("%d MiB against 10,000 known values in %v", size>>20, time.Since(start))
}
