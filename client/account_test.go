package client_test

import (
	"errors"
	"testing"

	"stoa/client"
	"stoa/internal/apitest"
)

// refused reports whether a call failed with a code of the contract.
func refused(err error, code string) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Code == code
}

// A member sees where they are signed in, ends one place or all of them, changes the password and hands out tokens.
func TestOwnAccount(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{Empty: true})
	ctx := t.Context()
	ada := signedIn(t, s, "ada")
	login := func(word string) *client.Client {
		t.Helper()
		session, err := ada.Login(ctx, "ada", word)
		if err != nil {
			t.Fatal(err)
		}
		return ada.WithToken(session.Token)
	}
	phone := login(password)
	sessions, err := ada.Sessions(ctx)
	if err != nil || len(sessions) != 2 || sessions[0].Current == sessions[1].Current {
		t.Fatalf("%+v: %v", sessions, err)
	}
	for _, other := range sessions {
		if !other.Current {
			if err := ada.EndSession(ctx, other.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := phone.Sessions(ctx); !refused(err, "unauthorized") {
		t.Errorf("a session that was ended: %v", err)
	}
	token, err := ada.CreateToken(ctx, "backup", "read", 30)
	if err != nil || token.Token == "" {
		t.Fatalf("%+v: %v", token, err)
	}
	program := ada.WithToken(token.Token)
	if list, err := program.Quotas(ctx); err != nil || len(list) < 20 || list[0].Limit == nil {
		t.Errorf("%+v: %v", list, err)
	}
	if list, err := ada.Tokens(ctx); err != nil || len(list) != 1 || list[0].ID != token.ID || list[0].Token != "" {
		t.Errorf("%+v: %v", list, err)
	}
	if revoked, err := ada.RevokeToken(ctx, token.ID); err != nil || !revoked {
		t.Error(revoked, err)
	}
	if _, err := program.Quotas(ctx); !refused(err, "unauthorized") {
		t.Errorf("a token that was revoked: %v", err)
	}
	const next = "another horse battery staple"
	if err := ada.ChangePassword(ctx, "not the password", next); err == nil {
		t.Error("the password was changed without the old one")
	}
	if err := ada.ChangePassword(ctx, password, next); err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Login(ctx, "ada", password); !refused(err, "invalid_credentials") {
		t.Errorf("the old password: %v", err)
	}
	one, two := login(next), login(next)
	if err := one.EndSessions(ctx); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client.Client{one, two} {
		if _, err := c.Sessions(ctx); !refused(err, "unauthorized") {
			t.Errorf("signed out everywhere: %v", err)
		}
	}
}
