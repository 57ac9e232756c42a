package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	smtp "stoa/internal/platform/mail"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/webhook"
)

// post is a mail server that keeps what it is given, and refuses while it is told to.
type post struct {
	address string
	mu      sync.Mutex
	got     []string
	refuse  bool
}

func mailServer(t *testing.T) *post {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &post{address: l.Addr().String()}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return p
}

// serve speaks as much SMTP as a client needs (RFC 5321).
func (p *post) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 here")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		p.mu.Lock()
		refuse := p.refuse
		p.mu.Unlock()
		switch verb := strings.ToUpper(strings.TrimSpace(line)); {
		case refuse && strings.HasPrefix(verb, "MAIL"):
			say("451 not now")
		case verb == "DATA":
			say("354 go on")
			var body strings.Builder
			for {
				line, err := r.ReadString('\n')
				if err != nil || line == ".\r\n" {
					break
				}
				body.WriteString(line)
			}
			p.mu.Lock()
			p.got = append(p.got, body.String())
			p.mu.Unlock()
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

// last reads the newest of n mails.
func (p *post) last(t *testing.T, n int) (*mail.Message, string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.got) != n {
		t.Fatalf("%d mails, want %d", len(p.got), n)
	}
	m, err := mail.ReadMessage(strings.NewReader(p.got[n-1]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m, string(body)
}

// tell leaves a member a notification.
func tell(t *testing.T, s *apitest.Server, userID, kind, message string) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		return core.Notify(tx, userID, kind, core.About{ItemID: "ada/letters", Kind: "template", SubmissionID: "sub"}, "%s", message)
	})
}

func due(t *testing.T, s *apitest.Server) {
	t.Helper()
	if err := s.App.DeliverDue(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func everywhere(kind string) m { return ways(kind, true, true, true, true) }

func ways(kind string, page, feed, mail, webhook bool) m {
	return m{"kinds": []m{{"kind": kind, "page": page, "feed": feed, "mail": mail, "webhook": webhook}}}
}

// inTurn is apitest.Each, one engine after the other, since both are heard by one server.
func inTurn(t *testing.T, o apitest.Options, test func(t *testing.T, s *apitest.Server)) {
	t.Helper()
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) { test(t, apitest.Start(t, e, o)) })
	}
}

