package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// house is a data folder and the binary that works on it.
type house struct {
	binary string
	data   string
}

// build builds the binary and gives it an empty data folder.
func build(t *testing.T) house {
	t.Helper()
	dir := t.TempDir()
	h := house{filepath.Join(dir, "stoa"), filepath.Join(dir, "data")}
	if out, err := exec.Command("go", "build", "-o", h.binary, "stoa/cmd/stoa").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return h
}

// run runs one command to its end.
func (h house) run(t *testing.T, input string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.binary, append(args, "--data", h.data)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("stoa %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// server is a running stoa serve.
type server struct {
	cmd    *exec.Cmd
	base   string
	log    *bytes.Buffer
	client *http.Client
}

func (h house) start(t *testing.T) *server {
	t.Helper()
	cmd := exec.Command(h.binary, "serve", "--data", h.data, "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--limits.requests-per-second=0", "--quota.enforce=off")
	s := &server{cmd: cmd, log: &bytes.Buffer{}, client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
	cmd.Stderr = s.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "Stoa is at "); ok {
			s.base, _, _ = strings.Cut(rest, " ")
			return s
		}
	}
	s.kill()
	t.Fatalf("the server did not start:\n%s", s.log)
	return nil
}

// kill ends the server as a power cut would, and waits for its end. Calling it again does nothing.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.client.CloseIdleConnections()
}

// call makes one request and gives the answer's data.
func (s *server) call(ctx context.Context, method, path, token string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &refused{response.StatusCode, string(text)}
	}
	return json.Unmarshal(text, &struct {
		Data any `json:"data"`
	}{out})
}

// refused is an answer that is not 200: never expected here.
type refused struct {
	status int
	body   string
}

func (r *refused) Error() string { return fmt.Sprintf("answered %d: %s", r.status, r.body) }
