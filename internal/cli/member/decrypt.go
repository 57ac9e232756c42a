package member

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"stoa/internal/cli"
	"stoa/internal/market/archive"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
)

// DecryptCmd is `stoa decrypt`.
type DecryptCmd struct {
	Pack     string `arg:"" help:"A pack with sealed secrets, as a zip or a folder."`
	Identity string `required:"" short:"i" help:"File with your key, as stoa keygen made it." placeholder:"FILE"`
	Show     bool   `help:"Print the values too."`
	Out      string `short:"o" xor:"to" help:"Write paths and values to this file." placeholder:"FILE"`
	Into     string `xor:"to" help:"Write a pack with the values in place to this file." placeholder:"FILE"`
	Fill     string `xor:"to" help:"Write the pack with the values in place into this folder, which must not be there yet." placeholder:"DIR"`
}

// unsealed is what the command answers.
type unsealed struct {
	PackID  string       `json:"pack_id"`
	Count   int          `json:"count"`
	Secrets []secretLine `json:"secrets"`
	File    string       `json:"file,omitempty"`
	Left    []string     `json:"not_placed,omitempty"`
}

type secretLine struct {
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"` // with --show alone
	Key   bool   `json:"key,omitempty"`
}

// Run opens the secrets.
func (c *DecryptCmd) Run(ctx context.Context, o cli.Output) error {
	identity, err := cli.ReadSome(c.Identity, cli.MaxKeyFile)
	if err != nil {
		return err
	}
	src, err := openSource(c.Pack)
	if err != nil {
		return err
	}
	defer src.Close()
	if !src.profile() {
		return fmt.Errorf("%s is no profile pack", c.Pack)
	}
	p, err := pack.ReadProfile(ctx, src.files)
	if err != nil {
		return err
	}
	secrets, err := packing.Open(p, string(identity))
	if err != nil {
		return err
	}
	out := unsealed{PackID: p.Manifest.PackID, Count: len(secrets.Entries), Secrets: []secretLine{}, File: cmp.Or(c.Out, cmp.Or(c.Into, c.Fill))}
	for _, e := range secrets.Entries {
		line := secretLine{Path: e.Path, Key: e.Key}
		if c.Show {
			line.Value = e.Value
		}
		out.Secrets = append(out.Secrets, line)
	}
	if c.Out != "" {
		text, err := json.MarshalIndent(secrets, "", "  ")
		if err != nil {
			return err
		}
		if err := writeSecret(c.Out, append(text, '\n'), false); err != nil {
			return err
		}
	}
	if c.Into != "" || c.Fill != "" {
		if out.Left, err = c.fill(p, secrets); err != nil {
			return err
		}
	}
	return o.Print(out, func(w io.Writer) { showSecrets(w, out, c.Show) })
}

// fill writes the pack with its secrets in place.
func (c *DecryptCmd) fill(p *pack.Profile, secrets redact.Secrets) (left []string, err error) {
	filled, left, err := packing.Fill(p.Sections, secrets)
	if err != nil {
		return nil, err
	}
	var zip bytes.Buffer
	if _, err := pack.Write(&zip, p.Manifest, filled, nil, p.Pictures...); err != nil {
		return nil, err
	}
	if c.Into != "" {
		return left, writeSecret(c.Into, zip.Bytes(), false)
	}
	a, err := archive.Open(bytes.NewReader(zip.Bytes()), int64(zip.Len()), archive.Default)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(c.Fill, 0o700); err != nil {
		return nil, fmt.Errorf("%s cannot be made, or is there already", c.Fill)
	}
	if err := os.Mkdir(filepath.Join(c.Fill, "sections"), 0o700); err != nil {
		return nil, err
	}
	for _, name := range a.Names() { // manifest.json and sections/*.json, as we wrote them
		text, err := a.Read(name, archive.Default.File)
		if err != nil {
			return nil, err
		}
		if err := writeSecret(filepath.Join(c.Fill, filepath.FromSlash(name)), text, false); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func showSecrets(w io.Writer, out unsealed, values bool) {
	fmt.Fprintf(w, "%s: %s\n", cli.Printable(out.PackID), cli.Counted(out.Count, "secret"))
	for _, s := range out.Secrets {
		note := ""
		if s.Key {
			note = " (a key)"
		}
		if values {
			note += fmt.Sprintf(" = %v", s.Value)
		}
		fmt.Fprintf(w, "  %s%s\n", cli.Printable(s.Path), cli.Printable(note))
	}
	if !values && out.File == "" {
		fmt.Fprintln(w, "Values are not shown; --show prints them, -o FILE writes them, --fill DIR puts them in place.")
	}
	for i, path := range out.Left {
		if i == 0 {
			fmt.Fprintln(w, "\nThese have no place any more, because the pack was changed; --show prints them:")
		}
		fmt.Fprintf(w, "  %s\n", cli.Printable(path))
	}
	if out.File != "" {
		fmt.Fprintf(w, "Wrote %s. It holds secrets in plain: keep it to yourself.\n", out.File)
	}
}
