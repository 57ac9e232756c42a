package redact

import (
	"crypto/sha256"
	"strings"

	"github.com/google/uuid"
)

// vendorKey is a key whose vendor begins it in a way of its own: prefix, alphabet, length.
type vendorKey struct {
	prefix   string
	alphabet string
	min, max int // of what follows the prefix; max 0 means any length
	what     string
}

// Alphabets of keys, each a set of bytes.
const (
	digits   = "0123456789"
	lowers   = "abcdefghijklmnopqrstuvwxyz"
	uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexLower = digits + "abcdef"
	alnums   = digits + lowers + uppers
	urlSafe  = alnums + "_-"
	base64s  = alnums + "+/="
	base58s  = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// vendorKeys are the formats that vendors document, or that the catalogs of GitHub's secret scanning (partner patterns),
// GitLab's secret detection and gitleaks describe, as far as gitleaks.json has no rule of its own for them.
var vendorKeys = []vendorKey{
	// model providers and what agents are built on
	{"nvapi-", urlSafe, 40, 90, "an NVIDIA key"},
	{"jina_", urlSafe, 40, 90, "a Jina key"},
	{"sk_", hexLower, 40, 64, "an ElevenLabs key"},
	{"lsv2_pt_", alnums + "_", 30, 60, "a LangSmith key"},
	{"lsv2_sk_", alnums + "_", 30, 60, "a LangSmith key"},
	{"ls__", hexLower, 30, 40, "a LangSmith key"},
	{"sk-lf-", hexLower + "-", 32, 40, "a Langfuse key"},
	{"pcsk_", alnums + "_", 40, 100, "a Pinecone key"},
	{"e2b_", hexLower, 32, 64, "an E2B key"},
	{"csk-", alnums, 32, 64, "a Cerebras key"},
	{"fw_", alnums, 20, 48, "a Fireworks key"},
	{"tgp_v1_", urlSafe, 32, 64, "a Together key"},
	{"AKLT", alnums + "_-", 24, 80, "a Volcengine key"},
	{"AKTP", alnums + "_-", 24, 80, "a Volcengine key"},
	{"bce-v3/ALTAK-", alnums + "/_-", 32, 120, "a Qianfan key"},
	{"ALTAK-", alnums + "/_-", 20, 120, "a Qianfan key"},
	{"n8n_api_", urlSafe + ".", 20, 0, "an n8n key"},
	{"bedrock-api-key-", base64s, 40, 0, "a Bedrock key"},
	{"AQ.Ab", urlSafe, 30, 80, "a Google key"},
	{"sess-", alnums, 32, 64, "an OpenAI session"},
	{"sk-ant-oat01-", urlSafe, 40, 140, "an Anthropic token"},
	{"pa-", urlSafe, 36, 64, "a Voyage key"},
	{"BSA", urlSafe, 24, 40, "a Brave key"},
	{"rpa_", alnums, 32, 64, "a RunPod key"},
	{"esecret_", alnums, 20, 48, "an Anyscale key"},
	{"m0-", alnums, 32, 48, "a Mem0 key"},
	{"bb_live_", urlSafe, 20, 48, "a Browserbase key"},
	{"dataset-", alnums, 20, 32, "a Dify key"},
	{"fastgpt-", alnums, 20, 80, "a FastGPT key"},
	{"ragflow-", alnums, 20, 80, "a RAGFlow key"},
	{"ms-", hexLower + "-", 36, 36, "a ModelScope token"},
	{"hf_oauth_", urlSafe + ".", 30, 0, "a Hugging Face token"},
	{"wandb_v1_", urlSafe, 30, 100, "a Weights & Biases key"},
	{"apify_api_", alnums, 30, 48, "an Apify token"},
	{"CFPAT-", urlSafe, 40, 48, "a Contentful token"},
	{"nk-", urlSafe, 40, 48, "a Nomic key"},
	{"ak-", alnums, 22, 22, "a Modal token"},
	{"as-", alnums, 22, 22, "a Modal secret"},
	{"ak_", urlSafe, 20, 32, "a Composio key"},
	{"aio_", alnums, 28, 28, "an Adafruit IO key"},
	{"PMAK-", hexLower + "-", 50, 60, "a Postman key"},
	{"exa_", urlSafe, 24, 48, "an Exa key"},
	{"fc-", hexLower, 32, 32, "a Firecrawl key"},
	{"tvly-dev-", urlSafe, 28, 64, "a Tavily key"},
	{"tvly-prod-", urlSafe, 28, 64, "a Tavily key"},
	{"cog_", lowers + "234567", 52, 52, "a Devin token"},
	{"apk_", base64s + "_", 80, 200, "a Devin key"},
	{"endr+", alnums + "-", 16, 16, "an Endor Labs key"},
	{"sk-helicone-", alnums + "-", 20, 48, "a Helicone key"},
	// clouds and hosts
	{"da2-", digits + lowers, 26, 26, "an AppSync key"},
	{"CCDB1_", alnums + "_", 63, 63, "a CockroachDB key"},
	{"ddp_", alnums, 36, 36, "a Deno token"},
	{"essu_", urlSafe + "=", 60, 200, "an Elastic key"},
	{"EXO", alnums, 24, 30, "an Exoscale key"},
	{"glpat-", urlSafe + ".", 36, 60, "a GitLab token"},
	{"configcat-sdk-1/", urlSafe + "/", 45, 45, "a ConfigCat key"},
	{"cnvca", urlSafe, 51, 51, "a Canva secret"},
	{"GOCSPX-", urlSafe, 24, 40, "a Google client secret"},
	{"ya29.", urlSafe + ".", 20, 0, "a Google access token"},
	{"1//0", urlSafe, 30, 160, "a Google refresh token"},
	{"sbp_", hexLower, 40, 40, "a Supabase token"},
	{"sb_secret_", urlSafe, 20, 64, "a Supabase key"},
	{"nfp_", alnums, 30, 48, "a Netlify token"},
	{"nfc_", alnums, 30, 48, "a Netlify token"},
	{"nfo_", alnums, 30, 48, "a Netlify token"},
	{"tskey-", alnums + "-", 20, 80, "a Tailscale key"},
	{"dckr_pat_", urlSafe, 20, 40, "a Docker token"},
	{"dckr_oat_", urlSafe, 20, 48, "a Docker token"},
	{"vcp_", alnums, 24, 64, "a Vercel token"},
	{"vck_", alnums, 24, 64, "a Vercel key"},
	{"vca_", alnums, 24, 64, "a Vercel token"},
	{"cfut_", urlSafe, 30, 80, "a Cloudflare token"},
	{"cfat_", urlSafe, 30, 80, "a Cloudflare token"},
	{"cfk_", urlSafe, 30, 80, "a Cloudflare key"},
	{"rnd_", alnums, 24, 48, "a Render key"},
	{"napi_", alnums, 40, 80, "a Neon key"},
	{"ucat_", alnums, 20, 48, "an UpCloud token"},
	{"AVNS_", urlSafe, 16, 40, "an Aiven password"},
	{"AQVN", urlSafe, 30, 44, "a Yandex key"},
	{"y0_", urlSafe, 40, 80, "a Yandex token"},
	{"dp.st.", alnums + "._-", 36, 80, "a Doppler token"},
	{"dp.ct.", alnums, 36, 60, "a Doppler token"},
	{"hvb.", urlSafe, 60, 300, "a Vault token"},
	{"hvr.", urlSafe, 60, 300, "a Vault token"},
	// code and builds
	{"ATATT3", base64s + "_-", 60, 300, "an Atlassian token"},
	{"ATCTT3", base64s + "_-", 60, 300, "a Bitbucket token"},
	{"ATBB", alnums, 24, 48, "a Bitbucket password"},
	{"ATTA", hexLower, 60, 90, "a Trello token"},
	{"squ_", hexLower, 40, 40, "a Sonar token"},
	{"sqp_", hexLower, 40, 40, "a Sonar token"},
	{"sqa_", hexLower, 40, 40, "a Sonar token"},
	{"CCIPAT_", alnums + "_", 40, 90, "a CircleCI token"},
	{"CCIPRJ_", alnums + "_", 40, 90, "a CircleCI token"},
	{"bkua_", hexLower, 40, 40, "a Buildkite token"},
	{"oy2", digits + lowers, 43, 43, "a NuGet key"},
	{"cio", alnums, 32, 32, "a crates.io token"},
	{"lin_oauth_", alnums, 40, 80, "a Linear token"},
	// messengers and notifications
	{"xoxc-", alnums + "-", 20, 300, "a Slack token"},
	{"xoxd-", alnums + "%/+=-", 20, 600, "a Slack cookie"},
	{"mfa.", urlSafe, 80, 100, "a Discord token"},
	{"syt_", base64s + "_-", 24, 200, "a Matrix token"},
	{"mat_", alnums + "_", 24, 80, "a Matrix token"},
	{"SEC", hexLower, 64, 64, "a DingTalk secret"},
	{"SCT", alnums, 24, 60, "a ServerChan key"},
	{"sctp", digits + lowers + uppers, 20, 60, "a ServerChan key"},
	{"tk_", digits + lowers, 28, 32, "an ntfy token"},
	{"EAA", alnums, 60, 400, "a Facebook token"},
	{"IGAA", alnums + "_-", 60, 400, "an Instagram token"},
	{"IGQV", alnums + "_-", 60, 400, "an Instagram token"},
	{"THAA", alnums + "_-", 60, 400, "a Threads token"},
	{"vk1.a.", urlSafe, 60, 0, "a VK token"},
	{"oauth:", digits + lowers, 30, 30, "a Twitch token"},
	{"AT_", alnums, 30, 40, "a WxPusher token"},
	{"o.", alnums, 32, 34, "a Pushbullet token"},
	// mail, forms, tables, shops, measuring
	{"whsec_", base64s, 24, 80, "a webhook's secret"},
	{"key-", hexLower, 32, 32, "a Mailgun key"},
	{"re_", alnums + "_", 24, 48, "a Resend key"},
	{"xkeysib-", hexLower + "-" + alnums, 64, 100, "a Brevo key"},
	{"secret_", alnums, 40, 48, "a Notion token"},
	{"ntn_", alnums, 40, 60, "a Notion token"},
	{"figd_", urlSafe, 32, 60, "a Figma token"},
	{"figdr_", urlSafe, 32, 60, "a Figma token"},
	{"pat-na1-", hexLower + "-", 30, 40, "a HubSpot token"},
	{"pat-na2-", hexLower + "-", 30, 40, "a HubSpot token"},
	{"pat-eu1-", hexLower + "-", 30, 40, "a HubSpot token"},
	{"pat-ap1-", hexLower + "-", 30, 40, "a HubSpot token"},
	{"pk_", digits + uppers + "_", 36, 48, "a ClickUp token"},
	{"NRAK-", digits + uppers, 24, 36, "a New Relic key"},
	{"NRII-", urlSafe, 28, 40, "a New Relic key"},
	{"phx_", alnums, 36, 64, "a PostHog key"},
	{"phs_", alnums, 36, 64, "a PostHog key"},
	{"sk.eyJ", urlSafe + ".", 60, 0, "a Mapbox token"},
	{"tk.eyJ", urlSafe + ".", 60, 0, "a Mapbox token"},
	{"sl.", urlSafe, 60, 0, "a Dropbox token"},
	{"sl.u.", urlSafe, 60, 0, "a Dropbox token"},
	{"keyA", alnums, 13, 13, "an Airtable key"},
	{"xaat-", hexLower + "-", 36, 36, "an Axiom token"},
	{"sdk-", hexLower + "-", 36, 36, "a LaunchDarkly key"},
	{"hcaik_", alnums, 40, 80, "a Honeycomb key"},
	{"tfp_", urlSafe + ".", 40, 64, "a Typeform token"},
	{"FLWSECK-", alnums + "-", 32, 40, "a Flutterwave key"},
	{"FLWSECK_TEST-", alnums + "-", 32, 40, "a Flutterwave key"},
	{"sntrys_", base64s + "_", 60, 0, "a Sentry token"},
	{"sntryu_", hexLower, 64, 64, "a Sentry token"},
	{"sq0atp-", urlSafe, 22, 22, "a Square token"},
	{"sq0csp-", urlSafe, 43, 43, "a Square secret"},
	{"live_", hexLower, 35, 35, "a Lob key"},
	{"SCU", alnums, 30, 64, "a ServerChan key"},
	{"rzp_live_", alnums, 14, 32, "a Razorpay key"},
	{"access-production-", hexLower + "-", 36, 36, "a Plaid token"},
	{"AAAAAAAAAAAAAAAAAAAAA", alnums + "%", 60, 160, "a Twitter token"},
	// money and keys of persons
	{"xprv", base58s, 100, 112, "a wallet's private key"},
	{"yprv", base58s, 100, 112, "a wallet's private key"},
	{"zprv", base58s, 100, 112, "a wallet's private key"},
	{"nsec1", digits + lowers, 58, 58, "a Nostr private key"},
	{"RWRTY0Iy", base64s, 80, 300, "a minisign private key"},
	{"RWRCSw", base64s, 80, 300, "a signify private key"},
	// what passwords are kept as
	{"$2a$", alnums + "./$", 56, 56, "a bcrypt hash"},
	{"$2b$", alnums + "./$", 56, 56, "a bcrypt hash"},
	{"$2y$", alnums + "./$", 56, 56, "a bcrypt hash"},
	{"$argon2", alnums + "./+$=,", 40, 300, "an Argon2 hash"},
	{"$scrypt$", alnums + "./+$=,", 40, 300, "an scrypt hash"},
	{"$pbkdf2", alnums + "./+$=,-", 40, 300, "a PBKDF2 hash"},
	{"$apr1$", alnums + "./$", 24, 40, "a hash of htpasswd"},
	{"$6$", alnums + "./$=", 60, 140, "a hash of crypt"},
	{"$5$", alnums + "./$=", 40, 90, "a hash of crypt"},
	{"$y$", alnums + "./$", 40, 120, "a hash of crypt"},
	{"{SSHA}", base64s, 28, 80, "a hash of LDAP"},
}

type alphabet [256]bool

func alphabetOf(bytes string) *alphabet {
	var a alphabet
	for i := range len(bytes) {
		a[bytes[i]] = true
	}
	return &a
}

// reader returns the reader that is set off by the prefix of a key.
func (k vendorKey) reader() func(*scanning, int, int) {
	in := alphabetOf(k.alphabet)
	return func(s *scanning, start, end int) {
		if s.text[start:end] != k.prefix || start > 0 && (tokenByte[s.text[start-1]] && tokenByte[k.prefix[0]]) {
			return
		}
		stop, limit := end, min(len(s.text), end+maxValue)
		for stop < limit && in[s.text[stop]] {
			stop++
		}
		for stop > end && strings.IndexByte("-_.", s.text[stop-1]) >= 0 { // the end of a sentence
			stop--
		}
		body := s.text[end:stop]
		if len(body) < k.min || k.max > 0 && len(body) > k.max || stop < len(s.text) && k.max == k.min && tokenByte[s.text[stop]] {
			return
		}
		s.budget.spend(len(body) * valueWork)
		if !variedKey(body) || placeholder(s.text[start:stop]) != "" {
			return
		}
		s.add(start, stop, "vendor-key", "looks like "+k.what, s.text[start:stop])
	}
}

// tokenByte are the bytes that tokens and names are made of.
var tokenByte = func() (t [256]bool) {
	for c := range 256 {
		t[c] = isAlpha(byte(c)) || isDigit(byte(c)) || c == '_' || c == '-'
	}
	return t
}()

// variedKey reports whether the body of a key looks drawn: letters and digits, or capitals among small letters, and no
// few characters again and again.
func variedKey(body string) bool {
	var digit, lower, upper int
	for i := range len(body) {
		switch c := body[i]; {
		case isDigit(c):
			digit++
		case isUpper(c):
			upper++
		case isAlpha(c):
			lower++
		}
	}
	kinds := 0
	for _, n := range []int{digit, lower, upper} {
		if n > 0 {
			kinds++
		}
	}
	if kinds < 2 || entropy(body) < 2.5 {
		return false
	}
	if digit == 0 || strings.ContainsAny(body, "_-") { // words joined by signs are names
		return randomPart(body) || digit > 0 && hasLongRandom(body)
	}
	return true
}

// hasLongRandom reports whether a piece between signs has digits among its letters and is no word with a number behind it.
func hasLongRandom(body string) bool {
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' }) {
		if len(part) >= 8 && mixed(part) && strings.TrimLeft(strings.TrimRight(part, digits), lowers+uppers) != "" {
			return true
		}
	}
	return false
}

