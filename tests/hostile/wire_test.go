package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stoa/internal/apitest"
)

func init() {
	add("wire", "a message whose end can be read in two ways is answered once and not believed", apitest.Options{}, ambiguousMessages)
	add("wire", "connections that say nothing make room", apitest.Options{}, silentConnections)
	add("wire", "streams of one connection do not hold the server", apitest.Options{}, floodOfStreams)
	add("H5", "a flood of refused requests is written down at a fixed rate", apitest.Options{}, refusedFlood)
}

// ambiguous are requests that proxies and servers have read in different ways, each followed by bytes that may be taken for a
// request of its own. None of them is one that a client of ours sends.
func ambiguous() map[string]string {
	const next = "GET /api/auth-info HTTP/1.1\r\nHost: x\r\n\r\n"
	post := func(heads string, body string) string {
		return "POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + heads + "\r\n" + body
	}
	get := func(heads string) string { return "GET /api/auth-info HTTP/1.1\r\nHost: x\r\n" + heads + "\r\n" + next }
	return map[string]string{
		"both lengths":             post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"+next),
		"both lengths, reversed":   post("Transfer-Encoding: chunked\r\nContent-Length: 50\r\n", "0\r\n\r\n"+next),
		"two lengths":              post("Content-Length: 2\r\nContent-Length: 50\r\n", "{}"+next),
		"a list of lengths":        post("Content-Length: 2, 50\r\n", "{}"+next),
		"a signed length":          post("Content-Length: +2\r\n", "{}"+next),
		"a negative length":        post("Content-Length: -1\r\n", "{}"+next),
		"a hexadecimal length":     post("Content-Length: 0x2\r\n", "{}"+next),
		"an unknown encoding":      post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"+next),
		"two encodings":            post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"+next),
		"encodings on two lines":   post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"+next),
		"a space before the colon": post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"+next),
		"a vertical tab":           post("Transfer-Encoding:\x0bchunked\r\n", "0\r\n\r\n"+next),
		"an obsolete fold":         post("Transfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n", "0\r\n\r\n"+next),
		"a carriage return":        post("X: a\rTransfer-Encoding: chunked\r\n", "0\r\n\r\n"+next),
		"a zero byte":              get("X: a\x00b\r\n"),
		"a name with a space":      get("X Y: a\r\n"),
		"no name":                  get(": a\r\n"),
		"no host":                  "GET /api/auth-info HTTP/1.1\r\n\r\n" + next,
		"two hosts":                get("Host: y\r\n"),
		"a host with a path":       "GET /api/auth-info HTTP/1.1\r\nHost: a/b\r\n\r\n" + next,
		"a chunk of 2^68":          post("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n"+next),
		"a negative chunk":         post("Transfer-Encoding: chunked\r\n", "-2\r\n{}\r\n0\r\n\r\n"+next),
		"a chunk with a long name": post("Transfer-Encoding: chunked\r\n", "2;"+strings.Repeat("x", 1<<20)+"\r\n{}\r\n0\r\n\r\n"+next),
		"another protocol":         "GET /api/auth-info HTTP/3.7\r\nHost: x\r\n\r\n" + next,
		"a tunnel":                 "CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254:80\r\n\r\n" + next,
		"a head of 100 KiB":        get("X: " + strings.Repeat("x", 100<<10) + "\r\n"),
		"ten thousand fields":      get(strings.Repeat("X: y\r\n", 20_000)),
	}
}

func ambiguousMessages(t *testing.T, s *apitest.Server) {
	f := face(t, s, 100)
	for name, message := range ambiguous() {
		c := f.dial(t, "127.0.0.3")
		c.SetDeadline(time.Now().Add(20 * time.Second))
		go io.WriteString(c, message)
		in := bufio.NewReader(c)
		for n := 0; ; n++ {
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
					t.Errorf("%s: the connection stays open after %d answers", name, n)
				}
				break
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				break
			}
			if n > 0 || r.StatusCode < 400 || r.StatusCode >= 500 && r.StatusCode != http.StatusNotImplemented && r.StatusCode != http.StatusHTTPVersionNotSupported {
				t.Errorf("%s: answer %d is %s", name, n+1, r.Status)
			}
		}
		c.Close()
	}
	f.healthy(t)
}

