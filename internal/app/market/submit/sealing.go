package submit

import (
	"fmt"
	"io"

	"filippo.io/age"
)

// seal gives what r holds encrypted to a fresh key, and that key. A draft's bytes are kept so: whoever has
// the blobs but not the database can read nothing, and without its row a draft is gone for good.
func seal(out io.Writer, r io.Reader) (key string, err error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return "", err
	}
	w, err := age.Encrypt(out, identity.Recipient())
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(w, r); err != nil {
		return "", err
	}
	return identity.String(), w.Close()
}

// unseal reads what seal has written.
func unseal(r io.Reader, key string) (io.Reader, error) {
	identity, err := age.ParseX25519Identity(key)
	if err != nil {
		return nil, fmt.Errorf("app: a draft's key cannot be read: %w", err)
	}
	return age.Decrypt(r, identity)
}
