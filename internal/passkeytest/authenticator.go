// Package passkeytest is a software authenticator for tests: it makes passkeys and signs challenges as a security key does, with
// bytes that it puts together by itself (WebAuthn, CBOR and COSE).
package passkeytest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"testing"
)

// Flags of what an authenticator says.
const (
	flagPresent    = 0x01
	flagVerified   = 0x04
	flagEligible   = 0x08 // for copies on other devices
	flagSynced     = 0x10
	flagCredential = 0x40
)

// Authenticator holds one passkey. Its fields may be changed between calls, to say what a wrong one would.
type Authenticator struct {
	Origin     string // of the pages, as a browser tells it; "" is the host name that the options say, over HTTP
	Counter    uint32
	Unverified bool // signs without asking for a PIN or a finger
	Synced     bool
	ID         []byte
	Handle     []byte
	Key        *ecdsa.PrivateKey
}

// New makes an authenticator without a passkey.
func New() *Authenticator { return &Authenticator{} }

// creation is what of the options for a new passkey an authenticator looks at.
type creation struct {
	Challenge string `json:"challenge"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
}

// Create makes a passkey as the options say and answers what navigator.credentials.create gives, as JSON, with an attestation
// that the passkey signs itself.
func (a *Authenticator) Create(t testing.TB, options []byte) json.RawMessage {
	t.Helper()
	var o creation
	decode(t, options, &o)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a.Key, a.ID, a.Handle = key, make([]byte, 32), unbase64(t, o.User.ID)
	rand.Read(a.ID)
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	// COSE_Key: kty EC2, alg ES256, crv P-256, x, y.
	cose := object(number(1), number(2), number(3), number(-7), number(-1), number(1), number(-2), octets(point[1:33]), number(-3), octets(point[33:]))
	data := a.created(o.RP.ID, cose)
	client := a.client(t, "webauthn.create", o.Challenge, o.RP.ID)
	attestation := object(text("fmt"), text("packed"), text("attStmt"), object(text("alg"), number(-7), text("sig"), octets(a.sign(t, data, client))), text("authData"), octets(data))
	return a.said(t, map[string]any{"clientDataJSON": base64url(client), "attestationObject": base64url(attestation), "transports": []string{"internal"}})
}

// CreateRSA answers a passkey with a key of RSA, of which nobody knows the other half, without an attestation.
func (a *Authenticator) CreateRSA(t testing.TB, options, modulus, exponent []byte) json.RawMessage {
	t.Helper()
	var o creation
	decode(t, options, &o)
	a.ID, a.Handle = make([]byte, 32), unbase64(t, o.User.ID)
	rand.Read(a.ID)
	// COSE_Key: kty RSA, alg RS256, n, e.
	cose := object(number(1), number(3), number(3), number(-257), number(-1), octets(modulus), number(-2), octets(exponent))
	attestation := object(text("fmt"), text("none"), text("attStmt"), object(), text("authData"), octets(a.created(o.RP.ID, cose)))
	return a.said(t, map[string]any{"clientDataJSON": base64url(a.client(t, "webauthn.create", o.Challenge, o.RP.ID)), "attestationObject": base64url(attestation)})
}

// Assert signs a challenge and answers what navigator.credentials.get gives, as JSON.
func (a *Authenticator) Assert(t testing.TB, options []byte) json.RawMessage {
	t.Helper()
	var o struct {
		Challenge string `json:"challenge"`
		RPID      string `json:"rpId"`
	}
	decode(t, options, &o)
	a.Counter++
	data, client := a.data(o.RPID, 0), a.client(t, "webauthn.get", o.Challenge, o.RPID)
	return a.said(t, map[string]any{"clientDataJSON": base64url(client), "authenticatorData": base64url(data), "signature": base64url(a.sign(t, data, client)), "userHandle": base64url(a.Handle)})
}

func (a *Authenticator) said(t testing.TB, response map[string]any) json.RawMessage {
	b, err := json.Marshal(map[string]any{"id": base64url(a.ID), "rawId": base64url(a.ID), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// data is the authenticator data without a credential: whom it is for, flags, counter.
func (a *Authenticator) data(party string, flags byte) []byte {
	if flags |= flagPresent; !a.Unverified {
		flags |= flagVerified
	}
	if a.Synced {
		flags |= flagEligible | flagSynced
	}
	hash := sha256.Sum256([]byte(party))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.Counter)
}

// created is the authenticator data of a new passkey.
func (a *Authenticator) created(party string, cose []byte) []byte {
	data := append(a.data(party, flagCredential), make([]byte, 16)...) // no model is told
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.ID)))
	return append(append(data, a.ID...), cose...)
}

func (a *Authenticator) client(t testing.TB, kind, challenge, party string) []byte {
	origin := a.Origin
	if origin == "" {
		origin = "http://" + party
	}
	if _, err := url.Parse(origin); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sign signs the authenticator data and the hash of what the browser says.
func (a *Authenticator) sign(t testing.TB, data, client []byte) []byte {
	t.Helper()
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.Key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

func decode(t testing.TB, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func unbase64(t testing.TB, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
