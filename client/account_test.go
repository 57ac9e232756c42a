package client_test

import (
	"errors"
	"testing"

	"stoa/client"
	"stoa/client/contract"
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
	account := contract.New(ada)
	list, err := account.ListOwnSessions(ctx, contract.ListOwnSessionsParams{})
	if err != nil || len(list.Sessions) != 2 || list.Sessions[0].Current == list.Sessions[1].Current {
		t.Fatalf("%+v: %v", list, err)
	}
	for _, other := range list.Sessions {
		if !other.Current {
			if _, err := account.EndOwnSession(ctx, contract.EndSessionRequest{SessionID: other.SessionID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := contract.New(phone).ListOwnSessions(ctx, contract.ListOwnSessionsParams{}); !refused(err, "unauthorized") {
		t.Errorf("a session that was ended: %v", err)
	}
	token, err := account.CreateAPIToken(ctx, contract.CreateTokenRequest{Label: "backup", Scope: "read", ExpiresInDays: new(int64(30))})
	if err != nil || token.Token == "" {
		t.Fatalf("%+v: %v", token, err)
	}
	program := contract.New(ada.WithToken(token.Token))
	if q, err := program.GetMemberQuotas(ctx, contract.GetMemberQuotasParams{}); err != nil || len(q.Quotas) < 20 || q.Quotas[0].Limit == nil {
		t.Errorf("%+v: %v", q, err)
	}
	if list, err := account.ListAPITokens(ctx, contract.ListAPITokensParams{}); err != nil || len(list.Tokens) != 1 || list.Tokens[0].TokenID != token.TokenID {
		t.Errorf("%+v: %v", list, err)
	}
	if done, err := account.RevokeAPIToken(ctx, contract.RevokeTokenRequest{TokenID: token.TokenID}); err != nil || !done.Revoked {
		t.Error(done, err)
	}
	if _, err := program.GetMemberQuotas(ctx, contract.GetMemberQuotasParams{}); !refused(err, "unauthorized") {
		t.Errorf("a token that was revoked: %v", err)
	}
	const next = "another horse battery staple"
	if _, err := account.ChangePassword(ctx, contract.ChangePasswordRequest{CurrentPassword: "not the password", NewPassword: next}); err == nil {
		t.Error("the password was changed without the old one")
	}
	if _, err := account.ChangePassword(ctx, contract.ChangePasswordRequest{CurrentPassword: password, NewPassword: next}); err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Login(ctx, "ada", password); !refused(err, "invalid_credentials") {
		t.Errorf("the old password: %v", err)
	}
	one, two := login(next), login(next)
	if _, err := contract.New(one).EndOwnSessions(ctx, contract.EndSessionsRequest{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client.Client{one, two} {
		if _, err := contract.New(c).ListOwnSessions(ctx, contract.ListOwnSessionsParams{}); !refused(err, "unauthorized") {
			t.Errorf("signed out everywhere: %v", err)
		}
	}
}