// azureKey widens the fixed part of a new Azure key, which stands inside it, to the key.
func (s *scanning) azureKey(start, end int) {
	if text := s.text[start:end]; text != "JQQJ99" {
		return
	}
	from, to := start, end
	for from > 0 && start-from < 60 && (isAlpha(s.text[from-1]) || isDigit(s.text[from-1])) {
		from--
	}
	for to < len(s.text) && to-end < 40 && (isAlpha(s.text[to]) || isDigit(s.text[to])) {
		to++
	}
	if n := to - from; n >= 72 && n <= 92 {
		s.add(from, to, "vendor-key", "looks like an Azure key", s.text[from:to])
	}
}

// cookieData recognises the value of Bilibili's SESSDATA: eight hexadecimal digits, a time, five digits, a star.
func (s *scanning) cookieData(start, end int) {
	at := start - 8
	if at < 0 || strings.Trim(s.text[at:start], hexLower) != "" || at > 0 && tokenByte[s.text[at-1]] {
		return
	}
	i := end
	for i < len(s.text) && isDigit(s.text[i]) && i-end < 11 {
		i++
	}
	if i-end != 9 { // the tenth stands in the literal
		return
	}
	if strings.HasPrefix(s.text[i:], "%2C") || strings.HasPrefix(s.text[i:], "%2c") {
		i += 3
	} else if strings.HasPrefix(s.text[i:], ",") {
		i++
	} else {
		return
	}
	stop := i
	for stop < len(s.text) && (encodedByte[s.text[stop]] || strings.IndexByte("*%=", s.text[stop]) >= 0) && stop-i < 300 {
		stop++
	}
	if star := strings.IndexAny(s.text[i:stop], "*%"); star >= 4 && star <= 6 {
		s.add(at, stop, "vendor-key", "looks like a session of Bilibili", s.text[at:stop])
	}
}

