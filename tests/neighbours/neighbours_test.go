// Package neighbours runs the real programs of others against a server: `make neighbours` installs them, pinned, into a
// temporary folder and prints what each of them could do. Everything stays on loopback but the installing.
package neighbours

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/store"
)

var wanted = flag.Bool("neighbours", false, "install the real clients and run them")

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

// skillText is what the pack's skill says, byte by byte what must arrive.
func skillText(version string) string {
	return "---\nname: watering\ndescription: When plants need water.\n---\n\n# Watering\n\nVersion " + version + ".\n"
}

func packLine(id, version string) string {
	return apitest.Line(map[string]any{
		"id": id, "version": version, "pack_type": "extension_pack", "category": "garden", "author": "Ada",
		"locales":  map[string]any{"en-US": map[string]any{"title": "Garden", "description": "Helps with a garden."}},
		"sections": map[string]any{"skills": map[string]any{"watering": map[string]any{"text": skillText(version)}}},
	})
}

// run is one client at work: in a home and a project of its own, against a server of its own.
type run struct {
	t       *testing.T
	s       *apitest.Server
	bin     string // of the installed clients
	home    string
	project string
	env     []string
	said    string // by the last command
}

// command is one of the clients, in its own home.
func (r *run) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if path := filepath.Join(r.bin, name); fileThere(path) {
		name = path
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = r.project, time.Second // what a client started may outlive it
	cmd.Env = append([]string{
		"HOME=" + r.home, "PATH=" + r.bin + ":" + os.Getenv("PATH"), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "NO_COLOR=1", "CI=1", "DISABLE_TELEMETRY=1",
		"DO_NOT_TRACK=1", "CLAWHUB_DISABLE_TELEMETRY=1", "NPM_CONFIG_UPDATE_NOTIFIER=false", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}, r.env...)
	return cmd
}

// do runs a command and reports whether it went well.
func (r *run) do(name string, args ...string) bool {
	ctx, cancel := context.WithTimeout(r.t.Context(), 90*time.Second)
	defer cancel()
	cmd := r.command(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	r.said = out.String()
	if err != nil {
		r.said += " (" + err.Error() + ")"
	}
	return err == nil
}

func (r *run) url(path string) string { return r.s.URL + path }

// withToken is an address with a member's token in it.
func (r *run) withToken(path, token string) string {
	return strings.Replace(r.s.URL, "://", "://x:"+token+"@", 1) + path
}

// holds reports whether a file below the home has exactly the skill of a version.
func (r *run) holds(version string, parts ...string) bool {
	text, err := os.ReadFile(filepath.Join(append([]string{r.home}, parts...)...))
	if err != nil || string(text) != skillText(version) {
		r.said += fmt.Sprintf("\nthe file holds %q: %v", text, err)
		return false
	}
	return true
}

func (r *run) says(word string) bool { return strings.Contains(r.said, word) }

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// client is a neighbour: a step that it cannot do is nil.
type client struct {
	name                             string
	list, install, update, withdrawn func(r *run) bool
	private                          func(r *run, token string) bool
	// signsIn uses /mcp as a member who consents in a browser; no token is set by hand.
	signsIn func(r *run) bool
}

var columns = []string{"list", "install", "update", "withdrawn vanishes", "private with token", "signs in at /mcp"}

func TestNeighbours(t *testing.T) {
	if !*wanted {
		t.Skip("the clients of others are run by `make neighbours`")
	}
	bin := installClients(t)
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "client\t"+strings.Join(columns, "\t"))
	for _, c := range clients {
		cells := c.try(t, bin)
		fmt.Fprintln(w, c.name+"\t"+strings.Join(cells, "\t"))
	}
	w.Flush()
	fmt.Println("\n" + table.String())
}

func installClients(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("clients", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "ci", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the clients cannot be installed here, so their recorded requests in internal/httpapi stand for them: %v\n%s", err, out)
	}
	return filepath.Join(dir, "node_modules", ".bin")
}

func (c client) try(t *testing.T, bin string) []string {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(h *httpapi.Config) { h.Feeds, h.NoClientDocs = httpapi.FeedNames(), true }})
	r := &run{t: t, s: s, bin: bin, home: t.TempDir()}
	r.project = filepath.Join(r.home, "project")
	if err := os.Mkdir(r.project, 0o755); err != nil {
		t.Fatal(err)
	}
	publish := func(lines ...string) {
		s.Clock.Advance(time.Second)
		s.Import(t, review.ImportOptions{Owner: "ada", Channel: catalog.ChannelCommunity}, lines...)
	}
	publish(packLine("ada/garden", "1.0.0"), packLine("ada/other", "1.0.0"))
	cells := []string{}
	note := func(step func(*run) bool) {
		switch {
		case step == nil:
			cells = append(cells, "-")
		case step(r):
			cells = append(cells, "yes")
		default:
			cells = append(cells, "NO")
			t.Errorf("%s, %s:\n%s", c.name, columns[len(cells)-1], r.said)
		}
	}
	note(c.list)
	note(c.install)
	publish(packLine("ada/garden", "1.1.0"))
	note(c.update)
	s.Private(t, "ada", "ada/diary")
	token := s.As(t, "ada").Post("/api/account/tokens", map[string]any{"label": "a client", "scope": "read"}).OK(t).Str("data.token")
	hide(t, s)
	note(c.withdrawn)
	var private func(*run) bool
	if c.private != nil {
		private = func(r *run) bool { return c.private(r, token) }
	}
	note(private)
	r.browser("ada")
	note(c.signsIn)
	return cells
}

// hide withdraws ada/garden from everybody but its owner.
func hide(t *testing.T, s *apitest.Server) {
	t.Helper()
	ctx := t.Context()
	err := s.Store.Write(ctx, func(tx *store.Tx) error {
		item, err := tx.Item(ctx, catalog.KindProfilePack, "ada/garden")
		if err == nil {
			item.Visibility = catalog.Private
			err = tx.UpdateItem(&item)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
}
