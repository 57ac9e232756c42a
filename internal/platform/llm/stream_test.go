package llm_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/dial"
	"stoa/internal/platform/llm"
)

func event(w http.ResponseWriter, content string) {
	fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", content)
	http.NewResponseController(w).Flush()
}

const ended = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// streaming begins a stream of events.
func streaming(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }

// read takes the request whole, without which a server does not see that its client has gone.
func read(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		h(w, r)
	}
}

func TestStream(t *testing.T) {
	long := time.Minute
	for name, c := range map[string]struct {
		serve  http.HandlerFunc
		bounds llm.Bounds
		said   string
		code   string // of the fault
		status int
	}{
		"streams": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			fmt.Fprint(w, ": a comment\n\n")
			event(w, "Good ")
			event(w, "day.")
			fmt.Fprint(w, "data: {\"choices\":[],\"usage\":{\"total_tokens\":9}}\n\n", ended)
		}, said: "Good day."},
		"does not stream": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			fmt.Fprint(w, `{"choices":[{"message":{"content":"Good day."},"finish_reason":"stop"}]}`)
		}, said: "Good day."},
		"a page": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Router</title>")
		}, code: "bad_reply"},
		"a page that says it is a stream": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			fmt.Fprint(w, "<!doctype html>")
		}, code: "bad_reply"},
		"no JSON": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			fmt.Fprint(w, "data: hello\n\n")
		}, code: "bad_reply"},
		"JSON of something else": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"hello":1}`)
		}, code: "bad_reply"},
		"one line without an end": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			fmt.Fprint(w, "data: ", strings.Repeat("x", 2<<20))
		}, code: "bad_reply"},
		"key refused": {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, code: "refused", status: 401},
		"too often":   {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, code: "refused", status: 429},
		"moved": {serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, code: "refused", status: 302},
		"an error on the way": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			event(w, "Good ")
			fmt.Fprintf(w, "data: {\"error\":{\"message\":%q}}\n\n", secret)
		}, said: "Good ", code: "refused"},
		"hangs": {serve: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, bounds: llm.Bounds{First: time.Millisecond, Idle: long, Whole: long}, code: "timeout"},
		"falls silent": {serve: func(w http.ResponseWriter, r *http.Request) {
			streaming(w)
			event(w, "Good ")
			<-r.Context().Done()
		}, bounds: llm.Bounds{First: long, Idle: time.Millisecond, Whole: long}, said: "Good ", code: "timeout"},
		"says nothing for ever": {serve: func(w http.ResponseWriter, r *http.Request) {
			streaming(w)
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, ": still there\n\n"); err != nil {
					return
				}
			}
		}, bounds: llm.Bounds{First: 20 * time.Millisecond, Idle: long, Whole: long}, code: "timeout"},
		"talks for ever": {serve: func(w http.ResponseWriter, r *http.Request) {
			streaming(w)
			for r.Context().Err() == nil {
				event(w, "la")
			}
		}, bounds: llm.Bounds{First: long, Idle: long, Whole: long, Text: 5}, said: "lalal", code: "too_long"},
		"goes on without a word for ever": {serve: func(w http.ResponseWriter, r *http.Request) {
			streaming(w)
			for r.Context().Err() == nil {
				event(w, "")
			}
		}, bounds: llm.Bounds{First: long, Idle: long, Whole: 100 * time.Millisecond}, code: "too_long"},
		"breaks off": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			event(w, "Good ")
			panic(http.ErrAbortHandler)
		}, said: "Good ", code: "interrupted"},
		"ends without saying so": {serve: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			event(w, "Good ")
		}, said: "Good ", code: "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			err := model(t, read(c.serve)).Stream(t.Context(), llm.Question{Messages: []llm.Message{{Role: "user", Content: "Hello."}}}, c.bounds, func(p llm.Piece) error {
				said.WriteString(p.Text)
				return nil
			})
			var fault *llm.Fault
			if c.code == "" && err != nil || c.code != "" && (!errors.As(err, &fault) || fault.Code != c.code || fault.Status != c.status) {
				t.Errorf("%+v", err)
			}
			if said.String() != c.said {
				t.Errorf("said %q", said.String())
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the fault tells the key: %v", err)
			}
		})
	}
}

// A model that wants a function called is not obeyed; its wish is told.
func TestStreamTellsOfTools(t *testing.T) {
	m := model(t, func(w http.ResponseWriter, _ *http.Request) {
		streaming(w)
		fmt.Fprint(w, `data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"delete_all","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
	})
	var got []llm.Piece
	err := m.Stream(t.Context(), llm.Question{}, llm.Bounds{}, func(p llm.Piece) error {
		got = append(got, p)
		return nil
	})
	if err != nil || len(got) != 1 || got[0] != (llm.Piece{Tool: "delete_all", Finish: "tool_calls"}) {
		t.Errorf("%v %v", got, err)
	}
}

// Whoever listens may stop; nobody is at fault then.
func TestStreamStops(t *testing.T) {
	m := model(t, read(func(w http.ResponseWriter, r *http.Request) {
		streaming(w)
		event(w, "la")
		<-r.Context().Done()
	}))
	enough := errors.New("enough")
	if err := m.Stream(t.Context(), llm.Question{}, llm.Bounds{}, func(llm.Piece) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
}

// What a stranger names is dialled only where it is allowed, whatever it is called.
func TestGuardedModels(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		streaming(w)
		event(w, "yes")
		fmt.Fprint(w, ended)
	}))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	ask := func(host string, allow dial.Allow) error {
		m, err := llm.NewGuarded("http://"+host+port+"/v1", "small", secret, allow)
		if err != nil {
			t.Fatal(err)
		}
		return m.Stream(t.Context(), llm.Question{}, llm.Bounds{}, func(llm.Piece) error { return nil })
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		var fault *llm.Fault
		if err := ask(host, dial.PublicOnly); !errors.As(err, &fault) || fault.Code != "blocked" {
			t.Errorf("%s: %v", host, err)
		}
	}
	if asked != 0 {
		t.Errorf("asked %d times", asked)
	}
	if err := ask("127.0.0.1", dial.PublicOrLocal); err != nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}
