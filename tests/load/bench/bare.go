package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"stoa/tests/load/rig"
)

// recorded are answers of the target that the bare server gives out in turn.
type recorded struct {
	Status int
	Header http.Header
	Bodies [][]byte
}

// record asks the target the requests of a workload and keeps what it answers.
func record(address string, n int, next rig.Workload) (recorded, error) {
	out := recorded{}
	for range n {
		request := next(0)
		if request == nil {
			return out, errors.New("too few requests to record")
		}
		status, header, body, err := rig.Whole(address, request)
		if err != nil {
			return out, err
		}
		out.Status, out.Header = status, header
		out.Bodies = append(out.Bodies, body)
	}
	for _, name := range []string{"Date", "Content-Length"} {
		out.Header.Del(name) // net/http writes them
	}
	return out, nil
}

// startBare starts a bare server that gives out the recorded answers.
func (b *bench) startBare(r recorded) (*rig.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b.servers++
	file := filepath.Join(b.Dir, fmt.Sprintf("answers-%d.json", b.servers))
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return rig.Start(b.Ctx, filepath.Join(b.Dir, fmt.Sprintf("bare-%d.log", b.servers)), self, "bare", file)
}

// bare is the sub-command: net/http and nothing else.
func bare(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	lengths := make([][]string, len(r.Bodies))
	for i, body := range r.Bodies {
		lengths[i] = []string{strconv.Itoa(len(body))}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("bare at http://%s\n", listener.Addr())
	var turn atomic.Uint64
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i := turn.Add(1) % uint64(len(r.Bodies))
		h := w.Header()
		for name, values := range r.Header {
			h[name] = values
		}
		if r.Status != http.StatusNotModified {
			h["Content-Length"] = lengths[i]
		}
		w.WriteHeader(r.Status)
		if r.Status != http.StatusNotModified {
			w.Write(r.Bodies[i])
		}
	}))
}
