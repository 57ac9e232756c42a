package operate

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"stoa/internal/app"
	"stoa/internal/cli"
	"stoa/internal/httpapi"
	"stoa/internal/platform/listen"
)

// The settings of where the console answers, beside an address.
const (
	consoleOff    = "off"
	consolePublic = "public" // on the same listener as everything else
)

// consoleOf answers the console's paths beside those of the public listener.
func consoleOf(console, public http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		own := req.URL.Path == "/console" || strings.HasPrefix(req.URL.Path, "/console/") || strings.HasPrefix(req.URL.Path, "/assets/console")
		if own {
			console.ServeHTTP(w, req)
			return
		}
		public.ServeHTTP(w, req)
	})
}

// serveConsole begins to answer on the console's listener, where it has one of its own.
func (c *ServeCmd) serveConsole(ctx context.Context, log *slog.Logger, console http.Handler) (stop func()) {
	if c.ConsoleListen == consoleOff || c.ConsoleListen == consolePublic {
		return func() {}
	}
	loopback, err := isLoopback(c.ConsoleListen)
	if err != nil {
		log.Warn("the console is not served", "error", err)
		return func() {}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.ConsoleListen)
	if err != nil {
		log.Warn("the console is not served", "error", err)
		return func() {}
	}
	if !loopback {
		log.Warn("the console can be reached from other machines: keep its address off the internet", "address", c.ConsoleListen)
	}
	server := listen.New(ConsoleAt(loopback, console), listen.Options{Log: log, Connections: consoleConnections})
	go func() { _ = server.Serve(listener) }() // until it is closed
	log.Info("serving the console", "address", "http://"+listener.Addr().String()+"/console")
	return func() { _ = server.Close() }
}

// consoleConnections are held at a time.
const consoleConnections = 256

// ConsoleAt is the console on a listener of its own. On the loopback a page whose name has been bent to 127.0.0.1 is not answered.
func ConsoleAt(loopback bool, console http.Handler) http.Handler {
	if loopback {
		return underOwnNames(console)
	}
	return console
}

// InForce lists the settings of a command with where each comes from. Those that may hold a secret are not shown.
func InForce(k *kong.Context, in Given) []httpapi.ConsoleSetting {
	var all []httpapi.ConsoleSetting
	for _, flag := range k.Flags() {
		if flag.Hidden || flag.Name == "help" {
			continue
		}
		value := fmt.Sprint(flag.Target.Interface())
		name := strings.ToLower(flag.Name)
		if value != "" && (strings.Contains(name, "secret") || strings.Contains(name, "key") || strings.Contains(name, "password") || strings.Contains(name, "database") || strings.Contains(name, "blobs")) {
			value = "(set)"
		}
		all = append(all, httpapi.ConsoleSetting{Name: flag.Name, Value: value, Source: in.source(flag)})
	}
	slices.SortFunc(all, func(a, b httpapi.ConsoleSetting) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// source says where a setting comes from, in the order in which the places count.
func (in Given) source(flag *kong.Flag) string {
	onCommandLine := func(arg string) bool { return arg == "--"+flag.Name || strings.HasPrefix(arg, "--"+flag.Name+"=") }
	if slices.ContainsFunc(in.Args, onCommandLine) {
		return "flag"
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return "environment"
		}
	}
	if _, set := in.File[flag.Name]; set {
		return "file"
	}
	return "default"
}

type memberGrantCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
	Role   string `arg:"" enum:"reviewer,operator" help:"reviewer decides about submissions; operator looks after members and the service."`
}

// Run grants the role.
func (c *memberGrantCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.GrantRole(ctx, c.UserID, c.Role); err != nil {
			return err
		}
		return o.Print(map[string]string{"user_id": c.UserID, "role": c.Role}, func(w io.Writer) {
			fmt.Fprintf(w, "%s has the role %s. Next: they sign in at the console, which `stoa serve` shows at http://127.0.0.1:8108/console.\n", c.UserID, c.Role)
		})
	})
}

type memberRevokeCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
	Role   string `arg:"" enum:"reviewer,operator" help:"reviewer or operator."`
}

// Run takes the role back.
func (c *memberRevokeCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.RevokeRole(ctx, c.UserID, c.Role); err != nil {
			return err
		}
		return o.Print(map[string]string{"user_id": c.UserID, "revoked": c.Role}, func(w io.Writer) {
			fmt.Fprintf(w, "%s no longer has the role %s and is signed out of the console.\n", c.UserID, c.Role)
		})
	})
}

type memberActsCmd struct {
	After string `help:"Begin after this act."`
	Limit int    `help:"At most so many." default:"50"`
}

// Run lists what people in charge did.
func (c *memberActsCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		acts, err := a.Acts(ctx, c.After, c.Limit)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"acts": acts}, func(w io.Writer) {
			for _, act := range acts {
				fmt.Fprintf(w, "%s  %s  %s  %s %s\n", act.At, cli.Printable(act.Actor), act.Action, cli.Printable(act.ItemID), cli.Printable(act.Target))
			}
		})
	})
}

type reviewClaimCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
}

// Run takes a submission.
func (c *reviewClaimCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.ClaimReview(ctx, c.SubmissionID); err != nil {
			return err
		}
		return o.Print(map[string]string{"claimed": c.SubmissionID}, func(w io.Writer) {
			fmt.Fprintf(w, "Claimed for half an hour. Next: stoa review show %s\n", c.SubmissionID)
		})
	})
}

type reviewReleaseCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
}

// Run gives a submission back to the queue.
func (c *reviewReleaseCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.ReleaseReview(ctx, c.SubmissionID); err != nil {
			return err
		}
		return o.Print(map[string]string{"released": c.SubmissionID}, func(w io.Writer) { fmt.Fprintln(w, "Released.") })
	})
}
