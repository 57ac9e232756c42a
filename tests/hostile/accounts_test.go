package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/store"
)

func init() {
	add("H1", "the anonymous member is nobody", apitest.Options{Anonymous: true, SignupOpen: true}, anonymousIsNobody)
	alone("H1", "a clash of the anonymous member is refused at start", apitest.Options{}, anonymousClash)
	add("M1", "sign-up is throttled by itself", apitest.Options{SignupOpen: true}, signupThrottled)
	add("M2", "guesses at a member are bounded over all addresses, and its owner gets in", apitest.Options{}, guessesBounded)
	add("M2", "an IPv6 network of 64 bits is one address", apitest.Options{RequestsPerSecond: 4}, networksAreOne)
	add("M7", "ids that look like others' or the server's are not given", apitest.Options{SignupOpen: true, App: func(c *core.Config) { c.SignupsPerHour = 1000 }}, oddIDs)
	add("L6", "a member ends stolen sessions and changes the password", apitest.Options{}, stolenSession)
	add("L6", "sessions of a member are bounded", apitest.Options{}, sessionsBounded)
	alone("L8", "pages of other sites get no answer", apitest.Options{AuthOff: true}, otherSites)
	add("L9", "cookies over TLS are this host's alone, and verify is not called by other sites", apitest.Options{}, hostCookies)
	alone("L9", "what strangers send is cut in the log, and health has a limit", apitest.Options{RequestsPerSecond: 5}, boundedLines)
}

func password(user, password string) m { return m{"user_id": user, "password": password} }

// allowlisted calls every operation that an anonymous member may use.
func allowlisted(c *apitest.Client, values m) map[string]*apitest.Reply {
	all := map[string]*apitest.Reply{}
	for _, op := range apitest.Operations() {
		if op.Role == "member" || op.ID == "login" || op.ID == "signup" {
			continue
		}
		if op.Method != http.MethodGet {
			all[op.ID] = c.Post(op.Path, values)
			continue
		}
		var query []string
		for _, p := range op.Params {
			if v, ok := values[p.Name].(string); ok {
				query = append(query, p.Name, v)
			}
		}
		all[op.ID] = c.Get(op.Path, query...)
	}
	return all
}

// anonymousIsNobody gives the anonymous member's id, behind the server's back, everything that a person can have, and
// looks whether a visitor gets any of it.
func anonymousIsNobody(t *testing.T, s *apitest.Server) {
	const id, marker = "bob/quiet-letters", "quiet"
	s.Private(t, "bob", id)
	const own = apitest.AnonymousMember + "/quiet-own"
	visitor := s.Nobody(t)
	for _, private := range []string{id, own} {
		if private == own {
			s.Private(t, apitest.AnonymousMember, own)
		}
		for op, r := range allowlisted(visitor, m{"template_id": private, "session_id": "s"}) {
			if private == own && op == "listNotifications" {
				continue // the decision about a submission that no visitor can make; such an id is refused at start
			}
			body := strings.ReplaceAll(string(r.Body), private, "")
			if strings.Contains(body, marker) || r.Header.Get("Content-Type") == "application/zip" {
				t.Errorf("%s shows %s: %d %.300s", op, private, r.Status, r.Body)
			}
		}
		visitor.Get("/api/templates/package/download", "template_id", private).Want(t, 404, "template_not_installable")
		visitor.Get("/api/templates/detail", "template_id", private).Want(t, 404, "template_not_found")
	}
	// Nobody becomes everybody: not by signing up, not by a session that is there.
	visitor.Post("/api/signup", password(apitest.AnonymousMember, apitest.Password)).Want(t, 409, "user_id_taken")
	if err := s.App.AddMember(t.Context(), apitest.AnonymousMember, apitest.Password); err == nil {
		t.Error("the operator added the anonymous member")
	}
	hash, err := account.NewHasher(1).Hash(t.Context(), "", apitest.Password)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.AddAccount(apitest.AnonymousMember, hash) }); err != nil {
		t.Fatal(err)
	}
	visitor.Post("/api/login", password(apitest.AnonymousMember, apitest.Password)).Want(t, 401, "invalid_credentials")
	s.As(t, apitest.AnonymousMember).Get("/api/member/submissions").Want(t, 401, "unauthorized")
}

