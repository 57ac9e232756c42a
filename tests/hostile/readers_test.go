package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
)

func init() {
	add("wire", "clients that take nothing of an answer do not hold the connections", apitest.Options{}, slowReaders)
	add("wire", "streams whose answer is not taken end", apitest.Options{HTTP: func(c *httpapi.Config) { c.TakeTime = 300 * time.Millisecond }}, streamsNotTaken)
}

// largeAnswer is what a stranger may ask for.
const largeAnswer = "/api/openapi.yaml"

// slowReaders asks again and again from many addresses for what is never taken. Somebody else is answered.
func slowReaders(t *testing.T, s *apitest.Server) {
	const places = 40
	f := face(t, s, places)
	for i := range some(3*places, 50*places) {
		c := f.dial(t, fmt.Sprintf("127.0.0.%d", 20+i%20), "http/1.1")
		if tcp, ok := c.(*net.TCPConn); ok {
			tcp.SetReadBuffer(4 << 10)
		}
		io.WriteString(c, strings.Repeat("GET "+largeAnswer+" HTTP/1.1\r\nHost: x\r\n\r\n", 60)) // one alone would fit into the buffers of the connection
		if i%20 == 0 {
			f.healthySoon(t)
		}
	}
	f.healthySoon(t)
	if n := f.Connections(); n.Open > places || n.Shed == 0 {
		t.Errorf("%+v", n)
	}
}

// streamsNotTaken never lets the server send a byte of an answer: each stream is ended all the same.
func streamsNotTaken(t *testing.T, s *apitest.Server) {
	f := faceOver(t, s, 40, true) // HTTP/2 is spoken over TLS alone
	c := f.dial(t, "127.0.0.5", "h2")
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, http2.ClientPreface)
	framer := http2.NewFramer(c, c)
	framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	const streams = 50
	paths := []string{largeAnswer, "/api/templates?limit=200", "/api/health"}
	for i := range uint32(streams) {
		var head bytes.Buffer
		e := hpack.NewEncoder(&head)
		for _, h := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", paths[int(i)%len(paths)]}} {
			e.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
		}
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
	}
	ended := map[uint32]bool{}
	for len(ended) < streams {
		frame, err := framer.ReadFrame()
		if err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Fatalf("%d of %d streams are still open", streams-len(ended), streams)
			}
			break // the connection was closed, and all its streams with it
		}
		if reset, ok := frame.(*http2.RSTStreamFrame); ok {
			ended[reset.StreamID] = true
		}
	}
	f.healthySoon(t)
}
