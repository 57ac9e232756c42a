package member

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"stoa/internal/cli"
	"stoa/internal/market/redact"
)

// KeygenCmd is `stoa keygen`.
type KeygenCmd struct {
	Out   string `short:"o" default:"key.txt" help:"File for the key; it must not be there yet." placeholder:"FILE"`
	Store bool   `help:"Store the recipient on the server, so that your submissions with include_encrypted_secrets are sealed to it."`
	ServerFlags
}

// Run makes a key pair.
func (c *KeygenCmd) Run(ctx context.Context, o cli.Output) error {
	identity, recipient, err := redact.GenerateIdentity()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("# created: %s\n# public key: %s\n%s\n", time.Now().UTC().Format(time.RFC3339), recipient, identity)
	if err := writeSecret(c.Out, []byte(text), false); err != nil {
		return err
	}
	if c.Store {
		server, err := c.Connect(o)
		if err == nil {
			err = server.SetRecipient(ctx, recipient)
		}
		if err != nil {
			return fmt.Errorf("the key is in %s, but its recipient was not stored: %w", c.Out, err)
		}
	}
	return o.Print(map[string]any{"file": c.Out, "recipient": recipient, "stored": c.Store}, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n\nThe key is in %s. Keep it: nobody else can open what is sealed to it, and Stoa has no copy.\n", recipient, c.Out)
		if c.Store {
			fmt.Fprintln(w, "The server knows the recipient now.")
		} else {
			fmt.Fprintf(w, "Seal a pack to it:   stoa pack BOT --mode include_encrypted_secrets --recipient %s\n", recipient)
			fmt.Fprintln(w, "Or let the server seal to it: stoa keygen --store, or POST /api/preferences/recipient.")
		}
	})
}

// writeSecret writes a file that its owner alone can read.
func writeSecret(path string, text []byte, force bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and it is not replaced; choose another name", path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s", path)
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
