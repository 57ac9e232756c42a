package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
)

// replays keeps the protocol's own answers to prompts/list, which assistants ask for again and again. What is kept was written
// by the protocol's handler for the same caller, headers and parameters, and is good as long as its stamp is what
// PromptsStamp says; only the message's id is another.
type replays = otter.Cache[string, *replay]

type replay struct {
	stamp  string
	kind   string
	result []byte
}

// replayMemory bounds what is kept, in bytes.
const replayMemory = 16 << 20

func newReplays() *replays {
	return otter.Must(&otter.Options[string, *replay]{
		MaximumWeight: replayMemory, Weigher: func(k string, r *replay) uint32 { return uint32(len(k)+len(r.result)) + 128 },
	})
}

// replayable is the operation behind the one request that is replayed.
const (
	replayMethod    = "prompts/list"
	replayOperation = "listPrompts"
)

// plainID is an id that every reader of JSON writes back as it came.
var plainID = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14}|"[A-Za-z0-9_.:-]{0,64}")$`)

// rpcMessage is a single message of JSON-RPC, its members as they were sent.
type rpcMessage struct{ version, id, method, params string }

// readMessage parts a message with nothing but the members of a request, each at most once.
func readMessage(body []byte) (m rpcMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return m, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return m, false
		}
		to := map[any]*string{"jsonrpc": &m.version, "id": &m.id, "method": &m.method, "params": &m.params}[name]
		var raw json.RawMessage
		if to == nil || *to != "" || d.Decode(&raw) != nil {
			return m, false
		}
		*to = string(raw)
	}
	if _, err := d.Token(); err != nil || d.More() {
		return m, false
	}
	return m, m.version == `"2.0"` && len(m.params) <= 4<<10 && plainID.MatchString(m.id)
}

// replayKey names the requests of which one's answer is the others'; "" when this one is not to be replayed.
func (s *Server) replayKey(req *http.Request, caller core.Caller, m rpcMessage) string {
	if req.Method != http.MethodPost || m.method != strconv.Quote(replayMethod) || s.routes[replayOperation].Permits(caller) != nil {
		return ""
	}
	var key strings.Builder
	for _, part := range []string{req.URL.Path, caller.UserID, strconv.Itoa(int(caller.Role)), caller.Locale, m.params} {
		key.WriteString(part)
		key.WriteByte(0)
	}
	var names []string
	for name := range req.Header {
		if name == "Accept" || name == "Content-Type" || name == "Last-Event-Id" || strings.HasPrefix(name, "Mcp-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		key.WriteString(name)
		for _, v := range req.Header[name] {
			key.WriteByte(0)
			key.WriteString(v)
		}
		key.WriteByte('\n')
	}
	if key.Len() > 8<<10 {
		return ""
	}
	return key.String()
}

// replayed answers a request that was answered before, or has handler answer it and keeps what it says.
func (s *Server) replayed(w *recorder, req *http.Request, handler http.Handler, key string, m rpcMessage, caller core.Caller) {
	stamp, err := s.app.PromptsStamp(req.Context(), caller)
	if err != nil {
		handler.ServeHTTP(w, req) // which says what is wrong
		return
	}
	known, ok := s.replays.GetIfPresent(key)
	if !ok || known.stamp != stamp {
		answer := &copied{ResponseWriter: w}
		handler.ServeHTTP(answer, req)
		if known = answer.replay(stamp); known != nil {
			s.replays.Set(key, known)
		}
		return
	}
	body := make([]byte, 0, len(known.result)+len(m.id)+48)
	body = append(append(append(append(append(body, `{"jsonrpc":"2.0","id":`...), m.id...), `,"result":`...), known.result...), '}')
	w.Header().Set("Content-Type", known.kind)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // a client that went away is no concern of ours
}

// copied keeps what is sent.
type copied struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader notes the status.
func (c *copied) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write passes b on.
func (c *copied) Write(b []byte) (int, error) {
	c.body.Write(b)
	return c.ResponseWriter.Write(b)
}

// Unwrap gives what http.ResponseController looks for.
func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// replay is what can be said again of an answer; nil when it was no plain result.
func (c *copied) replay(stamp string) *replay {
	kind := c.Header().Get("Content-Type")
	if c.status != 0 && c.status != http.StatusOK || !strings.HasPrefix(kind, "application/json") {
		return nil
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(c.body.Bytes(), &answer) != nil || answer.Result == nil || answer.Error != nil {
		return nil
	}
	return &replay{stamp, kind, answer.Result}
}