// shaped recognises keys by the lengths of their parts alone, in a run of letters, digits and - _ + /.
func (s *scanning) shaped(start, end int) {
	run := s.text[start:end]
	switch {
	case len(run) == 50 && run[32] == '-' && run[41] == '-' && strings.Trim(run, hexLower+"-") == "" && strings.Count(run, "-") == 2:
		s.add(start, end, "vendor-key", "looks like a Mailgun key", run)
	case (len(run) == 36 || len(run) == 37) && strings.HasPrefix(run[32:], "-us") && strings.Trim(run[:32], hexLower) == "" && strings.Trim(run[35:], digits) == "":
		s.add(start, end, "vendor-key", "looks like a Mailchimp key", run)
	case len(run) == 36 && end+33 <= len(s.text) && s.text[end] == ':' && uuid.Validate(run) == nil && strings.Trim(s.text[end+1:end+33], hexLower) == "" && (end+33 == len(s.text) || !tokenByte[s.text[end+33]]):
		s.add(start, end+33, "vendor-key", "looks like a fal key", s.text[start:end+33])
	case (len(run) == 51 || len(run) == 52) && strings.IndexByte("5KLc9", run[0]) >= 0 && base58Checked(run):
		s.add(start, end, "vendor-key", "is a wallet's private key: its check sum is right", run)
	case len(run) == 32 && end+17 <= len(s.text) && s.text[end] == '.' && strings.Trim(run, hexLower) == "":
		stop := end + 1
		for stop < len(s.text) && (isAlpha(s.text[stop]) || isDigit(s.text[stop])) && stop-end < 20 {
			stop++
		}
		if tail := s.text[end+1 : stop]; len(tail) == 16 && variedKey(tail) && variedKey(run) {
			s.add(start, stop, "vendor-key", "looks like a Zhipu key", s.text[start:stop])
		}
	case len(run) == 32 && start > 8 && s.text[start-1] == '.':
		s.afterDot(start, end)
	case len(run) > 30 && (run[0] == '1' || run[0] == '2') && run[1] == '/' && strings.Trim(run, digits+"/") == "" && end < len(s.text) && s.text[end] == ':':
		if stop := end + 33; stop <= len(s.text) && strings.Trim(s.text[end+1:stop], hexLower) == "" {
			s.add(start, stop, "vendor-key", "looks like an Asana token", s.text[start:stop])
		}
	case len(run) >= 40 && start > 5 && s.text[start-1] == '|' && variedKey(run):
		from := start - 1
		for from > 0 && start-from < 64 && (tokenByte[s.text[from-1]] || s.text[from-1] == ':') {
			from--
		}
		if name, _, ok := strings.Cut(s.text[from:start-1], ":"); ok && (name == "prod" || name == "dev" || name == "preview") {
			for end < len(s.text) && s.text[end] == '=' {
				end++
			}
			s.add(from, end, "vendor-key", "looks like a Convex key", s.text[from:end])
		}
	}
}

