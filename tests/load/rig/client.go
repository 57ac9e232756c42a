package rig

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Workload gives the next request of one connection, ready to be sent; nil ends that connection's part.
type Workload func(conn int) []byte

// Result is what one slice came to.
type Result struct {
	Done  int
	Wrong int // answers with an unexpected status
	Took  time.Duration
	Times []time.Duration // sorted
	Bytes int64           // of bodies
}

func (r *Result) PerSecond() float64 { return float64(r.Done) / r.Took.Seconds() }

func (r *Result) Quantile(q float64) time.Duration {
	if len(r.Times) == 0 {
		return 0
	}
	return r.Times[min(len(r.Times)-1, int(q*float64(len(r.Times))))]
}

// Client is one keep-alive connection that writes requests and reads answers with as little work as it can.
type Client struct {
	net.Conn
	in *bufio.Reader
	// Tag is the entity tag of the last answer, empty when it had none.
	Tag []byte
}

func Dial(address string) (*Client, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &Client{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}, nil
}

var (
	contentLength = []byte("Content-Length: ")
	entityTag     = []byte("Etag: ")
	inChunks      = []byte("Transfer-Encoding: chunked")
)

// chunked is the size of a body that comes in chunks.
const chunked = -1

// head sends a request and reads the answer's head; size is that of the body still to be read.
func (c *Client) head(request []byte) (status, size int, err error) {
	if _, err := c.Write(request); err != nil {
		return 0, 0, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < 12 {
		return 0, 0, fmt.Errorf("answer begins with %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, err
	}
	const unknown = -2
	size = unknown
	c.Tag = c.Tag[:0]
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return status, 0, err
		}
		if len(line) <= 2 {
			break
		}
		if rest, ok := bytes.CutPrefix(line, contentLength); ok {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(rest))); err != nil {
				return status, 0, err
			}
		} else if rest, ok := bytes.CutPrefix(line, entityTag); ok {
			c.Tag = append(c.Tag, bytes.TrimSpace(rest)...)
		} else if bytes.HasPrefix(line, inChunks) {
			size = chunked
		}
	}
	switch {
	case status == http.StatusNotModified || status == http.StatusNoContent:
		size = 0
	case size == unknown:
		return status, 0, fmt.Errorf("answer %d of unknown length", status)
	}
	return status, size, nil
}

// Skip sends a request and drops the body of its answer.
func (c *Client) Skip(request []byte) (status, size int, err error) {
	if status, size, err = c.head(request); err == nil {
		if size == chunked {
			size, err = c.skipChunks()
		} else {
			_, err = c.in.Discard(size)
		}
	}
	return status, size, err
}

// skipChunks drops a body in chunks and tells its size.
func (c *Client) skipChunks() (total int, err error) {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return total, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return total, err
		}
		if _, err := c.in.Discard(int(size) + 2); err != nil { // with its line end; there are no trailers here
			return total, err
		}
		if size == 0 {
			return total, nil
		}
		total += int(size)
	}
}

// Load lets clients connections send requests one after another for a while.
func Load(address string, clients int, lasting time.Duration, status int, next Workload) (Result, error) {
	parts := make([]Result, clients)
	errs := make([]error, clients)
	conns := make([]*Client, clients)
	for i := range conns {
		c, err := Dial(address)
		if err != nil {
			return Result{}, err
		}
		defer c.Close()
		conns[i] = c
	}
	var wait sync.WaitGroup
	start := time.Now()
	for i := range clients {
		wait.Go(func() {
			parts[i], errs[i] = drive(conns[i], start.Add(lasting), status, func() []byte { return next(i) })
		})
	}
	wait.Wait()
	all := Result{Took: time.Since(start)}
	for i, p := range parts {
		if errs[i] != nil {
			return all, errs[i]
		}
		all.Done, all.Wrong, all.Bytes = all.Done+p.Done, all.Wrong+p.Wrong, all.Bytes+p.Bytes
		all.Times = append(all.Times, p.Times...)
	}
	slices.Sort(all.Times)
	return all, nil
}

func drive(c *Client, until time.Time, status int, next func() []byte) (Result, error) {
	r := Result{Times: make([]time.Duration, 0, 4096)}
	at := time.Now()
	for at.Before(until) {
		request := next()
		if request == nil {
			break
		}
		got, size, err := c.Skip(request)
		if err != nil {
			return r, err
		}
		now := time.Now()
		r.Times = append(r.Times, now.Sub(at))
		at = now
		r.Done++
		r.Bytes += int64(size)
		if got != status {
			r.Wrong++
		}
	}
	return r, nil
}

// Get writes a GET request.
func Get(target string, headers ...string) []byte {
	return Write("GET", target, "", headers...)
}

// Write writes a request with a body of JSON, or none. It takes next to nothing beside a server's work.
func Write(method, target, body string, headers ...string) []byte {
	const fixed = " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: stoa-bench\r\nAccept: application/json\r\n"
	b := make([]byte, 0, len(method)+len(target)+len(fixed)+len(body)+128)
	b = append(append(append(append(b, method...), ' '), target...), fixed...)
	for _, h := range headers {
		b = append(append(b, h...), "\r\n"...)
	}
	if body != "" {
		b = append(b, "Content-Type: application/json\r\nContent-Length: "...)
		b = append(strconv.AppendInt(b, int64(len(body)), 10), "\r\n"...)
	}
	return append(append(b, "\r\n"...), body...)
}

// Whole sends a request on a connection of its own and gives the whole answer.
func Whole(address string, request []byte) (int, http.Header, []byte, error) {
	c, err := Dial(address)
	if err != nil {
		return 0, nil, nil, err
	}
	defer c.Close()
	if _, err := c.Write(request); err != nil {
		return 0, nil, nil, err
	}
	method, _, _ := bytes.Cut(request, []byte(" "))
	response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: string(method)})
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, body, err
}

// Median is the middle of a list, 0 of an empty one.
func Median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return (list[len(list)/2] + list[(len(list)-1)/2]) / 2
}

// MS is a duration in milliseconds.
func MS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
