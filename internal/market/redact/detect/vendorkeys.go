package detect

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
	Digits   = "0123456789"
	Lowers   = "abcdefghijklmnopqrstuvwxyz"
	Uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	HexLower = Digits + "abcdef"
	Alnums   = Digits + Lowers + Uppers
	URLSafe  = Alnums + "_-"
	base64s  = Alnums + "+/="
	Base58s  = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// vendorKeys are the formats that vendors document, or that the catalogs of GitHub's secret scanning (partner patterns),
// GitLab's secret detection and gitleaks describe, as far as gitleaks.json has no rule of its own for them.
var vendorKeys = []vendorKey{
	// model providers and what agents are built on
	{"nvapi-", URLSafe, 40, 90, "an NVIDIA key"},
	{"jina_", URLSafe, 40, 90, "a Jina key"},
	{"sk_", HexLower, 40, 64, "an ElevenLabs key"},
	{"lsv2_pt_", Alnums + "_", 30, 60, "a LangSmith key"},
	{"lsv2_sk_", Alnums + "_", 30, 60, "a LangSmith key"},
	{"ls__", HexLower, 30, 40, "a LangSmith key"},
	{"sk-lf-", HexLower + "-", 32, 40, "a Langfuse key"},
	{"pcsk_", Alnums + "_", 40, 100, "a Pinecone key"},
	{"e2b_", HexLower, 32, 64, "an E2B key"},
	{"csk-", Alnums, 32, 64, "a Cerebras key"},
	{"fw_", Alnums, 20, 48, "a Fireworks key"},
	{"tgp_v1_", URLSafe, 32, 64, "a Together key"},
	{"AKLT", Alnums + "_-", 24, 80, "a Volcengine key"},
	{"AKTP", Alnums + "_-", 24, 80, "a Volcengine key"},
	{"bce-v3/ALTAK-", Alnums + "/_-", 32, 120, "a Qianfan key"},
	{"ALTAK-", Alnums + "/_-", 20, 120, "a Qianfan key"},
	{"n8n_api_", URLSafe + ".", 20, 0, "an n8n key"},
	{"bedrock-api-key-", base64s, 40, 0, "a Bedrock key"},
	{"AQ.Ab", URLSafe, 30, 80, "a Google key"},
	{"sess-", Alnums, 32, 64, "an OpenAI session"},
	{"sk-ant-oat01-", URLSafe, 40, 140, "an Anthropic token"},
	{"pa-", URLSafe, 36, 64, "a Voyage key"},
	{"BSA", URLSafe, 24, 40, "a Brave key"},
	{"rpa_", Alnums, 32, 64, "a RunPod key"},
	{"esecret_", Alnums, 20, 48, "an Anyscale key"},
	{"m0-", Alnums, 32, 48, "a Mem0 key"},
	{"bb_live_", URLSafe, 20, 48, "a Browserbase key"},
	{"dataset-", Alnums, 20, 32, "a Dify key"},
	{"fastgpt-", Alnums, 20, 80, "a FastGPT key"},
	{"ragflow-", Alnums, 20, 80, "a RAGFlow key"},
	{"ms-", HexLower + "-", 36, 36, "a ModelScope token"},
	{"hf_oauth_", URLSafe + ".", 30, 0, "a Hugging Face token"},
	{"wandb_v1_", URLSafe, 30, 100, "a Weights & Biases key"},
	{"apify_api_", Alnums, 30, 48, "an Apify token"},
	{"CFPAT-", URLSafe, 40, 48, "a Contentful token"},
	{"nk-", URLSafe, 40, 48, "a Nomic key"},
	{"ak-", Alnums, 22, 22, "a Modal token"},
	{"as-", Alnums, 22, 22, "a Modal secret"},
	{"ak_", URLSafe, 20, 32, "a Composio key"},
	{"aio_", Alnums, 28, 28, "an Adafruit IO key"},
	{"PMAK-", HexLower + "-", 50, 60, "a Postman key"},
	{"exa_", URLSafe, 24, 48, "an Exa key"},
	{"fc-", HexLower, 32, 32, "a Firecrawl key"},
	{"tvly-dev-", URLSafe, 28, 64, "a Tavily key"},
	{"tvly-prod-", URLSafe, 28, 64, "a Tavily key"},
	{"cog_", Lowers + "234567", 52, 52, "a Devin token"},
	{"apk_", base64s + "_", 80, 200, "a Devin key"},
	{"endr+", Alnums + "-", 16, 16, "an Endor Labs key"},
	{"sk-helicone-", Alnums + "-", 20, 48, "a Helicone key"},
	// clouds and hosts
	{"da2-", Digits + Lowers, 26, 26, "an AppSync key"},
	{"CCDB1_", Alnums + "_", 63, 63, "a CockroachDB key"},
	{"ddp_", Alnums, 36, 36, "a Deno token"},
	{"essu_", URLSafe + "=", 60, 200, "an Elastic key"},
	{"EXO", Alnums, 24, 30, "an Exoscale key"},
	{"glpat-", URLSafe + ".", 36, 60, "a GitLab token"},
	{"configcat-sdk-1/", URLSafe + "/", 45, 45, "a ConfigCat key"},
	{"cnvca", URLSafe, 51, 51, "a Canva secret"},
	{"GOCSPX-", URLSafe, 24, 40, "a Google client secret"},
	{"ya29.", URLSafe + ".", 20, 0, "a Google access token"},
	{"1//0", URLSafe, 30, 160, "a Google refresh token"},
	{"sbp_", HexLower, 40, 40, "a Supabase token"},
	{"sb_secret_", URLSafe, 20, 64, "a Supabase key"},
	{"nfp_", Alnums, 30, 48, "a Netlify token"},
	{"nfc_", Alnums, 30, 48, "a Netlify token"},
	{"nfo_", Alnums, 30, 48, "a Netlify token"},
	{"tskey-", Alnums + "-", 20, 80, "a Tailscale key"},
	{"dckr_pat_", URLSafe, 20, 40, "a Docker token"},
	{"dckr_oat_", URLSafe, 20, 48, "a Docker token"},
	{"vcp_", Alnums, 24, 64, "a Vercel token"},
	{"vck_", Alnums, 24, 64, "a Vercel key"},
	{"vca_", Alnums, 24, 64, "a Vercel token"},
	{"cfut_", URLSafe, 30, 80, "a Cloudflare token"},
	{"cfat_", URLSafe, 30, 80, "a Cloudflare token"},
	{"cfk_", URLSafe, 30, 80, "a Cloudflare key"},
	{"rnd_", Alnums, 24, 48, "a Render key"},
	{"napi_", Alnums, 40, 80, "a Neon key"},
	{"ucat_", Alnums, 20, 48, "an UpCloud token"},
	{"AVNS_", URLSafe, 16, 40, "an Aiven password"},
	{"AQVN", URLSafe, 30, 44, "a Yandex key"},
	{"y0_", URLSafe, 40, 80, "a Yandex token"},
	{"dp.st.", Alnums + "._-", 36, 80, "a Doppler token"},
	{"dp.ct.", Alnums, 36, 60, "a Doppler token"},
	{"hvb.", URLSafe, 60, 300, "a Vault token"},
	{"hvr.", URLSafe, 60, 300, "a Vault token"},
	// code and builds
	{"ATATT3", base64s + "_-", 60, 300, "an Atlassian token"},
	{"ATCTT3", base64s + "_-", 60, 300, "a Bitbucket token"},
	{"ATBB", Alnums, 24, 48, "a Bitbucket password"},
	{"ATTA", HexLower, 60, 90, "a Trello token"},
	{"squ_", HexLower, 40, 40, "a Sonar token"},
	{"sqp_", HexLower, 40, 40, "a Sonar token"},
	{"sqa_", HexLower, 40, 40, "a Sonar token"},
	{"CCIPAT_", Alnums + "_", 40, 90, "a CircleCI token"},
	{"CCIPRJ_", Alnums + "_", 40, 90, "a CircleCI token"},
	{"bkua_", HexLower, 40, 40, "a Buildkite token"},
	{"oy2", Digits + Lowers, 43, 43, "a NuGet key"},
	{"cio", Alnums, 32, 32, "a crates.io token"},
	{"lin_oauth_", Alnums, 40, 80, "a Linear token"},
	// messengers and notifications
	{"xoxc-", Alnums + "-", 20, 300, "a Slack token"},
	{"xoxd-", Alnums + "%/+=-", 20, 600, "a Slack cookie"},
	{"mfa.", URLSafe, 80, 100, "a Discord token"},
	{"syt_", base64s + "_-", 24, 200, "a Matrix token"},
	{"mat_", Alnums + "_", 24, 80, "a Matrix token"},
	{"SEC", HexLower, 64, 64, "a DingTalk secret"},
	{"SCT", Alnums, 24, 60, "a ServerChan key"},
	{"sctp", Digits + Lowers + Uppers, 20, 60, "a ServerChan key"},
	{"tk_", Digits + Lowers, 28, 32, "an ntfy token"},
	{"EAA", Alnums, 60, 400, "a Facebook token"},
	{"IGAA", Alnums + "_-", 60, 400, "an Instagram token"},
	{"IGQV", Alnums + "_-", 60, 400, "an Instagram token"},
	{"THAA", Alnums + "_-", 60, 400, "a Threads token"},
	{"vk1.a.", URLSafe, 60, 0, "a VK token"},
	{"oauth:", Digits + Lowers, 30, 30, "a Twitch token"},
	{"AT_", Alnums, 30, 40, "a WxPusher token"},
	{"o.", Alnums, 32, 34, "a Pushbullet token"},
	// mail, forms, tables, shops, measuring
	{"whsec_", base64s, 24, 80, "a webhook's secret"},
	{"key-", HexLower, 32, 32, "a Mailgun key"},
	{"re_", Alnums + "_", 24, 48, "a Resend key"},
	{"xkeysib-", HexLower + "-" + Alnums, 64, 100, "a Brevo key"},
	{"secret_", Alnums, 40, 48, "a Notion token"},
	{"ntn_", Alnums, 40, 60, "a Notion token"},
	{"figd_", URLSafe, 32, 60, "a Figma token"},
	{"figdr_", URLSafe, 32, 60, "a Figma token"},
	{"pat-na1-", HexLower + "-", 30, 40, "a HubSpot token"},
	{"pat-na2-", HexLower + "-", 30, 40, "a HubSpot token"},
	{"pat-eu1-", HexLower + "-", 30, 40, "a HubSpot token"},
	{"pat-ap1-", HexLower + "-", 30, 40, "a HubSpot token"},
	{"pk_", Digits + Uppers + "_", 36, 48, "a ClickUp token"},
	{"NRAK-", Digits + Uppers, 24, 36, "a New Relic key"},
	{"NRII-", URLSafe, 28, 40, "a New Relic key"},
	{"phx_", Alnums, 36, 64, "a PostHog key"},
	{"phs_", Alnums, 36, 64, "a PostHog key"},
	{"sk.eyJ", URLSafe + ".", 60, 0, "a Mapbox token"},
	{"tk.eyJ", URLSafe + ".", 60, 0, "a Mapbox token"},
	{"sl.", URLSafe, 60, 0, "a Dropbox token"},
	{"sl.u.", URLSafe, 60, 0, "a Dropbox token"},
	{"keyA", Alnums, 13, 13, "an Airtable key"},
	{"xaat-", HexLower + "-", 36, 36, "an Axiom token"},
	{"sdk-", HexLower + "-", 36, 36, "a LaunchDarkly key"},
	{"hcaik_", Alnums, 40, 80, "a Honeycomb key"},
	{"tfp_", URLSafe + ".", 40, 64, "a Typeform token"},
	{"FLWSECK-", Alnums + "-", 32, 40, "a Flutterwave key"},
	{"FLWSECK_TEST-", Alnums + "-", 32, 40, "a Flutterwave key"},
	{"sntrys_", base64s + "_", 60, 0, "a Sentry token"},
	{"sntryu_", HexLower, 64, 64, "a Sentry token"},
	{"sq0atp-", URLSafe, 22, 22, "a Square token"},
	{"sq0csp-", URLSafe, 43, 43, "a Square secret"},
	{"live_", HexLower, 35, 35, "a Lob key"},
	{"SCU", Alnums, 30, 64, "a ServerChan key"},
	{"rzp_live_", Alnums, 14, 32, "a Razorpay key"},
	{"access-production-", HexLower + "-", 36, 36, "a Plaid token"},
	{"AAAAAAAAAAAAAAAAAAAAA", Alnums + "%", 60, 160, "a Twitter token"},
	// money and keys of persons
	{"xprv", Base58s, 100, 112, "a wallet's private key"},
	{"yprv", Base58s, 100, 112, "a wallet's private key"},
	{"zprv", Base58s, 100, 112, "a wallet's private key"},
	{"nsec1", Digits + Lowers, 58, 58, "a Nostr private key"},
	{"RWRTY0Iy", base64s, 80, 300, "a minisign private key"},
	{"RWRCSw", base64s, 80, 300, "a signify private key"},
	// what passwords are kept as
	{"$2a$", Alnums + "./$", 56, 56, "a bcrypt hash"},
	{"$2b$", Alnums + "./$", 56, 56, "a bcrypt hash"},
	{"$2y$", Alnums + "./$", 56, 56, "a bcrypt hash"},
	{"$argon2", Alnums + "./+$=,", 40, 300, "an Argon2 hash"},
	{"$scrypt$", Alnums + "./+$=,", 40, 300, "an scrypt hash"},
	{"$pbkdf2", Alnums + "./+$=,-", 40, 300, "a PBKDF2 hash"},
	{"$apr1$", Alnums + "./$", 24, 40, "a hash of htpasswd"},
	{"$6$", Alnums + "./$=", 60, 140, "a hash of crypt"},
	{"$5$", Alnums + "./$=", 40, 90, "a hash of crypt"},
	{"$y$", Alnums + "./$", 40, 120, "a hash of crypt"},
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
		s.budget.Spend(len(body) * valueWork)
		if !variedKey(body) || Placeholder(s.text[start:stop]) != "" {
			return
		}
		s.add(start, stop, "vendor-key", "looks like "+k.what, s.text[start:stop])
	}
}

