// Package passkey makes and checks the messages of WebAuthn: challenges for new passkeys, challenges for proving who one is,
// and what authenticators say to them. It keeps nothing.
package passkey

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
)

// MaxResponse bounds what an authenticator says, in bytes: a key and an attestation take a few thousand.
const MaxResponse = 32 << 10

var (
	// ErrRefused is of a response that does not prove what it should.
	ErrRefused = errors.New("passkey: the response does not hold")
	// ErrCopied is of a passkey whose counter went back: two devices have it that should not.
	ErrCopied = errors.New("passkey: the counter went back")
	// ErrNoName is of pages at an address without a name, for which there are no passkeys.
	ErrNoName = errors.New("passkey: the address has no name")
)

// Key is a passkey as it is kept.
type Key struct {
	ID     string // as the authenticator names it, base64url
	Handle string // of its holder, base64url
	Party  string // the host name that it is for
	Record string // JSON; Check returns the new one after each use
	Synced bool
}

// holder is webauthn.User.
type holder struct {
	handle []byte
	name   string
	keys   []webauthn.Credential
}

func (h holder) WebAuthnID() []byte                         { return h.handle }
func (h holder) WebAuthnName() string                       { return h.name }
func (h holder) WebAuthnDisplayName() string                { return h.name }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// state is what is kept between a challenge and its response.
type state struct {
	Origin  string               `json:"origin"`
	Handle  string               `json:"handle,omitempty"`
	Session webauthn.SessionData `json:"session"`
}

// NewHandle gives what authenticators are to know a member by: nothing of their name is in it.
func NewHandle() string {
	b := make([]byte, 32)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// party makes what checks messages for the pages at origin, such as https://stoa.example. This machine's own addresses count
// as localhost, the name under which browsers have passkeys for it.
func party(origin string) (*webauthn.WebAuthn, error) {
	at, err := url.Parse(origin)
	if err != nil || at.Host == "" {
		return nil, ErrNoName
	}
	name := at.Hostname()
	if ip := net.ParseIP(name); ip != nil {
		if !ip.IsLoopback() {
			return nil, ErrNoName
		}
		port := at.Port()
		if name, at.Host = "localhost", "localhost"; port != "" {
			at.Host = net.JoinHostPort(name, port)
		}
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: name, RPDisplayName: "Stoa", RPOrigins: []string{at.Scheme + "://" + at.Host}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection:            protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired},
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, ErrNoName
	}
	return w, nil
}

// Offer makes the challenge for a new passkey of a member, for navigator.credentials.create, and the state that Accept wants
// back. The passkeys that they have are not made twice on one device.
func Offer(origin, handle, name string, have []Key) (options json.RawMessage, kept string, err error) {
	w, err := party(origin)
	if err != nil {
		return nil, "", err
	}
	who, err := member(handle, name, have)
	if err != nil {
		return nil, "", err
	}
	made, session, err := w.BeginRegistration(who, webauthn.WithExclusions(webauthn.Credentials(who.keys).CredentialDescriptors()))
	if err != nil {
		return nil, "", err
	}
	return both(made.Response, state{w.Config.RPOrigins[0], handle, *session})
}

