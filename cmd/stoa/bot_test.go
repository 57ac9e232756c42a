package main

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa/internal/astrbottest"
)

// fakeBots are the bots of the scripts, by their address.
var fakeBots sync.Map

// hangs are channels of the calls that hang, by the bot's address.
var hangs sync.Map

// fakeBot plays an AstrBot in a script: `bot start [SCOPE…]` sets STOA_BOT and STOA_BOT_KEY, `bot persona ID TEXT` changes
// one by hand, `bot snapshot FILE` writes everything it holds, `bot drop xxx` loses every answer after three calls,
// `bot hang xxx` keeps every answer back after three calls and `bot hung` waits for the first of them, `bot answers html|odd|error`
// spoils every answer, `bot well` ends that; `bot older` and `bot newer` say whether the bot has the API.
func fakeBot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: bot start|persona|snapshot|drop|well")
	}
	if args[0] == "start" {
		b := astrbottest.New(args[1:]...)
		address, stop := b.Serve()
		ts.Defer(stop)
		fakeBots.Store(address, b)
		ts.Setenv("STOA_BOT", address)
		ts.Setenv("STOA_BOT_KEY", astrbottest.Key)
		return
	}
	found, ok := fakeBots.Load(ts.Getenv("STOA_BOT"))
	if !ok {
		ts.Fatalf("there is no bot: bot start")
	}
	b := found.(*astrbottest.Bot)
	switch args[0] {
	case "persona":
		b.EditPersona(args[1], func(p *astrbottest.Persona) { p.Prompt = args[2] })
	case "snapshot":
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.Snapshot()), 0o600))
	case "drop":
		left := strings.Count(args[1], "x")
		b.SetFault(func(*http.Request) astrbottest.Fault {
			if left--; left < 0 {
				return astrbottest.DropAfter
			}
			return astrbottest.None
		})
	case "hang": // every answer after so many calls stays away
		left := strings.Count(args[1], "x")
		hung := make(chan struct{}, 100)
		hangs.Store(ts.Getenv("STOA_BOT"), hung)
		b.SetFault(func(*http.Request) astrbottest.Fault {
			if left--; left < 0 {
				hung <- struct{}{}
				return astrbottest.Hang
			}
			return astrbottest.None
		})
	case "hung": // waits until a call hangs
		hung, _ := hangs.Load(ts.Getenv("STOA_BOT"))
		select {
		case <-hung.(chan struct{}):
		case <-time.After(20 * time.Second):
			ts.Fatalf("no call hangs: there were fewer")
		}
	case "answers":
		kind := map[string]astrbottest.Fault{"html": astrbottest.HTML, "odd": astrbottest.OddShape, "error": astrbottest.ServerError}[args[1]]
		b.SetFault(func(*http.Request) astrbottest.Fault { return kind })
	case "older":
		b.SetOlder(true)
	case "newer":
		b.SetOlder(false)
	case "well":
		b.SetFault(nil)
	default:
		ts.Fatalf("no bot %s", args[0])
	}
}
