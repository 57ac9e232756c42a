package rig

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a server that a load programme started.
type Process struct {
	cmd     *exec.Cmd
	Address string // host:port it listens on
	Started time.Time
}

// Start starts a server and waits for the line on its standard output that holds " http://" and its address.
func Start(ctx context.Context, logFile string, name string, args ...string) (*Process, error) {
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the child has its own
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, Started: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), " http://"); ok {
			p.Address, _, _ = strings.Cut(rest, " ")
			go io.Copy(io.Discard, out)
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s %s did not start: %w; see %s", name, strings.Join(args, " "), cmd.Wait(), logFile)
}

// Stop ends the process and waits for its end.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// Healthy waits for the first answer 200 of the health route and tells how long that took from the start.
func (p *Process) Healthy(limit time.Duration) (time.Duration, error) {
	for time.Since(p.Started) < limit {
		if c, err := Dial(p.Address); err == nil {
			status, _, err := c.Skip(Get("/api/health"))
			c.Close()
			if err == nil && status == 200 {
				return time.Since(p.Started), nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return 0, errors.New("the server did not become healthy")
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// CPU is the processor time that the process has used.
func (p *Process) CPU() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	// The second field may hold spaces; the rest follows its closing bracket.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const ticks = 100 // USER_HZ on every Linux
	return time.Duration(user+system) * time.Second / ticks
}

// Memory is the process's resident memory in MiB: all of it (VmRSS) or without files (RssAnon).
func (p *Process) Memory(field string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024
		}
	}
	return 0
}

// Loaded waits until the catalog has been read: the first list answers.
func (p *Process) Loaded() error {
	c, err := Dial(p.Address)
	if err != nil {
		return err
	}
	defer c.Close()
	status, _, err := c.Skip(Get("/api/templates?limit=1"))
	if err == nil && status != 200 {
		err = fmt.Errorf("the first list answered %d", status)
	}
	return err
}

// Peak runs something and tells by how many MiB of its own the process grew meanwhile, at most.
func (p *Process) Peak(f func() error) (grown float64, err error) {
	idle := p.Memory("RssAnon")
	most := idle
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, p.Memory("RssAnon"))
			}
		}
	})
	err = f()
	close(done)
	watch.Wait()
	return most - idle, err
}
