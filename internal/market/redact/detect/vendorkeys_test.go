package detect

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// lengths are the bodies of vendors' keys, written down a second time: the shortest, the longest (0: any) and the prefixes. A slip in
// one of the two tables shows, however rare the vendor is.
const lengths = `
13 13 keyA
14 32 rzp_live_
16 16 endr+
16 40 AVNS_
20 0 n8n_api_ ya29.
20 32 dataset- ak_
20 40 dckr_pat_
20 48 fw_ esecret_ bb_live_ sk-helicone- dckr_oat_ ucat_
20 60 sctp
20 64 sb_secret_
20 80 fastgpt- ragflow- tskey-
20 120 ALTAK-
20 300 xoxc-
20 600 xoxd-
22 22 ak- as- sq0atp-
24 30 EXO
24 36 NRAK-
24 40 BSA GOCSPX- $apr1$
24 48 exa_ rnd_ ATBB re_
24 60 SCT
24 64 vcp_ vck_ vca_
24 80 AKLT AKTP mat_ whsec_
24 200 syt_
26 26 da2-
28 28 aio_
28 32 tk_
28 40 NRII-
28 64 tvly-dev- tvly-prod-
28 80 {SSHA}
30 0 hf_oauth_
30 30 oauth:
30 40 ls__ AT_ pat-na1- pat-na2- pat-eu1- pat-ap1-
30 44 AQVN
30 48 apify_api_ nfp_ nfc_ nfo_
30 60 lsv2_pt_ lsv2_sk_
30 64 SCU
30 80 AQ.Ab cfut_ cfat_ cfk_
30 100 wandb_v1_
30 160 1//0
32 32 fc- cio key-
32 34 o.
32 40 sk-lf- FLWSECK- FLWSECK_TEST-
32 48 m0-
32 60 figd_ figdr_
32 64 e2b_ csk- tgp_v1_ sess- rpa_
32 120 bce-v3/ALTAK-
35 35 live_
36 36 ms- ddp_ xaat- sdk- access-production-
36 48 pk_
36 60 glpat- dp.ct.
36 64 pa- phx_ phs_
36 80 dp.st.
40 0 bedrock-api-key-
40 40 sbp_ squ_ sqp_ sqa_ bkua_
40 48 CFPAT- nk- secret_
40 60 ntn_
40 64 sk_ tfp_
40 80 napi_ y0_ lin_oauth_ hcaik_
40 90 nvapi- jina_ CCIPAT_ CCIPRJ_ $5$
40 100 pcsk_
40 120 $y$
40 140 sk-ant-oat01-
40 300 $argon2 $scrypt$ $pbkdf2
43 43 oy2 sq0csp-
45 45 configcat-sdk-1/
50 60 PMAK-
51 51 cnvca
52 52 cog_
56 56 $2a$ $2b$ $2y$
58 58 nsec1
60 0 vk1.a. sk.eyJ tk.eyJ sl. sl.u. sntrys_
60 90 ATTA
60 140 $6$
60 160 AAAAAAAAAAAAAAAAAAAAA
60 200 essu_
60 300 hvb. hvr. ATATT3 ATCTT3
60 400 EAA IGAA IGQV THAA
63 63 CCDB1_
64 64 SEC sntryu_
64 100 xkeysib-
80 100 mfa.
80 200 apk_
80 300 RWRTY0Iy RWRCSw
100 112 xprv yprv zprv
`

