package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"stoa/internal/platform/errs"
)

// Secrets is what is sealed: the secrets of one pack and where they stood.
type Secrets struct {
	Binding string   `json:"binding"` // the id of the pack
	Entries []Secret `json:"entries"`
}

// Secret is one sealed value. A text with several secrets has as many entries with its path, in their order.
type Secret struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	Key   bool   `json:"key,omitempty"` // the value was the key at this path
}

// maxSealed bounds what is opened, so that a hostile file cannot fill the memory.
const maxSealed = 128 << 20

func seal(s Secrets, recipient string) ([]byte, error) {
	to, err := recipientOf(recipient)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	a := armor.NewWriter(&out)
	w, err := age.Encrypt(a, to)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := a.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func recipientOf(text string) (age.Recipient, error) {
	text = strings.TrimSpace(text)
	var to age.Recipient
	var err error
	if strings.HasPrefix(text, "age1pq1") {
		to, err = age.ParseHybridRecipient(text)
	} else {
		to, err = age.ParseX25519Recipient(text)
	}
	if err != nil {
		return nil, errs.Invalid("encryption_recipient", "is not an age recipient (age1…)")
	}
	return to, nil
}

// CheckRecipient says whether secrets can be sealed to a recipient. The error never repeats the text, which may be an
// identity pasted by mistake.
func CheckRecipient(recipient string) error {
	_, err := recipientOf(recipient)
	return err
}

// GenerateIdentity makes a new pair: the identity opens what is sealed to the recipient.
func GenerateIdentity() (identity, recipient string, err error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", err
	}
	return id.String(), id.Recipient().String(), nil
}

// Unseal opens sealed secrets with the owner's identity.
func Unseal(sealed []byte, identity string) (Secrets, error) {
	ids, err := age.ParseIdentities(strings.NewReader(identity))
	if err != nil {
		return Secrets{}, errs.Invalid("identity", "is not an age identity (AGE-SECRET-KEY-1…)")
	}
	var in io.Reader = bytes.NewReader(sealed)
	if bytes.HasPrefix(bytes.TrimSpace(sealed), []byte(armor.Header)) {
		in = armor.NewReader(in)
	}
	plain, err := age.Decrypt(in, ids...)
	if err != nil {
		return Secrets{}, errs.Wrap(errs.InvalidRequest, "The secrets cannot be opened: they were sealed to another recipient, or the file is damaged.", err)
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxSealed+1))
	if err != nil || len(text) > maxSealed {
		return Secrets{}, errs.Wrap(errs.InvalidRequest, "The sealed secrets are damaged or too large.", err)
	}
	var s Secrets
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&s); err != nil {
		return Secrets{}, errs.New(errs.InvalidRequest, "The file holds no secrets of a pack.")
	}
	return s, nil
}
