package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// workload gives the next request of one connection, ready to be sent; nil ends that connection's part.
type workload func(conn int) []byte

// result is what one slice came to.
type result struct {
	done  int
	wrong int // answers with an unexpected status
	took  time.Duration
	times []time.Duration // sorted
	bytes int64           // of bodies
}

func (r *result) perSecond() float64 { return float64(r.done) / r.took.Seconds() }

func (r *result) quantile(q float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	return r.times[min(len(r.times)-1, int(q*float64(len(r.times))))]
}

// client is one keep-alive connection that writes requests and reads answers with as little work as it can.
type client struct {
	net.Conn
	in *bufio.Reader
}

func dial(address string) (*client, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{c, bufio.NewReaderSize(c, 64<<10)}, nil
}

var (
	contentLength = []byte("Content-Length: ")
	notModified   = 304
)

// head sends a request and reads the answer's head; size is that of the body still to be read.
func (c *client) head(request []byte) (status, size int, err error) {
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
	size = -1
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
		}
	}
	if size < 0 && status != notModified {
		return status, 0, fmt.Errorf("answer %d without Content-Length", status)
	}
	return status, max(size, 0), nil
}

// skip sends a request and drops the body of its answer.
func (c *client) skip(request []byte) (status, size int, err error) {
	if status, size, err = c.head(request); err == nil {
		_, err = c.in.Discard(size)
	}
	return status, size, err
}

// load lets clients connections send requests one after another for a while.
func load(address string, clients int, lasting time.Duration, status int, next workload) (result, error) {
	parts := make([]result, clients)
	errs := make([]error, clients)
	conns := make([]*client, clients)
	for i := range conns {
		c, err := dial(address)
		if err != nil {
			return result{}, err
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
	all := result{took: time.Since(start)}
	for i, p := range parts {
		if errs[i] != nil {
			return all, errs[i]
		}
		all.done, all.wrong, all.bytes = all.done+p.done, all.wrong+p.wrong, all.bytes+p.bytes
		all.times = append(all.times, p.times...)
	}
	slices.Sort(all.times)
	return all, nil
}

func drive(c *client, until time.Time, status int, next func() []byte) (result, error) {
	r := result{times: make([]time.Duration, 0, 4096)}
	at := time.Now()
	for at.Before(until) {
		request := next()
		if request == nil {
			break
		}
		got, size, err := c.skip(request)
		if err != nil {
			return r, err
		}
		now := time.Now()
		r.times = append(r.times, now.Sub(at))
		at = now
		r.done++
		r.bytes += int64(size)
		if got != status {
			r.wrong++
		}
	}
	return r, nil
}

// get writes a GET request.
func get(target string, headers ...string) []byte {
	return write("GET", target, "", headers...)
}

func write(method, target, body string, headers ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: stoa-bench\r\nAccept: application/json\r\n", method, target)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}
