package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"stoa/internal/apitest"
)

// serving runs stoa serve until the test has seen enough of it.
func serving(t *testing.T, database, data string, look func(base string, greeting *bufio.Reader)) {
	t.Helper()
	out, in := io.Pipe()
	exit := make(chan int)
	go func() {
		defer in.Close()
		exit <- run([]string{"serve", "--data", data, "--database", database, "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--log-level", "error"}, nil, in, os.Stderr)
	}()
	greeting := bufio.NewReader(out)
	line, err := greeting.ReadString('\n')
	base, ok := strings.CutPrefix(strings.TrimSpace(line), "Stoa is at ")
	if err != nil || !ok {
		t.Fatalf("greeting %q, %v, exit code %d", line, err, <-exit)
	}
	look(base, greeting)
	rest := make(chan string)
	go func() {
		text, _ := io.ReadAll(greeting)
		rest <- string(text)
	}()
	if r, err := http.Get(base + "/api/health"); err != nil || r.StatusCode != 200 {
		t.Errorf("health: %v %v", r, err)
	} else {
		r.Body.Close()
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if text := <-rest; text != "" {
		t.Errorf("more greeting: %q", text)
	}
}

// The first start tells how to get in, once; what it tells works.
func TestServeGreetsItsFirstMember(t *testing.T) {
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			database, data := e.NewDatabase(t), filepath.Join(t.TempDir(), "data")
			serving(t, database, data, func(base string, greeting *bufio.Reader) {
				var text strings.Builder
				for !strings.Contains(text.String(), "sign in") {
					line, err := greeting.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					text.WriteString(line)
				}
				if _, err := greeting.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
				password := regexp.MustCompile(`password  (\S+)`).FindStringSubmatch(text.String())
				link := regexp.MustCompile(`sign in   (\S+)/member#signin=(\S+)  \(valid for 10 minutes\)`).FindStringSubmatch(text.String())
				if password == nil || link == nil || link[1] != base {
					t.Fatalf("greeting: %s", text.String())
				}
				for _, body := range []map[string]string{{"password": password[1]}, {"sign_in_token": link[2]}} {
					if got := login(t, base, body); got != "webui-user" {
						t.Errorf("%v let %q in", body, got)
					}
				}
			})
			serving(t, database, data, func(string, *bufio.Reader) {})
		})
	}
}

func login(t *testing.T, base string, body map[string]string) (userID string) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(base+"/api/login", "application/json", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		UserID string `json:"user_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.UserID
}
