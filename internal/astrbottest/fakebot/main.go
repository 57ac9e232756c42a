// Command fakebot is the AstrBot of the browser tests: once for pages of other origins, once without, and a way to change it by
// hand, to look at it and to break it. It writes its three addresses as one line of JSON and runs until its input ends.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"stoa/internal/astrbottest"
)

var faults = map[string]astrbottest.Fault{
	"before": astrbottest.DropBefore, "after": astrbottest.DropAfter, "html": astrbottest.HTML, "odd": astrbottest.OddShape, "error": astrbottest.ServerError,
}

func main() {
	bot := astrbottest.New(os.Args[1:]...)
	open := httptest.NewServer(pages(bot))
	closed := httptest.NewServer(bot)
	control := httptest.NewServer(hand(bot))
	_ = json.NewEncoder(os.Stdout).Encode(map[string]string{"open": open.URL, "closed": closed.URL, "control": control.URL, "key": astrbottest.Key})
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// pages lets pages of other origins call the bot, as a member does who sets CORS up on the proxy before it.
func pages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "X-API-Key, Content-Type")
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hand is what the bot's owner does, and what befalls it.
func hand(bot *astrbottest.Bot) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /snapshot", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, bot.Snapshot()) })
	mux.HandleFunc("POST /persona", func(_ http.ResponseWriter, r *http.Request) {
		bot.EditPersona(r.FormValue("id"), func(p *astrbottest.Persona) { p.Prompt = r.FormValue("prompt") })
	})
	mux.HandleFunc("POST /config", func(_ http.ResponseWriter, r *http.Request) {
		bot.SetConfig(func(text string) string { return strings.Replace(text, r.FormValue("old"), r.FormValue("new"), 1) })
	})
	// From the call after=N on, every call that changes something fails in one way; without a kind none does.
	mux.HandleFunc("POST /fault", func(_ http.ResponseWriter, r *http.Request) {
		kind, ok := faults[r.FormValue("kind")]
		if !ok {
			bot.SetFault(nil)
			return
		}
		var left atomic.Int64
		n, _ := strconv.ParseInt(r.FormValue("after"), 10, 64)
		left.Store(n)
		all := r.FormValue("all") != ""
		bot.SetFault(func(call *http.Request) astrbottest.Fault {
			if !all && call.Method == http.MethodGet || left.Add(-1) >= 0 {
				return astrbottest.None
			}
			return kind
		})
	})
	mux.HandleFunc("POST /older", func(_ http.ResponseWriter, r *http.Request) { bot.SetOlder(r.FormValue("older") != "") })
	return mux
}
