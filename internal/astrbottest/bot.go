// Package astrbottest is an AstrBot for tests: the part of its HTTP API (/api/v1) that market/astrbot speaks, with the
// rules that AstrBot 4.27 checks, faults on demand, and a picture of everything it holds. Only tests use it.
package astrbottest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Persona is a row of the persona table.
type Persona struct {
	ID           string   `json:"persona_id"`
	Prompt       string   `json:"system_prompt"`
	Dialogs      []string `json:"begin_dialogs"`
	Tools        []string `json:"tools"`
	Skills       []string `json:"skills"`
	ErrorMessage *string  `json:"custom_error_message"`
	Folder       *string  `json:"folder_id"`
	SortOrder    int      `json:"sort_order"`
	CreatedAt    string   `json:"created_at"`
	UpdatedAt    string   `json:"updated_at"`
}

// Skill is a folder of skills.
type Skill struct {
	Files  map[string]string
	Active bool
}

// Fault is what becomes of a call.
type Fault int

// The faults.
const (
	None        Fault = iota
	DropBefore        // the connection ends before anything happens
	DropAfter         // it happens, and the answer is lost
	HTML              // a proxy answers a page
	OddShape          // an envelope with data of another shape
	ServerError       // 500 after it happened
	Hang              // no answer until the caller gives up
)

// Bot is the fake.
type Bot struct {
	mu        sync.Mutex
	key       string
	scopes    []string
	personas  []*Persona
	skills    map[string]*Skill
	servers   map[string]json.RawMessage
	providers map[string]json.RawMessage
	config    json.RawMessage
	fault     func(r *http.Request) Fault
	older     bool
	tick      int
	calls     int
	mux       *http.ServeMux
}

// Key is the key that the bot accepts.
const Key = "abk_0123456789abcdef"

// New makes an empty bot whose key has the scopes given; all that Stoa uses when there are none.
func New(scopes ...string) *Bot {
	if len(scopes) == 0 {
		scopes = []string{"persona", "skill", "mcp", "provider", "config"}
	}
	b := &Bot{
		key: Key, scopes: scopes, skills: map[string]*Skill{}, servers: map[string]json.RawMessage{}, providers: map[string]json.RawMessage{},
		config: json.RawMessage(`{"config_version":2,"provider_settings":{"default_personality":"default","max_agent_step":30,"websearch_tavily_key":["tvly-x"],"persona_pool":["*"]},"wake_prefix":["/"],"timezone":"Asia/Shanghai","dashboard":{"username":"astrbot"}}`),
		mux:    http.NewServeMux(),
	}
	b.routes()
	return b
}

// Serve listens on the loopback until stop is called.
func (b *Bot) Serve() (address string, stop func()) {
	s := httptest.NewServer(b)
	return s.URL, s.Close
}

// Client is an HTTP client that calls the bot without a network.
func (b *Bot) Client() *http.Client { return &http.Client{Transport: direct{b}} }

type direct struct{ b *Bot }

func (d direct) RoundTrip(r *http.Request) (res *http.Response, err error) {
	defer func() {
		if v := recover(); v != nil { // http.ErrAbortHandler: the connection ended
			res, err = nil, fmt.Errorf("connection reset")
		}
	}()
	w := httptest.NewRecorder()
	d.b.ServeHTTP(w, r)
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return w.Result(), nil
}

// SetFault says what becomes of calls; nil for none.
func (b *Bot) SetFault(f func(r *http.Request) Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
}

// SetOlder makes the bot one from before the API.
func (b *Bot) SetOlder(older bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.older = older
}

// Calls is how many calls came.
func (b *Bot) Calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

// ServeHTTP answers a call, with a fault or without.
func (b *Bot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.calls++
	fault, older := None, b.older
	if b.fault != nil {
		fault = b.fault(r)
	}
	b.mu.Unlock()
	switch fault {
	case DropBefore:
		panic(http.ErrAbortHandler)
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>Welcome</html>")
		return
	case OddShape:
		fmt.Fprint(w, `{"status":"ok","message":null,"data":{"rows":7}}`)
		return
	case Hang:
		_, _ = io.Copy(io.Discard, r.Body) // a server sees that its caller went away once the body is read
		<-r.Context().Done()
		return
	}
	if older {
		http.NotFound(w, r)
		return
	}
	if fault == None {
		b.mux.ServeHTTP(w, r)
		return
	}
	b.mux.ServeHTTP(httptest.NewRecorder(), r)
	if fault == DropAfter {
		panic(http.ErrAbortHandler)
	}
	http.Error(w, "Internal Server Error", http.StatusInternalServerError)
}

// Snapshot is everything the bot holds, but for its own times of change.
func (b *Bot) Snapshot() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out strings.Builder
	for _, p := range slices.SortedFunc(slices.Values(b.personas), func(x, y *Persona) int { return strings.Compare(x.ID, y.ID) }) {
		c := *p
		c.CreatedAt, c.UpdatedAt = "", ""
		text, _ := json.Marshal(c)
		fmt.Fprintf(&out, "persona %s\n", text)
	}
	for _, name := range slices.Sorted(maps.Keys(b.skills)) {
		text, _ := json.Marshal(b.skills[name])
		fmt.Fprintf(&out, "skill %s %s\n", name, text)
	}
	for _, name := range slices.Sorted(maps.Keys(b.servers)) {
		fmt.Fprintf(&out, "server %s %s\n", name, b.servers[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b.providers)) {
		fmt.Fprintf(&out, "provider %s %s\n", name, b.providers[name])
	}
	fmt.Fprintf(&out, "config %s\n", b.config)
	return out.String()
}

// EditPersona changes a persona as its owner does in the dashboard; it is made when it is not there.
func (b *Bot) EditPersona(id string, change func(p *Persona)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.persona(id)
	if p == nil {
		p = &Persona{ID: id, Dialogs: []string{}}
		b.personas = append(b.personas, p)
	}
	change(p)
}

// SetConfig replaces the configuration, as its owner does by hand.
func (b *Bot) SetConfig(change func(text string) string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.config = json.RawMessage(change(string(b.config)))
}

// DeletePersona removes a persona.
func (b *Bot) DeletePersona(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.personas = slices.DeleteFunc(b.personas, func(p *Persona) bool { return p.ID == id })
}

// EditSkill changes a skill; it is made when it is not there.
func (b *Bot) EditSkill(name string, change func(s *Skill)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.skills[name] == nil {
		b.skills[name] = &Skill{Files: map[string]string{"SKILL.md": ""}, Active: true}
	}
	change(b.skills[name])
}

func (b *Bot) persona(id string) *Persona {
	for _, p := range b.personas {
		if p.ID == id {
			return p
		}
	}
	return nil
}
