package httpapi_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/memberdb"
)

// What cannot be taken back wants somebody who has just proved who they are, whatever session they have.
func TestWhatWantsAConfirmedSession(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		calls := map[string]func() *apitest.Reply{
			"token":  func() *apitest.Reply { return ada.Post("/api/account/tokens", m{"label": "x"}) },
			"export": func() *apitest.Reply { return ada.Get("/api/account/export") },
			"delete": func() *apitest.Reply { return ada.Post("/api/account/deletion", m{}) },
		}
		if ada.Get("/api/account").OK(t).Str("data.confirmed_until") == "" {
			t.Error("a session that has just begun is not confirmed")
		}
		s.Clock.Advance(accounts.ConfirmFor)
		if until := ada.Get("/api/account").OK(t).Str("data.confirmed_until"); until != "" {
			t.Errorf("confirmed until %s", until)
		}
		before := s.Count(t, "api_token")
		for name, call := range calls {
			if r := call().Want(t, 403, "permission_denied"); r.At("data.confirm") != true {
				t.Errorf("%s: %s", name, r.Body)
			}
		}
		if s.Count(t, "api_token") != before || s.Count(t, "account WHERE erase_at > 0") != 0 {
			t.Error("a refused request did something")
		}
		ada.Post("/api/account/confirm", m{"password": "not the password"}).Want(t, 401, "invalid_credentials")
		calls["token"]().Want(t, 403, "permission_denied")
		first := ada.Post("/api/account/confirm", m{"password": apitest.Password}).OK(t).Str("data.confirmed_until")
		calls["token"]().OK(t)
		s.Clock.Advance(time.Minute)
		if again := ada.Post("/api/account/confirm", m{"password": apitest.Password}).OK(t).Str("data.confirmed_until"); again <= first {
			t.Errorf("confirmed until %s, then until %s", first, again)
		}
		// It is this session's alone.
		other := s.As(t, "ada")
		s.Clock.Advance(accounts.ConfirmFor)
		ada.Post("/api/account/confirm", m{"password": apitest.Password}).OK(t)
		other.Get("/api/account/export").Want(t, 403, "permission_denied")
		// Guesses are bounded.
		for range 10 {
			ada.Post("/api/account/confirm", m{"password": "not the password"}).Want(t, 401, "invalid_credentials")
		}
		ada.Post("/api/account/confirm", m{"password": apitest.Password}).Want(t, 429, "rate_limited")
	})
}

// archived reads the files of a zip.
func archived(t *testing.T, body []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		r.Close()
		if err != nil || files[f.Name] != "" {
			t.Fatalf("%s: %v", f.Name, err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// The archive has the rows of every table in which the member has any, their notes, packages and drafts; and nothing of
// another's, no hash and no key.
func TestExportOfAnAccount(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bobsThings(t, s)
		plantWords(t, s)
		bob := s.As(t, "bob")
		token := bob.Post("/api/account/tokens", m{"label": "a program"}).OK(t)
		kept := map[string]bool{} // before, as some rows are written in the background
		for _, table := range store.Registry {
			kept[table.Name] = table.Owner != "" && s.Count(t, table.Name+" WHERE "+table.Owner+" = 'bob'") > 0
		}
		r := bob.Get("/api/account/export")
		if r.Status != 200 || !strings.Contains(r.Header.Get("Content-Disposition"), `filename="stoa-bob.zip"`) || !strings.Contains(r.Header.Get("Cache-Control"), "private") {
			t.Fatalf("%d %v", r.Status, r.Header)
		}
		files := archived(t, r.Body)
		for _, table := range store.Registry {
			if !kept[table.Name] {
				continue
			}
			text, ok := files["data/"+table.Name+".json"]
			if !ok {
				t.Errorf("there is nothing of %s", table.Name)
			}
			for _, hidden := range table.Hidden {
				if strings.Contains(text, `"`+hidden+`":`) {
					t.Errorf("%s gives %s", table.Name, hidden)
				}
			}
		}
		all := ""
		for _, text := range files {
			all += text
		}
		for _, hidden := range []string{"$argon2id$", bob.Token, token.Str("data.token"), "AGE-SECRET-KEY"} {
			if strings.Contains(all, hidden) {
				t.Errorf("the archive has %q", hidden)
			}
		}
		names := make([]string, 0, len(files))
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, want := range []string{"notes/" + word + "/a.md", "cards.apkg", "submissions/", "drafts/", "media/anki/", "README.txt"} {
			if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, want) }) {
				t.Errorf("there is no %s among %s", want, names)
			}
		}
		for _, name := range names {
			if strings.HasPrefix(name, "/") || strings.Contains(name, "..") {
				t.Errorf("a path leaves the archive: %s", name)
			}
		}
		if s.Count(t, "audit_event WHERE action = 'account.exported' AND owner = 'bob'") != 1 {
			t.Error("the export is not in the audit log")
		}
		adas := archived(t, s.As(t, "ada").Get("/api/account/export").Body)
		for name, text := range adas {
			if strings.Contains(text, secret) || strings.Contains(text, word) {
				t.Errorf("ada's %s has something of bob's", name)
			}
		}
		for range 9 {
			bob.Get("/api/account/export").OK(t)
		}
		bob.Get("/api/account/export").Want(t, 429, "rate_limited")
	})
}