func TestNotificationsByMail(t *testing.T) {
	server := mailServer(t)
	inTurn(t, apitest.Options{App: func(c *core.Config) {
		c.Mail, c.WebURL = smtp.Server{Address: server.address, From: "stoa@stoa.example", TLS: smtp.NoTLS}, "https://stoa.example"
	}}, func(t *testing.T, s *apitest.Server) {
		server.mu.Lock()
		server.got, server.refuse = nil, false
		server.mu.Unlock()
		ada := s.As(t, "ada")
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.mail_offered": true, "data.mail_to": "", "data.mail_confirmed": false, "data.locale": "en-US"})
		for _, bad := range []string{"ada", "Ada <ada@example.org>", "ada@example.org, bob@example.org", "ada@example.org>\u2028x"} {
			ada.Post("/api/account/notifications/mail", m{"address": bad}).Want(t, 422, "invalid_request")
		}
		want(t, ada.Post("/api/account/notifications/mail", m{"address": "ada@example.org"}).OK(t), m{"data.mail_to": "ada@example.org", "data.mail_confirmed": false})
		ada.Post("/api/account/notifications", everywhere(core.ToldUpdate)).OK(t)
		tell(t, s, "ada", core.ToldUpdate, "before the address is confirmed")
		due(t, s)
		_, body := server.last(t, 1)
		code := ""
		for _, line := range strings.Split(body, "\n") {
			if line = strings.TrimSpace(line); len(line) == 8 && strings.Trim(line, "0123456789") == "" {
				code = line
			}
		}
		ada.Post("/api/account/notifications/mail/confirm", m{"code": "0000000x"}).Want(t, 422, "invalid_request")
		s.As(t, "bob").Post("/api/account/notifications/mail/confirm", m{"code": code}).Want(t, 422, "invalid_request")
		want(t, ada.Post("/api/account/notifications/mail/confirm", m{"code": code}).OK(t), m{"data.mail_to": "ada@example.org", "data.mail_confirmed": true})

		ada.Post("/api/account/notifications", m{"kinds": []m{}, "locale": "ja-JP"}).OK(t)
		tell(t, s, "ada", core.ToldUpdate, "Version 2 is out.")
		tell(t, s, "ada", core.ToldApproved, "not by mail")
		due(t, s)
		m2, body := server.last(t, 2)
		subject, err := new(mime.WordDecoder).DecodeHeader(m2.Header.Get("Subject"))
		if err != nil || subject != "更新があります：ada/letters" || m2.Header.Get("To") != "ada@example.org" || !strings.Contains(body, "Version 2 is out.") || !strings.Contains(body, "https://stoa.example/member?kind=template&submission=sub&view=submissions") {
			t.Errorf("%s %v\n%s", subject, m2.Header, body)
		}
		// What is refused is tried again, later each time, and given up.
		server.mu.Lock()
		server.refuse = true
		server.mu.Unlock()
		tell(t, s, "ada", core.ToldUpdate, "Version 3 is out.")
		for range 12 {
			due(t, s)
			s.Clock.Advance(6 * time.Hour)
		}
		if n := s.Count(t, "notification_delivery WHERE attempts = 8 AND next_at = 0 AND message = '' AND user_id = 'ada'"); n != 1 {
			t.Errorf("%d were given up after eight attempts, without their text", n)
		}
		ada = s.As(t, "ada")
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.mail_problem": "unreachable", "data.mail_confirmed": true, "data.locale": "ja-JP", "data.mail_to": "ada@example.org"})
		server.mu.Lock()
		server.refuse = false
		server.mu.Unlock()
		ada.Post("/api/account/notifications/mail", m{"address": ""}).OK(t)
		tell(t, s, "ada", core.ToldUpdate, "to nobody")
		due(t, s)
		server.last(t, 2)
		for range 5 {
			ada.Post("/api/account/notifications/mail", m{"address": "a@stranger.example"}).OK(t)
		}
		ada.Post("/api/account/notifications/mail", m{"address": "a@stranger.example"}).Want(t, 429, "rate_limited")

		// What was given up goes after a week, though nothing is due.
		s.Clock.Advance(memberdb.GivenUpKeep)
		if err := s.App.SweepOnce(t.Context()); err != nil || s.Count(t, "notification_delivery WHERE next_at = 0") != 0 {
			t.Errorf("what was given up is still there: %v", err)
		}
	})
}

