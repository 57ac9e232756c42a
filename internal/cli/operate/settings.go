package operate

import (
	"context"
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

	"stoa/internal/app"
	"stoa/internal/cli"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// Settings are the flags of every command.
type Settings struct {
	Data       string   `help:"Folder of the database and the packages." default:"data" env:"STOA_DATA" type:"path" placeholder:"DIR"`
	Database   string   `help:"postgres:// address of a PostgreSQL database; without it a SQLite file in the data folder is used." env:"STOA_DATABASE" placeholder:"URL"`
	Replicas   []string `name:"database-replica" sep:"none" help:"postgres:// address of a standby of the database from which the public catalog may be read; several times, or with several hosts, for several. It is asked only for what is not older than this node has shown." env:"STOA_DATABASE_REPLICA" placeholder:"URL"`
	Learners   []string `name:"learners-database" sep:"none" help:"postgres:// address of a further database for what learners have; several times for several, in the environment with spaces between. Each has some of the learners. Every node and command needs all of them." env:"STOA_LEARNERS_DATABASE" placeholder:"URL"`
	Blobs      string   `help:"s3://bucket/prefix?endpoint=host:port&region=… address of an object store for the packages; without it a folder in the data folder is used. Keys come from STOA_S3_ACCESS_KEY and STOA_S3_SECRET_KEY." env:"STOA_BLOBS" placeholder:"URL"`
	ConfigFile string   `name:"config" help:"YAML file with settings, named like the flags." env:"STOA_CONFIG" placeholder:"FILE"`
	JSON       bool     `name:"json" help:"Print JSON." env:"STOA_JSON"`

	alone bool // the main database is opened without those of learners
}

// Where is the address of the database.
func (s *Settings) Where() (string, error) {
	switch {
	case s.Database == "":
		return filepath.Join(s.Data, "stoa.db"), nil
	case isPostgres(s.Database):
		return s.Database, nil
	}
	return "", errors.New("the database must be a postgres:// address; leave it out for a SQLite file in the data folder")
}

func isPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// replicas are the standbys to read from.
func (s *Settings) replicas() (store.Option, error) {
	if s.Database == "" && len(s.Replicas) > 0 {
		return nil, errors.New("--database-replica names a standby of PostgreSQL, and the store is a file: name its primary with --database")
	}
	return store.Replicas(s.Replicas...), nil
}

// learnerAddresses are the addresses given by the flag, each alone, or by the environment, between spaces.
func (s *Settings) learnerAddresses() (all []string) {
	for _, value := range s.Learners {
		if isPostgres(value) {
			all = append(all, strings.Fields(value)...)
		} else {
			all = append(all, value) // a file's name may have spaces
		}
	}
	return all
}

// learners are the databases of learners beside the main one.
func (s *Settings) learners(options func(where string) []store.Option) ([]app.LearnersDatabase, error) {
	var all []app.LearnersDatabase
	for _, where := range s.learnerAddresses() {
		if isPostgres(where) != isPostgres(s.Database) {
			return nil, errors.New("--learners-database must be of the same kind as the main database: postgres:// addresses beside a postgres:// address, files beside a file")
		}
		all = append(all, app.LearnersDatabase{
			Open: func(ctx context.Context) (*store.Store, error) {
				return store.Open(ctx, where, clock.System, append(options(where), store.OfLearners())...)
			},
			Blobs: s.openLearnersBlobs,
		})
	}
	return all, nil
}

// openLearnersBlobs opens the place for the pictures, sounds and packages of a database of learners: beside the main one's, so that no sweep
// sees another's.
func (s *Settings) openLearnersBlobs(ctx context.Context, number int64) (blob.Store, error) {
	name := fmt.Sprintf("learners-%d", number)
	if s.Blobs == "" {
		return blob.OpenFolder(filepath.Join(s.Data, name))
	}
	address, err := url.Parse(s.Blobs)
	if err != nil {
		return nil, err
	}
	address.Path = strings.TrimSuffix(address.Path, "/") + "/" + name
	return s.openObjects(ctx, address.String())
}

// openBlobs opens the place for packages. The keys of an object store come from the environment alone: a command line
// can be read by everybody on the machine.
func (s *Settings) openBlobs(ctx context.Context) (blob.Store, error) {
	if s.Blobs == "" {
		return blob.OpenFolder(filepath.Join(s.Data, "blobs"))
	}
	return s.openObjects(ctx, s.Blobs)
}

func (s *Settings) openObjects(ctx context.Context, address string) (blob.Store, error) {
	at, err := blob.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return blob.OpenS3(ctx, at, blob.Keys{Access: os.Getenv("STOA_S3_ACCESS_KEY"), Secret: os.Getenv("STOA_S3_SECRET_KEY")}, filepath.Join(s.Data, "staging"))
}

// ConfigFile finds --config before the flags are parsed, since it is read to parse them.
func ConfigFile(args []string) string {
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

// Given is where settings were given: on the command line and in the config file.
type Given struct {
	Args []string
	File fileSettings
}

// ReadSettings reads a config file: keys are flag names, nested or with dots, with _ or -.
func ReadSettings(file string) (fileSettings, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("the config file is not YAML: %w", err)
	}
	flat := fileSettings{}
	flatten("", tree, flat)
	return flat, nil
}

// fileSettings are the settings of a config file by flag name.
type fileSettings map[string]any

// Validate refuses keys that no command knows: a misspelt setting must not pass for one in force.
func (f fileSettings) Validate(app *kong.Application) error {
	known := map[string]bool{}
	for _, command := range app.Leaves(false) {
		for _, group := range command.AllFlags(false) {
			for _, flag := range group {
				known[flag.Name] = true
			}
		}
	}
	for name := range f {
		if !known[name] {
			return fmt.Errorf("the config file has a setting that there is not: %s", name)
		}
	}
	return nil
}

// Resolve gives a flag's setting, unless the environment has one.
func (f fileSettings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	return f[flag.Name], nil
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
	if err != nil || u.Host == "" {
		return "(hidden: not an address)"
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	q := u.Query()
	for key := range q {
		if strings.Contains(strings.ToLower(key), "password") {
			q.Set(key, "xxxxx")
			u.RawQuery = q.Encode()
		}
	}
	return u.String()
}

// ConfigCmd prints the settings that serve would use.
type ConfigCmd struct {
	ServerSettings
}

// Run prints them.
func (c *ConfigCmd) Run(s *Settings, o cli.Output) error {
	database := masked(s.Database)
	if s.Database == "" {
		database, _ = s.Where() // a file
	}
	replicas := []string{}
	for _, address := range s.Replicas {
		replicas = append(replicas, masked(address))
	}
	learners := []string{}
	for _, address := range s.learnerAddresses() {
		if isPostgres(address) {
			address = masked(address)
		}
		learners = append(learners, address)
	}
	blobs := s.Blobs
	switch _, err := blob.ParseAddress(s.Blobs); {
	case blobs == "":
		blobs = filepath.Join(s.Data, "blobs")
	case err != nil:
		blobs = "(hidden: not an address)" // it may hold keys that do not belong there
	}
	shown := map[string]any{
		"data": s.Data, "database": database, "database_replica": replicas, "learners_database": learners, "blobs": blobs, "config": s.ConfigFile, "trace_keep": c.TraceKeep.String(), "governance_keep": c.GovernanceKeep.String(),
		"idempotency_keep": c.IdempotencyKeep.String(), "draft_keep": c.DraftKeep.String(), "account_grace": c.AccountGrace.String(), "package_keep": c.PackageKeep.String(), "audit_detail_keep": c.AuditDetailKeep.String(),
	}
	text, err := json.Marshal(c.ServerSettings)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		return err
	}
	return o.Print(shown, func(w io.Writer) {
		e := yaml.NewEncoder(w)
		e.SetIndent(2)
		_ = e.Encode(shown)
	})
}
