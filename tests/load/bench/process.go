package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"stoa/tests/load/rig"
)

// startBinary starts the target over a data folder and returns as soon as it knows its address.
func (b *bench) startBinary(data string) (*rig.Process, error) {
	b.servers++
	return rig.Start(b.Ctx, filepath.Join(b.Dir, fmt.Sprintf("stoa-%d.log", b.servers)), b.Binary,
		"serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--limits.requests-per-second=0", "--quota.enforce=off")
}

// serve starts the target and waits until it answers lists.
func (b *bench) serve(data string) (*rig.Process, error) {
	p, err := b.startBinary(data)
	if err != nil {
		return nil, err
	}
	if _, err := p.Healthy(time.Minute); err != nil {
		return nil, err
	}
	return p, p.Loaded()
}

// copyStore copies a kept store, so that measuring does not change it.
func (b *bench) copyStore(from, name string) (string, error) {
	to := filepath.Join(b.Dir, name)
	if out, err := exec.CommandContext(b.Ctx, "cp", "-r", "--reflink=auto", from, to).CombinedOutput(); err != nil {
		return to, fmt.Errorf("%w: %s", err, out)
	}
	return to, nil
}