func TestNotificationsByWebhook(t *testing.T) {
	var mu sync.Mutex
	var bodies, wrong []string
	secret, status := "", 200
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if signed, err := webhook.Sign(secret, r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body); err != nil || signed != r.Header.Get("Webhook-Signature") {
			wrong = append(wrong, string(body))
		}
		bodies = append(bodies, string(body))
		w.WriteHeader(status)
	}))
	t.Cleanup(hook.Close)
	inTurn(t, apitest.Options{App: func(c *core.Config) { c.PrivateWebhooks = true }}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for _, bad := range []string{"ftp://example.org", "https://", "https://ada:secret@example.org/", "example.org"} {
			ada.Post("/api/account/notifications/webhook", m{"url": bad}).Want(t, 422, "invalid_request")
		}
		set := ada.Post("/api/account/notifications/webhook", m{"url": hook.URL + "/x"}).OK(t)
		mu.Lock()
		secret, status, bodies = set.Str("data.secret"), 200, nil
		mu.Unlock()
		ada.Post("/api/account/notifications", ways(core.ToldVerdict, false, false, false, true)).OK(t)
		tell(t, s, "ada", core.ToldVerdict, "first")
		due(t, s)
		due(t, s)
		mu.Lock()
		var said struct {
			Type string
			Data map[string]string
		}
		if len(bodies) != 1 || json.Unmarshal([]byte(bodies[0]), &said) != nil || said.Type != "notification.verdict_changed" || said.Data["message"] != "first" || len(wrong) > 0 {
			t.Errorf("%q, wrongly signed: %q", bodies, wrong)
		}
		status = 503
		mu.Unlock()
		// On pages there is nothing of it, as chosen.
		if list := ada.Get("/api/notifications").OK(t); list.At("data.count") != float64(0) {
			t.Errorf("%s", list.Body)
		}
		tell(t, s, "ada", core.ToldVerdict, "second")
		due(t, s)
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.webhook_problem": "answered 503", "data.webhook_url": hook.URL + "/x"})
		mu.Lock()
		status = 200
		mu.Unlock()
		s.Clock.Advance(29 * time.Second)
		due(t, s)
		s.Clock.Advance(time.Second)
		due(t, s)
		mu.Lock()
		if len(bodies) != 3 || len(wrong) > 0 {
			t.Errorf("%d messages, %d wrongly signed", len(bodies), len(wrong))
		}
		mu.Unlock()
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.webhook_problem": ""})
		// What waits for an address that is not the member's any more is not sent.
		tell(t, s, "ada", core.ToldVerdict, "third")
		ada.Post("/api/account/notifications/webhook", m{"url": ""}).OK(t)
		due(t, s)
		mu.Lock()
		if len(bodies) != 3 {
			t.Errorf("%d messages", len(bodies))
		}
		mu.Unlock()
		if text := s.Rows(t, "audit_event"); strings.Contains(text, secret) || strings.Contains(s.Log(), secret) {
			t.Error("the secret is in the audit log or the log")
		}
	})
}

// Whose server never answers in time keeps nobody else waiting for more than one batch, whatever waits for it.
func TestASlowWebhookDelaysNobodyElse(t *testing.T) {
	apitest.Each(t, apitest.Options{App: func(c *core.Config) { c.PrivateWebhooks = true }}, func(t *testing.T, s *apitest.Server) {
		for _, name := range []string{"ada", "bob", "cyn"} {
			s.As(t, name).Post("/api/account/notifications/webhook", m{"url": "http://127.0.0.1:9/" + name}).OK(t)
			s.As(t, name).Post("/api/account/notifications", ways(core.ToldVerdict, false, false, false, true)).OK(t)
		}
		for range 100 {
			tell(t, s, "ada", core.ToldVerdict, "again")
			s.Clock.Advance(time.Second)
		}
		for _, name := range []string{"bob", "cyn", "bob"} {
			tell(t, s, name, core.ToldVerdict, "late")
		}
		next, err := s.Store.DueDeliveries(t.Context(), clock.Micros(s.Clock.Now()), 16)
		if err != nil || len(next) != 16 {
			t.Fatal(next, err)
		}
		first := map[string]int{}
		for _, d := range next[:5] {
			first[d.UserID]++
		}
		if first["ada"] != 2 || first["bob"] != 2 || first["cyn"] != 1 {
			t.Errorf("the first five are of %v", first)
		}
		for i, d := range next[5:] {
			if d.UserID != "ada" || d.At <= next[0].At {
				t.Errorf("%d: %+v", i, d)
			}
		}
	})
}

// Without the operator's word no message goes to this machine, whatever its address says.
func TestWebhooksStayOutOfPrivateNetworks(t *testing.T) {
	called := false
	hook := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	t.Cleanup(hook.Close)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/account/notifications/webhook", m{"url": "http://example.org/"}).Want(t, 422, "invalid_request")
		port := hook.URL[strings.LastIndex(hook.URL, ":"):]
		for _, host := range []string{"localhost", "127.0.0.1", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "169.254.169.254", "localhost."} {
			ada.Post("/api/account/notifications/webhook", m{"url": "https://" + host + port}).Want(t, 422, "invalid_request")
		}
		ada.Post("/api/account/notifications/webhook", m{"url": "https://example.org" + port}).OK(t)
		// One that was saved before that is not called either.
		if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
			choice, err := tx.NotificationChoice(t.Context(), "ada")
			if err == nil {
				choice.WebhookURL = strings.Replace(hook.URL, "127.0.0.1", "localhost", 1)
				err = tx.SetNotificationChoice(choice)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		ada.Post("/api/account/notifications", everywhere(core.ToldUpdate)).OK(t)
		tell(t, s, "ada", core.ToldUpdate, "nobody hears this")
		due(t, s)
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.webhook_problem": "blocked", "data.mail_offered": false})
		if called {
			t.Error("this machine was called")
		}
		ada.Post("/api/account/notifications/mail", m{"address": "ada@example.org"}).Want(t, 403, "permission_denied")
	})
}

