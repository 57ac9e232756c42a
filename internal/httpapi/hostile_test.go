package httpapi_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/internal/platform/listen"
)

// facing is a server as stoa serve makes it, with times and limits that a test can wait for.
type facing struct {
	*listen.Server
	address string
}

func face(t *testing.T, connections int) facing {
	t.Helper()
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) { c.BodyTime = 400 * time.Millisecond }})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := facing{listen.New(s.Handler, listen.Options{Connections: connections, HeadTimeout: 400 * time.Millisecond}), l.Addr().String()}
	go f.Serve(l)
	t.Cleanup(func() { f.Close() })
	return f
}

func (f facing) dial(t *testing.T, from string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	c, err := d.Dial("tcp", f.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// works fails the test unless an ordinary client gets an ordinary answer, from an address of its own.
func (f facing) works(t *testing.T) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.9")}}
	client := http.Client{Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}, Timeout: 5 * time.Second}
	r, err := client.Get("http://" + f.address + "/api/templates?limit=5")
	if err != nil {
		t.Fatalf("an ordinary client: %v (%+v)", err, f.Connections())
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != 200 {
		t.Fatalf("an ordinary client: %d %v", r.StatusCode, err)
	}
}

// ends waits until the server has closed a connection, and gives what it said before.
func ends(t *testing.T, c net.Conn) string {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(8 * time.Second))
	said, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the connection is still open; it said %q", said)
	}
	return string(said)
}

func live() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() + sample[1].Value.Uint64()
}

// dribble sends a text byte by byte until the other side has closed.
func dribble(c net.Conn, text string) {
	for i := range len(text) {
		if _, err := io.WriteString(c, text[i:i+1]); err != nil {
			return
		}
		time.Sleep(time.Millisecond) // the attack itself
	}
}

func TestSlowHead(t *testing.T) {
	f := face(t, 0)
	var slow []net.Conn
	for range 50 {
		c := f.dial(t, "127.0.0.2")
		slow = append(slow, c)
		go dribble(c, "GET /api/health HTTP/1.1\r\nHost: x\r\n"+strings.Repeat("X-A: b\r\n", 10_000))
	}
	f.works(t)
	for _, c := range slow {
		if said := ends(t, c); said != "" && !strings.HasPrefix(said, "HTTP/1.1 408") && !strings.HasPrefix(said, "HTTP/1.1 400") {
			t.Errorf("half a head was answered: %.200q", said)
		}
	}
}

func TestSlowBody(t *testing.T) {
	f := face(t, 0)
	for _, path := range []string{"/api/login", "/api/no-such-route", "/market"} {
		c := f.dial(t, "127.0.0.2")
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n", path)
		go dribble(c, strings.Repeat(" ", 100_000))
		f.works(t)
		if said := ends(t, c); strings.HasPrefix(said, "HTTP/1.1 200") {
			t.Errorf("%s: half a body was answered: %.200q", path, said)
		}
	}
	if n := f.Connections().Open; n > 1 { // the last ordinary one may be closing
		t.Errorf("%d connections are left", n)
	}
}

// A body without an end costs no memory, and no more than its time.
func TestEndlessBody(t *testing.T) {
	f := face(t, 0)
	before := live()
	var all sync.WaitGroup
	block := bytes.Repeat([]byte("a"), 64<<10)
	chunk := append(fmt.Appendf(nil, "%x\r\n", len(block)), append(block, '\r', '\n')...)
	for _, path := range []string{"/api/login", "/api/templates/submit", "/api/no-such-route", "/market"} {
		all.Go(func() {
			c := f.dial(t, "127.0.0.2")
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", path)
			c.SetWriteDeadline(time.Now().Add(8 * time.Second))
			sent := 0
			for {
				n, err := c.Write(chunk)
				if sent += n; errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%s: still taken after %d bytes", path, sent)
				}
				if err != nil {
					return
				}
			}
		})
	}
	f.works(t)
	if grown := int64(live()) - int64(before); grown > 16<<20 {
		t.Errorf("%d MiB more while bodies came in", grown>>20)
	}
	all.Wait()
	f.works(t)
}

// Ten thousand connections that say nothing hold no more than the limit, and nobody else is kept out.
func TestIdleConnections(t *testing.T) {
	heavy(t)
	// On a busy machine the kernel drops a few at a full backlog, before they are accepted: those are never shed.
	const most, crowd, dropped = 500, 10_000, 100
	f := face(t, most)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < crowd+2*most+200 {
		t.Skipf("needs %d open files, may have %d (%v)", crowd+2*most+200, limit.Cur, err)
	}
	before := live()
	var all []net.Conn
	for i := range crowd {
		c := f.dial(t, fmt.Sprintf("127.0.0.%d", 10+i%100))
		if i%2 == 0 {
			io.WriteString(c, "GET /ap") // half of them dribble
		}
		if all = append(all, c); i%2500 == 0 {
			f.works(t)
		}
	}
	f.works(t)
	// What was dialled last may still wait to be accepted.
	n := f.Connections()
	for deadline := time.Now().Add(time.Minute); n.Shed < crowd-most-dropped && time.Now().Before(deadline); n = f.Connections() {
		f.works(t)
	}
	if n.Open > most || n.Shed < crowd-most-dropped {
		t.Errorf("%+v", n)
	}
	if grown := int64(live()) - int64(before); grown > 48<<20 {
		t.Errorf("%d MiB more with %d connections held", grown>>20, n.Open)
	}
	ends(t, all[0]) // the longest waiting went first
}

// One address with many connections gives up its own, not those of others.
func TestOneAddressDoesNotCrowdOutOthers(t *testing.T) {
	f := face(t, 20)
	keeping := f.dial(t, "127.0.0.3")
	ask := func() (*http.Response, error) {
		io.WriteString(keeping, "GET /api/auth-info HTTP/1.1\r\nHost: x\r\n\r\n")
		keeping.SetReadDeadline(time.Now().Add(5 * time.Second))
		return http.ReadResponse(bufio.NewReader(keeping), nil)
	}
	r, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, r.Body)
	for range 200 {
		f.dial(t, "127.0.0.2")
	}
	f.works(t)
	if r, err := ask(); err != nil || r.StatusCode != 200 {
		t.Errorf("an idle connection of another address was closed: %v %+v", err, f.Connections())
	}
}

func TestHeaderFloods(t *testing.T) {
	f := face(t, 0)
	before := live()
	for name, head := range map[string]string{
		"many":  strings.Repeat("X-A: b\r\n", 100_000),
		"long":  "X-A: " + strings.Repeat("b", 1<<20) + "\r\n",
		"path":  "",
		"forms": "X-Forwarded-For: " + strings.Repeat("127.0.0.1, ", 100_000) + "\r\n",
	} {
		c := f.dial(t, "127.0.0.2")
		path := "/api/health"
		if name == "path" {
			path += "?" + strings.Repeat("a", 1<<20)
		}
		go func() {
			fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, head)
		}()
		if said := ends(t, c); said != "" && !strings.HasPrefix(said, "HTTP/1.1 431") {
			t.Errorf("%s: %.200q", name, said)
		}
	}
	f.works(t)
	if grown := int64(live()) - int64(before); grown > 8<<20 {
		t.Errorf("%d MiB more", grown>>20)
	}
}