// Accept checks what an authenticator says to Offer's challenge and answers the new passkey; ErrRefused when it does not hold.
func Accept(kept, name string, response []byte) (Key, error) {
	s, w, err := resume(kept)
	if err != nil {
		return Key{}, err
	}
	who, err := member(s.Handle, name, nil)
	if err != nil {
		return Key{}, err
	}
	said, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return Key{}, refused(err)
	}
	if err := checkCost(said.Response.AttestationObject.AuthData.AttData.CredentialPublicKey); err != nil {
		return Key{}, err
	}
	made, err := w.CreateCredential(who, s.Session, said)
	if err != nil {
		return Key{}, refused(err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // nothing is made of it
	return key(made, s.Handle, w.Config.RPID)
}

// Bounds of keys of RSA, in bytes. To check with one of 20,000 takes a second, for everybody who knows the passkey's id; devices
// make keys of 256 bytes with the exponent 65537.
const (
	mostModulus  = 512
	mostExponent = 3
)

// checkCost refuses a public key that costs much to check with.
func checkCost(public []byte) error {
	parsed, err := webauthncose.ParsePublicKey(public)
	if err != nil {
		return refused(err)
	}
	if k, ok := parsed.(webauthncose.RSAPublicKeyData); ok && (len(k.Modulus) > mostModulus || len(k.Exponent) > mostExponent) {
		return fmt.Errorf("%w: a key of RSA with %d bytes and an exponent of %d", ErrRefused, len(k.Modulus), len(k.Exponent))
	}
	return nil
}

// Ask makes the challenge by which somebody proves who they are, for navigator.credentials.get, and the state that Check wants
// back. It says nothing about who there is.
func Ask(origin string) (options json.RawMessage, kept string, err error) {
	w, err := party(origin)
	if err != nil {
		return nil, "", err
	}
	asked, session, err := w.BeginDiscoverableLogin()
	if err != nil {
		return nil, "", err
	}
	return both(asked.Response, state{Origin: w.Config.RPOrigins[0], Session: *session})
}

// Check checks what an authenticator says to Ask's challenge. find gives the passkey of an id; what it errs with is answered.
// The answer is the passkey as it is to be kept from now on. ErrRefused when the response does not hold, ErrCopied for a
// passkey that was copied.
func Check(kept string, response []byte, find func(id string) (Key, error)) (Key, error) {
	s, w, err := resume(kept)
	if err != nil {
		return Key{}, err
	}
	said, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return Key{}, refused(err)
	}
	var known Key
	var failed error
	_, used, err := w.ValidatePasskeyLogin(func(id, _ []byte) (webauthn.User, error) {
		if known, failed = find(base64.RawURLEncoding.EncodeToString(id)); failed != nil {
			return nil, failed
		}
		if known.Party != w.Config.RPID {
			return nil, ErrRefused
		}
		who, err := member(known.Handle, "", []Key{known})
		if err == nil {
			err = checkCost(who.keys[0].PublicKey) // it may have been kept before keys were bounded
		}
		return who, err
	}, s.Session, said)
	switch {
	case failed != nil:
		return Key{}, failed
	case err != nil:
		return Key{}, refused(err)
	case used.Authenticator.CloneWarning:
		return known, ErrCopied
	}
	return key(used, known.Handle, known.Party)
}

// resume reads what was kept with a challenge.
func resume(kept string) (s state, w *webauthn.WebAuthn, err error) {
	if err := json.Unmarshal([]byte(kept), &s); err != nil {
		return s, nil, err
	}
	w, err = party(s.Origin)
	return s, w, err
}

func member(handle, name string, have []Key) (holder, error) {
	raw, err := base64.RawURLEncoding.DecodeString(handle)
	who := holder{handle: raw, name: name}
	for _, k := range have {
		var c webauthn.Credential
		if err == nil {
			err = json.Unmarshal([]byte(k.Record), &c)
		}
		who.keys = append(who.keys, c)
	}
	return who, err
}

func key(c *webauthn.Credential, handle, party string) (Key, error) {
	record, err := json.Marshal(c)
	return Key{ID: base64.RawURLEncoding.EncodeToString(c.ID), Handle: handle, Party: party, Record: string(record), Synced: c.Flags.BackupState}, err
}

func both(options any, s state) (json.RawMessage, string, error) {
	shown, err := json.Marshal(options)
	if err != nil {
		return nil, "", err
	}
	kept, err := json.Marshal(s)
	return shown, string(kept), err
}

// refused says why a response does not hold, for the log.
func refused(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) {
		return errors.Join(ErrRefused, errors.New(e.Details+" "+e.DevInfo))
	}
	return errors.Join(ErrRefused, err)
}