// afterDot recognises keys of 32 letters and digits that stand after a first part and a dot: Baseten's has eight letters and
// digits before it, Lambda's a name and 32 hexadecimal digits.
func (s *scanning) afterDot(start, end int) {
	from := start - 1
	for from > 0 && start-from < 100 && tokenByte[s.text[from-1]] {
		from--
	}
	head, tail := s.text[from:start-1], s.text[start:end]
	if strings.Trim(tail, alnums) != "" || !variedKey(tail) {
		return
	}
	switch {
	case strings.HasPrefix(head, "secret_") && len(head) > 40 && strings.Trim(head[len(head)-32:], hexLower) == "":
		s.add(from, end, "vendor-key", "looks like a Lambda key", s.text[from:end])
	case len(head) == 8 && strings.Trim(head, alnums) == "" && strings.ContainsAny(head[1:], digits+uppers) && strings.ContainsAny(head, uppers) && strings.ContainsAny(head, lowers) && strings.ContainsAny(tail, uppers) && (strings.ContainsAny(head, digits) || drawnBody(tail, false)):
		s.add(from, end, "vendor-key", "looks like a Baseten key", s.text[from:end])
	}
}

// base58Checked reports whether text is base58 whose last four bytes are the check sum of the others (Bitcoin's
// Base58Check).
func base58Checked(text string) bool {
	out := make([]byte, 0, 48)
	for i := range len(text) {
		digit := strings.IndexByte(base58s, text[i])
		if digit < 0 {
			return false
		}
		for j := range out {
			digit += int(out[j]) * 58
			out[j] = byte(digit)
			digit >>= 8
		}
		for digit > 0 {
			out = append(out, byte(digit))
			digit >>= 8
		}
	}
	if len(out) < 37 || len(out) > 38 {
		return false
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	body, check := out[:len(out)-4], out[len(out)-4:]
	once := sha256.Sum256(body)
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(check)
}