// tokenByte are the bytes that tokens and names are made of.
var tokenByte = func() (t [256]bool) {
	for c := range 256 {
		t[c] = isAlnum(byte(c)) || c == '_' || c == '-'
	}
	return t
}()

// variedKey reports whether the body of a key looks drawn: letters and digits, or capitals among small letters, and no
// few characters again and again.
func variedKey(body string) bool {
	var digit, lower, upper int
	for i := range len(body) {
		switch c := body[i]; {
		case IsDigit(c):
			digit++
		case IsUpper(c):
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
		return RandomPart(body) || digit > 0 && hasLongRandom(body)
	}
	return true
}

// hasLongRandom reports whether a piece between signs has digits among its letters and is no word with a number behind it.
func hasLongRandom(body string) bool {
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' }) {
		if len(part) >= 8 && Mixed(part) && strings.TrimLeft(strings.TrimRight(part, Digits), Lowers+Uppers) != "" {
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
	for from > 0 && start-from < 60 && isAlnum(s.text[from-1]) {
		from--
	}
	for to < len(s.text) && to-end < 40 && isAlnum(s.text[to]) {
		to++
	}
	if n := to - from; n >= 72 && n <= 92 {
		s.add(from, to, "vendor-key", "looks like an Azure key", s.text[from:to])
	}
}

// cookieData recognises the value of Bilibili's SESSDATA: eight hexadecimal digits, a time, five digits, a star.
func (s *scanning) cookieData(start, end int) {
	at := start - 8
	if at < 0 || strings.Trim(s.text[at:start], HexLower) != "" || at > 0 && tokenByte[s.text[at-1]] {
		return
	}
	time := start + strings.IndexByte(s.text[start:end], '1') // the literal ends in its first digits
	i := time
	for i < len(s.text) && IsDigit(s.text[i]) && i-time <= 10 {
		i++
	}
	if i-time != 10 {
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
	for stop < len(s.text) && (EncodedByte[s.text[stop]] || strings.IndexByte("*%=", s.text[stop]) >= 0) && stop-i < 300 {
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
	case len(run) == 50 && run[32] == '-' && run[41] == '-' && strings.Trim(run, HexLower+"-") == "" && strings.Count(run, "-") == 2:
		s.add(start, end, "vendor-key", "looks like a Mailgun key", run)
	case (len(run) == 36 || len(run) == 37) && strings.HasPrefix(run[32:], "-us") && strings.Trim(run[:32], HexLower) == "" && strings.Trim(run[35:], Digits) == "":
		s.add(start, end, "vendor-key", "looks like a Mailchimp key", run)
	case len(run) == 36 && end+33 <= len(s.text) && s.text[end] == ':' && uuid.Validate(run) == nil && strings.Trim(s.text[end+1:end+33], HexLower) == "" && (end+33 == len(s.text) || !tokenByte[s.text[end+33]]):
		s.add(start, end+33, "vendor-key", "looks like a fal key", s.text[start:end+33])
	case (len(run) == 51 || len(run) == 52) && strings.IndexByte("5KLc9", run[0]) >= 0 && base58Checked(run):
		s.add(start, end, "vendor-key", "is a wallet's private key: its check sum is right", run)
	case len(run) == 32 && end+17 <= len(s.text) && s.text[end] == '.' && strings.Trim(run, HexLower) == "":
		stop := end + 1
		for stop < len(s.text) && isAlnum(s.text[stop]) && stop-end < 20 {
			stop++
		}
		if tail := s.text[end+1 : stop]; len(tail) == 16 && variedKey(tail) && variedKey(run) {
			s.add(start, stop, "vendor-key", "looks like a Zhipu key", s.text[start:stop])
		}
	case len(run) == 32 && start > 8 && s.text[start-1] == '.':
		s.afterDot(start, end)
	case len(run) > 30 && (run[0] == '1' || run[0] == '2') && run[1] == '/' && strings.Trim(run, Digits+"/") == "" && end < len(s.text) && s.text[end] == ':':
		if stop := end + 33; stop <= len(s.text) && strings.Trim(s.text[end+1:stop], HexLower) == "" {
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
	if strings.Trim(tail, Alnums) != "" || !variedKey(tail) {
		return
	}
	switch {
	case strings.HasPrefix(head, "secret_") && len(head) > 40 && strings.Trim(head[len(head)-32:], HexLower) == "":
		s.add(from, end, "vendor-key", "looks like a Lambda key", s.text[from:end])
	case len(head) == 8 && strings.Trim(head, Alnums) == "" && strings.ContainsAny(head[1:], Digits+Uppers) && strings.ContainsAny(head, Uppers) && strings.ContainsAny(head, Lowers) && strings.ContainsAny(tail, Uppers) && (strings.ContainsAny(head, Digits) || drawnBody(tail, false)):
		s.add(from, end, "vendor-key", "looks like a Baseten key", s.text[from:end])
	}
}

// base58Checked reports whether text is base58 whose last four bytes are the check sum of the others (Bitcoin's
// Base58Check).
func base58Checked(text string) bool {
	out := make([]byte, 0, 48)
	for i := range len(text) {
		digit := strings.IndexByte(Base58s, text[i])
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
