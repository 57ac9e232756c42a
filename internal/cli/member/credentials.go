package member

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"stoa/client"
	"stoa/internal/cli"
)

// ServerFlags say which server a command speaks to, and as whom.
type ServerFlags struct {
	Server string `help:"Address of the server; the one of the last login otherwise." env:"STOA_SERVER" placeholder:"URL"`
	Token  string `help:"Token of a session; the one of the last login to this server otherwise." env:"STOA_TOKEN" placeholder:"TOKEN"`
}

// Connect gives a client. A stored token goes to the server that gave it and to no other.
func (f *ServerFlags) Connect(o cli.Output) (*client.Client, error) {
	address, token := f.Server, f.Token
	var known credentials
	var err error
	if address == "" || token == "" {
		if known, err = readCredentials(); err != nil {
			return nil, err
		}
	}
	if address == "" {
		address = known.Default
	}
	if address == "" {
		return nil, errors.New("which server? Sign in with `stoa login URL`, or say --server URL and --token TOKEN")
	}
	if address, err = client.Address(address); err != nil {
		return nil, err
	}
	if token == "" {
		token = known.Servers[address].Token
	}
	warnPlain(o, address)
	return client.New(address, client.Options{Token: token})
}

// warnPlain says when what is sent can be read on the way.
func warnPlain(o cli.Output, address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return
	}
	if !client.Loopback(u.Hostname()) {
		fmt.Fprintf(o.Err, "stoa: %s is not encrypted: passwords, tokens and packs can be read on the way\n", address)
	}
}

// credentials are the sessions of this member's servers, kept in a file that only they can read.
type credentials struct {
	Default string                  `json:"default"`
	Servers map[string]credentialOf `json:"servers"`
}

type credentialOf struct {
	UserID    string `json:"user_id"`
	Token     string `json:"token"`
	ExpiresAt string `json:"expires_at"`
}

func credentialsFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for settings: %w", err)
	}
	return filepath.Join(dir, "stoa", "credentials.json"), nil
}

func readCredentials() (credentials, error) {
	c := credentials{Servers: map[string]credentialOf{}}
	path, err := credentialsFile()
	if err != nil {
		return c, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, cli.Unreadable(path, err)
	}
	if json.Unmarshal(text, &c) != nil || c.Servers == nil {
		return c, fmt.Errorf("%s is damaged; delete it and sign in again", path)
	}
	return c, nil
}

func (c credentials) write() (string, error) {
	path, err := credentialsFile()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".json")+"-*") // 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if _, err := temp.Write(append(text, '\n')); err != nil {
		return "", err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return "", err
	}
	return path, os.Rename(temp.Name(), path)
}