func silentConnections(t *testing.T, s *apitest.Server) {
	const places = 40
	f := face(t, s, places)
	beginnings := []string{"", "\x16", "\x16\x03\x01\x02\x00\x01", "GET / HTTP/1.1\r\nHost: x\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}
	var all []net.Conn
	for i := range some(3*places, 50*places) {
		c := f.connect(t, fmt.Sprintf("127.0.0.%d", 20+i%20))
		io.WriteString(c, beginnings[i%len(beginnings)])
		all = append(all, c)
		if i%20 == 0 {
			f.healthy(t)
		}
	}
	f.healthy(t)
	for i, c := range all { // those that were not driven out have their time
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("connection %d, which began with %q, is still open", i, beginnings[i%len(beginnings)])
		}
	}
	if n := f.Connections(); n.Open > places || n.Shed == 0 {
		t.Errorf("%+v", n)
	}
}

// floodOfStreams speaks HTTP/2 as no browser does: streams that are opened and given up at once, heads without end, bodies that
// do not come.
func floodOfStreams(t *testing.T, s *apitest.Server) {
	if !s.OverTLS() {
		return // HTTP/2 is spoken over TLS alone
	}
	const places = 40
	f := face(t, s, places)
	speak := func(from string) (*http2.Framer, net.Conn) {
		c := f.dial(t, from, "h2")
		io.WriteString(c, http2.ClientPreface)
		framer := http2.NewFramer(c, c)
		framer.WriteSettings()
		go io.Copy(io.Discard, c)
		return framer, c
	}
	head := func(method, path string) []byte {
		var b bytes.Buffer
		e := hpack.NewEncoder(&b)
		for _, h := range [][2]string{{":method", method}, {":scheme", "https"}, {":authority", "x"}, {":path", path}, {"content-type", "application/json"}} {
			e.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
		}
		return b.Bytes()
	}
	t.Run("given up at once", func(t *testing.T) {
		framer, _ := speak("127.0.0.5")
		for i := range uint32(some(2000, 50_000)) {
			id := 2*i + 1
			if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: head("GET", "/api/templates"), EndStream: true, EndHeaders: true}) != nil || framer.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
				break
			}
		}
		f.healthy(t)
	})
	t.Run("a head without end", func(t *testing.T) {
		framer, _ := speak("127.0.0.6")
		err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head("GET", "/api/templates")})
		piece := bytes.Repeat([]byte{0}, 16<<10)
		for i := 0; err == nil && i < some(1000, 10_000); i++ {
			err = framer.WriteContinuation(1, false, piece)
		}
		if err == nil {
			t.Error("a head of megabytes was taken")
		}
		f.healthy(t)
	})
	t.Run("bodies that do not come", func(t *testing.T) {
		for i := range some(2*places, 20*places) {
			framer, _ := speak(fmt.Sprintf("127.0.0.%d", 20+i%20))
			for n := range uint32(50) {
				if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*n + 1, BlockFragment: head("POST", "/api/login"), EndHeaders: true}) != nil {
					break
				}
			}
			if i%20 == 0 {
				f.healthy(t)
			}
		}
		f.healthy(t)
		if n := f.Connections(); n.Open > places {
			t.Errorf("%+v", n)
		}
	})
}

func refusedFlood(t *testing.T, s *apitest.Server) {
	stranger := s.Nobody(t)
	for n := range some(100, 1000) {
		stranger.Get(fmt.Sprint("/api/nothing/", n, strings.Repeat("x", 2000)))
		stranger.Do("HEAD", "/api/auth-info", nil)
		stranger.Do("PUT", "/api/health", nil)
		stranger.Get("/api/preferences")
	}
	ada := s.As(t, "ada")
	for range 2 * s.Nodes() {
		ada.Get("/api/runtime-request-trace").OK(t) // writes out the records of a node
	}
	if n := s.Count(t, "request_trace WHERE user_id = ''"); n == 0 || n > 20*s.Nodes() {
		t.Errorf("%d records of one second of a flood on %d nodes", n, s.Nodes())
	}
	if n := len(s.Log()); n > some(400, 4000)*1000 {
		t.Errorf("the log has %d bytes", n)
	}
}