func anonymousClash(t *testing.T, s *apitest.Server) {
	check := func(id string) error {
		s.RestartWith(t, func(o *apitest.Options) {
			o.App = func(c *core.Config) { c.AllowAnonymousMember, c.AnonymousMemberUserID = true, id }
		})
		return s.App.CheckAnonymousMember(t.Context())
	}
	s.Private(t, "ghost", "ghost/letters") // owns something and has no account
	s.As(t, "leftover")                    // a session without an account
	for _, id := range []string{"ada", "dan", "ghost", "leftover", apitest.DefaultMember, "operator"} {
		if err := check(id); err == nil || !strings.Contains(err.Error(), "--anonymous-member-user-id") {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"", "anonymous", "visitor", "Guest_1"} {
		if err := check(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func signupThrottled(t *testing.T, s *apitest.Server) {
	n := 0
	var mu sync.Mutex
	made := map[string]int{}
	tried := core.DefaultSignupsPerHour + some(20, 400)
	err := s.Store.Write(t.Context(), func(tx *store.Tx) error { // most of the attempts were made before
		for range core.DefaultSignupsPerHour - 10 {
			if _, _, err := tx.CountFailure("signup\x1f2001:db8::/64", time.Hour.Microseconds()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for worker := range 16 {
		group.Go(func() {
			c := s.Nobody(t).From(fmt.Sprintf("[2001:db8::%x]", worker+1))
			for {
				mu.Lock()
				n++
				i := n
				mu.Unlock()
				if i > tried {
					return
				}
				r := c.Post("/api/signup", password(fmt.Sprintf("flood-%d", i), apitest.Password))
				mu.Lock()
				made[r.Code()]++
				mu.Unlock()
				if r.Code() == "rate_limited" && r.Header.Get("Retry-After") == "" {
					t.Error("429 without Retry-After")
				}
			}
		})
	}
	group.Wait()
	if made[""] > 10 || made[""] == 0 || made[""]+made["rate_limited"] != tried {
		t.Errorf("%d tried: %v", tried, made)
	}
	s.Nobody(t).From("192.0.2.1").Post("/api/signup", password("honest", apitest.Password)).OK(t)
	s.Nobody(t).From("[2001:db8::1]").Post("/api/login", password("ada", apitest.Password)).OK(t)
	s.Clock.Advance(time.Hour)
	s.Nobody(t).From("[2001:db8::1]").Post("/api/signup", password("later", apitest.Password)).OK(t)
}

func guessesBounded(t *testing.T, s *apitest.Server) {
	device := func(r *apitest.Reply) string {
		for _, line := range r.Header.Values("Set-Cookie") {
			if c, err := http.ParseSetCookie(line); err == nil && strings.TrimPrefix(c.Name, "__Host-") == "stoa_device" {
				return c.Name + "=" + c.Value
			}
		}
		t.Error("no device cookie was set")
		return ""
	}
	home := s.Nobody(t).From("198.51.100.7")
	known := device(home.Post("/api/login", password("ada", apitest.Password)).OK(t))

	counts := map[string]int{}
	for i := range some(60, 600) {
		c := s.Nobody(t).From(fmt.Sprintf("203.0.113.%d", i%60))
		counts[c.Post("/api/login", password("ada", fmt.Sprintf("guess number %d", i))).Code()]++
	}
	if counts["invalid_credentials"] != 20 {
		t.Errorf("guesses of 60 addresses: %v, want 20 looked at", counts)
	}
	away := s.Nobody(t).From("192.0.2.99")
	r := away.Post("/api/login", password("ada", apitest.Password)).Want(t, 429, "rate_limited")
	if r.Header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	// The owner has ways in: where she was before, with a browser that she used before, with a link.
	home.Post("/api/login", password("ada", apitest.Password)).OK(t)
	away.With("Cookie", known).Post("/api/login", password("ada", apitest.Password)).OK(t)
	token, err := s.App.SignInLink(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	s.Nobody(t).From("192.0.2.98").Post("/api/login", m{"sign_in_token": token}).OK(t)
	// Another member is not touched; a made-up device is none, and a known one is bounded too.
	away.Post("/api/login", password("bob", apitest.Password)).OK(t)
	s.Nobody(t).From("192.0.2.97").With("Cookie", "stoa_device="+account.NewToken()).Post("/api/login", password("ada", apitest.Password)).Want(t, 429, "rate_limited")
	for i := range 20 {
		s.Nobody(t).From(fmt.Sprintf("203.0.113.%d", 100+i)).With("Cookie", known).Post("/api/login", password("ada", "a wrong one")).Want(t, 401, "invalid_credentials")
	}
	s.Nobody(t).From("203.0.113.200").With("Cookie", known).Post("/api/login", password("ada", apitest.Password)).Want(t, 429, "rate_limited")
	// Never for good: a day later the password is enough from anywhere.
	s.Clock.Advance(24 * time.Hour)
	s.Nobody(t).From("192.0.2.96").Post("/api/login", password("ada", apitest.Password)).OK(t)
	s.Clock.Advance(24 * time.Hour)
	if err := s.App.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.Count(t, "login_throttle"); n > 0 {
		t.Errorf("%d windows are left after their end", n)
	}
}

func networksAreOne(t *testing.T, s *apitest.Server) {
	codes := map[string]int{}
	for i := range 30 {
		s.Clock.Advance(time.Second)
		c := s.Nobody(t).From(fmt.Sprintf("[2001:db8:5:6:%x::%x]", i, i+1))
		codes[c.Post("/api/login", password("nobody-here", "guess")).Code()]++
	}
	if codes["invalid_credentials"] != 10 {
		t.Errorf("guesses of one network: %v", codes)
	}
	s.Nobody(t).From("[2001:db8:5:7::1]").Post("/api/login", password("ada", apitest.Password)).OK(t)
	s.Clock.Advance(time.Minute)
	codes = map[string]int{}
	for i := range 30 {
		codes[s.Nobody(t).From(fmt.Sprintf("[2001:db8:9:9::%x]", i)).Get("/api/auth-info").Code()]++
	}
	if want := min(30, 8*s.Nodes()); codes[""] != want {
		t.Errorf("calls of one network within a moment: %v, want %d", codes, want)
	}
}

func oddIDs(t *testing.T, s *apitest.Server) {
	c := s.Nobody(t)
	for _, id := range []string{
		"Operator", "Alice", "ADA", "a\u200bda", "a\u00adda", "ada\u202e", "ａｄａ", "аda", "..", "/etc/x", ".ssh", "ada.", "ada_", "a--b", "-ada", "ada-", "ada b", "ada@home", "ad\u0430", "ada%20",
	} {
		c.Post("/api/signup", password(id, apitest.Password)).Want(t, 422, "invalid_request")
	}
	for _, id := range []string{
		"operator", "0perator", "admin", "adm1n", "stoa", "stoa-team", "root", "system", "anonymous", "support", "official", "null", "undefined", "me", "api", "maintainer", apitest.DefaultMember, "ada", "b0b",
		"console", "git", "npm", "feeds", "operators", "reviewers", "mcp", "con-sole", "secur1ty",
	} {
		if id == "b0b" {
			c.Post("/api/signup", password("bob0", apitest.Password)).OK(t) // no other's likeness
		}
		c.Post("/api/signup", password(id, apitest.Password)).Want(t, 409, "user_id_taken")
		if id == "ada" || id == apitest.DefaultMember {
			continue
		}
		if err := s.App.AddMember(t.Context(), id, apitest.Password); err == nil {
			t.Errorf("the operator added %s", id)
		}
	}
	// Odd ids of before keep working and are marked.
	hash, err := account.NewHasher(1).Hash(t.Context(), "", apitest.Password)
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{"Grace.Hopper", "admin"} {
		if err := s.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.AddAccount(old, hash) }); err != nil {
			t.Fatal(err)
		}
		c.Post("/api/login", password(old, apitest.Password)).OK(t)
	}
	c.Post("/api/signup", password("grace-hopper", apitest.Password)).Want(t, 409, "user_id_taken")
	found, err := s.App.Examine(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Check == "member_ids" && (!f.OK || !strings.Contains(f.Detail, "Grace.Hopper") || !strings.Contains(f.Detail, "admin")) {
			t.Errorf("%+v", f)
		}
	}
	for _, weak := range []string{"            ", "password1234", "aaaaaaaaaaaa", "honest-one-2026", "qwertyuiop12"} {
		c.Post("/api/signup", password("honest-one", weak)).Want(t, 422, "invalid_request")
	}
}

func stolenSession(t *testing.T, s *apitest.Server) {
	ada, thief, bob := s.As(t, "ada"), s.As(t, "ada"), s.As(t, "bob")
	r := ada.Get("/api/account/sessions").OK(t)
	if r.Len("data.sessions") != 2 || r.At("data.has_password") != true {
		t.Fatalf("sessions: %s", r.Body)
	}
	other := r.Str("data.sessions.0.session_id")
	if r.At("data.sessions.0.current") == true {
		other = r.Str("data.sessions.1.session_id")
	}
	if strings.Contains(string(r.Body), account.TokenHash(thief.Token)) {
		t.Error("the list has the hash of a token")
	}
	if r := bob.Post("/api/account/sessions/end", m{"session_id": other}).OK(t); r.At("data.ended_sessions") != 0.0 {
		t.Errorf("bob ended ada's session: %s", r.Body)
	}
	thief.Get("/api/preferences").OK(t)
	if r := ada.Post("/api/account/sessions/end", m{"session_id": other}).OK(t); r.At("data.ended_sessions") != 1.0 || r.At("data.signed_out") != false {
		t.Errorf("ended: %s", r.Body)
	}
	s.Settle()
	thief.Get("/api/preferences").Want(t, 401, "unauthorized")

	thief = s.As(t, "ada")
	const fresh = "kettle violin octopus"
	change := func(c *apitest.Client, current, next string) *apitest.Reply {
		return c.Post("/api/account/password", m{"current_password": current, "new_password": next})
	}
	change(thief, "not the password", fresh).Want(t, 401, "invalid_credentials")
	for _, weak := range []string{"password1234", "adaadaadaada", "            "} {
		change(ada, apitest.Password, weak).Want(t, 422, "invalid_request")
	}
	if r := change(ada, apitest.Password, fresh).OK(t); r.At("data.ended_sessions") != 1.0 {
		t.Errorf("changed: %s", r.Body)
	}
	s.Settle()
	thief.Get("/api/preferences").Want(t, 401, "unauthorized")
	ada.Get("/api/preferences").OK(t)
	s.Nobody(t).Post("/api/login", password("ada", apitest.Password)).Want(t, 401, "invalid_credentials")
	s.Nobody(t).Post("/api/login", password("ada", fresh)).OK(t)
	for range 10 {
		change(ada, "a wrong one again", fresh).Want(t, 401, "invalid_credentials")
	}
	change(ada, fresh, apitest.Password).Want(t, 429, "rate_limited")

	r = ada.Post("/api/account/sessions/end-all", m{}).OK(t)
	if r.At("data.signed_out") != true || !strings.Contains(strings.Join(r.Header.Values("Set-Cookie"), "\n"), "Max-Age=0") {
		t.Errorf("everywhere: %s %v", r.Body, r.Header)
	}
	s.Settle()
	ada.Get("/api/preferences").Want(t, 401, "unauthorized")
	if n := s.Count(t, "session WHERE user_id = 'ada'"); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	bob.Get("/api/preferences").OK(t)
}

func sessionsBounded(t *testing.T, s *apitest.Server) {
	first := s.As(t, "ada")
	for range 60 {
		s.Clock.Advance(time.Second)
		s.As(t, "ada")
	}
	s.Clock.Advance(time.Second)
	last := s.Nobody(t)
	last.Token = last.Post("/api/login", password("ada", apitest.Password)).OK(t).Str("token")
	if n := s.Count(t, "session WHERE user_id = 'ada'"); n != 50 {
		t.Errorf("%d sessions", n)
	}
	s.Settle()
	first.Get("/api/preferences").Want(t, 401, "unauthorized")
	last.Get("/api/preferences").OK(t)
}

func otherSites(t *testing.T, s *apitest.Server) {
	before := s.Rows(t)
	for _, op := range apitest.Operations() {
		for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:1"}} {
			r := s.Nobody(t).With(header[0], header[1]).Do(op.Method, op.Target(m{"import_id": "x"}), nil)
			if r.Status != 403 || r.Code() != "permission_denied" {
				t.Errorf("%s with %v: %d", op.ID, header, r.Status)
			}
			if r.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%s may be embedded elsewhere", op.ID)
			}
		}
	}
	if s.Rows(t, "session", "preference", "verification", "audit_event") != "" && s.Rows(t) != before {
		t.Error("a refused request changed something")
	}
	own := s.Nobody(t).With("Sec-Fetch-Site", "same-origin")
	own.Get("/api/preferences").OK(t)
	own.Get("/market").OK(t)
}

func hostCookies(t *testing.T, s *apitest.Server) {
	s.RestartWith(t, func(o *apitest.Options) { o.HTTP = trustLoopback })
	tls := s.Nobody(t).From("127.0.0.1").With("X-Forwarded-For", "192.0.2.4").With("X-Forwarded-Proto", "https")
	r := tls.Post("/api/login", password("ada", apitest.Password)).OK(t)
	var session string
	for _, line := range r.Header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			t.Fatal(err)
		}
		if c.MaxAge < 0 {
			continue
		}
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || c.Path != "/" || c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			t.Errorf("cookie %+v", c)
		}
		if c.Name == "__Host-stoa_session" {
			session = c.Value
		}
	}
	tls.With("Cookie", "__Host-stoa_session="+session).Get("/api/preferences").OK(t)
	tls.With("Cookie", "stoa_session="+session).Get("/api/preferences").OK(t) // of before the prefix
	tls.With("Cookie", "stoa_session=planted; __Host-stoa_session="+session).Get("/api/preferences").OK(t)

	before := s.Count(t, "verification")
	browser := tls.With("Cookie", "__Host-stoa_session="+session)
	for _, op := range apitest.Operations() {
		if op.Role == "member" && op.Method == http.MethodGet {
			browser.With("Sec-Fetch-Site", "same-site").Do("GET", op.Target(m{"import_id": "x"}), nil).Want(t, 403, "permission_denied")
		}
	}
	if n := s.Count(t, "verification"); n != before {
		t.Error("another site's page has kept a verdict")
	}
}

func boundedLines(t *testing.T, s *apitest.Server) {
	c := s.Nobody(t)
	c.Get("/api/"+strings.Repeat("%41", 8000)).Want(t, 404, "not_found")
	c.With("X-Request-Id", strings.Repeat("x", 5000)).With("User-Agent", strings.Repeat("y", 5000)).Get("/api/templates", "query", strings.Repeat("z", 300)).OK(t)
	for _, line := range strings.Split(s.Log(), "\n") {
		if len(line) > 1<<10 {
			t.Errorf("a line of %d bytes: %.200s", len(line), line)
		}
	}
	codes := map[string]int{}
	for range 60 {
		codes[c.Get("/api/health").Code()]++
	}
	if codes[""] != 40 || codes["rate_limited"] != 20 {
		t.Errorf("health: %v", codes)
	}
}
