//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa/internal/apitest"
)

const (
	// answerBound is how long any answer may take while parts are missing: the twelve seconds of one transaction on a
	// database that is silent, a read before it, and a busy machine.
	answerBound = 22 * time.Second
	// patience is when a client gives up: only a node that is paused may let it come to that.
	patience = 25 * time.Second
)

type m = map[string]any

// reply is what became of one call: Reply is nil when there was no answer. problem says what is wrong with the answer
// whatever was asked.
type reply struct {
	*apitest.Reply
	err     error
	problem string
	took    time.Duration
}

func (r reply) status() int {
	if r.Reply == nil {
		return 0
	}
	return r.Status
}

// refused tells whether the answer is the one that is right while parts are missing.
func (r reply) refused() bool { return r.status() == http.StatusServiceUnavailable }

// call asks a node once.
func (s *node) call(ctx context.Context, method, path, token, key string, in any) reply {
	began := time.Now()
	r := s.ask(ctx, method, path, token, key, in)
	r.took = time.Since(began)
	return r
}

func (s *node) ask(ctx context.Context, method, path, token, key string, in any) reply {
	body := &bytes.Reader{}
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return reply{err: err, problem: err.Error()}
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, *s.base.Load()+path, body)
	if err != nil {
		return reply{err: err, problem: err.Error()}
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	answer, err := apitest.NewReply(method, res)
	if err != nil {
		return reply{err: err}
	}
	r := reply{Reply: answer}
	u, err := url.Parse(path)
	if err != nil {
		r.problem = err.Error()
		return r
	}
	problems := apitest.Check(method, u.Path, answer)
	if r.refused() {
		if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err != nil || seconds < 1 {
			problems = append(problems, fmt.Sprintf("503 with Retry-After %q", answer.Header.Get("Retry-After")))
		}
		if code := answer.Code(); code != "service_unavailable" && code != "commit_outcome_unknown" {
			problems = append(problems, fmt.Sprintf("503 with code %q", answer.Code()))
		}
	}
	if len(problems) > 0 {
		r.problem = fmt.Sprintf("%s %s: %d: %s: %.300s", method, path, r.Status, strings.Join(problems, "; "), answer.Body)
	}
	return r
}

// healthy asks a node whether it is all right.
func (s *node) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r := s.call(ctx, "GET", "/api/health", "", "", nil)
	if r.err != nil {
		return r.err
	}
	if r.Status != http.StatusOK {
		return fmt.Errorf("node %d: %d: %.500s", s.n, r.Status, r.Body)
	}
	return nil
}