func TestNotificationFeed(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.has_feed": false})
		tell(t, s, "ada", core.ToldApproved, "for pages and the feed")
		first := ada.Post("/api/account/notifications/feed", m{"on": true}).OK(t).Str("data.url")
		path := strings.TrimPrefix(first, s.URL)
		read := func(path string) (int, string, http.Header) {
			r := s.Nobody(t).Raw("GET", path, nil)
			return r.Status, string(r.Body), r.Header
		}
		code, text, head := read(path)
		var feed struct {
			Entries []struct {
				Title string `xml:"title"`
			} `xml:"entry"`
		}
		if err := xml.Unmarshal([]byte(text), &feed); code != 200 || err != nil || len(feed.Entries) != 1 || !strings.Contains(feed.Entries[0].Title, "for pages and the feed") || !strings.HasPrefix(head.Get("Content-Type"), "application/atom+xml") {
			t.Errorf("%d %v %s", code, err, text)
		}
		if r := s.Nobody(t).With("If-None-Match", head.Get("ETag")).Raw("GET", path, nil); r.Status != 304 {
			t.Errorf("%d for what is known", r.Status)
		}
		set := ada.Post("/api/account/notifications", ways(core.ToldApproved, true, false, false, false)).OK(t)
		if set.At("data.kinds.0.feed") != false || set.At("data.kinds.1.feed") != true || set.Str("data.kinds.0.kind") != core.ToldApproved {
			t.Errorf("%s", set.Body)
		}
		tell(t, s, "ada", core.ToldApproved, "for pages alone")
		if _, text, _ := read(path); strings.Contains(text, "for pages alone") {
			t.Error("the feed has what is for pages alone")
		}
		if list := ada.Get("/api/notifications").OK(t); list.At("data.count") != float64(2) {
			t.Errorf("%s", list.Body)
		}
		want(t, ada.Get("/api/account/notifications").OK(t), m{"data.has_feed": true})
		second := ada.Post("/api/account/notifications/feed", m{"on": true}).OK(t).Str("data.url")
		for address, status := range map[string]int{first: 404, second: 200, s.URL + "/notifications.atom": 404, s.URL + "/notifications.atom?token=": 404} {
			if code, _, _ := read(strings.TrimPrefix(address, s.URL)); code != status {
				t.Errorf("%s: %d, want %d", address, code, status)
			}
		}
		if _, token, _ := strings.Cut(second, "token="); strings.Contains(s.Log(), token) || strings.Contains(s.Rows(t), token) {
			t.Error("the token is in the log or in the store")
		}
		ada.Post("/api/account/deletion", m{}).OK(t)
		if code, _, _ := read(strings.TrimPrefix(second, s.URL)); code != 404 {
			t.Errorf("the feed of a member whose account is to be deleted: %d", code)
		}
		ada.Post("/api/account/deletion/cancel", m{}).OK(t)
		if code, _, _ := read(strings.TrimPrefix(second, s.URL)); code != 200 {
			t.Errorf("the feed of a member who stays: %d", code)
		}
		if err := s.App.SetMemberDisabled(t.Context(), "ada", true); err != nil {
			t.Fatal(err)
		}
		if code, _, _ := read(strings.TrimPrefix(second, s.URL)); code != 404 {
			t.Errorf("a disabled member's feed: %d", code)
		}
		if url := s.As(t, "bob").Post("/api/account/notifications/feed", m{"on": false}).OK(t).Str("data.url"); url != "" {
			t.Errorf("no feed is at %s", url)
		}
	})
}
