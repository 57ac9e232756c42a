package httpapi_test

import (
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

// What an operator sets is what the server says of itself.
func TestWhatIsSetIsAnswered(t *testing.T) {
	e := apitest.Engine{Name: "sqlite"}
	usual := apitest.Start(t, e, apitest.Options{})
	other := apitest.Start(t, e, apitest.Options{AuthOff: true, App: func(c *core.Config) {
		c.DefaultUserID, c.AnonymousMemberUserID, c.Version, c.WebURL = "owner", "passer-by", "9.8.7", "https://stoa.example"
	}})
	for _, s := range []*apitest.Server{usual, other} {
		s.Nobody(t).Get("/api/auth-info").OK(t)
		s.Nobody(t).Get("/api/health").OK(t)
	}
	want(t, usual.Nobody(t).Get("/api/auth-info").OK(t), m{"available_roles": "[member]", "data.default_user_id": apitest.DefaultMember})
	want(t, other.Nobody(t).Get("/api/auth-info").OK(t), m{"available_roles": "[]", "anonymous_member_user_id": "passer-by", "data.default_user_id": "owner"})
	want(t, other.Nobody(t).Get("/api/health").OK(t), m{"available_roles": "[]", "data.version": "9.8.7", "data.webui_url": "https://stoa.example"})
	for _, id := range []string{"ada", "bob"} { // where authentication is off anybody may be named
		want(t, other.Nobody(t).Get("/api/account/publishers", "user_id", id).OK(t), m{"data.user_id": id, "data.audience": "https://stoa.example"})
	}
	want(t, other.Nobody(t).Post("/api/login", m{}).OK(t), m{"available_roles": "[]", "user_id": "owner"})
}

// Every session is listed with where it was begun, with what, and whether it is the one that asks.
func TestSessionsAreTold(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	var clients []*apitest.Client
	for _, from := range [][2]string{{"203.0.113.7", "Phone/1.0"}, {"203.0.113.8", "Laptop/2.0"}} {
		s.Clock.Advance(time.Minute)
		c := s.Nobody(t).With("User-Agent", from[1]).From(from[0])
		c.Token = c.Post("/api/login", right("ada")).OK(t).Str("token")
		clients = append(clients, c)
	}
	r := clients[1].Get("/api/account/sessions").OK(t)
	want(t, r, m{
		"data.sessions.0.agent": "Laptop/2.0", "data.sessions.0.address": "203.0.113.8", "data.sessions.0.current": true,
		"data.sessions.1.agent": "Phone/1.0", "data.sessions.1.address": "203.0.113.7", "data.sessions.1.current": false,
	})
}
