package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// Settings are the flags of every command.
type Settings struct {
	Data       string `help:"Folder of the database and the packages." default:"data" env:"STOA_DATA" type:"path" placeholder:"DIR"`
	Database   string `help:"postgres:// address of a PostgreSQL database; without it a SQLite file in the data folder is used." env:"STOA_DATABASE" placeholder:"URL"`
	ConfigFile string `name:"config" help:"YAML file with settings, named like the flags." env:"STOA_CONFIG" placeholder:"FILE"`
	JSON       bool   `name:"json" help:"Print JSON." env:"STOA_JSON"`
}

// where is the address of the database.
func (s *Settings) where() string {
	if s.Database != "" {
		return s.Database
	}
	return filepath.Join(s.Data, "stoa.db")
}

// configFile finds --config before the flags are parsed, since it is read to parse them.
func configFile(args []string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--config="); ok {
			return value
		}
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return os.Getenv("STOA_CONFIG")
}

// yamlSettings reads a config file: keys are flag names, nested or with dots, with _ or -.
func yamlSettings(r io.Reader) (kong.Resolver, error) {
	var tree map[string]any
	if err := yaml.NewDecoder(r).Decode(&tree); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the config file is not YAML: %w", err)
	}
	flat := map[string]any{}
	flatten("", tree, flat)
	var resolve kong.ResolverFunc = func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		return flat[flag.Name], nil
	}
	return resolve, nil
}

func flatten(prefix string, tree map[string]any, flat map[string]any) {
	for key, value := range tree {
		name := prefix + strings.ReplaceAll(key, "_", "-")
		if child, ok := value.(map[string]any); ok {
			flatten(name+".", child, flat)
			continue
		}
		flat[name] = value
	}
}

// masked hides the password of an address.
func masked(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(hidden: not an address)"
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "*****")
	}
	q := u.Query()
	for key := range q {
		if strings.Contains(strings.ToLower(key), "password") {
			q.Set(key, "*****")
			u.RawQuery = q.Encode()
		}
	}
	return u.String()
}

// configCmd prints the settings that serve would use.
type configCmd struct {
	ServerSettings
}

// Run prints them.
func (c *configCmd) Run(s *Settings, o output) error {
	shown := map[string]any{"data": s.Data, "database": masked(s.where()), "config": s.ConfigFile}
	text, err := json.Marshal(c.ServerSettings)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		return err
	}
	return o.print(shown, func(w io.Writer) {
		e := yaml.NewEncoder(w)
		e.SetIndent(2)
		_ = e.Encode(shown)
	})
}