// A member is deleted when the grace period is over and not before; then their words are nowhere, what they published stays
// and nobody gets their id.
func TestDeletionOfAnAccount(t *testing.T) {
	apitest.Each(t, apitest.Options{SignupOpen: true, LearnersDatabases: 1}, func(t *testing.T, s *apitest.Server) {
		bobsThings(t, s)
		plantWords(t, s)
		s.Approve(t, s.Submit(t, "bob", "bob/open", "1.0.0", catalog.Community))
		s.Private(t, "bob", "bob/"+word)
		plantElsewhere(t, s)
		s.As(t, "bob").Post(calendarAddress, m{"on": true}).OK(t)
		program := withToken(t, s, "bob", "read")
		s.App.Tracer.Flush(t.Context()) // what is written in the background
		s.App.Flush(t.Context())
		if _, err := s.App.MoveLearner(t.Context(), "bob", 1, nil); err != nil { // what they learned is in two databases for a while
			t.Fatal(err)
		}
		for _, table := range store.Registry {
			if table.Owner != "" && !table.Outlives && !passing[table.Name] && s.Count(t, table.Name+" WHERE "+table.Owner+" = 'bob'") == 0 {
				t.Errorf("nothing was planted in %s: the test does not see whether it is erased", table.Name)
			}
		}
		bob, other := s.As(t, "bob"), s.As(t, "bob")
		if at := bob.Get("/api/ui/capabilities").OK(t).Str("data.account_deletes_at"); at != "" {
			t.Errorf("to be deleted at %s", at)
		}
		out := bob.Post("/api/account/deletion", m{}).OK(t)
		at := out.Str("data.deletes_at")
		if at == "" || out.At("data.ended_sessions").(float64) < 1 {
			t.Fatalf("%s", out.Body)
		}
		other.Get("/api/preferences").Want(t, 401, "unauthorized")
		program.Get("/api/preferences").Want(t, 401, "unauthorized")
		s.Clock.Advance(core.DefaultAccountGrace - time.Hour)
		sweep(t, s)
		bob = s.As(t, "bob") // who signs in meanwhile is told, and may stay
		if told := bob.Get("/api/ui/capabilities").OK(t).Str("data.account_deletes_at"); told != at {
			t.Errorf("told %s, want %s", told, at)
		}
		want(t, bob.Get("/api/account").OK(t), m{"data.deletes_at": at})
		if again := bob.Post("/api/account/deletion", m{}).OK(t).Str("data.deletes_at"); again != at {
			t.Errorf("asking again moved it to %s", again)
		}
		for _, cancelled := range []bool{true, false} {
			if r := bob.Post("/api/account/deletion/cancel", m{}).OK(t); r.At("data.cancelled") != cancelled {
				t.Errorf("%s", r.Body)
			}
		}
		s.Clock.Advance(2 * time.Hour)
		sweep(t, s)
		bob = s.As(t, "bob")
		bob.Get("/api/knowledge/documents").OK(t)
		bob.Post("/api/account/deletion", m{}).OK(t)
		s.Clock.Advance(core.DefaultAccountGrace)
		s.As(t, "bob").Post("/api/account/deletion/cancel", m{}).Want(t, 403, "permission_denied") // too late
		sweep(t, s)
		sweep(t, s)
		erased(t, s)
	})
}

// passing are tables of rows that live for minutes, or that nothing of a member's own is in.
var passing = map[string]bool{
	"sign_in_link": true, "passkey_attempt": true, "oauth_code": true, "console_session": true, "embedding": true, "question_run": true, "question_part": true, "member_quota": true,
}

