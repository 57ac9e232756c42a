package passkey_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"stoa/internal/passkeytest"
	"stoa/internal/platform/passkey"
)

const origin = "https://stoa.example"

// registered makes a passkey of a member's.
func registered(t *testing.T, a *passkeytest.Authenticator) passkey.Key {
	t.Helper()
	a.Origin = origin
	options, state, err := passkey.Offer(origin, passkey.NewHandle(), "ada", nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := passkey.Accept(state, "ada", a.Create(t, options))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestAPasskeyProvesWhoItsHolderIs(t *testing.T) {
	a := passkeytest.New()
	a.Synced = true
	key := registered(t, a)
	if key.Party != "stoa.example" || !key.Synced || strings.Contains(key.Record, "ada") {
		t.Errorf("%+v", key)
	}
	for range 3 {
		options, state, err := passkey.Ask(origin)
		if err != nil {
			t.Fatal(err)
		}
		used, err := passkey.Check(state, a.Assert(t, options), func(id string) (passkey.Key, error) {
			if id != key.ID {
				t.Errorf("asked for %s, want %s", id, key.ID)
			}
			return key, nil
		})
		if err != nil || used.Record == key.Record {
			t.Fatalf("%v; the counter has not moved: %v", err, used.Record == key.Record)
		}
		key = used
	}
}

// A response that is not to this challenge, for this host, by this key and with its holder there is refused.
func TestWhatDoesNotHoldIsRefused(t *testing.T) {
	wrong := map[string]func(a *passkeytest.Authenticator){
		"pages of another site": func(a *passkeytest.Authenticator) { a.Origin = "https://stoa.example.evil.example" },
		"another port":          func(a *passkeytest.Authenticator) { a.Origin = origin + ":8443" },
		"no TLS":                func(a *passkeytest.Authenticator) { a.Origin = "http://stoa.example" },
		"nobody was asked":      func(a *passkeytest.Authenticator) { a.Unverified = true },
		"another's key":         func(a *passkeytest.Authenticator) { b := passkeytest.New(); registered(t, b); a.Key = b.Key },
		"another's handle":      func(a *passkeytest.Authenticator) { a.Handle = []byte("another member's") },
		"now it may be copied":  func(a *passkeytest.Authenticator) { a.Synced = true },
	}
	for name, change := range wrong {
		a := passkeytest.New()
		key := registered(t, a)
		find := func(string) (passkey.Key, error) { return key, nil }
		options, state, err := passkey.Ask(origin)
		if err != nil {
			t.Fatal(err)
		}
		change(a)
		if _, err := passkey.Check(state, a.Assert(t, options), find); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := passkeytest.New()
	key := registered(t, a)
	find := func(string) (passkey.Key, error) { return key, nil }
	first, _, _ := passkey.Ask(origin)
	_, second, _ := passkey.Ask(origin)
	if _, err := passkey.Check(second, a.Assert(t, first), find); !errors.Is(err, passkey.ErrRefused) {
		t.Errorf("the answer to another challenge: %v", err)
	}
	unknown := errors.New("not here")
	if _, err := passkey.Check(second, a.Assert(t, first), func(string) (passkey.Key, error) { return passkey.Key{}, unknown }); !errors.Is(err, unknown) {
		t.Errorf("an unknown passkey: %v", err)
	}
	elsewhere, state, _ := passkey.Ask("https://other.example")
	a.Origin = "https://other.example"
	if _, err := passkey.Check(state, a.Assert(t, elsewhere), find); !errors.Is(err, passkey.ErrRefused) {
		t.Errorf("a passkey for another host: %v", err)
	}
	for _, bad := range []string{"", "{}", "null", "[]", `{"id":"AA","rawId":"AA","type":"public-key","response":{}}`, strings.Repeat("[", 10000)} {
		if _, err := passkey.Check(second, []byte(bad), find); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%.20s: %v", bad, err)
		}
	}
}

func TestACopyIsNoticed(t *testing.T) {
	a := passkeytest.New()
	key := registered(t, a)
	find := func(string) (passkey.Key, error) { return key, nil }
	for _, step := range []struct {
		counter uint32
		want    error
	}{{9, nil}, {9, passkey.ErrCopied}, {3, passkey.ErrCopied}, {11, nil}} {
		a.Counter = step.counter
		options, state, err := passkey.Ask(origin)
		if err != nil {
			t.Fatal(err)
		}
		used, err := passkey.Check(state, a.Assert(t, options), find)
		if !errors.Is(err, step.want) {
			t.Errorf("counter %d: %v, want %v", step.counter+1, err, step.want)
		}
		if err == nil {
			key = used
		}
	}
}

// A bit that is changed in a new passkey's attestation is never accepted as another key.
func TestANewPasskeyIsSigned(t *testing.T) {
	options, state, err := passkey.Offer(origin, passkey.NewHandle(), "ada", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := passkeytest.New()
	a.Origin = origin
	said := a.Create(t, options)
	if _, err := passkey.Accept(state, "ada", said); err != nil {
		t.Fatal(err)
	}
	for at := range said {
		if said[at] == '"' || said[at] == '{' || said[at] == '}' || said[at] == ':' || said[at] == ',' {
			continue
		}
		changed := bytes.Clone(said)
		changed[at] ^= 1
		if key, err := passkey.Accept(state, "ada", changed); err == nil && key.ID != base64ID(t, said) {
			t.Fatalf("byte %d of %s changed gives another key", at, said)
		}
	}
}

func base64ID(t *testing.T, said []byte) string {
	var r struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(said, &r); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

func TestWhereThereArePasskeys(t *testing.T) {
	for at, party := range map[string]string{
		"https://stoa.example": "stoa.example", "http://localhost:8106": "localhost", "http://127.0.0.1:8106": "localhost", "http://[::1]:8106": "localhost",
		"http://192.168.1.7:8106": "", "https://[2001:db8::1]": "", "": "", "nonsense": "",
	} {
		options, _, err := passkey.Ask(at)
		if party == "" {
			if !errors.Is(err, passkey.ErrNoName) {
				t.Errorf("%s: %v", at, err)
			}
			continue
		}
		var o struct {
			RPID string `json:"rpId"`
		}
		if err := json.Unmarshal(options, &o); err != nil || o.RPID != party {
			t.Errorf("%s: %s %v", at, options, err)
		}
	}
}
