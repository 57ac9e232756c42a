package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// Message is one of a conversation. Role is system, user or assistant.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Question is a conversation that a model is to go on with.
type Question struct {
	Messages    []Message
	Temperature *float64 // nil leaves it to the server
}

// Bounds hold a streamed answer. The zero value of each means its default.
type Bounds struct {
	First time.Duration // until something is said
	Idle  time.Duration // between two pieces
	Whole time.Duration
	Text  int // bytes of what is said
}

// The defaults: a model of one's own machine may have to be loaded first.
const (
	defaultFirst = 60 * time.Second
	defaultIdle  = 30 * time.Second
	defaultWhole = 3 * time.Minute
	defaultText  = 64 << 10
)

const (
	longestLine    = 1 << 20  // bytes of one event
	streamBytes    = 16 << 20 // of an answer as it comes
	streamedTokens = 2048     // that a model is asked for at most
)

// Piece is a part of a streamed answer.
type Piece struct {
	Text string
	// Tool is the name of a function that the model wants called. Nothing calls it.
	Tool string
	// Finish is why the model ended: stop, length, content_filter, tool_calls. "" while it goes on.
	Finish string
}

func (b Bounds) filled() Bounds {
	for _, f := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&b.First, defaultFirst}, {&b.Idle, defaultIdle}, {&b.Whole, defaultWhole}} {
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	if b.Text == 0 {
		b.Text = defaultText
	}
	return b
}

// Stream asks and gives what is said piece by piece, as it comes. A server that does not stream is understood too. Errors are
// *Fault, what emit returned, or that of a context that the caller ended.
func (m *Model) Stream(ctx context.Context, q Question, b Bounds, emit func(Piece) error) error {
	b = b.filled()
	within, cancel := context.WithTimeout(ctx, b.Whole)
	defer cancel()
	patience := time.AfterFunc(b.First, cancel)
	defer patience.Stop()
	res, err := m.post(within, q)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return m.fault(within, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return &Fault{Code: "refused", Status: res.StatusCode, Text: m.refusal(res.StatusCode), Later: res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500}
	}
	spoke := false
	s := stream{model: m, left: b.Text, emit: emit, heard: func() { spoke = true; patience.Reset(b.Idle) }}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		err = s.whole(res.Body)
	case "text/html":
		err = &Fault{Code: "bad_reply", Text: m.host + " sent a page and no answer of a model"}
	default:
		err = s.events(res.Body)
	}
	switch f := (*Fault)(nil); {
	case err == nil, errors.Is(err, s.refused) && s.refused != nil, errors.As(err, &f):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case spoke && errors.Is(within.Err(), context.DeadlineExceeded):
		return &Fault{Code: "too_long", Text: m.host + " did not come to an end"}
	case within.Err() != nil:
		return m.fault(within, err)
	}
	return &Fault{Code: "interrupted", Text: "the answer of " + m.host + " broke off", Later: true}
}

func (m *Model) post(ctx context.Context, q Question) (*http.Response, error) {
	body, err := json.Marshal(struct {
		Model       string    `json:"model"`
		Messages    []Message `json:"messages"`
		Temperature *float64  `json:"temperature,omitempty"`
		MaxTokens   int       `json:"max_tokens"`
		Stream      bool      `json:"stream"`
	}{m.name, q.Messages, q.Temperature, streamedTokens, true})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if m.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.key)
	}
	return m.http.Do(req)
}

// stream is an answer on its way.
type stream struct {
	model   *Model
	left    int // bytes that may still be said
	emit    func(Piece) error
	heard   func() // a piece has come
	refused error  // what emit returned
	ended   bool   // the model said that it has
	any     bool   // something has come that is a model's
}

type choice struct {
	Delta   said   `json:"delta"`
	Message said   `json:"message"`
	Finish  string `json:"finish_reason"`
}

type said struct {
	Content string `json:"content"`
	Tools   []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type chunk struct {
	Choices []choice        `json:"choices"`
	Error   json.RawMessage `json:"error"`
}

// events reads server-sent events (WHATWG HTML, 9.2.6), of which only data counts.
func (s *stream) events(body io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(body, streamBytes))
	lines.Buffer(make([]byte, 0, 4096), longestLine)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		if data = strings.TrimSpace(data); data == "[DONE]" {
			s.ended = true
			break
		}
		if err := s.take([]byte(data)); err != nil {
			if cut := lines.Err(); cut != nil {
				return cut // half an event is no nonsense
			}
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return s.unreadable()
	case err != nil:
		return err
	case s.any && s.ended:
		return nil
	case s.any:
		return io.ErrUnexpectedEOF
	}
	return s.unreadable()
}

// whole reads an answer that comes in one piece.
func (s *stream) whole(body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, longestLine))
	if err != nil {
		return err
	}
	if err := s.take(text); err != nil {
		return err
	}
	if !s.any {
		return s.unreadable()
	}
	return nil
}

func (s *stream) unreadable() error {
	return &Fault{Code: "bad_reply", Text: "the answer of " + s.model.host + " cannot be read"}
}

func (s *stream) take(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return s.unreadable()
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return &Fault{Code: "refused", Text: s.model.host + " reported an error", Later: true}
	}
	if len(c.Choices) == 0 {
		return nil // how much was used
	}
	s.any = true
	s.heard()
	one := c.Choices[0]
	p := Piece{Text: one.Delta.Content + one.Message.Content, Finish: one.Finish}
	s.ended = s.ended || p.Finish != ""
	cut := len(p.Text) > s.left
	if cut {
		p.Text = strings.ToValidUTF8(p.Text[:s.left], "")
	}
	s.left -= len(p.Text)
	for _, t := range append(one.Delta.Tools, one.Message.Tools...) {
		if t.Function.Name != "" && p.Tool == "" {
			p.Tool = t.Function.Name
		}
	}
	if p != (Piece{}) {
		if s.refused = s.emit(p); s.refused != nil {
			return s.refused
		}
	}
	if cut {
		return &Fault{Code: "too_long", Text: s.model.host + " did not come to an end"}
	}
	return nil
}