// plantElsewhere puts the word where a member writes beside learning: what they say of items and submissions, whom they trust, where
// they are told; and what a scanner says of their private item.
func plantElsewhere(t *testing.T, s *apitest.Server) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		own, err := tx.Item(t.Context(), catalog.KindTemplate, "bob/"+word)
		others, err2 := tx.Item(t.Context(), catalog.KindTemplate, coach)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		_, rated := tx.SetRating(marketdb.Rating{ID: "r-1", UserID: "bob", Seq: others.Seq, Stars: 4, Text: word, Version: "1.0.0"})
		_, of := tx.SetRating(marketdb.Rating{ID: "r-2", UserID: "ada", Seq: others.Seq, Stars: 1, Text: "short", Version: "1.0.0"})
		return errors.Join(rated, of, tx.ReportRating("r-2", "bob", word),
			tx.AddSubmissionMessage(marketdb.SubmissionMessage{ID: "m-1", SubmissionID: "s-1", UserID: "bob", Author: "bob", Text: word}),
			tx.AskRemoval(marketdb.Removal{UserID: "bob", Kind: catalog.KindTemplate, ItemID: "bob/" + word, What: word, SubmissionID: "s-1"}),
			tx.AddTrustedPublisher(memberdb.TrustedPublisher{PublisherID: "p-1", UserID: "bob", Item: "bob/" + word, Issuer: "https://issuer.example", Repository: "bob/" + word, CreatedAt: 1}),
			tx.AddPasskey(memberdb.Passkey{CredentialID: "c-1", UserID: "bob", UserHandle: "h", Party: "x.example", Label: word, Record: "{}", CreatedAt: 1}),
			tx.AddOAuthGrant(memberdb.OAuthGrant{GrantHash: "g-1", UserID: "bob", ClientID: "https://x.example/" + word, ClientName: word, Scope: "read", ExpiresAt: 1 << 60}),
			tx.SetNotificationChoice(memberdb.NotificationChoice{UserID: "bob", WebhookURL: "https://x.example/" + word}),
			tx.AddDelivery(memberdb.Delivery{ID: "d-1", UserID: "bob", Way: core.WayWebhook, Recipient: "https://x.example/" + word, Message: word, NextAt: 1 << 60}),
			tx.AddIdentity("https://issuer.example", word, "bob"), tx.GrantRole("bob", "reviewer"), tx.RememberSource("bob", word, 5),
			tx.HoldVerdict(own.Seq, "1.0.0", scan.Summary{ScannerVersion: "9", Digest: word}),
		)
	})
}

// An account says whether it has a password, and how long its deletion may be taken back on this server.
func TestWhatAnAccountSays(t *testing.T) {
	apitest.Each(t, apitest.Options{App: func(c *core.Config) { c.AccountGrace = 48 * time.Hour }}, func(t *testing.T, s *apitest.Server) {
		write(t, s, func(tx *store.Tx) error { return tx.SetPassword("cyn", "") })
		for user, has := range map[string]bool{"ada": true, "cyn": false} {
			if r := s.As(t, user).Get("/api/account").OK(t); r.At("data.has_password") != has || r.At("data.grace_days") != float64(2) {
				t.Errorf("%s: %s", user, r.Body)
			}
		}
		s.As(t, "cyn").Post("/api/account/confirm", m{"password": apitest.Password}).Want(t, 403, "permission_denied")
	})
}

func erased(t *testing.T, s *apitest.Server) {
	t.Helper()
	for _, table := range store.Registry {
		if table.Owner != "" && !table.Outlives && s.Count(t, table.Name+" WHERE "+table.Owner+" = 'bob'") > 0 {
			t.Errorf("%s still has rows of the member", table.Name)
		}
		if !table.Backup || table.Name == "audit_event" {
			continue
		}
		if rows := strings.ToLower(s.Rows(t, table.Name)); strings.Contains(rows, word) || strings.Contains(rows, secret) {
			t.Errorf("%s still has a word of the member", table.Name)
		}
	}
	if n := s.Count(t, "item WHERE owner = 'bob' AND visibility = 'private'") + s.Count(t, "submission WHERE user_id = 'bob' AND status <> 'approved'"); n != 0 {
		t.Errorf("%d private items and unpublished submissions are left", n)
	}
	nobody := s.Nobody(t)
	nobody.Get("/api/templates/detail", "template_id", "bob/open").OK(t)
	nobody.Post("/api/login", right("bob")).Want(t, 401, "invalid_credentials")
	nobody.Post("/api/signup", m{"user_id": "bob", "password": apitest.Password}).Want(t, 409, "user_id_taken")
	for _, revive := range []func() error{
		func() error { return s.App.SetMemberPassword(t.Context(), "bob", "another long password") },
		func() error { return s.App.SetMemberDisabled(t.Context(), "bob", false) },
		func() error { _, err := s.App.SignInLink(t.Context(), "bob"); return err },
	} {
		if revive() == nil {
			t.Error("a deleted member was let in again")
		}
	}
	if s.Count(t, "audit_event WHERE action = 'account.erased' AND owner = 'bob'") != 1 {
		t.Error("the deletion is not in the audit log once")
	}
	s.As(t, "ada").Get("/api/preferences").OK(t)
}

func sweep(t *testing.T, s *apitest.Server) {
	t.Helper()
	if err := s.App.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
}
