package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Detail names one field of a request and what is wrong with it.
type Detail struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Error is a refusal of the server.
type Error struct {
	Status     int             // of HTTP
	Code       string          // error.code of the contract, such as secrets_detected
	Message    string          // for people: what is wrong and what to do
	Details    []Detail        // the fields concerned
	Data       json.RawMessage // what the envelope's data adds, such as the id that was not found
	RequestID  string          // to quote to the operator
	RetryAfter time.Duration   // how long the server asks to wait, 0 when it does not say
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answers %d", e.Status)
	}
	return e.Message
}

// CodeOf is the code of a refusal in err, "" when there is none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// broken is a call whose answer did not arrive.
type broken struct{ err error }

func (b *broken) Error() string { return b.err.Error() }
func (b *broken) Unwrap() error { return b.err }

// localError is an error of the file that is sent, not of the way to the server.
type localError struct{ err error }

func (l *localError) Error() string { return l.err.Error() }
func (l *localError) Unwrap() error { return l.err }

// plainly says in words that the server was not reached.
func plainly(err error) error {
	var b *broken
	var late *hung
	switch {
	case errors.As(err, &late):
		return late
	case errors.As(err, &b):
		return fmt.Errorf("the server cannot be reached: %w", b.err)
	}
	return err
}

// maxRefusal bounds a refusal, in bytes.
const maxRefusal = 256 << 10

// failed reads a refusal.
func failed(res *http.Response) error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id"), RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
	if to := res.Header.Get("Location"); res.StatusCode < 400 && to != "" {
		e.Code, e.Message = "redirected", fmt.Sprintf("the server sends on to %s; nothing was sent there. Sign in to that address if it is the right one", to)
		return e
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	var envelope struct {
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
		Error   struct {
			Code    string   `json:"code"`
			Message string   `json:"message"`
			Details []Detail `json:"details"`
		} `json:"error"`
	}
	if err != nil || json.Unmarshal(text, &envelope) != nil {
		e.Code, e.Message = "http_error", fmt.Sprintf("the server answers %s, but not as a Stoa server does", res.Status)
		return e
	}
	e.Code, e.Message, e.Details, e.Data = envelope.Error.Code, envelope.Error.Message, envelope.Error.Details, envelope.Data
	if e.Message == "" {
		e.Message = envelope.Message
	}
	return e
}

// retryAfter reads the header in both of its forms; a day stands for everything longer.
func retryAfter(text string) time.Duration {
	const day = 24 * time.Hour
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(day/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(day, max(0, time.Until(at)))
	}
	return 0
}
