package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"stoa/internal/platform/dial"

	openai "github.com/sashabaranov/go-openai"
)

const (
	largestReply = 8 << 20 // bytes, of an answer as it comes
	mostTokens   = 900     // of a chat's answer
	idle         = 90 * time.Second
)

// Model is one model of one server. It may be used by many at once.
type Model struct {
	client *openai.Client
	http   *http.Client
	base   string // without a slash at its end
	key    string
	name   string
	host   string // with the port, as it is told in faults
}

// New makes a model of a base URL such as http://127.0.0.1:11434/v1, the model's name and a key, which may be empty.
func New(base, name, key string) (*Model, error) {
	return newModel(base, name, key, http.DefaultTransport.(*http.Transport).Clone())
}

func newModel(base, name, key string, transport *http.Transport) (*Model, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errors.New("the address of a language model must be like http://127.0.0.1:11434/v1, without a name or password in it")
	}
	if name == "" {
		return nil, errors.New("the language model needs a name, such as llama3.2")
	}
	c := openai.DefaultConfig(key)
	c.BaseURL = strings.TrimSuffix(base, "/")
	transport.IdleConnTimeout = idle
	client := &http.Client{
		Transport:     bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a key goes to one place only
	}
	c.HTTPClient = client
	return &Model{client: openai.NewClientWithConfig(c), http: client, base: c.BaseURL, key: key, name: name, host: u.Host}, nil
}

// Name is the model's.
func (m *Model) Name() string { return m.name }

// exchange is what the headers of an answer say beside it.
type exchange struct {
	requestID  string
	retryAfter time.Duration
}

type exchangeKey struct{}

const (
	longestRequestID = 128
	longestWait      = 5 * time.Minute // that a server may ask for
)

func (x *exchange) read(h http.Header) {
	if id := h.Get("X-Request-Id"); len(id) <= longestRequestID {
		x.requestID = id
	}
	wait, _ := time.ParseDuration(h.Get("Retry-After") + "s") // 0 when it names a date, or nothing
	x.retryAfter = min(max(wait, 0), longestWait)
}

// bounded cuts answers that are too long.
type bounded struct{ under http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.under.RoundTrip(r)
	if err == nil {
		if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok {
			x.read(res.Header)
		}
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, largestReply), res.Body}
	}
	return res, err
}

// Chat asks once; what it says is at most largestReply long. The context bounds the time. Errors are *Fault.
func (m *Model) Chat(ctx context.Context, system, user string) (string, error) {
	return m.ChatAtMost(ctx, mostTokens, system, user)
}

// ChatAtMost is Chat with a bound of its own for the answer, in tokens.
func (m *Model) ChatAtMost(ctx context.Context, tokens int, system, user string) (string, error) {
	res, err := m.client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model: m.name, MaxTokens: tokens, Temperature: .2, //nolint:staticcheck // max_tokens is what local servers know
		Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: system}, {Role: openai.ChatMessageRoleUser, Content: user}},
	})
	if err != nil {
		return "", m.fault(ctx, err)
	}
	if len(res.Choices) == 0 {
		return "", &Fault{Code: "bad_reply", Text: m.host + " sent no answer"}
	}
	return res.Choices[0].Message.Content, nil
}

// Embedded are vectors, one for each text and all of one length, and the id that the server gave the request, "" for none.
type Embedded struct {
	Vectors   [][]float32
	RequestID string
}

// Embed gives a vector for each text. Errors are *Fault.
func (m *Model) Embed(ctx context.Context, texts []string) (Embedded, error) {
	var x exchange
	res, err := m.client.CreateEmbeddings(context.WithValue(ctx, exchangeKey{}, &x), openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(m.name)})
	if err != nil {
		fault := m.fault(ctx, err)
		fault.RequestID, fault.RetryAfter = x.requestID, x.retryAfter
		return Embedded{}, fault
	}
	out := make([][]float32, len(texts))
	for _, e := range res.Data {
		if e.Index >= 0 && e.Index < len(out) {
			out[e.Index] = e.Embedding
		}
	}
	for _, v := range out {
		if len(v) == 0 || len(v) != len(out[0]) {
			return Embedded{}, &Fault{Code: "bad_reply", Text: m.host + " sent too few or unequal vectors", RequestID: x.requestID}
		}
	}
	return Embedded{out, x.requestID}, nil
}

// Fault is why a model did not answer, fit to be shown and kept: it names the server that was asked and never the key or
// what the server said.
type Fault struct {
	// Code is timeout, unreachable, refused (by an HTTP status) or bad_reply; of a stream also blocked (an address that may
	// not be asked), too_long and interrupted.
	Code   string
	Status int // of HTTP, or 0
	Text   string
	// Later is whether it may go well later.
	Later bool
	// RequestID is what the server calls the request, and RetryAfter how long it asks to be left alone, at most five minutes; both of Embed.
	RequestID  string
	RetryAfter time.Duration
}

func (f *Fault) Error() string { return f.Text }

func (m *Model) fault(ctx context.Context, err error) *Fault {
	status := 0
	var refusal *openai.APIError
	var request *openai.RequestError
	switch {
	// First the outer one: it may wrap an APIError that could not be read and has no status.
	case errors.As(err, &request):
		status = request.HTTPStatusCode
	case errors.As(err, &refusal):
		status = refusal.HTTPStatusCode
	}
	var network net.Error
	switch {
	case errors.Is(err, dial.ErrBlocked):
		return &Fault{Code: "blocked", Text: m.host + " is no address that this server may ask"}
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return &Fault{Code: "timeout", Text: "no answer in time from " + m.host, Later: true}
	case status >= 300:
		return &Fault{Code: "refused", Status: status, Text: m.refusal(status), Later: status == http.StatusTooManyRequests || status >= 500}
	case errors.As(err, &network):
		return &Fault{Code: "unreachable", Text: m.unreachable(err), Later: true}
	}
	return &Fault{Code: "bad_reply", Text: "the answer of " + m.host + " cannot be read"}
}

// refusal says what a status of HTTP usually means.
func (m *Model) refusal(status int) string {
	switch status {
	case http.StatusNotFound:
		return fmt.Sprintf("%s knows no model %s (status %d)", m.host, m.name, status)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s refuses the key (status %d)", m.host, status)
	case http.StatusTooManyRequests:
		return fmt.Sprintf("%s is asked too often (status %d)", m.host, status)
	}
	return fmt.Sprintf("%s answered with status %d", m.host, status)
}

func (m *Model) unreachable(err error) string {
	var name *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused to " + m.host
	case errors.As(err, &name):
		return "the name of " + m.host + " cannot be resolved"
	}
	return m.host + " cannot be reached"
}

// CodeOf is the code of a fault, bad_reply of any other error.
func CodeOf(err error) string {
	if f := (*Fault)(nil); errors.As(err, &f) {
		return f.Code
	}
	return "bad_reply"
}
