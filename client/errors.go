package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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
	if errors.As(err, &b) {
		return fmt.Errorf("the server cannot be reached: %w", b.err)
	}
	return err
}

// failed reads a refusal.
func failed(res *http.Response) error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id"), RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
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

// retryAfter reads the header in both of its forms.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// Pauses between attempts.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 8 * time.Second
	longestAsked = 60 * time.Second // whoever is asked to wait longer is told so instead
)

// pauseAfter says whether a failed call may be made again, and when.
func pauseAfter(err error, attempt int) (time.Duration, bool) {
	pause := min(longestPause, firstPause<<min(attempt, 10))
	pause = pause/2 + rand.N(pause/2) // so that many clients do not come back together
	var b *broken
	if errors.As(err, &b) {
		return pause, true
	}
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusTooManyRequests && e.Status < 500 {
		return 0, false
	}
	if e.RetryAfter > longestAsked {
		return 0, false
	}
	return max(pause, e.RetryAfter), true
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