func TestLengthsOfVendorsKeys(t *testing.T) {
	known := map[string]vendorKey{}
	for _, k := range vendorKeys {
		known[k.prefix] = k
	}
	r := rand.New(rand.NewPCG(3, 1))
	for line := range strings.Lines(strings.TrimSpace(lengths)) {
		f := strings.Fields(line)
		shortest, longest := number(f[0]), number(f[1])
		for _, prefix := range f[2:] {
			k, ok := known[prefix]
			if !ok {
				t.Errorf("%s is not known", prefix)
				continue
			}
			delete(known, prefix)
			tries := map[int]bool{shortest - 1: false, shortest: true, 700: longest == 0}
			if longest > 0 {
				tries[longest], tries[longest+1] = true, false
			}
			for n, want := range tries {
				text := prefix + drawn(r, strings.Trim(k.alphabet, "_-./+=%$,"), n)
				if strings.HasPrefix(prefix, "$") { // so that no name of a variable stands behind the sign
					text = text[:len(prefix)+1] + "$" + text[len(prefix)+2:]
				}
				s := &scanning{text: text + " "}
				k.reader()(s, 0, len(prefix))
				if got := len(s.spans) == 1 && s.spans[0].End == len(text); got != want {
					t.Errorf("%s and %d more: found %v", prefix, n, got)
				}
			}
		}
	}
	for prefix := range known {
		t.Errorf("%s has no lengths here", prefix)
	}
}

