package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server that this programme started.
type process struct {
	cmd     *exec.Cmd
	address string
	started time.Time
}

// start starts a server and waits for the line on its standard output that holds " http://" and its address.
func start(ctx context.Context, logFile string, name string, args ...string) (*process, error) {
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
	p := &process{cmd: cmd, started: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), " http://"); ok {
			p.address, _, _ = strings.Cut(rest, " ")
			go io.Copy(io.Discard, out)
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s %s did not start: %w; see %s", name, strings.Join(args, " "), cmd.Wait(), logFile)
}

// stop ends the process and waits for its end.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// healthy waits for the first answer 200 of the health route and tells how long that took from the start.
func (p *process) healthy(limit time.Duration) (time.Duration, error) {
	for time.Since(p.started) < limit {
		if c, err := dial(p.address); err == nil {
			status, _, err := c.skip(get("/api/health"))
			c.Close()
			if err == nil && status == 200 {
				return time.Since(p.started), nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return 0, errors.New("the server did not become healthy")
}

// cpu is the processor time that the process has used.
func (p *process) cpu() time.Duration {
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

// memory is the process's resident memory in MiB: all of it (VmRSS) or without files (RssAnon).
func (p *process) memory(field string) float64 {
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

// startBinary starts the target over a data folder and returns as soon as it knows its address.
func (b *bench) startBinary(data string) (*process, error) {
	b.servers++
	return start(b.ctx, filepath.Join(b.dir, fmt.Sprintf("stoa-%d.log", b.servers)), b.binary,
		"serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--limits.requests-per-second=0")
}

// serve starts the target and waits until it answers lists.
func (b *bench) serve(data string) (*process, error) {
	p, err := b.startBinary(data)
	if err != nil {
		return nil, err
	}
	if _, err := p.healthy(time.Minute); err != nil {
		return nil, err
	}
	return p, p.loaded()
}

// loaded waits until the catalog has been read: the first list answers.
func (p *process) loaded() error {
	c, err := dial(p.address)
	if err != nil {
		return err
	}
	defer c.Close()
	status, _, err := c.skip(get("/api/templates?limit=1"))
	if err == nil && status != 200 {
		err = fmt.Errorf("the first list answered %d", status)
	}
	return err
}

// copyStore copies a kept store, so that measuring does not change it.
func (b *bench) copyStore(from, name string) (string, error) {
	to := filepath.Join(b.dir, name)
	if out, err := exec.CommandContext(b.ctx, "cp", "-r", "--reflink=auto", from, to).CombinedOutput(); err != nil {
		return to, fmt.Errorf("%w: %s", err, out)
	}
	return to, nil
}