func TestVendorsKeys(t *testing.T) {
	checkMarked(t, []marked{
		{"vendor-key", "⟦rpa_{a40}⟧"},
		{"vendor-key", "Use ⟦rpa_{a40}⟧. Then wait."},
		{"vendor-key", "(⟦rpa_{a40}⟧)…"},
		{"vendor-key", "It is ⟦sk.eyJ{a60}⟧. Then"},
		{"vendor-key", "It is ⟦cfut_{a40}⟧_-."},
		{"vendor-key", "é⟦rpa_{a40}⟧é"},
		{"", "RPA_{a40}"}, // another word than the vendor's
		{"", "xrpa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		{"", "rpa_" + strings.Repeat("a1", 20)}, // two characters again and again
		{"", "rpa_abcdefghijklmnopqrstuvwxyzabcdefghijklmn"},
		{"", "squ_{h40}f"}, // of one length alone
		{"vendor-key", "⟦squ_{h40}⟧;"},
		{"vendor-key", "⟦$2b$12$" + strings.Repeat("Ab3d5", 10) + "xyz⟧"},
		{"vendor-key", "x⟦$2b$12$" + strings.Repeat("Ab3d5", 10) + "xyz⟧"}, // the sign begins a key wherever it stands
		{"vendor-key", "⟦1//0{w60}⟧"},
		// inside and between
		{"vendor-key", "⟦{a42}JQQJ99{a10}AAAB{a20}⟧"},
		{"vendor-key", "\"⟦{a38}JQQJ99{a28}⟧\""},
		{"vendor-key", "⟦{a58}JQQJ99{a28}⟧"},
		{"", "{l37}JQQJ99{l28}"},
		{"", "{l38}jqqj99{l28}"},
		{"vendor-key", "⟦{h8}%2C17{d8}%2C{h5}*b1⟧; x"},
		{"vendor-key", "⟦{h8},18{d8},{h4}*b1c⟧"},
		{"vendor-key", "⟦{h8}%2c17{d8}%2c{h6}%2ab1⟧"},
		{"", "{h8},18{d7},{h5}*b1"},
		{"", "{h8},18{d9},{h5}*b1"},
		{"", "{h8},18{d8},{h3}*b1"},
		{"", "{h8},18{d8},{h7}*b1"},
		{"", "{h8},18{d8};{h5}*b1"},
		{"", "{h7},18{d8},{h5}*b1"},
		{"", "x{h8},18{d8},{h5}*b1"},
		{"", "wxyzwxyz,18{d8},{h5}*b1"},
	})
}

// Keys that their parts alone tell: so many characters of such an alphabet on each side of a sign.
func TestShapesOfKeys(t *testing.T) {
	checkMarked(t, []marked{
		{"vendor-key", "a ⟦{h32}-{h8}-{h8}⟧ b"}, // Mailgun
		{"", "{h31}-{h8}-{h8}"},
		{"", "{h32}-{h8}-{h9}"},
		{"", "{h32}-{h7}-{h9}"},
		{"", "{h32}g{h8}-{h8}"},
		{"vendor-key", "⟦{h32}-us6⟧"}, // Mailchimp
		{"vendor-key", "⟦{h32}-us21⟧"},
		{"", "{h32}-us213"},
		{"", "{h32}-us2x"},
		{"", "{h32}-eu21"},
		{"vendor-key", "⟦0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9:{h32}⟧"}, // fal
		{"vendor-key", "⟦0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9:{h32}⟧."},
		{"", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9:{h31}"},
		{"", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9:{h32}f"},
		{"", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9 {h32}"},
		{"vendor-key", "⟦{h32}.{a16}⟧ b"}, // Zhipu
		{"vendor-key", "⟦{h32}.{a16}⟧"},
		{"", "{h32}.{a15}"},
		{"", "{h32}.{a17}"},
		{"", "{h32}.aaaaaaaaaaaaaaaa"},
		{"", "{h31}.{a16}"},
		{"vendor-key", "⟦2/1234567890123456/1234567890123456:{h32}⟧"}, // Asana
		{"vendor-key", "⟦1/1234567890123456/1234567890123456:{h32}⟧ x"},
		{"", "3/1234567890123456/1234567890123456:{h32}"},
		{"", "2/1234567890123456/1234567890123456:{h31}"},
		{"", "2/1234567890123456/123456789012345x:{h32}"},
		{"", "2/1234567890123456/1234567890123456:x{h31}"},
		{"", "2/1234567890123456/1234567890123456:{h31}x"},
		{"", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9:x{h31}"},
		{"vendor-key", "⟦prod:happy-otter-123|{a80}==⟧"}, // Convex
		{"vendor-key", "x ⟦dev:otter|{a40}⟧ y"},
		{"vendor-key", "⟦preview:otter|{a40}=⟧"},
		{"", "other:happy-otter-123|{a80}"},
		{"", "prod:happy-otter-123|{a39}"},
		{"vendor-key", "⟦secret_default_{h32}.{a32}⟧"}, // Lambda
		{"vendor-key", "⟦aB3xY9qW.{a32}⟧"},             // Baseten
		{"", "aB3xY9q.{a32}"},
		{"", "aB3xY9qWz.{a32}"},
		{"", "ab3xy9qw.{a32}"},
		{"", "AB3XY9QW.{a32}"},
		{"discord-bot-token", "⟦MTIzNDU2Nzg5MDEyMzQ1Njc4.{a6}.{a38}⟧ x"},
		{"discord-bot-token", "⟦MTIzNDU2Nzg5MDEyMzQ1Njc4.{a7}.{a27}⟧"},
		{"", "MTIzNDU2Nzg5MDEyMzQ1Njc4.{a5}.{a38}"},
		{"", "MTIzNDU2Nzg5MDEyMzQ1Njc4.{a8}.{a38}"},
		{"", "MTIzNDU2Nzg5MDEyMzQ1Njc4.{a6}.{a26}"},
		{"", "aGVsbG9faGVsbG9faGVsbG8h.{a6}.{a38}"}, // words and no number
	})
}

// The examples of Bitcoin's wiki (the private key of the number 1, long and compressed) and what differs from them in one place.
func TestWalletKeysHaveTheirCheckSum(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Join([]string{"5HpHagT65TZzG1PH3CSu63k8DbpvD8s5", "ip4nEB3kEsreAnchuDf"}, ""):  true,
		strings.Join([]string{"KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3", "qYjgd9M7rFU73sVHnoWn"}, ""): true,
		strings.Join([]string{"5HpHagT65TZzG1PH3CSu63k8DbpvD8s5", "ip4nEB3kEsreAnchuDg"}, ""):  false,
		strings.Join([]string{"5HpHagT65TZzG1PH3CSu63k8DbpvD8s5", "ip4nEB3kEsreAnchuD0"}, ""):  false,
		"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2":                                                   false, // an address: shorter
	} {
		if got := base58Checked(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
		if found := len(shared.Scan("key of the wallet "+text+" ", "", 0, nil)) > 0; found != want {
			t.Errorf("%s in a text: %v", text, found)
		}
	}
}
